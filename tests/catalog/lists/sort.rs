//! Cases of `lists.sort_lists`.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, ListArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::lists as api;
use gdf_api::reduction::ReduceAggregation as Aggregation;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::{Column, Error, Result, Table};

use super::elements::{case, columns, comparable, list, nested_elements, refused, refused_numbers, structs};
use crate::catalog::shared::tables::scratch;
use crate::catalog::{Case, SliceCosts};
use crate::naive::copying::gather as naive_gather;
use crate::naive::lists as naive;
use crate::naive::sorting::Direction;
use gdf_test::builders::ints;
use gdf_test::data::{self, NullPattern, random_array};
use gdf_test::value::{Value, from_values};

pub(crate) fn sort_lists() -> Vec<Case> {
    let mut cases = Vec::new();
    let all = columns(&[comparable(), nested_elements(), vec![structs()]].concat());
    for (turn, (label, lists)) in all.into_iter().enumerate() {
        // Both columns of a type together have all pairs of an order and a null order.
        let first = if (turn + lists.len()) % 2 == 0 { NullOrder::Before } else { NullOrder::After };
        let second = if first == NullOrder::Before { NullOrder::After } else { NullOrder::Before };
        for (order, nulls) in [(Order::Ascending, first), (Order::Descending, second)] {
            let direction =
                Direction { descending: order == Order::Descending, nulls_smallest: nulls == NullOrder::Before };
            cases.push(case(
                format!("{label}/{order:?}/{nulls:?}"),
                vec![lists.clone()],
                move |inputs| api::sort_lists(&inputs[0], order, nulls),
                move |inputs| naive::sort_lists(&inputs[0], direction),
            ));
        }
    }
    cases.extend(sorted_lengths());
    let direction = Direction { descending: false, nulls_smallest: true };
    cases.push(of_gathered(
        "gathered/Int16/3",
        |lists| api::sort_lists(lists, Order::Ascending, NullOrder::Before),
        move |lists| naive::sort_lists(lists, direction),
    ));
    let run = |inputs: &[Column]| api::sort_lists(&inputs[0], Order::Ascending, NullOrder::Before);
    let unions = random_array(&list(data::unions()[0].clone()), 2, NullPattern::None, 0);
    cases.push(refused("unions", vec![unions], run, |error| matches!(error, Error::Unsupported { .. })));
    cases.push(refused_numbers(run));
    cases
}

/// Returns numbers of elements of lists.
pub(crate) fn lengths() -> [(&'static str, Vec<usize>); 5] {
    [
        ("127", vec![3, 127, 0, 127]),
        ("128", [vec![128; 40], vec![0, 1]].concat()),
        ("129", vec![1, 129, 2]),
        ("empty", vec![0; 5]),
        ("many", (0..1000).map(|row| row * 7 % 41 * usize::from(row % 5 > 0)).collect()),
    ]
}

/// Returns lists of these lengths.
pub(crate) fn lists_of(lengths: &[usize], elements: ArrayRef, nullable: bool) -> ArrayRef {
    let offsets = OffsetBuffer::<i32>::from_lengths(lengths.iter().copied());
    let field = Arc::new(Field::new_list_field(elements.data_type().clone(), true));
    let valid = lengths.iter().enumerate().map(|(row, length)| *length > 0 || row % 2 == 0).collect::<Vec<_>>();
    let valid = nullable.then(|| NullBuffer::from(valid));
    Arc::new(
        ListArray::try_new(field, offsets, elements, valid).expect("the sum of the lengths is the number of elements"),
    )
}

/// Returns a case of lists of a fixed size that an operation has gathered, so that the null lists have elements. The
/// results are the lists that `run` makes of the gathered lists, and the sums of their elements.
pub(crate) fn of_gathered(
    label: &str,
    run: impl Fn(&Column) -> Result<Column> + Send + Sync + 'static,
    oracle: impl Fn(&ArrayRef) -> std::result::Result<Vec<ArrayRef>, String> + Send + Sync + 'static,
) -> Case {
    let data_type = DataType::FixedSizeList(Arc::new(Field::new_list_field(DataType::Int16, true)), 3);
    let list = |row: i128| Value::List([row * 7 % 5, row % 3, 1].map(|number| Some(Value::Int(number))).to_vec());
    let lists: Vec<_> = (0..40).map(|row| Some(list(row))).collect();
    let map = ints::<Int32Type>((0..65).map(|row| (row % 4 != 1).then_some(row * 11 % 40)));
    let run = move |inputs: &[Column]| {
        let lists = Table::try_new(inputs[..1].to_vec())?;
        let gathered = scratch(inputs[0].device(), || gather(&lists, &inputs[1], OutOfBoundsPolicy::Nullify))?;
        let made = run(gathered.column(0)?)?;
        let sums = api::sum(&made)?;
        Ok(vec![made, sums])
    };
    let oracle = move |inputs: &[ArrayRef]| {
        let made = oracle(&naive_gather(&inputs[..1], &inputs[1])?[0])?;
        let sums = naive::reduce(&made[0], Aggregation::Sum, &DataType::Int64, false)?;
        Ok([made, sums].concat())
    };
    Case::new(label, vec![from_values(&data_type, &lists), map], run, oracle, 40).with_slice_costs(SliceCosts::Own)
}

/// Returns cases of lists whose lengths are near the largest length of lists that are sorted separately.
fn sorted_lengths() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, (label, lengths)) in (0..).zip(lengths()) {
        for (data_type, turn) in
            [DataType::Int8, DataType::Int64, DataType::Float32, DataType::Boolean].iter().zip(seed..)
        {
            for nulls in [NullPattern::None, NullPattern::Some] {
                let (descending, nulls_smallest) = (turn % 2 == 1, turn / 2 % 2 == 0);
                let order = if descending { Order::Descending } else { Order::Ascending };
                let null_order = if nulls_smallest { NullOrder::Before } else { NullOrder::After };
                let direction = Direction { descending, nulls_smallest };
                let elements = random_array(data_type, lengths.iter().sum(), nulls, seed);
                cases.push(case(
                    format!("lengths {label}/{data_type}/{nulls:?}"),
                    vec![lists_of(&lengths, elements, nulls != NullPattern::None)],
                    move |inputs| api::sort_lists(&inputs[0], order, null_order),
                    move |inputs| naive::sort_lists(&inputs[0], direction),
                ));
            }
        }
    }
    cases
}
