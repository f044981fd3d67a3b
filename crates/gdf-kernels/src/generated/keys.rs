//! Kernels of kernels/keys.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const BLOCK_THREADS: usize = 256;

/// A selector of \_\_byte\_perm that selects no byte of a word.
pub const NO_BYTES: u32 = 0x4444;

pub const PREFIX_BYTES: usize = 32;

pub const PREFIX_WORDS: usize = 8;

/// The number of words of scratch memory that all blocks update and that are posted.
pub const TOTAL_WORDS: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TextColumn<'a> {
    pub column: ColumnIn<'a>,
    pub bytes: Bytes,
}

plain!(TextColumn { column, bytes });

const _: () = assert!(size_of::<TextColumn>() == 56 && align_of::<TextColumn>() == 8);

/// The layout of the bits of a text in a number of 1, 2, 4, 8 or 16 bytes, and the bits that a text must have to get a
/// number. A word of a text is packed in three steps. First, the bytes that differ between texts are moved to the
/// lowest bytes. Then `width` bits of each of these bytes, from bit `shift` on, are moved to the lowest bits. Finally,
/// the result is placed at bit `place` of the number.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TextNumbering {
    /// the bits that all texts have
    pub base: [u32; 8],
    /// the bits that are not part of the number
    pub fixed: [u32; 8],
    /// selectors of bytes for \_\_byte\_perm; no\_bytes if no byte is selected
    pub selectors: [u32; 8],
    /// mask of the kept bits of the selected bytes, after the shift
    pub kept: [u32; 8],
    pub shift: [u8; 8],
    pub width: [u8; 8],
    pub place: [u8; 8],
    pub shortest: i32,
    pub longest: i32,
    pub length_place: i32,
    /// the size of a number
    pub bytes_each: i32,
    /// whether no row is null, and each text has `shortest` bytes
    pub same_length: i32,
    pub unused: i32,
}

const _: () = assert!(size_of::<TextNumbering>() == 176 && align_of::<TextNumbering>() == 4);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "text_bits_kernel", unit: 0, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "text_numbers_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
];

/// Posts to the mailbox the totals of the texts of all valid rows. `rows` must be positive. The kernel first reads a
/// sample of `sample` rows that are spread over all rows. If the texts of the sample differ in more than `most_bits`
/// bits or are too long, the posted totals are those of the sample. The launch must be cooperative. The kernel uses
/// tickets 32 and 33, and zeroed\[0, 10).
#[derive(Clone, Copy, Debug)]
pub struct TextBits<'a> {
    pub input: TextColumn<'a>,
    pub rows: Rows,
    pub sample: i64,
    pub most_bits: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(TextBits { input, rows, sample, most_bits } scratch { mailbox });

impl OneKernel for TextBits<'static> {
    const ID: KernelId = KernelId::new(image::KEYS, 0);
}

/// Writes the numbers of the texts of `rows` rows. Each number has `of.bytes_each` bytes. If a text has no number, all
/// bits are set.
#[derive(Clone, Copy, Debug)]
pub struct TextNumbers<'a> {
    pub input: TextColumn<'a>,
    pub of: TextNumbering,
    pub rows: Rows,
    pub out: Out<'a, u8>,
}

arguments!(TextNumbers { input, of, rows, out });

impl OneKernel for TextNumbers<'static> {
    const ID: KernelId = KernelId::new(image::KEYS, 1);
}
