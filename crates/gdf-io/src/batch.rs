//! A table with the names and types of its columns.

use std::fmt;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use gdf_core::{Column, Error, Result, SchemaRef, Table};
use gdf_driver::Device;
use rayon::prelude::*;

use crate::merge::widened;
use crate::target::Target;
use crate::write::check_schema;
use crate::{keys, large};

/// A table on a device, with an Arrow schema that names its columns.
///
/// Readers return batches, and writers take batches. A clone shares all memory with the original. The schema also
/// contains the nullability and the metadata of the columns. A [`Table`] contains neither names nor nullability nor
/// metadata.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod io { pub use gdf_io::*; } pub mod arrow { pub use arrow_array as array; } }
/// use std::sync::Arc;
/// use gdf::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
/// use gdf::io::Batch;
///
/// let id: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
/// let city: ArrayRef = Arc::new(StringArray::from(vec![Some("Lyon"), None]));
/// let batch = Batch::from_arrow(&RecordBatch::try_from_iter([("id", id), ("city", city)])?)?;
/// assert_eq!(batch.num_rows(), 2);
/// assert_eq!(batch.column("city")?.known_null_count(), Some(1));
/// assert!(batch.column("town").is_err());
/// println!("{batch}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Batch {
    schema: SchemaRef,
    table: Table,
}

impl Batch {
    /// Combines a table with a schema.
    ///
    /// # Errors
    /// - [`Error::ColumnCount`], [`Error::TypeMismatch`]: the schema does not describe the table.
    pub fn try_new(schema: SchemaRef, table: Table) -> Result<Batch> {
        let fields = schema.fields();
        if fields.len() != table.num_columns() {
            let error = Error::count_mismatch((fields.len(), "field"), (table.num_columns(), "column"));
            return Err(error.with_remedy("pass a schema with a field for each column"));
        }
        for (field, data_type) in fields.iter().zip(table.data_types()) {
            if !gdf_core::same_type(field.data_type(), data_type) {
                return Err(Error::type_mismatch(field.data_type(), data_type));
            }
        }
        Ok(Batch { schema, table })
    }

    /// Makes a batch of a record batch of arrow-rs, on the current device. If the current device is the CPU, the batch
    /// shares memory with the record batch. If the current device is a GPU, the data are copied.
    ///
    /// # Errors
    /// - The errors of [`Column::from_arrow`].
    pub fn from_arrow(batch: &RecordBatch) -> Result<Batch> {
        Ok(Batch { schema: batch.schema(), table: Table::from_batch(batch)? })
    }

    /// Concatenates record batches of arrow-rs on the current device, in newly allocated memory. If a column of text or
    /// binary data has more than 2³¹ − 1 bytes, its type becomes `LargeUtf8` or `LargeBinary`. If dictionaries together
    /// have more values than their keys can number, the keys become wider. Reads of files do the same.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use gdf::io::Batch;
    ///
    /// let trips = gdf::io::example_batch()?.to_arrow()?;
    /// let twice = Batch::from_batches(&trips.schema(), vec![trips.clone(), trips])?;
    /// assert_eq!(twice.num_rows(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// - [`SchemaMismatch`](crate::Error::SchemaMismatch): the columns of a batch differ from `schema`.
    /// - [`Gdf`](crate::Error::Gdf): an allocation failed.
    pub fn from_batches(schema: &SchemaRef, batches: Vec<RecordBatch>) -> crate::Result<Batch> {
        Self::from_batches_within(schema, batches, large::LIMIT)
    }

    /// Does the same as [`Batch::from_batches`], except that a column with 32-bit offsets may have at most `text_limit`
    /// bytes instead of 2³¹ − 1 bytes.
    #[doc(hidden)]
    pub fn from_batches_within(
        schema: &SchemaRef,
        mut batches: Vec<RecordBatch>,
        text_limit: usize,
    ) -> crate::Result<Batch> {
        for batch in &batches {
            check_schema(schema, &batch.schema())?;
        }
        let schema = large::widen(schema, &mut batches, text_limit.min(large::LIMIT))?;
        Target::run("from_batches", None, |target| Self::land(schema, &batches, target))
    }

    /// Concatenates record batches on the device of the target.
    ///
    /// # Errors
    /// - [`Error::OffsetOverflow`](crate::Error::OffsetOverflow), or the error of a failed allocation.
    pub(crate) fn land(schema: SchemaRef, batches: &[RecordBatch], target: Target<'_>) -> crate::Result<Batch> {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let column = |index: usize| {
            let field = schema.field(index);
            let arrays = batches.iter().map(|batch| widened(batch.column(index).clone(), field.data_type()));
            let landed = target.land_all(field.data_type(), arrays.collect::<crate::Result<_>>()?);
            landed.map_err(|error| large::named(field.name(), error))
        };
        gdf_core::prepare_threads();
        let columns = (0..schema.fields().len()).into_par_iter().map(column).collect::<crate::Result<Vec<_>>>()?;
        let schema = keys::schema_of(&schema, &columns);
        Ok(Batch::try_new(schema, Table::try_with_rows(columns, rows)?)?)
    }

    /// Copies one record batch to the device of the target.
    ///
    /// # Errors
    /// - The errors of [`Batch::land`].
    pub(crate) fn land_one(batch: &RecordBatch, target: Target<'_>) -> crate::Result<Batch> {
        Self::land(batch.schema(), std::slice::from_ref(batch), target)
    }

    /// Returns the batch as a record batch of arrow-rs. If the batch is on the CPU, the result shares its memory. If
    /// the batch is on a GPU, the call **waits**.
    ///
    /// # Errors
    /// - The errors of [`Table::to_arrow`].
    pub fn to_arrow(&self) -> Result<RecordBatch> {
        self.table.to_batch(&self.schema)
    }

    /// Returns the names, types, nullability and metadata of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the table of the columns. A table has no names.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Splits the batch into its schema and its table.
    pub fn into_parts(self) -> (SchemaRef, Table) {
        (self.schema, self.table)
    }

    /// Returns the column with this name. If several columns have the same name, use [`Batch::table`] to get the
    /// columns by index.
    ///
    /// # Errors
    /// - [`Error::Arrow`]: no column has the name, or several columns have the name. If no column has the name, the
    ///   message lists the names of all columns.
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.table.column(self.index_of(name)?)
    }

    /// Returns the columns with these names, in the given order.
    ///
    /// # Errors
    /// - [`Error::Arrow`]: no column has a given name, or several columns have the name.
    pub fn select(&self, names: &[&str]) -> Result<Batch> {
        let columns = names.iter().map(|name| self.index_of(name)).collect::<Result<Vec<_>>>()?;
        Ok(Batch { schema: self.schema.project(&columns)?.into(), table: self.table.select(&columns)? })
    }

    fn index_of(&self, name: &str) -> Result<usize> {
        let index = self.schema.index_of(name)?;
        let count = self.schema.fields().iter().filter(|field| field.name() == name).count();
        if count == 1 {
            return Ok(index);
        }
        let what = format!("{count} columns are named \"{name}\"; select the column by its index with `Batch::table`");
        Err(ArrowError::SchemaError(what).into())
    }

    /// Returns the `len` rows from row `offset` on. The result shares all memory.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`].
    pub fn slice(&self, offset: usize, len: usize) -> Result<Batch> {
        Ok(Batch { schema: self.schema.clone(), table: self.table.slice(offset, len)? })
    }

    /// Returns the number of rows.
    pub fn num_rows(&self) -> usize {
        self.table.num_rows()
    }

    /// Returns the number of columns.
    pub fn num_columns(&self) -> usize {
        self.table.num_columns()
    }

    /// Returns the device of the columns. A batch without columns is on the CPU.
    pub fn device(&self) -> Device {
        self.table.device().unwrap_or(Device::Cpu)
    }
}

/// Prints the batch like a [`Table`], with the names of the columns above the columns.
impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.table.display_with_schema(&self.schema), f)
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.schema.fields().iter().map(|field| (field.name(), field.data_type()));
        let columns: Vec<String> = columns.map(|(name, data_type)| format!("{name}: {data_type}")).collect();
        f.debug_struct("Batch").field("rows", &self.num_rows()).field("columns", &columns).finish_non_exhaustive()
    }
}
