//! The amount of memory that an operator may use at a time.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::time::Duration;

use gdf_api::concatenate::concatenate;
use gdf_api::scope::current_resources;
use gdf_core::{DataType, Result, Table, width};
use gdf_memory::{MemoryReservation, SpillManager};

/// The build side of a join, the groups of a group-by and a range of a sort may each have 1/8 of the memory. An
/// operation needs memory for its input, its output, and data structures of a similar size.
const BUILD_SHARE: usize = 8;
const PART_SHARE: usize = 16;
/// The slices of a divided table, and the parts of a source, have about this number of rows or more.
const FEWEST_ROWS: usize = 1024;
/// The largest number of bytes of a part that is read from a source.
const MOST_SOURCE_BYTES: usize = 256 << 20;
/// The estimated bytes of a value without a fixed width.
const TEXT_BYTES: usize = 64;

/// An operator without a bound of its own leaves 1/8 of the limit to small work, which then need not wait.
const OTHER_SHARE: usize = 8;

/// The largest number of times that an operation runs again after other threads have released memory.
const MAX_REPEATS: u32 = 2;
/// The time to wait for a release by another thread before a table is halved.
const RELEASE_TIMEOUT: Duration = Duration::from_millis(250);

thread_local! {
    /// The reservations that this thread holds, with the managers of their budgets.
    static HELD: RefCell<Vec<(SpillManager, Weak<MemoryReservation>)>> = const { RefCell::new(Vec::new()) };
}

fn held_of(manager: &SpillManager) -> Option<Rc<MemoryReservation>> {
    HELD.with_borrow(|held| held.iter().find(|(of, _)| of == manager).and_then(|(_, held)| held.upgrade()))
}

/// The memory of an operator: the manager that spills waiting parts, and the sizes above which rows are divided.
///
/// Operators [reserve](Self::reserve) the bytes of their budget, and wait for other threads instead of failing.
#[derive(Clone, Debug)]
pub struct Budget {
    manager: Option<SpillManager>,
    bytes: usize,
    /// Whether only memory of the manager's resource is made spillable.
    own_only: bool,
}

/// The reservation of a budget on this thread. Budgets of the same manager share the reservation while the value lives.
#[must_use = "a reservation ends when it is dropped"]
#[derive(Debug)]
pub struct Reserved(#[expect(dead_code, reason = "the drop of the last owner ends it")] Option<Rc<MemoryReservation>>);

impl Budget {
    /// Returns a budget of a spill manager: the bytes that this thread has reserved, or else 7/8 of the manager's
    /// limit.
    pub fn of(manager: &SpillManager) -> Budget {
        let bytes = match (held_of(manager), manager.options().device_limit()) {
            (Some(held), _) => held.bytes(),
            (None, Some(limit)) => limit - limit / OTHER_SHARE,
            (None, None) => usize::MAX,
        };
        Budget { manager: Some(manager.clone()), bytes, own_only: false }
    }

    /// Sets the number of bytes, but at most the limit of the manager.
    #[must_use]
    pub fn with_bytes(self, bytes: usize) -> Budget {
        let limit = self.manager.as_ref().map_or(usize::MAX, |manager| manager.budget().limit());
        Budget { bytes: bytes.min(limit), ..self }
    }

    /// Leaves memory of other resources where it is, such as that of tables which outlive the manager.
    #[must_use]
    pub fn with_own_memory_only(self) -> Budget {
        Budget { own_only: true, ..self }
    }

    /// Returns the spill manager. An unlimited budget has none.
    pub fn manager(&self) -> Option<&SpillManager> {
        self.manager.as_ref()
    }

    /// Returns whether the budget has no limit.
    pub fn is_unlimited(&self) -> bool {
        self.bytes == usize::MAX
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reserves the bytes of the budget while the result lives. Waits while other threads have reserved too many bytes
    /// of the same manager; see [`MemoryBudget`](gdf_memory::MemoryBudget). A reservation that this thread already has
    /// is shared without a wait. Without a limit, nothing is reserved.
    ///
    /// All operators call this function. Call it before several operators, so that no other work comes in between.
    ///
    /// # Errors
    /// * The errors of [`SpillManager::reserve`]: the request was not served in time.
    pub fn reserve(&self) -> Result<Reserved> {
        let Some(manager) = self.manager.as_ref().filter(|manager| manager.options().device_limit().is_some()) else {
            return Ok(Reserved(None));
        };
        if let Some(held) = held_of(manager) {
            return Ok(Reserved(Some(held)));
        }
        let reservation = Rc::new(manager.reserve(self.bytes)?);
        HELD.with_borrow_mut(|held| {
            held.retain(|(_, held)| held.strong_count() > 0);
            held.push((manager.clone(), Rc::downgrade(&reservation)));
        });
        Ok(Reserved(Some(reservation)))
    }

    /// Returns the budget of the current resource for a device, or `None` if the resource has no spill manager with a
    /// limit.
    ///
    /// # Errors
    /// * The errors of opening the device.
    pub fn current(device: gdf_core::Device) -> Result<Option<Budget>> {
        let (output, _) = current_resources(device)?;
        let limited = SpillManager::of(&output).filter(|manager| manager.options().device_limit().is_some());
        Ok(limited.as_ref().map(Budget::of))
    }

    /// Returns a budget without a limit. With this budget, tables are neither divided nor spilled.
    pub fn unlimited() -> Budget {
        Budget { manager: None, bytes: usize::MAX, own_only: false }
    }

    /// Returns the maximum number of bytes of a part.
    pub fn part_bytes(&self) -> usize {
        (self.bytes / PART_SHARE).max(1)
    }

    /// Returns the number of bytes of a part that is read from a source. At most three such parts are in memory: one is
    /// used, one waits, and one is read.
    pub fn source_bytes(&self) -> usize {
        (self.part_bytes() / 3).min(MOST_SOURCE_BYTES)
    }

    /// Returns the maximum number of bytes of the build side of a join, the groups of a group-by or a range of a sort.
    pub fn build_bytes(&self) -> usize {
        (self.bytes / BUILD_SHARE).max(1)
    }

    /// Returns whether parts together have at most [`build_bytes`](Self::build_bytes) bytes.
    pub fn is_build_side(&self, parts: &[Table]) -> bool {
        bytes_of_all(parts) <= self.build_bytes()
    }

    /// Makes a table spillable if the budget has a spill manager, and returns the table.
    pub fn keep(&self, table: Table) -> Table {
        match &self.manager {
            Some(manager) if self.own_only => table.watch_own(manager),
            Some(manager) => table.watch(manager),
            None => {}
        }
        table
    }

    /// Returns the rows of parts as one table, or `None` without parts.
    ///
    /// # Errors
    /// * The errors of [`concatenate`].
    pub fn whole(&self, parts: &[Table]) -> Result<Option<Table>> {
        match parts {
            [] => Ok(None),
            [part] => Ok(Some(part.clone())),
            [first, ..] if first.num_columns() == 0 => {
                Table::try_with_rows(Vec::new(), parts.iter().map(Table::num_rows).sum()).map(Some)
            }
            parts => {
                let views: Vec<_> = parts.iter().map(Table::view).collect();
                concatenate(&views).map(|table| Some(self.keep(table)))
            }
        }
    }

    /// Divides a table into slices of about [`part_bytes`](Self::part_bytes) bytes or less, with at most one slice for
    /// each 1,024 rows. The slices share the memory of the table.
    ///
    /// # Errors
    /// * The errors of [`Table::slice`].
    pub fn slices(&self, table: &Table) -> Result<Vec<Table>> {
        let rows = table.num_rows();
        let count = bytes_of(table).div_ceil(self.part_bytes()).clamp(1, rows.div_ceil(FEWEST_ROWS).max(1));
        let step = rows.div_ceil(count).max(1);
        if rows == 0 {
            return Ok(vec![table.clone()]);
        }
        (0..rows).step_by(step).map(|start| table.slice(start, step.min(rows - start))).collect()
    }

    /// Returns the rows of a part in tables of about [`build_bytes`](Self::build_bytes) bytes or less.
    pub(crate) fn build_blocks(&self, part: Table) -> Result<Vec<Table>> {
        if bytes_of(&part) <= self.build_bytes() { Ok(vec![part]) } else { self.slices(&part) }
    }

    /// Runs an operation on a table. If memory runs out, the table is halved, and the operation runs on each half.
    /// Halves are halved again if memory runs out again. Returns the results in the order of the rows.
    ///
    /// If other threads have reservations of the same manager, the operation first runs again on the whole table, at
    /// most twice, each time after another thread has released memory.
    ///
    /// # Errors
    /// * The errors of the operation. An out-of-memory error is returned if the operation fails for a single row.
    pub fn in_pieces<T>(&self, table: &Table, run: &mut dyn FnMut(&Table) -> Result<T>) -> Result<Vec<T>> {
        let mut results = Vec::new();
        self.run_pieces(table, run, &mut results)?;
        Ok(results)
    }

    /// Runs `run`, and again after each release of memory by another thread; see [`in_pieces`](Self::in_pieces).
    fn after_releases<T>(&self, run: &mut dyn FnMut() -> Result<T>) -> Result<T> {
        let mut repeats = 0;
        loop {
            let error = match run() {
                Err(error) if error.is_out_of_memory() && repeats < MAX_REPEATS => error,
                result => return result,
            };
            let Some(manager) = &self.manager else { return Err(error) };
            // Memory that this thread has freed since the failure does not count.
            let seen = manager.releases();
            let own = held_of(manager).map_or(0, |held| held.bytes());
            if manager.budget().reserved() <= own || !manager.wait_for_release(seen, RELEASE_TIMEOUT) {
                return Err(error);
            }
            repeats += 1;
            tracing::debug!(target: "gdf", repeats, "out of memory: trying again after a release");
        }
    }

    fn run_pieces<T>(
        &self,
        table: &Table,
        run: &mut dyn FnMut(&Table) -> Result<T>,
        results: &mut Vec<T>,
    ) -> Result<()> {
        let rows = table.num_rows();
        match self.after_releases(&mut || run(table)) {
            Ok(result) => results.push(result),
            Err(error) if error.is_out_of_memory() && rows > 1 => {
                tracing::debug!(target: "gdf", rows, "out of memory: halving a part");
                let half = rows / 2;
                self.run_pieces(&table.slice(0, half)?, run, results)?;
                self.run_pieces(&table.slice(half, rows - half)?, run, results)?;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Returns the estimated number of bytes of a value of the type. A type without a fixed width counts as 64 bytes.
pub fn value_bytes(data_type: &DataType) -> usize {
    width(data_type).map_or(TEXT_BYTES, |width| width.max(1))
}

/// Returns the number of rows of columns of these types that have about this number of bytes, but at least 1,024. See
/// [`value_bytes`].
pub fn rows_of<'t>(bytes: usize, types: impl IntoIterator<Item = &'t DataType>) -> usize {
    (bytes / row_bytes(types).max(1)).max(FEWEST_ROWS)
}

/// Returns the estimated number of bytes of a row of columns of these types. See [`value_bytes`].
pub fn row_bytes<'t>(types: impl IntoIterator<Item = &'t DataType>) -> usize {
    types.into_iter().map(value_bytes).sum()
}

/// Returns the number of bytes that the rows of a table need. Columns without a fixed width count whole buffers, which
/// may also contain other rows.
pub(crate) fn bytes_of(table: &Table) -> usize {
    if table.num_rows() == 0 {
        return 0;
    }
    let bytes = |column: &gdf_core::Column| match width(column.data_type()) {
        Some(width) => column.len() * width + if column.validity().is_some() { column.len() / 8 } else { 0 },
        None => column.alloc_size(),
    };
    table.columns().iter().map(bytes).sum()
}

pub(crate) fn bytes_of_all(parts: &[Table]) -> usize {
    parts.iter().map(bytes_of).sum()
}
