//! Entries of `filling`.

use arrow_array::types::{Int8Type, Int32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::filling as api;
use gdf_core::{Column, Error, Result, Scalar};

use super::copying::rearrange::{as_table, rearranged, tables};
use super::shared::tables::{FEW, affine_waits, copied, gather_waits, nested, piece_waits, scratch};
use super::shared::tables::{own_parts, slice_costs, split, table, types};
use super::{Case, Entry, SliceCosts};
use crate::naive::{copying, filling as naive};
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};
use gdf_test::value::{Value, from_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("filling.fill", Equality::Exact, fills),
        Entry::new("filling.fill_in_place", Equality::Exact, fills_in_place).slicing().launching_nothing(),
        Entry::new("filling.from_scalar", Equality::Exact, scalars),
        Entry::new("filling.sequence", Equality::Exact, sequences),
        Entry::new("filling.calendrical_month_sequence", Equality::Exact, month_sequences),
        Entry::new("filling.repeat", Equality::Exact, repeats).guessing(),
    ]
}

fn of(data_type: &DataType, rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    table(std::slice::from_ref(data_type), rows, nulls, seed).remove(0)
}

/// Returns types for which the result of a fill shares no memory with the input: all types of `types` except views and
/// dictionaries, and a struct.
fn plain_types() -> impl Iterator<Item = DataType> {
    let shared = |data_type: &DataType| {
        matches!(data_type, DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView)
    };
    types().into_iter().filter(move |data_type| !shared(data_type)).chain([nested()]).chain(own_parts())
}

fn scalar(column: &Column) -> Result<Scalar> {
    Scalar::from_column(column.clone())
}

fn fills() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    let mut add = |label: String, column: ArrayRef, range: std::ops::Range<usize>, value: ArrayRef| {
        let waits = piece_waits(std::slice::from_ref(&column));
        let slices = match column.data_type() {
            DataType::FixedSizeList(..) => SliceCosts::Own,
            _ => slice_costs(std::slice::from_ref(&column)),
        };
        let own = range.clone();
        let run = move |inputs: &[Column]| Ok(vec![api::fill(&inputs[0], range.clone(), &scalar(&inputs[1])?)?]);
        let oracle = move |inputs: &[ArrayRef]| naive::fill(&inputs[0], own.clone(), &inputs[1]);
        cases.push(Case::new(label, vec![column, value], run, oracle, waits).with_slice_costs(slices));
    };
    for (data_type, seed) in plain_types().zip(0..) {
        for (nulls, value) in [(Plain, All), (Nulls, Plain)] {
            let (column, value) = (of(&data_type, 157, nulls, seed), of(&data_type, 1, value, seed + 9));
            add(format!("{data_type}/{nulls:?}"), column, 33..140, value);
        }
    }
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        for data_type in &FEW {
            let (column, value) = (of(data_type, rows, Nulls, seed), of(data_type, 1, Plain, seed + 5));
            add(format!("{data_type}/{rows}"), column, rows / 3..rows - rows / 4, value);
        }
    }
    let ranges = [(0..10, "no such rows"), (11..11, "behind the end")];
    for (range, label) in ranges {
        let inputs = vec![of(&DataType::Int32, 9, Plain, 1), of(&DataType::Int32, 1, Plain, 1)];
        let run = move |inputs: &[Column]| Ok(vec![api::fill(&inputs[0], range.clone(), 7)?]);
        cases.push(Case::refused(label, inputs, run, |error| matches!(error, Error::OutOfBounds { .. })));
    }
    cases
}

/// Returns the types whose columns the operation can change in place.
pub(super) fn writable() -> Vec<DataType> {
    let fits = |data_type: &DataType| *data_type != DataType::FixedSizeBinary(5);
    data::fixed_width().into_iter().filter(fits).collect()
}

fn fills_in_place() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    let mut add = |label: String, column: ArrayRef, range: std::ops::Range<usize>, value: ArrayRef| {
        let own = range.clone();
        let run = move |inputs: &[Column]| {
            let mut column = copied(&inputs[0])?;
            api::fill_in_place(&mut column, range.clone(), &scalar(&inputs[1])?)?;
            Ok(vec![column])
        };
        let oracle = move |inputs: &[ArrayRef]| naive::fill(&inputs[0], own.clone(), &inputs[1]);
        cases.push(Case::new(label, vec![column, value], run, oracle, 0).with_slice_costs(SliceCosts::Allocations(1)));
    };
    for (data_type, seed) in writable().into_iter().zip(0..) {
        for (value, begin) in [(All, 33), (Plain, 3)] {
            let (column, value) = (of(&data_type, 157, Nulls, seed), of(&data_type, 1, value, seed + 9));
            add(format!("{data_type}/{begin}"), column, begin..begin + 101, value);
        }
    }
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        for data_type in [DataType::Boolean, DataType::Int32, DataType::Decimal256(76, 0)] {
            let (column, value) = (of(&data_type, rows, Nulls, seed), of(&data_type, 1, Plain, seed + 5));
            add(format!("{data_type}/{rows}"), column, rows / 3..rows - rows / 4, value);
        }
    }
    for (data_type, seed) in writable().into_iter().zip(100..) {
        let (column, value) = (of(&data_type, 157, Plain, seed), of(&data_type, 1, Plain, seed + 9));
        add(format!("plain {data_type}/3"), column, 3..104, value);
    }
    let refused = |label: &str, column: ArrayRef, value: ArrayRef, shared: bool, right: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| {
            let own = || scratch(inputs[0].device(), || copied(&inputs[0]));
            let mut column = if shared { inputs[0].clone() } else { own()? };
            let before = column.len();
            let result = api::fill_in_place(&mut column, 2..5, &scalar(&inputs[1])?);
            if column.len() != before {
                return Err(Error::invalid_data("the refused call has changed the column"));
            }
            result.map(|()| vec![column])
        };
        Case::refused(label, vec![column, value], run, right)
    };
    let int = |rows, nulls| of(&DataType::Int32, rows, nulls, 1);
    cases.push(refused("shared", int(9, Plain), int(1, Plain), true, |error| matches!(error, Error::Memory(_))));
    cases.push(refused("short", int(4, Plain), int(1, Plain), false, |error| {
        matches!(error, Error::OutOfBounds { .. })
    }));
    // The column is made here, because columns of inputs have a mask in some runs.
    let unmasked = |inputs: &[Column]| {
        let mut column = scratch(inputs[0].device(), || Column::from_slice(&[5; 9]))?;
        api::fill_in_place(&mut column, 2..5, &scalar(&inputs[0])?)?;
        Ok(vec![column])
    };
    let argument = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(Case::refused("a value with a mask", vec![int(1, All)], unmasked, argument));
    let text = || of(&DataType::Utf8, 9, Plain, 1);
    cases.push(refused("text", text(), text().slice(0, 1), false, |error| matches!(error, Error::Unsupported { .. })));
    cases
}

fn scalars() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |label: String, value: ArrayRef, rows: usize| {
        let waits = piece_waits(std::slice::from_ref(&value));
        let run = move |inputs: &[Column]| Ok(vec![api::from_scalar(&scalar(&inputs[0])?, rows)?]);
        let oracle = move |inputs: &[ArrayRef]| naive::from_scalar(&inputs[0], rows);
        cases.push(Case::new(label, vec![value], run, oracle, waits).with_slice_costs(SliceCosts::Own));
    };
    for (data_type, seed) in types().into_iter().chain([nested(), DataType::Null]).chain(own_parts()).zip(0..) {
        for nulls in [NullPattern::None, NullPattern::All] {
            add(format!("{data_type}/157/{nulls:?}"), of(&data_type, 1, nulls, seed), 157);
        }
    }
    for &rows in BRACKETS {
        for data_type in &FEW {
            add(format!("{data_type}/{rows}"), of(data_type, 1, NullPattern::None, rows as u64), rows);
        }
    }
    cases
}

fn sequences() -> Vec<Case> {
    let mut cases = Vec::new();
    let numbers: Vec<_> = data::numeric().into_iter().filter(|data_type| *data_type != DataType::Float16).collect();
    let run = |rows: usize| {
        move |inputs: &[Column]| Ok(vec![api::sequence(&scalar(&inputs[0])?, &scalar(&inputs[1])?, rows)?])
    };
    let mut add = |label: String, inputs: Vec<ArrayRef>, rows: usize| {
        let oracle = move |inputs: &[ArrayRef]| naive::sequence(&inputs[0], &inputs[1], rows);
        cases.push(Case::new(label, inputs, run(rows), oracle, 2));
    };
    for (data_type, seed) in numbers.iter().zip(0..) {
        for &rows in BRACKETS {
            let inputs = table(&[data_type.clone(), data_type.clone()], 1, NullPattern::None, seed * 7 + rows as u64);
            add(format!("{data_type}/{rows}"), inputs, rows);
        }
    }
    for data_type in data::all() {
        if numbers.contains(&data_type) {
            continue;
        }
        let inputs = table(&[data_type.clone(), data_type.clone()], 1, NullPattern::None, 1);
        let right = |error: &Error| matches!(error, Error::Unsupported { .. });
        cases.push(Case::refused(format!("{data_type}"), inputs, run(3), right));
    }
    let null = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    let inputs = vec![ints::<Int32Type>([Some(1)]), ints::<Int32Type>([None])];
    cases.push(Case::refused("a null", inputs, run(3), null));
    let types = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    let inputs = vec![plain::<Int32Type>([1]), plain::<Int8Type>([1])];
    cases.push(Case::refused("two types", inputs, run(3), types));
    cases
}

fn month_sequences() -> Vec<Case> {
    let moments = [
        DataType::Date32,
        DataType::Date64,
        DataType::Timestamp(TimeUnit::Second, None),
        DataType::Timestamp(TimeUnit::Nanosecond, None),
    ];
    let run = |months: i64, rows: usize| {
        move |inputs: &[Column]| Ok(vec![api::calendrical_month_sequence(&scalar(&inputs[0])?, months, rows)?])
    };
    let mut cases = Vec::new();
    for (data_type, seed) in moments.iter().zip(0..) {
        for (months, rows) in [(1, 70), (-13, 300), (5, 0), (12, 1)] {
            for nulls in [NullPattern::None, NullPattern::All] {
                // The first date is January 31, 2020.
                let ticks: i128 = match data_type {
                    DataType::Date32 => 18_292,
                    DataType::Date64 => 18_292 * 86_400_000,
                    DataType::Timestamp(TimeUnit::Second, _) => 18_292 * 86_400 + 12_345,
                    _ => 18_292 * 86_400_000_000_000 + 12_345_678_901_234,
                };
                let value = (nulls == NullPattern::None).then_some(Value::Int(ticks));
                let oracle = move |inputs: &[ArrayRef]| naive::calendrical_month_sequence(&inputs[0], months, rows);
                let label = format!("{data_type}/{rows}/{months}/{nulls:?}/{seed}");
                let inputs = vec![from_values(data_type, &[value])];
                cases.push(Case::new(label, inputs, run(months, rows), oracle, 0));
            }
        }
    }
    let right = |error: &Error| matches!(error, Error::Unsupported { .. });
    cases.push(Case::refused("a number", vec![plain::<Int32Type>([1])], run(1, 3), right));
    cases
}

fn repeats() -> Vec<Case> {
    let mut cases = Vec::new();
    for times in [0_usize, 1, 3] {
        cases.extend(rearranged(
            &format!("{times} times"),
            affine_waits,
            move |table| api::repeat(table, times as u8),
            move |rows| naive::repeated(&vec![times; rows]),
        ));
    }
    let counts = |rows: usize, width: usize| (0..rows).map(move |row| (row * row + row / 3) % width);
    for (label, columns) in tables() {
        let rows = columns.first().map_or(0, |column| column.len());
        let narrow: ArrayRef = plain::<Int8Type>(counts(rows, 5).map(|count| count as i8));
        cases.push(by_counts(format!("by counts {label}"), columns, narrow));
    }
    // One row is repeated a thousand times, and many rows are not repeated at all.
    let steep =
        plain::<UInt64Type>((0..3_000).map(|row| if row % 1_500 == 700 { 1_000 } else { u64::from(row % 97 == 0) }));
    cases.push(by_counts("steep".to_owned(), table(&FEW, 3_000, NullPattern::Some, 8), steep));
    cases.push(by_counts("none".to_owned(), table(&FEW, 9, NullPattern::Some, 8), plain::<Int32Type>([0; 9])));
    let refused = |label: &str, counts: ArrayRef, right: fn(&Error) -> bool| {
        let mut inputs = table(&FEW, 2, NullPattern::None, 1);
        inputs.push(counts);
        Case::refused(label, inputs, run_by_counts, right)
    };
    let argument: fn(&Error) -> bool = |error| matches!(error, Error::InvalidArgument { .. });
    cases.push(refused("a null", ints::<Int32Type>([Some(1), None]), argument));
    cases.push(refused("below zero", plain::<Int32Type>([3, -1]), argument));
    cases.push(refused("too many", plain::<UInt64Type>([1 << 62, 1 << 62]), argument));
    cases.push(refused("too few", plain::<Int32Type>([1]), |error| matches!(error, Error::LengthMismatch { .. })));
    let floats = random_array(&DataType::Float32, 2, NullPattern::None, 1);
    cases.push(refused("no integers", floats, |error| matches!(error, Error::TypeMismatch { .. })));
    let run = |inputs: &[Column]| Ok(api::repeat(&as_table(inputs)?, -1)?.into_columns());
    cases.push(Case::refused("a number below zero", table(&FEW, 2, NullPattern::None, 1), run, argument));
    cases
}

fn run_by_counts(inputs: &[Column]) -> Result<Vec<Column>> {
    let (table, counts) = split(inputs)?;
    Ok(api::repeat(&table, counts)?.into_columns())
}

fn by_counts(label: String, columns: Vec<ArrayRef>, counts: ArrayRef) -> Case {
    // The operation waits for the null count of the counts and for the number of result rows.
    let (waits, slices) = (2 + gather_waits(&columns), slice_costs(&columns));
    let mut inputs = columns;
    inputs.push(counts);
    let oracle = |inputs: &[ArrayRef]| {
        let (counts, columns) = inputs.split_last().ok_or("the counts are missing")?;
        let counts = gdf_test::value::to_values(counts).into_iter();
        let counts: Vec<_> =
            counts.map(|count| count.and_then(|count| count.as_i128()).unwrap_or(0) as usize).collect();
        copying::rows(columns, &naive::repeated(&counts))
    };
    Case::new(label, inputs, run_by_counts, oracle, waits).with_slice_costs(slices)
}
