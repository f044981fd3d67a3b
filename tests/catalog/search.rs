//! Entries of `search`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::search::{self as api, NullOrder, Order};
use gdf_core::Error;

use super::shared::struct_keys::struct_keys;
use super::shared::tables::{as_table, few_nested, nested_key_slices, nested_key_waits};
use super::{Case, Entry};
use crate::naive::search as naive;
use crate::naive::sorting::{Direction, sort_by_key};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, SMALL_BRACKETS, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("search.lower_bound", Equality::Exact, || bounds(false)),
        Entry::new("search.upper_bound", Equality::Exact, || bounds(true)),
        Entry::new("search.contains", Equality::Exact, members).guessing(),
    ]
}

/// Builds a case of a bound. `turn` has two bits for each column: the order and the null order.
fn bound(label: String, haystack: Vec<ArrayRef>, needles: Vec<ArrayRef>, turn: usize, upper: bool) -> Case {
    let count = haystack.len();
    let direction = |column: usize| Direction {
        descending: (turn >> (2 * column)) & 1 == 1,
        nulls_smallest: (turn >> (2 * column + 1)) & 1 == 0,
    };
    let directions: Vec<Direction> = (0..count).map(direction).collect();
    let orders = |direction: &Direction| if direction.descending { Order::Descending } else { Order::Ascending };
    let nulls = |direction: &Direction| if direction.nulls_smallest { NullOrder::Before } else { NullOrder::After };
    let (orders, nulls): (Vec<_>, Vec<_>) = directions.iter().map(|by| (orders(by), nulls(by))).unzip();
    let rows = haystack[0].len();
    let sorted = sort_by_key(&haystack, &haystack, &directions, rows).unwrap_or(haystack);
    let waits = nested_key_waits(&sorted);
    Case::new(
        label,
        [sorted, needles].concat(),
        move |inputs| {
            let (haystack, needles) = (as_table(&inputs[..count])?, as_table(&inputs[count..])?);
            let search = if upper { api::upper_bound } else { api::lower_bound };
            Ok(vec![search(&haystack, &needles, &orders, &nulls)?])
        },
        move |inputs| Ok(vec![naive::bounds(&inputs[..count], &inputs[count..], &directions, upper)]),
        waits,
    )
}

fn bounds(upper: bool) -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        let number = seed as usize;
        let mixed = if number.is_multiple_of(2) { (Plain, Nulls) } else { (Nulls, Plain) };
        for ((nulls, of_needles), turn) in
            [((Plain, Plain), number % 2), ((Nulls, Nulls), number % 4), (mixed, number / 2 % 4)]
        {
            let array = |rows, nulls, salt| random_array(data_type, rows, nulls, seed * 4 + salt);
            let label = format!("types/{data_type}/{nulls:?}/{of_needles:?}/{turn}");
            cases.push(bound(label, vec![array(90, nulls, 0)], vec![array(65, of_needles, 1)], turn, upper));
        }
    }
    for (data_type, seed) in data::nested_keys().iter().zip(1_u64..) {
        let array = |rows, salt| few_nested(data_type, rows, 40, Nulls, seed * 4 + salt);
        let label = format!("nested {data_type}");
        cases.push(bound(label, vec![array(90, 0)], vec![array(65, seed % 2)], seed as usize, upper));
    }
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        let array = |rows, salt| random_array(&DataType::Int32, rows, Nulls, seed * 4 + salt);
        let turn = seed as usize % 4;
        cases.push(bound(format!("haystack/{rows}"), vec![array(rows, 0)], vec![array(33, 1)], turn, upper));
        cases.push(bound(format!("needles/{rows}"), vec![array(100, 2)], vec![array(rows, 3)], 3 - turn, upper));
    }
    // Any two of the six bits have all values.
    for (turn, seed) in [0, 25, 42, 51, 52, 45, 30, 7].into_iter().zip(1_u64..) {
        let columns = |rows: usize, salt: u64| {
            let types = [DataType::Boolean, DataType::Int8, DataType::Utf8].into_iter().zip(1_u64..);
            types.map(|(of, column)| random_array(&of, rows, Nulls, seed * 16 + salt + column)).collect::<Vec<_>>()
        };
        cases.push(bound(format!("columns/{turn}"), columns(200, 0), columns(65, 8), turn, upper));
    }
    let no_order = || random_array(&DataType::Null, 3, Plain, 1);
    cases.push(Case::refused(
        "refused/no order",
        vec![no_order(), no_order()],
        |inputs| Ok(vec![api::lower_bound(&as_table(&inputs[..1])?, &as_table(&inputs[1..])?, &[], &[])?]),
        |error| matches!(error, Error::Unsupported { .. }),
    ));
    cases
}

fn members() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let case = |label: String, haystack: ArrayRef, needles: ArrayRef| {
        let keys = std::slice::from_ref(&haystack);
        let (waits, slices) = (1 + nested_key_waits(keys), nested_key_slices(keys));
        Case::new(
            label,
            vec![haystack, needles],
            |inputs| Ok(vec![api::contains(&inputs[0], &inputs[1])?]),
            |inputs| Ok(vec![naive::contains(&inputs[0], &inputs[1])]),
            waits,
        )
        .with_slice_costs(slices)
    };
    let mut cases = Vec::new();
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        let array = |rows, nulls, salt| random_array(data_type, rows, nulls, seed * 4 + salt);
        cases.push(case(format!("types/{data_type}"), array(40, Nulls, 0), array(147, Nulls, 1)));
    }
    for (data_type, seed) in data::nested_keys().iter().zip(1_u64..) {
        let array = |rows, distinct, salt| few_nested(data_type, rows, distinct, Nulls, seed * 4 + salt);
        cases.push(case(format!("nested {data_type}"), array(40, 30, 0), array(147, 60, 0)));
        cases.push(case(format!("other nested {data_type}"), array(40, 30, 0), array(147, 60, 1)));
    }
    for ((name, haystack), (_, needles)) in struct_keys(40, 1).into_iter().zip(struct_keys(147, 2)) {
        cases.push(case(format!("structs {name}"), haystack, needles));
    }
    cases.push(case("edge texts".into(), data::edge_texts(60, Nulls, 1), data::edge_texts(300, Nulls, 2)));
    for &rows in SMALL_BRACKETS.iter().chain(&[2049]) {
        let array = |rows, nulls, salt| random_array(&DataType::Int16, rows, nulls, salt);
        cases.push(case(format!("haystack/{rows}"), array(rows, Nulls, 1), array(65, Plain, 2)));
        cases.push(case(format!("needles/{rows}"), array(90, Plain, 3), array(rows, Nulls, 4)));
        cases.push(case(format!("null needles/{rows}"), array(90, Plain, 5), array(rows, All, 6)));
    }
    cases
}

#[cfg(test)]
mod tests {
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
