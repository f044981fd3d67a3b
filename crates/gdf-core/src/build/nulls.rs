//! Columns of nulls only, and columns without rows, of every type.

use arrow_schema::DataType;
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, ResourceRef, current_resource};

use crate::host_vec::zeroed_host_vec;
use crate::layout::{Content, check_levels, child_types, layout};
use crate::scope::here;
use crate::{Column, ColumnParts, Error, NullCount, PhysicalType, Result, bitmask, can_have_validity, physical_type};

impl Column {
    /// Makes a column without rows, on the [current device](crate::scope::current_device). The column has all buffers
    /// and children of its type.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, DataType};
    ///
    /// let nothing = Column::empty(&DataType::Utf8)?;
    /// assert!(nothing.is_empty());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`]: the type is invalid.
    /// - Driver and memory errors. A column of a type with offsets allocates memory for one offset, even if there are
    ///   no rows.
    pub fn empty(data_type: &DataType) -> Result<Column> {
        here(|ctx| build(data_type, 0, false, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::empty`] on `device`, with that device's current resource.
    ///
    /// # Errors
    /// - The errors of [`Column::empty`].
    pub fn empty_on(data_type: &DataType, device: Device) -> Result<Column> {
        let stream = Stream::default_for(device)?;
        let resource = current_resource(device)?;
        build(data_type, 0, false, &stream, resource.as_ref())
    }

    /// Does the work of [`Column::empty`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::empty`].
    pub fn empty_in<'r>(data_type: &DataType, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Column> {
        build(data_type, 0, false, stream, mr.into())
    }

    /// Makes a column of `len` nulls of any type, on the [current device](crate::scope::current_device).
    ///
    /// Unions and run-end encoded columns have no validity mask. In a union, the selected child is null in every row.
    /// In a run-end encoded column, the value of the only run is null.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, DataType};
    ///
    /// assert_eq!(Column::nulls(&DataType::Date32, 5)?.null_count()?, 5);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`]: the type is invalid. A union without fields has no values, so only a column of 0
    ///   rows is allowed.
    /// - [`Error::OffsetOverflow`]: `len` exceeds the largest value of the run ends' type.
    /// - Driver and memory errors.
    #[doc(alias("full_null", "new_null_array"))]
    pub fn nulls(data_type: &DataType, len: usize) -> Result<Column> {
        here(|ctx| build(data_type, len, true, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::nulls`] on the device of `stream`, in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::nulls`].
    pub fn nulls_on<'r>(
        data_type: &DataType,
        len: usize,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        build(data_type, len, true, stream, mr.into())
    }
}

fn build(data_type: &DataType, len: usize, nulls: bool, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    check_levels(data_type)?;
    let physical = physical_type(data_type);
    let mut parts = ColumnParts::new(data_type.clone(), stream.device(), len);
    let overflow = Error::invalid_argument("the bytes of the column exceed the address space; use fewer rows");
    if len >= isize::MAX as usize {
        return Err(overflow);
    }
    for (_, content) in layout(data_type).buffers {
        let Some(bytes) = content.needed(len) else { return Err(overflow) };
        parts.buffers.push(match content {
            Content::Bytes => Buffer::uninitialized(0, stream, mr)?,
            _ => Buffer::zeroed(bytes, stream, mr)?,
        });
    }
    if nulls && can_have_validity(data_type) {
        parts.validity = Some(Buffer::zeroed(bitmask::bytes(len), stream, mr)?);
        parts.null_count = NullCount::Known(len);
    }
    if let (PhysicalType::Union { .. }, true) = (physical, len > 0) {
        parts.buffers[0] = first_type_id(data_type, len, stream, mr)?;
    }
    for (i, child) in child_types(data_type).into_iter().enumerate() {
        let child = match physical {
            PhysicalType::RunEnd if i == 0 => run_ends(child, len, stream, mr)?,
            _ => {
                let rows = match physical {
                    PhysicalType::Struct | PhysicalType::Union { dense: false } => len,
                    PhysicalType::FixedSizeList(size) => len.checked_mul(size).ok_or_else(|| {
                        Error::invalid_argument("the rows of a child exceed the address space; use fewer rows")
                    })?,
                    PhysicalType::RunEnd => len.min(1),
                    // All offsets of the union are zero, so all rows refer to the first row of this child.
                    PhysicalType::Union { dense: true } if i == 0 => len.min(1),
                    _ => 0,
                };
                build(child, rows, nulls && rows > 0, stream, mr)?
            }
        };
        parts.children.push(child);
    }
    Column::assemble(parts, true)
}

fn first_type_id(data_type: &DataType, len: usize, stream: &Stream, mr: ResourceRef<'_>) -> Result<Buffer> {
    let first = match data_type {
        DataType::Union(fields, _) => fields.iter().next().map(|(id, _)| id as u8),
        _ => None,
    };
    let id = first.ok_or_else(|| {
        Error::invalid_argument("a union without fields can only have 0 rows; use 0 rows or add a field")
    })?;
    let mut ids = zeroed_host_vec(len)?;
    ids.fill(id);
    Ok(Buffer::from_host(&ids, stream, mr)?)
}

fn run_ends(data_type: &DataType, len: usize, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    let overflow = |_| Error::offset_overflow(len as u64);
    let bytes = match data_type {
        DataType::Int16 => i16::try_from(len).map_err(overflow)?.to_ne_bytes().to_vec(),
        DataType::Int32 => i32::try_from(len).map_err(overflow)?.to_ne_bytes().to_vec(),
        DataType::Int64 => (len as i64).to_ne_bytes().to_vec(),
        _ => return Err(Error::invalid_argument("the run ends are not Int16, Int32 or Int64; use one of these types")),
    };
    let rows = len.min(1);
    let buffer = Buffer::from_host(&bytes[..bytes.len() * rows], stream, mr)?;
    Column::assemble(ColumnParts::new(data_type.clone(), stream.device(), rows).buffer(buffer), true)
}
