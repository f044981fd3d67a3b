//! The amount of memory that an operator may use at a time.

use gdf_api::concatenate::concatenate;
use gdf_api::scope::current_resources;
use gdf_core::{Result, Table, width};
use gdf_memory::SpillManager;

/// The build side of a join, the groups of a group-by and a range of a sort may each have 1/8 of the memory. An
/// operation needs memory for its input, its output, and data structures such as a hash table, each of a similar size.
const BUILD_SHARE: usize = 8;
const PART_SHARE: usize = 16;
/// A table is divided into at most one slice for each of this number of rows.
const FEWEST_ROWS: usize = 1024;

/// The memory of an operator: the manager that spills waiting parts, and the sizes above which rows are divided.
#[derive(Clone, Debug)]
pub struct Budget {
    manager: Option<SpillManager>,
    bytes: usize,
}

impl Budget {
    /// Returns a budget with the memory limit of a spill manager.
    pub fn of(manager: &SpillManager) -> Budget {
        let bytes = manager.options().device_limit().unwrap_or(usize::MAX);
        Budget { manager: Some(manager.clone()), bytes }
    }

    /// Returns the budget of the current resource for the device of a table. Returns `None` if the resource belongs to
    /// no spill manager, or if its manager has no limit.
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
        Budget { manager: None, bytes: usize::MAX }
    }

    /// Returns the maximum number of bytes of a part.
    pub fn part_bytes(&self) -> usize {
        (self.bytes / PART_SHARE).max(1)
    }

    /// Returns the maximum number of bytes of the build side of a join, the groups of a group-by or a range of a sort.
    pub fn build_bytes(&self) -> usize {
        (self.bytes / BUILD_SHARE).max(1)
    }

    /// Makes a table spillable if the budget has a spill manager, and returns the table.
    pub fn keep(&self, table: Table) -> Table {
        if let Some(manager) = &self.manager {
            table.watch(manager);
        }
        table
    }

    /// Returns the rows of parts as one table. If there are no parts, the result is `None`.
    ///
    /// # Errors
    /// * The errors of [`concatenate`].
    pub fn whole(&self, parts: &[Table]) -> Result<Option<Table>> {
        match parts {
            [] => Ok(None),
            [part] => Ok(Some(part.clone())),
            parts => {
                let views: Vec<_> = parts.iter().map(Table::view).collect();
                concatenate(&views).map(|table| Some(self.keep(table)))
            }
        }
    }

    /// Divides a table into slices of about [`part_bytes`](Self::part_bytes) bytes or less. A table with few rows has
    /// fewer and larger slices: at most one for each 1,024 rows. The slices share the memory of the table.
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

    /// Runs an operation on a table. If memory runs out, the table is halved, and the operation runs on each half.
    /// Halves are halved again if memory runs out again. Returns the results in the order of the rows.
    ///
    /// # Errors
    /// * The errors of the operation. An out-of-memory error is returned if the operation fails for a single row.
    pub fn in_pieces<T>(&self, table: &Table, run: &mut dyn FnMut(&Table) -> Result<T>) -> Result<Vec<T>> {
        let mut results = Vec::new();
        self.run_pieces(table, run, &mut results)?;
        Ok(results)
    }

    fn run_pieces<T>(
        &self,
        table: &Table,
        run: &mut dyn FnMut(&Table) -> Result<T>,
        results: &mut Vec<T>,
    ) -> Result<()> {
        let rows = table.num_rows();
        match run(table) {
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

/// Returns the number of bytes that the rows of a table need. For a column without a fixed width, the function counts
/// the bytes of the whole buffers, which may also contain other rows.
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

/// Returns the sum of the numbers of bytes of parts.
pub(crate) fn bytes_of_all(parts: &[Table]) -> usize {
    parts.iter().map(bytes_of).sum()
}
