//! Tables from and to record batches.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, SchemaRef};
use gdf_driver::Stream;
use gdf_memory::ResourceRef;
use rayon::prelude::*;

use crate::{Column, Error, Position, Result, Table, same_type};

/// Tables of a GPU with so many bytes go to the CPU with their columns side by side.
const MANY_BYTES: usize = 1 << 20;

impl Table {
    /// The columns of a record batch; its schema stays with the caller.
    ///
    /// # Errors
    /// - As [`Column::from_arrow`].
    pub fn from_arrow(batch: &RecordBatch, stream: &Stream, mr: ResourceRef<'_>) -> Result<Table> {
        let columns =
            batch.columns().iter().map(|array| Column::from_arrow(array, stream, mr)).collect::<Result<_>>()?;
        Table::try_with_rows(columns, batch.num_rows())
    }

    /// A record batch of the columns under the names of `schema`. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::ColumnCount`], [`Error::TypeMismatch`]: the schema describes another table.
    /// - As [`Column::to_arrow`].
    pub fn to_arrow(&self, schema: &SchemaRef, stream: &Stream) -> Result<RecordBatch> {
        if schema.fields().len() != self.num_columns() {
            return Err(Error::count_mismatch((schema.fields().len(), "field"), (self.num_columns(), "column")));
        }
        let export = |(i, (column, field)): (usize, (&Column, &Arc<Field>))| {
            if !same_type(column.data_type(), field.data_type()) {
                return Err(Error::type_mismatch(field.data_type(), column.data_type()).at(Position::Column(i)));
            }
            column.with_type(field.data_type().clone())?.to_arrow(stream)
        };
        let columns = self.columns().iter().zip(schema.fields()).enumerate();
        // Each column ends with copies that nothing overlaps with but the next column's.
        let arrays = if !stream.device().is_cpu() && self.alloc_size() >= MANY_BYTES {
            columns.collect::<Vec<_>>().into_par_iter().map(export).collect::<Result<_>>()?
        } else {
            columns.map(export).collect::<Result<_>>()?
        };
        let options = RecordBatchOptions::new().with_row_count(Some(self.num_rows()));
        Ok(RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?)
    }
}
