//! The parts of a column, and the checks that are made when parts become a column.
//!
//! The checks do not read the data, such as offsets, keys, views and UTF-8. The first operation, or the export to
//! Arrow, validates the data.

use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};
use gdf_driver::Device;
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::Column;
use crate::layout::{Content, check_levels, child_types, layout, rows_per_parent};
use crate::types::{can_have_validity, physical_type, same_type};
use crate::{Error, NullCount, PhysicalType, Position, Result};

/// All parts of a [`Column`].
///
/// Buffers and children have the layout of Arrow's `ArrayData`:
///
/// | type | buffers | children |
/// |---|---|---|
/// | fixed width, boolean | values | |
/// | string, binary | offsets, bytes | |
/// | string view, binary view | views, any number of data buffers | |
/// | list, map | offsets | elements |
/// | list view | offsets, sizes | elements |
/// | fixed-size list | | elements |
/// | struct | | one per field |
/// | dictionary | keys | values |
/// | union | type ids, and if dense offsets | one per field |
/// | run-end encoded | | run ends, values |
/// | null | | |
#[derive(Clone, Debug)]
pub struct ColumnParts {
    /// The logical type.
    pub data_type: DataType,
    /// The device of all buffers.
    pub device: Device,
    /// The number of rows.
    pub len: usize,
    /// The number of rows to skip at the start of the column's own buffers and validity mask. In structs, sparse unions
    /// and fixed-size lists, the rows of the children that belong to the skipped rows are skipped, too. In all other
    /// types, the offset does not apply to the children.
    pub offset: usize,
    /// The validity mask: one bit per row, set if the row is valid. If there is no mask, all rows are valid.
    pub validity: Option<Buffer>,
    /// The number of zeros of `validity` within the rows.
    pub null_count: NullCount,
    /// The buffers of the column itself, without the validity mask.
    pub buffers: SmallVec<[Buffer; 2]>,
    /// The children of the column.
    pub children: Vec<Column>,
    /// Whether null rows of this column and of its children have no data.
    pub sanitized: bool,
}

impl ColumnParts {
    /// Makes parts without buffers, children and nulls. The caller adds the missing parts. `sanitized` is true.
    pub fn new(data_type: DataType, device: Device, len: usize) -> ColumnParts {
        ColumnParts {
            data_type,
            device,
            len,
            offset: 0,
            validity: None,
            null_count: NullCount::Known(0),
            buffers: SmallVec::new(),
            children: Vec::new(),
            sanitized: true,
        }
    }

    /// Returns the parts of a column of `rows` lists.
    ///
    /// `elements` holds the elements of all lists. `offsets` holds the start of each list, followed by the end of the
    /// last list. Offsets have 64 bits if `large` is true, and 32 bits otherwise. The field of the list type is called
    /// `item`. If `nullable` is false, the field is declared without nulls.
    ///
    /// ```text
    /// offsets [0, 2, 2, 3], elements [a, b, c]   →   [[a, b], [], [c]]
    /// ```
    pub fn lists(rows: usize, offsets: Buffer, large: bool, elements: Column, nullable: bool) -> ColumnParts {
        let field = Arc::new(Field::new_list_field(elements.data_type().clone(), nullable));
        let data_type = if large { DataType::LargeList(field) } else { DataType::List(field) };
        ColumnParts::new(data_type, offsets.device(), rows).buffer(offsets).child(elements)
    }

    /// Returns the parts of a column of `rows` structs. Each field is given by its name and its column. All fields are
    /// nullable.
    pub fn structs<N: Into<String>>(
        device: Device,
        rows: usize,
        fields: impl IntoIterator<Item = (N, Column)>,
    ) -> ColumnParts {
        let field = |(name, column): (N, Column)| (Field::new(name, column.data_type().clone(), true), column);
        let (fields, children): (Vec<_>, Vec<_>) = fields.into_iter().map(field).unzip();
        ColumnParts { children, ..ColumnParts::new(DataType::Struct(fields.into()), device, rows) }
    }

    /// Returns the parts of a dictionary column. `keys` are integers that select rows of `values`. A null key makes
    /// the row null.
    pub fn dictionary(keys: Column, values: Column) -> ColumnParts {
        let types = [&keys, &values].map(|column| Box::new(column.data_type().clone()));
        let [key_type, value_type] = types;
        let data_type = DataType::Dictionary(key_type, value_type);
        ColumnParts { data_type, children: vec![values], ..keys.into_parts() }
    }

    /// Adds a buffer to the column's own buffers.
    pub fn buffer(mut self, buffer: Buffer) -> ColumnParts {
        self.buffers.push(buffer);
        self
    }

    /// Adds a child.
    pub fn child(mut self, child: Column) -> ColumnParts {
        self.children.push(child);
        self
    }

    /// Sets the validity mask and the null count.
    pub fn validity(mut self, validity: Option<Buffer>, null_count: NullCount) -> ColumnParts {
        self.validity = validity;
        self.null_count = null_count;
        self
    }

    /// Checks that the parts fit each other. Changes the type of each child to exactly the type that the type of the
    /// parent names.
    pub(crate) fn check(&mut self) -> Result<()> {
        check_levels(&self.data_type)?;
        check_type(&self.data_type)?;
        // A buffer of offsets has one more entry than there are rows. Therefore the number of rows must be less than
        // `isize::MAX`.
        let rows = self.offset.checked_add(self.len).filter(|rows| *rows < isize::MAX as usize);
        let rows = rows.ok_or_else(|| {
            let found = self.offset as i128 + self.len as i128;
            Error::beyond_limit("the offset plus the length of the column", found, isize::MAX as i128 - 1)
        })?;
        self.check_validity(rows)?;
        self.check_buffers(rows)?;
        self.check_children(rows)
    }

    fn check_device(&self, found: Device) -> Result<()> {
        if found == self.device { Ok(()) } else { Err(Error::device_mismatch(self.device, found)) }
    }

    fn check_validity(&mut self, rows: usize) -> Result<()> {
        if self.data_type == DataType::Null {
            self.null_count = NullCount::Known(self.len);
        }
        let Some(validity) = &self.validity else {
            return match self.null_count.known() {
                _ if self.data_type == DataType::Null => Ok(()),
                Some(0) | None => {
                    self.null_count = NullCount::Known(0);
                    Ok(())
                }
                Some(count) => {
                    let error =
                        Error::invalid_number("the null count of a column without a mask must be 0", count as i128);
                    Err(error.with_remedy("pass a mask, or a null count of 0"))
                }
            };
        };
        if !can_have_validity(&self.data_type) {
            let error = Error::unsupported("validity mask", &self.data_type).in_argument("validity");
            return Err(error.with_remedy("pass no mask for this type"));
        }
        self.check_device(validity.device())?;
        check_len("validity", validity, rows.div_ceil(8))?;
        match &self.null_count {
            NullCount::Known(count) if *count > self.len => {
                Err(Error::beyond_limit("the null count", *count as i128, self.len as i128))
            }
            NullCount::Device { word, .. } => {
                self.check_device(word.device())?;
                check_len("null count", word, 8)
            }
            _ => Ok(()),
        }
    }

    fn check_buffers(&self, rows: usize) -> Result<()> {
        let layout = layout(&self.data_type);
        let (expected, found) = (layout.buffers.len(), self.buffers.len());
        if found < expected || (found > expected && !layout.variadic) {
            return Err(Error::buffer_count(&self.data_type, expected, found));
        }
        let rest = std::iter::repeat(&("data", Content::Bytes));
        for (buffer, (name, content)) in self.buffers.iter().zip(layout.buffers.iter().chain(rest)) {
            self.check_device(buffer.device())?;
            let needed = content.needed(rows).ok_or_else(|| {
                let error = Error::invalid_argument("the bytes of the buffer exceed the address space");
                error.in_argument(name).with_remedy("use fewer rows")
            })?;
            check_len(name, buffer, needed)?;
            check_alignment(name, buffer, content.alignment())?;
        }
        Ok(())
    }

    fn check_children(&mut self, rows: usize) -> Result<()> {
        let types = child_types(&self.data_type);
        let (expected, found) = (types.len(), self.children.len());
        if found != expected {
            return Err(Error::child_count(&self.data_type, expected, found));
        }
        let physical = physical_type(&self.data_type);
        let needed = match rows_per_parent(physical) {
            Some(each) => rows.checked_mul(each).ok_or_else(|| {
                Error::invalid_argument("the rows of a child exceed the address space; use fewer rows")
            })?,
            None => 0,
        };
        for (i, (child, expected)) in self.children.iter_mut().zip(types).enumerate() {
            if child.device() != self.device {
                return Err(Error::device_mismatch(self.device, child.device()).at(Position::Child(i)));
            }
            if !same_type(child.data_type(), expected) {
                return Err(Error::type_mismatch(expected, child.data_type()).at(Position::Child(i)));
            }
            if child.len() < needed {
                return Err(Error::child_too_short(i, needed, child.len()));
            }
            if child.data_type() != expected {
                *child = child.with_type(expected.clone())?;
            }
        }
        if physical == PhysicalType::RunEnd {
            let (ends, values) = (&self.children[0], &self.children[1]);
            if ends.len() != values.len() {
                return Err(Error::length_mismatch(ends.len(), values.len()).at(Position::Child(1)));
            }
            if ends.has_validity() {
                return Err(Error::invalid_argument("the run ends have a validity mask; pass run ends without a mask"));
            }
            if self.len > 0 && ends.is_empty() {
                return Err(Error::child_too_short(0, 1, 0));
            }
        }
        Ok(())
    }
}

fn check_len(name: &'static str, buffer: &Buffer, needed: usize) -> Result<()> {
    if buffer.len() < needed {
        return Err(Error::buffer_too_small(name, needed, buffer.len()));
    }
    Ok(())
}

fn check_alignment(name: &'static str, buffer: &Buffer, alignment: usize) -> Result<()> {
    // SAFETY: nobody accesses memory through the address, and only the address's low bits are read.
    let address = unsafe { buffer.danger_address() };
    if !buffer.is_empty() && address % alignment as u64 != 0 {
        return Err(Error::buffer_misaligned(name, alignment));
    }
    Ok(())
}

/// Returns an error for types that Arrow's `DataType` can express but that are invalid.
fn check_type(data_type: &DataType) -> Result<()> {
    let invalid = |what| Err(Error::invalid_argument(what).in_type(data_type));
    let precision = |found: u8, max: u8| match found {
        0 => Err(Error::beyond_limit("the precision", 0, 1).in_type(data_type)),
        found if found > max => Err(Error::beyond_limit("the precision", found.into(), max.into()).in_type(data_type)),
        _ => Ok(()),
    };
    match data_type {
        DataType::FixedSizeBinary(width) if *width < 0 => invalid("the width is negative; use a width of at least 0"),
        DataType::FixedSizeList(_, size) if *size < 0 => invalid("the list size is negative; use a size of at least 0"),
        DataType::Time32(TimeUnit::Microsecond | TimeUnit::Nanosecond) => {
            invalid("`Time32` must have seconds or milliseconds; use `Time64` for other units")
        }
        DataType::Time64(TimeUnit::Second | TimeUnit::Millisecond) => {
            invalid("`Time64` must have micro- or nanoseconds; use `Time32` for other units")
        }
        DataType::Decimal32(found, _) => precision(*found, 9),
        DataType::Decimal64(found, _) => precision(*found, 18),
        DataType::Decimal128(found, _) => precision(*found, 38),
        DataType::Decimal256(found, _) => precision(*found, 76),
        DataType::Dictionary(keys, _) if !crate::is_integral(keys) => {
            invalid("the dictionary keys are not integers; use an integer type")
        }
        DataType::RunEndEncoded(ends, _)
            if !matches!(ends.data_type(), DataType::Int16 | DataType::Int32 | DataType::Int64) =>
        {
            invalid("the run ends are not Int16, Int32 or Int64; use one of these types")
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) if fields.len() == 2 => Ok(()),
            _ => invalid("the entries of a map must be structs of two fields, the key and the value"),
        },
        DataType::Union(fields, _) if fields.iter().any(|(id, _)| id < 0) => {
            invalid("a type id of the union is negative; use type ids from 0 to 127")
        }
        _ => Ok(()),
    }
}

#[cfg(all(test, feature = "arrow-rs"))]
#[path = "parts_tests.rs"]
mod tests;
