//! Checks pages of text whose lengths are delta-encoded. arrow-rs allocates memory for the number of lengths that a
//! page claims.

use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::errors::{ParquetError, Result};

use super::thrift::varint;

/// Returns an error if a page has more lengths than values.
///
/// # Errors
/// - The page has more lengths than values, or the lengths are truncated.
pub(super) fn check_deltas(page: &Page, levels: [i16; 2]) -> Result<()> {
    let sets = match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        // The first set contains the lengths of the prefixes that a text shares with the previous text.
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => return Ok(()),
    };
    let most = u64::from(page.num_values());
    let all_fit = || {
        let mut bytes = values(page, levels)?;
        for _ in 0..sets {
            bytes = lengths(bytes, most)?;
        }
        Some(())
    };
    all_fit().ok_or_else(|| {
        ParquetError::General(format!(
            "the text lengths of a page are truncated, or are more than the {most} values of the page"
        ))
    })
}

/// Returns the part of a page that follows after the levels.
fn values(page: &Page, levels: [i16; 2]) -> Option<&[u8]> {
    match page {
        Page::DataPage { buf, num_values, def_level_encoding, rep_level_encoding, .. } => {
            let mut bytes: &[u8] = buf;
            for (most, encoding) in levels.into_iter().zip([rep_level_encoding, def_level_encoding]) {
                if most == 0 {
                    continue;
                }
                let size = if *encoding == Encoding::RLE {
                    let (size, rest) = bytes.split_first_chunk()?;
                    bytes = rest;
                    u64::from(u32::from_le_bytes(*size))
                } else {
                    (u64::from(*num_values) * u64::from(most.ilog2() + 1)).div_ceil(8)
                };
                bytes = bytes.get(usize::try_from(size).ok()?..)?;
            }
            Some(bytes)
        }
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            buf.get((*rep_levels_byte_len as usize).checked_add(*def_levels_byte_len as usize)?..)
        }
        Page::DictionaryPage { .. } => None,
    }
}

/// Returns the bytes that follow after a set of at most `most` lengths.
fn lengths(bytes: &[u8], most: u64) -> Option<&[u8]> {
    let mut bytes = bytes;
    let [block, parts, count, _] = [(); 4].map(|()| varint(&mut bytes));
    let (block, parts, count) = (block.ok()?, parts.ok()?, count.ok()?);
    let of_part = block.checked_div(parts).filter(|of_part| *of_part > 0)?;
    if count > most {
        return None;
    }
    let mut left = count.saturating_sub(1);
    while left > 0 {
        varint(&mut bytes).ok()?;
        let (widths, mut rest) = bytes.split_at_checked(usize::try_from(parts).ok()?)?;
        for width in widths {
            if left == 0 {
                break;
            }
            let size = u64::from(*width).checked_mul(of_part)? / 8;
            // The last miniblock of a page may be truncated.
            rest = usize::try_from(size).ok().and_then(|size| rest.get(size..)).unwrap_or(&[]);
            left = left.saturating_sub(of_part);
        }
        bytes = rest;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_end_where_the_last_one_does() {
        // The set has blocks of 128 values, and each block has 4 miniblocks.
        let set = [0x80, 1, 4, 3, 10, 0, 2, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0];
        let bytes = [&set[..], b"text"].concat();
        assert_eq!(lengths(&bytes, 3), Some(&b"text"[..]));
        assert_eq!(lengths(&bytes, 2), None);
        assert_eq!(lengths(&[0x80, 1, 4, 1, 10, 9], 1), Some(&[9][..]));
        assert_eq!(lengths(&[0x80, 1, 4, 0, 0, 9], 0), Some(&[9][..]));
        for end in 0..10 {
            assert_eq!(lengths(&bytes[..end], 3), None, "{end}");
        }
        // The sets claim 2⁶³ lengths, blocks without values, and blocks without miniblocks.
        let many = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(lengths(&[&[0x80, 1, 4], &many[..], &[0]].concat(), u64::from(u32::MAX)), None);
        assert_eq!(lengths(&[0, 4, 3, 0, 0, 0, 0, 0, 0], 3), None);
        assert_eq!(lengths(&[0x80, 1, 0, 3, 0, 0], 3), None);
    }
}
