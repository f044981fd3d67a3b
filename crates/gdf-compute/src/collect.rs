//! Collects rows of a column into lists.

use gdf_core::{Column, ColumnView, DataType, Result, TableView};

use crate::Ctx;
use crate::lists::{
    Lists, gather_column, kept_offsets, list_of, make_lists, rows_of_ranges, rows_of_runs, select_rows,
};
use crate::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct_rows};
use crate::unary::is_valid;

/// Lists whose elements are rows of a column.
pub struct ListedRows {
    /// The row number of each element in the column.
    pub rows: Column,
    /// The index of the first element of each list, followed by the number of all elements.
    pub offsets: Column,
}

impl ListedRows {
    /// Returns the lists without null elements.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn without_nulls(self, values: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Self> {
        let valid = is_valid(values, ctx)?;
        let kept = gather_column(valid.view(), self.rows.view(), ctx)?;
        self.kept(&kept, ctx)
    }

    /// Returns the lists without repeated elements.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn distinct(
        self,
        values: ColumnView<'_>,
        nulls: NullEquality,
        nans: NanEquality,
        ctx: Ctx<'_>,
    ) -> Result<Self> {
        let values = gather_column(values, self.rows.view(), ctx)?;
        let lists = self.offsets.len() - 1;
        let owners = rows_of_runs(self.offsets.slice(1, lists)?.view(), self.rows.len(), ctx)?;
        let keys = TableView::try_new(vec![owners.view(), values.view()])?;
        let kept = distinct_rows(keys, DuplicateKeepOption::First, nulls, nans, ctx)?;
        self.kept(&kept, ctx)
    }

    fn kept(self, mask: &Column, ctx: Ctx<'_>) -> Result<Self> {
        let rows = select_rows(&TableView::from(self.rows.view()), mask.view(), ctx)?.column(0)?.clone();
        Ok(Self { rows, offsets: kept_offsets(&self.offsets, mask, ctx)? })
    }

    /// Replaces each element, which is a row number of `lists`, by the elements of that list. The row numbers of the
    /// result are numbers of elements of `lists`.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn elements(self, lists: &Lists, ctx: Ctx<'_>) -> Result<Self> {
        let [begins, sizes] =
            [&lists.begins()?, &lists.sizes].map(|of| gather_column(of.view(), self.rows.view(), ctx));
        let (rows, offsets) = rows_of_ranges(&begins?, &sizes?, lists.elements.len(), ctx)?;
        Ok(Self { rows, offsets: gather_column(offsets.view(), self.offsets.view(), ctx)? })
    }

    /// Returns the lists as a column of type `List`. A list is null if a column of `nulls` is null in the same row.
    ///
    /// # Errors
    /// * The errors of [`of_type`](Self::of_type).
    pub fn of(&self, values: ColumnView<'_>, nulls: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
        self.of_type(&list_of(values.data_type()), values, nulls, ctx)
    }

    /// Returns the lists as a column of type `lists`. A list is null if a column of `nulls` is null in the same row.
    ///
    /// # Errors
    /// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) if the type has too narrow offsets.
    /// * Driver and memory errors.
    pub fn of_type(
        &self,
        lists: &DataType,
        values: ColumnView<'_>,
        nulls: &[ColumnView<'_>],
        ctx: Ctx<'_>,
    ) -> Result<Column> {
        let elements = gather_column(values, self.rows.view(), ctx)?;
        make_lists(lists, &self.offsets, elements, nulls, ctx)
    }
}
