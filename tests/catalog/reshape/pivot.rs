//! Entries of `reshape` that turn tables from wide to long form and back.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupByAggregation as Aggregation, NullPolicy};
use gdf_api::reshape::{pivot, unpivot};
use gdf_api::sorting::Order;
use gdf_core::{Column, Error};

use crate::catalog::shared::tables::{
    affine_waits, concatenate_waits, nested, own_parts, slice_costs, split, table, types,
};
use crate::catalog::{Case, Entry};
use crate::naive::reshape as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, random_array};
use gdf_test::value::{Value, from_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("reshape.unpivot", Equality::Exact, long).sharing_inputs(),
        Entry::new("reshape.pivot", Equality::AnyOrder, wide).guessing(),
    ]
}

/// Builds a case of `unpivot`.
fn long_case(label: String, columns: Vec<ArrayRef>, index: Vec<usize>, values: Vec<usize>, names: ArrayRef) -> Case {
    let waits = affine_waits(&columns) + affine_waits(std::slice::from_ref(&names)) + concatenate_waits(&columns);
    let slices = slice_costs(&columns);
    let (oracle_index, oracle_values) = (index.clone(), values.clone());
    Case::new(
        label,
        [columns, vec![names]].concat(),
        move |inputs| {
            let (table, names) = split(inputs)?;
            Ok(unpivot(&table, &index, &values, names)?.into_columns())
        },
        move |inputs| {
            let (names, columns) = inputs.split_last().ok_or("the names are missing")?;
            naive::unpivot(columns, &oracle_index, &oracle_values, names)
        },
        waits,
    )
    .with_slice_costs(slices)
}

fn long() -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    let names = |count| random_array(&DataType::Utf8, count, Nulls, 3);
    let mut cases = Vec::new();
    // The operation concatenates the value columns. Dictionaries with different values and views into different buffers
    // cannot be concatenated, so these types have no case here.
    let is_shared = |of: &DataType| matches!(of, DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView);
    for (of, seed) in types().into_iter().filter(|of| !is_shared(of)).chain([nested()]).chain(own_parts()).zip(1_u64..)
    {
        let columns = table(&[DataType::Int32, of.clone(), of.clone()], 57, Nulls, seed);
        cases.push(long_case(format!("values/{of}"), columns, vec![0], vec![2, 1], names(2)));
        let columns = table(&[DataType::Int32, of.clone()], 57, Nulls, seed);
        cases.push(long_case(format!("index/{of}"), columns, vec![1], vec![0], names(1)));
    }
    for rows in [0, 1, 31, 33, 64, 2049] {
        for nulls in [Plain, Nulls] {
            let columns = table(&vec![DataType::Int64; 5], rows, nulls, 5);
            cases.push(long_case(format!("rows/{rows}/{nulls:?}"), columns, vec![4, 0], vec![1, 2, 3], names(3)));
        }
    }
    let columns = table(&vec![DataType::Int16; 40], 33, Nulls, 6);
    cases.push(long_case("40 columns".to_owned(), columns, vec![], (0..40).collect(), names(40)));
    let refused = |label: &str, types: [DataType; 2], values: &'static [usize], is_expected: fn(&Error) -> bool| {
        let inputs = [table(&types, 5, Plain, 1), vec![names(2)]].concat();
        let run = move |inputs: &[Column]| {
            let (table, names) = split(inputs)?;
            Ok(unpivot(&table, &[], values, names)?.into_columns())
        };
        Case::refused(format!("refused/{label}"), inputs, run, is_expected)
    };
    use DataType::{Float64, Int32};
    cases.push(refused("no values", [Int32, Int32], &[], |error| matches!(error, Error::InvalidArgument { .. })));
    cases.push(refused("no column", [Int32, Int32], &[0, 2], |error| matches!(error, Error::OutOfBounds { .. })));
    cases.push(refused("names", [Int32, Int32], &[0], |error| matches!(error, Error::LengthMismatch { .. })));
    cases.push(refused("types", [Int32, Float64], &[0, 1], |error| matches!(error, Error::TypeMismatch { .. })));
    cases
}

/// Returns a column of names of type `of`.
fn names(of: &DataType, numbers: impl Iterator<Item = usize>) -> ArrayRef {
    let name = |number: usize| match (number, of) {
        (0, _) => None,
        (number, DataType::Utf8) => Some(Value::Str(format!("n{number}"))),
        (number, DataType::Float64) => Some(Value::F64(if number == 2 { f64::NAN } else { number as f64 })),
        (number, _) => Some(Value::Int(number as i128)),
    };
    from_values(of, &numbers.map(name).collect::<Vec<_>>())
}

fn wide() -> Vec<Case> {
    use Aggregation::{CountValid, Max, Mean, Min, NthElement, Sum};
    use NullPattern::{None as Plain, Some as Nulls};
    let nth = NthElement { n: 0, nulls: NullPolicy::Exclude };
    let mut cases = Vec::new();
    for (i, &rows) in [0, 1, 33, 300, 5000].iter().enumerate() {
        for (j, aggregation) in [Sum, CountValid, Min, Max, Mean, nth].into_iter().enumerate() {
            for (k, of) in [DataType::Utf8, DataType::Int16, DataType::Float64].iter().enumerate() {
                let seed = (i * 100 + j * 10 + k) as u64;
                let nulls = [Plain, Nulls][(i + j + k) % 2];
                let index = [(DataType::Boolean, seed), (DataType::Int8, seed + 1000)];
                let index = index.map(|(of, seed)| random_array(&of, rows, nulls, seed));
                let values = random_array(&DataType::Int64, rows, nulls, seed + 1);
                let given = names(of, (0..rows).map(|row| row * 7 % 5));
                let kept = names(of, [[3, 0, 9].as_slice(), &[1, 2, 3, 4], &[], &[2]][(i + j) % 4].iter().copied());
                cases.push(Case::new(
                    format!("{rows}/{aggregation:?}/{of}/{nulls:?}"),
                    [index.to_vec(), vec![given, values, kept]].concat(),
                    move |inputs| {
                        let (table, kept) = split(inputs)?;
                        Ok(pivot(&table, &[1, 0], 2, 3, kept, aggregation)?.into_columns())
                    },
                    move |inputs| {
                        let index = [inputs[1].clone(), inputs[0].clone()];
                        naive::pivot(&index, &inputs[2], &inputs[3], &inputs[4], aggregation)
                    },
                    8,
                ));
            }
        }
    }
    let refused = |label: &str, kept: ArrayRef, aggregation: Aggregation, is_expected: fn(&Error) -> bool| {
        let inputs = [table(&vec![DataType::Int16; 3], 5, Plain, 1), vec![kept]].concat();
        let run = move |inputs: &[Column]| {
            let (table, kept) = split(inputs)?;
            Ok(pivot(&table, &[0], 1, 2, kept, aggregation)?.into_columns())
        };
        Case::refused(format!("refused/{label}"), inputs, run, is_expected)
    };
    let of = |numbers: &[usize]| names(&DataType::Int16, numbers.iter().copied());
    let is_invalid = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    let largest = Aggregation::TopK { k: 2, order: Order::Descending };
    let nulls = NullPolicy::Include;
    for counting in [Aggregation::CountAll, largest, Aggregation::Histogram, Aggregation::CollectList { nulls }] {
        cases.push(refused(&format!("nulls/{counting:?}"), of(&[1]), counting, is_invalid));
    }
    cases.push(refused("a name twice", of(&[9, 3, 9]), Sum, is_invalid));
    cases.push(refused("many names", of(&(1..=4097).collect::<Vec<_>>()), Sum, is_invalid));
    let text = names(&DataType::Utf8, 1..3);
    cases.push(refused("types", text, Sum, |error| matches!(error, Error::TypeMismatch { .. })));
    cases
}
