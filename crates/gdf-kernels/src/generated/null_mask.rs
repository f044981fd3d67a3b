//! Kernels of kernels/null_mask.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "null_mask_and_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "null_mask_copy_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "null_mask_count_kernel", unit: 1, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "null_mask_first_kernel", unit: 2, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "null_mask_or_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "null_mask_set_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
];

/// Merges masks: row r of the result is valid if row r of each of the first `inputs` (1 to 32) columns is valid.
#[derive(Clone, Copy, Debug)]
pub struct Combine<'a> {
    pub input: TableIn<'a, 32>,
    pub inputs: i32,
    pub out: ColumnOut<'a>,
}

arguments!(Combine { input, inputs, out } scratch {});

/// The kernels that take [`Combine`](struct@Combine).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CombineKernel {
    /// Merges masks: row r of the result is valid if row r of each of the first `inputs` (1 to 32) columns is valid.
    And,
    /// Merges masks: row r of the result is valid if row r of any of the first `inputs` (0 to 32) columns is valid.
    Or,
}

impl From<CombineKernel> for KernelId {
    fn from(kernel: CombineKernel) -> Self {
        KernelId::new(
            image::NULL_MASK,
            match kernel {
                CombineKernel::And => 0,
                CombineKernel::Or => 4,
            },
        )
    }
}

impl Family for Combine<'static> {
    type Kernel = CombineKernel;
}

/// Copies the mask of `in` to a mask that begins at bit 0.
#[derive(Clone, Copy, Debug)]
pub struct Copy<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(Copy { input, out } scratch {});

impl OneKernel for Copy<'static> {
    const ID: KernelId = KernelId::new(image::NULL_MASK, 1);
}

/// Posts the number of clear bits in \[begin, end) to `unset`, which is a word of a mailbox or of device memory. The
/// range must not be empty. The kernel uses ticket 32 and zeroed\[0\].
#[derive(Clone, Copy, Debug)]
pub struct Count<'a> {
    pub mask: In<'a, u8>,
    pub begin: i64,
    pub end: i64,
    pub unset: Out<'a, u64>,
}

arguments!(Count { mask, begin, end } scratch { unset });

impl OneKernel for Count<'static> {
    const ID: KernelId = KernelId::new(image::NULL_MASK, 2);
}

/// Posts the position of the first set bit of \[begin, end), counted from `begin`, to a word of a mailbox. If no bit is
/// set, the kernel posts end - begin. The kernel uses ticket 32 and zeroed\[0\].
#[derive(Clone, Copy, Debug)]
pub struct First<'a> {
    pub mask: In<'a, u8>,
    pub begin: i64,
    pub end: i64,
    pub position: Out<'a, u64>,
}

arguments!(First { mask, begin, end } scratch { position });

impl OneKernel for First<'static> {
    const ID: KernelId = KernelId::new(image::NULL_MASK, 3);
}

/// Sets the bits \[begin, end) of `words` (4-byte aligned), or clears them if `valid` is 0. Other bits stay unchanged.
/// The kernel computes no null count.
#[derive(Clone, Copy, Debug)]
pub struct Set<'a> {
    pub words: Out<'a, u32>,
    pub begin: i64,
    pub end: i64,
    pub valid: i32,
}

arguments!(Set { words, begin, end, valid });

impl OneKernel for Set<'static> {
    const ID: KernelId = KernelId::new(image::NULL_MASK, 5);
}
