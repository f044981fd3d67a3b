//! Tests that operations that move rows agree with the oracles on columns of random nested types. The types have up to
//! four levels, and nulls that hide elements and fields at every level.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt32Type};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{DataType, Field, Fields, UnionMode};
use gdf_api::concatenate::concatenate;
use gdf_api::contiguous_split::contiguous_split;
use gdf_api::copying::{
    OutOfBoundsPolicy, boolean_mask_scatter, copy_if_else, copy_range, gather, has_nonempty_nulls,
    purge_nonempty_nulls, reverse, scatter, shift, slice,
};
use gdf_api::filling::repeat;
use gdf_api::lists::{explode, explode_outer_position};
use gdf_api::partitioning::{partition, round_robin_partition};
use gdf_api::replace::replace_nulls;
use gdf_api::reshape::{interleave_columns, tile};
use gdf_api::sorting::{NullOrder, Order, sort_by_key};
use gdf_api::stream_compaction::{apply_boolean_mask, apply_deletion_mask};
use gdf_core::layout::child_types;
use gdf_core::{Abilities, Column, Scalar, Table};
use gdf_test::builders::{ints, plain};
use gdf_test::compare::check_sanitized;
use gdf_test::data::{NullPattern, padded, random_array, soiled};
use gdf_tests::naive::copying::copy_if_else as choice;
use gdf_tests::naive::sorting::Direction;
use gdf_tests::naive::{copying, filling, lists, partitioning, sorting, stream_compaction};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestCaseResult;

use super::{Bench, check, offsets, oracle};

const CASES: u32 = 40;
const ROWS: usize = 70;

/// A column of a random nested type, and the start of its slice.
#[derive(Clone, Debug)]
pub(super) struct Nested {
    pub(super) data_type: DataType,
    rows: usize,
    nulls: NullPattern,
    seed: u64,
    offset: usize,
}

fn nested() -> impl Strategy<Value = Nested> {
    nested_of((1..=4_usize).prop_flat_map(types))
}

pub(super) fn nested_of(types: impl Strategy<Value = DataType>) -> impl Strategy<Value = Nested> {
    (types, 0..ROWS, select(NullPattern::ALL), any::<u64>(), offsets())
        .prop_map(|(data_type, rows, nulls, seed, offset)| Nested { data_type, rows, nulls, seed, offset })
}

/// Makes types with exactly `levels` levels above the values.
fn types(levels: usize) -> BoxedStrategy<DataType> {
    if levels == 0 {
        return leaves().boxed();
    }
    let pair = || (types(levels - 1), leaves());
    prop_oneof![
        6 => lists_over(levels - 1),
        5 => (pair(), any::<bool>()).prop_map(|((deep, flat), first)| structs(deep, flat, first)),
        1 => types(levels - 1).prop_map(|of| DataType::ListView(field(of).into())),
        1 => (pair(), any::<bool>()).prop_map(|((deep, flat), dense)| union_of(deep, flat, dense)),
    ]
    .boxed()
}

/// Makes types of lists whose elements have exactly `levels` levels above the values.
fn lists_over(levels: usize) -> BoxedStrategy<DataType> {
    let keys = || prop_oneof![Just(DataType::Utf8), Just(DataType::Int16)];
    prop_oneof![
        3 => types(levels).prop_map(|of| DataType::List(field(of).into())),
        2 => types(levels).prop_map(|of| DataType::LargeList(field(of).into())),
        1 => (types(levels), keys()).prop_map(|(value, key)| map_of(key, value)),
    ]
    .boxed()
}

fn leaves() -> impl Strategy<Value = DataType> {
    let runs = DataType::RunEndEncoded(
        Field::new("run_ends", DataType::Int32, false).into(),
        Field::new("values", DataType::Int64, true).into(),
    );
    let plain = select(vec![
        DataType::Int8,
        DataType::Int32,
        DataType::Float64,
        DataType::Boolean,
        DataType::Decimal128(38, 10),
        DataType::FixedSizeBinary(5),
        DataType::Utf8,
        DataType::LargeBinary,
    ]);
    let short_lists = (plain.clone(), 1..4_i32).prop_map(|(of, size)| DataType::FixedSizeList(field(of).into(), size));
    let others = [DataType::Utf8View, DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)), runs];
    prop_oneof![6 => plain, 1 => short_lists, 2 => select(others.to_vec())]
}

pub(super) fn field(data_type: DataType) -> Field {
    Field::new("item", data_type, true)
}

pub(super) fn structs(deep: DataType, flat: DataType, deep_first: bool) -> DataType {
    let fields = if deep_first { [deep, flat] } else { [flat, deep] };
    let named = ["a", "b"].into_iter().zip(fields).map(|(name, of)| Field::new(name, of, true));
    DataType::Struct(named.collect())
}

pub(super) fn map_of(key: DataType, value: DataType) -> DataType {
    let entry = Fields::from(vec![Field::new("keys", key, false), Field::new("values", value, true)]);
    DataType::Map(Field::new("entries", DataType::Struct(entry), false).into(), false)
}

fn union_of(deep: DataType, flat: DataType, dense: bool) -> DataType {
    let fields = [(2, Field::new("a", flat, true).into()), (9, Field::new("b", deep, true).into())];
    DataType::Union(fields.into_iter().collect(), if dense { UnionMode::Dense } else { UnionMode::Sparse })
}

/// Puts elements and fields under the nulls of every level.
fn soiled_deeply(array: &ArrayRef) -> ArrayRef {
    use DataType::{FixedSizeList, LargeList, List, Map, Struct};
    let data = soiled(array).to_data();
    if !matches!(data.data_type(), List(_) | LargeList(_) | FixedSizeList(..) | Map(..) | Struct(_)) {
        return make_array(data);
    }
    let children = data.child_data().iter().map(|child| soiled_deeply(&make_array(child.clone())).to_data());
    let children = children.collect();
    make_array(data.into_builder().child_data(children).build().expect("the children have the same elements"))
}

/// Returns whether rows of the type share elements with the input after they are moved.
fn shares(data_type: &DataType) -> bool {
    match data_type {
        DataType::ListView(_) | DataType::Dictionary(..) | DataType::Utf8View => true,
        DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) | DataType::Map(of, _) => {
            shares(of.data_type())
        }
        DataType::Struct(fields) => fields.iter().any(|field| shares(field.data_type())),
        DataType::Union(..) | DataType::RunEndEncoded(..) => true,
        _ => false,
    }
}

impl Nested {
    pub(super) fn array(&self) -> ArrayRef {
        random_array(&self.data_type, self.rows, self.nulls, self.seed)
    }

    /// Returns other rows of the same type.
    fn other(&self, rows: usize) -> ArrayRef {
        random_array(&self.data_type, rows, NullPattern::Every(5), !self.seed)
    }

    pub(super) fn column(&self, bench: &Bench) -> gdf_core::Result<Column> {
        upload(bench, &self.array(), self.offset)
    }

    fn table(&self, bench: &Bench) -> gdf_core::Result<Table> {
        Table::try_new(vec![self.column(bench)?])
    }

    fn mask(&self) -> ArrayRef {
        random_array(&DataType::Boolean, self.rows, NullPattern::Every(7), self.seed ^ 0x6d61_736b)
    }

    fn permutation(&self) -> Vec<u32> {
        let mut rows: Vec<_> = (0..self.rows as u32).collect();
        rows.sort_by_key(|row| (u64::from(*row) ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        rows
    }
}

/// Builds a column with hidden values. If `offset` is not 0, the column is a slice of a longer column.
fn upload(bench: &Bench, array: &ArrayRef, offset: usize) -> gdf_core::Result<Column> {
    let soiled = soiled_deeply(array);
    if offset == 0 {
        return Column::from_arrow(&soiled, &bench.stream, bench.resource.as_ref());
    }
    let around = if array.nulls().is_some() { NullPattern::Some } else { NullPattern::None };
    let long = padded(&soiled, offset, 11, around);
    Column::from_arrow(&long, &bench.stream, bench.resource.as_ref())?.slice(offset, array.len())
}

/// Checks the rows of a result, and that nothing is under its nulls.
fn moved(bench: &Bench, expected: &[ArrayRef], got: &Table) -> TestCaseResult {
    for column in got.columns().iter().filter(|column| !shares(column.data_type())) {
        check_sanitized(column, &bench.stream).map_err(|rule| oracle(format!("{}: {rule}", column.data_type())))?;
    }
    bench.same_table(expected, got)
}

fn moved_column(bench: &Bench, expected: ArrayRef, got: Column) -> TestCaseResult {
    moved(bench, &[expected], &Table::try_new(vec![got])?)
}

#[test]
fn nested_rows_are_gathered() {
    let map = vec(proptest::option::weighted(0.9, -90..90_i64), 0..80);
    check(
        CASES,
        || (nested(), map),
        |bench, (rows, map)| {
            let (arrays, table) = ([rows.array()], rows.table(bench)?);
            let map = ints::<Int64Type>(map);
            let expected = copying::gather(&arrays, &map).map_err(oracle)?;
            let map = bench.column(&map, rows.offset / 2)?;
            moved(bench, &expected, &gather(&table, &map, OutOfBoundsPolicy::Nullify)?)?;
            let backwards: Vec<_> = (0..rows.rows).rev().collect();
            moved(bench, &copying::rows(&arrays, &backwards).map_err(oracle)?, &reverse(&table)?)
        },
    );
}

#[test]
fn nested_rows_are_filtered() {
    check(CASES, nested, |bench, rows| {
        let (arrays, table, mask) = ([rows.array()], rows.table(bench)?, rows.mask());
        let column = bench.column(&mask, rows.offset / 3)?;
        let expected = stream_compaction::apply_boolean_mask(&arrays, &mask).map_err(oracle)?;
        let kept = apply_boolean_mask(&table, &column)?;
        moved(bench, &expected, &kept)?;
        let deleted = apply_deletion_mask(&table, &column)?.num_rows();
        prop_assert_eq!(kept.num_rows() + deleted + mask.null_count(), rows.rows);
        let target = rows.other(rows.rows);
        let expected =
            copying::boolean_mask_scatter(&expected, std::slice::from_ref(&target), &mask).map_err(oracle)?;
        let target = Table::try_new(vec![upload(bench, &target, 2)?])?;
        moved(bench, &expected, &boolean_mask_scatter(&kept, &target, &column)?)
    });
}

#[test]
fn nested_rows_are_cut_and_joined() {
    check(
        CASES,
        || (nested(), vec(any::<Index>(), 4)),
        |bench, (rows, cuts)| {
            let (array, table) = (rows.array(), rows.table(bench)?);
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(rows.rows + 1)).collect();
            cuts.sort_unstable();
            let parts = slice(&table, &cuts)?;
            let expected = copying::slice(std::slice::from_ref(&array), &cuts).map_err(oracle)?;
            for (expected, part) in expected.iter().zip(&parts) {
                bench.same(expected, &part.column(0)?.to_column())?;
            }
            let joined: Vec<_> = (cuts[0]..cuts[1]).chain(cuts[2]..cuts[3]).collect();
            let expected = copying::rows(std::slice::from_ref(&array), &joined).map_err(oracle)?;
            bench.same_table(&expected, &concatenate(&parts)?)?;
            let packed = contiguous_split(&table, &cuts)?;
            let tables = packed.iter().map(|part| part.unpack()).collect::<gdf_core::Result<Vec<_>>>()?;
            let views: Vec<_> = tables.iter().map(Table::view).collect();
            bench.same_table(&[array], &concatenate(&views)?)
        },
    );
}

#[test]
fn nested_rows_are_scattered() {
    check(CASES, nested, |bench, rows| {
        let target = rows.other(rows.rows + 9);
        let map = plain::<UInt32Type>(rows.permutation());
        let expected = copying::scatter(&[rows.array()], &map, std::slice::from_ref(&target)).map_err(oracle)?;
        let target = Table::try_new(vec![upload(bench, &target, rows.offset / 5)?])?;
        let map = bench.column(&map, 0)?;
        moved(bench, &expected, &scatter(&rows.table(bench)?, &map, &target, OutOfBoundsPolicy::Error)?)
    });
}

#[test]
fn nested_rows_are_chosen() {
    check(
        CASES,
        || (nested(), any::<Index>(), -90..90_i64),
        |bench, (rows, at, by)| {
            let (array, other, mask) = (rows.array(), rows.other(rows.rows), rows.mask());
            let (left, right) = (rows.column(bench)?, upload(bench, &other, 2)?);
            let chosen = copy_if_else(&left, &right, &bench.column(&mask, rows.offset / 3)?)?;
            moved_column(bench, choice::copy_if_else(&array, &other, &mask).map_err(oracle)?, chosen)?;
            if left.has_validity() {
                let replaced = replace_nulls(&left, &right)?;
                moved_column(bench, choice::replace_nulls(&array, &other).map_err(oracle)?, replaced)?;
            }
            let value = rows.other(2).slice(1, 1);
            let shifted = copying::shift(&array, by, &value).map_err(oracle)?.remove(0);
            let value = Scalar::from_column(upload(bench, &value, 0)?)?;
            bench.same(&shifted, &shift(&left, by, &value)?)?;
            let range = at.index(rows.rows + 1)..rows.rows;
            let expected = copying::copy_range(&array, range.clone(), &other, 0).map_err(oracle)?.remove(0);
            bench.same(&expected, &copy_range(&left, range, &right, 0)?)
        },
    );
}

#[test]
fn nested_rows_are_repeated() {
    check(
        CASES,
        || (nested(), vec(0..4_i32, ROWS)),
        |bench, (rows, counts)| {
            let (arrays, table, counts) = ([rows.array()], rows.table(bench)?, &counts[..rows.rows]);
            let numbers = filling::repeated(&counts.iter().map(|count| *count as usize).collect::<Vec<_>>());
            let expected = copying::rows(&arrays, &numbers).map_err(oracle)?;
            let counts = plain::<Int32Type>(counts.iter().copied());
            moved(bench, &expected, &repeat(&table, &bench.column(&counts, rows.offset)?)?)?;
            let twice: Vec<_> = (0..rows.rows).chain(0..rows.rows).collect();
            moved(bench, &copying::rows(&arrays, &twice).map_err(oracle)?, &tile(&table, 2)?)?;
            let other = rows.other(rows.rows);
            let both = Table::try_new(vec![rows.column(bench)?, upload(bench, &other, 1)?])?;
            let arrays = [rows.array(), other];
            let expected = gdf_tests::naive::reshape::interleave_columns(&arrays).map_err(oracle)?.remove(0);
            bench.same(&expected, &interleave_columns(&both)?)
        },
    );
}

#[test]
fn nested_elements_become_rows() {
    let lists_only = (0..4_usize).prop_flat_map(lists_over);
    check(
        CASES,
        || (nested_of(lists_only), nested()),
        |bench, (rows, beside)| {
            let beside = Nested { rows: rows.rows, ..beside };
            let arrays = [beside.array(), rows.array()];
            let table = Table::try_new(vec![beside.column(bench)?, rows.column(bench)?])?;
            let expected = lists::explode(&arrays, 1, false, false).map_err(oracle)?;
            bench.same_table(&expected, &explode(&table, 1)?)?;
            let expected = lists::explode(&arrays, 1, true, true).map_err(oracle)?;
            bench.same_table(&expected, &explode_outer_position(&table, 1)?)
        },
    );
}

#[test]
fn nested_rows_are_ordered_by_a_key_and_partitioned() {
    let direction = (any::<bool>(), any::<bool>());
    check(
        CASES,
        || (nested(), direction, 1..6_usize),
        |bench, (rows, (descending, nulls_smallest), partitions)| {
            let (arrays, table) = ([rows.array()], rows.table(bench)?);
            let keys = [random_array(&DataType::Int8, rows.rows, NullPattern::Every(6), rows.seed)];
            let by = [Direction { descending, nulls_smallest }];
            let expected = sorting::sort_by_key(&arrays, &keys, &by, rows.rows).map_err(oracle)?;
            let order = if descending { Order::Descending } else { Order::Ascending };
            let nulls = if nulls_smallest { NullOrder::Before } else { NullOrder::After };
            let sorted = sort_by_key(&table, &bench.table(&keys, rows.offset)?, &[order], &[nulls])?;
            moved(bench, &expected, &sorted)?;
            let numbers: Vec<_> = rows.permutation().iter().map(|row| *row as usize % partitions).collect();
            let mut expected = partitioning::partitioned(&arrays, &numbers, partitions).map_err(oracle)?;
            let map = plain::<Int32Type>(numbers.iter().map(|number| *number as i32));
            let (parts, offsets) = partition(&table, &bench.column(&map, rows.offset)?, partitions)?;
            prop_assert_eq!(offsets.len(), partitions + 1);
            expected.truncate(1);
            moved(bench, &expected, &parts)?;
            let numbers: Vec<_> = (0..rows.rows).map(|row| row % partitions).collect();
            let mut expected = partitioning::partitioned(&arrays, &numbers, partitions).map_err(oracle)?;
            expected.truncate(1);
            moved(bench, &expected, &round_robin_partition(&table, partitions, 0)?.0)
        },
    );
}

/// Returns whether text, elements or fields are under a null.
fn hides(array: &dyn Array) -> bool {
    let null = |row: &usize| array.is_null(*row);
    let rows = 0..array.len();
    match array.data_type() {
        DataType::Utf8 => rows.filter(null).any(|row| array.as_string::<i32>().value_length(row) > 0),
        DataType::LargeBinary => rows.filter(null).any(|row| array.as_binary::<i64>().value_length(row) > 0),
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            let (begin, end) = (lists.value_offsets()[0] as usize, lists.value_offsets()[array.len()] as usize);
            rows.filter(null).any(|row| lists.value_length(row) > 0) || hides(&lists.values().slice(begin, end - begin))
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            let (begin, end) = (lists.value_offsets()[0] as usize, lists.value_offsets()[array.len()] as usize);
            rows.filter(null).any(|row| lists.value_length(row) > 0) || hides(&lists.values().slice(begin, end - begin))
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            let (begin, end) = (maps.value_offsets()[0] as usize, maps.value_offsets()[array.len()] as usize);
            rows.filter(null).any(|row| maps.value_length(row) > 0) || hides(&maps.entries().slice(begin, end - begin))
        }
        DataType::FixedSizeList(_, size) => {
            let (lists, size) = (array.as_fixed_size_list(), *size as usize);
            let elements = lists.values().slice(lists.value_offset(0) as usize, array.len() * size);
            let mut of_nulls = rows.filter(null).flat_map(|row| row * size..(row + 1) * size);
            of_nulls.any(|element| elements.is_valid(element)) || hides(&elements)
        }
        DataType::Struct(_) => {
            let fields = array.as_struct().columns();
            fields.iter().any(|field| hides(field) || rows.clone().filter(null).any(|row| field.is_valid(row)))
        }
        _ => false,
    }
}

/// Returns whether a list view, a union or runs are in the type.
fn has_composite(data_type: &DataType) -> bool {
    Abilities::of(data_type).composite || child_types(data_type).into_iter().any(has_composite)
}

#[test]
fn hidden_nested_values_are_purged() {
    let plain = (1..=4_usize).prop_flat_map(types).prop_filter("it has no parts", |of| !has_composite(of));
    check(
        2 * CASES,
        || (nested_of(plain), any::<bool>()),
        |bench, (rows, dirty)| {
            let array = rows.array();
            let stored = if dirty { soiled_deeply(&array) } else { array.clone() };
            let stored = stored.slice(rows.rows / 3, rows.rows - rows.rows / 3);
            let column = Column::from_arrow(&stored, &bench.stream, bench.resource.as_ref())?;
            prop_assert_eq!(has_nonempty_nulls(&column)?, !stored.is_empty() && hides(&stored));
            let clean = purge_nonempty_nulls(&column)?;
            prop_assert!(!has_nonempty_nulls(&clean)?);
            moved_column(bench, stored, clean)
        },
    );
}
