//! Entries of `sorting`.

pub(super) mod columns;
pub(super) mod nulls;
pub(super) mod rank;
pub(super) mod segmented;
pub(super) mod selected;
pub(super) mod top;

use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_api::sorting::{NullOrder, Order, is_sorted, sort, sort_by_key, sorted_order};
use gdf_core::Error;
use gdf_external::bounds;

use self::columns::{common_text, dense, flags, short, spread, spread_64};
use self::top::{top, top_rows};
use super::shared::tables::{as_table, few_nested, gather_waits, nested_key_waits, shape_of, shown, table};
use super::{Case, Entry, SliceCosts};
use crate::naive;
use crate::naive::sorting::Direction;
use gdf_test::builders::{bools, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern};
use gdf_test::value::{Value, from_values, to_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("sorting.sorted_order", Equality::Exact, orders),
        Entry::new("sorting.sort", Equality::Exact, sorts),
        Entry::new("sorting.sort_by_key", Equality::Exact, sorts_by_key),
        Entry::new("sorting.is_sorted", Equality::Exact, tests_of_order),
        Entry::new("sorting.top_k", Equality::Exact, top),
        Entry::new("sorting.top_k_order", Equality::Exact, top_rows),
    ]
}

const ALL_NULLS: &[NullPattern] = NullPattern::ALL;
pub(super) const TWO_NULLS: &[NullPattern] = &[NullPattern::None, NullPattern::Some];
/// The largest number of rows of one block, one row more, and the rows of several tiles.
const MANY: &[usize] = &[4096, 4097, 20_000];
/// The largest number of rows of the bin sort.
pub(super) const MANY_ROWS: usize = 1 << 18;

fn sortable() -> Vec<DataType> {
    [data::numeric(), data::decimal(), data::temporal(), data::strings(), vec![DataType::Boolean]].concat()
}

pub(super) fn few() -> Vec<DataType> {
    vec![
        DataType::Int32,
        DataType::UInt64,
        DataType::Float64,
        DataType::Boolean,
        DataType::Decimal128(38, 10),
        DataType::Decimal256(76, 0),
        DataType::Utf8,
    ]
}

/// Returns a short column of every type.
pub(super) fn all_types() -> Vec<Keys> {
    single(&sortable(), &[65], &TWO_NULLS[1..])
}

#[derive(Clone)]
pub(super) struct Keys {
    pub(super) label: String,
    pub(super) columns: Vec<ArrayRef>,
    pub(super) directions: Vec<Direction>,
}

impl Keys {
    /// Builds a table.
    fn new(label: String, columns: Vec<ArrayRef>, choice: usize) -> Self {
        let direction = |column: usize| Direction {
            descending: choice >> (column % 4 * 2) & 1 == 1,
            nulls_smallest: choice >> (column % 4 * 2 + 1) & 1 == 0,
        };
        let directions = (0..columns.len()).map(direction).collect();
        Keys { label: format!("{label}/{choice:b}"), columns, directions }
    }

    pub(super) fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.len())
    }

    /// Returns the largest number of waits for the order.
    pub(super) fn waits(&self) -> u64 {
        let rounds = |key: &ArrayRef| {
            let longest = to_values(key).iter().flatten().filter_map(Value::as_bytes).map(<[u8]>::len).max();
            longest.map_or(0, |longest| 2 + longest / 3)
        };
        let words = 2 * self.columns.len();
        let plain = 1 + words.div_ceil(8) + self.columns.iter().map(rounds).sum::<usize>();
        plain as u64 + nested_key_waits(&self.columns)
    }

    /// Returns the costs of slices.
    fn slice_costs(&self) -> SliceCosts {
        if nested_key_waits(&self.columns) > 0 { SliceCosts::Own } else { SliceCosts::Same }
    }

    pub(super) fn orders(&self) -> Vec<Order> {
        let order = |d: &Direction| if d.descending { Order::Descending } else { Order::Ascending };
        self.directions.iter().map(order).collect()
    }

    pub(super) fn null_orders(&self) -> Vec<NullOrder> {
        let order = |d: &Direction| if d.nulls_smallest { NullOrder::Before } else { NullOrder::After };
        self.directions.iter().map(order).collect()
    }
}

/// Returns the number of a direction. Every type, every length and every null pattern meets every direction.
fn direction(data_type: usize, length: usize, nulls: usize) -> usize {
    data_type + data_type / 4 + length + nulls
}

pub(super) fn single(types: &[DataType], lengths: &[usize], nulls: &[NullPattern]) -> Vec<Keys> {
    let mut all = Vec::new();
    for (of, data_type) in types.iter().enumerate() {
        for (length, &rows) in lengths.iter().enumerate() {
            for (at, &pattern) in nulls.iter().enumerate() {
                let column = data::random_array(data_type, rows, pattern, all.len() as u64);
                let choice = direction(of, length, at) % 4;
                all.push(Keys::new(format!("{data_type}/{rows}/{pattern:?}"), vec![column], choice));
            }
        }
    }
    all
}

fn several(lengths: &[usize]) -> Vec<Keys> {
    use DataType::{Boolean, Decimal128, Float32, Float64, Int8, Int16, Int32, Int64, LargeUtf8, UInt8, Utf8};
    let tables = [
        vec![Int8, Int8],
        vec![Boolean, Int32, Int64],
        vec![Int32, Float64, UInt8],
        vec![Decimal128(38, 10), Int16, Float32, Boolean],
        vec![Utf8, Int8],
        vec![Boolean, LargeUtf8, Utf8, Int64],
        vec![Boolean; 17],
        vec![Int8; 40],
    ];
    let mut all = Vec::new();
    for (i, types) in tables.iter().enumerate() {
        for &rows in lengths {
            for &pattern in TWO_NULLS {
                let seed = all.len() as u64 * 64 + 7;
                let columns = table(types, rows, pattern, seed);
                let choice = (i + rows).wrapping_mul(0x9e37_79b9) & 0xff;
                all.push(Keys::new(format!("{} columns, table {i}/{rows}/{pattern:?}", types.len()), columns, choice));
            }
        }
    }
    all
}

/// Returns keys of nested types in every direction.
pub(super) fn nested_keys(types: &[DataType], lengths: &[usize]) -> Vec<Keys> {
    let mut all = Vec::new();
    for (of, data_type) in types.iter().enumerate() {
        for (length, &rows) in lengths.iter().enumerate() {
            for (at, &pattern) in TWO_NULLS.iter().enumerate() {
                let seed = all.len();
                let mut columns = vec![few_nested(data_type, rows, rows / 2 + 1, pattern, seed as u64)];
                if seed % 3 == 0 {
                    columns.insert(0, data::random_array(&DataType::Boolean, rows, pattern, seed as u64));
                }
                let choice = direction(of, length, at) * 5 % 16;
                all.push(Keys::new(format!("nested {data_type}/{rows}/{pattern:?}"), columns, choice));
            }
        }
    }
    all
}

/// Returns keys with the rows of several tiles.
pub(super) fn special() -> Vec<Keys> {
    let rows = 5000;
    let numbers = |value: &dyn Fn(usize) -> i128| -> ArrayRef {
        from_values(&DataType::Int64, &(0..rows).map(|row| Some(Value::Int(value(row)))).collect::<Vec<_>>())
    };
    let short: Vec<_> = (0..rows).map(|row| Some(Value::Str(["R", "A", "N"][row * row % 3].to_owned()))).collect();
    let short = from_values(&DataType::Utf8, &short);
    let thirds = (0..11_000).map(|row| Some(Value::Int((row % 3) << 29)));
    let thirds = from_values(&DataType::Int64, &thirds.collect::<Vec<_>>());
    let few = (0..11_000).map(|row| (row % 9 != 4).then_some(Value::Int(row % 3)));
    let few = from_values(&DataType::Int64, &few.collect::<Vec<_>>());
    let equal = numbers(&|_| 17);
    let steps = numbers(&|row| (row * 7919 % rows) as i128 * 1_000_000 - 77);
    let wide = numbers(&|row| ((row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64).into());
    let nothing = data::random_array(&DataType::Utf8, rows, NullPattern::All, 1);
    let new = |label: &str, columns: Vec<ArrayRef>, choice| Keys::new(label.to_owned(), columns, choice);
    vec![
        new("equal numbers", vec![equal.clone()], 0),
        new("numbers in steps", vec![steps.clone()], 1),
        new("two numbers in a word", vec![steps.clone(), short.clone()], 1),
        new("two words", vec![wide.clone(), steps.clone(), equal], 4),
        new("short text", vec![short.clone()], 0),
        new("short texts", vec![short, common_text(rows)], 5),
        new("text with much in common", vec![common_text(rows)], 0),
        new("text with much in common, from the end", vec![common_text(rows)], 3),
        new("text with much in common, few rows", vec![common_text(200)], 1),
        new("text of nulls", vec![nothing], 0),
        new("dense 32 bits", vec![dense(32, false)], 0),
        new("dense 64 bits", vec![dense(64, false)], 1),
        new("dense 32 bits and nulls", vec![dense(32, true)], 3),
        new("few numbers and nulls", vec![few], 2),
        new("dense 34 bits in two columns", vec![dense(32, false), thirds], 2),
    ]
}

/// Returns rows that fill the bins of the bin sort evenly.
fn even() -> Vec<Keys> {
    let case = |rows: usize| Keys::new(format!("even/{rows}"), vec![spread(rows, rows < MANY_ROWS)], rows);
    [65_535, 65_536, MANY_ROWS + 1].map(case).to_vec()
}

/// Returns tables with many rows.
fn many() -> Vec<Keys> {
    let new = |label: &str, columns: Vec<ArrayRef>, choice| Keys::new(format!("many/{label}"), columns, choice);
    let rows = MANY_ROWS + 1;
    vec![
        new("nulls", vec![spread(300_000, true)], 0),
        new("nulls, 32 bits", vec![short(rows, true)], 2),
        new("nulls, 64 bits", vec![spread_64(rows)], 1),
        new("two keys", vec![short(rows, false), spread(rows, true)], 9),
        new("three keys", vec![flags(rows), short(rows, false), spread(rows, true)], 6),
    ]
}

fn all_keys() -> Vec<Keys> {
    [
        even(),
        single(&sortable(), &[0, 1, 33, 65], TWO_NULLS),
        single(&few(), &[2, 32, 257, 1024, 1025], ALL_NULLS),
        single(&few(), MANY, TWO_NULLS),
        several(&[0, 1, 64, 300, 4099]),
        special(),
        nested_keys(&data::nested_keys(), &[0, 1, 33, 300]),
    ]
    .concat()
}

/// Returns fewer tables than `all_keys`.
pub(super) fn some_keys() -> Vec<Keys> {
    [
        all_types(),
        single(&few(), &[0, 1, 33, 300], TWO_NULLS),
        single(&few(), &[5000], TWO_NULLS),
        several(&[0, 33, 4099]),
        special(),
        nested_keys(&data::nested_keys(), &[65]),
    ]
    .concat()
}

pub(super) fn row_numbers(rows: Vec<usize>) -> Vec<ArrayRef> {
    vec![plain::<UInt32Type>(rows.into_iter().map(|row| row as u32))]
}

fn orders() -> Vec<Case> {
    let case = |keys: Keys| {
        let (waits, slices) = (keys.waits(), keys.slice_costs());
        let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions);
        Case::new(
            keys.label,
            keys.columns,
            move |inputs| Ok(vec![sorted_order(&as_table(inputs)?, &orders, &nulls)?]),
            move |inputs| Ok(row_numbers(naive::sorting::order(inputs, &directions))),
            waits,
        )
        .with_slice_costs(slices)
    };
    let fixed_lists: Vec<_> =
        data::nested().into_iter().filter(|of| matches!(of, DataType::FixedSizeList(..))).collect();
    let cases = [all_keys(), nested_keys(&fixed_lists, &[0, 65])].concat().into_iter().map(case);
    cases.chain(nulls::orders()).collect()
}

fn sorts() -> Vec<Case> {
    let case = |keys: Keys| {
        // For many rows, there are three more waits: two waits for rows whose upper bits are equal, and one wait for
        // nulls.
        let waits = keys.waits() + 3 + gather_waits(&keys.columns);
        let slices = keys.slice_costs();
        let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions);
        Case::new(
            keys.label,
            keys.columns,
            move |inputs| Ok(sort(&as_table(inputs)?, &orders, &nulls)?.into_columns()),
            move |inputs| naive::sorting::sort_by_key(inputs, inputs, &directions, usize::MAX),
            waits,
        )
        .with_bound(|inputs| bounds::sort(&shape_of(inputs), &shape_of(inputs)))
        .with_slice_costs(slices)
    };
    [all_keys(), many()].concat().into_iter().map(case).chain(nulls::sorts()).collect()
}

fn by_key(values: &[DataType], pattern: NullPattern, keys: &Keys) -> Case {
    let columns = table(values, keys.rows(), pattern, 99);
    let waits = keys.waits() + gather_waits(&columns);
    let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions.clone());
    let count = values.len();
    Case::new(
        format!("{values:?} {pattern:?} by {}", keys.label),
        [columns, keys.columns.clone()].concat(),
        move |inputs| {
            let (values, keys) = inputs.split_at_checked(count).ok_or(Error::column_count(count, 0))?;
            Ok(sort_by_key(&as_table(values)?, &as_table(keys)?, &orders, &nulls)?.into_columns())
        },
        move |inputs| {
            let (values, keys) = inputs.split_at(count);
            naive::sorting::sort_by_key(values, keys, &directions, usize::MAX)
        },
        waits,
    )
    .with_bound(move |inputs| bounds::sort(&shape_of(&inputs[count..]), &shape_of(&inputs[..count])))
}

/// Builds cases that sort a table of two columns by one of its columns.
fn by_own_column() -> Vec<Case> {
    let case = |(bits, other, at): (u32, DataType, usize)| {
        let key = dense(bits, false);
        let mut columns = table(&[other], key.len(), NullPattern::None, 5);
        columns.insert(at, key.clone());
        let label = format!("two columns by column {at}, {bits} bits");
        let keys = Keys::new(label, vec![key], 0);
        let waits = keys.waits();
        let directions = keys.directions;
        Case::new(
            keys.label,
            columns,
            move |inputs| Ok(sort_by_key(&as_table(inputs)?, &as_table(&inputs[at..=at])?, &[], &[])?.into_columns()),
            move |inputs| naive::sorting::sort_by_key(inputs, &inputs[at..=at], &directions, usize::MAX),
            waits,
        )
        .with_bound(move |inputs| bounds::sort(&shape_of(&inputs[at..=at]), &shape_of(inputs)))
    };
    [(32, DataType::Float64, 0), (64, DataType::Float32, 1), (64, DataType::Int64, 0)].map(case).into()
}

fn sorts_by_key() -> Vec<Case> {
    use DataType::{Boolean, Decimal256, FixedSizeBinary, Float32, Float64, Int8, Int64, Utf8};
    let values: [&[DataType]; 5] =
        [&[Float64], &[Float32], &[Int8, Boolean, Decimal256(76, 0), Int64], &[Utf8, Int64], &[FixedSizeBinary(5)]];
    let mut cases = by_own_column();
    for (i, keys) in some_keys().iter().enumerate() {
        let pattern = TWO_NULLS[i / 5 % 2];
        cases.push(by_key(values[i % 5], pattern, keys));
        if keys.rows() > 4096 {
            cases.push(by_key(&[Float64], NullPattern::None, keys));
            cases.push(by_key(&[Float32], NullPattern::None, keys));
        }
    }
    cases
}

fn first_row_last(column: &ArrayRef) -> ArrayRef {
    let mut values = to_values(column);
    values.rotate_left(1);
    from_values(column.data_type(), &values)
}

fn tests_of_order() -> Vec<Case> {
    let mut inputs = Vec::new();
    for mut keys in some_keys() {
        // A single row needs no launch. The runner would report an operation without launches, because such an
        // operation seems to do no work.
        if keys.rows() == 1 {
            continue;
        }
        inputs.push(keys.clone());
        let sorted = naive::sorting::sort_by_key(&keys.columns, &keys.columns, &keys.directions, usize::MAX);
        keys.columns = sorted.unwrap_or_default();
        if keys.rows() > 0 {
            let mut last = keys.clone();
            last.label += ", sorted but for the last row";
            last.columns.iter_mut().for_each(|column| *column = first_row_last(column));
            inputs.push(last);
        }
        keys.label += ", sorted";
        inputs.push(keys);
    }
    // All rows are in order, except for the last row, a row in the middle, or row 64. Row 64 is the first row of the
    // second task if a task has 64 rows.
    for rows in data::limit_brackets() {
        for at in [rows - 1, rows / 2, 64].into_iter().filter(|at| *at < rows) {
            let value = |row: usize| Some(Value::Int(if row == at { -1 } else { row as i128 / 3 }));
            let column = from_values(&DataType::Int32, &(0..rows).map(value).collect::<Vec<_>>());
            inputs.push(Keys::new(format!("limits/{rows}, but for {at}"), vec![column], 0));
        }
    }
    // The rows differ only in their lower words.
    for data_type in [DataType::Decimal128(38, 0), DataType::Decimal256(76, 0)] {
        for (name, values) in [("up", [3_i128, 5, 6]), ("down", [3, 6, 5]), ("negative", [-5, -6, 7])] {
            let values = values.map(|value| Some(Value::Decimal(i256::from_i128(value))));
            inputs.push(Keys::new(
                format!("lower words/{data_type}/{name}"),
                vec![from_values(&data_type, &values)],
                0,
            ));
        }
    }
    let case = |keys: Keys| {
        let waits = 1 + nested_key_waits(&keys.columns);
        let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions);
        Case::new(
            keys.label,
            keys.columns,
            move |inputs| {
                let table = as_table(inputs)?;
                let device = table.device().unwrap_or(gdf_driver::Device::Cpu);
                Ok(vec![shown(&[is_sorted(&table, &orders, &nulls)?], device)?])
            },
            move |inputs| Ok(vec![bools([Some(naive::sorting::is_sorted(inputs, &directions))])]),
            waits,
        )
    };
    inputs.into_iter().map(case).chain(nulls::tests_of_order()).collect()
}
