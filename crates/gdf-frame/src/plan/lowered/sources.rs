//! Sources of plans of gdf-exec.

use std::fmt;
use std::sync::Arc;

use gdf_core::{Column, DataType, Result, Table};
use gdf_exec::{Piece, Pieces, Scan, ScanRequest as PiecesRequest};
use gdf_external::{prefetch, row_bytes, rows_of};

use crate::columns::Columns;
use crate::plan::scan::{ScanRequest, Scanned, ScannedPiece};

/// A scan with the types of its columns.
pub(super) struct PiecesOfScan {
    scanned: Scanned,
    types: Arc<[DataType]>,
}

impl PiecesOfScan {
    /// `source` has the columns without rows.
    pub(super) fn new(scanned: Scanned, source: &Columns) -> PiecesOfScan {
        PiecesOfScan { scanned, types: source.table().data_types().cloned().collect() }
    }
}

impl fmt::Debug for PiecesOfScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PiecesOfScan").field("text", &self.scanned.scan.text()).finish_non_exhaustive()
    }
}

impl Scan for PiecesOfScan {
    fn text(&self) -> String {
        self.scanned.scan.text()
    }

    fn num_rows(&self) -> Option<usize> {
        self.scanned.scan.num_rows()
    }

    fn read_bytes(&self) -> Option<usize> {
        Some(self.num_rows()?.saturating_mul(row_bytes(&*self.types)))
    }

    fn text_bytes(&self) -> Option<u64> {
        None
    }

    fn open(&self, request: &PiecesRequest) -> gdf_exec::Result<Pieces> {
        let most = self.scanned.scan.batch_rows();
        // The rows of a piece, and the rows of a batch if the format has no pieces.
        let (of_piece, of_batch) = match *request {
            PiecesRequest::Whole => (Some(usize::MAX), None),
            PiecesRequest::Limited(bytes) => (None, Some(rows_of(bytes, &*self.types).min(most))),
            PiecesRequest::Pieces { bytes, rows } => {
                let rows = rows.unwrap_or_else(|| rows_of(bytes, &*self.types)).min(most);
                (Some(rows), Some(rows))
            }
        };
        let table = |columns: Columns| columns.into_parts().1;
        if let Some(rows) = of_piece
            && let Some(pieces) = self.scanned.scan.pieces(&self.scanned.request, rows)?
        {
            let piece = move |piece: ScannedPiece| Ok(Box::new(move || Ok(piece().map(table)?)) as Piece);
            return Ok(Box::new(pieces.into_iter().map(piece)));
        }
        let request = ScanRequest { batch_rows: of_batch, ..self.scanned.request.clone() };
        let batches = prefetch(self.scanned.scan.open(&request)?)?;
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

    fn is_same(&self, other: &dyn Scan) -> bool {
        std::ptr::addr_eq(self, other)
    }
}

/// Tables with the same columns, one after the other.
#[derive(Debug)]
pub(super) struct PiecesOfTables(Vec<Table>);

impl PiecesOfTables {
    pub(super) fn new(tables: Vec<Table>) -> PiecesOfTables {
        PiecesOfTables(tables)
    }
}

impl Scan for PiecesOfTables {
    fn text(&self) -> String {
        format!("{} tables", self.0.len())
    }

    fn num_rows(&self) -> Option<usize> {
        Some(self.0.iter().map(Table::num_rows).sum())
    }

    fn read_bytes(&self) -> Option<usize> {
        Some(0)
    }

    fn text_bytes(&self) -> Option<u64> {
        None
    }

    fn open(&self, request: &PiecesRequest) -> gdf_exec::Result<Pieces> {
        let most = match *request {
            PiecesRequest::Whole | PiecesRequest::Pieces { rows: None, .. } => usize::MAX,
            PiecesRequest::Pieces { rows: Some(rows), .. } => rows.max(1),
            PiecesRequest::Limited(bytes) => self.0.first().map_or(1, |table| rows_of(bytes, table.data_types())),
        };
        let slices = move |table: Table| {
            let rows = table.num_rows();
            let starts = (0..rows.max(1)).step_by(most);
            starts.map(move |start| {
                let slice = table.slice(start, most.min(rows - start))?;
                Ok(Box::new(move || Ok(slice)) as Piece)
            })
        };
        Ok(Box::new(self.0.clone().into_iter().flat_map(slices)))
    }

    fn is_same(&self, other: &dyn Scan) -> bool {
        std::ptr::addr_eq(self, other)
    }
}
