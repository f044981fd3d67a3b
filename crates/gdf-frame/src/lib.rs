//! Frames: columns with names, expressions by name, and verbs.
//!
//! A [`Frame`] is a table whose columns have names. A verb, such as [`filter`](Frame::filter) or [`join`](Frame::join),
//! makes a new frame from one or more frames, on the device of these frames. An [`Expr`] computes values from columns,
//! which it refers to by name. Verbs never change a frame, except for a few that say so, such as
//! [`set_rows`](Frame::set_rows). Clones and results share memory with the original frame if possible, and shared
//! memory is copied before it is changed.
//!
//! ```
//! use gdf::Column;
//! use gdf::frame::{Frame, col, len};
//!
//! let trips = Frame::try_new([
//!     ("city", Column::from_strs(["Lyon", "Oslo", "Lyon"])?),
//!     ("distance", Column::from_slice(&[2.5, 4.0, 1.5])?),
//! ])?;
//! let cities = trips
//!     .filter(col("distance").gt(1))?
//!     .group_by(["city"])
//!     .agg([col("distance").sum(), len().alias("trips")])?
//!     .sort(["city"])?;
//! assert_eq!(cities.column("distance")?.to_vec::<f64>()?, [Some(4.0), Some(4.0)]);
//! assert_eq!(cities.column("trips")?.to_vec::<i64>()?, [Some(2), Some(1)]);
//! # Ok::<(), gdf::Error>(())
//! ```
//!
//! # Eager and lazy
//! The verbs of a [`Frame`] compute their result at once. The verbs of a [`LazyFrame`] compute nothing until
//! [`collect`](LazyFrame::collect) is called. `collect` fuses neighboring verbs into [pipelines](gdf_api::pipeline),
//! and leaves out columns that no later verb needs. No optimizer changes the order of the verbs.
//!
//! # Order of rows
//! `filter`, `select`, `with`, `rename`, `drop`, `fill_null`, `cast`, `head`, `slice`, `tail`, `drop_nulls`, `explode`,
//! `unnest`, `to_dummies` and `concat` keep the order of the rows. `sort` and `reverse` return the rows in another
//! order. All other verbs return the rows in no particular order, unless their documentation states an order.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod asof;
mod columns;
mod expr;
#[cfg(any(feature = "parquet", feature = "csv", feature = "json", feature = "ipc"))]
mod file_sinks;
#[cfg(feature = "io")]
mod files;
mod frame;
mod group_by;
mod in_place;
pub mod index;
mod join;
mod lazy;
mod names;
mod plan;
#[cfg(feature = "io")]
mod predicates;
mod rolling;
#[cfg(feature = "io")]
mod scans;
mod selector;
mod shape;
mod statistics;
mod verbs;

pub use gdf_api::join::AsofDirection;
pub use gdf_api::quantiles::Interpolation;
pub use gdf_api::scan::RankMethod;
pub use gdf_api::stream_compaction::DuplicateKeepOption;
pub use gdf_exec::PlanProfile;
pub use gdf_expr::Value;

pub use self::asof::AsofJoin;
pub use self::columns::Columns;
pub use self::expr::{
    Aggregation, Case, DateExpr, Expr, ListExpr, MapExpr, Output, SortBy, StructExpr, TextExpr, When, coalesce, col,
    element, len, lit, when,
};
pub use self::frame::Frame;
pub use self::group_by::{GroupBy, LazyGroupBy};
pub use self::join::{Join, JoinKey, JoinKind, Validate};
pub use self::lazy::LazyFrame;
pub use self::rolling::{Closed, LazyRolling, Rolling};
pub use self::selector::{Selector, all, boolean, cols, dtype, float, integer, matching, nth, numeric, temporal, text};
