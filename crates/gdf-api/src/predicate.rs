//! Functions that evaluate conditions on rows.
//!
//! A [`Predicate`] combines comparisons and tests of several columns with `and`, `or` and `!`. [`evaluate_predicate`]
//! evaluates the whole predicate in one pass. The functions of [`binaryop`](crate::binaryop) instead need one pass
//! and one intermediate column for each comparison.

use gdf_core::{Column, Result};
use gdf_detail as detail;
pub use gdf_detail::predicate::Predicate;

use crate::scope::{Input, Scope};

/// Evaluates a condition for each row, as `Boolean`. The result is a mask for
/// [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask),
/// [`agg_where`](crate::groupby::GroupBy::agg_where) and similar functions.
///
/// # Shapes
/// All columns have the same number of rows. The result has as many rows, in the same order.
///
/// # Types
/// Comparisons take the types that [`binary_operation`](crate::binaryop::binary_operation()) compares. Prefix tests
/// take text, and [`is_true`](Predicate::is_true) takes booleans. Views and dictionaries that are compared are
/// decoded first, each column once.
///
/// # Nulls and NaN
/// A comparison with a null is null. `and` is false where one operand is false, and otherwise null where one operand is
/// null. `or` is true where one operand is true, and otherwise null where one operand is null. `!` of null is null, as
/// in SQL. If an operand is NaN, only [`ne`](Predicate::ne) is true. All other comparisons are false, so that their
/// negations by `!` are true.
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
/// The function needs 1 launch and no wait for up to 48 tests of up to 16 columns. That launch evaluates tests for
/// nulls, tests of booleans, and these comparisons:
/// * comparisons of a column with a literal or with another column of its type, for numbers and dates of up to 64
///   bits, `Decimal32` and `Decimal64`;
/// * comparisons of text with a literal of up to 32 bytes, for equality or as a prefix;
/// * tests of a key of integers for membership in the dense keys of a `HashJoin` (`HashJoin::filter`).
///
/// On CUDA, the first test of equality of a column of text may need 1 more launch and 1 wait, to see whether all texts
/// have the same length. This holds for a column of at least 1,048,576 texts without nulls, with an average length of
/// 1, 2, 3 or 4 bytes. The column stores the answer.
///
/// If an earlier test decides a row, later tests do not read the row. Therefore put the most selective tests first. All
/// other comparisons are computed before this launch, as separate operations. Longer conditions are evaluated in parts.
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the condition contains no column.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`Unsupported`](gdf_core::Error::Unsupported): types that
///   cannot be compared.
/// * Driver and memory errors.
#[doc(alias("compute_column", "filter", "where", "query", "ast", "conjunction"))]
pub fn evaluate_predicate(predicate: &Predicate<'_>) -> Result<Column> {
    let operands = predicate.operands();
    let inputs: Vec<&dyn Input> = operands.iter().map(|operand| operand as &dyn Input).collect();
    Scope::for_inputs("evaluate_predicate", &inputs)?.run(|ctx| detail::predicate::evaluate_predicate(predicate, ctx))
}
