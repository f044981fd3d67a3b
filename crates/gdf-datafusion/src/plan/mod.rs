//! Lowered plans, which gdf runs in place of the nodes of an island.
//!
//! Filters and projections become the [`Rows`] of the node above them, and run in one pipeline with the sort, group-by
//! or other sink of that node. A plan has no names of columns. Each column has a position and a plain type.

mod aggregate;
mod aggregate_batches;
mod batches;
mod check;
mod columns;
mod deferred;
mod describe;
mod determined;
mod distinct_keys;
mod early_groups;
mod extremes;
mod join;
mod key_filter;
mod profile;
mod rows;
mod run;
mod shared;
mod sort;
mod tables;
mod unnest;
mod window;

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::logical_expr::physical_planning_context::{ScalarSubqueryResults, SubqueryIndex};
use gdf_core::Table;

pub(crate) use self::aggregate::{Aggregate, Call, Finish, Measure, Request};
pub(crate) use self::check::{Check, Problem};
pub(crate) use self::columns::{ColumnCall, ColumnFunction, Computed, FIRST_CALL, compute, resolved};
pub(crate) use self::determined::determined_keys;
pub(crate) use self::early_groups::grouped_early;
pub(crate) use self::join::{Decisive, Join, Kind, Source};
pub(crate) use self::profile::IslandProfile;
pub(crate) use self::rows::Rows;
pub(crate) use self::run::{InputRows, Run};
pub(crate) use self::shared::{Shared, shared};
pub(crate) use self::sort::{Key, Sort};
pub(crate) use self::unnest::{ListColumn, RowsOf, Unnest};
pub(crate) use self::window::{Frame, RangeEnd, Window, WindowCall, WindowFunction, WindowMeasure};
use crate::files::FileScan;

/// The first position that stands for the value of a scalar subquery instead of a column.
pub(crate) const FIRST_PLACEHOLDER: usize = 1 << 40;

/// The value of a scalar subquery, which is computed when the plan runs.
#[derive(Clone, Debug)]
pub(crate) struct Placeholder {
    pub(crate) results: ScalarSubqueryResults,
    pub(crate) index: SubqueryIndex,
    pub(crate) data_type: DataType,
}

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) root: Node,
    pub(crate) placeholders: Vec<Placeholder>,
    /// Whether the query does not fully define its result. Examples are a limit, and row numbers of rows with equal
    /// sort keys. Another run may return different rows or numbers.
    pub(crate) cuts_rows: bool,
}

/// A step of a plan.
#[derive(Debug)]
pub(crate) enum Node {
    /// The rows of the input with this number.
    Input(usize),
    /// A step that occurs several times in the plan.
    Shared(Arc<Shared>),
    /// A table on the device.
    Resident(Table),
    Files(FileScan),
    NullRow(Vec<DataType>),
    /// No rows of columns with these types.
    Empty(Vec<DataType>),
    /// The rows of a node that pass conditions, and expressions over these rows.
    Rows(Box<Rows>),
    /// The rows of a node, and functions of whole columns.
    Computed(Box<Computed>),
    Join(Box<Join>),
    /// Groups of rows.
    Aggregate(Box<Aggregate>),
    Sort(Box<Sort>),
    /// The rows of a node, and window functions.
    Window(Box<Window>),
    /// The rows of a node with lists replaced by their elements, and structs by their fields.
    Unnest(Box<Unnest>),
    /// The rows from `skip` on, at most `fetch`.
    Limit {
        input: Box<Node>,
        skip: usize,
        fetch: Option<usize>,
    },
    /// The rows of all nodes, one after the other.
    Union(Vec<Node>),
    /// The rows of `input`, after the subqueries have run. Expressions in `input` read the values of the subqueries.
    /// Each subquery has a node and the numbers of its placeholders.
    Scalars {
        input: Box<Node>,
        subqueries: Vec<(Node, Vec<usize>)>,
    },
}

impl Node {
    /// Converts the node to [`Rows`], to which the caller can add conditions and expressions.
    pub(crate) fn into_rows(self, width: usize) -> Rows {
        match self {
            Node::Rows(rows) => *rows,
            other => Rows::all(other, width),
        }
    }
}

/// A plan that is shared with the thread that runs it.
pub(crate) type SharedPlan = Arc<Plan>;
