//! Converts frames from and to batches, the type that readers return and writers take.

#[cfg(any(feature = "parquet", feature = "csv", feature = "json", feature = "ipc"))]
use std::path::Path;

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

macro_rules! formats {
    ($($feature:literal, $of:literal, $read:ident, $write:ident;)*) => {$(
        /// # Files
        #[cfg(feature = $feature)]
        impl Frame {
            #[doc = concat!("Reads ", $of, " as a frame. [`", stringify!($read), "`](gdf_io::", stringify!($read), ")")]
            /// describes which types the columns get. A reader with options returns a batch, of which
            /// `Frame::try_from(batch)` makes a frame.
            ///
            /// # Errors
            #[doc = concat!("* The errors of [`", stringify!($read), "`](gdf_io::", stringify!($read), ").")]
            /// * [`DuplicateName`](Error::DuplicateName): two columns of the file have the same name.
            pub fn $read(path: impl AsRef<Path>) -> Result<Frame> {
                Frame::try_from(gdf_io::$read(path)?)
            }

            #[doc = concat!("Writes the frame as ", $of, ", as [`", stringify!($write), "`](gdf_io::", stringify!($write), ") does. A")]
            /// writer with options, or for the frames of [`collect_batches`](crate::LazyFrame::collect_batches) one
            /// after another, takes [`to_batch`](Self::to_batch).
            ///
            /// # Errors
            #[doc = concat!("* The errors of [`", stringify!($write), "`](gdf_io::", stringify!($write), ").")]
            pub fn $write(&self, path: impl AsRef<Path>) -> Result<()> {
                Ok(gdf_io::$write(&self.to_batch()?, path)?)
            }
        }
    )*};
}

formats! {
    "parquet", "a Parquet file", read_parquet, write_parquet;
    "csv", "a CSV file", read_csv, write_csv;
    "json", "a file of JSON lines", read_json, write_json;
    "ipc", "an Arrow IPC file", read_ipc, write_ipc;
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
    #[cfg(all(feature = "parquet", feature = "csv", feature = "json", feature = "ipc"))]
    #[test]
    fn frames_are_written_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let columns = [("a", Column::from_slice(&[1_i64, 2]).unwrap()), ("b", Column::from_strs(["x", "y"]).unwrap())];
        let frame = Frame::try_new(columns).unwrap();
        type Format = (fn(&Frame, &Path) -> Result<()>, fn(&Path) -> Result<Frame>);
        let formats: [(&str, Format); 4] = [
            ("x.parquet", (|frame, path| frame.write_parquet(path), |path| Frame::read_parquet(path))),
            ("x.csv", (|frame, path| frame.write_csv(path), |path| Frame::read_csv(path))),
            ("x.json", (|frame, path| frame.write_json(path), |path| Frame::read_json(path))),
            ("x.arrow", (|frame, path| frame.write_ipc(path), |path| Frame::read_ipc(path))),
        ];
        for (name, (write, read)) in formats {
            let path = folder.path().join(name);
            write(&frame, &path).unwrap();
            let found = read(&path).unwrap();
            assert_eq!(found.names().collect::<Vec<_>>(), ["a", "b"], "{name}");
            assert_eq!(found.column("a").unwrap().to_vec::<i64>().unwrap(), [Some(1), Some(2)], "{name}");
            assert_eq!(found.column("b").unwrap().to_strings().unwrap()[1].as_deref(), Some("y"), "{name}");
        }
        let error = Frame::read_parquet(folder.path().join("absent")).unwrap_err();
        assert!(matches!(error, Error::Source { .. }), "{error}");
    }
}
