//! Text and binary values.

use gdf_core::bitmask;

use super::values::Values;
use crate::batch::Flaw;

/// If a text has at most this number of bytes and there is room, a block of this fixed size is copied.
const SHORT: usize = 16;

/// Text, with offsets of `W` bytes.
pub(super) struct Text<'a, const W: usize> {
    /// For each row, the offset of its end.
    ends: &'a mut [[u8; W]],
    bytes: &'a mut [u8],
    /// The number of bytes of text in all units before this unit.
    first: usize,
    used: usize,
    /// For each dictionary entry, its start and size in `dictionary_text`.
    dictionary: Vec<(u32, u32)>,
    dictionary_text: Vec<u8>,
}

impl<'a, const W: usize> Text<'a, W> {
    pub(super) fn new(ends: &'a mut [u8], bytes: &'a mut [u8], first: usize) -> Self {
        let ends = ends.as_chunks_mut().0;
        Text { ends, bytes, first, used: 0, dictionary: Vec::new(), dictionary_text: Vec::new() }
    }

    fn end(first: usize, used: usize) -> Option<[u8; W]> {
        ((first + used) as u64).to_le_bytes().first_chunk().copied()
    }

    /// Copies the first `size` bytes.
    #[inline(always)]
    fn copy(target: &mut [u8], source: &[u8], size: usize) -> Option<()> {
        match (source.first_chunk::<SHORT>(), target.first_chunk_mut::<SHORT>()) {
            (Some(source), Some(target)) if size <= SHORT => *target = *source,
            _ => target.get_mut(..size)?.copy_from_slice(source.get(..size)?),
        }
        Some(())
    }
}

/// Splits off the size field at the start of `page`.
fn split_size(page: &[u8]) -> Option<(usize, &[u8])> {
    let (size, rest) = page.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*size) as usize, rest))
}

impl<const W: usize> Values for Text<'_, W> {
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Result<(), Flaw> {
        let mut rest = page;
        for _ in 0..count {
            let (size, text) = split_size(rest).ok_or(Flaw::Dictionary)?;
            let start = page.len() - text.len();
            rest = text.get(size..).ok_or(Flaw::Dictionary)?;
            let part = u32::try_from(start).ok().zip(u32::try_from(size).ok());
            self.dictionary.push(part.ok_or(Flaw::Dictionary)?);
        }
        self.dictionary_text = [page, &[0; SHORT]].concat();
        Ok(())
    }

    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Result<(), Flaw> {
        let mut rest = page;
        let (first, mut used) = (self.first, self.used);
        for end in self.ends.get_mut(row..row + count).ok_or(Flaw::Rows)? {
            let (size, text) = split_size(rest).ok_or(Flaw::Values)?;
            Self::copy(self.bytes.get_mut(used..).ok_or(Flaw::Values)?, text, size).ok_or(Flaw::Values)?;
            rest = text.get(size..).ok_or(Flaw::Values)?;
            used += size;
            *end = Self::end(first, used).ok_or(Flaw::Values)?;
        }
        self.used = used;
        Ok(())
    }

    fn by_keys(&mut self, row: usize, keys: &[u32]) -> Result<(), Flaw> {
        let (first, mut used) = (self.first, self.used);
        let ends = self.ends.get_mut(row..row + keys.len()).ok_or(Flaw::Rows)?;
        for (end, key) in ends.iter_mut().zip(keys) {
            let (start, size) = *self.dictionary.get(*key as usize).ok_or(Flaw::Key)?;
            let text = self.dictionary_text.get(start as usize..).ok_or(Flaw::Key)?;
            Self::copy(self.bytes.get_mut(used..).ok_or(Flaw::Values)?, text, size as usize).ok_or(Flaw::Values)?;
            used += size as usize;
            *end = Self::end(first, used).ok_or(Flaw::Values)?;
        }
        self.used = used;
        Ok(())
    }

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Result<(), Flaw> {
        let keys = [key; 64];
        for start in (0..count).step_by(keys.len()) {
            self.by_keys(row + start, &keys[..keys.len().min(count - start)])?;
        }
        Ok(())
    }

    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Result<(), Flaw> {
        let before = match row.checked_sub(1) {
            Some(before) => *self.ends.get(before).ok_or(Flaw::Rows)?,
            None => Self::end(self.first, 0).ok_or(Flaw::Values)?,
        };
        let ends = self.ends.get_mut(row..row + rows).ok_or(Flaw::Rows)?;
        let mut left = count;
        for at in (0..rows).rev() {
            ends[at] = left.checked_sub(1).map_or(before, |last| ends[last]);
            left -= usize::from(bitmask::get_bit(valid, row + at));
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.used == self.bytes.len()
    }
}

/// Counts the bytes of texts, and checks the texts.
pub(super) struct TextSizes {
    is_utf8: bool,
    bytes: usize,
    /// The size of each dictionary entry.
    dictionary: Vec<u32>,
}

impl TextSizes {
    pub(super) fn new(is_utf8: bool) -> Self {
        TextSizes { is_utf8, bytes: 0, dictionary: Vec::new() }
    }

    /// Passes the size of each of `count` texts of a page to `each`. If the page has fewer texts, the flaw is `cut`.
    fn read(&self, page: &[u8], count: usize, cut: Flaw, mut each: impl FnMut(usize)) -> Result<(), Flaw> {
        let mut rest = page;
        for _ in 0..count {
            let (size, text) = split_size(rest).ok_or(cut)?;
            let (text, after) = text.split_at_checked(size).ok_or(cut)?;
            if self.is_utf8 && std::str::from_utf8(text).is_err() {
                return Err(Flaw::Utf8);
            }
            each(size);
            rest = after;
        }
        Ok(())
    }

    fn size_of(&self, key: u32) -> Result<usize, Flaw> {
        Ok(*self.dictionary.get(key as usize).ok_or(Flaw::Key)? as usize)
    }
}

impl Values for TextSizes {
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Result<(), Flaw> {
        let mut sizes = Vec::with_capacity(count);
        // The sizes are less than those of pages, which have less than 2³¹ bytes.
        self.read(page, count, Flaw::Dictionary, |size| sizes.push(size as u32))?;
        self.dictionary = sizes;
        Ok(())
    }

    fn plain(&mut self, _row: usize, count: usize, page: &[u8]) -> Result<(), Flaw> {
        let mut bytes = 0_usize;
        self.read(page, count, Flaw::Values, |size| bytes += size)?;
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }

    fn by_keys(&mut self, _row: usize, keys: &[u32]) -> Result<(), Flaw> {
        for key in keys {
            self.bytes = self.bytes.saturating_add(self.size_of(*key)?);
        }
        Ok(())
    }

    fn repeat(&mut self, _row: usize, count: usize, key: u32) -> Result<(), Flaw> {
        let bytes = self.size_of(key)?.saturating_mul(count);
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }

    fn spread(&mut self, _row: usize, _rows: usize, _count: usize, _valid: &[u8]) -> Result<(), Flaw> {
        Ok(())
    }

    fn is_full(&self) -> bool {
        true
    }

    fn text_bytes(&self) -> usize {
        self.bytes
    }
}
