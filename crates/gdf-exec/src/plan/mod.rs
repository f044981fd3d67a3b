//! Physical plans, and how they run.
//!
//! Filters and projections become the [`Rows`] of the node above them, and run in one pipeline with the sort, group-by
//! or other sink of that node. A plan has no names of columns. Each column has a position and a plain type.

mod aggregate;
mod check;
mod columns;
mod deferred;
mod describe;
mod determined;
mod distinct;
mod distinct_keys;
mod early_groups;
mod execute;
mod extremes;
mod join;
mod key_filter;
mod limited;
mod lock;
mod lookup;
mod mapped;
mod numbered_keys;
mod profile;
mod rows;
mod run;
mod shared;
mod sort;
mod states;
mod stream;
mod tables;
mod unnest;
mod window;

use std::sync::Arc;

use arrow_schema::DataType;
use gdf_core::Table;

pub use self::aggregate::{Aggregate, Call, Finish, Grouping, Measure, Request};
pub use self::check::{Check, Problem};
pub use self::columns::{ColumnCall, ColumnFunction, Computed, FIRST_CALL, compute, resolved};
pub use self::determined::determined_keys;
pub use self::distinct::Distinct;
pub use self::early_groups::grouped_early;
pub use self::execute::{EachTable, Executed, Passed, spilled_bytes};
pub use self::join::{Decisive, Join, JoinKind, Source};
pub use self::mapped::{Mapped, Needs, RowsFunction};
pub use self::profile::PlanProfile;
pub use self::rows::Rows;
pub(crate) use self::run::Run;
pub use self::shared::{Shared, shared};
pub use self::sort::{Key, Sort};
pub use self::unnest::{ListColumn, RowsOf, Unnest};
pub use self::window::{Frame, RangeEnd, Window, WindowCall, WindowFunction, WindowMeasure};
use crate::scalar::OuterScalar;
use crate::scan::Scan;

/// The first position that stands for the value of a scalar subquery instead of a column.
pub const FIRST_PLACEHOLDER: usize = 1 << 40;

/// The value of a scalar subquery, which is computed when the plan runs.
#[derive(Clone, Debug)]
pub struct Placeholder {
    /// The value outside of the plan. It is read if no [`Node::Scalars`] computes the value.
    pub outer: Arc<dyn OuterScalar>,
    /// The type of the value.
    pub data_type: DataType,
}

/// A physical plan.
#[derive(Debug)]
pub struct Plan {
    /// The step whose rows are the result.
    pub root: Node,
    /// The values that stand at the positions from [`FIRST_PLACEHOLDER`] on.
    pub placeholders: Vec<Placeholder>,
    /// Whether the query does not fully define its result. Examples are a limit, and row numbers of rows with equal
    /// sort keys. Another run may return different rows or numbers.
    pub cuts_rows: bool,
    /// Whether a decimal with more digits than its type is an error in conditions and expressions; see
    /// [`Pipeline::with_exact_decimals`](gdf_api::pipeline::Pipeline::with_exact_decimals).
    pub has_exact_decimals: bool,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub enum Node {
    /// The rows of the input of the run with this number.
    Input(usize),
    /// A step that occurs several times in the plan.
    Shared(Arc<Shared>),
    /// A table on the device.
    Resident(Table),
    /// The rows of a source outside of the plan, such as files.
    Files(Arc<dyn Scan>),
    /// One row of columns with these types, in which every value is null.
    NullRow(Vec<DataType>),
    /// No rows of columns with these types.
    Empty(Vec<DataType>),
    /// The rows of a node that pass conditions, and expressions over these rows.
    Rows(Box<Rows>),
    /// The rows of a node, and functions of whole columns.
    Computed(Box<Computed>),
    /// A join of the rows of two nodes.
    Join(Box<Join>),
    /// Groups of rows.
    Aggregate(Box<Aggregate>),
    /// Distinct rows.
    Distinct(Box<Distinct>),
    /// Sorted rows.
    Sort(Box<Sort>),
    /// The rows of a node, and window functions.
    Window(Box<Window>),
    /// The rows of a node with lists replaced by their elements, and structs by their fields.
    Unnest(Box<Unnest>),
    /// The results of a function of the rows of a node.
    Mapped(Box<Mapped>),
    /// The rows from `skip` on, at most `fetch`.
    Limit {
        /// The node whose rows are counted.
        input: Box<Node>,
        /// The number of rows that are left out.
        skip: usize,
        /// The largest number of rows of the result, or `None` for all rows.
        fetch: Option<usize>,
    },
    /// The rows of all nodes, one after the other.
    Union(Vec<Node>),
    /// The rows of `input`, after the subqueries have run. Expressions in `input` read the values of the subqueries.
    /// Each subquery has a node and the numbers of its placeholders.
    Scalars {
        /// The node that reads the values.
        input: Box<Node>,
        /// The subqueries.
        subqueries: Vec<(Node, Vec<usize>)>,
    },
}

impl Node {
    /// Converts the node to [`Rows`], to which the caller can add conditions and expressions.
    pub fn into_rows(self, width: usize) -> Rows {
        match self {
            Node::Rows(rows) => *rows,
            other => Rows::all(other, width),
        }
    }
}
