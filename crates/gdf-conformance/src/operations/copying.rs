//! Area `copying`: operations that move rows, and operations that return views of rows.

use gdf_api::concatenate::concatenate;
use gdf_api::copying::{
    OutOfBoundsPolicy, boolean_mask_scatter, boolean_mask_scatter_scalars, copy_if_else, copy_range, empty_like,
    gather, get_element, reverse, scatter, scatter_scalars, shift, slice, split,
};
use gdf_core::{Error, Scalar, Table, TableView};

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("gather", run_gather),
    ("copy_if_else", run_copy_if_else),
    ("concatenate", run_concatenate),
    ("slice", run_slice),
    ("split", run_split),
    ("scatter", run_scatter),
    ("scatter_scalars", run_scatter_scalars),
    ("shift", run_shift),
    ("get_element", run_get_element),
    ("empty_like", run_empty_like),
    ("reverse", run_reverse),
    ("copy_range", run_copy_range),
    ("boolean_mask_scatter", run_boolean_mask_scatter),
    ("boolean_mask_scatter_scalars", run_boolean_mask_scatter_scalars),
];

fn run_gather(call: &Call<'_>) -> Answered {
    // In gdf, a gather that does not check bounds is `unsafe`. Therefore the case calls a gather that checks bounds.
    // The result is the same if the map is within bounds.
    let policies = [("NULLIFY", OutOfBoundsPolicy::Nullify), ("DONT_CHECK", OutOfBoundsPolicy::Error)];
    let policy = call.choice("policy", &policies)?;
    Ok(Answer::table(gather(&call.table("input")?, &call.column("map")?, policy)?))
}

fn run_copy_if_else(call: &Call<'_>) -> Answered {
    let (lhs, rhs) = (call.given("lhs")?, call.given("rhs")?);
    Ok(Answer::column(copy_if_else(lhs.operand(), rhs.operand(), &call.column("mask")?)?)?)
}

fn run_concatenate(call: &Call<'_>) -> Answered {
    let tables = call.tables()?;
    let views: Vec<_> = tables.iter().map(Table::view).collect();
    Ok(Answer::table(concatenate(&views)?))
}

fn run_scatter(call: &Call<'_>) -> Answered {
    let (source, target) = (call.table("source")?, call.table("target")?);
    Ok(Answer::table(scatter(&source, &call.column("map")?, &target, OutOfBoundsPolicy::Error)?))
}

fn run_scatter_scalars(call: &Call<'_>) -> Answered {
    let scalars = scalars(call)?;
    let scalars: Vec<_> = scalars.iter().collect();
    let (map, target) = (call.column("map")?, call.table("target")?);
    Ok(Answer::table(scatter_scalars(&scalars, &map, &target, OutOfBoundsPolicy::Error)?))
}

fn run_slice(call: &Call<'_>) -> Answered {
    let table = call.table("input")?;
    Ok(Answer::tables(tables(&slice(&table, &rows(call, "indices")?)?)))
}

fn run_split(call: &Call<'_>) -> Answered {
    let table = call.table("input")?;
    Ok(Answer::tables(tables(&split(&table, &rows(call, "splits")?)?)))
}

fn run_shift(call: &Call<'_>) -> Answered {
    Ok(Answer::column(shift(&call.column("input")?, call.integer("offset")?, &call.scalar("fill")?)?)?)
}

fn tables(parts: &[TableView<'_>]) -> Vec<Table> {
    parts.iter().map(TableView::to_table).collect()
}

/// Returns row numbers. If a number is negative, the function returns an error, because the type of gdf's row numbers
/// is unsigned.
fn rows(call: &Call<'_>, name: &str) -> Result<Vec<usize>, Failure> {
    let row = |row: i64| usize::try_from(row).map_err(|_| Error::out_of_bounds(i128::from(row), 0).into());
    call.integers(name)?.into_iter().map(row).collect()
}

/// Returns the scalars `s0`, `s1` and so on, in this order.
fn scalars(call: &Call<'_>) -> Result<Vec<Scalar>, Failure> {
    let names = (0..).map(|i| format!("s{i}")).take_while(|name| call.has(name));
    names.map(|name| call.scalar(&name)).collect()
}

fn run_get_element(call: &Call<'_>) -> Answered {
    Ok(Answer::scalar(get_element(&call.column("input")?, call.position("index")?)?))
}

fn run_empty_like(call: &Call<'_>) -> Answered {
    Ok(Answer::table(empty_like(&call.table("input")?)?))
}

fn run_reverse(call: &Call<'_>) -> Answered {
    Ok(Answer::table(reverse(&call.table("input")?)?))
}

fn run_copy_range(call: &Call<'_>) -> Answered {
    let (source, target) = (call.column("source")?, call.column("target")?);
    let rows = call.position("begin")?..call.position("end")?;
    Ok(Answer::column(copy_range(&source, rows, &target, call.position("target_begin")?)?)?)
}

fn run_boolean_mask_scatter(call: &Call<'_>) -> Answered {
    let (source, target) = (call.table("source")?, call.table("target")?);
    Ok(Answer::table(boolean_mask_scatter(&source, &target, &call.column("mask")?)?))
}

fn run_boolean_mask_scatter_scalars(call: &Call<'_>) -> Answered {
    let scalars = scalars(call)?;
    let scalars: Vec<_> = scalars.iter().collect();
    Ok(Answer::table(boolean_mask_scatter_scalars(&scalars, &call.table("target")?, &call.column("mask")?)?))
}
