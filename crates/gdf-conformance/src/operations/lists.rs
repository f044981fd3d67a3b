//! Area `lists`: operations that make rows of the elements of lists, and operations on the elements of each list.

use gdf_api::copying::OutOfBoundsPolicy;
use gdf_api::lists::{self as api, ConcatenateNullPolicy, DuplicateKeepOption, FindOption, NanEquality, NullEquality};
use gdf_core::{Column, ColumnView};

use super::Operation;
use super::sorting::{NULL_ORDERS, ORDERS};
use crate::call::{Answered, Call, Failure, Given};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("lists.apply_boolean_mask", |call| with_mask(call, |lists, mask| api::apply_boolean_mask(lists, mask))),
    ("lists.apply_deletion_mask", |call| with_mask(call, |lists, mask| api::apply_deletion_mask(lists, mask))),
    ("lists.apply_retention_mask", |call| with_mask(call, |lists, mask| api::apply_boolean_mask(lists, mask))),
    ("lists.concatenate_list_elements", run_concatenate_list_elements),
    ("lists.concatenate_rows", run_concatenate_rows),
    ("lists.contains", run_contains),
    ("lists.contains_nulls", |call| Ok(Answer::column(api::contains_nulls(&call.column("input")?)?)?)),
    ("lists.count_elements", |call| Ok(Answer::column(api::count_elements(&call.column("input")?)?)?)),
    ("lists.difference_distinct", |call| {
        of_sets(call, |a, b, nulls, nans| api::difference_distinct(a, b, nulls, nans))
    }),
    ("lists.distinct", run_distinct),
    ("lists.explode_outer", run_explode_outer),
    ("lists.extract_list_element", run_extract_list_element),
    ("lists.have_overlap", |call| of_sets(call, |a, b, nulls, nans| api::have_overlap(a, b, nulls, nans))),
    ("lists.index_of", run_index_of),
    ("lists.intersect_distinct", |call| of_sets(call, |a, b, nulls, nans| api::intersect_distinct(a, b, nulls, nans))),
    ("lists.reverse", |call| Ok(Answer::column(api::reverse(&call.column("input")?)?)?)),
    ("lists.segmented_gather", run_segmented_gather),
    ("lists.sequences", run_sequences),
    ("lists.sort_lists", run_sort_lists),
    ("lists.union_distinct", |call| of_sets(call, |a, b, nulls, nans| api::union_distinct(a, b, nulls, nans))),
];

fn with_mask(
    call: &Call<'_>,
    apply: for<'a> fn(ColumnView<'a>, ColumnView<'a>) -> gdf_core::Result<Column>,
) -> Answered {
    Ok(Answer::column(apply(call.column("input")?.view(), call.column("mask")?.view())?)?)
}

fn run_concatenate_list_elements(call: &Call<'_>) -> Answered {
    let policies =
        [("IGNORE", ConcatenateNullPolicy::Ignore), ("NULLIFY_OUTPUT_ROW", ConcatenateNullPolicy::NullifyOutputRow)];
    Ok(Answer::column(api::concatenate_list_elements(&call.column("input")?, call.choice("nulls", &policies)?)?)?)
}

fn run_concatenate_rows(call: &Call<'_>) -> Answered {
    Ok(Answer::column(api::concatenate_rows(&call.table("input")?, ConcatenateNullPolicy::Ignore)?)?)
}

fn run_contains(call: &Call<'_>) -> Answered {
    Ok(Answer::column(api::contains(&call.column("input")?, call.given("key")?.operand())?)?)
}

fn run_index_of(call: &Call<'_>) -> Answered {
    let find = call.choice("find", &[("FIND_FIRST", FindOption::First), ("FIND_LAST", FindOption::Last)])?;
    Ok(Answer::column(api::index_of(&call.column("input")?, call.given("key")?.operand(), find)?)?)
}

fn run_explode_outer(call: &Call<'_>) -> Answered {
    Ok(Answer::table(api::explode_outer(&call.table("input")?, call.position("column")?)?))
}

fn run_extract_list_element(call: &Call<'_>) -> Answered {
    let lists = call.column("input")?;
    Ok(Answer::column(if call.has("index") {
        match call.given("index")? {
            Given::Column(index) => api::extract_list_element(&lists, &index)?,
            Given::Scalar(index) => api::extract_list_element(&lists, &index)?,
        }
    } else {
        api::extract_list_element(&lists, call.integer("index")?)?
    })?)
}

fn run_segmented_gather(call: &Call<'_>) -> Answered {
    // With `DONT_CHECK`, libcudf does not define the rows that would be read from outside of a list. Here these rows
    // are null.
    let policies = [("NULLIFY", OutOfBoundsPolicy::Nullify), ("DONT_CHECK", OutOfBoundsPolicy::Nullify)];
    let policy = call.choice("policy", &policies)?;
    Ok(Answer::column(api::segmented_gather(&call.column("input")?, &call.column("map")?, policy)?)?)
}

fn run_sequences(call: &Call<'_>) -> Answered {
    let steps = if call.has("steps") { Some(call.column("steps")?) } else { None };
    let (starts, sizes) = (call.column("starts")?, call.column("sizes")?);
    Ok(Answer::column(api::sequences(&starts, &sizes, steps.as_ref().map(Column::view))?)?)
}

fn run_sort_lists(call: &Call<'_>) -> Answered {
    let (order, null_order) = (call.choice("order", ORDERS)?, call.choice("null_order", NULL_ORDERS)?);
    Ok(Answer::column(api::sort_lists(&call.column("input")?, order, null_order)?)?)
}

fn equalities(call: &Call<'_>) -> Result<(NullEquality, NanEquality), Failure> {
    let nulls = [("EQUAL", NullEquality::Equal), ("UNEQUAL", NullEquality::Unequal)];
    let nans = [("ALL_EQUAL", NanEquality::AllEqual), ("UNEQUAL", NanEquality::Unequal)];
    Ok((call.choice("nulls_equal", &nulls)?, call.choice("nans_equal", &nans)?))
}

fn run_distinct(call: &Call<'_>) -> Answered {
    let (nulls, nans) = equalities(call)?;
    Ok(Answer::column(api::distinct(&call.column("input")?, DuplicateKeepOption::First, nulls, nans)?)?)
}

type OfSets = for<'a> fn(ColumnView<'a>, ColumnView<'a>, NullEquality, NanEquality) -> gdf_core::Result<Column>;

fn of_sets(call: &Call<'_>, operation: OfSets) -> Answered {
    let (nulls, nans) = equalities(call)?;
    Ok(Answer::column(operation(call.column("lhs")?.view(), call.column("rhs")?.view(), nulls, nans)?)?)
}
