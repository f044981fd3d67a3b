//! Decodes pages of flat columns directly into the final memory of their values. The module supports what gdf-decode does:
//! numbers, times and text in most encodings.

use arrow_schema::DataType;
use gdf_decode::{PageDecoder, PageHeader, RowValidity};
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};

use super::failure::contained;
use super::file::ParquetFile;
use super::header::{LevelsOf, encoding_of};
use super::leaf::{LeafForm, has_known_encodings, stored};
use super::plan::Unit;
use super::slot::Slot;

/// Returns whether a column is flat, has only supported encodings in a row group, and stores its values in the layout of
/// `data_type`.
pub(super) fn suits(file: &ParquetFile, unit: &Unit, leaves: &[usize], data_type: &DataType) -> bool {
    let ([leaf], None) = (leaves, &unit.selection) else { return false };
    has_known_encodings(file.metadata.metadata().row_group(unit.group).column(*leaf))
        && LeafForm::of_column(file, leaves, data_type)
            .is_some_and(|leaves| leaves.iter().all(|(_, form)| form.nodes.is_empty()))
}

/// Decodes the rows of a unit for which [`suits`] has returned true.
pub(super) fn decode_pages(
    file: &ParquetFile,
    unit: &Unit,
    leaves: &[usize],
    data_type: &DataType,
    slot: &mut Slot<'_>,
) -> Option<RowValidity> {
    let [leaf] = leaves else { return None };
    let column = file.metadata.parquet_schema().column(*leaf);
    let slot = match slot {
        Slot::Values(place) => gdf_decode::Slot::Values(place),
        Slot::Text { ends, bytes, first } => gdf_decode::Slot::Text { ends, bytes, first: *first },
    };
    let is_optional = column.max_def_level() > 0;
    let mut decoder = PageDecoder::new(stored(&column)?, data_type, is_optional, unit.rows, slot)?;
    let mut pages = contained(|| file.pages(unit.group, *leaf)).ok()?;
    while let Some(page) = contained(|| pages.get_next_page()).ok()? {
        if let Page::DictionaryPage { buf, num_values, encoding, .. } = &page {
            encoding_of(*encoding)?;
            decoder.set_dictionary(buf, *num_values as usize).ok()?;
            continue;
        }
        decoder.decode(page.buffer(), &header_of(&page, LevelsOf::Flat { is_optional })?).ok()?;
    }
    decoder.finish().ok()
}

/// Returns what the decoder must know about a data page. Version 1 of the header has no null count.
pub(super) fn header_of(page: &Page, of_column: LevelsOf) -> Option<PageHeader> {
    let (levels, nulls) = match page {
        Page::DataPage { def_level_encoding, rep_level_encoding, .. } => {
            let are_rle = [*rep_level_encoding, *def_level_encoding].map(|encoding| encoding == Encoding::RLE);
            (of_column.of_version_1(are_rle)?, None)
        }
        Page::DataPageV2 { num_nulls, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let sizes = [*rep_levels_byte_len, *def_levels_byte_len].map(|size| size as usize);
            let is_flat = matches!(of_column, LevelsOf::Flat { .. });
            (of_column.of_version_2(sizes)?, is_flat.then_some(*num_nulls as usize))
        }
        Page::DictionaryPage { .. } => return None,
    };
    Some(PageHeader { rows: page.num_values() as usize, encoding: encoding_of(page.encoding())?, levels, nulls })
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
    use gdf_core::bitmask;
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
        let mut bits = vec![0; bitmask::used_bytes(unit.rows)];
        nulls.write(&mut bits, 0);
        let validity = (nulls.null_count() > 0).then(|| Buffer::from_vec(bits));
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
