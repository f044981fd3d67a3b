//! Kernels of kernels/validation.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// texts of more bytes are checked by a whole warp
pub const LONG_TEXT: i64 = 512;

pub const MAX_TASKS: usize = 32;

pub const OF_TEXT: u64 = 0x4000000000000000;

/// bytes
pub const UTF8_PIECE: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Kind {
    MaskOnly = 0,
    /// the offsets; if `more` has bytes, also whether a character begins at each offset
    Offsets = 1,
    /// the bytes of strings, in `more`; a task of the kind `offsets` checks the offsets
    Text = 2,
    /// offsets, and sizes in `more`
    ListViews = 3,
    Keys = 4,
    /// views, and a `piece` for each buffer in `more`
    Views = 5,
    TypeIds = 6,
    /// the offsets in `more` of the rows whose type id in `data` is `id`
    UnionOffsets = 7,
    RunEnds = 8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum TaskFlags {
    /// the integers have 64 bits instead of 32
    Wide = 1,
    SignedKeys = 2,
    Utf8 = 4,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Piece<'a> {
    pub bytes: In<'a, u8>,
    pub length: i64,
}

plain!(Piece { bytes, length });

const _: () = assert!(size_of::<Piece>() == 16 && align_of::<Piece>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Task<'a> {
    pub data: In<'a, u8>,
    pub more: In<'a, u8>,
    pub validity: In<'a, u8>,
    /// position of the first row in data, validity, and the arrays parallel to them
    pub offset: i64,
    /// The number of bytes, of rows of the child, or of buffers. For run ends, it is the number of rows that they must
    /// cover.
    pub rows: Rows,
    pub limit: i64,
    /// the known type ids, one bit for each
    pub known: [u64; 2],
    pub kind: i32,
    pub flags: i32,
    /// bytes of keys and of run ends
    pub width: i32,
    pub id: i32,
}

plain!(Task { data, more, validity, offset, rows, limit, known, kind, flags, width, id });

const _: () = assert!(size_of::<Task>() == 80 && align_of::<Task>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Tasks<'a> {
    pub at: [Task<'a>; 32],
}

plain!(Tasks { at });

const _: () = assert!(size_of::<Tasks>() == 2560 && align_of::<Tasks>() == 8);

pub(super) const KERNELS: &[KernelInfo] =
    &[KernelInfo { symbol: "validate_kernel", unit: 0, policy: Policy::new(256, 4, 4) }];

/// Executes task blockIdx.y, and posts two words for it. The first word is the number of nulls. The second word is 0 if
/// all rows are valid. Otherwise it is one more than the first invalid row, with bit 62 set if the text of that row is
/// invalid. Task y uses ticket 32 + y, zeroed\[3 \* y\] and the two words after it.
#[derive(Clone, Copy, Debug)]
pub struct Validate<'a> {
    pub input: Tasks<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Validate { input } scratch { mailbox });

impl OneKernel for Validate<'static> {
    const ID: KernelId = KernelId::new(image::VALIDATION, 0);
}
