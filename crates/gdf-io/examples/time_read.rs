//! Times reads of a file. `time_read FILE [RUNS] [COLUMN…]` prints one line per read, with the milliseconds of the
//! read. `crates/gdf-io/benches/peers/read_parquet.py` parses this output.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("the path is missing; usage: time_read FILE [RUNS] [COLUMN…]")?;
    let runs: usize = args.next().map_or(Ok(1), |runs| runs.parse())?;
    let columns: Vec<String> = args.collect();
    let extension = Path::new(&path).extension().and_then(|extension| extension.to_str());
    for _ in 0..runs {
        let start = Instant::now();
        let batch = match extension {
            Some("csv") => gdf_io::read_csv(&path)?,
            Some("jsonl") => gdf_io::read_json(&path)?,
            Some("arrow") => gdf_io::read_ipc(&path)?,
            _ if columns.is_empty() => gdf_io::read_parquet(&path)?,
            _ => gdf_io::ParquetReader::open(&path)?.columns(columns.iter().cloned()).read()?,
        };
        println!("{:.3}", start.elapsed().as_secs_f64() * 1e3);
        assert!(batch.num_columns() > 0);
    }
    Ok(())
}
