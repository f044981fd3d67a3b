//! Lowered plans: what gdf computes in place of the nodes of an island.
//!
//! Nodes that look at one row at a time become the [`Rows`] of the next node, so that they run as one pipeline with its
//! sink. A plan has no names: columns are known by position, and every column has a plain type.

mod aggregate;
mod check;
mod columns;
mod join;
mod rows;
mod run;
mod sort;
mod window;

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::logical_expr::physical_planning_context::{ScalarSubqueryResults, SubqueryIndex};
use gdf_core::Table;

pub(crate) use self::aggregate::{Aggregate, Call, Finish, Measure, Request};
pub(crate) use self::check::{Check, Problem};
pub(crate) use self::columns::{ColumnCall, ColumnFunction, Computed, FIRST_CALL, compute, resolved};
pub(crate) use self::join::{Join, Kind, Source};
pub(crate) use self::rows::Rows;
pub(crate) use self::run::Run;
pub(crate) use self::sort::{Key, Sort};
pub(crate) use self::window::{Frame, RangeEnd, Window, WindowCall, WindowFunction, WindowMeasure};
use crate::files::FileScan;

/// Positions from here on are no columns, but the values of scalar subqueries.
pub(crate) const FIRST_PLACEHOLDER: usize = 1 << 40;

/// The value of a scalar subquery, which is known when the plan runs.
#[derive(Clone, Debug)]
pub(crate) struct Placeholder {
    pub(crate) results: ScalarSubqueryResults,
    pub(crate) index: SubqueryIndex,
    pub(crate) data_type: DataType,
}

/// The plan of an island.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) root: Node,
    pub(crate) placeholders: Vec<Placeholder>,
    /// Whether the plan keeps or numbers rows whose order the query does not say, so that another run may keep other
    /// rows or number them in another way.
    pub(crate) cuts_rows: bool,
}

/// A step of a plan.
#[derive(Debug)]
pub(crate) enum Node {
    /// The rows of the input with this number.
    Input(usize),
    /// The columns of a resident table.
    Resident(Table),
    /// The rows of files.
    Files(FileScan),
    /// One row of nulls.
    NullRow(Vec<DataType>),
    /// No rows of columns with these types.
    Empty(Vec<DataType>),
    /// Conditions and expressions.
    Rows(Box<Rows>),
    /// Functions of whole columns.
    Computed(Box<Computed>),
    /// Pairs of rows of two nodes, or rows with or without a partner.
    Join(Box<Join>),
    /// Groups of rows.
    Aggregate(Box<Aggregate>),
    /// Rows in order.
    Sort(Box<Sort>),
    /// Ordered rows, and functions of the rows around each row.
    Window(Box<Window>),
    /// The rows from `skip` on, at most `fetch`.
    Limit { input: Box<Node>, skip: usize, fetch: Option<usize> },
    /// The rows of all nodes, one after the other.
    Union(Vec<Node>),
    /// The rows of `input`, whose expressions use the values of subqueries. Each subquery has the numbers of its
    /// placeholders.
    Scalars { input: Box<Node>, subqueries: Vec<(Node, Vec<usize>)> },
}

impl Node {
    /// Returns the rows of the node for more conditions and expressions.
    pub(crate) fn into_rows(self, width: usize) -> Rows {
        match self {
            Node::Rows(rows) => *rows,
            other => Rows::all(other, width),
        }
    }
}

/// Shares a plan with the thread that runs it.
pub(crate) type SharedPlan = Arc<Plan>;
