//! Upper case of characters, from the standard library: the table that the CPU and CUDA both look up, so that their answers
//! do not depend on which Unicode version the compiler of a user knows.
//!
//! Characters come in blocks of 64, equal blocks once. A byte for each character of a block numbers its mapping: a distance
//! within the plane, or up to three characters.

use std::fmt::Write;

/// Characters of a block, as a power of two.
const BLOCK_BITS: u32 = 6;

/// The table, in the two languages.
pub(super) struct UpperCase {
    leads: Vec<u8>,
    blocks: Vec<Vec<u8>>,
    mappings: Vec<[u16; 3]>,
    first_long: usize,
}

/// What becomes of a character.
fn mapping(code: u32) -> (bool, [u16; 3]) {
    let Some(character) = char::from_u32(code) else { return (false, [0; 3]) };
    let upper: Vec<u32> = character.to_uppercase().map(u32::from).collect();
    if let [one] = upper[..] {
        assert_eq!(one >> 16, code >> 16, "upper case of {code:#x} is in another plane");
        return (false, [one.wrapping_sub(code) as u16, 0, 0]);
    }
    let mut long = [0; 3];
    assert!(upper.len() <= long.len(), "upper case of {code:#x} is long");
    for (slot, code) in long.iter_mut().zip(upper) {
        *slot = u16::try_from(code).expect("long upper case is of the first plane");
    }
    (true, long)
}

impl UpperCase {
    pub(super) fn new() -> Self {
        let last = (0..=u32::from(char::MAX)).rev().find(|code| mapping(*code) != (false, [0; 3])).unwrap_or(0);
        let codes = 0..((last >> BLOCK_BITS) + 1) << BLOCK_BITS;
        let mut found: Vec<_> = codes.clone().map(mapping).collect();
        found.sort_unstable();
        found.dedup();
        let mut table = Self {
            leads: Vec::new(),
            blocks: Vec::new(),
            first_long: found.iter().filter(|(long, _)| !long).count(),
            mappings: found.iter().map(|(_, mapping)| *mapping).collect(),
        };
        let numbers: Vec<u8> =
            codes.map(|code| byte(found.binary_search(&mapping(code)).expect("found above"))).collect();
        for block in numbers.chunks(1 << BLOCK_BITS) {
            let number = table.blocks.iter().position(|other| other == block).unwrap_or(table.blocks.len());
            if number == table.blocks.len() {
                table.blocks.push(block.to_vec());
            }
            table.leads.push(byte(number));
        }
        table
    }

    pub(super) fn cuda(&self) -> String {
        format!(
            "// Upper case of characters, see xtask/src/codegen/upper_case.rs. Written by `cargo xtask codegen`.\n#pragma once\n\n\
             #include \"types.cuh\"\n\nnamespace gdf::upper_case {{\n\n/// Characters of a block, as a power of two.\n\
             constexpr int block_bits = {BLOCK_BITS};\n\n/// Number of blocks of characters.\nconstexpr int leads = {};\n\n\
             /// Mappings from here on are characters, those before distances.\nconstexpr int first_long = {};\n\n\
             /// The block of each 64 characters.\n__device__ const uint8_t lead[] = {{\n{}}};\n\n\
             /// The mapping of each character of a block.\n__device__ const uint8_t block[] = {{\n{}}};\n\n\
             /// Three words for each mapping.\n__device__ const uint16_t mapping[] = {{\n{}}};\n\n}} // namespace gdf::upper_case\n",
            self.leads.len(),
            self.first_long,
            lines(self.leads.iter()),
            lines(self.blocks.iter().flatten()),
            lines(self.mappings.iter().flatten()),
        )
    }

    pub(super) fn rust(&self) -> String {
        let (major, minor, update) = char::UNICODE_VERSION;
        format!(
            "//! Upper case of characters, see `xtask/src/codegen/upper_case.rs`.\n\n// Written by `cargo xtask codegen`.\n\n\
             /// The version of Unicode.\n#[cfg(test)]\npub(super) const UNICODE_VERSION: (u8, u8, u8) = ({major}, {minor}, {update});\n\n\
             /// Characters of a block, as a power of two.\npub(super) const BLOCK_BITS: u32 = {BLOCK_BITS};\n\n\
             /// Mappings from here on are characters, those before distances.\npub(super) const FIRST_LONG: usize = {};\n\n\
             /// The block of each 64 characters.\npub(super) static LEADS: [u8; {}] = [\n{}];\n\n\
             /// The mapping of each character of a block.\npub(super) static BLOCKS: [[u8; {}]; {}] = [\n{}];\n\n\
             /// Three words for each mapping.\npub(super) static MAPPINGS: [[u16; 3]; {}] = [\n{}];\n",
            self.first_long,
            self.leads.len(),
            lines(self.leads.iter()),
            1 << BLOCK_BITS,
            self.blocks.len(),
            nested(&self.blocks),
            self.mappings.len(),
            nested(&self.mappings),
        )
    }
}

fn byte(number: usize) -> u8 {
    u8::try_from(number).expect("a byte numbers blocks and mappings")
}

fn lines<'a, T: std::fmt::Display + 'a>(numbers: impl Iterator<Item = &'a T>) -> String {
    let words: Vec<String> = numbers.map(|number| format!("{number},")).collect();
    words.chunks(20).fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "  {}", line.join(" "));
        text
    })
}

fn nested<T: std::fmt::Debug>(rows: &[T]) -> String {
    rows.iter().fold(String::new(), |mut text, row| {
        let _ = writeln!(text, "{row:?},");
        text
    })
}
