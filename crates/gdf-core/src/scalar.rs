//! Scalars: columns of one row. An operation applies the value of a scalar to every row.

use arrow_schema::DataType;
use gdf_driver::{Device, Stream};
use gdf_memory::ResourceRef;

use crate::scope::{self, here};
use crate::{Column, ColumnValue, ColumnView, Error, Literal, NativeValue, Result, bitmask};

/// A single value of any type on one device, which may be null. A scalar wraps a column of exactly one row.
#[derive(Clone)]
pub struct Scalar {
    column: Column,
}

impl Scalar {
    /// Makes a scalar on the [current device](crate::scope::current_device). `value` is a number, boolean, text or
    /// date, or an `Option` of such a value. `None` becomes a null. `value` can also be a [`Literal`], which supports
    /// further types.
    ///
    /// Operations accept literals directly, so most values need no scalar. Use a scalar for a value that is used often.
    /// The single results of operations are scalars, too.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{DataType, Literal, Scalar};
    ///
    /// let limit = Scalar::new(2.5)?;
    /// assert_eq!((limit.data_type(), limit.value::<f64>()?), (&DataType::Float64, Some(2.5)));
    /// assert_eq!(Scalar::new("Oslo")?.value::<String>()?.as_deref(), Some("Oslo"));
    /// assert!(!Scalar::new(None::<i64>)?.is_valid()?);
    /// let price = Scalar::new(Literal::typed(Some(199_i64), &DataType::Decimal64(9, 2))?)?;
    /// assert_eq!(price.to_string(), "1.99");
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::OffsetOverflow`]: the text has more than 2³¹−1 bytes.
    /// - Driver and memory errors.
    #[doc(alias("from_value", "lit"))]
    pub fn new<'v>(value: impl Into<Literal<'v>>) -> Result<Scalar> {
        here(|ctx| Self::new_on(value, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Scalar::new`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Scalar::new`].
    pub fn new_on<'v, 'r>(
        value: impl Into<Literal<'v>>,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Scalar> {
        Self::from_column(value.into().to_column(stream, mr.into())?)
    }

    /// Makes a scalar of any type that stores `T`, on the device of `stream`, in memory of `mr`. For example, dates
    /// store `i32`, and decimals store `i128`. `None` becomes a null.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: `data_type` does not store `T`.
    /// - Driver and memory errors.
    pub fn typed_on<'r, T: NativeValue>(
        value: Option<T>,
        data_type: &DataType,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Scalar> {
        Self::new_on(Literal::typed(value, data_type)?, stream, mr)
    }

    /// Makes a null of any type, on the [current device](crate::scope::current_device).
    ///
    /// # Errors
    /// - The errors of [`Column::nulls`].
    pub fn null(data_type: &DataType) -> Result<Scalar> {
        Self::new(Literal::null(data_type))
    }

    /// Does the work of [`Scalar::null`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::nulls`].
    pub fn null_on<'r>(data_type: &DataType, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Scalar> {
        Self::new_on(Literal::null(data_type), stream, mr)
    }

    /// Makes a scalar of a column that has exactly one row.
    ///
    /// # Errors
    /// - [`Error::LengthMismatch`]: the column does not have exactly one row.
    pub fn from_column(column: Column) -> Result<Scalar> {
        if column.len() != 1 {
            return Err(Error::length_mismatch(1, column.len()));
        }
        Ok(Scalar { column })
    }

    /// Returns the logical type.
    pub fn data_type(&self) -> &DataType {
        self.column.data_type()
    }

    /// Returns the device of the value.
    pub fn device(&self) -> Device {
        self.column.device()
    }

    /// Returns the column of one row.
    pub fn column(&self) -> &Column {
        &self.column
    }

    /// Returns the column of one row.
    pub fn into_column(self) -> Column {
        self.column
    }

    /// Returns a view of the one row.
    pub fn view(&self) -> ColumnView<'_> {
        self.column.view()
    }

    /// Returns whether the value is not null. **Waits** for device memory, unless there is no validity mask or the
    /// null count is known.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn is_valid(&self) -> Result<bool> {
        scope::run_on(self.device(), |ctx| self.is_valid_on(ctx.stream))
    }

    /// Does the work of [`Scalar::is_valid`] on `stream`.
    ///
    /// # Errors
    /// - The errors of [`Scalar::is_valid`].
    pub fn is_valid_on(&self, stream: &Stream) -> Result<bool> {
        if let Some(count) = self.view().known_null_count() {
            return Ok(count == 0);
        }
        let Some(validity) = self.column.validity() else { return Ok(true) };
        let bit = self.column.offset();
        let byte = validity.slice(bit / 8, 1)?.to_host(stream)?;
        Ok(bitmask::get_bit(&byte, bit % 8))
    }

    /// Returns the value, or `None` for null. The type `T` is a number, `bool`, `String` or a date type (see
    /// [`ColumnValue`]). **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the scalar does not store a value of `T`.
    /// - [`Error::InvalidData`]: the text is not UTF-8, or `T` cannot represent a date or time.
    /// - Driver and memory errors.
    pub fn value<T: ColumnValue>(&self) -> Result<Option<T>> {
        scope::run_on(self.device(), |ctx| self.value_on(ctx.stream))
    }

    /// Does the work of [`Scalar::value`] on `stream`.
    ///
    /// # Errors
    /// - The errors of [`Scalar::value`].
    /// - [`Error::DeviceMismatch`]: `stream` belongs to a different device than the scalar.
    pub fn value_on<T: ColumnValue>(&self, stream: &Stream) -> Result<Option<T>> {
        T::expect(self.data_type())?;
        if stream.device() != self.device() {
            return Err(Error::device_mismatch(self.device(), stream.device()));
        }
        Ok(T::read(self.view(), stream)?.pop().flatten())
    }

    /// Returns a copy that shares no buffers, in memory of `mr` on the same device.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn deep_copy<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Scalar> {
        Ok(Scalar { column: self.column.deep_copy(stream, mr)? })
    }
}

impl Literal<'_> {
    /// Converts the literal to a scalar on the device of `stream`, for use as an operand of an operation. On the CPU,
    /// the operation reads the literal in place, and only a null takes memory from `mr`. On a GPU, the literal is
    /// copied through pinned memory to memory of `mr`, without a wait.
    ///
    /// # Errors
    /// - [`Error::OffsetOverflow`]: the text has more than 2³¹−1 bytes.
    /// - Driver and memory errors.
    #[doc(hidden)]
    pub fn to_operand_scalar(self, stream: &Stream, mr: ResourceRef<'_>) -> Result<Scalar> {
        if !stream.device().is_cpu() || self.is_null() {
            return Scalar::new_on(self, stream, mr);
        }
        Scalar::from_column(self.host_column()?)
    }
}

impl<'v> TryFrom<Literal<'v>> for Scalar {
    type Error = Error;

    /// Does the same as [`Scalar::new`].
    fn try_from(literal: Literal<'v>) -> Result<Self> {
        Scalar::new(literal)
    }
}

impl TryFrom<Column> for Scalar {
    type Error = Error;

    fn try_from(column: Column) -> Result<Self> {
        Scalar::from_column(column)
    }
}

#[cfg(all(test, feature = "arrow-rs"))]
#[path = "scalar_tests.rs"]
mod tests;
