//! Tables from and to record batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_schema::{Field, Schema, SchemaRef};
use gdf_driver::Stream;
use gdf_memory::ResourceRef;
use rayon::prelude::*;

use super::download::download_small;
use crate::scope::here;
use crate::{Column, Error, Position, Result, Table, prepare_threads, same_type, scope};

/// A source of the column names of a record batch: a schema, or a list of names. If the source is a schema, the types
/// and the nullability of the batch also come from the schema.
pub trait TableSchema {
    /// Returns the schema of a batch of this table.
    ///
    /// # Errors
    /// - [`Error::ColumnCount`]: the number of names differs from the number of columns.
    fn schema_for(&self, table: &Table) -> Result<SchemaRef>;
}

impl TableSchema for SchemaRef {
    fn schema_for(&self, _table: &Table) -> Result<SchemaRef> {
        Ok(self.clone())
    }
}

impl TableSchema for Schema {
    fn schema_for(&self, _table: &Table) -> Result<SchemaRef> {
        Ok(Arc::new(self.clone()))
    }
}

impl<N: AsRef<str>> TableSchema for [N] {
    fn schema_for(&self, table: &Table) -> Result<SchemaRef> {
        if self.len() != table.num_columns() {
            let error = Error::count_mismatch((table.num_columns(), "column"), (self.len(), "name"));
            return Err(error.with_remedy("pass a name for each column"));
        }
        Ok(table.schema(&self.iter().map(AsRef::as_ref).collect::<Vec<_>>()))
    }
}

impl<N: AsRef<str>, const COLUMNS: usize> TableSchema for [N; COLUMNS] {
    fn schema_for(&self, table: &Table) -> Result<SchemaRef> {
        self[..].schema_for(table)
    }
}

impl<N: AsRef<str>> TableSchema for Vec<N> {
    fn schema_for(&self, table: &Table) -> Result<SchemaRef> {
        self[..].schema_for(table)
    }
}

impl Table {
    /// Converts the columns of a record batch to a table. A table has no column names, so the caller keeps the
    /// batch's schema.
    ///
    /// # Errors
    /// - The errors of [`Column::from_arrow`].
    pub fn from_arrow<'r>(batch: &RecordBatch, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Table> {
        let mr = mr.into();
        let columns =
            batch.columns().iter().map(|array| Column::from_arrow(array, stream, mr)).collect::<Result<_>>()?;
        Table::try_with_rows(columns, batch.num_rows())
    }

    /// Returns a table with the columns of a record batch, on the [current device](crate::scope::current_device).
    /// Columns on the CPU share the memory of the batch. Columns on a GPU are copies. The table has no column names,
    /// so the caller keeps the schema.
    ///
    /// ```
    /// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } pub mod arrow { pub use arrow_array as array; } }
    /// use std::sync::Arc;
    /// use gdf::arrow::array::{ArrayRef, Int32Array, RecordBatch};
    /// use gdf::Table;
    ///
    /// let ids: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    /// let batch = RecordBatch::try_from_iter([("id", ids)])?;
    /// let table = Table::from_batch(&batch)?;
    /// assert_eq!(table.head(2).to_batch(&["id"])?.num_rows(), 2);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - The errors of [`Column::from_arrow`].
    #[doc(alias("from_record_batch"))]
    pub fn from_batch(batch: &RecordBatch) -> Result<Table> {
        here(|ctx| Self::from_arrow(batch, ctx.stream, ctx.mr.output))
    }

    /// Returns a record batch of the columns. `schema` is a schema (`&schema`), or a list of column names (`&["id",
    /// "price"]`). **Waits** for device memory.
    ///
    /// # Errors
    /// - The errors of [`Table::to_arrow`].
    #[doc(alias("to_record_batch"))]
    pub fn to_batch<S: TableSchema + ?Sized>(&self, schema: &S) -> Result<RecordBatch> {
        let device = self.device().unwrap_or_else(scope::current_device);
        let schema = schema.schema_for(self)?;
        scope::run_on(device, |ctx| self.to_arrow(&schema, ctx.stream))
    }

    /// Converts the table to a record batch with the column names of `schema`. **Waits** for device memory.
    ///
    /// If the columns have at most 1 MiB together, the function waits once for all columns. There is one exception:
    /// characters or list elements of more than 16 KiB are fetched only after their offsets are known. In that case the
    /// function waits once more for characters, and once more for each level of lists. If the columns have more than 1
    /// MiB, the function waits at least once for each column.
    ///
    /// # Errors
    /// - [`Error::ColumnCount`], [`Error::TypeMismatch`]: the schema describes another table.
    /// - The errors of [`Column::to_arrow`].
    pub fn to_arrow(&self, schema: &SchemaRef, stream: &Stream) -> Result<RecordBatch> {
        if schema.fields().len() != self.num_columns() {
            return Err(Error::count_mismatch((schema.fields().len(), "field"), (self.num_columns(), "column")));
        }
        let typed = |(i, (column, field)): (usize, (&Column, &Arc<Field>))| {
            if !same_type(column.data_type(), field.data_type()) {
                return Err(Error::type_mismatch(field.data_type(), column.data_type()).at(Position::Column(i)));
            }
            column.with_type(field.data_type().clone())
        };
        let columns = self.columns().iter().zip(schema.fields()).enumerate().map(typed).collect::<Result<Vec<_>>>()?;
        let arrays = to_arrays(&columns, stream)?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.num_rows()));
        Ok(RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?)
    }
}

fn to_arrays(columns: &[Column], stream: &Stream) -> Result<Vec<ArrayRef>> {
    if stream.device().is_cpu() || columns.iter().any(|column| column.device() != stream.device()) {
        return columns.iter().map(|column| column.to_arrow(stream)).collect();
    }
    if let Some(arrays) = download_small(columns, stream)? {
        return Ok(arrays.into_iter().map(make_array).collect());
    }
    prepare_threads();
    // The threads export several columns at the same time.
    columns.par_iter().map(|column| column.to_arrow(stream)).collect()
}
