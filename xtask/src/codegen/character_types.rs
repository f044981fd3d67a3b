//! Writes the table of character types from the data of Unicode. The CPU and CUDA use the same table.
//!
//! The characters are divided into blocks of 64 characters.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Lowercase, NumericType, Uppercase, WhiteSpace};
use icu_properties::{CodePointMapData, CodePointSetData};

use super::lines;

/// The base-2 logarithm of the number of characters in a block.
const BLOCK_BITS: u32 = 6;

/// The table of character types.
pub(super) struct CharacterTypes {
    leads: Vec<u16>,
    blocks: Vec<Vec<u8>>,
}

/// Returns the flags of a character.
fn flags(code: u32) -> u8 {
    let number = CodePointMapData::<NumericType>::new().get32(code);
    let category = CodePointMapData::<GeneralCategory>::new().get32(code);
    let is_digit = number == NumericType::Decimal || number == NumericType::Digit;
    let is_space = CodePointSetData::new::<WhiteSpace>().contains32(code) || (0x1c..=0x1f).contains(&code);
    let types = [
        number == NumericType::Decimal,
        number != NumericType::None,
        is_digit,
        GeneralCategoryGroup::Letter.contains(category),
        is_space,
        CodePointSetData::new::<Uppercase>().contains32(code),
        CodePointSetData::new::<Lowercase>().contains32(code),
    ];
    types.iter().enumerate().fold(0, |flags, (bit, is)| flags | u8::from(*is) << bit)
}

impl CharacterTypes {
    pub(super) fn new() -> Self {
        let mut table = Self { leads: Vec::new(), blocks: Vec::new() };
        for first in (0..=u32::from(char::MAX)).step_by(1 << BLOCK_BITS) {
            let block: Vec<u8> = (first..first + (1 << BLOCK_BITS)).map(flags).collect();
            let number = table.blocks.iter().position(|other| *other == block).unwrap_or(table.blocks.len());
            if number == table.blocks.len() {
                table.blocks.push(block);
            }
            table.leads.push(u16::try_from(number).expect("the number of a block fits in 16 bits"));
        }
        // The table ends after the last character with a type.
        let none = table.blocks.iter().position(|block| block.iter().all(|flags| *flags == 0));
        let used = table.leads.iter().rposition(|lead| Some(usize::from(*lead)) != none).map_or(0, |last| last + 1);
        table.leads.truncate(used);
        table
    }

    pub(super) fn cuda(&self) -> String {
        assert_eq!(self.leads[..2], [0, 1], "`flags_of_ascii` reads the first blocks as they are");
        format!(
            "// Types of characters, see xtask/src/codegen/character_types.rs. Written by `cargo xtask codegen`.\n#pragma once\n\n\
             #include \"types.cuh\"\n\nnamespace gdf::character_types {{\n\n/// The binary logarithm of the number of characters of a block.\n\
             constexpr int block_bits = {BLOCK_BITS};\n\n/// The number of elements of `lead`. Characters of later blocks have no types.\nconstexpr int leads = {};\n\n\
             /// The number of the block for each run of 64 characters.\n__device__ const uint16_t lead[] = {{\n{}}};\n\n\
             /// The blocks. A block has the flags of each of its characters.\n__device__ const uint8_t block[] = {{\n{}}};\n\n\
             /// [thread] Returns the flags of a character.\nGDF_DEVICE uint32_t flags_of(uint32_t code) {{\n  \
             uint32_t const at = code >> block_bits;\n  if (at >= static_cast<uint32_t>(leads)) {{ return 0; }}\n  \
             uint32_t const within = code & ((1u << block_bits) - 1);\n  \
             return __ldg(block + (static_cast<uint32_t>(__ldg(lead + at)) << block_bits | within));\n}}\n\n\
             /// [thread] Returns the flags of a character below 128. The first two blocks have these characters.\n\
             GDF_DEVICE uint32_t flags_of_ascii(uint32_t code) {{ return __ldg(block + code); }}\n\n\
             }} // namespace gdf::character_types\n",
            self.leads.len(),
            lines(self.leads.iter()),
            lines(self.blocks.iter().flatten()),
        )
    }

    /// Returns the table as bytes: the number of leads in 32 bits, each lead in 16 bits, and the blocks.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes =
            u32::try_from(self.leads.len()).expect("the number of leads fits in 32 bits").to_le_bytes().to_vec();
        bytes.extend(self.leads.iter().flat_map(|lead| lead.to_le_bytes()));
        bytes.extend(self.blocks.iter().flatten());
        bytes
    }
}
