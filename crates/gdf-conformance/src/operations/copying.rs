//! Area `copying`: moving rows, and views of them.

use gdf_api::concatenate::concatenate;
use gdf_api::copying::{OutOfBoundsPolicy, copy_if_else, gather};
use gdf_core::{Column, Error, Scalar, Table};

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("gather", run_gather),
    ("copy_if_else", run_copy_if_else),
    ("concatenate", run_concatenate),
    ("slice", slice),
    ("split", split),
    ("get_element", get_element),
    ("empty_like", empty_like),
];

fn run_gather(call: &Call<'_>) -> Answered {
    // Not to check bounds is `unsafe` in gdf, and makes no other result for a map within bounds.
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

fn slice(call: &Call<'_>) -> Answered {
    let table = call.table("input")?;
    let bounds = call.integers("indices")?;
    let part = |bound: &[i64]| match *bound {
        [begin, end] => rows(&table, begin, end),
        _ => Err(Failure::Unsupported("slice by a begin without an end".to_owned())),
    };
    Ok(Answer::tables(bounds.chunks(2).map(part).collect::<Result<_, _>>()?))
}

fn split(call: &Call<'_>) -> Answered {
    let table = call.table("input")?;
    let ends = call.integers("splits")?;
    let begins = [0].into_iter().chain(ends.iter().copied());
    let ends = ends.iter().copied().chain([table.num_rows() as i64]);
    let parts = begins.zip(ends).map(|(begin, end)| rows(&table, begin, end));
    Ok(Answer::tables(parts.collect::<Result<_, _>>()?))
}

/// The rows from `begin` to `end` as gdf has them: a begin and a length, neither of which can be negative.
fn rows(table: &Table, begin: i64, end: i64) -> Result<Table, Failure> {
    let Ok(len) = usize::try_from(end - begin) else {
        return Err(Failure::Unsupported("slice that ends before it begins".to_owned()));
    };
    let Ok(offset) = usize::try_from(begin) else {
        return Err(Error::OutOfBounds { index: i128::from(begin), len: table.num_rows() }.into());
    };
    Ok(table.slice(offset, len)?)
}

fn get_element(call: &Call<'_>) -> Answered {
    let row = call.column("input")?.slice(call.position("index")?, 1)?;
    Ok(Answer::scalar(Scalar::from_column(row)?))
}

fn empty_like(call: &Call<'_>) -> Answered {
    let table = call.table("input")?;
    let columns = table.data_types().map(|data_type| Column::empty(data_type, call.device()));
    Ok(Answer::table(Table::try_new(columns.collect::<Result<_, _>>()?)?))
}
