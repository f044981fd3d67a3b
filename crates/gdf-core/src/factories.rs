//! Columns of text, lists and structs, from values on the CPU and from other columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};

use crate::fixed_factories::{reserved, with_counted_validity};
use crate::{Column, ColumnParts, Error, NullCount, Position, Result, validity_from};

/// A validity mask that starts at bit 0, and what is known of its zeros.
#[derive(Clone, Debug)]
pub struct Validity {
    /// One bit per row, set where the row is valid.
    pub mask: Buffer,
    /// The number of its zeros. A claim until it is counted: columns that are made of it are unvalidated, unless it is
    /// [`NullCount::Unknown`].
    pub null_count: NullCount,
}

/// A `Utf8` column; `None` is null.
///
/// # Errors
/// - [`Error::OffsetOverflow`]: the text has more than 2³¹−1 bytes; [`strings_from_typed`] builds `LargeUtf8` too.
/// - Driver and memory errors.
pub fn strings_from<S: AsRef<str>>(values: &[Option<S>], stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    strings_from_typed(values, &DataType::Utf8, stream, mr)
}

/// A `Utf8` or `LargeUtf8` column; `None` is null.
///
/// # Errors
/// - [`Error::TypeMismatch`]: another type.
/// - [`Error::OffsetOverflow`]: the text has more bytes than 32-bit offsets can say.
/// - Driver and memory errors.
pub fn strings_from_typed<S: AsRef<str>>(
    values: &[Option<S>],
    data_type: &DataType,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    if !matches!(data_type, DataType::Utf8 | DataType::LargeUtf8) {
        return Err(Error::type_mismatch("Utf8 or LargeUtf8", data_type));
    }
    let total = values.iter().flatten().map(|text| text.as_ref().len()).sum::<usize>();
    let pieces = values.iter().map(|value| value.as_ref().map(|text| text.as_ref().as_bytes()));
    variable_width(pieces, total, data_type, stream, mr)
}

/// A `Binary` or `LargeBinary` column; `None` is null.
///
/// # Errors
/// - As [`strings_from_typed`].
pub fn binary_from<B: AsRef<[u8]>>(
    values: &[Option<B>],
    data_type: &DataType,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    if !matches!(data_type, DataType::Binary | DataType::LargeBinary) {
        return Err(Error::type_mismatch("Binary or LargeBinary", data_type));
    }
    let total = values.iter().flatten().map(|bytes| bytes.as_ref().len()).sum::<usize>();
    variable_width(values.iter().map(|value| value.as_ref().map(AsRef::as_ref)), total, data_type, stream, mr)
}

fn variable_width<'v>(
    values: impl ExactSizeIterator<Item = Option<&'v [u8]>> + Clone,
    total: usize,
    data_type: &DataType,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    let large = matches!(data_type, DataType::LargeUtf8 | DataType::LargeBinary);
    if !large && total > i32::MAX as usize {
        return Err(Error::offset_overflow(total as u64));
    }
    let len = values.len();
    let mut chars = reserved::<u8>(total)?;
    let mut offsets = reserved::<i64>(len + 1)?;
    offsets.push(0);
    for value in values.clone() {
        chars.extend_from_slice(value.unwrap_or_default());
        offsets.push(chars.len() as i64);
    }
    if !large && chars.len() > i32::MAX as usize {
        // `AsRef` may give another text the second time
        return Err(Error::offset_overflow(chars.len() as u64));
    }
    let offsets = if large {
        Buffer::from_host(bytemuck::cast_slice(&offsets), stream, mr)?
    } else {
        let mut narrow = reserved::<i32>(len + 1)?;
        narrow.extend(offsets.iter().map(|offset| *offset as i32));
        Buffer::from_host(bytemuck::cast_slice(&narrow), stream, mr)?
    };
    let chars = Buffer::from_host(&chars, stream, mr)?;
    let parts = ColumnParts::new(data_type.clone(), stream.device(), len).buffer(offsets).buffer(chars);
    with_counted_validity(
        Column::assemble(parts, true)?,
        validity_from(values.map(|value| value.is_some()), stream, mr)?,
    )
}

/// Text out of its parts: `offsets` is an `Int32` or `Int64` column without nulls that decides between `Utf8` and `LargeUtf8`.
/// Nothing is looked at: the column is unvalidated, and with a validity not known to be sanitized.
///
/// # Errors
/// - [`Error::TypeMismatch`], [`Error::InvalidArgument`]: `offsets` is something else, is empty or has a validity mask.
/// - As [`Column::try_from_parts`].
pub fn make_strings_column(offsets: &Column, chars: Buffer, validity: Option<Validity>) -> Result<Column> {
    let (buffer, large, len) = offsets_of(offsets)?;
    let data_type = if large { DataType::LargeUtf8 } else { DataType::Utf8 };
    let parts = ColumnParts::new(data_type, offsets.device(), len).buffer(buffer).buffer(chars);
    Column::try_from_parts(with_validity(parts, validity))
}

/// Lists out of their parts: `offsets` is an `Int32` or `Int64` column without nulls, of one row more than the lists, that decides
/// between `List` and `LargeList`. The field is called `item` and is nullable; [`Column::with_type`] says otherwise. Nothing is looked at,
/// as in [`make_strings_column`].
///
/// ```text
/// offsets [0, 2, 2, 3], child [a, b, c]   →   [[a, b], [], [c]]
/// ```
///
/// # Errors
/// - [`Error::TypeMismatch`], [`Error::InvalidArgument`]: `offsets` is something else, is empty or has a validity mask.
/// - As [`Column::try_from_parts`].
pub fn make_lists_column(offsets: &Column, child: Column, validity: Option<Validity>) -> Result<Column> {
    let (buffer, large, len) = offsets_of(offsets)?;
    let field = Arc::new(Field::new_list_field(child.data_type().clone(), true));
    let data_type = if large { DataType::LargeList(field) } else { DataType::List(field) };
    let parts = ColumnParts::new(data_type, offsets.device(), len).buffer(buffer).child(child);
    Column::try_from_parts(with_validity(parts, validity))
}

/// Structs out of columns of one length. The fields are called `0`, `1`, … and are nullable; [`Column::with_type`] says otherwise.
///
/// Rows that `validity` makes null are not made null in the children; the column says so ([`Column::sanitized`]).
///
/// # Errors
/// - [`Error::InvalidArgument`]: no children; the length would be unknown.
/// - [`Error::LengthMismatch`], [`Error::DeviceMismatch`]: the children differ.
/// - As [`Column::try_from_parts`].
pub fn make_structs_column(children: Vec<Column>, validity: Option<Validity>) -> Result<Column> {
    let Some(first) = children.first() else {
        return Err(Error::invalid_argument("structs without fields have no length"));
    };
    let (device, len) = (first.device(), first.len());
    if let Some((i, other)) = children.iter().enumerate().find(|(_, child)| child.len() != len) {
        return Err(Error::length_mismatch(len, other.len()).at(Position::Child(i)));
    }
    let field = |(i, child): (usize, &Column)| Field::new(i.to_string(), child.data_type().clone(), true);
    let fields: Fields = children.iter().enumerate().map(field).collect();
    let parts = ColumnParts { children, ..ColumnParts::new(DataType::Struct(fields), device, len) };
    Column::try_from_parts(with_validity(parts, validity))
}

fn with_validity(parts: ColumnParts, validity: Option<Validity>) -> ColumnParts {
    match validity {
        Some(Validity { mask, null_count }) => parts.validity(Some(mask), null_count),
        None => parts,
    }
}

/// The buffer of an offsets column, from its first row on; whether it is wide; and the number of rows between offsets.
fn offsets_of(offsets: &Column) -> Result<(Buffer, bool, usize)> {
    let large = match offsets.data_type() {
        DataType::Int32 => false,
        DataType::Int64 => true,
        other => return Err(Error::type_mismatch("Int32 or Int64 offsets", other)),
    };
    if offsets.has_validity() {
        return Err(Error::invalid_argument("offsets with a validity mask"));
    }
    let len = offsets.len().checked_sub(1).ok_or(Error::invalid_argument("no offsets"))?;
    let width = if large { 8 } else { 4 };
    let buffer = offsets.buffers()[0].slice(offsets.offset() * width, offsets.len() * width)?;
    Ok((buffer, large, len))
}

#[cfg(all(test, feature = "arrow-rs"))]
#[path = "factories_tests.rs"]
mod tests;
