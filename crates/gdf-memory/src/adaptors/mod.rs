//! Adaptors: resources that allocate from another resource and add a function, such as a limit, counts, a log or
//! faults. Adaptors can be stacked in any order.

mod aligned;
pub(crate) mod around;
mod callback;
mod failure_callback;
mod fault_injection;
mod limiting;
mod logging;
mod prefetch;
mod statistics;
mod tracking;

pub use aligned::AlignedResource;
pub use callback::CallbackResource;
pub use failure_callback::FailureCallbackResource;
pub use fault_injection::{Fault, FaultInjectionResource};
pub use limiting::LimitingResource;
pub use logging::{LOG_HEADER, LoggingResource};
pub use prefetch::PrefetchResource;
pub use statistics::{Counter, Statistics, StatisticsResource};
pub use tracking::{Outstanding, TrackingResource};
