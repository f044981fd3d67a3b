//! Texts of dictionary pages. The keys of a column of text become its rows on the GPU.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, LargeBinaryArray, LargeStringArray, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

/// The texts of dictionary pages, one after the other.
#[derive(Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// For each text, the position of its end.
    ends: Vec<usize>,
}

impl Texts {
    /// Returns the texts of a dictionary page, or `None` if the page has not as many.
    pub(super) fn of_page(page: &[u8], count: usize) -> Option<Texts> {
        // Each text begins with its size.
        let most = (count <= page.len() / 4).then(|| page.len() - 4 * count)?;
        let (mut texts, mut rest) = (Texts { bytes: Vec::with_capacity(most), ends: Vec::with_capacity(count) }, page);
        for _ in 0..count {
            let (size, text) = rest.split_first_chunk::<4>()?;
            let (text, after) = text.split_at_checked(u32::from_le_bytes(*size) as usize)?;
            texts.bytes.extend_from_slice(text);
            texts.ends.push(texts.bytes.len());
            rest = after;
        }
        Some(texts)
    }

    /// Returns all texts as an array. Returns `None` if they do not fit the type, or are not its text.
    pub(super) fn together(all: &[Texts], data_type: &DataType) -> Option<ArrayRef> {
        let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
        for texts in all {
            offsets.extend(texts.ends.iter().map(|end| bytes.len() + end));
            bytes.extend_from_slice(&texts.bytes);
        }
        let bytes = Buffer::from_vec(bytes);
        let short = || offsets.iter().map(|end| i32::try_from(*end).ok()).collect::<Option<Vec<i32>>>();
        let long = || offsets.iter().map(|end| i64::try_from(*end).ok()).collect::<Option<Vec<i64>>>();
        Some(match data_type {
            DataType::Utf8 => Arc::new(StringArray::try_new(offsets_of(short()?), bytes, None).ok()?),
            DataType::LargeUtf8 => Arc::new(LargeStringArray::try_new(offsets_of(long()?), bytes, None).ok()?),
            DataType::Binary => Arc::new(BinaryArray::try_new(offsets_of(short()?), bytes, None).ok()?),
            DataType::LargeBinary => Arc::new(LargeBinaryArray::try_new(offsets_of(long()?), bytes, None).ok()?),
            _ => return None,
        })
    }
}

fn offsets_of<O: arrow_array::OffsetSizeTrait>(offsets: Vec<O>) -> OffsetBuffer<O> {
    OffsetBuffer::new(ScalarBuffer::from(offsets))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(texts: &[&[u8]]) -> Vec<u8> {
        texts.iter().flat_map(|text| [&(text.len() as u32).to_le_bytes(), *text].concat()).collect()
    }

    #[test]
    fn pages_are_read_text_by_text() {
        let (first, second) = (page(&[b"ab", b"", "ü".as_bytes()]), page(&[b"c"]));
        let texts = [Texts::of_page(&first, 3).unwrap(), Texts::of_page(&second, 1).unwrap()];
        let expected: ArrayRef = Arc::new(StringArray::from(vec!["ab", "", "ü", "c"]));
        assert_eq!(&Texts::together(&texts, &DataType::Utf8).unwrap(), &expected);
        let expected: ArrayRef = Arc::new(LargeBinaryArray::from(vec![&b"ab"[..], b"", "ü".as_bytes(), b"c"]));
        assert_eq!(&Texts::together(&texts, &DataType::LargeBinary).unwrap(), &expected);
        assert_eq!(Texts::together(&[], &DataType::Utf8).unwrap().len(), 0);
        assert!(Texts::together(&texts, &DataType::Int32).is_none());
    }

    #[test]
    fn bad_pages_are_refused() {
        let bytes = page(&[b"ab", b"c"]);
        assert!(Texts::of_page(&bytes, 3).is_none());
        assert!(Texts::of_page(&bytes[..bytes.len() - 1], 2).is_none());
        assert!(Texts::of_page(&bytes, usize::MAX).is_none());
        // The text is cut within a character.
        let cut = Texts::of_page(&page(&[&"ü".as_bytes()[..1]]), 1).unwrap();
        assert!(Texts::together(std::slice::from_ref(&cut), &DataType::Utf8).is_none());
        assert!(Texts::together(&[cut], &DataType::Binary).is_some());
        // Both halves of a character are texts of their own.
        let halves = Texts::of_page(&page(&[&"ü".as_bytes()[..1], &"ü".as_bytes()[1..]]), 2).unwrap();
        assert!(Texts::together(&[halves], &DataType::Utf8).is_none());
    }
}
