//! The parts of a query: the columns that a query reads, the order of its rows, and the two functions that run it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use arrow_array::RecordBatch;
use gdf::frame::LazyFrame;

use crate::generate::TpchTable;
use crate::load::Database;
use crate::values::table_of;

#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) number: u32,
    /// The columns that the query reads, with spaces between. The prefix of a column's name identifies its table.
    pub(crate) reads: &'static str,
    /// The result columns that determine the order of rows. Rows that are equal in these columns may be in any order.
    pub(crate) order_by: &'static [&'static str],
    /// Runs the query on pipelines. When the function returns, the result is on the host.
    pub(crate) pipelines: fn(&Database) -> gdf::Result<RecordBatch>,
    pub(crate) frames: fn(&Database) -> gdf::Result<LazyFrame>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    Pipelines,
    Frames,
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Api::Pipelines => "pipelines",
            Api::Frames => "frames",
        })
    }
}

impl Query {
    /// Runs the query. When the function returns, the result is on the host.
    pub(crate) fn run(&self, api: Api, db: &Database) -> gdf::Result<RecordBatch> {
        match api {
            Api::Pipelines => (self.pipelines)(db),
            Api::Frames => (self.frames)(db)?.collect()?.to_arrow(),
        }
    }
}

pub(crate) fn reads_of(queries: &[&Query]) -> BTreeMap<TpchTable, BTreeSet<&'static str>> {
    let mut union = BTreeMap::<_, BTreeSet<_>>::new();
    for column in queries.iter().flat_map(|query| query.reads.split_whitespace()) {
        union.entry(table_of(column)).or_default().insert(column);
    }
    union
}
