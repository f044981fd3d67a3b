//! Views and dictionaries as the columns that they stand for, which operations compare and read.

use gdf_core::{Column, ColumnView, DataType, DictionaryView, Result, Table, TableView};
use gdf_driver::Device;
use gdf_memory::Buffer;

use crate::Ctx;
use crate::check;
use crate::copying::{gather_trusted, rows_in_order};
use crate::engine::keys::is_ordered;
use crate::engine::sort::{KeyColumn, SortedRows, cuda, host, keys};
use crate::null_mask::copy_bitmask;
use crate::unary::cast;
use crate::vouch;

/// `column` without views and dictionaries: text or bytes of views, with offsets of 32 bits, and what a dictionary has for each
/// key. `None` of columns of other types.
///
/// # Errors
/// * Those of [`cast`].
pub fn decode(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<Column>> {
    // Results of operations share masks and bytes of their inputs, so that what the caller gets is not scratch memory.
    match column.data_type() {
        DataType::Utf8View => cast(column, &DataType::Utf8, ctx).map(Some),
        DataType::BinaryView => cast(column, &DataType::Binary, ctx).map(Some),
        DataType::Dictionary(_, values) if is_encoded(values) => {
            decode(cast(column, values, ctx.scratch())?.view(), ctx)
        }
        DataType::Dictionary(_, values) => cast(column, values, ctx).map(Some),
        _ => Ok(None),
    }
}

/// The result of an operation on the column, or on what [`decode`] makes of it.
///
/// # Errors
/// * Those of [`decode`] and of the operation.
pub fn with_decoded<R>(
    column: ColumnView<'_>,
    ctx: Ctx<'_>,
    operation: impl FnOnce(ColumnView<'_>) -> Result<R>,
) -> Result<R> {
    let decoded = decode(column, ctx)?;
    operation(decoded.as_ref().map_or(column, Column::view))
}

/// What an operation reads of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reads {
    /// Whole rows, whatever they are, or how many there are.
    Rows,
    /// Which rows are null: of a dictionary also those whose value is.
    Nulls,
    /// Values.
    Values,
}

impl Reads {
    /// What `column` has to be decoded to, if it does, for this to be read of it.
    ///
    /// # Errors
    /// * Those of [`decode`].
    pub(crate) fn decode(self, column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<Column>> {
        match self {
            Reads::Values => decode(column, ctx),
            Reads::Nulls if has_null_values(column) => decode(column, ctx),
            _ => Ok(None),
        }
    }
}

/// Whether what a dictionary has for a key may be null.
pub(crate) fn has_null_values(column: ColumnView<'_>) -> bool {
    let may_be = |values: ColumnView<'_>| {
        values.has_validity() || *values.data_type() == DataType::Null || has_null_values(values)
    };
    DictionaryView::try_from(column).is_ok_and(|dictionary| may_be(dictionary.values()))
}

/// Whether [`decode`] makes another column of this one.
pub(crate) fn is_encoded(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8View | DataType::BinaryView | DataType::Dictionary(..))
}

/// The type of what [`decode`] makes of a column, or of the column.
pub(crate) fn decoded_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Utf8View => &DataType::Utf8,
        DataType::BinaryView => &DataType::Binary,
        DataType::Dictionary(_, values) => decoded_type(values),
        _ => data_type,
    }
}

#[derive(Debug)]
enum Decoded<'a> {
    Given(ColumnView<'a>),
    Made(Column),
}

/// Key columns as engines compare them: those of views and of dictionaries decoded, the others as they are given.
#[derive(Debug)]
pub(crate) struct DecodedColumns<'a> {
    columns: Vec<Decoded<'a>>,
    rows: usize,
}

impl<'a> DecodedColumns<'a> {
    /// Keys that are also compared with those of another table.
    ///
    /// # Errors
    /// * Those of [`decode`].
    pub(crate) fn new(keys: &TableView<'a>, ctx: Ctx<'_>) -> Result<Self> {
        Self::by(keys, ctx, |column, ctx| decode(column, ctx))
    }

    /// Keys that are compared with each other alone: of a dictionary its keys become numbers in the order of what it has for
    /// them, so that only the dictionary is decoded and sorted.
    ///
    /// # Errors
    /// * Those of [`decode`].
    pub(crate) fn ranked(keys: &TableView<'a>, ctx: Ctx<'_>) -> Result<Self> {
        Self::by(keys, ctx, |column, ctx| match ranks(column, ctx)? {
            Some(ranks) => Ok(Some(ranks)),
            None => decode(column, ctx),
        })
    }

    /// Columns of which dictionaries stay, unless they are of views.
    ///
    /// # Errors
    /// * Those of [`decode`].
    pub(crate) fn of_views(columns: &TableView<'a>, ctx: Ctx<'_>) -> Result<Self> {
        Self::by(columns, ctx, |column, ctx| match column.data_type() {
            DataType::Dictionary(_, values) if !is_encoded(values) => Ok(None),
            _ => decode(column, ctx),
        })
    }

    fn by(
        keys: &TableView<'a>,
        ctx: Ctx<'_>,
        decode: impl Fn(ColumnView<'a>, Ctx<'_>) -> Result<Option<Column>>,
    ) -> Result<Self> {
        check::table(keys, ctx)?;
        let column = |&given: &ColumnView<'a>| match is_encoded(given.data_type()) {
            true => Ok(decode(given, ctx)?.map_or(Decoded::Given(given), Decoded::Made)),
            false => Ok(Decoded::Given(given)),
        };
        Ok(Self { columns: keys.columns().iter().map(column).collect::<Result<_>>()?, rows: keys.num_rows() })
    }

    /// Whether no column had to be decoded.
    pub(crate) fn are_given(&self) -> bool {
        self.columns.iter().all(|column| matches!(column, Decoded::Given(_)))
    }

    /// The bytes of the columns that had to be decoded.
    pub(crate) fn memory_size(&self) -> usize {
        let made = self.columns.iter().map(|column| match column {
            Decoded::Given(_) => 0,
            Decoded::Made(column) => column.buffers().iter().chain(column.validity()).map(Buffer::len).sum(),
        });
        made.sum()
    }

    /// The columns to compare.
    ///
    /// # Errors
    /// * None: the columns have one length.
    pub(crate) fn view(&self) -> Result<TableView<'_>> {
        let columns = self.columns.iter().map(|column| match column {
            Decoded::Given(column) => *column,
            Decoded::Made(column) => column.view(),
        });
        TableView::try_with_rows(columns.collect(), self.rows)
    }
}

/// For each row of a dictionary column a number: equal for equal rows, smaller for smaller ones, null for null ones. `None` where it
/// takes no less to decode the column.
fn ranks(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let Ok(dictionary) = DictionaryView::try_from(column) else { return Ok(None) };
    let decoded = match dictionary.values().len() <= column.len() {
        true => decode(dictionary.values(), ctx)?,
        false => return Ok(None),
    };
    let values = decoded.as_ref().map_or(dictionary.values(), Column::view);
    if values.is_empty() || !is_ordered(values.data_type()) {
        return Ok(None);
    }
    let (rows, values) = (values.len(), TableView::try_new(vec![values])?);
    let order = match ctx.stream.device() {
        Device::Cpu => host::sorted_order(&ascending(&values, ctx)?, rows, rows, ctx)?,
        Device::Cuda(_) => cuda::sorted_order(&ascending(&values, ctx)?, rows, rows, ctx)?,
    };
    let sorted = rows_in_order(&values, &order, ctx)?;
    let sorted = SortedRows { keys: &ascending(&sorted.view(), ctx)?, rows };
    let ranks = match ctx.stream.device() {
        Device::Cpu => host::search_sorted(sorted, &ascending(&values, ctx)?, rows, false, ctx)?,
        Device::Cuda(_) => cuda::search_sorted(sorted, &ascending(&values, ctx)?, rows, false, ctx)?,
    };
    let mut parts = ranks.into_parts();
    (parts.validity, parts.null_count) = copy_bitmask(values.column(0)?, ctx)?.into_parts();
    let ranks = Table::try_new(vec![vouch::result(parts)?])?;
    Ok(Some(gather_trusted(ranks.view(), dictionary.keys().view(), ctx)?.column(0)?.clone()))
}

fn ascending<'a>(values: &TableView<'a>, ctx: Ctx<'_>) -> Result<Vec<KeyColumn<'a>>> {
    keys("sorted_order", values, &[], &[], ctx)
}
