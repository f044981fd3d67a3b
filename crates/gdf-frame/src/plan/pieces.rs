//! Scans as sources of plans of gdf-exec.

use std::fmt;
use std::sync::Arc;

use gdf_core::{Column, DataType, Result, Table};
use gdf_exec::{Piece, Pieces, ScanRequest as PiecesRequest};
use gdf_external::{prefetch, rows_of};

use super::scan::{ScanRequest, Scanned, ScannedPiece};
use crate::columns::Columns;

/// A scan with the types of its columns.
pub(super) struct PiecesOfScan {
    pub(super) scanned: Scanned,
    pub(super) types: Arc<[DataType]>,
}

impl fmt::Debug for PiecesOfScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PiecesOfScan").field("text", &self.scanned.scan.text()).finish_non_exhaustive()
    }
}

impl gdf_exec::Scan for PiecesOfScan {
    fn text(&self) -> String {
        self.scanned.scan.text()
    }

    fn num_rows(&self) -> Option<usize> {
        self.scanned.scan.num_rows()
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

    fn is_same(&self, other: &dyn gdf_exec::Scan) -> bool {
        std::ptr::addr_eq(self, other)
    }
}
