//! `HashJoin` and the functions that make one for a single use: checks, and the choice of backend.

mod cuda;
mod host;
#[cfg(test)]
mod tests;

use gdf_core::{Column, ColumnView, Error, Result, TableView};
use gdf_driver::Device;

use crate::check;
use crate::context::Ctx;
use crate::engine::hash_table::KeyTable;
use crate::engine::keys::KeySide;
pub use crate::engine::keys::NullEquality;

/// What errors call the operation.
const JOIN: &str = "join keys";

/// The row number that stands for "no row" in results of left and full joins, in columns of `UInt32`; in those of
/// `UInt64` it is `u64::MAX`. Out of bounds for every table: `gather` with `OutOfBoundsPolicy::Nullify` makes nulls of it.
pub const JOIN_NO_MATCH: u32 = u32::MAX;

/// Which rows result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Inner,
    Left,
    Semi,
    Anti,
}

/// What is asked of a table that was built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) kind: Kind,
    /// Rows of the build side that no row has matched are results too.
    pub(super) full: bool,
}

impl Request {
    fn of(kind: Kind) -> Self {
        Self { kind, full: false }
    }

    const FULL: Self = Self { kind: Kind::Left, full: true };

    /// Whether results are pairs of rows.
    pub(super) fn has_pairs(self) -> bool {
        matches!(self.kind, Kind::Inner | Kind::Left)
    }
}

#[derive(Debug)]
enum Table {
    Host(KeyTable),
    Cuda(cuda::Table),
}

/// A hash table of one side of a join, the right one, built once and probed any number of times.
#[derive(Debug)]
pub struct HashJoin<'a> {
    build: KeySide<'a>,
    table: Table,
}

impl<'a> HashJoin<'a> {
    /// Builds the table of the rows of `build`, all of whose columns are keys. Memory that is kept comes from
    /// `mr.output`: 40 bytes per row, 72 of up to 65,536 rows.
    ///
    /// CUDA: 1 launch, no wait.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) for no or more than 32 columns, and more than 2³¹−16 rows.
    /// * [`Unsupported`](Error::Unsupported) for columns of types that cannot be compared.
    /// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
    pub fn try_new(build: impl Into<TableView<'a>>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<Self> {
        Self::build(build.into(), nulls, false, ctx)
    }

    /// `is_set`: nobody will ask which rows have a key.
    fn build(build: TableView<'a>, nulls: NullEquality, is_set: bool, ctx: Ctx<'_>) -> Result<Self> {
        check::table(&build, ctx)?;
        let build = KeySide::try_new(JOIN, build, nulls)?;
        let table = match ctx.stream.device() {
            Device::Cpu => Table::Host(KeyTable::new(&build, ctx)?),
            Device::Cuda(_) => Table::Cuda(cuda::Table::new(&build, is_set, ctx)?),
        };
        Ok(Self { build, table })
    }

    /// The keys that the table was built of.
    pub fn keys(&self) -> &TableView<'a> {
        &self.build.keys
    }

    /// The bytes that the table keeps.
    pub fn memory_size(&self) -> usize {
        match &self.table {
            Table::Host(table) => table.memory_size(),
            Table::Cuda(table) => table.memory_size(),
        }
    }

    /// Pairs of a row of `probe` and a row of the build side with equal keys: their numbers, in two columns.
    ///
    /// # Errors
    /// * [`ColumnCount`](Error::ColumnCount), [`TypeMismatch`](Error::TypeMismatch): other columns than the build side's.
    /// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
    pub fn inner_join<'p>(&self, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<(Column, Column)> {
        pair(self.rows(probe.into(), Request::of(Kind::Inner), ctx)?)
    }

    /// As [`inner_join`](Self::inner_join), and each row of `probe` without match with [`JOIN_NO_MATCH`].
    ///
    /// # Errors
    /// As [`inner_join`](Self::inner_join).
    pub fn left_join<'p>(&self, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<(Column, Column)> {
        pair(self.rows(probe.into(), Request::of(Kind::Left), ctx)?)
    }

    /// As [`left_join`](Self::left_join), then [`JOIN_NO_MATCH`] with each row of the build side without match.
    ///
    /// # Errors
    /// As [`inner_join`](Self::inner_join).
    pub fn full_join<'p>(&self, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<(Column, Column)> {
        pair(self.rows(probe.into(), Request::FULL, ctx)?)
    }

    /// The rows of `probe` that have a match, in their order.
    ///
    /// # Errors
    /// As [`inner_join`](Self::inner_join).
    pub fn semi_join<'p>(&self, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<Column> {
        Ok(self.rows(probe.into(), Request::of(Kind::Semi), ctx)?.0)
    }

    /// The rows of `probe` that have no match, in their order.
    ///
    /// # Errors
    /// As [`inner_join`](Self::inner_join).
    pub fn anti_join<'p>(&self, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<Column> {
        Ok(self.rows(probe.into(), Request::of(Kind::Anti), ctx)?.0)
    }

    /// How many pairs [`inner_join`](Self::inner_join) gives. Waits.
    ///
    /// # Errors
    /// As [`inner_join`](Self::inner_join).
    pub fn inner_join_size<'p>(&self, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<usize> {
        self.size(probe.into(), Request::of(Kind::Inner), ctx)
    }

    /// How many pairs [`left_join`](Self::left_join) gives. Waits.
    ///
    /// # Errors
    /// As [`inner_join`](Self::inner_join).
    pub fn left_join_size<'p>(&self, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<usize> {
        self.size(probe.into(), Request::of(Kind::Left), ctx)
    }

    /// How many pairs [`full_join`](Self::full_join) gives. Waits.
    ///
    /// # Errors
    /// As [`inner_join`](Self::inner_join).
    pub fn full_join_size<'p>(&self, probe: impl Into<TableView<'p>>, ctx: Ctx<'_>) -> Result<usize> {
        self.size(probe.into(), Request::FULL, ctx)
    }

    fn probe_side<'p>(&self, probe: TableView<'p>, ctx: Ctx<'_>) -> Result<KeySide<'p>> {
        check::table(&self.build.keys, ctx)?;
        check::table(&probe, ctx)?;
        let (expected, found) = (self.build.keys.num_columns(), probe.num_columns());
        if expected != found {
            return Err(Error::ColumnCount { expected, found });
        }
        let types =
            |(build, probe): (&ColumnView<'_>, &ColumnView<'_>)| check::types(build.data_type(), probe.data_type());
        self.build.keys.columns().iter().zip(probe.columns()).try_for_each(types)?;
        Ok(KeySide { keys: probe, ..self.build.clone() })
    }

    fn rows(&self, probe: TableView<'_>, request: Request, ctx: Ctx<'_>) -> Result<(Column, Option<Column>)> {
        let probe = self.probe_side(probe, ctx)?;
        match &self.table {
            Table::Host(table) => host::join(table, &self.build, &probe, request, ctx),
            Table::Cuda(table) => cuda::join(table, &self.build, &probe, request, ctx),
        }
    }

    fn size(&self, probe: TableView<'_>, request: Request, ctx: Ctx<'_>) -> Result<usize> {
        let probe = self.probe_side(probe, ctx)?;
        match &self.table {
            Table::Host(table) => host::join_size(table, &self.build, &probe, request, ctx),
            Table::Cuda(table) => cuda::join_size(table, &self.build, &probe, request, ctx),
        }
    }
}

fn pair((left, right): (Column, Option<Column>)) -> Result<(Column, Column)> {
    let right = right.ok_or(Error::InvalidArgument { what: "a join of pairs" })?;
    Ok((left, right))
}

macro_rules! single_use {
    ($(#[$doc:meta])* $name:ident, $method:ident, $is_set:literal, $result:ty) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// Those of [`HashJoin::try_new`] and [`HashJoin::inner_join`].
        pub fn $name<'l, 'r>(
            left: impl Into<TableView<'l>>,
            right: impl Into<TableView<'r>>,
            nulls: NullEquality,
            ctx: Ctx<'_>,
        ) -> Result<$result> {
            // The table is gone when this returns: scratch.
            let scratch = ctx.scratch();
            let join = HashJoin::build(right.into(), nulls, $is_set, scratch)?;
            join.$method(left, ctx)
        }
    };
}

single_use! {
    /// Pairs of rows of `left` and `right` with equal keys; see [`HashJoin::inner_join`].
    inner_join, inner_join, false, (Column, Column)
}
single_use! {
    /// As [`inner_join`], and each row of `left` without match; see [`HashJoin::left_join`].
    left_join, left_join, false, (Column, Column)
}
single_use! {
    /// As [`left_join`], and each row of `right` without match; see [`HashJoin::full_join`].
    full_join, full_join, false, (Column, Column)
}
single_use! {
    /// The rows of `left` that have a match in `right`, in their order.
    left_semi_join, semi_join, true, Column
}
single_use! {
    /// The rows of `left` that have no match in `right`, in their order.
    left_anti_join, anti_join, true, Column
}
