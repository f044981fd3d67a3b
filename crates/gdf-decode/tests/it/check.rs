//! Runs the decoder on the test device, and compares what it returns.

use gdf_core::{Column, DataType, bitmask, width};
use gdf_decode::{ColumnPages, DecodedColumn, Encoding, PAGE_ALIGNMENT, Page, Refused, decode, memory};
use gdf_driver::{Device, Stream};
use gdf_engine::Ctx;
use gdf_engine::test_device::{on_host, setup};
use gdf_memory::{BUFFER_PADDING, Buffer, CudaResource, Resource, Resources, StatisticsResource};

use crate::encoder::Encoded;
use crate::naive::{self, is_text};

/// The stream and the memory of the test device. If the environment variable `GDF_TEST_RESOURCE` is `plain`, each block
/// is one allocation of the driver, so that sanitizers detect every access outside of a block.
pub(crate) fn device() -> (Stream, Resource) {
    let (stream, resource) = setup();
    let is_plain = std::env::var("GDF_TEST_RESOURCE").is_ok_and(|of| of == "plain");
    match stream.device() {
        device @ Device::Cuda(_) if is_plain => (stream, Resource::new(CudaResource::new(device).unwrap())),
        Device::Cpu | Device::Cuda(_) => (stream, resource),
    }
}

/// Decodes a batch, and checks that no more memory was taken than was stated.
pub(crate) fn decoded(encoded: &Encoded) -> Vec<Result<DecodedColumn, Refused>> {
    let (stream, resource) = device();
    let bytes = Buffer::from_host(&encoded.bytes, &stream, &resource).unwrap();
    let [results, scratch] = [(); 2].map(|()| StatisticsResource::new(resource.clone()));
    let counted = [&results, &scratch].map(|resource| Resource::new(resource.clone()));
    let [output, temporary] = &counted;
    let found = decode(&encoded.batch, &bytes, Ctx::new(&stream, Resources::new(output, temporary))).unwrap();
    let stated = memory(&encoded.batch, encoded.bytes.len());
    // The bytes of texts are not stated.
    let texts = found.iter().flatten().filter_map(|column| column.values.buffers().get(1));
    let texts: usize = texts.map(|bytes| bytes.len().next_multiple_of(BUFFER_PADDING)).sum();
    let peak = results.statistics().bytes.peak as usize;
    let has_refused_texts = encoded.batch.columns.iter().zip(&found).any(|(of, found)| is_text(of) && found.is_err());
    assert!(peak <= stated.results + texts || has_refused_texts, "{peak} {texts} {stated:?}");
    // Nor are those of texts that share bytes with the text before, which are rewritten.
    let is_prefixed = |page: &Page| page.header.encoding == Encoding::DeltaByteArray;
    let of_prefixes = |column: &ColumnPages| {
        let pages = column.chunks.iter().flat_map(|chunk| &chunk.pages).filter(|page| is_prefixed(page)).count();
        if is_text(column) { pages } else { 0 }
    };
    let prefixed = encoded.batch.columns.iter().map(of_prefixes);
    let unknown = prefixed.clone().zip(&found).any(|(pages, found)| pages > 0 && found.is_err());
    let rewritten = match prefixed.sum::<usize>() {
        0 => 0,
        pages => texts + pages * PAGE_ALIGNMENT + BUFFER_PADDING,
    };
    let peak = scratch.statistics().bytes.peak as usize;
    assert!(peak <= stated.scratch + rewritten || unknown, "{:?} {rewritten} {stated:?}", scratch.statistics());
    found
}

/// Decodes a batch, and compares each column with the naive decoder. A refused column must have the same bad page.
pub(crate) fn check(encoded: &Encoded, what: &dyn std::fmt::Display) -> Vec<Result<Column, Refused>> {
    compare_all(encoded, decoded(encoded), what)
}

/// Compares each column of a decoded batch with the naive decoder, as [`check`] does.
pub(crate) fn compare_all(
    encoded: &Encoded,
    found: Vec<Result<DecodedColumn, Refused>>,
    what: &dyn std::fmt::Display,
) -> Vec<Result<Column, Refused>> {
    let found = found.into_iter().map(|found| found.map(|found| found.values));
    let found: Vec<Result<Column, Refused>> = found.collect();
    assert_eq!(found.len(), encoded.batch.columns.len());
    for (index, (found, column)) in found.iter().zip(&encoded.batch.columns).enumerate() {
        let name = || format!("{what}: column {index}, {:?} as {}", column.stored, column.data_type);
        match (found, naive::decode(column, &encoded.bytes)) {
            (Ok(found), Ok(rows)) => {
                assert_eq!(found.data_type(), &column.data_type, "{}", name());
                compare(found, &rows, &name);
            }
            (Err(refused), Err(page)) => {
                assert_eq!((refused.column, refused.page), (index, page), "{}: {}", name(), refused.flaw);
            }
            (Ok(_), Err(page)) => panic!("{}: page {page} is bad, and was decoded", name()),
            (Err(refused), Ok(_)) => panic!("{}: {refused} was refused, and is not bad", name()),
        }
    }
    found
}

fn compare(found: &Column, rows: &naive::Rows, name: &dyn Fn() -> String) {
    let (found, stream) = (on_host(found), Stream::cpu());
    assert_eq!(found.len(), rows.len(), "{}", name());
    let nulls = rows.iter().filter(|row| row.is_none()).count();
    assert_eq!(found.known_null_count(), Some(nulls), "{}", name());
    let mask = found.validity().map(|mask| mask.read_on(&stream).unwrap());
    assert_eq!(mask.is_some(), nulls > 0, "{}: without nulls, there is no mask", name());
    let is_valid = |row: usize| mask.as_ref().is_none_or(|mask| bitmask::get_bit(mask.as_slice().unwrap(), row));
    let values = found.buffers()[0].read_on(&stream).unwrap();
    let values = values.as_slice::<u8>().unwrap();
    if *found.data_type() == DataType::Boolean {
        assert!(values.len() >= rows.len().div_ceil(8), "{}", name());
        for (row, expected) in rows.iter().enumerate() {
            assert_eq!(is_valid(row), expected.is_some(), "{}: row {row}", name());
            let expected = expected.as_ref().is_some_and(|bit| bit[0] == 1);
            assert_eq!(bitmask::get_bit(values, row), expected, "{}: row {row}", name());
        }
        return;
    }
    let Some(width) = width(found.data_type()) else {
        let wide = matches!(found.data_type(), DataType::LargeUtf8 | DataType::LargeBinary);
        let offsets: Vec<i64> = match wide {
            true => values.as_chunks().0.iter().map(|offset| i64::from_le_bytes(*offset)).collect(),
            false => values.as_chunks().0.iter().map(|offset| i32::from_le_bytes(*offset).into()).collect(),
        };
        let bytes = found.buffers()[1].read_on(&stream).unwrap();
        let bytes = bytes.as_slice::<u8>().unwrap();
        assert_eq!((offsets.len(), offsets[0]), (rows.len() + 1, 0), "{}", name());
        assert_eq!(offsets[rows.len()] as usize, bytes.len(), "{}", name());
        for (row, expected) in rows.iter().enumerate() {
            assert_eq!(is_valid(row), expected.is_some(), "{}: row {row}", name());
            let text = &bytes[offsets[row] as usize..offsets[row + 1] as usize];
            // Null rows have no bytes.
            assert_eq!(text, expected.as_deref().unwrap_or_default(), "{}: row {row}", name());
        }
        return;
    };
    assert_eq!(values.len(), rows.len() * width, "{}", name());
    for (row, expected) in rows.iter().enumerate() {
        assert_eq!(is_valid(row), expected.is_some(), "{}: row {row}", name());
        let value = &values[row * width..(row + 1) * width];
        // Null rows are zero.
        assert!(
            expected.as_deref().map_or_else(|| value.iter().all(|byte| *byte == 0), |expected| value == expected),
            "{}: row {row}: {value:?}, not {expected:?}",
            name()
        );
    }
}
