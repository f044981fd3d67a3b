//! Columns of text, lists and structs, from values on the CPU and from other columns.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_schema::DataType;
use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};

use super::fixed_width::with_counted_validity;
use crate::host_vec::{out_of_memory, reserved};
use crate::scope::here;
use crate::{Column, ColumnParts, Error, Position, Result, Validity, physical_type};

impl Column {
    /// Makes a `Utf8` column of text values from the CPU.
    ///
    /// `values` is a slice, vector or iterator of `&str` or `String`, or of `Option`s of these types. `None` becomes a
    /// null. The column is made on the [current device](crate::scope::current_device).
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::Column;
    ///
    /// let cities = Column::from_strs(["Oslo", "Łódź"])?;
    /// assert_eq!((cities.len(), cities.null_count()?), (2, 0));
    /// let known: Vec<Option<String>> = vec![Some("Oslo".to_owned()), None];
    /// assert_eq!(Column::from_strs(&known)?.to_strings()?, known);
    /// let numbered = Column::from_strs((1..=3).map(|n| format!("row {n}")))?;
    /// assert_eq!(numbered.get::<String>(2)?.as_deref(), Some("row 3"));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::OffsetOverflow`]: the text has more than 2³¹−1 bytes; [`Column::from_strs_typed`] can also build
    ///   `LargeUtf8`.
    /// - Driver and memory errors.
    #[doc(alias("strings_from", "StringArray"))]
    pub fn from_strs<I: IntoIterator<Item: OptionalStr>>(values: I) -> Result<Column> {
        here(|ctx| Self::from_strs_on(values, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::from_strs`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::from_strs`].
    pub fn from_strs_on<'r, I: IntoIterator<Item: OptionalStr>>(
        values: I,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        Self::from_strs_typed_on(values, &DataType::Utf8, stream, mr)
    }

    /// Makes a `Utf8` or `LargeUtf8` column. In all other respects the function does the same as [`Column::from_strs`].
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: `data_type` is neither `Utf8` nor `LargeUtf8`.
    /// - [`Error::OffsetOverflow`]: the text has more bytes than 32-bit offsets can count.
    /// - Driver and memory errors.
    pub fn from_strs_typed<I: IntoIterator<Item: OptionalStr>>(values: I, data_type: &DataType) -> Result<Column> {
        here(|ctx| Self::from_strs_typed_on(values, data_type, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::from_strs_typed`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::from_strs_typed`].
    pub fn from_strs_typed_on<'r, I: IntoIterator<Item: OptionalStr>>(
        values: I,
        data_type: &DataType,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        if !matches!(data_type, DataType::Utf8 | DataType::LargeUtf8) {
            return Err(Error::type_mismatch("Utf8 or LargeUtf8", data_type));
        }
        let mut values = values.into_iter();
        let mut rows = VariableWidth::with_capacity(data_type, values.size_hint().0)?;
        values.try_for_each(|value| rows.push(value.as_optional_str().map(str::as_bytes)))?;
        rows.finish(stream, mr.into())
    }

    /// Makes a `Binary` column on the [current device](crate::scope::current_device). `None` becomes a null.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::Column;
    ///
    /// let keys = Column::from_binary(&[Some(b"\x00\xff".as_slice()), None])?;
    /// assert_eq!(keys.null_count()?, 1);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::OffsetOverflow`]: the values have more than 2³¹−1 bytes; [`Column::from_binary_typed_on`] can
    ///   also build `LargeBinary`.
    /// - Driver and memory errors.
    pub fn from_binary<B: AsRef<[u8]>>(values: &[Option<B>]) -> Result<Column> {
        here(|ctx| Self::from_binary_typed_on(values, &DataType::Binary, ctx.stream, ctx.mr.output))
    }

    /// Makes a `Binary` or `LargeBinary` column on the device of `stream`, in memory of `mr`. `None` becomes a null.
    ///
    /// # Errors
    /// - The errors of [`Column::from_strs_typed`].
    pub fn from_binary_typed_on<'r, B: AsRef<[u8]>>(
        values: &[Option<B>],
        data_type: &DataType,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        if !matches!(data_type, DataType::Binary | DataType::LargeBinary) {
            return Err(Error::type_mismatch("Binary or LargeBinary", data_type));
        }
        let mut rows = VariableWidth::with_capacity(data_type, values.len())?;
        values.iter().try_for_each(|value| rows.push(value.as_ref().map(AsRef::as_ref)))?;
        rows.finish(stream, mr.into())
    }
}

/// A text value. [`Column::from_strs`] takes such values, and `Option`s of them.
pub trait Str {
    /// Returns the text.
    fn as_text(&self) -> &str;
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl Str for $text {
            fn as_text(&self) -> &str {
                self
            }
        }
    )*};
}

texts!(str, String, Box<str>, Arc<str>, Cow<'_, str>);

impl<S: Str + ?Sized> Str for &S {
    fn as_text(&self) -> &str {
        (**self).as_text()
    }
}

/// A text value or a null: an item that [`Column::from_strs`] takes.
pub trait OptionalStr {
    /// Returns the text, or `None` for a null.
    fn as_optional_str(&self) -> Option<&str>;
}

impl<S: Str> OptionalStr for S {
    fn as_optional_str(&self) -> Option<&str> {
        Some(self.as_text())
    }
}

impl<S: Str> OptionalStr for Option<S> {
    fn as_optional_str(&self) -> Option<&str> {
        self.as_ref().map(Str::as_text)
    }
}

impl<S: Str> OptionalStr for &Option<S> {
    fn as_optional_str(&self) -> Option<&str> {
        (*self).as_optional_str()
    }
}

struct VariableWidth<'t> {
    data_type: &'t DataType,
    bytes: Vec<u8>,
    ends: Vec<i64>,
    valid: Vec<bool>,
}

impl<'t> VariableWidth<'t> {
    /// Makes an empty builder with capacity for `rows` rows.
    fn with_capacity(data_type: &'t DataType, rows: usize) -> Result<Self> {
        Ok(VariableWidth { data_type, bytes: Vec::new(), ends: reserved(rows)?, valid: reserved(rows)? })
    }

    fn is_large(&self) -> bool {
        physical_type(self.data_type).is_large()
    }

    fn push(&mut self, value: Option<&[u8]>) -> Result<()> {
        let bytes = value.unwrap_or_default();
        let needed = self.bytes.len() + bytes.len();
        if !self.is_large() && needed > i32::MAX as usize {
            return Err(Error::offset_overflow(needed as u64));
        }
        let out_of_memory = |_| out_of_memory(needed);
        self.bytes.try_reserve(bytes.len()).map_err(out_of_memory)?;
        self.ends.try_reserve(1).map_err(out_of_memory)?;
        self.valid.try_reserve(1).map_err(out_of_memory)?;
        self.bytes.extend_from_slice(bytes);
        self.ends.push(needed as i64);
        self.valid.push(value.is_some());
        Ok(())
    }

    fn finish(self, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
        let len = self.ends.len();
        let offsets = std::iter::once(0).chain(self.ends.iter().copied());
        let offsets = if self.is_large() {
            let mut wide = reserved::<i64>(len + 1)?;
            wide.extend(offsets);
            Buffer::from_host(bytemuck::cast_slice(&wide), stream, mr)?
        } else {
            let mut narrow = reserved::<i32>(len + 1)?;
            narrow.extend(offsets.map(|offset| offset as i32));
            Buffer::from_host(bytemuck::cast_slice(&narrow), stream, mr)?
        };
        let bytes = Buffer::from_host(&self.bytes, stream, mr)?;
        let parts = ColumnParts::new(self.data_type.clone(), stream.device(), len).buffer(offsets).buffer(bytes);
        let validity = Validity::from_bools_on(self.valid.iter().copied(), stream, mr)?;
        with_counted_validity(Column::assemble(parts, true)?, validity)
    }
}

/// Makes a text column from offsets, a character buffer and a validity mask.
///
/// `offsets` is a column without nulls. If `offsets` has the type `Int32`, the result has the type `Utf8`. If `offsets`
/// has the type `Int64`, the result has the type `LargeUtf8`. The function does not read the data, so the result is not
/// [validated](Column::validated). If `validity` is given, the result counts as unsanitized.
///
/// # Errors
/// - [`Error::TypeMismatch`], [`Error::InvalidArgument`]: `offsets` has another type, is empty or has a validity mask.
/// - The errors of [`Column::try_from_parts`].
pub fn make_strings_column(offsets: &Column, chars: Buffer, validity: Option<Validity>) -> Result<Column> {
    let (buffer, large, len) = offsets_of(offsets)?;
    let data_type = if large { DataType::LargeUtf8 } else { DataType::Utf8 };
    let parts = ColumnParts::new(data_type, offsets.device(), len).buffer(buffer).buffer(chars);
    Column::try_from_parts(with_validity(parts, validity))
}

/// Makes a list column from offsets, a child column and a validity mask.
///
/// `offsets` is a column without nulls. If `offsets` has the type `Int32`, the result has the type `List`. If `offsets`
/// has the type `Int64`, the result has the type `LargeList`. `offsets` has one more row than the result. The field is
/// called `item` and is nullable; [`Column::with_type`] can change its name and nullability. The function does not read
/// the data, so the result is not [validated](Column::validated).
///
/// ```text
/// offsets [0, 2, 2, 3], child [a, b, c]   →   [[a, b], [], [c]]
/// ```
///
/// # Errors
/// - [`Error::TypeMismatch`], [`Error::InvalidArgument`]: `offsets` has another type, is empty or has a validity
///   mask.
/// - The errors of [`Column::try_from_parts`].
pub fn make_lists_column(offsets: &Column, child: Column, validity: Option<Validity>) -> Result<Column> {
    let (buffer, large, len) = offsets_of(offsets)?;
    Column::try_from_parts(with_validity(ColumnParts::lists(len, buffer, large, child, true), validity))
}

/// Makes a struct column from columns of the same length.
///
/// The fields are called `0`, `1`, … and are nullable. [`Column::with_type`] can change the names and the nullability
/// of the fields. In rows that `validity` makes null, the children keep their values. [`Column::sanitized`] of the
/// result takes this into account.
///
/// # Errors
/// - [`Error::InvalidArgument`]: there are no children, so the number of rows is unknown.
/// - [`Error::LengthMismatch`], [`Error::DeviceMismatch`]: the children differ in length or device.
/// - The errors of [`Column::try_from_parts`].
pub fn make_structs_column(children: Vec<Column>, validity: Option<Validity>) -> Result<Column> {
    let Some(first) = children.first() else {
        return Err(Error::invalid_argument("the list of children is empty; pass at least 1 child"));
    };
    let (device, len) = (first.device(), first.len());
    if let Some((i, other)) = children.iter().enumerate().find(|(_, child)| child.len() != len) {
        return Err(Error::length_mismatch(len, other.len()).at(Position::Child(i)));
    }
    let fields = children.into_iter().enumerate().map(|(i, child)| (i.to_string(), child));
    let parts = ColumnParts::structs(device, len, fields);
    Column::try_from_parts(with_validity(parts, validity))
}

fn with_validity(parts: ColumnParts, validity: Option<Validity>) -> ColumnParts {
    match validity {
        Some(Validity { mask, null_count }) => parts.validity(Some(mask), null_count),
        None => parts,
    }
}

/// Returns three results: the part of the buffer that begins with the column's first offset, whether the offsets have
/// 64 bits, and the number of rows that the offsets describe.
fn offsets_of(offsets: &Column) -> Result<(Buffer, bool, usize)> {
    let large = match offsets.data_type() {
        DataType::Int32 => false,
        DataType::Int64 => true,
        other => return Err(Error::type_mismatch("Int32 or Int64 offsets", other)),
    };
    if offsets.has_validity() {
        return Err(Error::invalid_argument("the offsets have a validity mask; pass offsets without a mask"));
    }
    let len = offsets
        .len()
        .checked_sub(1)
        .ok_or_else(|| Error::invalid_argument("the offsets are empty; pass at least 1 offset"))?;
    let width = if large { 8 } else { 4 };
    let buffer = offsets.buffers()[0].slice(offsets.offset() * width, offsets.len() * width)?;
    Ok((buffer, large, len))
}

#[cfg(all(test, feature = "arrow-rs"))]
#[path = "factories_tests.rs"]
mod tests;
