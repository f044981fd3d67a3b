//! Looking at data before they are trusted.
//!
//! [`Column::try_from_parts`] checks sizes of buffers and children, not what is in them, and memory of others may hold
//! anything: offsets that lead out of it, keys without a value. These functions look at all of it, on the device where it
//! is. Operations do so themselves, once, with a column that is not [validated](Column::validated), and refuse it with
//! [`BrokenData`](gdf_core::Error::BrokenData); who validates ahead of time decides when that launch and that wait happen.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;

use crate::scope::Scope;

/// The rows of a column as a column that is [validated](Column::validated), if its data and those of all its children obey
/// the rules of their types. Buffers are shared, nothing is copied; null counts are known afterwards.
///
/// Types: all. The rules, of which [`BrokenData`](gdf_core::Error::BrokenData) names the one that is broken and the first row
/// that breaks it, are those of [`DataRule`](gdf_core::DataRule): a known null count agrees with the mask; offsets of text,
/// bytes, lists and maps do not descend and stay within the data; offsets and sizes of list views, and views, do; keys of
/// dictionaries, where not null, type numbers and offsets of unions name something; ends of runs ascend and cover the rows;
/// text is UTF-8 in each row, also under nulls. A column comes before its children, and they in their order; of one column
/// the null count comes before the rules on structure, and these before those on text.
///
/// Columns are looked at whatever they are marked as: one from the C data interface says of itself that it is right. Whether
/// fields that are declared without nulls have some is not looked at: operations go by masks.
///
/// In arrow-rs `ArrayData::validate_full`; libcudf has none.
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
/// At most **1 wait** for each 32 things to look at: a column or child with a mask or with rules on its data is one,
/// its text another, and each child of a dense union. None for numbers without nulls. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`BrokenData`](gdf_core::Error::BrokenData): the first column or child of which a rule is broken.
/// * Driver and memory errors.
#[doc(alias("validate_full", "check"))]
pub fn validate<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("validate", &[&column])?.run(|ctx| detail::validation::validate(column, ctx))
}

/// As [`validate`], of all columns of a table at once, which cost what one column with as much to look at costs. The
/// path of an error begins with the position of the column.
///
/// # Errors
/// * As [`validate`].
#[doc(alias("validate_full", "check"))]
pub fn validate_table<'a>(table: impl Into<TableView<'a>>) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("validate_table", &[&table])?.run(|ctx| detail::validation::validate_table(table, ctx))
}
