//! Kernels of kernels/concatenate.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const FEW_PIECES: usize = 32;

/// How a column is copied; mirrored by the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum Kind {
    /// a struct: validity
    MaskOnly = 0,
    /// booleans
    Bits = 1,
    /// rows of any width, at any alignment
    Fixed = 2,
    /// the bytes of whole pieces
    Strings = 3,
    /// row by row, without the bytes that nulls hide
    StringRows = 4,
}

/// Inputs that fit the parameter block: pieces \* nodes \<= 32.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Few<'a> {
    pub input: [ColumnIn<'a>; 32],
    pub start: [i64; 33],
    pub parent: [i32; 32],
}

impl Default for Few<'_> {
    fn default() -> Self {
        Self { input: [ColumnIn::default(); 32], start: [0; 33], parent: [0; 32] }
    }
}

plain!(Few { input, start, parent });

const _: () = assert!(size_of::<Few>() == 1928 && align_of::<Few>() == 8);

/// Inputs: piece p of node n is in\[n \* pieces + p\], `length` of which is not its number of rows but that
/// of its character buffer's bytes, if it has one. No piece is empty. Addresses of device memory, or
/// null: then what they point to is in a `few`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Inputs<'a> {
    pub input: In<'a, ColumnIn<'a>>,
    /// first row of each piece; at the end, the number of rows
    pub start: In<'a, i64>,
    /// node of the struct around a node, or -1
    pub parent: In<'a, i32>,
    pub pieces: i32,
    /// bit p, below 32: piece p is one row for all of its rows (`broadcast`)
    pub repeated: u32,
}

plain!(Inputs { input, start, parent, pieces, repeated });

const _: () = assert!(size_of::<Inputs>() == 32 && align_of::<Inputs>() == 8);

/// What there is to do for a column of the result, or to measure of it.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Task {
    /// fixed: bytes of a row; strings: size of the result's character buffer
    pub extra: i64,
    /// of the inputs
    pub node: i32,
    pub kind: i16,
    /// which of the measured columns of this launch it is
    pub slot: i16,
}

const _: () = assert!(size_of::<Task>() == 16 && align_of::<Task>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Tasks {
    pub column: [Task; 32],
}

const _: () = assert!(size_of::<Tasks>() == 512 && align_of::<Tasks>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "concatenate_kernel", unit: 0, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "concatenate_measure_kernel", unit: 0, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "concatenate_repeating_kernel", unit: 0, policy: Policy::new(256, 4, 3) },
];

/// Columns of the result, one per blockIdx.y. `strings` of more than 32 pieces, and `string_rows`, have
/// been measured.
#[derive(Clone, Copy, Debug)]
pub struct Concatenate<'a> {
    pub table: TableOut<'a, 32>,
    pub tasks: Tasks,
    pub few: Few<'a>,
    pub many: Inputs<'a>,
    pub counts: In<'a, u64>,
    pub first_byte: In<'a, i64>,
}

arguments!(Concatenate { table, tasks, few, many, counts, first_byte } scratch {});

/// The kernels that take [`Concatenate`](struct@Concatenate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConcatenateKernel {
    /// Columns of the result, one per blockIdx.y. `strings` of more than 32 pieces, and `string_rows`, have
    /// been measured.
    Whole,
    /// As concatenate\_kernel, of pieces some of which are one row. It is a kernel of its own, as 2 KB of instructions more make
    /// the other 4 % slower where rows are few.
    Repeating,
}

impl From<ConcatenateKernel> for KernelId {
    fn from(kernel: ConcatenateKernel) -> Self {
        KernelId::new(
            image::CONCATENATE,
            match kernel {
                ConcatenateKernel::Whole => 0,
                ConcatenateKernel::Repeating => 2,
            },
        )
    }
}

impl Family for Concatenate<'static> {
    type Kernel = ConcatenateKernel;
}

/// For measured column blockIdx.y (at its slot): `strings`: its number of bytes; `string_rows`: the bytes
/// of each tile of 1,024 result rows, made into the positions of their first bytes, at counts + slot \*
/// tiles, and their total. Totals go to mailbox\[slot\]. With more than 32 pieces, `first_byte` receives
/// pieces + 1 positions per slot. Tickets 32 + blockIdx.y.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'a> {
    pub few: Few<'a>,
    pub many: Inputs<'a>,
    pub tasks: Tasks,
    pub counts: Out<'a, u64>,
    pub first_byte: Out<'a, i64>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Measure { few, many, tasks, counts, first_byte } scratch { mailbox });

impl OneKernel for Measure<'static> {
    const ID: KernelId = KernelId::new(image::CONCATENATE, 1);
}
