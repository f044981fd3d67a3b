//! Upper, lower and title case of characters. `xtask/src/codegen/letter_case.rs` generates the tables.

/// The binary logarithm of the number of characters of a block.
const BLOCK_BITS: u32 = 6;

pub(super) struct CaseTable {
    #[cfg(test)]
    pub(super) version: (u8, u8, u8),
    /// The number of the first mapping that consists of characters. Earlier mappings are differences between the codes
    /// of characters.
    first_long: usize,
    /// Runs of consecutive characters with the same context.
    contexts: &'static [[u8; 4]],
    mappings: &'static [[u8; 6]],
    /// The number of the block for each run of 64 consecutive characters.
    leads: &'static [u8],
    /// The blocks.
    blocks: &'static [[u8; 1 << BLOCK_BITS]],
}

const fn number(bytes: &[u8]) -> (usize, &[u8]) {
    let Some((number, rest)) = bytes.split_first_chunk() else { panic!("the table ends before its last number") };
    (u32::from_le_bytes(*number) as usize, rest)
}

impl CaseTable {
    /// Reads a table from bytes in the order of `CaseTable::bytes` of the code generator.
    pub(super) const fn read(bytes: &'static [u8]) -> CaseTable {
        let Some((&[_major, _minor, _update, _], rest)) = bytes.split_first_chunk() else {
            panic!("the table has no version")
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

    pub(super) fn number(&self, code: u32) -> Option<usize> {
        let block = self.blocks.get(usize::from(*self.leads.get((code >> BLOCK_BITS) as usize)?))?;
        block.get(code as usize & ((1 << BLOCK_BITS) - 1)).map(|number| usize::from(*number))
    }

    /// Returns the one to three characters to which a character is mapped.
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

    /// Returns the context of a character for Unicode's condition `Final_Sigma`: 1 if the character is cased, 2 if the
    /// character is case-ignorable, otherwise 0.
    pub(super) fn context(&self, code: u32) -> u32 {
        let run = |run: &[u8; 4]| u32::from_le_bytes(*run);
        let behind = self.contexts.partition_point(|of| run(of) >> 2 <= code);
        behind.checked_sub(1).and_then(|at| self.contexts.get(at)).map_or(0, |of| run(of) & 3)
    }

    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        size_of_val(self.leads) + size_of_val(self.blocks) + size_of_val(self.mappings)
    }
}
