//! Exchanges batches with another major version of arrow-rs, and data frames with polars. The exchange uses Arrow's C
//! interface and copies no data.

use std::error::Error;
use std::sync::Arc;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use gdf_core::{Column, DataType, Device, Stream, Table};
use gdf_interop::{
    ArrowArray, ArrowArrayStream, ArrowSchema, InteropError, from_arrow_host, from_foreign_stream, to_arrow_stream,
};
use polars::prelude::{CompatLevel, DataFrame, NamedFrom, Series};
use polars_arrow::array::{Array as PolarsArray, StructArray};
use polars_arrow::datatypes::{ArrowDataType, Field};

type Outcome = Result<(), Box<dyn Error>>;

/// Returns the address of the first row of a column on the CPU.
fn address<T>(column: &Column) -> usize {
    let access = column.buffers()[0].read_on(&Stream::cpu()).expect("the CPU can read the buffer");
    let bytes = access.as_slice::<u8>().expect("a buffer consists of bytes");
    bytes[column.offset() * size_of::<T>()..].as_ptr() as usize
}

fn batch(ids: Vec<i64>, prices: Vec<Option<f64>>, names: Vec<Option<&str>>) -> Result<RecordBatch, Box<dyn Error>> {
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from(ids))),
        ("price", Arc::new(Float64Array::from(prices))),
        ("name", Arc::new(StringArray::from(names))),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

#[test]
fn batches_of_another_arrow_come_in_without_a_copy() -> Outcome {
    let first = batch(vec![1, 2, 3], vec![Some(0.5), None, Some(2.5)], vec![Some("tea"), None, Some("rice")])?;
    let second =
        batch(vec![4, 5, 6], vec![None, Some(5.5), Some(6.5)], vec![Some("a"), Some("b"), Some("c")])?.slice(1, 2);
    let batches = RecordBatchIterator::new(vec![Ok(first.clone()), Ok(second.clone())], first.schema());
    // SAFETY: arrow-rs declares the struct with the layout of Arrow's specification, and exports valid data.
    let tables = unsafe { from_foreign_stream(FFI_ArrowArrayStream::new(Box::new(batches)))? };
    let names: Vec<String> = tables.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["id", "price", "name"]);
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    assert_eq!(tables.len(), 2);
    for (table, batch) in tables.iter().zip([&first, &second]) {
        let values = batch.column(0).as_any().downcast_ref::<Int64Array>().expect("column 0 has integers").values();
        assert_eq!(address::<i64>(table.column(0)?), values.as_ptr() as usize);
        let values = batch.column(1).as_any().downcast_ref::<Float64Array>().expect("column 1 has floats").values();
        assert_eq!(address::<f64>(table.column(1)?), values.as_ptr() as usize);
    }
    assert_eq!(tables[0].column(1)?.to_vec::<f64>()?, [Some(0.5), None, Some(2.5)]);
    assert_eq!(tables[0].column(2)?.to_vec::<String>()?, [Some("tea".into()), None, Some("rice".into())]);
    assert_eq!(tables[1].column(2)?.to_vec::<String>()?, [Some("b".into()), Some("c".into())]);
    // The table keeps the borrowed memory alive, so the batches can be dropped.
    drop((first, second));
    assert_eq!(tables[1].column(0)?.to_vec::<i64>()?, [Some(5), Some(6)]);
    Ok(())
}

#[test]
fn tables_leave_for_another_arrow_without_a_copy() -> Outcome {
    let table = Table::try_new(vec![Column::from_slice(&[7_i64, 8])?, Column::from_strs(["x", "yz"])?])?;
    let schema = table.schema(&["n", "text"]);
    let exported = to_arrow_stream(&schema, vec![Ok::<_, InteropError>(table.clone())].into_iter(), &Stream::cpu());
    // SAFETY: arrow-rs declares the struct with the layout of Arrow's specification, and releases the data of the
    // struct.
    let foreign: FFI_ArrowArrayStream = unsafe { exported.into_foreign() };
    let batches = RecordBatchStreamReader::try_new(foreign)?.collect::<Result<Vec<RecordBatch>, _>>()?;
    assert_eq!(batches.len(), 1);
    assert_eq!(batches[0].schema().field(1).name(), "text");
    let values =
        batches[0].column(0).as_any().downcast_ref::<Int64Array>().expect("column 0 has integers").values().clone();
    assert_eq!(values.as_ptr() as usize, address::<i64>(table.column(0)?));
    drop(table);
    assert_eq!(&values[..], [7, 8]);
    let text = batches[0].column(1).as_any().downcast_ref::<StringArray>().expect("column 1 has text");
    assert_eq!(text.iter().collect::<Vec<_>>(), [Some("x"), Some("yz")]);
    Ok(())
}

#[test]
fn what_another_arrow_refuses_is_an_error() -> Outcome {
    let good = batch(vec![1], vec![None], vec![None])?;
    let failing = vec![Ok(good.clone()), Err(arrow_schema::ArrowError::ComputeError("no more".into()))];
    let batches = RecordBatchIterator::new(failing, good.schema());
    // SAFETY: arrow-rs declares the struct with the layout of Arrow's specification, and exports valid data.
    let mut tables = unsafe { from_foreign_stream(FFI_ArrowArrayStream::new(Box::new(batches)))? };
    assert_eq!(tables.next().expect("the stream has a first table")?.num_rows(), 1);
    let error =
        tables.next().expect("the stream does not end before the error").expect_err("the second batch is an error");
    assert!(matches!(&error, InteropError::Producer { message, .. } if message.contains("no more")), "{error}");
    assert!(tables.next().is_none());
    Ok(())
}

fn chunks(frame: &DataFrame, level: CompatLevel) -> Vec<StructArray> {
    frame
        .iter_chunks(level, false)
        .map(|batch| {
            let fields: Vec<Field> = batch.schema().iter_values().cloned().collect();
            StructArray::new(ArrowDataType::Struct(fields), batch.len(), batch.into_arrays(), None)
        })
        .collect()
}

/// Exports the data frame as the stream struct that polars declares for the C interface.
fn exported(frame: &DataFrame, level: CompatLevel) -> polars_arrow::ffi::ArrowArrayStream {
    let chunks = chunks(frame, level);
    let field = Field::new("".into(), chunks[0].dtype().clone(), false);
    let chunks = chunks.into_iter().map(|chunk| Ok(Box::new(chunk) as Box<dyn PolarsArray>));
    polars_arrow::ffi::export_iterator(Box::new(chunks), field)
}

fn frame() -> Result<DataFrame, Box<dyn Error>> {
    let ids = Series::new("id".into(), [1_i64, 2, 3]);
    let prices = Series::new("price".into(), [Some(0.5), None, Some(2.5)]);
    let names = Series::new("name".into(), [Some("tea"), None, Some("a name of more than twelve bytes")]);
    let mut frame = DataFrame::new(3, vec![ids.into(), prices.into(), names.into()])?;
    frame.vstack_mut(&frame.slice(1, 2))?;
    Ok(frame)
}

#[test]
fn frames_of_polars_come_in_without_a_copy() -> Outcome {
    let frame = frame()?;
    // SAFETY: polars declares the struct with the layout of Arrow's specification, and exports valid data. The
    // iterator may be sent to any thread.
    let tables = unsafe { from_foreign_stream(exported(&frame, CompatLevel::oldest()))? };
    let names: Vec<String> = tables.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["id", "price", "name"]);
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    let ids = frame.column("id")?.i64()?;
    assert_eq!(tables.len(), 2);
    for (table, chunk) in tables.iter().zip(ids.downcast_iter()) {
        assert_eq!(address::<i64>(table.column(0)?), chunk.values().as_slice().as_ptr() as usize);
    }
    drop(frame);
    assert_eq!(tables[1].column(0)?.to_vec::<i64>()?, [Some(2), Some(3)]);
    assert_eq!(tables[0].column(1)?.to_vec::<f64>()?, [Some(0.5), None, Some(2.5)]);
    let text = [Some("tea".to_owned()), None, Some("a name of more than twelve bytes".to_owned())];
    assert_eq!(tables[0].column(2)?.data_type(), &DataType::LargeUtf8);
    assert_eq!(tables[0].column(2)?.to_vec::<String>()?, text);
    Ok(())
}

#[test]
fn views_of_polars_stay_views() -> Outcome {
    let frame = frame()?;
    // SAFETY: polars declares the struct with the layout of Arrow's specification, and exports valid data. The
    // iterator may be sent to any thread.
    let mut tables = unsafe { from_foreign_stream(exported(&frame, CompatLevel::newest()))? };
    let table = tables.next().expect("the stream has a table")?;
    assert_eq!(table.column(2)?.data_type(), &DataType::Utf8View);
    let text = [Some("tea".to_owned()), None, Some("a name of more than twelve bytes".to_owned())];
    assert_eq!(table.column(2)?.to_vec::<String>()?, text);
    Ok(())
}

#[test]
fn a_series_of_polars_is_a_column() -> Outcome {
    let series = Series::new("n".into(), [Some(4_i32), None, Some(6)]);
    let field = series.field().to_arrow(CompatLevel::oldest());
    let array = series.to_arrow(0, CompatLevel::oldest());
    let values =
        series.i32()?.downcast_iter().next().expect("the series has a chunk").values().as_slice().as_ptr() as usize;
    // SAFETY: polars declares the struct with the layout of Arrow's specification.
    let schema = unsafe { ArrowSchema::from_foreign(polars_arrow::ffi::export_field_to_c(&field)) };
    // SAFETY: polars declares the struct with the layout of Arrow's specification.
    let array = unsafe { ArrowArray::from_foreign(polars_arrow::ffi::export_array_to_c(array)) };
    let (stream, resource) = (Stream::cpu(), gdf_core::memory::current_resource(Device::Cpu)?);
    // SAFETY: polars exported the array and the schema of the same series, so both are valid and match.
    let column = unsafe { from_arrow_host(array, &schema, &stream, &resource)? };
    assert_eq!(address::<i32>(&column), values);
    assert_eq!(column.to_vec::<i32>()?, [Some(4), None, Some(6)]);
    Ok(())
}

#[test]
fn tables_leave_for_polars() -> Outcome {
    let table = Table::try_new(vec![Column::from_options(&[Some(7_i64), None])?])?;
    let schema = table.schema(&["n"]);
    let stream = to_arrow_stream(&schema, vec![Ok::<_, InteropError>(table.clone())].into_iter(), &Stream::cpu());
    // SAFETY: polars declares the struct with the layout of Arrow's specification, and releases the data of the
    // struct.
    let foreign: polars_arrow::ffi::ArrowArrayStream = unsafe { ArrowArrayStream::into_foreign(stream) };
    // SAFETY: gdf exported the stream, so the stream is valid.
    let mut chunks = unsafe { polars_arrow::ffi::ArrowArrayStreamReader::try_new(Box::new(foreign))? };
    // SAFETY: gdf exported the stream, so the stream is valid.
    let chunk = unsafe { chunks.next() }.expect("the stream has a chunk")?;
    let rows = chunk.as_any().downcast_ref::<StructArray>().expect("the chunk is a struct");
    let series = Series::from_arrow("n".into(), rows.values()[0].clone())?;
    assert_eq!(series.i64()?.iter().collect::<Vec<_>>(), [Some(7), None]);
    let values =
        series.i64()?.downcast_iter().next().expect("the series has a chunk").values().as_slice().as_ptr() as usize;
    assert_eq!(values, address::<i64>(table.column(0)?));
    Ok(())
}
