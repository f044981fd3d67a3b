//! Compares the time of reading Parquet to a GPU with the time of reading to the CPU: `time_upload [ROWS] [ROUNDS]
//! [DEVICE]`.
//!
//! The program makes files of eight columns (the columns of `benches/peers/read_parquet.py`) in a temporary folder,
//! with Snappy and with Zstandard. It reads each file alternately to the CPU and to the device, and prints the medians
//! and their ratio. The upload runs while other data are decoded, so it should take little additional time. The goal is
//! a ratio of at most 1.15. For each file, the program also compares one result from the device with the result from
//! the CPU.
//!
//!     GDF_KERNELS_EMBED=0 cargo build --release -p gdf-io --features cuda --example time_upload
//!     GDF_KERNELS_DIR=images ./time_upload 10000000 9 cuda:0

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, Date32Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use gdf_api::scope::current_stream;
use gdf_driver::Device;
use gdf_io::{Batch, Compression, ParquetReader, ParquetWriter};

const GROUP: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let rows: usize = args.next().map_or(Ok(10_000_000), |text| text.parse())?;
    let rounds: usize = args.next().map_or(Ok(9), |text| text.parse())?;
    let device: Device = args.next().as_deref().unwrap_or("cuda:0").parse()?;
    let folder = tempfile::tempdir()?;
    println!("{rows} rows, {rounds} rounds, {} threads, {device}", rayon::current_num_threads());
    for (name, codec) in [("snappy", Compression::Snappy), ("zstd", Compression::Zstd(1))] {
        let path = folder.path().join(format!("{name}.parquet"));
        write(&path, codec, rows)?;
        let megabytes = std::fs::metadata(&path)?.len() as f64 / 1e6;
        let (on_cpu, on_device) = (read(&path, Device::Cpu)?.1, read(&path, device)?.1);
        if on_cpu.to_arrow()? != on_device.to_arrow()? {
            return Err(format!("{name}: {device} has other rows than the CPU").into());
        }
        drop((on_cpu, on_device));
        let (mut alone, mut uploaded) = (Vec::new(), Vec::new());
        for _ in 0..rounds.max(1) {
            alone.push(read(&path, Device::Cpu)?.0);
            uploaded.push(read(&path, device)?.0);
        }
        let ratio = median(alone.iter().zip(&uploaded).map(|(alone, uploaded)| uploaded / alone));
        let (alone, uploaded) = (median(alone.into_iter()), median(uploaded.into_iter()));
        println!(
            "{name:6} {megabytes:6.0} MB  cpu {alone:8.1} ms  {device} {uploaded:8.1} ms  ratio of medians {:.3}, median of ratios {ratio:.3}",
            uploaded / alone
        );
    }
    Ok(())
}

/// Reads the file.
fn read(path: &Path, device: Device) -> Result<(f64, Batch), Box<dyn Error>> {
    let stream = current_stream(device)?;
    let start = Instant::now();
    let batch = ParquetReader::open(path)?.on(device).read()?;
    stream.synchronize()?;
    Ok((start.elapsed().as_secs_f64() * 1e3, batch))
}

fn median(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn write(path: &Path, codec: Compression, rows: usize) -> Result<(), Box<dyn Error>> {
    let mut writer: Option<ParquetWriter> = None;
    for first in (0..rows).step_by(GROUP) {
        let batch = Batch::from_arrow(&made(first, GROUP.min(rows - first))?)?;
        let writer = writer
            .get_or_insert_with(|| ParquetWriter::new(path, batch.schema()).compression(codec).row_group_rows(GROUP));
        writer.write(&batch)?;
    }
    writer.ok_or("the number of rows is 0; pass at least 1 row")?.finish()?;
    Ok(())
}

fn made(first: usize, len: usize) -> Result<RecordBatch, Box<dyn Error>> {
    let rows = || first..first + len;
    let draw = |column: u64, below: u64| rows().map(move |row| mixed(row as u64 * 8 + column) % below);
    let unit = |bits: u64| bits as f64 / (1_u64 << 52) as f64;
    let rates = draw(4, 1000).zip(draw(5, 10));
    let columns: [(&str, ArrayRef); 8] = [
        ("id", Arc::new(Int64Array::from_iter_values(rows().map(|row| row as i64)))),
        ("key", Arc::new(Int64Array::from_iter_values(draw(1, 1 << 40).map(|key| key as i64)))),
        ("small", Arc::new(Int32Array::from_iter_values(draw(2, 100).map(|small| small as i32)))),
        ("price", Arc::new(Float64Array::from_iter_values(draw(3, 1 << 52).map(|bits| unit(bits) * 1000.0)))),
        (
            "rate",
            Arc::new(Float64Array::from_iter(rates.map(|(rate, null)| (null > 0).then_some(rate as f64 / 100.0)))),
        ),
        ("city", Arc::new(StringArray::from_iter_values(draw(6, 1000).map(|word| format!("word {word} of many"))))),
        ("note", Arc::new(StringArray::from_iter_values(draw(7, 1 << 40).map(|note| format!("n{note}"))))),
        ("day", Arc::new(Date32Array::from_iter_values(draw(0, 20_000).map(|day| day as i32)))),
    ];
    Ok(RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))?)
}

/// Returns a pseudorandom number that depends only on `counter`.
fn mixed(counter: u64) -> u64 {
    let mut bits = counter.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
