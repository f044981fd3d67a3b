//! Tests writes to the memory of a column.

use gdf::copying::{OutOfBoundsPolicy, copy_range_in_place, gather};
use gdf::core::{ColumnParts, NullCount};
use gdf::filling::fill_in_place;
use gdf::memory::{Buffer, current_resource};
use gdf::prelude::*;
use gdf::unary::cast;
use gdf::{Error, Result};
use gdf_test::device::test_device;

/// Returns a column of fixed-size binary and its bytes. The values lie `first` bytes after the begin of their memory.
fn at_address(first: usize, rows: usize, width: usize, salt: u8) -> Result<(Column, Vec<u8>)> {
    let (stream, mr) = (scope::current_stream(test_device())?, current_resource(test_device())?);
    let bytes: Vec<u8> = (0..rows * width).map(|at| (at * 7) as u8 ^ salt).collect();
    let padded = [vec![0; first], bytes.clone()].concat();
    let values = Buffer::from_host(&padded, &stream, mr.as_ref())?.slice(first, bytes.len())?;
    let parts = ColumnParts::new(DataType::FixedSizeBinary(width as i32), test_device(), rows).buffer(values);
    Ok((Column::try_from_parts(parts)?, bytes))
}

#[test]
fn bytes_are_written_at_any_address() {
    scope::with_device(test_device(), || -> Result<()> {
        let stream = scope::current_stream(test_device())?;
        for width in [2, 4, 8, 16, 32] {
            for (from, to) in [(0, 0), (0, 1), (1, 0), (3, 5)] {
                let (source, of_source) = at_address(from, 9, width, 0)?;
                let (mut target, mut expected) = at_address(to, 300, width, 0x55)?;
                copy_range_in_place(&source, 1..8, &mut target, 40)?;
                expected[40 * width..47 * width].copy_from_slice(&of_source[width..8 * width]);
                let value = Scalar::from_column(source.slice(2, 1)?)?;
                fill_in_place(&mut target, 100..290, &value)?;
                expected[100 * width..290 * width].copy_from_slice(&of_source[2 * width..3 * width].repeat(190));
                let found = target.buffers()[0].to_host(&stream)?;
                assert!(found == expected, "values of {width} bytes, from address {from} to address {to}");
            }
        }
        Ok(())
    })
    .unwrap();
}

/// On CUDA, the mask of a result shares its memory with the null count.
#[test]
fn masks_that_operations_have_made_are_written() {
    scope::with_device(test_device(), || -> Result<()> {
        let table = Table::try_new(vec![Column::from_slice(&[10_i64, 20, 30])?])?;
        let map = Column::from_options(&[Some(0), None, Some(2), Some(1)])?;
        let gathered = || Ok::<_, Error>(gather(&table, &map, OutOfBoundsPolicy::Nullify)?.into_columns().remove(0));

        let mut column = gathered()?;
        fill_in_place(&mut column, 1..2, 7_i64)?;
        assert_eq!((column.to_vec::<i64>()?, column.null_count()?), ([10, 7, 30, 20].map(Some).to_vec(), 0));

        let mut column = gathered()?;
        copy_range_in_place(&gathered()?, 1..3, &mut column, 2)?;
        let expected = vec![Some(10), None, None, Some(30)];
        assert_eq!((column.to_vec::<i64>()?, column.null_count()?), (expected.clone(), 2));

        // A column whose memory another column shares is not written.
        let clone = column.clone();
        assert!(matches!(fill_in_place(&mut column, 0..1, 7_i64), Err(Error::Memory(_))));
        assert_eq!((column.to_vec::<i64>()?, column.null_count()?), (expected, 2));
        drop(clone);
        fill_in_place(&mut column, 0..2, 7_i64)?;
        assert_eq!(column.to_vec::<i64>()?, [Some(7), Some(7), None, Some(30)]);
        Ok(())
    })
    .unwrap();
}

/// Returns the rows 10, null, 30, whose values and mask have one allocation.
fn in_one_allocation() -> Result<Column> {
    let (stream, mr) = (scope::current_stream(test_device())?, current_resource(test_device())?);
    let mut bytes: Vec<u8> = [10_i64, 20, 30].iter().flat_map(|value| value.to_ne_bytes()).collect();
    bytes.resize(64, 0);
    bytes.push(0b101);
    let all = Buffer::from_host(&bytes, &stream, mr.as_ref())?;
    let parts = ColumnParts::new(DataType::Int64, test_device(), 3).buffer(all.slice(0, 24)?);
    Column::try_from_parts(parts.validity(Some(all.slice(64, 1)?), NullCount::Unknown))
}

#[test]
fn values_and_mask_of_one_allocation_are_written() {
    scope::with_device(test_device(), || -> Result<()> {
        let mut column = in_one_allocation()?;
        fill_in_place(&mut column, 1..2, 7_i64)?;
        assert_eq!((column.to_vec::<i64>()?, column.null_count()?), ([10, 7, 30].map(Some).to_vec(), 0));
        let mut column = in_one_allocation()?;
        let clone = column.clone();
        assert!(matches!(fill_in_place(&mut column, 0..1, 7_i64), Err(Error::Memory(_))));
        assert_eq!(clone.to_vec::<i64>()?, [Some(10), None, Some(30)]);
        Ok(())
    })
    .unwrap();
}

/// On CUDA, the values of a result of a slice share their memory with the mask and the null count.
#[test]
fn values_that_lie_beside_their_mask_are_written() {
    scope::with_device(test_device(), || -> Result<()> {
        let stream = scope::current_stream(test_device())?;
        let slice = Column::from_options(&[Some(9_i32), Some(10), None, Some(30)])?.slice(1, 3)?;
        let made = || cast(&slice, &DataType::Int64);
        let expected = vec![Some(10_i64), None, Some(30)];

        let mut column = made()?;
        fill_in_place(&mut column, 1..2, 7_i64)?;
        assert_eq!((column.to_vec::<i64>()?, column.null_count()?), ([10, 7, 30].map(Some).to_vec(), 0));

        // A column whose memory another column shares is not written.
        let mut column = made()?;
        let mut clone = column.clone();
        assert!(matches!(fill_in_place(&mut column, 0..1, 7_i64), Err(Error::Memory(_))));
        assert!(matches!(clone.write_values_on(&stream).map(drop), Err(Error::Memory(_))));
        assert_eq!((column.to_vec::<i64>()?, column.null_count()?), (expected.clone(), 1));

        // Values that only one column holds are not copied.
        made()?.write_values_on(&stream)?;
        let mut column = made()?;
        let address = |column: &Column| -> Result<u64> { Ok(column.buffers()[0].read_on(&stream)?.address()) };
        let before = address(&column)?;
        column.make_mut()?;
        assert_eq!(address(&column)?, before);
        assert_eq!((column.to_vec::<i64>()?, column.null_count()?), (expected, 1));
        Ok(())
    })
    .unwrap();
}
