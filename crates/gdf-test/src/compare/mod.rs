//! Comparisons of results by value, and the layout rules of results.

mod difference;
mod facts;
mod sanitized;
mod shared;
#[cfg(test)]
mod tests;

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_core::layout::child_types;
use gdf_core::{is_decimal, same_type};

pub use difference::Difference;
pub use facts::check_facts;
pub use sanitized::{BrokenRule, Unsanitized, check_sanitized};
pub use shared::check_sanitized_beside;
pub(crate) use shared::shares_memory;

use crate::value::{Value, to_values};

/// The equality between a result and the expected result. Every operation documents its equality class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Equality {
    /// The rows must be the same, in the same order. NaN equals every NaN. −0.0 differs from 0.0. The values of null
    /// rows are not compared.
    #[default]
    Exact,
    /// The rows must be the same, in any order. A row of a table is compared as a whole.
    AnyOrder,
    /// The first column is compared by the rules of [`Equality::Exact`]. Adjacent rows with equal values in the first
    /// column may have any order. A row is compared as a whole.
    FirstColumnOrder,
    /// The rows are compared by the rules of [`Equality::Exact`], with two differences. Floating-point numbers may be
    /// up to this many representable numbers apart, and −0.0 equals 0.0.
    Ulp(u32),
}

/// Compares one column. The function [`gdf_core::same_type`] compares the types.
///
/// # Errors
/// - the first [`Difference`]. The types are compared first, then the lengths, then the rows.
pub fn assert_arrays(expected: &dyn Array, got: &dyn Array, equality: Equality) -> Result<(), Difference> {
    compare(&[expected], &[got], equality)
}

/// Compares the columns of a table. In the class [`Equality::AnyOrder`], a row is compared as a whole.
///
/// # Errors
/// - the first [`Difference`]. The numbers of columns are compared first, then the types, the lengths, and the rows
///   of each column.
pub fn assert_tables(expected: &[ArrayRef], got: &[ArrayRef], equality: Equality) -> Result<(), Difference> {
    let expected: Vec<&dyn Array> = expected.iter().map(AsRef::as_ref).collect();
    let got: Vec<&dyn Array> = got.iter().map(AsRef::as_ref).collect();
    compare(&expected, &got, equality)
}

/// Compares the precision of decimals, which the other comparisons ignore.
///
/// # Errors
/// - the first column whose precision differs at any depth, as a [`Difference::Type`].
pub fn assert_precisions(expected: &[ArrayRef], got: &[ArrayRef]) -> Result<(), Difference> {
    for (column, (expected, got)) in expected.iter().zip(got).enumerate() {
        let (expected, got) = (expected.data_type(), got.data_type());
        if !same_precision(expected, got) {
            return Err(Difference::Type { column, expected: expected.clone(), got: got.clone() });
        }
    }
    Ok(())
}

/// Returns whether the decimals of two types have the same precision and scale, at every depth.
pub fn same_precision(a: &DataType, b: &DataType) -> bool {
    if is_decimal(a) || is_decimal(b) {
        return a == b;
    }
    let (a, b) = (child_types(a), child_types(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same_precision(a, b))
}

/// Asserts that two arrays are equal in the class [`Equality::Exact`].
///
/// # Panics
/// - the arrays differ. The message describes the [`Difference`].
#[track_caller]
pub fn assert_same(expected: &dyn Array, got: &dyn Array) {
    if let Err(difference) = assert_arrays(expected, got, Equality::Exact) {
        panic!("{difference}");
    }
}

fn compare(expected: &[&dyn Array], got: &[&dyn Array], equality: Equality) -> Result<(), Difference> {
    if expected.len() != got.len() {
        return Err(Difference::ColumnCount { expected: expected.len(), got: got.len() });
    }
    for (column, (expected, got)) in expected.iter().zip(got).enumerate() {
        let (expected, got) = (expected.data_type(), got.data_type());
        if !same_type(expected, got) {
            return Err(Difference::Type { column, expected: expected.clone(), got: got.clone() });
        }
    }
    for (column, (expected, got)) in expected.iter().zip(got).enumerate() {
        if expected.len() != got.len() {
            return Err(Difference::Length { column, expected: expected.len(), got: got.len() });
        }
    }
    if equality == Equality::AnyOrder {
        return compare_rows(expected, got);
    }
    if equality == Equality::FirstColumnOrder {
        let (expected, got) = (in_runs(expected), in_runs(got));
        for (column, (expected, got)) in expected.into_iter().zip(got).enumerate() {
            compare_column(column, expected, got, equality)?;
        }
        return Ok(());
    }
    for (column, (&expected, &got)) in expected.iter().zip(got).enumerate() {
        compare_column(column, to_values(expected), to_values(got), equality)?;
    }
    Ok(())
}

fn compare_column(
    column: usize,
    expected: Vec<Option<Value>>,
    got: Vec<Option<Value>>,
    equality: Equality,
) -> Result<(), Difference> {
    let equal = |a: &Option<Value>, b: &Option<Value>| match equality {
        Equality::Ulp(ulp) => near(a.as_ref(), b.as_ref(), ulp),
        Equality::Exact | Equality::AnyOrder | Equality::FirstColumnOrder => a == b,
    };
    let mut differing = expected.iter().zip(&got).enumerate().filter(|(_, (a, b))| !equal(a, b));
    let Some((row, (a, b))) = differing.next() else {
        return Ok(());
    };
    let (a, b) = (Box::new(a.clone()), Box::new(b.clone()));
    let rows = 1 + differing.count();
    Err(Difference::Row { column, row, expected: a, got: b, rows, of: expected.len() })
}

/// Returns the values of each column. Adjacent rows with equal values in the first column are sorted by all columns.
fn in_runs(columns: &[&dyn Array]) -> Vec<Vec<Option<Value>>> {
    let columns: Vec<_> = columns.iter().map(|&column| to_values(column)).collect();
    let mut rows: Vec<usize> = (0..columns.first().map_or(0, Vec::len)).collect();
    let of_row = |row: usize| columns.iter().map(|column| column[row].clone()).collect::<Vec<_>>();
    for run in rows.chunk_by_mut(|a, b| columns[0][*a] == columns[0][*b]) {
        run.sort_by_cached_key(|row| of_row(*row));
    }
    columns.iter().map(|column| rows.iter().map(|row| column[*row].clone()).collect()).collect()
}

fn compare_rows(expected: &[&dyn Array], got: &[&dyn Array]) -> Result<(), Difference> {
    let sorted = |columns: &[&dyn Array]| {
        let columns: Vec<_> = columns.iter().map(|&column| to_values(column)).collect();
        let rows = columns.first().map_or(0, Vec::len);
        let mut rows: Vec<Vec<Option<Value>>> =
            (0..rows).map(|i| columns.iter().map(|column| column[i].clone()).collect()).collect();
        rows.sort_unstable();
        rows
    };
    let (expected, got) = (sorted(expected), sorted(got));
    let Some(first) = expected.iter().zip(&got).position(|(a, b)| a != b) else {
        return Ok(());
    };
    // Both sides are sorted, so the side with the larger row lacks the smaller row.
    let (missing, surplus) = (&expected[first], &got[first]);
    Err(Difference::Rows {
        missing: (missing < surplus).then(|| missing.clone()),
        surplus: (surplus < missing).then(|| surplus.clone()),
    })
}

fn near(a: Option<&Value>, b: Option<&Value>, ulp: u32) -> bool {
    let all_near = |a: &[Option<Value>], b: &[Option<Value>]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a.as_ref(), b.as_ref(), ulp))
    };
    match (a, b) {
        (Some(Value::List(a)), Some(Value::List(b))) | (Some(Value::Struct(a)), Some(Value::Struct(b))) => {
            all_near(a, b)
        }
        (Some(Value::Union(i, a)), Some(Value::Union(j, b))) => {
            i == j && near(a.as_ref().as_ref(), b.as_ref().as_ref(), ulp)
        }
        (Some(x), Some(y)) => match (float(x), float(y)) {
            (Some((a, i)), Some((b, j))) if a.is_finite() && b.is_finite() => i.abs_diff(j) <= u64::from(ulp),
            _ => x == y,
        },
        (a, b) => a == b,
    }
}

/// Returns a floating-point number, and its position among the numbers of its width.
fn float(value: &Value) -> Option<(f64, i64)> {
    let (negative, magnitude) = match value {
        Value::F16(v) => (v.is_sign_negative(), i64::from(v.to_bits() & 0x7fff)),
        Value::F32(v) => (v.is_sign_negative(), i64::from(v.to_bits() & 0x7fff_ffff)),
        Value::F64(v) => (v.is_sign_negative(), (v.to_bits() & (u64::MAX >> 1)) as i64),
        _ => return None,
    };
    Some((value.as_f64()?, if negative { -magnitude } else { magnitude }))
}
