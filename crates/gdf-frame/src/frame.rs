//! The frame: columns with names.

use std::fmt;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use gdf_core::{Column, Error, Result, Table};
use gdf_driver::Device;
use gdf_memory::SpillManager;

use crate::columns::Columns;
use crate::names::check_names;

/// Columns of equal length with names, on one device.
///
/// If the current resource belongs to a [`SpillManager`], the memory of new frames is spillable.
///
/// The [schema](Self::schema) holds the names, types, nullability and metadata of the columns. No two names are equal.
/// If a verb copies a column unchanged, the column keeps its nullability and metadata. A clone shares all memory.
///
/// The type corresponds to `DataFrame` in cuDF and polars, and to `RecordBatch` in arrow-rs.
///
/// ```
/// use gdf::Column;
/// use gdf::frame::Frame;
///
/// let frame = Frame::try_new([("id", Column::from_slice(&[1, 2])?), ("price", Column::from_slice(&[2.5, 4.0])?)])?;
/// assert_eq!(frame.num_rows(), 2);
/// assert_eq!(frame.column("price")?.get(1)?, Some(4.0));
/// let error = frame.column("prise").unwrap_err();
/// assert_eq!(error.to_string(), "no column has the name `prise`; a column has the similar name `price`");
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone)]
#[doc(alias("DataFrame", "RecordBatch"))]
pub struct Frame(pub(crate) Columns);

impl Frame {
    /// Makes a frame from columns and their names. The columns are nullable in the schema.
    ///
    /// # Errors
    /// * [`DuplicateName`](Error::DuplicateName): two columns have the same name.
    /// * [`LengthMismatch`](Error::LengthMismatch), [`DeviceMismatch`](Error::DeviceMismatch): the columns differ in
    ///   length or device.
    pub fn try_new<N: Into<String>>(columns: impl IntoIterator<Item = (N, Column)>) -> Result<Frame> {
        let (names, columns): (Vec<String>, Vec<Column>) =
            columns.into_iter().map(|(name, column)| (name.into(), column)).unzip();
        check_names(names.iter().map(String::as_str))?;
        let fields: Vec<Field> = names
            .into_iter()
            .zip(&columns)
            .map(|(name, column)| Field::new(name, column.data_type().clone(), true))
            .collect();
        Columns::trusted(Schema::new(fields).into(), Table::try_new(columns)?).watched().map(Frame)
    }

    /// Makes a frame from a table and a schema.
    ///
    /// # Errors
    /// * [`ColumnCount`](Error::ColumnCount), [`TypeMismatch`](Error::TypeMismatch): the schema does not describe the
    ///   table.
    /// * [`DuplicateName`](Error::DuplicateName): two fields have the same name.
    pub fn from_table(schema: impl Into<SchemaRef>, table: Table) -> Result<Frame> {
        Columns::try_new(schema.into(), table)?.watched().map(Frame)
    }

    /// Makes a frame on the current device from a record batch of arrow-rs. If the current device is the CPU, the frame
    /// shares memory with the batch. If it is a GPU, the data are copied.
    ///
    /// # Errors
    /// * [`DuplicateName`](Error::DuplicateName): two columns have the same name.
    /// * The errors of [`Table::from_batch`].
    pub fn from_arrow(batch: &RecordBatch) -> Result<Frame> {
        Frame::from_table(batch.schema(), Table::from_batch(batch)?)
    }

    /// Returns the frame as a record batch of arrow-rs. If the frame is on the CPU, the result shares memory with the
    /// frame. **Waits** for device memory.
    ///
    /// # Errors
    /// * The errors of [`Table::to_batch`].
    pub fn to_arrow(&self) -> Result<RecordBatch> {
        self.table().to_batch(self.schema())
    }

    /// Returns the names, types, nullability and metadata of the columns.
    pub fn schema(&self) -> &SchemaRef {
        self.0.schema()
    }

    /// Returns the columns without names.
    pub fn table(&self) -> &Table {
        self.0.table()
    }

    /// Returns the columns with access by position, name and selector.
    pub fn columns(&self) -> &Columns {
        &self.0
    }

    /// Returns the schema and the table.
    pub fn into_parts(self) -> (SchemaRef, Table) {
        self.0.into_parts()
    }

    /// Returns the names, in the order of the columns.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.names()
    }

    /// Returns the column with this name.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.0.column(name)
    }

    /// Returns the number of rows.
    #[doc(alias("len", "height"))]
    pub fn num_rows(&self) -> usize {
        self.table().num_rows()
    }

    /// Returns the number of columns.
    #[doc(alias("width"))]
    pub fn num_columns(&self) -> usize {
        self.table().num_columns()
    }

    /// Returns the device of the columns. A frame without columns is on the CPU.
    pub fn device(&self) -> Device {
        self.table().device().unwrap_or(Device::Cpu)
    }

    /// Copies the frame to a device, in memory of the scope. If the frame already is on the device, the result shares
    /// the memory of the frame.
    ///
    /// # Errors
    /// * Driver and memory errors.
    #[doc(alias("cuda", "cpu", "to_gpu"))]
    pub fn to_device(&self, device: Device) -> Result<Frame> {
        let table = self.table().to_device(device)?;
        Ok(Frame(Columns::trusted(self.schema().clone(), table)))
    }

    /// Makes the frame's memory spillable, and returns the frame; see [`SpillManager::watch`].
    #[must_use]
    pub fn spillable(self, manager: &SpillManager) -> Frame {
        self.table().watch(manager);
        self
    }

    /// Replaces the schema. The new schema must have the same names and types. Nullability and metadata may differ.
    ///
    /// # Errors
    /// * The errors of [`from_table`](Self::from_table).
    pub fn with_schema(self, schema: impl Into<SchemaRef>) -> Result<Frame> {
        let (_, table) = self.into_parts();
        Frame::from_table(schema, table)
    }
}

impl TryFrom<&RecordBatch> for Frame {
    type Error = Error;

    fn try_from(batch: &RecordBatch) -> Result<Frame> {
        Frame::from_arrow(batch)
    }
}

/// **Waits** for device memory; see [`Frame::to_arrow`].
impl TryFrom<&Frame> for RecordBatch {
    type Error = Error;

    fn try_from(frame: &Frame) -> Result<RecordBatch> {
        frame.to_arrow()
    }
}

impl From<Frame> for Table {
    fn from(frame: Frame) -> Table {
        frame.into_parts().1
    }
}

/// Formats the frame like a [`Table`], with the names as the header. **Waits** for device memory.
impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.table().display_with_schema(self.schema()), f)
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.schema().fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type()));
        f.debug_struct("Frame")
            .field("rows", &self.num_rows())
            .field("columns", &columns.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl From<Columns> for Frame {
    fn from(columns: Columns) -> Frame {
        Frame(columns)
    }
}
