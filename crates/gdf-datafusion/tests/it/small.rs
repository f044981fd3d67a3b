//! Small tables with nulls, repeated keys and all types that islands support.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, StringViewArray, TimestampMicrosecondArray, UInt8Array,
};
use arrow_schema::{Field, Schema};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use gdf_datafusion::{GdfFiles, GdfTable};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::kit::device;

/// The names, the numbers of rows and the seeds of the tables.
const TABLES: [(&str, usize, u64); 3] = [("a", 60, 1), ("b", 25, 2), ("none", 0, 3)];

const WORDS: [&str; 8] = ["", "a", "ab", "abc", "Oslo", "straße", "日本", "b%_c"];

fn with_nulls<T>(rows: usize, rng: &mut SmallRng, mut value: impl FnMut(&mut SmallRng) -> T) -> Vec<Option<T>> {
    (0..rows).map(|_| if rng.random_ratio(1, 7) { None } else { Some(value(rng)) }).collect()
}

/// Returns a table: `id` without nulls, and a column of each type. The names of its columns begin with `name`.
pub(crate) fn batch(name: &str, rows: usize, seed: u64) -> RecordBatch {
    let rng = &mut SmallRng::seed_from_u64(seed);
    // Infinities are left out. Their difference is a negative NaN, which DataFusion orders before all numbers.
    let special = [f64::NAN, 3.5, -1.5, 0.0, 2.25, 1e9];
    let decimals = Decimal128Array::from(with_nulls(rows, rng, |rng| i128::from(rng.random_range(-99_999..99_999))));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int32Array::from((0..rows as i32).collect::<Vec<_>>()))),
        ("k", Arc::new(Int32Array::from(with_nulls(rows, rng, |rng| rng.random_range(0..6))))),
        ("v", Arc::new(Int64Array::from(with_nulls(rows, rng, |rng| rng.random_range(-1_000..1_000))))),
        ("u", Arc::new(UInt8Array::from(with_nulls(rows, rng, |rng| rng.random_range(0..=255))))),
        ("f", Arc::new(Float64Array::from(with_nulls(rows, rng, |rng| special[rng.random_range(0..6)])))),
        ("m", Arc::new(decimals.with_precision_and_scale(10, 2).unwrap())),
        ("d", Arc::new(Date32Array::from(with_nulls(rows, rng, |rng| rng.random_range(-800..20_000))))),
        (
            "t",
            Arc::new(TimestampMicrosecondArray::from(with_nulls(rows, rng, |rng| {
                rng.random_range(-1_000_000_000_000..1_700_000_000_000_000)
            }))),
        ),
        ("b", Arc::new(BooleanArray::from(with_nulls(rows, rng, |rng| rng.random_bool(0.5))))),
        ("s", Arc::new(StringArray::from(with_nulls(rows, rng, |rng| WORDS[rng.random_range(0..8)])))),
        ("w", Arc::new(StringViewArray::from(with_nulls(rows, rng, |rng| WORDS[rng.random_range(0..8)])))),
    ];
    let field = |(column, array): &(&str, ArrayRef)| {
        Field::new(format!("{name}{column}"), array.data_type().clone(), *column != "id")
    };
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

/// Registers the tables `a`, `b` and `none` as Parquet files of small row groups.
pub(crate) fn files(folder: &std::path::Path) -> SessionContext {
    let ctx = SessionContext::new();
    for (name, rows, seed) in TABLES {
        let path = folder.join(format!("{name}.parquet"));
        let rows = gdf_io::Batch::from_arrow(&batch(name, rows, seed)).unwrap();
        let mut writer = gdf_io::ParquetWriter::new(&path, rows.schema()).row_group_rows(7);
        writer.write(&rows).unwrap();
        writer.finish().unwrap();
        ctx.register_table(name, Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
    }
    ctx
}

/// Registers the tables `a`, `b` and `none`, which has no rows: as a [`GdfTable`], or as a table of DataFusion with
/// three partitions.
pub(crate) fn session(is_resident: bool) -> SessionContext {
    let ctx = SessionContext::new();
    for (name, rows, seed) in TABLES {
        let batch = batch(name, rows, seed);
        let third = rows / 3;
        let parts = vec![
            vec![batch.slice(0, third)],
            vec![batch.slice(third, third), batch.slice(2 * third, 0)],
            vec![batch.slice(2 * third, rows - 2 * third)],
        ];
        if is_resident {
            let table = GdfTable::from_batches(&parts.concat(), device()).unwrap();
            ctx.register_table(name, Arc::new(table)).unwrap();
        } else {
            ctx.register_table(name, Arc::new(MemTable::try_new(batch.schema(), parts).unwrap())).unwrap();
        }
    }
    ctx
}
