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

/// Makes the batch that the writers of `gdf::io` take. No data are copied.
///
/// # Errors
/// * The errors of [`Batch::try_new`].
impl TryFrom<Frame> for Batch {
    type Error = Error;

    fn try_from(frame: Frame) -> Result<Batch> {
        let (schema, table) = frame.into_parts();
        Batch::try_new(schema, table)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{DataType, Field, Schema};
    use gdf_core::{Column, Table};

    use super::*;

    #[test]
    fn frames_become_batches_and_come_back() {
        let table = || Table::try_new(vec![Column::from_slice(&[1, 2]).unwrap(); 2]).unwrap();
        let named = |names: [&str; 2]| {
            let metadata = [("unit".to_owned(), "km".to_owned())].into();
            let fields = names.map(|name| Field::new(name, DataType::Int32, false));
            Arc::new(Schema::new_with_metadata(fields.to_vec(), metadata))
        };
        let frame = Frame::from_table(named(["a", "b"]), table()).unwrap();
        let batches = [frame.to_batch().unwrap(), Batch::try_from(frame.clone()).unwrap()];
        for batch in batches {
            assert_eq!(batch.schema(), frame.schema());
            let back = Frame::try_from(batch).unwrap();
            assert_eq!(back.schema(), frame.schema());
            assert_eq!(back.column("b").unwrap().to_vec::<i32>().unwrap(), [Some(1), Some(2)]);
        }
        // A file may have two columns of the same name, and a frame may not.
        let twice = Batch::try_new(named(["a", "a"]), table()).unwrap();
        assert!(matches!(Frame::try_from(twice), Err(Error::DuplicateName { .. })));
    }
}
