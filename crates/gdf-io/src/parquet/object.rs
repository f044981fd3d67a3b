//! Parquet files in object stores.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock, mpsc};

use bytes::Bytes;
use object_store::{ObjectStore, ObjectStoreExt, path::Path as Location};
use parquet::errors::{ParquetError, Result as ParquetResult};
use tokio::runtime::{Builder, Runtime};

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
    /// Asks the store for the size of an object.
    pub(super) fn find(store: Arc<dyn ObjectStore>, location: Location) -> Result<Object> {
        let (asked, of) = (store.clone(), location.clone());
        let found = wait(async move { asked.head(&of).await });
        let len = found.map_err(|error| Error::reading(Path::new(&location.to_string()), error))?.size;
        Ok(Object { store, location, len })
    }

    pub(super) fn path(&self) -> String {
        self.location.to_string()
    }

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
