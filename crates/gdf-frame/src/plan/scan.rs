//! Sources that are read batch by batch when a plan is executed.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use gdf_core::{Column, DataType, Result, Table};
use gdf_exec::{Piece, Pieces};
use gdf_external::{Budget, Prefetch, prefetch, rows_of, value_bytes};

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
#[derive(Clone, Debug, Default)]
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
    scan: Arc<dyn Scan>,
    request: ScanRequest,
    types: Arc<[DataType]>,
}

impl Scanned {
    /// Returns the scan of the columns of `source`.
    pub(super) fn new(scan: Arc<dyn Scan>, source: &Columns, plan: &Plan, budget: &Budget) -> Scanned {
        let rows = || rows_of(budget.source_bytes(), source.table().data_types());
        let request = ScanRequest {
            columns: source.names().map(Arc::from).collect(),
            conditions: plan.first_conditions(),
            batch_rows: (!budget.is_unlimited()).then(rows),
        };
        Scanned { scan, request, types: source.table().data_types().cloned().collect() }
    }

    /// Returns the largest number of rows of a batch that the user gets.
    pub(super) fn batch_rows(&self) -> usize {
        self.scan.batch_rows()
    }

    /// Begins to read. Another thread reads the next batch while a batch is used.
    pub(super) fn open(&self) -> Result<Prefetch<Columns>> {
        prefetch(self.scan.open(&self.request)?)
    }
}

impl fmt::Debug for Scanned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanned").field("text", &self.scan.text()).field("request", &self.request).finish()
    }
}

/// The source of a plan of gdf-exec.
impl gdf_exec::Scan for Scanned {
    fn text(&self) -> String {
        self.scan.text()
    }

    fn num_rows(&self) -> Option<usize> {
        self.scan.num_rows()
    }

    fn open(&self, request: &gdf_exec::ScanRequest) -> gdf_exec::Result<Pieces> {
        let (rows, is_read_in_threads) = match *request {
            gdf_exec::ScanRequest::Whole => (None, false),
            gdf_exec::ScanRequest::Limited(bytes) => (Some(rows_of(bytes, &*self.types)), false),
            gdf_exec::ScanRequest::Pieces { bytes, rows } => {
                (Some(rows.unwrap_or_else(|| rows_of(bytes, &*self.types))), true)
            }
        };
        let table = |columns: Columns| columns.into_parts().1;
        let rows = rows.map(|rows| rows.min(self.scan.batch_rows()));
        if let Some(rows) = rows.filter(|_| is_read_in_threads)
            && let Some(pieces) = self.scan.pieces(&self.request, rows)?
        {
            let piece = move |piece: ScannedPiece| Ok(Box::new(move || Ok(piece().map(table)?)) as Piece);
            return Ok(Box::new(pieces.into_iter().map(piece)));
        }
        let request = ScanRequest { batch_rows: rows, ..self.request.clone() };
        let batches = prefetch(self.scan.open(&request)?)?;
        let mut tables = batches.map(move |batch| batch.map(table)).peekable();
        let piece = |table: Result<Table>| table.map(|table| Box::new(move || Ok(table)) as Piece).map_err(Into::into);
        match tables.peek() {
            Some(_) => Ok(Box::new(tables.map(piece))),
            None => {
                let columns = self.types.iter().map(Column::empty).collect::<Result<_>>()?;
                Ok(Box::new(std::iter::once(piece(Table::try_with_rows(columns, 0)))))
            }
        }
    }

    fn is_same(&self, other: &dyn gdf_exec::Scan) -> bool {
        let other = (other as &dyn Any).downcast_ref::<Scanned>();
        other.is_some_and(|other| std::ptr::eq(self, other))
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
