//! Parquet's hybrid encoding of small integers, which combines run-length encoding and bit packing.

/// An iterator over the runs of values that have `width` bits.
pub(super) struct Runs<'a> {
    bytes: &'a [u8],
    width: usize,
}

#[derive(Debug, PartialEq)]
pub(super) enum Run<'a> {
    Repeated {
        value: u32,
        count: usize,
    },
    /// Bit-packed groups of 8 values.
    Packed {
        bytes: &'a [u8],
    },
}

impl Run<'_> {
    /// Returns the number of values.
    pub(super) fn len(&self, width: usize) -> usize {
        match self {
            Run::Repeated { count, .. } => *count,
            Run::Packed { bytes } => bytes.len() / width * 8,
        }
    }
}

impl<'a> Runs<'a> {
    /// Makes an iterator over runs of values that have `width` bits.
    pub(super) fn new(bytes: &'a [u8], width: usize) -> Option<Runs<'a>> {
        (width <= 32).then_some(Runs { bytes, width })
    }

    /// Returns the next run.
    pub(super) fn next_run(&mut self) -> Option<Run<'a>> {
        let header = self.header()?;
        let count = (header >> 1) as usize;
        if header & 1 == 1 && self.width > 0 {
            return Some(Run::Packed { bytes: self.take(count.checked_mul(self.width)?)? });
        }
        let count = if header & 1 == 1 { count * 8 } else { count };
        let mut value = [0; 4];
        let stored = self.take(self.width.div_ceil(8))?;
        value[..stored.len()].copy_from_slice(stored);
        Some(Run::Repeated { value: u32::from_le_bytes(value), count })
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn header(&mut self) -> Option<u32> {
        let mut header = 0;
        for shift in (0..32).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            header |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(header);
            }
        }
        None
    }
}

/// Unpacks groups of 8 values of `width` bits.
pub(super) fn unpack(bytes: &[u8], width: usize, out: &mut [u32]) {
    /// Instantiates the function for each width. In each instance, shifts and positions are constants.
    macro_rules! of_width {
        ($($width:literal)*) => {
            match width {
                $($width => unpack_groups::<$width>(bytes, out),)*
                _ => {}
            }
        };
    }
    of_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
}

fn unpack_groups<const WIDTH: usize>(bytes: &[u8], out: &mut [u32]) {
    /// The number of bytes that are read for a group of 8 values, of any width.
    const READ: usize = 32 + 8;
    let mask = u64::MAX >> (64 - WIDTH);
    let mut padded = [0; READ];
    for (group, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let Some(rest) = bytes.get(group * WIDTH..).filter(|rest| rest.len() >= WIDTH) else { return };
        let source = rest.first_chunk::<READ>().unwrap_or_else(|| {
            padded[..WIDTH].copy_from_slice(&rest[..WIDTH]);
            &padded
        });
        for (index, value) in out.iter_mut().enumerate() {
            let (byte, bit) = (index * WIDTH / 8, index * WIDTH % 8);
            let word = source[byte..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            *value = (word >> bit & mask) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_widths_unpack() {
        for width in 1..=32 {
            let values: Vec<u32> = (0..48_u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> (32 - width)).collect();
            let mut bytes = vec![0; values.len() * width / 8];
            for (index, value) in values.iter().enumerate() {
                for bit in (0..width).filter(|bit| value >> bit & 1 == 1) {
                    bytes[(index * width + bit) / 8] |= 1 << ((index * width + bit) % 8);
                }
            }
            let mut unpacked = vec![0; values.len()];
            unpack(&bytes, width, &mut unpacked);
            assert_eq!(unpacked, values, "{width}");
        }
    }

    #[test]
    fn runs_that_are_not_whole_are_none() {
        let runs =
            |bytes, width| Runs::new(bytes, width).and_then(|mut runs| runs.next_run().map(|run| format!("{run:?}")));
        assert_eq!(runs(&[6, 5], 3).unwrap(), "Repeated { value: 5, count: 3 }");
        assert_eq!(runs(&[3, 1, 2, 3], 3).unwrap(), "Packed { bytes: [1, 2, 3] }");
        assert_eq!(runs(&[5], 0).unwrap(), "Repeated { value: 0, count: 16 }");
        assert_eq!(runs(&[0x80, 1, 7], 8).unwrap(), "Repeated { value: 7, count: 64 }");
        assert_eq!(runs(&[3, 1, 2], 3), None);
        assert_eq!(runs(&[6], 3), None);
        assert_eq!(runs(&[0xff; 8], 3), None);
        assert_eq!(runs(&[], 3), None);
        assert_eq!(runs(&[6, 5], 33), None);
    }
}
