//! Columns of fixed width and booleans from values on the CPU.

use arrow_schema::DataType;
use gdf_driver::Stream;
use gdf_memory::ResourceRef;

use crate::host_vec::host_vec;
use crate::scope::here;
use crate::types::native::expect_physical;
use crate::{Column, ColumnParts, Literal, NativeType, NativeValue, Result, Validity};

impl Column {
    /// Makes a column without nulls, of the plain type that stores `T`. For example, `i32` values become an `Int32`
    /// column, and `bool` values become a `Boolean` column.
    ///
    /// The column is made on the [current device](crate::scope::current_device), which is the CPU unless a scope names
    /// another device. The caller can change or drop the slice when the call returns.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, DataType};
    ///
    /// let prices = Column::from_slice(&[2.5, 4.0, 10.0])?;
    /// assert_eq!((prices.data_type(), prices.len()), (&DataType::Float64, 3));
    /// let flags = Column::from_slice(&[true, false])?;
    /// assert_eq!(flags.data_type(), &DataType::Boolean);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - Driver and memory errors.
    #[doc(alias("fixed_width_from_slice", "Series", "array"))]
    pub fn from_slice<T: NativeValue>(values: &[T]) -> Result<Column> {
        here(|ctx| Self::from_slice_on(values, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::from_slice`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn from_slice_on<'r, T: NativeValue>(
        values: &[T],
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        Self::from_slice_typed_on(values, &T::DATA_TYPE, stream, mr)
    }

    /// Makes a column without nulls, of any type that stores `T`. Dates and times store `i32` or `i64`. Decimals store
    /// `i32`, `i64`, `i128` or [`I256`](crate::I256).
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, DataType};
    ///
    /// let days = Column::from_slice_typed(&[0, 19_000], &DataType::Date32)?;
    /// let prices = Column::from_slice_typed(&[199_i64, 250], &DataType::Decimal64(9, 2))?; // 1.99, 2.50
    /// assert!(Column::from_slice_typed(&[1_i32], &DataType::Int64).is_err());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`TypeMismatch`](crate::Error::TypeMismatch): `data_type` does not store `T`.
    /// - Driver and memory errors.
    pub fn from_slice_typed<T: NativeValue>(values: &[T], data_type: &DataType) -> Result<Column> {
        here(|ctx| Self::from_slice_typed_on(values, data_type, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::from_slice_typed`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::from_slice_typed`].
    pub fn from_slice_typed_on<'r, T: NativeValue>(
        values: &[T],
        data_type: &DataType,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        expect_physical(T::PHYSICAL, data_type, T::TYPE_NAME)?;
        let buffer = T::upload(values, stream, mr.into())?;
        Column::assemble(ColumnParts::new(data_type.clone(), stream.device(), values.len()).buffer(buffer), true)
    }

    /// Makes a column of the plain type that stores `T`. For example, `i32` values become an `Int32` column. `None`
    /// becomes a null. If no value is `None`, the column has no validity mask.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::Column;
    ///
    /// let ages = Column::from_options(&[Some(31), None, Some(7)])?;
    /// assert_eq!(ages.null_count()?, 1);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn from_options<T: NativeValue>(values: &[Option<T>]) -> Result<Column> {
        here(|ctx| Self::from_options_on(values, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::from_options`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn from_options_on<'r, T: NativeValue>(
        values: &[Option<T>],
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        Self::from_options_typed_on(values, &T::DATA_TYPE, stream, mr)
    }

    /// Makes a column of type `data_type`, which must store `T`. In all other respects the function does the same as
    /// [`Column::from_options`].
    ///
    /// # Errors
    /// - The errors of [`Column::from_slice_typed`].
    pub fn from_options_typed<T: NativeValue>(values: &[Option<T>], data_type: &DataType) -> Result<Column> {
        here(|ctx| Self::from_options_typed_on(values, data_type, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::from_options_typed`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::from_slice_typed`].
    pub fn from_options_typed_on<'r, T: NativeValue>(
        values: &[Option<T>],
        data_type: &DataType,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        let mr = mr.into();
        let plain = host_vec(values.iter().map(|value| value.unwrap_or_default()))?;
        let column = Self::from_slice_typed_on(&plain, data_type, stream, mr)?;
        with_counted_validity(column, Validity::from_bools_on(values.iter().map(Option::is_some), stream, mr)?)
    }

    /// Makes a column of the `len` numbers `start`, `start + step`, `start + 2 * step`, … Integers wrap around on
    /// overflow. The column is built on the CPU. If the [current device](crate::scope::current_device) is a GPU, the
    /// column is then copied to the GPU.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::Column;
    ///
    /// assert_eq!(Column::sequence(10, -2, 3)?.to_vec::<i32>()?, [Some(10), Some(8), Some(6)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - Driver and memory errors.
    #[doc(alias("arange", "iota", "range"))]
    pub fn sequence<T: Steps>(start: T, step: T, len: usize) -> Result<Column> {
        here(|ctx| Self::sequence_on(start, step, len, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::sequence`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn sequence_on<'r, T: Steps>(
        start: T,
        step: T,
        len: usize,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        Self::from_slice_on(&host_vec((0..len).map(|row| T::after(start, step, row)))?, stream, mr)
    }

    /// Makes a column of `len` rows of the same value. The column has the type of the value; see [`Literal`]. The
    /// column is built on the CPU. If the [current device](crate::scope::current_device) is a GPU, the column is then
    /// copied to the GPU.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::Column;
    ///
    /// assert_eq!(Column::full(1.5, 2)?.to_vec::<f64>()?, [Some(1.5), Some(1.5)]);
    /// assert_eq!(Column::full("x", 2)?.to_strings()?, [Some("x".to_owned()), Some("x".to_owned())]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`OffsetOverflow`](crate::Error::OffsetOverflow): the texts of all rows have more than 2³¹−1 bytes
    ///   together.
    /// - Driver and memory errors.
    #[doc(alias("repeat", "fill"))]
    pub fn full<'v>(value: impl Into<Literal<'v>>, len: usize) -> Result<Column> {
        here(|ctx| Self::full_on(value, len, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::full`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::full`].
    pub fn full_on<'v, 'r>(
        value: impl Into<Literal<'v>>,
        len: usize,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        value.into().repeated(len, stream, mr.into())
    }
}

#[allow(unnameable_types, reason = "sealing is the point")]
mod sealed {
    pub trait Sealed {}
}

/// Types of numbers of which [`Column::sequence`] can make a sequence: integers of up to 64 bits, `f32` and `f64`.
pub trait Steps: NativeType + sealed::Sealed {
    /// Returns `start + row * step`.
    #[doc(hidden)]
    fn after(start: Self, step: Self, row: usize) -> Self;
}

macro_rules! steps {
    ($($native:ty)*; $($float:ty)*) => {
        $(
            impl sealed::Sealed for $native {}
            impl Steps for $native {
                fn after(start: Self, step: Self, row: usize) -> Self {
                    start.wrapping_add(step.wrapping_mul(row as $native))
                }
            }
        )*
        $(
            impl sealed::Sealed for $float {}
            impl Steps for $float {
                fn after(start: Self, step: Self, row: usize) -> Self {
                    start + step * row as $float
                }
            }
        )*
    };
}

steps!(i8 i16 i32 i64 u8 u16 u32 u64; f32 f64);

pub(crate) fn with_counted_validity(column: Column, validity: Option<Validity>) -> Result<Column> {
    let Some(Validity { mask, null_count }) = validity else { return Ok(column) };
    Column::assemble(column.into_parts().validity(Some(mask), null_count), true)
}
