//! Times the decoder for compressed pages on the device that `GDF_TEST_DEVICE` names: `time_decompress [PAGES] [ROUNDS]`.
//!
//! Each line is a column of pages of 1 MiB in one form. It has the median time of a batch, the decompressed bytes by that
//! time, and the ratio of decompressed to compressed bytes. The line `none` is the time without decompression.
//!
//!     GDF_KERNELS_EMBED=0 cargo build --release -p gdf-decode --features cuda --example time_decompress
//!     GDF_TEST_DEVICE=cuda:0 GDF_KERNELS_DIR=images ./time_decompress 640 9

use std::error::Error;
use std::time::Instant;

use gdf_core::DataType;
use gdf_decode::{
    Batch, Chunk, Codec, ColumnPages, Compression, Ctx, Encoding, Levels, PADDING, PAGE_ALIGNMENT, Page, PageHeader,
    Stored, decode,
};
use gdf_engine::test_device::setup;
use gdf_memory::Buffer;

/// The number of values of a page.
const ROWS: usize = 1 << 17;
/// The number of different pages of a column.
const DIFFERENT: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let pages: usize = args.next().map_or(Ok(640), |text| text.parse())?;
    let rounds: usize = args.next().map_or(Ok(9), |text| text.parse())?;
    let contents: [(&str, &dyn Fn(u64) -> u64); 4] = [
        ("ids", &|row| row),
        ("below 2^40", &|row| mixed(row) >> 24),
        ("below 100", &|row| mixed(row) % 100),
        ("random", &mixed),
    ];
    for (name, value) in contents {
        for codec in [None, Some(Codec::Uncompressed), Some(Codec::Snappy), Some(Codec::Lz4Raw)] {
            let (batch, bytes) = made(pages, codec, value)?;
            let milliseconds = time(&batch, &bytes, rounds)?;
            let (whole, form) = (pages * ROWS * 8, codec.map_or("none".to_owned(), |codec| format!("{codec:?}")));
            let (rate, ratio) = (whole as f64 / milliseconds / 1e6, whole as f64 / bytes.len() as f64);
            println!("{name:12} {form:12} {milliseconds:8.3} ms  {rate:8.1} GB/s  ratio {ratio:.2}");
        }
    }
    Ok(())
}

/// Returns the median time of a batch.
fn time(batch: &Batch, bytes: &[u8], rounds: usize) -> Result<f64, Box<dyn Error>> {
    let (stream, resource) = setup();
    let bytes = Buffer::from_host(bytes, &stream, &resource)?;
    let mut times = Vec::new();
    for _ in 0..rounds.max(1) + 1 {
        stream.synchronize()?;
        let start = Instant::now();
        for column in decode(batch, &bytes, Ctx::new(&stream, &resource))? {
            column?;
        }
        stream.synchronize()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Makes a column of pages of plain values.
fn made(pages: usize, codec: Option<Codec>, value: &dyn Fn(u64) -> u64) -> Result<(Batch, Vec<u8>), Box<dyn Error>> {
    let different = (0..DIFFERENT.min(pages)).map(|page| {
        let first = (page * ROWS) as u64;
        let plain: Vec<u8> = (first..first + ROWS as u64).flat_map(|row| value(row).to_le_bytes()).collect();
        Ok(match codec {
            None | Some(Codec::Uncompressed) => plain,
            Some(Codec::Snappy) => snap::raw::Encoder::new().compress_vec(&plain)?,
            Some(Codec::Lz4Raw | Codec::Lz4Hadoop) => lz4_flex::block::compress(&plain),
        })
    });
    let different = different.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let (mut bytes, mut chunk) = (Vec::new(), Chunk::default());
    let header = PageHeader { rows: ROWS, encoding: Encoding::Plain, levels: Levels::None, nulls: None };
    for page in different.iter().cycle().take(pages) {
        let compression = codec.map(|codec| Compression { codec, size: ROWS * 8 });
        bytes.resize(bytes.len().next_multiple_of(PAGE_ALIGNMENT), 0);
        chunk.pages.push(Page { at: bytes.len(), len: page.len(), compression, header });
        bytes.extend_from_slice(page);
    }
    bytes.resize(bytes.len() + PADDING, 0);
    let (data_type, stored) = (DataType::Int64, Stored::Int64);
    let column = ColumnPages { data_type, stored, is_optional: false, nesting: None, chunks: vec![chunk] };
    Ok((Batch { columns: vec![column] }, bytes))
}

/// Returns a pseudorandom number that depends only on `counter`.
fn mixed(counter: u64) -> u64 {
    let mut bits = counter.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
