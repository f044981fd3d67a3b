//! Arrow's C data, C device and C stream interfaces: export, import, and the synchronization between producers and
//! consumers.

mod arrow_rs;
mod export;
mod export_release;
mod host;
mod import;
mod import_node;
mod import_scope;
mod importer;
mod narrow;
mod schema_export;
mod schema_import;
mod stream_export;
mod stream_import;
#[cfg(all(test, feature = "arrow-rs"))]
mod tests;
mod transfer;
mod validation;

pub use export::{Exportable, to_arrow_device};
pub use host::{from_arrow_host, from_arrow_host_table, to_arrow_host};
pub use import::{from_arrow_device, from_arrow_device_table, view_arrow_device};
pub use import_scope::{with_arrow_device, with_arrow_device_table};
pub use importer::Importer;
pub use schema_export::to_arrow_schema;
pub use stream_export::{to_arrow_device_stream, to_arrow_stream};
pub use stream_import::{TableReader, from_arrow_device_stream, from_arrow_stream, from_foreign_stream};
