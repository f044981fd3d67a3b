//! One physical plan and one executor.
//!
//! A [`Plan`] is a tree of [`Node`]s. It has no names: each column has a position and a type. What lowers queries to
//! plans keeps the names, and says how the rows get in: as tables on the device, or by a [`Scan`]. [`Plan::execute`] and
//! [`Plan::for_each_table`] compute the rows.
//!
//! Values of scalar subqueries that the plan itself does not compute come from an [`OuterScalar`].
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod error;
mod options;
mod plan;
mod progress;
mod scalar;
mod scan;
mod types;

pub use gdf_external::{row_bytes, rows_of};

pub use self::error::{Error, Result, UnsupportedType};
pub use self::options::Execution;
pub use self::plan::{
    Aggregate, Call, Check, ColumnCall, ColumnFunction, Computed, Decisive, Distinct, EachTable, Executed, FIRST_CALL,
    FIRST_PLACEHOLDER, Finish, Frame, Grouping, Join, JoinKind, Key, ListColumn, Mapped, Measure, Needs, Node, Passed,
    Placeholder, Plan, PlanProfile, Problem, RangeEnd, Request, Rows, RowsFunction, RowsOf, Shared, Sort, Source,
    Unnest, Window, WindowCall, WindowFunction, WindowMeasure, compute, determined_keys, grouped_early, resolved,
    shared, spilled_bytes,
};
pub use self::progress::Progress;
pub use self::scalar::OuterScalar;
pub use self::scan::{Piece, Pieces, Scan, ScanRequest};
pub use self::types::{held_schema, held_types, most_digits, plain, plain_types, with_width};
