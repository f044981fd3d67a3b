//! Sources that are read batch by batch when a plan is executed.

use std::sync::Arc;

use gdf_core::Result;
use gdf_external::value_bytes;

use super::needed::Needed;
use super::{Plan, Step};
use crate::columns::Columns;
use crate::expr::{Expr, Leaf};

/// The batches of a scan, in the order of the rows.
pub(crate) type ScannedBatches = Box<dyn Iterator<Item = Result<Columns>> + Send>;

/// Rows of a scan that are not read yet.
pub(crate) type ScannedPiece = Box<dyn FnOnce() -> Result<Columns> + Send>;

/// A source of rows that can be read several times.
pub(crate) trait Scan: Send + Sync {
    /// Returns the format and the path, as [`explain`](crate::LazyFrame::explain) shows them.
    fn text(&self) -> String;

    /// Begins to read.
    fn open(&self, request: &ScanRequest) -> Result<ScannedBatches>;

    /// Returns pieces of about `rows` rows, which threads can read at the same time. Returns `None` if the format has no
    /// such pieces.
    fn pieces(&self, request: &ScanRequest, rows: usize) -> Result<Option<Vec<ScannedPiece>>>;

    /// Returns the number of rows, if it is known without reading rows.
    fn num_rows(&self) -> Option<usize>;

    /// Returns the largest number of rows of a batch.
    fn batch_rows(&self) -> usize;

    /// Returns the conditions that the reader can use to skip rows, as text. All conditions are also applied later.
    fn pushed(&self, conditions: &[Expr]) -> Option<String>;
}

/// The columns and rows of a scan that a plan needs.
#[derive(Clone, Default)]
#[cfg_attr(not(feature = "io"), expect(dead_code, reason = "only readers of files use the request"))]
pub(crate) struct ScanRequest {
    /// The names of the columns, in their order in the source.
    pub(crate) columns: Vec<Arc<str>>,
    /// Conditions that the rows must satisfy. The reader may return further rows.
    pub(crate) conditions: Vec<Expr>,
    /// The number of rows of a batch. `None` stands for the default of the reader.
    pub(crate) batch_rows: Option<usize>,
}

/// A scan, and the request of the plan to the scan.
#[derive(Clone)]
pub(super) struct Scanned {
    pub(super) scan: Arc<dyn Scan>,
    pub(super) request: ScanRequest,
}

impl Scanned {
    /// Returns the scan of the columns of `source`.
    pub(super) fn new(scan: Arc<dyn Scan>, source: &Columns, plan: &Plan) -> Scanned {
        let request = ScanRequest {
            columns: source.names().map(Arc::from).collect(),
            conditions: plan.first_conditions(),
            batch_rows: None,
        };
        Scanned { scan, request }
    }
}

impl Plan {
    /// Returns the columns of the source that a plan needs, without rows. If the plan needs no column, the result has
    /// the narrowest column, so that the rows can be counted.
    pub(super) fn scanned_columns(&self, needed: &Needed) -> Result<Columns> {
        let source = &self.source;
        // If a needed name is unknown, the scan has all columns. A later verb then reports the name, and lists all
        // columns. A new name of `rename` is needed although no column should have it.
        let is_new = |name: &str| {
            let renames =
                |step: &Step| matches!(step, Step::Rename(names) if names.iter().any(|(_, new)| **new == *name));
            self.steps.iter().any(renames)
        };
        if !needed.all_in(|name| source.position(name).is_some() || is_new(name)) {
            return Ok(source.clone());
        }
        let mut positions: Vec<usize> = (0..source.len()).filter(|at| needed.has(source.field(*at).name())).collect();
        if positions.is_empty() {
            let narrow = |at: &usize| value_bytes(source.field(*at).data_type());
            positions.extend((0..source.len()).min_by_key(narrow));
        }
        let fields = positions.iter().map(|at| source.field(*at).clone()).collect();
        Ok(source.replaced(fields, source.table().select(&positions)?))
    }

    /// Returns the conditions of the filters at the beginning of the plan, up to the first condition that contains more
    /// than columns. The value of an aggregation or a window function in that condition depends on rows that later
    /// conditions refuse.
    pub(super) fn first_conditions(&self) -> Vec<Expr> {
        let is_of_rows = |condition: &Expr| condition.leaves().iter().all(|leaf| matches!(leaf, Leaf::Column(_)));
        let first = self.steps.iter().map_while(|step| match step {
            Step::Filter(condition) if is_of_rows(condition) => Some(condition.clone()),
            _ => None,
        });
        first.collect()
    }
}
