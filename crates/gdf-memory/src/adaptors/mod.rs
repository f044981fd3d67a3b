//! Resources that stand on another resource and add something: a limit, counts, a log, faults. Any stack of them works.

mod aligned;
mod around;
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
