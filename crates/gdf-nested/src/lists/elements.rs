//! Opens the lists of a column as one column with the elements of all lists, and makes lists of such elements.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::lists::{
    Lists, Ranges, as_lists, kept_offsets, make_lists, may_share_values, rows_of_runs, select_rows,
};
use gdf_core::{Column, ColumnView, DataType, Error, Field, ListsView, Result, TableView};
use gdf_engine::mask::{bitmask_and, bools_to_mask};

use crate::Ctx;
use crate::vouch;
use crate::vouch::gather_column;

/// The treatment of hidden elements. In an imported column, the offsets of a null list may span elements, which are
/// hidden.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// Hidden elements are kept.
    Kept,
    /// Hidden elements are left out, so that null lists are empty.
    Purged,
}

/// The lists of a column, and the elements of all lists, one list after the other.
pub struct Elements {
    /// The lists.
    pub column: Column,
    /// The number of elements of each list, as `Int64`. The number is 0 for a null list.
    pub sizes: Column,
    /// The start of each list in `values` as `Int64`, followed by the end of the last list.
    pub offsets: Column,
    /// The elements of all lists.
    pub values: Column,
}

impl Elements {
    /// Opens the lists of `column`.
    pub fn open(
        operation: &'static str,
        column: ColumnView<'_>,
        around: &[ColumnView<'_>],
        hidden: Hidden,
        ctx: Ctx<'_>,
    ) -> Result<Self> {
        let column = as_lists(operation, column, ctx)?;
        let view = column.view();
        let around: Vec<_> = around.iter().copied().filter(|column| column.has_validity()).collect();
        let lists = Lists::open(ListsView::try_from(view)?, &around, ctx)?;
        let is_clean = around.is_empty() && (!view.has_validity() || view.sanitized());
        if hidden == Hidden::Purged && !is_clean {
            let (ranges, offsets) = Ranges::new(lists.begins()?, &lists.sizes, ctx)?;
            let values = ranges.copy_column(lists.elements.view(), ctx)?;
            return Ok(Self { sizes: lists.sizes, offsets, values, column });
        }
        let range = Lists::ranges(std::slice::from_ref(&lists), ctx)?.pop().unwrap_or(0..0);
        let values = lists.elements.slice(range.start, range.len())?;
        let offsets = match i64::try_from(range.start) {
            Ok(0) => lists.offsets().clone(),
            begin => of(lists.offsets(), Op::Sub, begin.unwrap_or(i64::MAX).into(), &DataType::Int64, ctx)?,
        };
        Ok(Self { sizes: lists.sizes, offsets, values, column })
    }

    /// Returns for each element the number of its list.
    pub fn parents(&self, ctx: Ctx<'_>) -> Result<Column> {
        rows_of_runs(self.ends()?.view(), self.values.len(), ctx)
    }

    /// Returns lists with the same lengths and nulls and with other elements, which may be null. Null lists must have
    /// been opened as empty lists.
    pub fn replaced(&self, values: Column, ctx: Ctx<'_>) -> Result<Column> {
        let data_type = match self.column.data_type() {
            DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
                let name = if matches!(self.column.data_type(), DataType::Map(..)) { "item" } else { field.name() };
                let item = Field::new(name, values.data_type().clone(), true);
                list_of(item.into(), matches!(self.column.data_type(), DataType::LargeList(_)))
            }
            other => return Err(Error::type_mismatch("a list", other)),
        };
        make_lists(&data_type, &self.offsets, values, &[self.column.view()], ctx)
    }

    /// Returns the lists with the elements for which the boolean column `mask` is true and not null. Null lists must
    /// have been opened as empty lists.
    pub fn selected(&self, mask: Column, ctx: Ctx<'_>) -> Result<Column> {
        let mask = if mask.has_validity() { bools_to_mask(mask.view(), ctx.scratch())?.to_column()? } else { mask };
        filtered(self, &mask, &[self.column.view()], ctx)
    }

    pub(super) fn begins(&self) -> Result<Column> {
        self.offsets.slice(0, self.column.len())
    }

    pub(super) fn ends(&self) -> Result<Column> {
        self.offsets.slice(1, self.column.len())
    }

    /// Returns lists with the same lengths and nulls, whose elements are the rows `map` of `values`.
    pub(super) fn gathered(&self, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        let values = gather_column(self.values.view(), map, ctx)?;
        make_lists(self.column.data_type(), &self.offsets, values, &[self.column.view()], ctx)
    }
}

pub(super) fn filtered(lists: &Elements, mask: &Column, nulls: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let offsets = kept_offsets(&lists.offsets, mask, ctx.scratch())?;
    let values = select_rows(&TableView::from(lists.values.view()), mask.view(), ctx)?;
    make_lists(lists.column.data_type(), &offsets, values.column(0)?.clone(), nulls, ctx)
}

fn list_of(field: gdf_core::FieldRef, large: bool) -> DataType {
    if large { DataType::LargeList(field) } else { DataType::List(field) }
}

/// Returns the column that `work` makes. A column of dictionaries or views may share memory with its inputs, which may
/// be scratch memory. Such a column is made in scratch memory and then copied.
pub(super) fn without_scratch(
    data_type: &DataType,
    ctx: Ctx<'_>,
    work: impl FnOnce(Ctx<'_>) -> Result<Column>,
) -> Result<Column> {
    if may_share_values(data_type) { work(ctx.scratch())?.deep_copy(ctx.stream, ctx.mr.output) } else { work(ctx) }
}

/// Returns the same type of lists, with elements that may be null.
pub(super) fn nullable_elements(lists: &DataType) -> DataType {
    match lists {
        DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
            let field = field.as_ref().clone().with_nullable(true);
            list_of(field.into(), matches!(lists, DataType::LargeList(_)))
        }
        other => other.clone(),
    }
}

/// Returns the type of the elements of lists, or of the entries of maps.
pub fn element_type(lists: &DataType) -> Option<&DataType> {
    match lists {
        DataType::Map(entries, _) => Some(entries.data_type()),
        lists => gdf_expr::types::nested::element_type(lists),
    }
}

/// Returns the type of counts and positions of the elements of a list: `Int64` for `LargeList`, otherwise `Int32`.
pub(super) fn position_type(lists: &DataType) -> DataType {
    if matches!(lists, DataType::LargeList(_)) { DataType::Int64 } else { DataType::Int32 }
}

/// Returns `column` with null in every row in which a column of `others` is null. `column` must not have nulls of its
/// own.
pub(super) fn with_nulls(column: Column, others: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let nulls: Vec<_> = others.iter().copied().filter(|column| column.has_validity()).collect();
    if nulls.is_empty() {
        return Ok(column);
    }
    let (validity, null_count) = bitmask_and(&TableView::try_new(nulls)?, ctx)?.into_parts();
    vouch::result(column.into_parts().validity(validity, null_count))
}
