//! Kernels of kernels/strings.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ContainsTarget {
    /// read beyond the first eight bytes alone
    pub data: In<u8>,
    /// may be 0
    pub size: i64,
    /// up to eight bytes of it, the first the lowest
    pub first: u64,
    /// ones for these bytes
    pub mask: u64,
}

const _: () = assert!(size_of::<ContainsTarget>() == 32 && align_of::<ContainsTarget>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CopySpansSource {
    pub text: TextIn,
    /// of the rows that the spans are of
    pub offsets: In<i32>,
    pub spans: In<TextSpan>,
    /// of all
    pub count: i64,
    /// 0: a row for each span; else row r has span r / stride of row r % stride
    pub stride: i64,
}

const _: () = assert!(size_of::<CopySpansSource>() == 88 && align_of::<CopySpansSource>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "contains_literal_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "copy_spans_text_sizes_kernel", unit: 1, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "copy_spans_text_write_kernel", unit: 1, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_upper_sizes_kernel", unit: 2, policy: Policy::new(128, 4, 8) },
    KernelInfo { symbol: "to_case_upper_write_kernel", unit: 2, policy: Policy::new(128, 4, 8) },
];

/// Whether the target occurs in each row, as booleans.
#[derive(Clone, Copy, Debug)]
pub struct Contains {
    pub input: ColumnIn,
    pub bytes: i64,
    pub out: ColumnOut,
    pub p: ContainsTarget,
    pub scratch: Scratch,
}

arguments!(Contains { input, bytes, out, p, scratch });

/// The kernels that take [`Contains`](struct@Contains).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContainsKernel {
    /// Whether the target occurs in each row, as booleans.
    Literal,
}

impl From<ContainsKernel> for KernelId {
    fn from(kernel: ContainsKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ContainsKernel::Literal => 0,
            },
        )
    }
}

impl Family for Contains {
    type Kernel = ContainsKernel;
}

/// The text of spans.
#[derive(Clone, Copy, Debug)]
pub struct CopySpans {
    pub out: ColumnOut,
    pub p: CopySpansSource,
    pub counts: Out<u64>,
    pub scratch: Scratch,
    pub mailbox: Out<u64>,
}

arguments!(CopySpans { out, p, counts, scratch, mailbox });

/// The kernels that take [`CopySpans`](struct@CopySpans).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopySpansKernel {
    /// The text of spans.
    TextSizes,
    TextWrite,
}

impl From<CopySpansKernel> for KernelId {
    fn from(kernel: CopySpansKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                CopySpansKernel::TextSizes => 1,
                CopySpansKernel::TextWrite => 2,
            },
        )
    }
}

impl Family for CopySpans {
    type Kernel = CopySpansKernel;
}

/// Upper case of text.
#[derive(Clone, Copy, Debug)]
pub struct ToCase {
    pub input: TextIn,
    pub out: ColumnOut,
    pub p: Nothing,
    pub counts: Out<u64>,
    pub scratch: Scratch,
    pub mailbox: Out<u64>,
}

arguments!(ToCase { input, out, p, counts, scratch, mailbox });

/// The kernels that take [`ToCase`](struct@ToCase).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToCaseKernel {
    /// Upper case of text.
    UpperSizes,
    UpperWrite,
}

impl From<ToCaseKernel> for KernelId {
    fn from(kernel: ToCaseKernel) -> Self {
        KernelId::new(
            image::STRINGS,
            match kernel {
                ToCaseKernel::UpperSizes => 3,
                ToCaseKernel::UpperWrite => 4,
            },
        )
    }
}

impl Family for ToCase {
    type Kernel = ToCaseKernel;
}
