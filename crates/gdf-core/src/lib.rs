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

mod arrow;
pub mod bitmask;
mod build;
mod column;
pub mod dispatch;
mod error;
mod facts;
mod format;
mod host_vec;
#[doc(hidden)]
pub mod layout;
mod literal;
mod one_or_many;
mod operand;
mod scalar;
pub mod scope;
mod span;
mod table;
#[cfg(all(test, feature = "arrow-rs"))]
mod test_arrays;
mod threads;
mod to_device;
pub mod types;
#[doc(hidden)]
pub mod validation;

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
pub use arrow::TableSchema;
pub use arrow::copied_misaligned;
#[doc(hidden)]
pub use arrow::count_copied_misaligned;
#[cfg(feature = "arrow-rs")]
pub use arrow::{export as arrow_export, import as arrow_import};
pub use build::{OptionalStr, Steps, Str, Validity, make_lists_column, make_strings_column, make_structs_column};
#[doc(hidden)]
pub use column::set_null_counter;
pub use column::{
    BinaryView, Column, ColumnParts, ColumnValue, ColumnView, DictionaryView, FixedSizeListsView, ListsView, RunsView,
    StringsView, StructsView,
};
#[doc(hidden)]
pub use error::fmt_with_causes;
pub use error::{Context, Counted, DataRule, Error, ExpectedType, Position, Result};
pub use facts::{NullCount, OrderBounds, ValueBounds};
#[doc(hidden)]
pub use facts::{TextFacts, numbers_of_order, order_of_numbers};
#[cfg(feature = "pretty")]
pub use format::TableDisplay;
#[cfg(feature = "pretty")]
pub use format::pretty;
#[cfg(feature = "pretty")]
#[doc(hidden)]
pub use format::rows_table;
pub use literal::{Literal, LiteralValue};
#[doc(hidden)]
pub use one_or_many::OneOrMany;
pub use operand::Operand;
pub use scalar::Scalar;
#[doc(hidden)]
pub use span::enter_span;
pub use table::{Table, TableView};
#[doc(hidden)]
pub use threads::{for_each_index, map_indices, map_items, on_one_thread, prepare_threads, thread_count};
#[doc(no_inline)]
pub use types::{
    Abilities, PhysicalType, ValueOrder, can_have_validity, decimal_parts, has_known_nulls, is_binary, is_decimal,
    is_fixed_width, is_floating, is_integral, is_list, is_nested, is_numeric, is_signed_integral, is_string,
    is_temporal, is_unsigned_integral, physical_type, same_type, width,
};
pub use types::{I256, NativeType, NativeValue};
