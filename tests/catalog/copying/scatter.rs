//! Entries of `copying::scatter`, `slice` and `split`.

use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::copying::{self as api, OutOfBoundsPolicy};
use gdf_core::{Column, ColumnView, Error, Result, Scalar, TableView, is_signed_integral};

use super::overflow;
use crate::catalog::shared::tables::{
    FEW, as_table, concatenate_waits, encoded_types, gather_waits, is_concatenated, nested_types, scratch, table,
};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::copying as naive;
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array, with_validity};
use gdf_test::value::{Value, from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("copying.scatter", Equality::Exact, scatters),
        Entry::new("copying.scatter_scalars", Equality::Exact, scalars),
        // Rows of encoded types are first concatenated.
        Entry::new("copying.scatter", Equality::Exact, || by_type(&encoded_types())).guessing(),
        Entry::new("copying.scatter_scalars", Equality::Exact, || scalars_of(&encoded_types())).guessing(),
        Entry::new("copying.slice", Equality::Exact, slices).sharing_inputs(),
        Entry::new("copying.slice_column", Equality::Exact, column_slices).sharing_inputs(),
        Entry::new("copying.split", Equality::Exact, splits).sharing_inputs(),
        Entry::new("copying.split_column", Equality::Exact, column_splits).sharing_inputs(),
    ]
}

const LAUNCH: usize = 16;

struct Inputs {
    source: Vec<ArrayRef>,
    map: ArrayRef,
    target: Vec<ArrayRef>,
}

fn is_string(array: &ArrayRef) -> bool {
    data::strings().contains(array.data_type())
}

impl Inputs {
    fn rows(&self) -> usize {
        self.target.first().map_or(0, |column| column.len())
    }

    /// Returns the number of waits.
    fn waits(&self, policy: OutOfBoundsPolicy) -> u64 {
        let strings = self.target.iter().filter(|column| is_string(column)).count();
        if self.is_concatenated() {
            return concatenate_waits(&self.target) + gather_waits(&self.target) + 8;
        }
        strings.div_ceil(LAUNCH).max(usize::from(policy == OutOfBoundsPolicy::Error)) as u64
    }

    fn is_concatenated(&self) -> bool {
        self.target.iter().any(is_concatenated)
    }

    fn slice_costs(&self) -> SliceCosts {
        if self.is_concatenated() { SliceCosts::Own } else { SliceCosts::Same }
    }

    fn all(&self) -> Vec<ArrayRef> {
        [&self.target[..], &self.source[..], std::slice::from_ref(&self.map)].concat()
    }
}

fn parts<T>(inputs: &[T]) -> Result<(&[T], &[T], &T)> {
    let (map, columns) = inputs.split_last().ok_or(Error::column_count(1, 0))?;
    let (target, source) = columns.split_at(columns.len() / 2);
    Ok((target, source, map))
}

fn oracle(inputs: &[ArrayRef]) -> std::result::Result<Vec<ArrayRef>, String> {
    let (target, source, map) = parts(inputs).map_err(|error| error.to_string())?;
    naive::scatter(source, map, target)
}

fn run(inputs: &[Column], policy: OutOfBoundsPolicy) -> Result<Vec<Column>> {
    let (target, source, map) = parts(inputs)?;
    Ok(api::scatter(&as_table(source)?, map, &as_table(target)?, policy)?.into_columns())
}

fn case(label: impl Into<String>, inputs: &Inputs, policy: OutOfBoundsPolicy) -> Case {
    let case = Case::new(label, inputs.all(), move |inputs| run(inputs, policy), oracle, inputs.waits(policy));
    case.with_slice_costs(inputs.slice_costs())
}

/// Builds a case with a map that the operation refuses.
fn refused(label: &str, inputs: &Inputs, expected: i128) -> Case {
    let rows = inputs.rows();
    // The operation waits once more to find the element that causes the refusal.
    let waits = inputs.waits(OutOfBoundsPolicy::Error) + inputs.waits(OutOfBoundsPolicy::Nullify) + 1;
    let run = move |inputs: &[Column]| {
        // The failed call runs in `scratch`, because its memory is dropped and is not part of the result.
        match scratch(inputs[0].device(), || run(inputs, OutOfBoundsPolicy::Error)) {
            Err(Error::OutOfBounds { index, len, .. }) if index == expected && len == rows => {}
            Err(error) => return Err(error),
            Ok(_) => return Err(Error::invalid_argument("the map should have been refused")),
        }
        run(inputs, OutOfBoundsPolicy::Nullify)
    };
    Case::new(label, inputs.all(), run, oracle, waits)
}

/// Returns `len` distinct row numbers of a table of `rows` rows, in no particular order.
fn map(data_type: &DataType, len: usize, rows: usize, outside: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let signed = is_signed_integral(data_type);
    // The step and the number of rows must have no common factor, so that the row numbers differ. 7919 is a prime.
    let step = if rows.is_multiple_of(7919) { 1 } else { 7919 };
    let number = |at: usize| {
        let row = ((at + seed as usize) * step % rows.max(1)) as i128;
        let rows = rows as i128;
        match (outside > 0 && at % outside == outside - 1, signed && at % 2 == 1) {
            (false, false) => row,
            (false, true) => row - rows,
            (true, false) => rows + row,
            (true, true) => -rows - 1 - row,
        }
    };
    let value = |number: i128| if signed { Value::Int(number) } else { Value::UInt(number as u64) };
    let numbers: Vec<_> = (0..len).map(|at| Some(value(number(at)))).collect();
    with_validity(&from_values(data_type, &numbers), nulls.validity(len, seed))
}

fn types() -> Vec<DataType> {
    [data::fixed_width(), data::strings(), vec![DataType::FixedSizeBinary(100)]].concat()
}

fn by_type(types: &[DataType]) -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    use OutOfBoundsPolicy::Error as Strict;
    let mut cases = Vec::new();
    for (data_type, seed) in types.iter().zip(100..) {
        for (nulls, target_nulls) in [(Plain, Plain), (Nulls, Plain), (Plain, Nulls), (NullPattern::All, Nulls)] {
            let of = |rows, nulls, seed| vec![random_array(data_type, rows, nulls, seed)];
            let map = map(&DataType::Int16, 40, 77, 0, Plain, seed);
            let inputs = Inputs { source: of(40, nulls, seed), map, target: of(77, target_nulls, seed + 1) };
            cases.push(case(format!("{data_type}/77/{nulls:?} to {target_nulls:?}"), &inputs, Strict));
        }
    }
    cases
}

fn scatters() -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    use OutOfBoundsPolicy::{Error as Strict, Nullify};
    let numbers = &FEW[..2];
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(0..) {
        for (policy, outside) in [(Strict, 0), (Nullify, 5)] {
            for (nulls, map_nulls) in [(Plain, Nulls), (Nulls, Plain), (Plain, Plain)] {
                if policy == Strict && rows == 0 && map_nulls == Plain {
                    continue;
                }
                let len = if rows == 0 { 3 } else { rows - rows / 3 };
                let map_nulls = if rows == 0 && policy == Strict { NullPattern::All } else { map_nulls };
                let map = map(&DataType::Int32, len, rows, outside, map_nulls, seed);
                let label = format!("{rows}/{nulls:?}/{policy:?}");
                for (name, types) in [("table", &FEW[..]), ("numbers", numbers)] {
                    let source = table(types, len + seed as usize % 3, nulls, seed);
                    let target = table(types, rows, if seed % 2 == 0 { nulls } else { Plain }, seed + 50);
                    let inputs = Inputs { source, map: map.clone(), target };
                    cases.push(case(format!("{name}/{label}"), &inputs, policy));
                }
            }
        }
    }
    for (data_type, seed) in data::integral().into_iter().zip(20..) {
        for (nulls, policy, outside) in [(Plain, Strict, 0), (Nulls, Nullify, 3)] {
            let map = map(&data_type, 31, 40, outside, nulls, seed);
            let inputs =
                Inputs { source: table(numbers, 31, nulls, seed), map, target: table(numbers, 40, nulls, seed + 1) };
            cases.push(case(format!("map {data_type}/40/{policy:?}"), &inputs, policy));
        }
    }
    cases.extend(by_type(&[types(), nested_types()].concat()));
    // The tables need several launches, because one launch takes 16 columns.
    let wide = |types: &[DataType], len| Inputs {
        source: table(types, len, Nulls, 5),
        map: map(&DataType::UInt8, len, 99, 0, Plain, 6),
        target: table(types, 99, Plain, 7),
    };
    cases.push(case("wide/99", &wide(&types(), 70), Strict));
    cases.push(case("all types/99", &wide(&[nested_types(), types()].concat(), 70), Nullify));
    cases.push(case("text/99", &wide(&vec![DataType::Utf8; 20], 70), Nullify));
    cases.push(case("plain/99", &wide(&vec![DataType::Int64; 20], 70), Strict));
    for types in [&FEW[..], numbers] {
        cases.push(case(format!("nothing/99/{}", types.len()), &wide(types, 0), Strict));
    }
    // The map is longer than one block of the kernel that inverts the map.
    let many = Inputs {
        source: table(&FEW, 30_000, Nulls, 8),
        map: map(&DataType::Int64, 30_000, 70_001, 0, Plain, 9),
        target: table(&FEW, 70_001, Nulls, 9),
    };
    cases.push(case("table/70001", &many, Strict));
    let same = |types: &[DataType]| Inputs {
        source: table(types, 1, Plain, 3).iter().map(|one| repeated(one, 3000)).collect(),
        map: plain::<Int64Type>((0..3000).map(|at| at % 7)),
        target: table(types, 2049, Plain, 4),
    };
    cases.push(case("same rows/2049", &same(&FEW), Strict));
    cases.push(case("same numbers/2049", &same(numbers), Strict));
    // One launch copies and writes at most a fixed number of rows.
    for (rows, len) in [(2048, 2048), (2049, 2048), (2048, 2049), (400, 300_000)] {
        let source = table(&numbers[..1], if len as i64 > rows { 1 } else { len }, Plain, 12);
        let repeat = |one: &ArrayRef| if one.len() < len { repeated(one, len) } else { one.clone() };
        let map = plain::<Int64Type>((0..len as i64).map(|at| at * 7919 % rows));
        let target = table(&numbers[..1], rows as usize, Plain, 13);
        let inputs = Inputs { source: source.iter().map(repeat).collect(), map, target };
        cases.push(case(format!("numbers/{rows} by {len}"), &inputs, Strict));
    }
    let with = |types: &[DataType], map: ArrayRef| Inputs {
        source: table(types, map.len(), Nulls, 10),
        map,
        target: table(types, 40, Plain, 11),
    };
    let huge = plain::<UInt64Type>([0, 1, u64::MAX, 1 << 63, 39]);
    cases.push(refused("refused/huge", &with(numbers, huge), u64::MAX.into()));
    let negative = ints::<Int64Type>([Some(3), None, Some(-40), Some(-41), Some(40)]);
    cases.push(refused("refused/negative", &with(&FEW[..5], negative), -41));
    let unmasked = Inputs {
        source: table(numbers, 3, Plain, 1),
        map: plain::<Int64Type>([2, 40, 0]),
        target: table(numbers, 40, Plain, 2),
    };
    cases.push(refused("refused/plain", &unmasked, 40));
    cases
}

fn repeated(one: &ArrayRef, count: usize) -> ArrayRef {
    from_values(one.data_type(), &vec![to_values(one)[0].clone(); count])
}

fn scalars() -> Vec<Case> {
    [scalars_of(&[types(), nested_types()].concat()), overflow::scatters()].concat()
}

fn scalars_of(types: &[DataType]) -> Vec<Case> {
    use OutOfBoundsPolicy::Error as Strict;
    let mut cases = Vec::new();
    for (data_type, seed) in types.iter().zip(0..) {
        for nulls in [NullPattern::None, NullPattern::All] {
            let of = |rows, nulls, seed| vec![random_array(data_type, rows, nulls, seed)];
            let inputs = Inputs {
                source: of(1, nulls, seed),
                map: map(&DataType::Int32, 100, 257, 0, NullPattern::None, seed),
                target: of(257, NullPattern::None, seed + 1),
            };
            let run = |inputs: &[Column]| {
                let (target, source, map) = parts(inputs)?;
                let scalars = source.iter().cloned().map(Scalar::from_column).collect::<Result<Vec<_>>>()?;
                let scalars: Vec<_> = scalars.iter().collect();
                Ok(api::scatter_scalars(&scalars, map, &as_table(target)?, Strict)?.into_columns())
            };
            let label = format!("{data_type}/257/{nulls:?}");
            let case = Case::new(label, inputs.all(), run, oracle, inputs.waits(Strict));
            cases.push(case.with_slice_costs(inputs.slice_costs()));
        }
    }
    cases
}

const LENGTHS: [usize; 8] = [0, 1, 31, 64, 65, 255, 257, 1000];

type Parts = [usize; 10];

fn indices(rows: usize) -> Parts {
    [0, rows, rows, rows, rows / 3, rows / 2, 0, 0, rows / 2, rows]
}

fn cuts(rows: usize) -> ([usize; 4], Parts) {
    let [a, b, c] = [rows / 3, rows / 2, rows];
    ([a, b, b, c], [0, a, a, b, b, b, b, c, c, rows])
}

/// Builds cases that split a table of these types.
fn cut(types: &[DataType], run: fn(&[Column], usize) -> Result<Vec<Column>>, parts: fn(usize) -> Parts) -> Vec<Case> {
    let case = |rows: usize| {
        let inputs = table(types, rows, NullPattern::Some, rows as u64);
        let oracle = move |inputs: &[ArrayRef]| naive::slice(inputs, &parts(rows));
        Case::new(format!("{rows}"), inputs, move |inputs| run(inputs, rows), oracle, 0)
    };
    LENGTHS.map(case).into()
}

fn columns_of(parts: &[TableView<'_>]) -> Vec<Column> {
    parts.iter().flat_map(|part| part.to_table().into_columns()).collect()
}

fn columns(parts: Vec<ColumnView<'_>>) -> Vec<Column> {
    parts.into_iter().map(ColumnView::to_column).collect()
}

fn slices() -> Vec<Case> {
    let types = [data::fixed_width(), data::strings(), data::nested(), data::views()].concat();
    cut(&types, |inputs, rows| Ok(columns_of(&api::slice(&as_table(inputs)?, &indices(rows))?)), indices)
}

fn column_slices() -> Vec<Case> {
    cut(&[DataType::Utf8], |inputs, rows| Ok(columns(api::slice_column(&inputs[0], &indices(rows))?)), indices)
}

fn splits() -> Vec<Case> {
    let types = [DataType::Int64, DataType::Boolean, DataType::Utf8];
    cut(&types, |inputs, rows| Ok(columns_of(&api::split(&as_table(inputs)?, &cuts(rows).0)?)), |rows| cuts(rows).1)
}

fn column_splits() -> Vec<Case> {
    let run = |inputs: &[Column], rows| Ok(columns(api::split_column(&inputs[0], &cuts(rows).0)?));
    cut(&[DataType::Utf8], run, |rows| cuts(rows).1)
}
