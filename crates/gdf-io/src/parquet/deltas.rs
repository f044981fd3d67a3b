//! Checks pages of text whose lengths are delta-encoded. arrow-rs allocates memory for the number of lengths that a
//! page claims.

use gdf_decode::skip_deltas;
use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::errors::{ParquetError, Result};

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
    let most = page.num_values() as usize;
    let all_fit = || {
        let mut bytes = values(page, levels)?;
        for _ in 0..sets {
            bytes = skip_deltas(bytes, most)?;
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
