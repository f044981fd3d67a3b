//! Measures the cost of exchanging data: the time per column for exporting and importing 1,000 columns, and the rate of
//! copies between CPU and GPU.
//!
//!     cargo run --release -p gdf-interop --features cuda --example exchange_cost -- cuda:0

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int64Array, StringArray};
use gdf_core::{Column, Table};
use gdf_driver::{Device, Stream};
use gdf_interop::{Importer, to_arrow_device};
use gdf_memory::current_resource;

const COLUMNS: usize = 1_000;
const TIMES: usize = 51;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn time<T>(mut work: impl FnMut() -> Outcome<T>) -> Outcome<f64> {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let begin = Instant::now();
        let result = work()?;
        times.push(begin.elapsed());
        drop(result);
    }
    Ok(median(times))
}

fn main() -> Outcome<()> {
    let device: Device = std::env::args().nth(1).unwrap_or("cpu".into()).parse()?;
    let (stream, mr) = (Stream::new(device)?, current_resource(device)?);
    let numbers: ArrayRef = Arc::new((0..1_000).map(|i| (i % 7 > 0).then_some(i)).collect::<Int64Array>());
    let texts: ArrayRef = Arc::new((0..1_000).map(|i| (i % 7 > 0).then(|| i.to_string())).collect::<StringArray>());
    for (name, array) in [("int64 with nulls", numbers), ("utf8 with nulls", texts)] {
        let columns =
            (0..COLUMNS).map(|_| Column::from_arrow(&array, &stream, mr.as_ref())).collect::<Result<_, _>>()?;
        let table = Table::try_new(columns)?;
        let schema = table.schema(&[]);
        stream.synchronize()?;
        let per_column = |microseconds: f64| microseconds / COLUMNS as f64;

        let export = time(|| Ok(to_arrow_device(&table, &stream)?))?;
        println!("{device}: {name}: export of a table of {COLUMNS}: {:.3} µs per column", per_column(export));
        let export = time(|| {
            let arrays = table.columns().iter().map(|column| to_arrow_device(column, &stream));
            Ok(arrays.collect::<Result<Vec<_>, _>>()?)
        })?;
        println!("{device}: {name}: export of {COLUMNS} columns one by one: {:.3} µs each", per_column(export));

        let importer = Importer::of_schema(&schema).without_validation();
        let mut arrays = (0..TIMES).map(|_| to_arrow_device(&table, &stream)).collect::<Result<Vec<_>, _>>()?;
        let import = time(|| {
            let array = arrays.pop().ok_or("no array left")?;
            // SAFETY: gdf exported the array.
            Ok(unsafe { importer.table(array, &stream, mr.as_ref())? })
        })?;
        println!("{device}: {name}: import of a table of {COLUMNS}: {:.3} µs per column", per_column(import));

        let importer = Importer::of_type(array.data_type().clone()).without_validation();
        let one_by_one = || table.columns().iter().map(|column| to_arrow_device(column, &stream)).collect();
        let mut batches = (0..TIMES).map(|_| one_by_one()).collect::<Result<Vec<Vec<_>>, _>>()?;
        let import = time(|| {
            let arrays = batches.pop().ok_or("no arrays left")?.into_iter();
            // SAFETY: gdf exported the arrays.
            let columns = arrays.map(|array| unsafe { importer.column(array, &stream, mr.as_ref()) });
            Ok(columns.collect::<Result<Vec<_>, _>>()?)
        })?;
        println!("{device}: {name}: import of {COLUMNS} columns one by one: {:.3} µs each", per_column(import));
    }
    if device.is_cuda() {
        copies(&stream)?;
    }
    Ok(())
}

fn copies(stream: &Stream) -> Outcome<()> {
    let rows = 100_000_000_usize;
    let mr = current_resource(stream.device())?;
    let array: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    for round in 0..4 {
        let begin = Instant::now();
        let column = Column::from_arrow(&array, stream, mr.as_ref())?;
        stream.synchronize()?;
        let up = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let back = column.to_arrow(stream)?;
        let down = begin.elapsed().as_secs_f64();
        let rate = |seconds: f64| rows as f64 * 8.0 / seconds / 1e9;
        println!("round {round}: to the GPU {:.1} GB/s, from the GPU {:.1} GB/s", rate(up), rate(down));
        assert_eq!(back.len(), rows);
    }
    Ok(())
}
