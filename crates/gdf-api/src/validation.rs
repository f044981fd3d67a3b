//! Functions that validate untrusted data.
//!
//! [`Column::try_from_parts`] checks the sizes of buffers and children, but not their contents. Memory from other
//! programs may contain invalid data, such as offsets beyond the end of a buffer, or keys without a value. The
//! functions of this module check all contents, on the device of the data. Every operation makes the same check, once
//! for each column that is not [validated](Column::validated), and returns [`BrokenData`](gdf_core::Error::BrokenData)
//! for invalid data. A caller of this module decides when the launch and the wait of the check happen.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;

use crate::scope::Scope;

/// Checks whether the data of a column and of all its children obey the rules of their types. Returns the column
/// marked as [validated](Column::validated). Buffers are shared, and nothing is copied. The null counts of the result
/// are known.
///
/// Types: all. [`DataRule`](gdf_core::DataRule) lists the rules. [`BrokenData`](gdf_core::Error::BrokenData) names
/// the first broken rule, and the first row that breaks the rule. The rules are:
/// * A known null count agrees with the mask.
/// * The offsets of text, binary, lists and maps do not descend, and stay within the data.
/// * The offsets and sizes of list views, and views, stay within the data.
/// * The keys of dictionaries that are not null name a value. The type ids of unions name a child, and the offsets of
///   unions name an element of the child.
/// * Run ends ascend and cover the rows.
/// * Text is UTF-8 in each row, also in null rows.
///
/// A column is checked before its children, and the children in their order. Within one column, the null count is
/// checked first, then the rules on structure, then the rules on text.
///
/// A column is checked even if the column is already marked as validated, as columns from the C data interface are.
/// The function does not check whether a field that is declared as not nullable has nulls, because operations only
/// use the masks.
///
/// In arrow-rs `ArrayData::validate_full`; libcudf has no such function.
///
/// ```
/// use gdf::core::{ColumnParts, DataRule};
/// use gdf::memory::{Buffer, current_resource};
/// use gdf::validation::validate;
/// use gdf::{Column, DataType, Device, Error, Stream};
///
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// let offsets: Vec<u8> = [0_i32, 2, 5].iter().flat_map(|offset| offset.to_le_bytes()).collect();
/// let text = |bytes: &[u8]| {
///     let parts = ColumnParts::new(DataType::Utf8, Device::Cpu, 2)
///         .buffer(Buffer::from_host(&offsets, &stream, &mr)?)
///         .buffer(Buffer::from_host(bytes, &stream, &mr)?);
///     Column::try_from_parts(parts)
/// };
/// let good = text(b"aabbb")?;
/// assert!(!good.validated() && validate(&good)?.validated());
///
/// let bad = validate(&text(b"aab\xffb")?);
/// assert!(matches!(bad, Err(Error::BrokenData { rule: DataRule::Text, row: Some(1), .. })));
/// let short = validate(&text(b"aa")?);
/// assert!(matches!(short, Err(Error::BrokenData { rule: DataRule::Offsets, row: Some(1), .. })));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most **1 wait** for each 32 checks. A column or child with a mask or with rules on its data is
/// one check. Text is one more check, and so is each child of a dense union. Numbers without nulls need no check. See
/// the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`BrokenData`](gdf_core::Error::BrokenData): the first column or child that breaks a rule.
/// * Driver and memory errors.
#[doc(alias("validate_full", "check"))]
pub fn validate<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("validate", &[&column])?.run(|ctx| detail::validation::validate(column, ctx))
}

/// Checks all columns of a table together in the same way as [`validate`]. The costs are those of one column with the
/// same number of checks. The path of an error begins with the position of the column.
///
/// # Errors
/// * The errors of [`validate`].
#[doc(alias("validate_full", "check"))]
pub fn validate_table<'a>(table: impl Into<TableView<'a>>) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("validate_table", &[&table])?.run(|ctx| detail::validation::validate_table(table, ctx))
}
