//! Decodes pages of flat columns directly into the final memory of their values. The module supports numbers and text,
//! with plain encoding or dictionary encoding.

use arrow_schema::DataType;
use gdf_core::bitmask;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader};

use super::decimals::{Decimals, Stored};
use super::failure::contained;
use super::file::ParquetFile;
use super::numbers::{Numbers, Values};
use super::plan::Unit;
use super::runs::{Run, Runs, unpack};
use super::slot::{Nulls, Slot};

/// The number of dictionary keys that are unpacked at a time.
const KEYS: usize = 1024;
/// If a text has at most this number of bytes and there is room, a block of this fixed size is copied.
const SHORT: usize = 16;

pub(super) fn suits(file: &ParquetFile, unit: &Unit, leaves: &[usize], data_type: &DataType) -> bool {
    matches!((leaves, &unit.selection), ([leaf], None) if is_stored_as(file, unit, *leaf, data_type))
}

/// Decodes the rows of a unit for which [`suits`] has returned true.
pub(super) fn decode_pages(
    file: &ParquetFile,
    unit: &Unit,
    leaves: &[usize],
    data_type: &DataType,
    slot: &mut Slot<'_>,
) -> Option<Nulls> {
    let [leaf] = leaves else { return None };
    if let (Slot::Values(place), Some((width, precision, _))) = (&mut *slot, gdf_core::decimal_parts(data_type)) {
        let stored = Stored::of(&file.metadata.parquet_schema().column(*leaf))?;
        let largest = 10_i128.checked_pow(precision.into())? - 1;
        return match width {
            4 => decode(file, unit, *leaf, Decimals::<4>::new(place, stored, largest)),
            8 => decode(file, unit, *leaf, Decimals::<8>::new(place, stored, largest)),
            16 => decode(file, unit, *leaf, Decimals::<16>::new(place, stored, largest)),
            _ => None,
        };
    }
    match slot {
        Slot::Values(place) if place.len() == unit.rows * 4 => decode(file, unit, *leaf, Numbers::<4>::new(place)),
        Slot::Values(place) => decode(file, unit, *leaf, Numbers::<8>::new(place)),
        Slot::Text { ends, bytes, first } if ends.len() == unit.rows * 4 => {
            decode(file, unit, *leaf, Text::<4>::new(ends, bytes, *first))
        }
        Slot::Text { ends, bytes, first } => decode(file, unit, *leaf, Text::<8>::new(ends, bytes, *first)),
    }
}

/// Returns whether a column is flat, has only supported encodings, and stores its values in the layout of `data_type`.
fn is_stored_as(file: &ParquetFile, unit: &Unit, leaf: usize, data_type: &DataType) -> bool {
    use DataType::{Binary, LargeBinary, LargeUtf8, Timestamp, Utf8};

    let column = file.metadata.parquet_schema().column(leaf);
    let chunk = file.metadata.metadata().row_group(unit.group).column(leaf);
    let is_flat = column.max_rep_level() == 0 && column.max_def_level() <= 1 && column.path().parts().len() == 1;
    let mut encodings = chunk.encodings();
    if !is_flat || cfg!(target_endian = "big") || !encodings.all(|of| of == Encoding::RLE || is_plain_or_keys(of)) {
        return false;
    }
    if let Some((width, _, scale)) = gdf_core::decimal_parts(data_type) {
        let stored = file.stored_type(leaf).and_then(|stored| gdf_core::decimal_parts(&stored));
        return matches!(width, 4 | 8 | 16)
            && Stored::of(&column).is_some()
            && stored.is_some_and(|(_, _, stored)| stored == scale);
    }
    let width = match column.physical_type() {
        Type::INT32 | Type::FLOAT => Some(4),
        Type::INT64 | Type::DOUBLE => Some(8),
        Type::BYTE_ARRAY => None,
        _ => return false,
    };
    let is_same = |stored: &DataType| match (stored, data_type) {
        (Timestamp(stored, _), Timestamp(unit, _)) => stored == unit,
        (Utf8, LargeUtf8) | (Binary, LargeBinary) => true,
        (stored, data_type) => stored == data_type,
    };
    gdf_core::width(data_type) == width && file.stored_type(leaf).is_some_and(|stored| is_same(&stored))
}

fn is_plain_or_keys(encoding: Encoding) -> bool {
    encoding == Encoding::PLAIN || is_keys(encoding)
}

fn is_keys(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY)
}

fn decode(file: &ParquetFile, unit: &Unit, leaf: usize, mut values: impl Values) -> Option<Nulls> {
    let has_levels = file.metadata.parquet_schema().column(leaf).max_def_level() > 0;
    let mut pages = contained(|| file.pages(unit.group, leaf)).ok()?;
    let (mut row, mut nulls, mut has_dictionary) = (0, Nulls::default(), false);
    while let Some(page) = contained(|| pages.get_next_page()).ok()? {
        if let Page::DictionaryPage { buf, num_values, encoding, .. } = &page {
            if has_dictionary || !is_plain_or_keys(*encoding) {
                return None;
            }
            values.set_dictionary(buf, *num_values as usize)?;
            has_dictionary = true;
            continue;
        }
        let rows = page.num_values() as usize;
        if rows > unit.rows - row {
            return None;
        }
        let (levels, body, claimed) = parts(&page, has_levels)?;
        let missing = if has_levels { nulls.push_levels(row, rows, levels)? } else { 0 };
        if claimed.is_some_and(|claimed| claimed != missing) {
            return None;
        }
        let count = rows - missing;
        match page.encoding() {
            _ if count == 0 => {}
            Encoding::PLAIN => values.plain(row, count, body)?,
            encoding if is_keys(encoding) && has_dictionary => decode_keys(&mut values, row, count, body)?,
            _ => return None,
        }
        if missing > 0 {
            values.spread(row, rows, count, nulls.bits())?;
        }
        row += rows;
    }
    nulls.finish(row);
    (row == unit.rows && values.is_full()).then_some(nulls)
}

/// Returns three parts of a data page: its definition levels, its values, and the null count in its header. Version 1
/// of the header has no null count.
fn parts(page: &Page, has_levels: bool) -> Option<(&[u8], &[u8], Option<usize>)> {
    match page {
        Page::DataPage { buf, def_level_encoding, .. } if has_levels => {
            let (size, rest) = buf.split_first_chunk::<4>()?;
            let (levels, body) = rest.split_at_checked(u32::from_le_bytes(*size) as usize)?;
            (*def_level_encoding == Encoding::RLE).then_some((levels, body, None))
        }
        Page::DataPage { buf, .. } => Some((&[], buf, None)),
        Page::DataPageV2 { buf, num_nulls, def_levels_byte_len, rep_levels_byte_len: 0, .. } => {
            let (levels, body) = buf.split_at_checked(*def_levels_byte_len as usize)?;
            Some((levels, body, Some(*num_nulls as usize)))
        }
        _ => None,
    }
}

fn decode_keys(values: &mut impl Values, row: usize, count: usize, page: &[u8]) -> Option<()> {
    let (&width, keys) = page.split_first()?;
    let mut unpacked = [0; KEYS];
    let (mut row, end) = (row, row + count);
    let mut runs = Runs::new(keys, usize::from(width))?;
    while row < end {
        match runs.next_run()? {
            Run::Repeated { value, count } => {
                let count = count.min(end - row);
                values.repeat(row, count, value)?;
                row += count;
            }
            Run::Packed { bytes } => {
                for chunk in bytes.chunks(KEYS / 8 * usize::from(width)) {
                    let count = (chunk.len() / usize::from(width) * 8).min(end - row);
                    if count == 0 {
                        break;
                    }
                    unpack(chunk, usize::from(width), &mut unpacked);
                    values.by_keys(row, &unpacked[..count])?;
                    row += count;
                }
            }
        }
    }
    Some(())
}

struct Text<'a, const W: usize> {
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
    fn new(ends: &'a mut [u8], bytes: &'a mut [u8], first: usize) -> Self {
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
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Option<()> {
        let mut rest = page;
        for _ in 0..count {
            let (size, text) = split_size(rest)?;
            let start = u32::try_from(page.len() - text.len()).ok()?;
            rest = text.get(size..)?;
            self.dictionary.push((start, u32::try_from(size).ok()?));
        }
        self.dictionary_text = [page, &[0; SHORT]].concat();
        Some(())
    }

    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Option<()> {
        let mut rest = page;
        let (first, mut used) = (self.first, self.used);
        for end in self.ends.get_mut(row..row + count)? {
            let (size, text) = split_size(rest)?;
            Self::copy(self.bytes.get_mut(used..)?, text, size)?;
            rest = text.get(size..)?;
            used += size;
            *end = Self::end(first, used)?;
        }
        self.used = used;
        Some(())
    }

    fn by_keys(&mut self, row: usize, keys: &[u32]) -> Option<()> {
        let (first, mut used) = (self.first, self.used);
        for (end, key) in self.ends.get_mut(row..row + keys.len())?.iter_mut().zip(keys) {
            let (start, size) = *self.dictionary.get(*key as usize)?;
            Self::copy(self.bytes.get_mut(used..)?, self.dictionary_text.get(start as usize..)?, size as usize)?;
            used += size as usize;
            *end = Self::end(first, used)?;
        }
        self.used = used;
        Some(())
    }

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Option<()> {
        let keys = [key; 64];
        for start in (0..count).step_by(keys.len()) {
            self.by_keys(row + start, &keys[..keys.len().min(count - start)])?;
        }
        Some(())
    }

    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Option<()> {
        let before = match row.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => Self::end(self.first, 0)?,
        };
        let ends = self.ends.get_mut(row..row + rows)?;
        let mut left = count;
        for at in (0..rows).rev() {
            ends[at] = left.checked_sub(1).map_or(before, |last| ends[last]);
            left -= usize::from(bitmask::get_bit(valid, row + at));
        }
        Some(())
    }

    fn is_full(&self) -> bool {
        self.used == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::{
        Array, ArrayRef, BinaryArray, Date32Array, Decimal128Array, Float64Array, Int64Array, LargeStringArray,
        RecordBatch, StringArray, TimestampMicrosecondArray, UInt32Array, make_array,
    };
    use arrow_buffer::{Buffer, MutableBuffer};
    use arrow_data::ArrayData;
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::{WriterProperties, WriterVersion};

    use super::*;
    use crate::parquet::Source;
    use crate::parquet::place::{offset_width, unit_bytes};

    const ROWS: usize = 1000;

    /// Returns columns in which each value occurs several times.
    fn columns(is_valid: &dyn Fn(usize) -> bool) -> Vec<ArrayRef> {
        let rows = || (0..ROWS).map(|row| is_valid(row).then_some(row * row % 97));
        let decimal = |precision| -> ArrayRef {
            let numbers = rows().map(|value| value.map(|value| value as i128 - 40)).collect::<Decimal128Array>();
            Arc::new(numbers.with_precision_and_scale(precision, 2).unwrap())
        };
        let text = || rows().map(|value| value.map(|value| "tüb".repeat(value % 9) + &value.to_string()));
        vec![
            Arc::new(rows().map(|value| value.map(|value| value as i64 - 40)).collect::<Int64Array>()),
            Arc::new(rows().map(|value| value.map(|value| value as u32)).collect::<UInt32Array>()),
            Arc::new(rows().map(|value| value.map(|value| value as i32)).collect::<Date32Array>()),
            Arc::new(rows().map(|value| value.map(|value| value as f64 / 3.0)).collect::<Float64Array>()),
            Arc::new(
                rows()
                    .map(|value| value.map(|value| value as i64))
                    .collect::<TimestampMicrosecondArray>()
                    .with_timezone("Europe/Berlin"),
            ),
            decimal(5),
            decimal(12),
            decimal(30),
            Arc::new(text().collect::<StringArray>()),
            Arc::new(text().collect::<LargeStringArray>()),
            Arc::new(text().map(|text| text.map(String::into_bytes)).collect::<BinaryArray>()),
        ]
    }

    /// Decodes the rows of a unit to an array.
    fn decode_array(file: &ParquetFile, unit: &Unit, leaves: &[usize], data_type: &DataType) -> Option<ArrayRef> {
        if !suits(file, unit, leaves, data_type) {
            return None;
        }
        let zeroed = |bytes: usize| MutableBuffer::from_len_zeroed(bytes);
        let [values, text] = unit_bytes(file, unit, leaves, data_type)?;
        let (nulls, buffers) = match offset_width(data_type) {
            None => {
                let mut values = zeroed(values);
                (decode_pages(file, unit, leaves, data_type, &mut Slot::Values(&mut values))?, vec![values.into()])
            }
            Some(width) => {
                let (mut offsets, mut bytes) = (zeroed(values.checked_add(width)?), zeroed(text));
                let mut slot = Slot::Text { ends: &mut offsets[width..], bytes: &mut bytes, first: 0 };
                (decode_pages(file, unit, leaves, data_type, &mut slot)?, vec![offsets.into(), bytes.into()])
            }
        };
        let validity = nulls.bits_if_any().map(Buffer::from_slice_ref);
        let data = ArrayData::builder(data_type.clone()).len(unit.rows).buffers(buffers).null_bit_buffer(validity);
        Some(make_array(data.build().ok()?))
    }

    #[test]
    fn pages_have_what_was_written() {
        let patterns: [&dyn Fn(usize) -> bool; 5] =
            [&|_| true, &|row| row != 500, &|row| row % 10 != 3, &|row| row % 301 > 150, &|_| false];
        let of_file = |version, dictionary: Option<usize>, page: usize, is_valid: &dyn Fn(usize) -> bool| {
            let columns = columns(is_valid);
            let batch = columns.iter().enumerate().map(|(index, array)| (format!("{index}"), array.clone()));
            let batch = RecordBatch::try_from_iter_with_nullable(batch.map(|(name, array)| (name, array, page != 77)));
            let Ok(batch) = batch else { return };
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_encoding(Encoding::PLAIN)
                .set_dictionary_enabled(dictionary.is_some())
                .set_dictionary_page_size_limit(dictionary.unwrap_or(1))
                .set_write_batch_size(page)
                .set_data_page_row_count_limit(page)
                .build();
            let mut bytes = Vec::new();
            let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            let file = ParquetFile::of_source(Path::new("test"), Source::of_bytes(bytes.into())).unwrap();
            let unit = Unit { file: 0, group: 0, selection: None, rows: ROWS };
            for (leaf, array) in columns.iter().enumerate() {
                let name = format!("{version:?} {dictionary:?} {page} {}", array.data_type());
                let found = decode_array(&file, &unit, &[leaf], array.data_type());
                if let DataType::Decimal128(precision @ ..=18, scale) = *array.data_type() {
                    let narrow = DataType::Decimal64(precision, scale);
                    let found = decode_array(&file, &unit, &[leaf], &narrow).map(|found| {
                        (found.data_type() == &narrow, arrow_cast::cast(&found, array.data_type()).unwrap())
                    });
                    assert!(found.is_none_or(|(is_narrow, found)| is_narrow && &found == array), "{name} as {narrow}");
                }
                if version == WriterVersion::PARQUET_2_0 && dictionary == Some(64) {
                    continue; // when the dictionary is full, this writer changes to delta encoding
                }
                assert_eq!(&found.unwrap_or_else(|| panic!("{name}")), array, "{name}");
            }
        };
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for dictionary in [None, Some(64), Some(1 << 20)] {
                for page in [1, 77, 100, ROWS] {
                    patterns.iter().for_each(|pattern| of_file(version, dictionary, page, pattern));
                }
            }
        }
    }
}
