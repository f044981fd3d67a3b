//! Brings spilled parts back ahead of their use.

use std::thread::{Builder, JoinHandle};

use gdf_api::scope::{ScopeHandle, current_stream};
use gdf_core::{Column, Result, Stream, Table};

use crate::Budget;
use crate::budget::bytes_of_all;

/// A thread that brings the bytes of parts back into the memory of their device. Dropping the value waits for the
/// thread.
#[derive(Debug)]
pub(crate) struct Ahead(Option<JoinHandle<()>>);

impl Budget {
    /// Starts to bring the bytes of `parts` back on another thread, while this thread computes other parts. Does
    /// nothing without a limit. Does nothing either if more than half of the limit would then be allocated, because
    /// this thread needs memory, too.
    ///
    /// Errors of the thread are ignored. The bytes are then brought back when they are used.
    pub(crate) fn fetch_ahead(&self, parts: &[Table]) -> Ahead {
        let Some(manager) = self.manager() else { return Ahead(None) };
        let Some(limit) = manager.options().device_limit() else { return Ahead(None) };
        let bytes = bytes_of_all(parts);
        if bytes == 0 || manager.allocated_bytes().saturating_add(bytes) > limit / 2 {
            return Ahead(None);
        }
        let (parts, scope) = (parts.to_vec(), ScopeHandle::capture());
        let work = move || {
            if let Err(error) = scope.run(|| fetch(&parts)) {
                tracing::debug!(target: "gdf", %error, "parts were not brought back ahead of their use");
            }
        };
        Ahead(Builder::new().name("gdf-ahead".to_owned()).spawn(work).ok())
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // A panic of the thread concerns a transfer that is repeated on use.
            drop(thread.join());
        }
    }
}

fn fetch(parts: &[Table]) -> Result<()> {
    fn of_column(column: &Column, stream: &Stream) -> Result<()> {
        for buffer in column.buffers().iter().chain(column.validity()) {
            drop(buffer.read_on(stream)?);
        }
        column.children().iter().try_for_each(|child| of_column(child, stream))
    }
    let mut columns = parts.iter().flat_map(Table::columns);
    columns.try_for_each(|column| of_column(column, &current_stream(column.device())?))
}

#[cfg(test)]
mod tests {
    use gdf_api::scope::with_resource;
    use gdf_core::Device;
    use gdf_memory::{SpillManager, SpillOptions, SpillStatisticsLevel, current_resource};

    use super::*;

    /// Returns a manager with a limit, and spilled parts of 80,000 bytes each.
    fn spilled(limit: usize) -> (SpillManager, Vec<Table>) {
        let options = SpillOptions::new().with_hard_limit(limit).with_statistics(SpillStatisticsLevel::Transfers);
        let manager = SpillManager::new(current_resource(Device::Cpu).unwrap(), options);
        let budget = Budget::of(&manager);
        let part = |value: i64| {
            let column = with_resource(&manager.resource(), || Column::from_slice(&[value; 10_000])).unwrap();
            budget.keep(Table::try_new(vec![column]).unwrap())
        };
        let parts: Vec<_> = (0..3).map(part).collect();
        manager.spill(usize::MAX).unwrap();
        assert!(manager.allocated_bytes() < 80_000);
        (manager, parts)
    }

    #[test]
    fn parts_are_brought_back_on_another_thread() {
        let (manager, parts) = spilled(1 << 20);
        drop(Budget::of(&manager).fetch_ahead(&parts[..2]));
        let loaded = manager.statistics().disk_to_device;
        assert_eq!((loaded.buffers, manager.allocated_bytes() >= 160_000), (2, true));
        // The parts are back already.
        assert_eq!(parts[1].column(0).unwrap().get(9_999).unwrap(), Some(1_i64));
        assert_eq!(manager.statistics().disk_to_device.buffers, 2);
    }

    #[test]
    fn parts_that_would_take_more_than_half_of_the_limit_stay_where_they_are() {
        let (manager, parts) = spilled(400_000);
        drop(Budget::of(&manager).fetch_ahead(&parts));
        assert_eq!(manager.statistics().disk_to_device.buffers, 0);
        drop(Budget::unlimited().fetch_ahead(&parts));
        assert_eq!(manager.statistics().disk_to_device.buffers, 0);
        drop(Budget::of(&manager).fetch_ahead(&parts[..2]));
        assert_eq!(manager.statistics().disk_to_device.buffers, 2);
    }
}
