//! Times reads of Parquet files: `time_parquet FILE… [--rounds N] [--device cuda:0]`.
//!
//! The program reads each file several times from two sources, and prints a line of tab-separated values for each: the
//! name of the file without its extension, `gdf`, the source, the number of rows, the bytes of the result, the median
//! and the shortest time in ms, GB/s of the result by the median, and which columns the CPU has decoded for a GPU.
//!
//! - `file`: [`ParquetReader`] opens and reads the file. Decimals of at most 18 digits become 64-bit decimals, because
//!   libcudf has them so.
//! - `device`: gdf-decode decodes pages that already are on the device. Their headers have been parsed before. There is
//!   no such line if gdf-decode does not support a column or the codec.
//!
//! `crates/gdf-io/benches/peers/compare_libcudf.py` parses this output.
//!
//!     GDF_KERNELS_EMBED=0 cargo build --release -p gdf-io --features cuda --example time_parquet
//!     GDF_KERNELS_DIR=images ./time_parquet a.parquet b.parquet --rounds 9 --device cuda:0

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use arrow_schema::SchemaRef;
use bytes::Bytes;
use gdf_api::scope::{Ctx, current_resources, current_stream};
use gdf_core::Column;
use gdf_decode::{
    Batch, Chunk, Codec, ColumnPages, Compression, DictionaryPage, Levels, PADDING, PAGE_ALIGNMENT, PageHeader, Stored,
};
use gdf_driver::{Device, Stream};
use gdf_io::ParquetReader;
use gdf_memory::{Buffer, Resources};
use parquet::basic::{Compression as FileCodec, Encoding, Type};
use parquet::column::page::Page;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::{SerializedFileReader, SerializedPageReader};
use parquet::schema::types::ColumnDescriptor;

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// The number of reads before those that count.
const WARM_UPS: usize = 3;

fn main() -> Result<ExitCode> {
    let (mut files, mut rounds, mut device) = (Vec::new(), 9, Device::Cpu);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rounds" => rounds = args.next().ok_or("a number must follow --rounds")?.parse()?,
            "--device" => device = args.next().ok_or("a device must follow --device")?.parse()?,
            _ => files.push(arg),
        }
    }
    if files.is_empty() {
        return Err("the files are missing; usage: time_parquet FILE… [--rounds N] [--device cuda:0]".into());
    }
    let mut code = ExitCode::SUCCESS;
    for file in &files {
        let path = Path::new(file);
        for time in [time_file, time_pages] {
            if let Err(error) = time(path, rounds, device) {
                eprintln!("{file}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

fn open(path: &Path) -> Result<ParquetReader> {
    Ok(ParquetReader::open(path)?.narrow_decimals()?)
}

fn time_file(path: &Path, rounds: usize, device: Device) -> Result<()> {
    let read = || Ok(open(path)?.on(device).read()?.into_parts().1.into_columns());
    let (columns, profile) = gdf_profile::profile(device, read)?;
    drop::<Vec<Column>>(columns?);
    let on_cpu = profile.operations.into_iter().filter(|operation| operation.name == "decoded_on_cpu");
    let on_cpu: Vec<String> = on_cpu.flat_map(|operation| operation.notes).collect();
    let remark = if on_cpu.is_empty() { String::new() } else { format!("CPU: {}", on_cpu.join("; ")) };
    time(path, "file", rounds, &current_stream(device)?, &remark, read)
}

fn time_pages(path: &Path, rounds: usize, device: Device) -> Result<()> {
    let Some((batch, bytes)) = pages(path, &open(path)?.schema())? else { return Ok(()) };
    let (stream, (output, temporary)) = (current_stream(device)?, current_resources(device)?);
    let bytes = Buffer::from_host(&bytes, &stream, &temporary)?;
    time(path, "device", rounds, &stream, "", || {
        let decoded = gdf_decode::decode(&batch, &bytes, Ctx::new(&stream, Resources::new(&output, &temporary)))?;
        let values = decoded.into_iter().map(|decoded| decoded.map(|decoded| decoded.values));
        Ok(values.collect::<Result<Vec<Column>, _>>()?)
    })
}

/// Calls `read` several times, and prints the line.
fn time(
    path: &Path,
    source: &str,
    rounds: usize,
    stream: &Stream,
    remark: &str,
    read: impl Fn() -> Result<Vec<Column>>,
) -> Result<()> {
    let (mut times, mut rows, mut bytes) = (Vec::new(), 0, 0);
    for round in 0..WARM_UPS + rounds.max(1) {
        stream.synchronize()?;
        let start = Instant::now();
        let columns = read()?;
        stream.synchronize()?;
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        if round >= WARM_UPS {
            times.push(elapsed);
        }
        rows = columns.first().map_or(0, Column::len);
        bytes = columns.iter().map(Column::alloc_size).sum();
    }
    times.sort_by(f64::total_cmp);
    let (shortest, median) = (times[0], times[times.len() / 2]);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let rate = bytes as f64 / median / 1e6;
    println!("{name}\tgdf\t{source}\t{rows}\t{bytes}\t{median:.4}\t{shortest:.4}\t{rate:.2}\t{remark}");
    Ok(())
}

/// Returns the pages of all columns, and the buffer in which they are. Returns `None` if gdf-decode does not support a
/// column or the codec.
fn pages(path: &Path, schema: &SchemaRef) -> Result<Option<(Batch, Vec<u8>)>> {
    let file = Bytes::from(std::fs::read(path)?);
    let reader = SerializedFileReader::new(file.clone())?;
    let (metadata, file) = (reader.metadata(), Arc::new(file));
    let leaves = metadata.file_metadata().schema_descr().columns();
    if leaves.len() != schema.fields().len() || leaves.iter().any(|leaf| leaf.path().parts().len() != 1) {
        return Ok(None);
    }
    let (mut batch, mut buffer) = (Batch::default(), Vec::new());
    for (index, (leaf, field)) in leaves.iter().zip(schema.fields()).enumerate() {
        let (data_type, stored) = (field.data_type().clone(), stored(leaf));
        let is_optional = leaf.max_def_level() > 0;
        let mut chunks = Vec::new();
        for group in metadata.row_groups() {
            let rows = usize::try_from(group.num_rows())?;
            let Some(chunk) = pages_of(&file, group.column(index), is_optional, rows, &mut buffer)? else {
                return Ok(None);
            };
            let encodings = chunk.pages.iter().map(|page| page.header.encoding);
            if leaf.max_rep_level() > 0
                || !encodings.into_iter().all(|encoding| gdf_decode::supports(stored, &data_type, encoding))
            {
                return Ok(None);
            }
            chunks.push(chunk);
        }
        batch.columns.push(ColumnPages { data_type, stored, is_optional, nesting: None, chunks });
    }
    buffer.resize(buffer.len() + PADDING, 0);
    Ok(Some((batch, buffer)))
}

/// Copies the pages of a column chunk to the buffer as they are in the file. Returns `None` if gdf-decode does not
/// support one.
fn pages_of(
    file: &Arc<Bytes>,
    metadata: &ColumnChunkMetaData,
    is_optional: bool,
    rows: usize,
    buffer: &mut Vec<u8>,
) -> Result<Option<Chunk>> {
    let codec = match metadata.compression() {
        FileCodec::UNCOMPRESSED => None,
        FileCodec::SNAPPY => Some(Codec::Snappy),
        FileCodec::LZ4_RAW => Some(Codec::Lz4Raw),
        _ => return Ok(None),
    };
    // A reader that knows no codec returns compressed pages as they are. The other one tells their decompressed sizes.
    let plain = metadata.clone().into_builder().set_compression(FileCodec::UNCOMPRESSED).build()?;
    let raw = SerializedPageReader::new(file.clone(), &plain, rows, None)?;
    let decompressed = SerializedPageReader::new(file.clone(), metadata, rows, None)?;
    let mut chunk = Chunk::default();
    for (page, decompressed) in raw.zip(decompressed) {
        let (page, size) = (page?, decompressed?.buffer().len());
        buffer.resize(buffer.len().next_multiple_of(PAGE_ALIGNMENT), 0);
        let (at, len) = (buffer.len(), page.buffer().len());
        buffer.extend_from_slice(page.buffer());
        let compression = |is_compressed| {
            let codec = if is_compressed { codec } else { codec.and(Some(Codec::Uncompressed)) };
            codec.map(|codec| Compression { codec, size })
        };
        let (levels, nulls, is_compressed) = match &page {
            Page::DictionaryPage { num_values, .. } => {
                let values = *num_values as usize;
                chunk.dictionary = Some(DictionaryPage { at, len, compression: compression(true), values });
                continue;
            }
            Page::DataPage { .. } => (if is_optional { Levels::Prefixed } else { Levels::None }, None, true),
            Page::DataPageV2 { num_nulls, def_levels_byte_len, is_compressed, .. } => {
                (Levels::Sized(*def_levels_byte_len as usize), Some(*num_nulls as usize), *is_compressed)
            }
        };
        let Some(encoding) = encoding_of(page.encoding()) else { return Ok(None) };
        let header = PageHeader { rows: page.num_values() as usize, encoding, levels, nulls };
        let compression = compression(is_compressed);
        chunk.pages.push(gdf_decode::Page { at, len, compression, header });
    }
    Ok(Some(chunk))
}

fn stored(column: &ColumnDescriptor) -> Stored {
    match column.physical_type() {
        Type::BOOLEAN => Stored::Boolean,
        Type::INT32 => Stored::Int32,
        Type::INT64 => Stored::Int64,
        Type::INT96 => Stored::Int96,
        Type::FLOAT => Stored::Float,
        Type::DOUBLE => Stored::Double,
        Type::BYTE_ARRAY => Stored::ByteArray,
        Type::FIXED_LEN_BYTE_ARRAY => Stored::FixedLenByteArray(usize::try_from(column.type_length()).unwrap_or(0)),
    }
}

fn encoding_of(encoding: Encoding) -> Option<gdf_decode::Encoding> {
    match encoding {
        Encoding::PLAIN => Some(gdf_decode::Encoding::Plain),
        Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY => Some(gdf_decode::Encoding::Keys),
        Encoding::RLE => Some(gdf_decode::Encoding::Rle),
        Encoding::BYTE_STREAM_SPLIT => Some(gdf_decode::Encoding::ByteStreamSplit),
        Encoding::DELTA_BINARY_PACKED => Some(gdf_decode::Encoding::DeltaBinaryPacked),
        Encoding::DELTA_LENGTH_BYTE_ARRAY => Some(gdf_decode::Encoding::DeltaLengthByteArray),
        _ => None,
    }
}
