//! Conditions on rows.
//!
//! A [`Predicate`] joins comparisons and tests of several columns by `and`, `or` and `!`; [`evaluate_predicate`] works them out together, in
//! one pass, where [`binaryop`](crate::binaryop) takes a pass for each and a column for what it says.

use gdf_core::{Column, Result};
use gdf_detail as detail;
pub use gdf_detail::predicate::Predicate;

use crate::scope::{Input, Scope};

/// Of which rows a condition is true, as `Boolean`: a mask for [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask),
/// [`agg_where`](crate::groupby::GroupBy::agg_where) and the like.
///
/// # Shapes
/// All columns are of one length, which is that of the result, in their order.
///
/// # Types
/// What [`binary_operation`](crate::binaryop::binary_operation()) compares, text for prefixes, booleans for
/// [`is_true`](Predicate::is_true). Views and dictionaries that are compared are decoded first, each column once.
///
/// # Nulls and NaN
/// A comparison with a null is null. `and` is false where one side is false, else null where one is null; `or` is true where one side is true,
/// else null where one is null; `!` of null is null (as in SQL). Of NaN only [`ne`](Predicate::ne) is true, and `!` of what is false.
///
/// In libcudf `compute_column`, in SQL `WHERE`.
///
/// ```
/// use gdf::Column;
/// use gdf::predicate::{Predicate, evaluate_predicate};
///
/// let age = Column::from_options(&[Some(31), Some(17), None, Some(70)])?;
/// let city = Column::from_strs(["Oslo", "Oslo", "Bergen", "Bodø"])?;
/// let wanted = Predicate::between(&age, 18, 64).or(Predicate::is_in(&city, ["Bergen", "Bodø"]));
/// assert_eq!(evaluate_predicate(&wanted)?.to_vec::<bool>()?, [Some(true), Some(false), Some(true), Some(true)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// 1 launch and no wait for up to 48 tests of up to 16 columns. Comparisons of a column with a literal or with another column of its type (numbers
/// and dates of up to 64 bits, `Decimal32`, `Decimal64`; text with a literal of up to 16 bytes, for equality or as a prefix), tests for nulls and booleans are
/// part of it; rows that an earlier test has decided are not read by later ones, so the most selective ones go first. Other comparisons are operations of
/// their own before, and longer conditions are worked out in parts. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): no column is compared.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`Unsupported`](gdf_core::Error::Unsupported): types that are not compared.
/// * Driver and memory errors.
#[doc(alias("compute_column", "filter", "where", "query", "ast", "conjunction"))]
pub fn evaluate_predicate(predicate: &Predicate<'_>) -> Result<Column> {
    let operands = predicate.operands();
    let inputs: Vec<&dyn Input> = operands.iter().map(|operand| operand as &dyn Input).collect();
    Scope::for_inputs("evaluate_predicate", &inputs)?.run(|ctx| detail::predicate::evaluate_predicate(predicate, ctx))
}
