//! Entries of `stream_compaction`.

pub(super) mod distinct;
pub(super) mod unique;

use arrow_array::{ArrayRef, BooleanArray};
use arrow_schema::DataType;
use gdf_external::bounds;

use super::shared::tables::{FEW, filter_waits, nested, shape_of, slice_costs, split, table, types, types_of_parts};
use super::{Case, Entry};
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern, random_array};

pub(super) fn entries() -> Vec<Entry> {
    let mut entries = vec![Entry::new("stream_compaction.apply_boolean_mask", Equality::Exact, masks).guessing()];
    entries.extend(distinct::entries());
    entries
}

/// The rows of a tile, and the largest number of rows that one launch compacts without a launch that counts the rows
/// first.
const TILE: usize = 2048;
const FEW_TILES: usize = 64 * TILE;

fn case(label: impl Into<String>, columns: Vec<ArrayRef>, mask: ArrayRef) -> Case {
    let (waits, slices) = (filter_waits(&columns), slice_costs(&columns));
    let mut inputs = columns;
    inputs.push(mask);
    Case::new(
        label,
        inputs,
        |inputs| {
            let (table, mask) = split(inputs)?;
            Ok(gdf_api::stream_compaction::apply_boolean_mask(&table, mask)?.into_columns())
        },
        |inputs| {
            let (mask, columns) = inputs.split_last().ok_or("the mask is missing")?;
            naive::stream_compaction::apply_boolean_mask(columns, mask)
        },
        waits,
    )
    .with_bound(|inputs| bounds::filter(&shape_of(&inputs[..inputs.len() - 1])))
    .with_slice_costs(slices)
}

fn masks() -> Vec<Case> {
    // With the seed of a column, a mask would be null in the null rows of the column.
    let half = |rows, nulls, seed| random_array(&DataType::Boolean, rows, nulls, 1000 + seed);
    let shaped = |rows: usize, keep: &dyn Fn(usize) -> bool| -> ArrayRef {
        std::sync::Arc::new(BooleanArray::from_iter((0..rows).map(|row| Some(keep(row)))))
    };
    let numbers = &FEW[..5];
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(0..) {
        let of_masks = [NullPattern::Some, NullPattern::None, NullPattern::None, NullPattern::Some];
        for (&nulls, mask_nulls) in NullPattern::ALL.iter().zip(of_masks) {
            let mask = half(rows, mask_nulls, seed);
            if rows < 2000 || nulls == NullPattern::Some {
                cases.push(case(format!("table/{rows}/{nulls:?}"), table(&FEW, rows, nulls, seed), mask.clone()));
            }
            if nulls != NullPattern::All {
                let columns = table(numbers, rows, nulls, seed);
                cases.push(case(format!("numbers/{rows}/{nulls:?}"), columns, mask));
            }
        }
    }
    for (data_type, seed) in types().into_iter().zip(100..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let columns = vec![random_array(&data_type, 77, nulls, seed)];
            cases.push(case(format!("{data_type}/77/{nulls:?}"), columns, half(77, NullPattern::None, seed)));
        }
    }
    // The masks select no row, all rows, one row, a few rows, long runs of rows, or almost all rows.
    let shapes: [(&str, &dyn Fn(usize) -> bool); 6] = [
        ("none", &|_| false),
        ("all", &|_| true),
        ("last", &|row| row == 9_999),
        ("sparse", &|row| row % 777 == 5),
        ("runs", &|row| row / 1_500 % 2 == 1),
        ("dense", &|row| row % 97 != 3),
    ];
    for (name, keep) in shapes {
        let columns = table(&FEW, 10_000, NullPattern::Every(3), 7);
        cases.push(case(format!("table/10000/{name}"), columns, shaped(10_000, keep)));
        let columns = table(numbers, 10_000, NullPattern::Every(3), 7);
        cases.push(case(format!("numbers/10000/{name}"), columns, shaped(10_000, keep)));
        let columns = table(numbers, 300, NullPattern::Every(3), 8);
        cases.push(case(format!("numbers/300/{name}"), columns, shaped(300, keep)));
    }
    // The numbers of rows are near the limit above which a separate launch counts the rows.
    for rows in [TILE + 1, FEW_TILES - 1, FEW_TILES, FEW_TILES + 1] {
        let columns = table(&[DataType::Int64, DataType::Boolean], rows, NullPattern::Some, 13);
        cases.push(case(format!("thresholds/{rows}"), columns, half(rows, NullPattern::None, 13)));
    }
    for (rows, seed) in gdf_test::data::limit_brackets().into_iter().zip(20..) {
        let columns = table(&FEW[..1], rows, NullPattern::Some, seed);
        cases.push(case(format!("limits/{rows}"), columns, half(rows, NullPattern::None, seed)));
    }
    // Only a few of many rows are selected.
    let rows = FEW_TILES + 5_000;
    let single = |row: usize| row % 977 == 5;
    cases.push(case("scattered/numbers", table(numbers, rows, NullPattern::None, 14), shaped(rows, &single)));
    cases.push(case("scattered/table", table(&FEW, rows, NullPattern::None, 15), shaped(rows, &single)));
    cases.push(case("scattered/nulls", table(numbers, rows, NullPattern::Some, 16), shaped(rows, &single)));
    let plain = [DataType::Int8, DataType::Int32, DataType::Float64, DataType::Int64, DataType::Decimal128(38, 10)];
    let words = |row: usize| row / 64 % 40 == 3 && row % 64 < 23;
    cases.push(case("scattered/plain", table(&plain, rows, NullPattern::None, 17), shaped(rows, &single)));
    cases.push(case("scattered/words", table(&plain, rows, NullPattern::None, 18), shaped(rows, &words)));
    // The table needs several launches.
    cases.push(case("wide/257", table(&types(), 257, NullPattern::Some, 9), half(257, NullPattern::None, 9)));
    let text = vec![DataType::Utf8; 40];
    cases.push(case("text/100", table(&text, 100, NullPattern::Some, 10), half(100, NullPattern::None, 10)));
    let nested = [nested(), DataType::Null];
    for nulls in [NullPattern::None, NullPattern::Some] {
        cases.push(case(format!("struct/257/{nulls:?}"), table(&nested, 257, nulls, 11), half(257, nulls, 11)));
    }
    for (data_type, seed) in types_of_parts().into_iter().zip(60..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let columns = table(&[DataType::Int32, data_type.clone()], 300, nulls, seed);
            cases.push(case(format!("{data_type}/300/{nulls:?}"), columns, half(300, nulls, seed)));
        }
    }
    for (name, keep) in &shapes[..2] {
        let columns = table(&types_of_parts(), 500, NullPattern::Every(3), 61);
        cases.push(case(format!("lists/500/{name}"), columns, shaped(500, keep)));
    }
    cases.push(case("null/40", table(&[DataType::Null], 40, NullPattern::None, 12), half(40, NullPattern::Some, 12)));
    cases
}
