//! The hash table of one side of a join, and joins that build a hash table for a single call.

mod cuda;
mod host;
#[cfg(test)]
mod tests;

use gdf_compute::filling::row_numbers;
use gdf_compute::keys::{Form, Prepared, Purpose, is_replaced, prepare};
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, Error, Position, Result, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::decoded::decoded_type;
use gdf_engine::hash_table::{KeyTable, Lookups};
use gdf_engine::keys::{KeySide, MAX_ROWS, NanEquality};

pub(super) use self::cuda::set_bits;
use crate::Ctx;
use crate::vouch;
use crate::vouch::{gather_column, gather_trusted};
pub use gdf_engine::keys::NullEquality;

const JOIN: &str = "join keys";
/// From this number of right rows on, a semi or anti join first drops the right rows without a match if there are few
/// left rows.
const LARGE_SIDE: usize = 1 << 20;
/// The minimum number of right rows for each left row for which right rows are dropped.
const LARGE_RATIO: usize = 8;

/// The row number that means "no row" in the results of left and full joins, in columns of `UInt32`. In columns of
/// `UInt64` the row number is `u64::MAX`.
pub const JOIN_NO_MATCH: u32 = u32::MAX;

/// The pairs of rows that a join returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// All pairs of a left row and a right row with equal keys.
    Inner,
    /// The pairs of an inner join. Each left row without a match is paired with [`JOIN_NO_MATCH`].
    Left,
    /// The pairs of a left join. Each right row without a match is paired with [`JOIN_NO_MATCH`].
    Full,
}

/// The left rows that a filtering join returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    /// The left rows with a match.
    Semi,
    /// The left rows without a match.
    Anti,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Inner,
    Left,
    Semi,
    Anti,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) kind: Kind,
    pub(super) full: bool,
}

impl From<JoinKind> for Request {
    fn from(kind: JoinKind) -> Self {
        let full = kind == JoinKind::Full;
        Self { kind: if kind == JoinKind::Inner { Kind::Inner } else { Kind::Left }, full }
    }
}

impl From<FilterKind> for Request {
    fn from(kind: FilterKind) -> Self {
        Self { kind: if kind == FilterKind::Semi { Kind::Semi } else { Kind::Anti }, full: false }
    }
}

impl Request {
    /// Stores what is known about the row numbers of a result. The left numbers ascend, and those of semi and anti
    /// joins are distinct. In a full join, the right rows without a match come last. Their left number means "no row"
    /// and is the largest number. `rows` are the numbers of rows of the left and of the right side.
    fn keep_facts(self, left: &Column, right: Option<&Column>, rows: [usize; 2]) {
        vouch::ascending(left.view());
        if !self.has_pairs() {
            vouch::distinct(left.view());
        }
        if !self.full {
            vouch::row_numbers(left, rows[0]);
        }
        if self.kind == Kind::Inner
            && let Some(right) = right
        {
            vouch::row_numbers(right, rows[1]);
        }
    }

    pub(super) fn has_pairs(self) -> bool {
        matches!(self.kind, Kind::Inner | Kind::Left)
    }
}

#[derive(Debug)]
enum BackendTable {
    Host(KeyTable),
    Cuda(cuda::Table),
}

impl BackendTable {
    fn new(side: &KeySide<'_>, lookups: Lookups, ctx: Ctx<'_>) -> Result<Self> {
        match ctx.stream.device() {
            Device::Cpu => Ok(Self::Host(KeyTable::new(side, lookups, ctx)?)),
            Device::Cuda(_) => Ok(Self::Cuda(cuda::Table::new(side, lookups, ctx)?)),
        }
    }

    fn has_distinct_keys(&self) -> bool {
        match self {
            Self::Host(table) => table.has_distinct_keys(),
            Self::Cuda(_) => false,
        }
    }

    fn memory_size(&self) -> usize {
        match self {
            Self::Host(table) => table.memory_size(),
            Self::Cuda(table) => table.memory_size(),
        }
    }
}

#[derive(Debug)]
struct Built<'a> {
    keys: Prepared<'a>,
    form: Form,
    table: BackendTable,
    is_set: bool,
}

/// The hash table of `gdf_api::join::HashJoin`. The table is built once from the right side and can be probed any
/// number of times.
#[derive(Debug)]
pub struct JoinTable<'a> {
    keys: TableView<'a>,
    nulls: NullEquality,
    /// `None` for keys that can only be replaced together with the keys of the other side, such as lists. Also `None`
    /// for structs with too many fields.
    built: Option<Built<'a>>,
}

impl<'a> JoinTable<'a> {
    /// Builds the table from the rows of `build`. All columns of `build` are keys.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) for zero columns, more than 32 columns, or more than 2³¹−16
    ///   rows.
    /// * [`Unsupported`](Error::Unsupported) for columns of types that cannot be compared.
    /// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
    pub fn new(build: impl Into<TableView<'a>>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<Self> {
        Self::for_rows(build, nulls, 0, ctx)
    }

    /// Builds the table of [`new`](Self::new) in the form that is best for looking up `probe_rows` rows.
    ///
    /// # Errors
    /// The errors are the errors of [`new`](Self::new).
    pub fn for_rows(
        build: impl Into<TableView<'a>>,
        nulls: NullEquality,
        probe_rows: usize,
        ctx: Ctx<'_>,
    ) -> Result<Self> {
        Self::build(build.into(), nulls, Lookups { is_set: false, probe_rows }, ctx)
    }

    fn build(build: TableView<'a>, nulls: NullEquality, lookups: Lookups, ctx: Ctx<'_>) -> Result<Self> {
        check::table(&build, ctx)?;
        let Some(form) = Form::of(&build, nulls)? else {
            return Ok(Self { keys: build, nulls, built: None });
        };
        let [keys] = prepare(JOIN, [&build], Purpose::equality_in(&form), ctx)?;
        let table = BackendTable::new(&KeySide::try_new(JOIN, keys.view()?, nulls)?, lookups, ctx)?;
        Ok(Self { keys: build, nulls, built: Some(Built { keys, form, table, is_set: lookups.is_set }) })
    }

    /// Returns the keys that the table was built from.
    pub fn keys(&self) -> &TableView<'a> {
        &self.keys
    }

    /// Returns whether null keys are equal.
    pub fn nulls(&self) -> NullEquality {
        self.nulls
    }

    /// Returns whether the table has found, when it was built, that no two rows have equal keys. If nulls are unequal,
    /// rows with nulls count as different. On CUDA the table does not tell, and the result is false.
    pub fn has_distinct_keys(&self) -> bool {
        self.built.as_ref().is_some_and(|built| !built.is_set && built.table.has_distinct_keys())
    }

    /// Returns the number of bytes of memory that the table occupies.
    pub fn memory_size(&self) -> usize {
        self.built.as_ref().map_or(0, |built| built.table.memory_size() + built.keys.memory_size())
    }

    /// Returns the row numbers of each pair in two columns: the left rows, then the right rows.
    ///
    /// # Errors
    /// * [`ColumnCount`](Error::ColumnCount), [`TypeMismatch`](Error::TypeMismatch) if the columns of `probe` differ
    ///   from the columns of the build side in number or type.
    /// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
    pub fn join<'p>(&self, kind: JoinKind, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<(Column, Column)> {
        let (left, right) = self.rows(probe.into(), kind.into(), ctx)?;
        let right = right.ok_or_else(|| Error::internal("a join of row pairs returned no right row numbers"))?;
        Ok((left, right))
    }

    /// Returns the numbers of the selected rows of `probe` in ascending order.
    ///
    /// # Errors
    /// The errors are the errors of [`join`](Self::join).
    pub fn filter<'p>(&self, kind: FilterKind, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<Column> {
        Ok(self.rows(probe.into(), kind.into(), ctx)?.0)
    }

    /// Returns the pairs of [`join`](Self::join) for the rows of `probe` for which `selected` is true. If `selected` is
    /// `None`, all rows take part.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) for a full join with `selected`.
    /// * The errors of [`join`](Self::join), and of `apply_boolean_mask` for `selected`.
    pub fn join_where<'p>(
        &self,
        kind: JoinKind,
        probe: impl Into<TableView<'p>>,
        selected: Option<&Column>,
        ctx: Ctx<'_>,
    ) -> Result<(Column, Column)> {
        if kind == JoinKind::Full && selected.is_some() {
            return Err(
                Error::invalid_argument("a full join has no left mask; filter the left rows").in_argument("selected")
            );
        }
        let (left, right) = self.rows_where(probe.into(), selected, kind.into(), ctx)?;
        let right = right.ok_or_else(|| Error::internal("a join of row pairs returned no right row numbers"))?;
        Ok((left, right))
    }

    /// Returns the row numbers of [`filter`](Self::filter) for the rows of `probe` for which `selected` is true. If
    /// `selected` is `None`, all rows take part.
    ///
    /// # Errors
    /// * The errors of [`filter`](Self::filter), and of `apply_boolean_mask` for `selected`.
    pub fn filter_where<'p>(
        &self,
        kind: FilterKind,
        probe: impl Into<TableView<'p>>,
        selected: Option<&Column>,
        ctx: Ctx<'_>,
    ) -> Result<Column> {
        Ok(self.rows_where(probe.into(), selected, kind.into(), ctx)?.0)
    }

    /// Returns the number of pairs that [`join`](Self::join) returns. **Waits** for the number.
    ///
    /// # Errors
    /// The errors are the errors of [`join`](Self::join).
    pub fn size<'p>(&self, kind: JoinKind, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<usize> {
        self.with_sides(&probe.into(), ctx, |table, build, probe| match table {
            BackendTable::Host(table) => host::join_size(table, build, probe, kind.into(), ctx),
            BackendTable::Cuda(table) => cuda::join_size(table, build, probe, kind.into(), ctx),
        })
    }

    /// Returns the numbers of the rows of the build side without a match in `probe`, in ascending order.
    ///
    /// # Errors
    /// The errors are the errors of [`join`](Self::join).
    pub fn unmatched(&self, probe: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        self.with_sides(probe, ctx, |table, build, probe| match table {
            BackendTable::Host(table) => host::unmatched_rows(table, build, probe, ctx),
            BackendTable::Cuda(table) => cuda::unmatched_rows(table, build, probe, ctx),
        })
    }

    pub(super) fn check(&self, probe: &TableView<'_>, ctx: Ctx<'_>) -> Result<()> {
        self.with_sides(probe, ctx, |_, _, _| Ok(()))
    }

    fn with_sides<R>(
        &self,
        probe: &TableView<'_>,
        ctx: Ctx<'_>,
        of_sides: impl FnOnce(&BackendTable, &KeySide<'_>, &KeySide<'_>) -> Result<R>,
    ) -> Result<R> {
        check::table(&self.keys, ctx)?;
        let Some(built) = &self.built else {
            let scratch = ctx.scratch();
            let purpose = Purpose::equality(self.nulls, NanEquality::AllEqual);
            let [build, probe] = prepare(JOIN, [&self.keys, probe], purpose, scratch)?;
            let side = KeySide::try_new(JOIN, build.view()?, self.nulls)?;
            let table = BackendTable::new(&side, Lookups { is_set: false, probe_rows: 0 }, scratch)?;
            return Self::of_checked_sides(&table, side, probe.view()?, of_sides);
        };
        let build = KeySide::try_new(JOIN, built.keys.view()?, self.nulls)?;
        same_keys(&self.keys, probe)?;
        let [probe] = prepare(JOIN, [probe], Purpose::equality_in(&built.form), ctx.scratch())?;
        Self::of_checked_sides(&built.table, build, probe.view()?, of_sides)
    }

    fn of_checked_sides<R>(
        table: &BackendTable,
        build: KeySide<'_>,
        probe: TableView<'_>,
        of_sides: impl FnOnce(&BackendTable, &KeySide<'_>, &KeySide<'_>) -> Result<R>,
    ) -> Result<R> {
        let (expected, found) = (build.keys.num_columns(), probe.num_columns());
        if expected != found {
            return Err(Error::count_mismatch((expected, "right key column"), (found, "left key column")));
        }
        for (i, (build, probe)) in build.keys.columns().iter().zip(probe.columns()).enumerate() {
            check::same_types(probe.data_type(), build.data_type())
                .map_err(|error| error.in_argument("keys").at(Position::Column(i)))?;
        }
        let probe = KeySide { keys: probe, ..build.clone() };
        of_sides(table, &build, &probe)
    }

    fn rows_where(
        &self,
        probe: TableView<'_>,
        selected: Option<&Column>,
        request: Request,
        ctx: Ctx<'_>,
    ) -> Result<(Column, Option<Column>)> {
        let Some(selected) = selected else { return self.rows(probe, request, ctx) };
        let in_selected = |error: Error| error.in_argument("selected");
        check::boolean(&selected.view()).map_err(in_selected)?;
        check::length(probe.num_rows(), selected.len()).map_err(in_selected)?;
        check::column(selected.view(), ctx)?;
        let joined = self.with_sides(&probe, ctx, |table, build, probe| match table {
            BackendTable::Host(_) => Ok(None),
            BackendTable::Cuda(table) => cuda::join_selected(table, build, probe, selected.view(), request, ctx),
        })?;
        let rows = [probe.num_rows(), self.keys().num_rows()];
        if let Some((left, right)) = joined {
            request.keep_facts(&left, right.as_ref(), rows);
            return Ok((left, right));
        }
        let scratch = ctx.scratch();
        let numbers = row_numbers(probe.num_rows(), scratch)?;
        let columns = probe.columns().iter().copied().chain([numbers.view()]).collect();
        let mut passing = apply_boolean_mask(TableView::try_new(columns)?, selected.view(), scratch)?.into_columns();
        let numbers = passing.pop().ok_or_else(|| Error::internal("a filtered table has no row numbers"))?;
        let keys = passing.iter().map(Column::view).collect();
        let (left, right) = self.rows(TableView::try_with_rows(keys, numbers.len())?, request, ctx)?;
        let left = gather_column(numbers.view(), left.view(), ctx)?;
        request.keep_facts(&left, right.as_ref(), rows);
        Ok((left, right))
    }

    fn rows(&self, probe: TableView<'_>, request: Request, ctx: Ctx<'_>) -> Result<(Column, Option<Column>)> {
        let (left, right) = self.with_sides(&probe, ctx, |table, build, probe| match table {
            BackendTable::Host(table) => host::join(table, build, probe, request, ctx),
            BackendTable::Cuda(table) => cuda::join(table, build, probe, request, ctx),
        })?;
        request.keep_facts(&left, right.as_ref(), [probe.num_rows(), self.keys().num_rows()]);
        Ok((left, right))
    }
}

/// Checks that both sides have the same number of key columns, and that the columns have the same types. Views, and
/// dictionaries of plain values, count as the type of their values.
fn same_keys(build: &TableView<'_>, probe: &TableView<'_>) -> Result<()> {
    let (expected, found) = (build.num_columns(), probe.num_columns());
    if expected != found {
        return Err(Error::count_mismatch((expected, "right key column"), (found, "left key column")));
    }
    for (i, (build, probe)) in build.columns().iter().zip(probe.columns()).enumerate() {
        let (build, probe) = (build.data_type(), probe.data_type());
        let same = if is_replaced(build) || is_replaced(probe) {
            check::types(build, probe)
        } else {
            check::same_types(decoded_type(probe), decoded_type(build))
        };
        same.map_err(|error| error.in_argument("keys").at(Position::Column(i)))?;
    }
    Ok(())
}

/// Returns the pairs of a join. The hash table is built for this call only.
///
/// # Errors
/// The errors are the errors of [`JoinTable::new`] and [`JoinTable::join`].
pub fn join<'l, 'r>(
    kind: JoinKind,
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    let lookups = Lookups { is_set: false, probe_rows: left.num_rows() };
    // The table is dropped when the function returns, so its memory is scratch.
    JoinTable::build(right, nulls, lookups, ctx.scratch())?.join(kind, left, ctx)
}

/// Returns the numbers of the selected rows of `left` in ascending order. The hash table is built for this call only.
///
/// # Errors
/// The errors are the errors of [`JoinTable::new`] and [`JoinTable::join`].
pub fn filter<'l, 'r>(
    kind: FilterKind,
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    let lookups = Lookups { is_set: true, probe_rows: left.num_rows() };
    if matches!(ctx.stream.device(), Device::Cuda(_)) && same_keys(&right, &left).is_ok() {
        [&left, &right].into_iter().try_for_each(|side| check::table(side, ctx))?;
        let request = Request::from(kind);
        if let Some(rows) = cuda::filter_by_bits(request, &left, &right, nulls, ctx)? {
            request.keep_facts(&rows, None, [left.num_rows(), right.num_rows()]);
            return Ok(rows);
        }
    }
    let is_large = (LARGE_SIDE..=MAX_ROWS).contains(&right.num_rows());
    let are_few = (1..=right.num_rows() / LARGE_RATIO).contains(&left.num_rows());
    if !is_large || !are_few || Form::of(&right, nulls)?.is_none() {
        return JoinTable::build(right, nulls, lookups, ctx.scratch())?.filter(kind, left, ctx);
    }
    // A table of the few left rows finds the right rows that can have a match, so that the large table is not built.
    [&left, &right].into_iter().try_for_each(|side| check::table(side, ctx))?;
    same_keys(&right, &left)?;
    let scratch = ctx.scratch();
    let of_right = Lookups { is_set: true, probe_rows: right.num_rows() };
    let rows =
        JoinTable::build(left.clone(), nulls, of_right, scratch)?.filter(FilterKind::Semi, right.clone(), scratch)?;
    let right = gather_trusted(&right, rows.view(), scratch)?;
    JoinTable::build(right.view(), nulls, lookups, scratch)?.filter(kind, left, ctx)
}
