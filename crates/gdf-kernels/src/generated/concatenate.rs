//! Kernels of kernels/concatenate.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const FEW_PIECES: usize = 32;

pub const OFFSET_PIECES: usize = 32;

/// How a column is copied. The host has the same enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum Kind {
    /// a struct: only its validity is copied
    MaskOnly = 0,
    /// booleans
    Bits = 1,
    /// rows of any width, at any alignment
    Fixed = 2,
    /// the bytes of whole pieces
    Strings = 3,
    /// row by row, without the bytes of null rows
    StringRows = 4,
}

/// Inputs that fit in the parameters of a kernel: pieces \* nodes \<= 32.
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

/// The inputs. Piece p of node n is in\[n \* pieces + p\]. No piece is empty. If a column has a character buffer, the
/// `length` of its pieces is the number of bytes of this buffer instead of the number of rows. If the pointers are
/// null, the kernel reads the `few` in its parameters instead.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Inputs<'a> {
    pub input: In<'a, ColumnIn<'a>>,
    /// first row of each piece; at the end, the number of rows
    pub start: In<'a, i64>,
    /// node of the struct around a node, or -1
    pub parent: In<'a, i32>,
    pub pieces: i32,
    /// if bit p is set (p \< 32), piece p is a single row that is repeated (`broadcast`)
    pub repeated: u32,
}

plain!(Inputs { input, start, parent, pieces, repeated });

const _: () = assert!(size_of::<Inputs>() == 32 && align_of::<Inputs>() == 8);

/// Columns of offsets, which all have the same type, i32 or i64.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct OffsetColumns<'a> {
    pub column: [ColumnIn<'a>; 32],
}

plain!(OffsetColumns { column });

const _: () = assert!(size_of::<OffsetColumns>() == 1536 && align_of::<OffsetColumns>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Task {
    /// fixed: bytes of a row; strings: size of the result's character buffer
    pub extra: i64,
    /// index of the node in the inputs
    pub node: i32,
    pub kind: i16,
    /// the number of the column among those that this launch measures
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
    KernelInfo { symbol: "offset_ends_kernel", unit: 1, policy: Policy::new(32, 1, 1) },
];

/// Writes the columns of the result. blockIdx.y is the number of a column. Before this kernel,
/// `concatenate_measure_kernel` must have measured `strings` columns of more than 32 pieces and all `string_rows`
/// columns.
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
    /// Writes the columns of the result. blockIdx.y is the number of a column. Before this kernel,
    /// `concatenate_measure_kernel` must have measured `strings` columns of more than 32 pieces and all `string_rows`
    /// columns.
    Whole,
    /// Does the same as concatenate\_kernel, for inputs with repeated rows. The kernel is separate, because its additional 2
    /// KB of instructions would make concatenate\_kernel 4 % slower for few rows.
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

/// Measures column blockIdx.y and posts its number of bytes to mailbox\[slot\]. Column y uses ticket 32 + y.
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

/// Posts the first and the last offset of each of `count` columns (1 to 32), one column after the other. No column may
/// be empty.
#[derive(Clone, Copy, Debug)]
pub struct OffsetEnds<'a> {
    pub offsets: OffsetColumns<'a>,
    pub count: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(OffsetEnds { offsets, count, mailbox });

impl OneKernel for OffsetEnds<'static> {
    const ID: KernelId = KernelId::new(image::CONCATENATE, 3);
}
