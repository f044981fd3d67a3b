//! Keys in the form that engines compare. Engines compare plain columns only:
//!
//! * Views and dictionaries are decoded. In a single table, the ranks of its values replace a dictionary.
//! * Lists and structs become ranks or bytes. Ranks can be compared only within the rows that were ranked together, so
//!   the keys of two tables are prepared together.
//! * If rows are compared only for equality, a struct becomes one key column per field, and so do the structs within
//!   it. Nothing is sorted for them. If there would be more key columns than engines take, the struct becomes ranks.
//!
//! [`prepare`] does this for a [`Purpose`], and [`Prepared::restore`] returns the given keys for the rows of a result.
//! In libcudf, the prepared keys of a table are a `preprocessed_table`.

mod columns;
mod fields;
mod form;
mod prepared;
mod purpose;
mod ranks;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use gdf_core::{Result, TableView};
use gdf_engine::check;
use gdf_engine::keys::NanEquality;

use self::columns::{Rules, Side, prepare_columns};
use self::fields::Fields;
pub use self::form::Form;
pub use self::prepared::Prepared;
use self::purpose::Comparison;
pub use self::purpose::Purpose;
pub use self::ranks::is_replaced;
pub(crate) use self::ranks::{binary, paired_values, with_nulls_of};
use crate::Ctx;

/// Prepares the keys of tables. The rows of all tables are compared with each other. The function waits once for each
/// level of lists.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) if the types of nested columns of two tables differ.
/// * The errors of [`Decoded::of`](gdf_engine::decoded::Decoded::of) and [`gdf_engine::sort::keys()`].
pub fn prepare<'a, const N: usize>(
    operation: &'static str,
    tables: [&TableView<'a>; N],
    purpose: Purpose<'_>,
    ctx: Ctx<'_>,
) -> Result<[Prepared<'a>; N]> {
    let mut sides = tables.map(|table| Side { table, keys: Vec::with_capacity(table.num_columns()) });
    let fields = prepare_sides(operation, &mut sides, purpose, ctx)?;
    Ok(sides.map(|side| Prepared::new(side, fields.clone())))
}

/// Adds the key columns of each side, and returns the fields that replace structs.
fn prepare_sides(
    operation: &'static str,
    sides: &mut [Side<'_, '_>],
    purpose: Purpose<'_>,
    ctx: Ctx<'_>,
) -> Result<Option<Arc<Fields>>> {
    sides.iter().try_for_each(|side| check::table(side.table, ctx))?;
    let is_alone = sides.len() == 1;
    let rules = |nulls, nans| Rules { operation, nulls, nans, is_alone, ctx };
    match purpose.0 {
        Comparison::Columns { null_orders, nulls } => {
            prepare_columns(sides, null_orders, &rules(nulls, NanEquality::AllEqual))?;
            Ok(None)
        }
        Comparison::Rows { nulls, nans } => {
            let rules = rules(nulls, nans);
            let Some(fields) = Fields::of(sides, nulls)? else {
                prepare_columns(sides, &[], &rules)?;
                return Ok(None);
            };
            fields.prepare(sides, &rules)?;
            Ok(Some(Arc::new(fields)))
        }
        Comparison::Form(Form(fields)) => {
            // Other tables have other values, so that their ranks could not be compared.
            let rules = Rules { is_alone: false, ..rules(fields.nulls(), NanEquality::AllEqual) };
            fields.prepare(sides, &rules)?;
            Ok(Some(Arc::clone(fields)))
        }
    }
}
