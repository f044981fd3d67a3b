//! Functions that return columns and tables on another device, in memory of the thread's scope.

use gdf_driver::Device;

use crate::{Column, Result, Table, scope};

impl Column {
    /// Returns the column on `device`. If the column is on another device, the result is a copy. The memory of the copy
    /// comes from the current resource of the scope.
    ///
    /// No operation copies its inputs to another device. Call this function or [`Column::copy_to`] instead. A copy from
    /// a GPU to the CPU **waits** for the memory of the GPU.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, Device};
    ///
    /// let column = Column::from_slice(&[1, 2, 3])?.to_device(Device::Cpu)?; // or Device::Cuda(0)
    /// assert_eq!(column.device(), Device::Cpu);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - The errors of [`Column::copy_to`].
    pub fn to_device(&self, device: Device) -> Result<Column> {
        if device == self.device() {
            return Ok(self.clone());
        }
        scope::run_on(device, |ctx| self.copy_to(ctx.stream, ctx.mr.output))
    }
}

impl Table {
    /// Returns the table on `device`. If the table is on another device, the result is a copy; see
    /// [`Column::to_device`].
    ///
    /// # Errors
    /// - The errors of [`Column::copy_to`].
    pub fn to_device(&self, device: Device) -> Result<Table> {
        let columns = self.columns().iter().map(|column| column.to_device(device)).collect::<Result<_>>()?;
        Table::try_with_rows(columns, self.num_rows())
    }
}
