//! Decodes columns of views and dictionary columns to plain columns. Operations compare and read only plain columns.

use gdf_core::{Abilities, Column, ColumnView, DataType, DictionaryView, Position, Result, TableView};
use gdf_memory::Buffer;

pub use gdf_expr::types::decoded_type;

use crate::Ctx;
use crate::cast::cast;
use crate::check;
use crate::mask::copy_bitmask;
use crate::rows::gather_column;
use crate::sort::{self, NullOrder};
use crate::vouch;

/// A column that is neither a column of views nor a dictionary column. An operation keeps this value alive while the
/// operation reads the column.
#[derive(Debug)]
pub enum Decoded<'a> {
    /// The column that the caller passed, which is a plain column.
    Given(ColumnView<'a>),
    /// The decoded copy of a column of views or of a dictionary column.
    Made(Column),
}

impl<'a> Decoded<'a> {
    /// Decodes `column` if it is a column of views or a dictionary column.
    ///
    /// Views become text or bytes with offsets of 32 bits. The keys of a dictionary become their values.
    ///
    /// # Errors
    /// * The errors of [`cast`](crate::cast::cast()).
    pub fn of(column: ColumnView<'a>, ctx: Ctx<'_>) -> Result<Self> {
        // Results of operations share masks and bytes of their inputs. A decoded column may therefore become part of a
        // result, so its memory comes from the output resource of `ctx`.
        let cast_to = |data_type, ctx| cast(column, data_type, ctx).map(Decoded::Made);
        match column.data_type() {
            DataType::Utf8View => cast_to(&DataType::Utf8, ctx),
            DataType::BinaryView => cast_to(&DataType::Binary, ctx),
            DataType::Dictionary(_, values) if Abilities::of(values).encoded => {
                let views = cast(column, values, ctx.scratch())?;
                Ok(Decoded::Made(Decoded::of(views.view(), ctx)?.into_column()))
            }
            DataType::Dictionary(_, values) => cast_to(values, ctx),
            _ => Ok(Decoded::Given(column)),
        }
    }

    /// Decodes a key column that is compared only with itself. Each row of a dictionary column becomes the rank of its
    /// value among the dictionary's values, unless the values have no order or are more than the rows. All other
    /// columns are decoded in the same way as by [`Decoded::of`].
    ///
    /// # Errors
    /// * The errors of [`Decoded::of`].
    pub fn ranked(column: ColumnView<'a>, ctx: Ctx<'_>) -> Result<Self> {
        match ranks(column, ctx)? {
            Some(ranks) => Ok(Decoded::Made(ranks)),
            None => Decoded::of(column, ctx),
        }
    }

    pub fn view(&self) -> ColumnView<'_> {
        match self {
            Decoded::Given(column) => *column,
            Decoded::Made(column) => column.view(),
        }
    }

    /// Returns the column. The result shares memory with the given column if nothing was decoded.
    pub fn into_column(self) -> Column {
        match self {
            Decoded::Given(column) => column.to_column(),
            Decoded::Made(column) => column,
        }
    }
}

/// The part of a column that an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reads {
    /// The operation only moves or counts whole rows.
    Rows,
    /// The operation reads which rows are null. A row of a dictionary is also null if its value is null.
    Nulls,
    Values,
}

impl Reads {
    /// Decodes `column` if it must be decoded before an operation can read this part of it.
    ///
    /// # Errors
    /// * The errors of [`Decoded::of`].
    pub fn decode<'a>(self, column: ColumnView<'a>, ctx: Ctx<'_>) -> Result<Decoded<'a>> {
        match self {
            Reads::Values => Decoded::of(column, ctx),
            Reads::Nulls if has_null_values(column) => Decoded::of(column, ctx),
            _ => Ok(Decoded::Given(column)),
        }
    }
}

/// Returns whether a dictionary may have null values.
pub fn has_null_values(column: ColumnView<'_>) -> bool {
    let may_be = |values: ColumnView<'_>| {
        values.has_validity() || *values.data_type() == DataType::Null || has_null_values(values)
    };
    DictionaryView::try_from(column).is_ok_and(|dictionary| may_be(dictionary.values()))
}

/// The key columns of a table in the form that engines compare.
#[derive(Debug)]
pub struct DecodedColumns<'a> {
    columns: Vec<Decoded<'a>>,
    rows: usize,
}

impl<'a> DecodedColumns<'a> {
    /// Decodes each column of `keys` as [`Decoded::of`] does.
    ///
    /// # Errors
    /// * The errors of [`Decoded::of`].
    pub fn new(keys: &TableView<'a>, ctx: Ctx<'_>) -> Result<Self> {
        Self::by(keys, ctx, |_, column| Decoded::of(column, ctx))
    }

    /// Decodes each column of `keys`. The arguments of `decode` are the position of a column and the column.
    ///
    /// # Errors
    /// * The errors of [`check::table`], and the errors of `decode` with the position of the column.
    pub fn by(
        keys: &TableView<'a>,
        ctx: Ctx<'_>,
        mut decode: impl FnMut(usize, ColumnView<'a>) -> Result<Decoded<'a>>,
    ) -> Result<Self> {
        check::table(keys, ctx)?;
        let columns = keys.columns().iter().enumerate();
        let columns = columns.map(|(i, column)| decode(i, *column).map_err(|error| error.at(Position::Column(i))));
        Ok(Self { columns: columns.collect::<Result<_>>()?, rows: keys.num_rows() })
    }

    /// Makes the key columns of a table of `rows` rows from columns that are decoded.
    pub fn from_columns(columns: Vec<Decoded<'a>>, rows: usize) -> Self {
        Self { columns, rows }
    }

    /// Decodes columns of views. Dictionaries stay as they are, unless their values are views or dictionaries.
    ///
    /// # Errors
    /// * The errors of [`Decoded::of`].
    pub fn without_views(columns: &TableView<'a>, ctx: Ctx<'_>) -> Result<Self> {
        Self::by(columns, ctx, |_, column| match column.data_type() {
            DataType::Dictionary(_, values) if !Abilities::of(values).encoded => Ok(Decoded::Given(column)),
            _ => Decoded::of(column, ctx),
        })
    }

    /// Returns whether all columns are those that the caller passed.
    pub fn are_given(&self) -> bool {
        self.columns.iter().all(|column| matches!(column, Decoded::Given(_)))
    }

    pub fn is_given(&self, i: usize) -> bool {
        matches!(self.columns.get(i), Some(Decoded::Given(_)))
    }

    pub fn memory_size(&self) -> usize {
        let made = self.columns.iter().map(|column| match column {
            Decoded::Given(_) => 0,
            Decoded::Made(column) => column.buffers().iter().chain(column.validity()).map(Buffer::len).sum(),
        });
        made.sum()
    }

    /// Returns the columns to compare.
    ///
    /// # Errors
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) if the table is made of columns of other lengths.
    pub fn view(&self) -> Result<TableView<'_>> {
        TableView::try_with_rows(self.columns.iter().map(Decoded::view).collect(), self.rows)
    }
}

/// Returns the rank of each row of a dictionary column. Equal rows have equal ranks, and smaller rows have smaller
/// ranks. Null rows have a null rank. The result is `None` if the column is not a dictionary column, if the dictionary
/// has more values than the column has rows, or if the values cannot be ranked.
fn ranks(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let Ok(dictionary) = DictionaryView::try_from(column) else { return Ok(None) };
    if dictionary.values().len() > column.len() {
        return Ok(None);
    }
    let decoded = Decoded::of(dictionary.values(), ctx)?;
    let values = decoded.view();
    if values.is_empty() || Abilities::of(values.data_type()).order.is_none() {
        return Ok(None);
    }
    let mut parts = sort::ranks("sorted_order", &TableView::from(values), NullOrder::Before, ctx)?.into_parts();
    (parts.validity, parts.null_count) = copy_bitmask(values, ctx)?.into_parts();
    let ranks = vouch::result(parts)?;
    Ok(Some(gather_column(ranks.view(), dictionary.keys().view(), ctx)?))
}
