//! Spilling: the bytes of buffers are moved to the CPU or to a disk when memory of the device is exhausted.
//!
//! ```text
//!   a request ──► SpillingResource ──► upstream
//!                   │ out of memory, or above the limit
//!                   ▼
//!                 Registry: the buffer whose last use is the oldest
//!                   │ copy                                    ▲ the next access brings the bytes back
//!                   ▼                                         │
//!                 pinned memory of the CPU, up to a limit; then a file without a name
//! ```
//!
//! [`SpillManager::watch`] makes a buffer spillable. Such a buffer is immutable, so its copy stays valid when the bytes
//! are brought back, and the bytes are spilled again without a transfer. A buffer whose address is in use, or known to
//! other code, is never moved.
//!
//! The design follows cuDF's `SpillableBuffer` and `SpillManager`.

mod blocks;
mod faults;
mod file;
mod manager;
mod options;
mod registry;
mod releases;
mod resource;
mod statistics;

pub use self::faults::SpillFaults;
pub use self::manager::SpillManager;
pub use self::options::{SpillCompression, SpillOptions, SpillStatisticsLevel};
use self::registry::{HostCopy, SpilledCopy};
use self::resource::SpillingResource;
pub use self::statistics::{SpillStatistics, Transfers};
