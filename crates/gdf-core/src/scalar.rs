//! Scalars: columns of one row, which operations use for every row.

use arrow_schema::DataType;
use gdf_driver::{Device, Stream};
use gdf_memory::ResourceRef;

use crate::column::check_range;
use crate::fixed_factories::{one_row, with_counted_validity};
use crate::{
    Column, ColumnView, Error, NativeValue, PhysicalType, Result, StringsView, bitmask, is_string, physical_type,
    strings_from, validity_from,
};

/// One value, or null, of any type, on one device: a column of exactly one row.
#[derive(Clone)]
pub struct Scalar {
    column: Column,
}

impl Scalar {
    /// A value of any type that stores `T`: `i32` also for dates, `i128` for decimals, …; `None` is null.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: `data_type` does not store `T`.
    /// - Driver and memory errors.
    pub fn new<T: NativeValue>(
        value: Option<T>,
        data_type: &DataType,
        stream: &Stream,
        mr: ResourceRef<'_>,
    ) -> Result<Scalar> {
        let column = one_row(value.unwrap_or_default(), data_type, stream, mr)?;
        let validity = validity_from(std::iter::once(value.is_some()), stream, mr)?;
        Ok(Scalar { column: with_counted_validity(column, validity)? })
    }

    /// A value of the plainest type that stores `T`.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn from_value<T: NativeValue>(value: T, stream: &Stream, mr: ResourceRef<'_>) -> Result<Scalar> {
        Self::new(Some(value), &T::DATA_TYPE, stream, mr)
    }

    /// Text of type `Utf8`; `None` is null.
    ///
    /// # Errors
    /// - [`Error::OffsetOverflow`]: more than 2³¹−1 bytes.
    /// - Driver and memory errors.
    pub fn string(value: Option<&str>, stream: &Stream, mr: ResourceRef<'_>) -> Result<Scalar> {
        Ok(Scalar { column: strings_from(&[value], stream, mr)? })
    }

    /// A null of any type.
    ///
    /// # Errors
    /// - As [`Column::full_null`].
    pub fn null(data_type: &DataType, stream: &Stream, mr: ResourceRef<'_>) -> Result<Scalar> {
        Ok(Scalar { column: Column::full_null(data_type, 1, stream, mr)? })
    }

    /// The only row of a column.
    ///
    /// # Errors
    /// - [`Error::LengthMismatch`]: not exactly one row.
    pub fn from_column(column: Column) -> Result<Scalar> {
        if column.len() != 1 {
            return Err(Error::length_mismatch(1, column.len()));
        }
        Ok(Scalar { column })
    }

    /// The logical type.
    pub fn data_type(&self) -> &DataType {
        self.column.data_type()
    }

    /// Where the value is.
    pub fn device(&self) -> Device {
        self.column.device()
    }

    /// The column of one row.
    pub fn column(&self) -> &Column {
        &self.column
    }

    /// The column of one row.
    pub fn into_column(self) -> Column {
        self.column
    }

    /// A view of the one row.
    pub fn view(&self) -> ColumnView<'_> {
        self.column.view()
    }

    /// Whether the value is not null. **Waits** for device memory, unless there is no validity or its count is known.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn is_valid(&self, stream: &Stream) -> Result<bool> {
        if let Some(count) = self.view().known_null_count() {
            return Ok(count == 0);
        }
        let Some(validity) = self.column.validity() else { return Ok(true) };
        let bit = self.column.offset();
        let byte = validity.slice(bit / 8, 1)?.to_host(stream)?;
        Ok(bitmask::get_bit(&byte, bit % 8))
    }

    /// The value, unless it is null. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the type does not store `T`.
    /// - Driver and memory errors.
    pub fn value<T: NativeValue>(&self, stream: &Stream) -> Result<Option<T>> {
        if physical_type(self.data_type()) != T::PHYSICAL {
            return Err(Error::type_mismatch(&T::DATA_TYPE, self.data_type()));
        }
        if !self.is_valid(stream)? {
            return Ok(None);
        }
        let (row, width) = (self.column.offset(), size_of::<T::Stored>());
        let first = if T::PHYSICAL == PhysicalType::Bool { row / 8 } else { row * width };
        let bytes = self.view().buffer(0)?.slice(first, width)?.to_host(stream)?;
        Ok(Some(T::load(bytemuck::pod_read_unaligned(&bytes), row % 8)))
    }

    /// The text, unless it is null. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the type is not one of the three string types.
    /// - [`Error::InvalidData`]: the text is not UTF-8.
    /// - Driver and memory errors.
    pub fn string_value(&self, stream: &Stream) -> Result<Option<String>> {
        if !is_string(self.data_type()) {
            return Err(Error::type_mismatch("a string type", self.data_type()));
        }
        if stream.device() != self.device() {
            return Err(Error::device_mismatch(self.device(), stream.device()));
        }
        if !self.is_valid(stream)? {
            return Ok(None);
        }
        let bytes = match StringsView::try_from(self.view()) {
            Ok(text) => {
                let (start, end) = text.chars_range(stream)?;
                text.chars().slice(start, end - start)?.to_host(stream)?
            }
            Err(_) => self.viewed(stream)?,
        };
        let text = String::from_utf8(bytes).map_err(|_| Error::invalid_data("text is not UTF-8"))?;
        Ok(Some(text))
    }

    /// The bytes that the one view stands for.
    fn viewed(&self, stream: &Stream) -> Result<Vec<u8>> {
        let view = self.view().buffer(0)?.slice(self.column.offset() * 16, 16)?.to_host(stream)?;
        let invalid = Error::invalid_data("a view outside of its buffer");
        let ([size, _, buffer, start], []) = view.as_chunks::<4>() else { return Err(invalid) };
        let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes) as usize;
        let size = word(size);
        if let Some(text) = view[4..].get(..size) {
            return Ok(text.to_vec());
        }
        let (buffer, start) = (self.column.buffers().get(1 + word(buffer)), word(start));
        match buffer {
            Some(buffer) if check_range(start, size, buffer.len()).is_ok() => {
                Ok(buffer.slice(start, size)?.to_host(stream)?)
            }
            _ => Err(invalid),
        }
    }

    /// A copy that shares nothing, in memory of `mr` on the same device.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn deep_copy(&self, stream: &Stream, mr: ResourceRef<'_>) -> Result<Scalar> {
        Ok(Scalar { column: self.column.deep_copy(stream, mr)? })
    }
}

impl TryFrom<Column> for Scalar {
    type Error = Error;

    fn try_from(column: Column) -> Result<Self> {
        Scalar::from_column(column)
    }
}

/// An input that is a column, or one value that stands for every row.
#[derive(Clone, Copy)]
pub enum Operand<'a> {
    /// A value per row.
    Column(ColumnView<'a>),
    /// One value for all rows.
    Scalar(&'a Scalar),
}

impl<'a> Operand<'a> {
    /// The logical type.
    pub fn data_type(self) -> &'a DataType {
        match self {
            Operand::Column(view) => view.data_type(),
            Operand::Scalar(scalar) => scalar.data_type(),
        }
    }

    /// Where the values are.
    pub fn device(self) -> Device {
        self.view().device()
    }

    /// The rows, or the one row of a scalar.
    pub fn view(self) -> ColumnView<'a> {
        match self {
            Operand::Column(view) => view,
            Operand::Scalar(scalar) => scalar.view(),
        }
    }

    /// Whether one value stands for all rows.
    pub fn is_scalar(self) -> bool {
        matches!(self, Operand::Scalar(_))
    }

    /// Number of rows, which a scalar does not have.
    pub fn len(self) -> Option<usize> {
        match self {
            Operand::Column(view) => Some(view.len()),
            Operand::Scalar(_) => None,
        }
    }

    /// Whether this is a column without rows.
    pub fn is_empty(self) -> bool {
        self.len() == Some(0)
    }

    /// Whether rows may be null.
    pub fn has_validity(self) -> bool {
        self.view().has_validity()
    }
}

impl<'a> From<&'a Column> for Operand<'a> {
    fn from(column: &'a Column) -> Self {
        Operand::Column(column.view())
    }
}

impl<'a> From<ColumnView<'a>> for Operand<'a> {
    fn from(view: ColumnView<'a>) -> Self {
        Operand::Column(view)
    }
}

impl<'a> From<&'a Scalar> for Operand<'a> {
    fn from(scalar: &'a Scalar) -> Self {
        Operand::Scalar(scalar)
    }
}

#[cfg(all(test, feature = "arrow-rs"))]
#[path = "scalar_tests.rs"]
mod tests;
