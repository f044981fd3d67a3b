//! Upper, lower and title case of characters, as `xtask/src/codegen/letter_case.rs` has found them.
//!
//! Characters come in blocks of 64, equal blocks once. A byte for each character of a block numbers its mapping: a distance
//! within the plane, or up to three characters.

/// Characters of a block, as a power of two.
const BLOCK_BITS: u32 = 6;

/// A table of one case.
pub(super) struct CaseTable {
    /// The version of Unicode.
    #[cfg(test)]
    pub(super) version: (u8, u8, u8),
    /// Mappings from here on are characters, those before distances.
    first_long: usize,
    /// Runs of characters of one context, of lower case: the first of each, above the context in two bits.
    contexts: &'static [[u8; 4]],
    mappings: &'static [[u8; 6]],
    /// The block of each 64 characters.
    leads: &'static [u8],
    /// The mapping of each character of a block.
    blocks: &'static [[u8; 1 << BLOCK_BITS]],
}

/// The next number of a table.
const fn number(bytes: &[u8]) -> (usize, &[u8]) {
    let Some((number, rest)) = bytes.split_first_chunk() else { panic!("a table ends in its numbers") };
    (u32::from_le_bytes(*number) as usize, rest)
}

impl CaseTable {
    /// The table of bytes in the order of `CaseTable::bytes` of the code generator.
    pub(super) const fn read(bytes: &'static [u8]) -> CaseTable {
        let Some((&[_major, _minor, _update, _], rest)) = bytes.split_first_chunk() else {
            panic!("a table without a version")
        };
        let (leads, rest) = number(rest);
        let (blocks, rest) = number(rest);
        let (mappings, rest) = number(rest);
        let (first_long, rest) = number(rest);
        let (contexts, rest) = number(rest);
        let (contexts, rest) = rest.split_at(4 * contexts);
        let (mappings, rest) = rest.split_at(6 * mappings);
        let (leads, rest) = rest.split_at(leads);
        let table = CaseTable {
            #[cfg(test)]
            version: (_major, _minor, _update),
            first_long,
            contexts: contexts.as_chunks().0,
            mappings: mappings.as_chunks().0,
            leads,
            blocks: rest.as_chunks().0,
        };
        assert!(table.blocks.len() == blocks);
        table
    }

    /// The number of a character's mapping.
    pub(super) fn number(&self, code: u32) -> Option<usize> {
        let block = self.blocks.get(usize::from(*self.leads.get((code >> BLOCK_BITS) as usize)?))?;
        block.get(code as usize & ((1 << BLOCK_BITS) - 1)).map(|number| usize::from(*number))
    }

    /// The characters that a character becomes, 0 where there is no second or third.
    pub(super) fn of(&self, character: char) -> [u32; 3] {
        let code = u32::from(character);
        let mapping = self.number(code).and_then(|number| Some((number, self.mappings.get(number)?)));
        mapping.map_or([code, 0, 0], |(number, &[a, b, c, d, e, f])| {
            let [first, second, third] = [[a, b], [c, d], [e, f]].map(|word| u32::from(u16::from_le_bytes(word)));
            if number < self.first_long {
                [code & !0xffff | code.wrapping_add(first) & 0xffff, 0, 0]
            } else {
                [first, second, third]
            }
        })
    }

    /// The context of a character: 1 if it has a case, 2 if a sigma looks past it.
    pub(super) fn context(&self, code: u32) -> u32 {
        let run = |run: &[u8; 4]| u32::from_le_bytes(*run);
        let behind = self.contexts.partition_point(|of| run(of) >> 2 <= code);
        behind.checked_sub(1).and_then(|at| self.contexts.get(at)).map_or(0, |of| run(of) & 3)
    }

    /// The bytes of what every lookup reads.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        size_of_val(self.leads) + size_of_val(self.blocks) + size_of_val(self.mappings)
    }
}
