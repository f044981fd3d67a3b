//! Bit sequences that are read in 64-bit words from any bit offset.

/// `len` bits of a byte slice, from bit `offset` on, with the least significant bit first.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    bytes: &'a [u8],
    offset: usize,
    len: usize,
}

impl<'a> Bits<'a> {
    /// Makes a sequence of bits. Bits beyond the end of `bytes` are read as zero.
    pub fn new(bytes: &'a [u8], offset: usize, len: usize) -> Self {
        Self { bytes, offset, len }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn get(&self, index: usize) -> bool {
        let bit = self.offset + index;
        self.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    /// Returns bits `64 * index ..` as a word. Bits after the last bit of the sequence are zero.
    pub fn word(&self, index: usize) -> u64 {
        let start = index * 64;
        let rows = self.len.saturating_sub(start).min(64);
        if rows == 0 {
            return 0;
        }
        let bit = self.offset + start;
        let (byte, shift) = (bit / 8, bit % 8);
        let low = self.load(byte) >> shift;
        let high =
            if shift == 0 { 0 } else { u64::from(self.bytes.get(byte + 8).copied().unwrap_or(0)) << (64 - shift) };
        (low | high) & (u64::MAX >> (64 - rows))
    }

    fn load(&self, byte: usize) -> u64 {
        match self.bytes.get(byte..byte + 8) {
            Some(whole) => u64::from_le_bytes(whole.try_into().unwrap_or_default()),
            None => {
                let mut word = [0; 8];
                let tail = self.bytes.get(byte..).unwrap_or_default();
                word[..tail.len()].copy_from_slice(tail);
                u64::from_le_bytes(word)
            }
        }
    }

    pub fn words(&self) -> usize {
        self.len.div_ceil(64)
    }

    pub fn slice(&self, start: usize, len: usize) -> Self {
        Self { bytes: self.bytes, offset: self.offset + start, len }
    }

    pub fn any(&self) -> bool {
        (0..self.words()).any(|word| self.word(word) != 0)
    }

    pub fn count_ones(&self) -> usize {
        (0..self.words()).map(|word| self.word(word).count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn words_agree_with_single_bits() {
        let bytes: Vec<u8> = (0..40_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for offset in 0..70 {
            for len in [0, 1, 7, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200] {
                let bits = Bits::new(&bytes, offset, len);
                for word in 0..bits.words() + 1 {
                    let expected = (0..64)
                        .filter(|bit| word * 64 + bit < len && bits.get(word * 64 + bit))
                        .fold(0_u64, |all, bit| all | 1 << bit);
                    assert_eq!(bits.word(word), expected, "offset {offset} len {len} word {word}");
                }
                assert_eq!(bits.any(), bits.count_ones() > 0);
                assert_eq!(bits.count_ones(), (0..len).filter(|&bit| bits.get(bit)).count());
            }
        }
    }
}
