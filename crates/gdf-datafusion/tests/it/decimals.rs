//! Decimals of at most 18 digits, which have 64 bits inside of islands, beside wider ones.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef, Decimal128Array, Int32Array, RecordBatch};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use gdf_core::{Column, Table};
use gdf_datafusion::{Fallback, GdfOptions, GdfSession, GdfTable};

use crate::kit::{Checked, device, strict};

/// Returns decimals with and without a sign around the largest number of `digits` digits.
fn extremes(digits: u8, scale: i8) -> ArrayRef {
    let max = 10_i128.pow(u32::from(digits)) - 1;
    let values = [max, -max, 0, 1, -1, max / 2, max - 7, -max / 3];
    let values = (0..40).map(|row| (row % 9 != 8).then(|| values[row % 9 % 8]));
    Arc::new(Decimal128Array::from_iter(values).with_precision_and_scale(digits, scale).unwrap())
}

fn batch() -> RecordBatch {
    let keys = Int32Array::from_iter_values((0..40).map(|row| row / 3 % 4));
    RecordBatch::try_from_iter_with_nullable([
        ("k", Arc::new(keys) as ArrayRef, false),
        ("d5", extremes(5, 2), true),
        ("d9", extremes(9, 4), true),
        ("d17", extremes(17, 0), true),
        ("d18", extremes(18, 4), true),
        ("d19", extremes(19, 4), true),
        ("d30", extremes(30, 6), true),
    ])
    .unwrap()
}

#[tokio::test]
async fn narrow_and_wide_decimals_compute_the_same() {
    let (plain, resident) = (SessionContext::new(), SessionContext::new());
    let table = MemTable::try_new(batch().schema(), vec![vec![batch()]]).unwrap();
    plain.register_table("t", Arc::new(table)).unwrap();
    resident.register_table("t", Arc::new(GdfTable::from_batches(&[batch()], device()).unwrap())).unwrap();
    for checked in [Checked::new(plain.clone()), Checked::beside(plain, resident)] {
        for query in [
            "SELECT d5, d18, d19, d30 FROM t WHERE d18 > 0 AND d5 <> 1.23",
            "SELECT d5 + d9, d17 + d17, d18 + d18, d18 - d19, d9 - d30, d5 + d30 FROM t",
            "SELECT d5 * d5, d5 * d9, d9 * d9, d18 * d18, d5 * d19, d18 * d5 FROM t",
            "SELECT d5 / NULLIF(d9, 0), d18 / NULLIF(d5, 0), d17 % NULLIF(d5, 0), d19 % NULLIF(d9, 0) FROM t",
            "SELECT -d18, abs(d17), CAST(d5 AS DECIMAL(19, 3)), CAST(d9 AS DOUBLE), CAST(d17 AS BIGINT) FROM t",
            "SELECT CAST(k AS DECIMAL(18, 2)) + d5, CAST(CAST(k AS DOUBLE) / 4 AS DECIMAL(9, 2)), d5 + k FROM t",
            "SELECT TRY_CAST(d18 AS DECIMAL(9, 4)), TRY_CAST(d30 AS DECIMAL(18, 6)), CAST(d5 AS VARCHAR) FROM t",
            "SELECT k, sum(d5), sum(d18), sum(d30), avg(d5), avg(d18), min(d9), max(d17), count(DISTINCT d5) FROM t GROUP BY k",
            "SELECT sum(d5 * (1 - d5)), sum(d9 * d5), avg(d19), sum(d17) FROM t",
            "SELECT a.k, b.d18 FROM t a JOIN t b ON a.d18 = b.d18 AND a.d5 = b.d5 WHERE a.d30 >= b.d9",
            "SELECT d5 FROM t UNION ALL SELECT d19 FROM t ORDER BY 1",
            "SELECT k, sum(d18) OVER (PARTITION BY k ORDER BY d17, d5), avg(d5) OVER (PARTITION BY k) FROM t",
            "SELECT d18 FROM t WHERE d18 = (SELECT max(d18) FROM t) OR d5 IN (9.99, 999.99)",
        ] {
            checked.any(query).await;
        }
    }
}

#[tokio::test]
async fn more_digits_than_stated_are_an_error() {
    for value in [100_000_i128, i128::from(i64::MAX) + 1, -100_000] {
        let many = Decimal128Array::from(vec![Some(1), None, Some(value)]).with_precision_and_scale(5, 2).unwrap();
        let batch = RecordBatch::try_from_iter([("d", Arc::new(many.clone()) as ArrayRef)]).unwrap();
        let error = GdfTable::from_batches(std::slice::from_ref(&batch), device()).unwrap_err().to_string();
        assert!(error.contains("more digits than its type Decimal128(5, 2) states"), "{error}");

        let columns = Table::try_new(vec![Column::from_array(&many).unwrap()]).unwrap();
        assert!(GdfTable::try_new(batch.schema(), columns).is_err());
        if let Ok(value) = i64::try_from(value) {
            let narrow = Column::from_slice(&[1, value]).unwrap();
            let narrow = narrow.bit_cast(arrow_schema::DataType::Decimal64(5, 2)).unwrap();
            let error = GdfTable::try_new(batch.schema(), Table::try_new(vec![narrow]).unwrap()).unwrap_err();
            assert!(error.to_string().contains("more digits"), "{error}");
        }

        let ctx = SessionContext::new();
        let table = MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap();
        ctx.register_table("t", Arc::new(table)).unwrap();
        let found = ctx.with_gdf(strict()).sql("SELECT d + 1 AS e FROM t ORDER BY e").await.unwrap().collect().await;
        assert!(found.unwrap_err().to_string().contains("more digits"));
    }
}

/// DataFusion computes these sums, because gdf computes neither the deviations nor the medians beside them.
#[tokio::test]
async fn sums_of_long_decimals_beside_other_functions() {
    let max = 10_i128.pow(37);
    let values = [Some(max), None, None, Some(7), Some(max), Some(7)];
    let values = Decimal128Array::from_iter(values).with_precision_and_scale(38, 0).unwrap();
    let keys = Int32Array::from_iter_values(0..6);
    let batch =
        RecordBatch::try_from_iter([("i", Arc::new(keys) as ArrayRef), ("d", Arc::new(values) as ArrayRef)]).unwrap();
    let ctx = SessionContext::new();
    ctx.register_table("t", Arc::new(GdfTable::from_batches(&[batch], device()).unwrap())).unwrap();
    let ctx = ctx.with_gdf(GdfOptions::on(device()).with_fallback(Fallback::Allowed));
    let sums = async |query: &str| {
        let found = ctx.sql(query).await.unwrap().collect().await.unwrap();
        let sums = found.iter().flat_map(|batch| batch.column(0).as_primitive::<Decimal128Type>().iter());
        sums.collect::<Vec<_>>()
    };
    // A frame without values has no sum.
    let query = "SELECT sum(d) OVER (ORDER BY i ROWS 1 PRECEDING), stddev(i) OVER (ORDER BY i) FROM t ORDER BY i";
    assert_eq!(sums(query).await, [Some(max), Some(max), None, Some(7), Some(max + 7), Some(max + 7)]);
    assert_eq!(sums("SELECT sum(DISTINCT d), median(i) FROM t").await, [Some(max + 7)]);
    assert_eq!(sums("SELECT sum(d), median(i) FROM t").await, [Some(2 * (max + 7))]);
    assert_eq!(sums("SELECT sum(d), median(i) FROM t WHERE i IN (1, 2)").await, [None]);
}

#[test]
fn columns_of_128_bits_become_a_table() {
    let array = extremes(18, 4);
    let schema = RecordBatch::try_from_iter([("d", array.clone())]).unwrap().schema();
    let wide = Table::try_new(vec![Column::from_array(array.as_ref()).unwrap()]).unwrap();
    let table = GdfTable::try_new(schema, wide).unwrap();
    assert_eq!(table.table().column(0).unwrap().data_type(), &arrow_schema::DataType::Decimal64(18, 4));
    assert_eq!(table.table().num_rows(), array.len());
}
