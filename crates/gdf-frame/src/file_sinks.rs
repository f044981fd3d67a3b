//! Writes the results of lazy frames to files, batch by batch.

use std::path::Path;

use gdf_core::{Error, Result};

use crate::lazy::LazyFrame;

macro_rules! sinks {
    ($($feature:literal, $of:literal, $sink:ident, $writer:ident;)*) => {$(
        /// # Files
        #[cfg(feature = $feature)]
        impl LazyFrame {
            #[doc = concat!("Executes the verbs, and writes the result as ", $of, ", batch by batch. Rows are written")]
            /// and freed while further rows are read, as [`sink_batches`](Self::sink_batches) describes. The file
            /// appears only if everything succeeds. For a writer with options, pass its `write` to `sink_batches`.
            ///
            /// # Errors
            /// * The errors of [`collect`](Self::collect).
            #[doc = concat!("* The errors of [`", stringify!($writer), "`](gdf_io::", stringify!($writer), ").")]
            pub fn $sink(&self, path: impl AsRef<Path>) -> Result<()> {
                let (path, mut writer) = (path.as_ref(), None);
                self.sink_batches(|batch| {
                    let batch = batch.to_batch()?;
                    let writer = writer.get_or_insert_with(|| gdf_io::$writer::new(path, batch.schema()));
                    Ok(writer.write(&batch)?)
                })?;
                match writer {
                    Some(writer) => Ok(writer.finish()?),
                    None => Err(Error::internal("a lazy frame has no batches")),
                }
            }
        }
    )*};
}

sinks! {
    "parquet", "a Parquet file", sink_parquet, ParquetWriter;
    "csv", "a CSV file", sink_csv, CsvWriter;
    "json", "a file of JSON lines", sink_json, JsonWriter;
    "ipc", "an Arrow IPC file", sink_ipc, IpcWriter;
}
