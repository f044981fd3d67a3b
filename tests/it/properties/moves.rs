//! Tests properties of operations that move rows. An inverse operation restores the rows, and no operation loses rows.

use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_schema::DataType;
use gdf_api::concatenate::concatenate;
use gdf_api::contiguous_split::{chunked_pack, contiguous_split, pack, packed_size, unpack};
use gdf_api::copying::{
    OutOfBoundsPolicy, boolean_mask_scatter, copy_if_else, copy_range, gather, reverse, scatter, shift, split,
};
use gdf_api::filling::{fill, repeat};
use gdf_api::null_mask::{
    bitmask_and, bitmask_or, bools_to_mask, concatenate_masks, copy_bitmask, mask_to_bools, null_count,
};
use gdf_api::replace::{ReplacePolicy, replace_nulls, replace_nulls_by_policy};
use gdf_api::reshape::{ByteOrder, byte_cast, interleave_columns, tile, transpose};
use gdf_api::sorting::{NullOrder, Order, is_sorted, sort, sorted_order};
use gdf_api::stream_compaction::{apply_boolean_mask, apply_deletion_mask};
use gdf_api::transform::encode;
use gdf_core::Table;
use gdf_memory::Buffer;
use gdf_test::data::{self, NullPattern, random_array};
use gdf_test::value::to_values;
use gdf_tests::naive::copying::copy_if_else as naive_choice;
use gdf_tests::naive::sorting::Direction;
use gdf_tests::naive::{copying, filling, null_mask, replace as naive_replace, sorting, stream_compaction};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{Bench, check, offsets, oracle};

/// Tables with columns of all types whose rows can be moved.
#[derive(Clone, Debug)]
struct Rows {
    types: Vec<DataType>,
    rows: usize,
    nulls: NullPattern,
    seed: u64,
    offset: usize,
}

fn tables() -> impl Strategy<Value = Rows> {
    tables_of([data::fixed_width(), data::strings()].concat())
}

fn tables_of(types: Vec<DataType>) -> impl Strategy<Value = Rows> {
    (vec(select(types), 1..4), 0..300_usize, select(NullPattern::ALL), any::<u64>(), offsets())
        .prop_map(|(types, rows, nulls, seed, offset)| Rows { types, rows, nulls, seed, offset })
}

impl Rows {
    fn arrays(&self) -> Vec<ArrayRef> {
        let seeds = (0..).map(|at| self.seed.wrapping_add(at));
        self.types.iter().zip(seeds).map(|(of, seed)| random_array(of, self.rows, self.nulls, seed)).collect()
    }

    fn table(&self, bench: &Bench) -> gdf_core::Result<Table> {
        bench.table(&self.arrays(), self.offset)
    }

    /// Returns a mask with the same number of rows as the table.
    fn mask(&self) -> ArrayRef {
        random_array(&DataType::Boolean, self.rows, NullPattern::Every(7), self.seed ^ 0x6d61_736b)
    }

    fn permutation(&self) -> Vec<u32> {
        let mut rows: Vec<_> = (0..self.rows as u32).collect();
        rows.sort_by_key(|row| (u64::from(*row) ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        rows
    }
}

fn positions(cuts: &[Index], rows: usize) -> Vec<usize> {
    let mut positions: Vec<_> = cuts.iter().map(|cut| cut.index(rows + 1)).collect();
    positions.sort_unstable();
    positions
}

#[test]
fn gathering_undoes_scattering() {
    check(60, tables, |bench, rows| {
        let (arrays, table) = (rows.arrays(), rows.table(bench)?);
        let map: ArrayRef = std::sync::Arc::new(UInt32Array::from(rows.permutation()));
        let map = bench.column(&map, rows.offset)?;
        let scattered = scatter(&table, &map, &table, OutOfBoundsPolicy::Error)?;
        bench.same_table(&arrays, &gather(&scattered, &map, OutOfBoundsPolicy::Error)?)?;
        let gathered = gather(&table, &map, OutOfBoundsPolicy::Error)?;
        bench.same_table(&arrays, &scatter(&gathered, &map, &table, OutOfBoundsPolicy::Error)?)?;
        let numbers: Vec<_> = rows.permutation().into_iter().map(|row| row as usize).collect();
        bench.same_table(&copying::rows(&arrays, &numbers).map_err(oracle)?, &gathered)
    });
}

#[test]
fn rows_out_of_bounds_are_null() {
    let map = vec(proptest::option::weighted(0.9, -400..400_i64), 0..200);
    check(
        60,
        || (tables(), map),
        |bench, (rows, map)| {
            let map = gdf_test::builders::ints::<arrow_array::types::Int64Type>(map);
            let (table, column) = (rows.table(bench)?, bench.column(&map, rows.offset / 2)?);
            let expected = copying::gather(&rows.arrays(), &map).map_err(oracle)?;
            bench.same_table(&expected, &gather(&table, &column, OutOfBoundsPolicy::Nullify)?)?;
            let strict = gather(&table, &column, OutOfBoundsPolicy::Error);
            prop_assert_eq!(strict.is_err(), copying::first_out_of_bounds(&map, rows.rows).is_some());
            Ok(())
        },
    );
}

#[test]
fn concatenating_undoes_splitting() {
    check(
        60,
        || (tables(), vec(any::<Index>(), 0..6)),
        |bench, (rows, cuts)| {
            let (arrays, table, cuts) = (rows.arrays(), rows.table(bench)?, positions(&cuts, rows.rows));
            let parts = split(&table, &cuts)?;
            prop_assert_eq!(parts.len(), cuts.len() + 1);
            bench.same_table(&arrays, &concatenate(&parts)?)?;
            let packed = contiguous_split(&table, &cuts)?;
            let tables = packed.iter().map(|part| part.unpack()).collect::<gdf_core::Result<Vec<_>>>()?;
            let views: Vec<_> = tables.iter().map(Table::view).collect();
            bench.same_table(&arrays, &concatenate(&views)?)
        },
    );
}

#[test]
fn unpacking_undoes_packing() {
    check(60, tables, |bench, rows| {
        let (arrays, table) = (rows.arrays(), rows.table(bench)?);
        let packed = pack(&table)?;
        prop_assert_eq!(packed_size(&table)?, packed.data().len());
        bench.same_table(&arrays, &unpack(&packed.metadata()?, packed.data())?)?;
        let (mut chunks, mut bytes) = (chunked_pack(&table)?, Vec::new());
        let mut chunk = Buffer::zeroed(1 << 20, &bench.stream, bench.resource.as_ref())?;
        while chunks.has_next() {
            let len = chunks.next_chunk(&mut chunk)?;
            bytes.extend_from_slice(&chunk.to_host(&bench.stream)?[..len]);
        }
        prop_assert_eq!(bytes.len(), packed.data().len());
        let data = Buffer::from_host(&bytes, &bench.stream, bench.resource.as_ref())?;
        bench.same_table(&arrays, &unpack(&chunks.metadata()?, &data)?)
    });
}

#[test]
fn twice_reversed_is_as_before() {
    check(40, tables, |bench, rows| {
        let (arrays, table) = (rows.arrays(), rows.table(bench)?);
        let reversed = reverse(&table)?;
        let numbers: Vec<_> = (0..rows.rows).rev().collect();
        bench.same_table(&copying::rows(&arrays, &numbers).map_err(oracle)?, &reversed)?;
        bench.same_table(&arrays, &reverse(&reversed)?)
    });
}

#[test]
fn rows_are_shifted_filled_and_copied() {
    let range = (any::<Index>(), any::<Index>(), any::<Index>());
    let by = || prop_oneof![4 => -80..80_i64, 1 => any::<i64>()];
    check(
        60,
        || (tables(), by(), range),
        |bench, (rows, by, (begin, end, to))| {
            let (array, column) = (rows.arrays().remove(0), rows.table(bench)?.into_columns().remove(0));
            let fill_array = random_array(array.data_type(), 1, NullPattern::None, rows.seed);
            let value = gdf_core::Scalar::from_column(bench.column(&fill_array, 0)?)?;
            let shifted = copying::shift(&array, by, &fill_array).map_err(oracle)?;
            bench.same(&shifted[0], &shift(&column, by, &value)?)?;
            let bounds = positions(&[begin, end], rows.rows);
            let range = bounds[0]..bounds[1];
            let filled = filling::fill(&array, range.clone(), &fill_array).map_err(oracle)?;
            bench.same(&filled[0], &fill(&column, range.clone(), &value)?)?;
            let target = random_array(array.data_type(), rows.rows, NullPattern::Some, !rows.seed);
            let at = to.index(rows.rows - range.len() + 1);
            let copied = copying::copy_range(&array, range.clone(), &target, at).map_err(oracle)?;
            bench.same(&copied[0], &copy_range(&column, range, &bench.column(&target, 3)?, at)?)
        },
    );
}

#[test]
fn rows_are_repeated_as_often_as_counted() {
    let counts = vec(prop_oneof![8 => 0..4_i32, 1 => 0..90_i32], 300);
    check(
        50,
        || (tables(), counts, 0..4_usize),
        |bench, (rows, counts, times)| {
            let (arrays, table) = (rows.arrays(), rows.table(bench)?);
            let counts = &counts[..rows.rows];
            let numbers = filling::repeated(&counts.iter().map(|count| *count as usize).collect::<Vec<_>>());
            let column = gdf_test::builders::plain::<arrow_array::types::Int32Type>(counts.iter().copied());
            let expected = copying::rows(&arrays, &numbers).map_err(oracle)?;
            bench.same_table(&expected, &repeat(&table, &bench.column(&column, rows.offset)?)?)?;
            let all: Vec<_> = (0..times).flat_map(|_| 0..rows.rows).collect();
            bench.same_table(&copying::rows(&arrays, &all).map_err(oracle)?, &tile(&table, times)?)?;
            let each = filling::repeated(&vec![times; rows.rows]);
            bench.same_table(&copying::rows(&arrays, &each).map_err(oracle)?, &repeat(&table, times as i32)?)
        },
    );
}

#[test]
fn filtering_keeps_each_row_once() {
    check(60, tables, |bench, rows| {
        let (arrays, table, mask) = (rows.arrays(), rows.table(bench)?, rows.mask());
        let column = bench.column(&mask, rows.offset / 3)?;
        let kept = apply_boolean_mask(&table, &column)?;
        bench.same_table(&stream_compaction::apply_boolean_mask(&arrays, &mask).map_err(oracle)?, &kept)?;
        let deleted = apply_deletion_mask(&table, &column)?.num_rows();
        prop_assert_eq!(kept.num_rows() + deleted + mask.null_count(), rows.rows);
        bench.same_table(&arrays, &boolean_mask_scatter(&kept, &table, &column)?)?;
        // The target has other rows and another null pattern than the source.
        let nulls = NullPattern::ALL[rows.seed as usize / 16 % NullPattern::ALL.len()];
        let target = Rows { nulls, seed: !rows.seed, ..rows };
        let source = stream_compaction::apply_boolean_mask(&arrays, &mask).map_err(oracle)?;
        let expected = copying::boolean_mask_scatter(&source, &target.arrays(), &mask).map_err(oracle)?;
        bench.same_table(&expected, &boolean_mask_scatter(&kept, &target.table(bench)?, &column)?)
    });
}

#[test]
fn columns_are_chosen_from_by_a_mask() {
    check(60, tables, |bench, rows| {
        let (array, column) = (rows.arrays().remove(0), rows.table(bench)?.into_columns().remove(0));
        let other = random_array(array.data_type(), rows.rows, NullPattern::Every(5), !rows.seed);
        let (mask, right) = (rows.mask(), bench.column(&other, 2)?);
        let chosen = copy_if_else(&column, &right, &bench.column(&mask, rows.offset / 3)?)?;
        bench.same(&naive_choice::copy_if_else(&array, &other, &mask).map_err(oracle)?, &chosen)?;
        bench.same(&naive_choice::replace_nulls(&array, &other).map_err(oracle)?, &replace_nulls(&column, &right)?)?;
        for (policy, following) in [(ReplacePolicy::Preceding, false), (ReplacePolicy::Following, true)] {
            let expected = naive_replace::replace_nulls_by_policy(&array, following).map_err(oracle)?;
            bench.same(&expected, &replace_nulls_by_policy(&column, policy)?)?;
        }
        Ok(())
    });
}

#[test]
fn sorting_permutes_rows_into_order() {
    let directions = vec((any::<bool>(), any::<bool>()), 3);
    let types = data::ordered();
    check(
        80,
        || (tables_of(types), directions),
        |bench, (rows, directions)| {
            let (arrays, table) = (rows.arrays(), rows.table(bench)?);
            let directions = &directions[..arrays.len()];
            let orders: Vec<_> = directions
                .iter()
                .map(|(descending, _)| if *descending { Order::Descending } else { Order::Ascending })
                .collect();
            let null_orders: Vec<_> = directions
                .iter()
                .map(|(_, before)| if *before { NullOrder::Before } else { NullOrder::After })
                .collect();
            let sorted = sort(&table, &orders, &null_orders)?;
            prop_assert!(is_sorted(&sorted, &orders, &null_orders)?);
            let order = sorted_order(&table, &orders, &null_orders)?;
            let gathered = gather(&table, &order, OutOfBoundsPolicy::Error)?;
            let columns =
                gathered.columns().iter().map(|column| bench.array(column)).collect::<gdf_core::Result<Vec<_>>>()?;
            bench.same_table(&columns, &sorted)?;
            let by: Vec<_> = directions
                .iter()
                .map(|&(descending, nulls_smallest)| Direction { descending, nulls_smallest })
                .collect();
            prop_assert_eq!(is_sorted(&table, &orders, &null_orders)?, sorting::is_sorted(&arrays, &by));
            let mut numbers: Vec<_> = to_values(&bench.array(&order)?).into_iter().flatten().collect();
            let expected: Vec<_> = sorting::order(&arrays, &by);
            // Sorting is stable, so the expected order is unique.
            prop_assert!(numbers.iter().map(|row| row.as_i128()).eq(expected.iter().map(|row| Some(*row as i128))));
            numbers.sort();
            numbers.dedup();
            prop_assert_eq!(numbers.len(), rows.rows);
            Ok(())
        },
    );
}

#[test]
fn codes_are_rows_of_the_keys() {
    let types = vec![DataType::Int16, DataType::Utf8, DataType::Boolean, DataType::Decimal64(18, 4), DataType::UInt64];
    check(
        40,
        || tables_of(types),
        |bench, rows| {
            let (keys, codes) = encode(&rows.table(bench)?)?;
            bench.same_table(&rows.arrays(), &gather(&keys, &codes, OutOfBoundsPolicy::Error)?)
        },
    );
}

#[test]
fn columns_become_rows_and_rows_columns() {
    let types =
        vec![DataType::Int8, DataType::Boolean, DataType::Float64, DataType::Decimal128(38, 10), DataType::Date32];
    check(
        40,
        || (tables_of(types), 1..5_usize),
        |bench, (mut rows, columns)| {
            rows.rows %= 40;
            rows.types = vec![rows.types[0].clone(); columns];
            let (arrays, table) = (rows.arrays(), rows.table(bench)?);
            let mixed = interleave_columns(&table)?;
            let expected = gdf_tests::naive::reshape::interleave_columns(&arrays).map_err(oracle)?;
            bench.same(&expected[0], &mixed)?;
            if rows.rows > 0 {
                bench.same_table(&arrays, &transpose(&transpose(&table)?)?)?;
            }
            Ok(())
        },
    );
}

#[test]
fn bytes_of_numbers() {
    let types = [data::integral(), vec![DataType::Float32, DataType::Float64]].concat();
    check(
        30,
        || (tables_of(types), any::<bool>()),
        |bench, (rows, big)| {
            let (array, column) = (rows.arrays().remove(0), rows.table(bench)?.into_columns().remove(0));
            let order = if big { ByteOrder::BigEndian } else { ByteOrder::LittleEndian };
            let expected = gdf_tests::naive::reshape::byte_cast(&array, big).map_err(oracle)?;
            bench.same(&expected[0], &byte_cast(&column, order)?)
        },
    );
}

#[test]
fn masks_are_columns_of_booleans() {
    let bounds = (any::<Index>(), any::<Index>());
    check(
        60,
        || (tables(), bounds),
        |bench, (rows, (begin, end))| {
            let (arrays, table) = (rows.arrays(), rows.table(bench)?);
            let bounds = positions(&[begin, end], rows.rows);
            let range = bounds[0]..bounds[1];
            let all = |mask: gdf_core::Result<_>| mask_to_bools(&mask?, 0, rows.rows);
            bench.same(&null_mask::bitmask_and(&arrays), &all(bitmask_and(&table))?)?;
            bench.same(&null_mask::bitmask_or(&arrays), &all(bitmask_or(&table))?)?;
            let (array, column) = (&arrays[0], table.column(0)?);
            let mask = copy_bitmask(column)?;
            bench.same(&null_mask::mask_to_bools(array, &range), &mask_to_bools(&mask, range.start, range.end)?)?;
            prop_assert_eq!(null_count(column, range.start, range.end)? as u64, null_mask::null_count(array, &range));
            let views: Vec<_> = table.columns().iter().map(|column| column.view()).collect();
            let joined = concatenate_masks(&views)?;
            let len = rows.rows * arrays.len();
            bench.same(&null_mask::concatenate_masks(&arrays), &mask_to_bools(&joined, 0, len)?)?;
            let bools = bench.column(&rows.mask(), rows.offset)?;
            bench.same(&null_mask::bools_to_mask(&rows.mask()), &all(bools_to_mask(&bools))?)
        },
    );
}
