//! Writes tables of the upper, lower and title case of characters. The data come from the standard library and ICU. The
//! CPU and CUDA use the same tables.

use icu_casemap::options::{LeadingAdjustment, TitlecaseOptions};
use icu_casemap::{CaseMapper, TitlecaseMapper};
use icu_locale_core::LanguageIdentifier;

use super::lines;

/// The base-2 logarithm of the number of characters in a block.
const BLOCK_BITS: u32 = 6;

/// A table of letter case.
pub(super) struct CaseTable {
    name: &'static str,
    leads: Vec<u8>,
    blocks: Vec<Vec<u8>>,
    mappings: Vec<[u16; 3]>,
    first_long: usize,
}

fn mapping(name: &str, code: u32) -> (bool, [u16; 3]) {
    let Some(character) = char::from_u32(code) else { return (false, [0; 3]) };
    let mapped: Vec<u32> = match name {
        "upper" => character.to_uppercase().map(u32::from).collect(),
        "lower" => character.to_lowercase().map(u32::from).collect(),
        _ => title(character).chars().map(u32::from).collect(),
    };
    if let [one] = mapped[..] {
        assert_eq!(one >> 16, code >> 16, "{name} case of {code:#x} is in another plane");
        return (false, [one.wrapping_sub(code) as u16, 0, 0]);
    }
    let mut long = [0; 3];
    assert!(mapped.len() <= long.len(), "{name} case of {code:#x} has more than 3 characters");
    for (slot, code) in long.iter_mut().zip(mapped) {
        *slot = u16::try_from(code).expect("mappings to several characters stay in the first plane");
    }
    (true, long)
}

/// Returns the title case of a character.
fn title(character: char) -> String {
    let one = character.to_string();
    let mapped = |mapped: std::borrow::Cow<'_, str>| mapped.into_owned();
    let root = &LanguageIdentifier::UNKNOWN;
    if mapped(CaseMapper::new().uppercase_to_string(&one, root)) != one.to_uppercase() {
        return one.to_uppercase();
    }
    let mut options = TitlecaseOptions::default();
    options.leading_adjustment = Some(LeadingAdjustment::None);
    mapped(TitlecaseMapper::new().titlecase_segment_to_string(&one, root, options))
}

/// Returns the role of a character next to a capital sigma: none, cased, or ignored.
fn context(code: u32) -> u32 {
    let ends = |before: &str| format!("{before}\u{3a3}").to_lowercase().ends_with('\u{3c2}');
    match char::from_u32(code) {
        Some(one) if ends(&one.to_string()) => 1,
        Some(one) if ends(&format!("a{one}")) => 2,
        _ => 0,
    }
}

/// Returns an element for each run of characters with equal contexts. An element is the first character of the run,
/// shifted left by two bits, plus the context.
fn contexts() -> Vec<u32> {
    let mut runs: Vec<u32> = Vec::new();
    for code in 0..=u32::from(char::MAX) {
        let context = context(code);
        if runs.last().is_none_or(|run| run & 3 != context) {
            runs.push(code << 2 | context);
        }
    }
    runs
}

impl CaseTable {
    pub(super) fn new(name: &'static str) -> Self {
        let mapping = |code| mapping(name, code);
        let last = (0..=u32::from(char::MAX)).rev().find(|code| mapping(*code) != (false, [0; 3])).unwrap_or(0);
        let codes = 0..((last >> BLOCK_BITS) + 1) << BLOCK_BITS;
        let mut found: Vec<_> = codes.clone().map(&mapping).collect();
        found.sort_unstable();
        found.dedup();
        let mut table = Self {
            name,
            leads: Vec::new(),
            blocks: Vec::new(),
            first_long: found.iter().filter(|(long, _)| !long).count(),
            mappings: found.iter().map(|(_, mapping)| *mapping).collect(),
        };
        let numbers: Vec<u8> = codes
            .map(|code| byte(found.binary_search(&mapping(code)).expect("`found` contains all mappings")))
            .collect();
        for block in numbers.chunks(1 << BLOCK_BITS) {
            let number = table.blocks.iter().position(|other| other == block).unwrap_or(table.blocks.len());
            if number == table.blocks.len() {
                table.blocks.push(block.to_vec());
            }
            table.leads.push(byte(number));
        }
        table
    }

    fn heading(&self) -> &'static str {
        match self.name {
            "upper" => "Upper",
            "lower" => "Lower",
            _ => "Title",
        }
    }

    /// Adds the contexts if this is the table of lower case.
    fn with_contexts(&self, text: impl Fn(&[u32]) -> String) -> String {
        if self.name == "lower" { text(&contexts()) } else { String::new() }
    }

    pub(super) fn cuda(&self) -> String {
        let (name, heading) = (self.name, self.heading());
        format!(
            "// {heading} case of characters, see xtask/src/codegen/letter_case.rs. Written by `cargo xtask codegen`.\n#pragma once\n\n\
             #include \"types.cuh\"\n\nnamespace gdf::{name}_case {{\n\n/// The binary logarithm of the number of characters of a block.\n\
             constexpr int block_bits = {BLOCK_BITS};\n\n/// The number of elements of `lead`. Characters of later blocks do not change.\nconstexpr int leads = {};\n\n\
             /// The number of the first mapping that consists of characters. Mappings with smaller numbers are distances.\nconstexpr int first_long = {};\n\n\
             /// The number of the block for each run of 64 characters.\n__device__ const uint8_t lead[] = {{\n{}}};\n\n\
             /// The blocks. A block has the number of the mapping of each of its characters.\n__device__ const uint8_t block[] = {{\n{}}};\n\n\
             /// The mappings. A mapping has three words: up to three characters, or a distance.\n__device__ const uint16_t mapping[] = {{\n{}}};\n{}\n}} \
             // namespace gdf::{name}_case\n",
            self.leads.len(),
            self.first_long,
            lines(self.leads.iter()),
            lines(self.blocks.iter().flatten()),
            lines(self.mappings.iter().flatten()),
            self.with_contexts(|runs| {
                format!(
                    "\n/// Runs of characters with the same context: the first character of the run, shifted left by two bits, plus the\n/// context.\n\
                     __device__ const uint32_t context[] = {{\n{}}};\n\nconstexpr int contexts = {};\n",
                    lines(runs.iter()),
                    runs.len(),
                )
            }),
        )
    }

    /// Returns the table in the format that `gdf_strings::case_table` reads:
    ///
    /// - the Unicode version in three bytes, and a zero byte
    /// - the numbers of leads, blocks, mappings, mappings that are distances, and contexts, in 32 bits each
    /// - the contexts, in 32 bits each
    /// - the mappings, in 16 bits each
    /// - the leads and the blocks
    pub(super) fn bytes(&self) -> Vec<u8> {
        let (major, minor, update) = char::UNICODE_VERSION;
        let contexts = if self.name == "lower" { contexts() } else { Vec::new() };
        let counts = [self.leads.len(), self.blocks.len(), self.mappings.len(), self.first_long, contexts.len()];
        let mut bytes = vec![major, minor, update, 0];
        bytes.extend(
            counts
                .iter()
                .flat_map(|count| u32::try_from(*count).expect("the counts of a table fit in 32 bits").to_le_bytes()),
        );
        bytes.extend(contexts.iter().flat_map(|context| context.to_le_bytes()));
        bytes.extend(self.mappings.iter().flatten().flat_map(|word| word.to_le_bytes()));
        bytes.extend(self.leads.iter().chain(self.blocks.iter().flatten()));
        bytes
    }
}

fn byte(number: usize) -> u8 {
    u8::try_from(number).expect("the numbers of blocks and mappings fit in a byte")
}
