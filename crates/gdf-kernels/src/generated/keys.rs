//! Kernels of kernels/keys.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const BLOCK_THREADS: usize = 256;

/// What selects no byte of a word, as \_\_byte\_perm does.
pub const NO_BYTES: u32 = 0x4444;

pub const PREFIX_BYTES: usize = 32;

pub const PREFIX_WORDS: usize = 8;

/// Words of the scratch memory that all blocks add to, and that are posted: of each word of texts the bits that are set in
/// some text, above them those that are not; the longest length; the complement of the shortest one.
pub const TOTAL_WORDS: usize = 10;

/// Texts, and the length of their buffer.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TextColumn<'a> {
    pub column: ColumnIn<'a>,
    pub bytes: Bytes,
}

plain!(TextColumn { column, bytes });

const _: () = assert!(size_of::<TextColumn>() == 56 && align_of::<TextColumn>() == 8);

/// Where the bits of texts lie in a number of 1, 2, 4, 8 or 16 bytes, and what other texts have to agree in to have one. Of
/// each word of a text, the bytes that differ between texts are moved to the lowest ones, then `width` bits of each of them
/// from bit `shift` on to the lowest bits, and these to bit `place` of the number.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TextNumbering {
    /// the bits that all texts have
    pub base: [u32; 8],
    /// those that numbers do not have
    pub fixed: [u32; 8],
    /// of the bytes, as \_\_byte\_perm does; no\_bytes: none
    pub selectors: [u32; 8],
    /// of the bytes, shifted
    pub kept: [u32; 8],
    pub shift: [u8; 8],
    pub width: [u8; 8],
    pub place: [u8; 8],
    pub shortest: i32,
    pub longest: i32,
    pub length_place: i32,
    /// of a number
    pub bytes_each: i32,
}

const _: () = assert!(size_of::<TextNumbering>() == 168 && align_of::<TextNumbering>() == 4);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "text_bits_kernel", unit: 0, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "text_numbers_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
];

/// What the texts of `rows` rows, above 0, that are not null have in common: the words of the totals go to the mailbox. They
/// are of some rows alone, `sample` of them spread over all among these, where these differ in more than `most_bits` bits. A
/// cooperative launch. Tickets 32, 33; zeroed\[0, 10).
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

/// The numbers of the texts of `rows` rows, `of.bytes_each` bytes each; all ones for texts that have none, and anything for
/// nulls.
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
