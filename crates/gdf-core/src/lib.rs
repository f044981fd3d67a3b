//! Columns, tables, scalars and bitmasks in Arrow's layout, on the CPU or on a GPU. This crate contains no algorithms.
//!
//! A [`Column`] owns shared, immutable buffers on one device. A [`ColumnView`] borrows a column. Every type has exactly
//! the layout that Arrow defines. Therefore import and export share memory on the CPU, and need only one copy of each
//! buffer to or from a GPU.
//!
//! ```
//! # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } pub mod arrow { pub use arrow_array as array; } }
//! use gdf::arrow::array::{Array, Int32Array};
//! use gdf::{Column, DataType};
//!
//! let array = Int32Array::from(vec![Some(1), None, Some(3)]);
//! let column = Column::from_array(&array)?;
//! assert_eq!((column.data_type(), column.null_count()?), (&DataType::Int32, 1));
//! assert_eq!(column.slice(1, 2)?.to_vec::<i32>()?, [None, Some(3)]);
//! assert_eq!(column.slice(1, 2)?.to_array()?.as_ref(), &array.slice(1, 2) as &dyn Array);
//! # Ok::<(), gdf_core::Error>(())
//! ```
//!
//! # Streams and memory
//! Constructors and readers use the device, stream and resource of the thread's [`scope`]. If the program sets no
//! scope, these are the CPU, its default stream and its current resource. Functions whose names end in `_on`, and the
//! functions named `from_arrow` and `to_arrow`, take a stream and a resource from the caller.
//!
//! # Rules of a column
//! - `offset` is a number of rows. `offset` applies to the column's own buffers and validity mask, but not to the
//!   children. The typed views ([`StringsView`], [`ListsView`], [`StructsView`], [`DictionaryView`], …) account for
//!   the offset.
//! - A buffer of offsets has `offset + len + 1` entries, even if the column is empty.
//! - The values of null rows are undefined. In columns from other libraries, null rows may have non-empty lists or
//!   text. [`Column::sanitized`] tells whether a column certainly has no such rows.
//! - The null count can be known, can be stored in device memory, or may have to be counted (see [`NullCount`]).
//!   Operations test [`Column::has_validity`] instead of the null count, because that test reads no data.
//! - Compare types with [`same_type`] and not with `==`.
//!
//! # Features
//! - `arrow-rs` (on by default): [`Column::from_arrow`], [`Column::to_arrow`] and similar functions. If this feature
//!   is off, gdf depends only on arrow-rs' types and buffers (the crates arrow-schema and arrow-buffer).
//! - `chrono` (on by default): dates and times of the crate chrono, as [`Literal`]s and as values read from columns.
//! - `jiff`: dates and times of the crate jiff, as [`Literal`]s.
//! - `pretty` (on by default): `Display` of columns, tables and scalars, [`pretty`], and values in `Debug`.
//! - `cuda`: GPUs.

mod abilities;
#[cfg(feature = "arrow-rs")]
mod arrow_build;
#[cfg(feature = "arrow-rs")]
mod arrow_download;
#[cfg(feature = "arrow-rs")]
pub mod arrow_export;
#[cfg(feature = "arrow-rs")]
pub mod arrow_import;
#[cfg(feature = "arrow-rs")]
mod arrow_prefetch;
#[cfg(feature = "arrow-rs")]
mod arrow_table;
#[cfg(feature = "arrow-rs")]
mod arrow_upload;
pub mod bitmask;
mod column;
mod column_value;
mod data_rule;
mod data_type;
mod debug;
pub mod dispatch;
#[cfg(feature = "pretty")]
mod display;
mod error;
mod error_context;
mod error_memory;
mod error_names;
mod error_text;
mod factories;
mod fixed_factories;
#[cfg(feature = "pretty")]
mod format_value;
mod host_vec;
#[doc(hidden)]
pub mod layout;
mod literal;
mod misaligned;
mod native;
mod null_count;
mod nulls_factory;
mod one_or_many;
mod operand;
#[cfg(feature = "pretty")]
pub mod pretty;
mod scalar;
pub mod scope;
mod span;
mod table;
#[cfg(all(test, feature = "arrow-rs"))]
mod test_arrays;
mod text_facts;
mod threads;
mod to_device;
mod typed_views;
pub mod types;
#[doc(hidden)]
pub mod validation;
mod validity;
mod value_bounds;

pub use arrow_schema::DataType;
#[doc(no_inline)]
pub use arrow_schema::{Field, FieldRef, Fields, IntervalUnit, Schema, SchemaRef, TimeUnit, UnionFields, UnionMode};
#[doc(no_inline)]
pub use gdf_driver::{self as driver, Device, Stream};
#[doc(no_inline)]
pub use gdf_memory as memory;
#[doc(no_inline)]
pub use half::f16;

#[cfg(feature = "arrow-rs")]
pub use arrow_table::TableSchema;
#[doc(hidden)]
pub use column::set_null_counter;
pub use column::{Column, ColumnParts, ColumnView};
pub use column_value::ColumnValue;
pub use data_rule::DataRule;
#[cfg(feature = "pretty")]
pub use display::TableDisplay;
#[cfg(feature = "pretty")]
#[doc(hidden)]
pub use display::rows_table;
pub use error::{Error, Result};
pub use error_context::{Context, Counted, ExpectedType, Position};
#[doc(hidden)]
pub use error_text::fmt_with_causes;
pub use factories::{OptionalStr, Str, make_lists_column, make_strings_column, make_structs_column};
pub use fixed_factories::Steps;
pub use literal::{Literal, LiteralValue};
pub use misaligned::copied_misaligned;
#[doc(hidden)]
pub use misaligned::count_copied_misaligned;
pub use native::{I256, NativeType, NativeValue};
pub use null_count::NullCount;
#[doc(hidden)]
pub use one_or_many::OneOrMany;
pub use operand::Operand;
pub use scalar::Scalar;
#[doc(hidden)]
pub use span::enter_span;
pub use table::{Table, TableView};
#[doc(hidden)]
pub use text_facts::TextFacts;
#[doc(hidden)]
pub use threads::{for_each_index, map_indices, map_items, on_one_thread, prepare_threads, thread_count};
pub use typed_views::{BinaryView, DictionaryView, FixedSizeListsView, ListsView, RunsView, StringsView, StructsView};
#[doc(no_inline)]
pub use types::{
    Abilities, PhysicalType, ValueOrder, can_have_validity, decimal_parts, has_known_nulls, is_binary, is_decimal,
    is_fixed_width, is_floating, is_integral, is_list, is_nested, is_numeric, is_signed_integral, is_string,
    is_temporal, is_unsigned_integral, physical_type, same_type, width,
};
pub use validity::Validity;
pub use value_bounds::{OrderBounds, ValueBounds};
#[doc(hidden)]
pub use value_bounds::{numbers_of_order, order_of_numbers};
