//! Converts frames from and to batches, the type that readers return and writers take.

use gdf_core::{Error, Result};
use gdf_io::Batch;

use crate::frame::Frame;

/// Makes a frame from the batch that a reader returns. No data are copied.
///
/// # Errors
/// * [`DuplicateName`](Error::DuplicateName): two columns of the file have the same name.
impl TryFrom<Batch> for Frame {
    type Error = Error;

    fn try_from(batch: Batch) -> Result<Frame> {
        let (schema, table) = batch.into_parts();
        Frame::from_table(schema, table)
    }
}

impl Frame {
    /// Returns the frame as a batch for the writers of `gdf::io`. The batch shares all memory.
    ///
    /// # Errors
    /// * The errors of [`Batch::try_new`].
    pub fn to_batch(&self) -> Result<Batch> {
        Batch::try_new(self.schema().clone(), self.table().clone())
    }
}
