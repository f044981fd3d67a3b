//! Parquet files in object stores.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock, mpsc};

use bytes::Bytes;
use object_store::{ObjectStore, ObjectStoreExt, path::Path as Location};
use parquet::errors::{ParquetError, Result as ParquetResult};
use tokio::runtime::{Builder, Runtime};

use super::{ParquetReader, Source};
use crate::{Error, Result};

/// An object whose byte ranges are fetched when they are needed.
#[derive(Clone)]
pub(super) struct Object {
    store: Arc<dyn ObjectStore>,
    location: Location,
    len: u64,
}

/// Returns the runtime for network requests, which has 2 threads.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let start = || {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(2).thread_name("gdf-io-object").enable_all();
        builder
            .build()
            .inspect_err(
                |error| tracing::warn!(target: "gdf", %error, "the runtime for network requests cannot be started"),
            )
            .ok()
    };
    RUNTIME.get_or_init(start).as_ref().ok_or_else(|| {
        io::Error::other("the threads that read from object stores cannot be started; see the cause in the log")
    })
}

fn wait<T: Send + 'static>(work: impl Future<Output = object_store::Result<T>> + Send + 'static) -> io::Result<T> {
    let (send, receive) = mpsc::sync_channel(1);
    runtime()?.spawn(async move {
        // The send fails if the waiting thread no longer exists.
        let _ = send.send(work.await);
    });
    receive.recv().map_err(io::Error::other)?.map_err(io::Error::from)
}

impl Object {
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn read(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let object = self.clone();
        let range = start..start.saturating_add(length as u64);
        let bytes = wait(async move { object.store.get_range(&object.location, range).await });
        let bytes = bytes.map_err(|error| ParquetError::External(Box::new(error)))?;
        if bytes.len() == length {
            return Ok(bytes);
        }
        Err(ParquetError::EOF(format!(
            "the store returned {} of {length} bytes that were requested from byte {start} on",
            bytes.len()
        )))
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.store, self.location)
    }
}

impl ParquetReader {
    /// Opens an object of a store. The crate [`object_store`] has stores for S3, Google Cloud, Azure, HTTP and
    /// memory.
    ///
    /// The reader fetches only the column chunks that are needed. If a column is not nested and all its rows are read,
    /// a chunk of at most 256 MiB is fetched with one request. All other chunks are fetched page by page. There are as
    /// many concurrent requests as there are threads. This call and the calls that read data block until the network
    /// answers. Therefore async code should make these calls on a thread for blocking work.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use std::sync::Arc;
    ///
    /// use gdf::io::ParquetReader;
    /// use gdf::io::object_store::{ObjectStoreExt, memory::InMemory};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.parquet");
    /// # gdf::io::write_parquet(&gdf::io::example_batch()?, &path)?;
    /// # let bytes = std::fs::read(&path)?;
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// let store = Arc::new(InMemory::new());
    /// # runtime.block_on(store.put(&"2026/trips.parquet".into(), bytes.into()))?;
    /// let trips = ParquetReader::open_object(store, "2026/trips.parquet")?.columns(["id"]).read()?;
    /// assert_eq!(trips.num_rows(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::NotFound`](crate::Error::NotFound), [`Error::Read`](crate::Error::Read): the request to the store
    ///   failed.
    /// - The errors of [`ParquetReader::open`].
    pub fn open_object(store: Arc<dyn ObjectStore>, location: impl Into<Location>) -> Result<ParquetReader> {
        let location = location.into();
        let path = location.to_string();
        let (asked, of) = (store.clone(), location.clone());
        let found = wait(async move { asked.head(&of).await });
        let len = found.map_err(|error| Error::reading(Path::new(&path), error))?.size;
        Self::from_source(Path::new(&path), Source::Object(Object { store, location, len }))
    }
}
