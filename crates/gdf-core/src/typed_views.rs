//! Views that know their type: offsets and children with the slice applied.

use arrow_schema::DataType;
use gdf_driver::{CopyKind, Stream};
use gdf_memory::{Access, Buffer, current_resource};

use crate::column::check_range;
use crate::{Column, ColumnParts, ColumnView, Error, PhysicalType, Result, physical_type};

/// Text (`Utf8`, `LargeUtf8`): offsets and characters.
///
/// Row `i` is the characters from `offsets[offset + i]` to `offsets[offset + i + 1]`.
#[derive(Clone, Copy)]
pub struct StringsView<'a> {
    view: ColumnView<'a>,
    large: bool,
}

/// Byte strings (`Binary`, `LargeBinary`, and text seen as bytes): offsets and bytes.
#[derive(Clone, Copy)]
pub struct BinaryView<'a> {
    view: ColumnView<'a>,
    large: bool,
}

impl<'a> TryFrom<ColumnView<'a>> for StringsView<'a> {
    type Error = Error;

    fn try_from(view: ColumnView<'a>) -> Result<Self> {
        match physical_type(view.data_type()) {
            PhysicalType::String { large } => Ok(StringsView { view, large }),
            _ => Err(Error::type_mismatch("Utf8 or LargeUtf8", view.data_type())),
        }
    }
}

impl<'a> TryFrom<ColumnView<'a>> for BinaryView<'a> {
    type Error = Error;

    fn try_from(view: ColumnView<'a>) -> Result<Self> {
        match physical_type(view.data_type()) {
            PhysicalType::String { large } | PhysicalType::Binary { large } => Ok(BinaryView { view, large }),
            _ => Err(Error::type_mismatch("Binary, LargeBinary, Utf8 or LargeUtf8", view.data_type())),
        }
    }
}

macro_rules! variable_width {
    ($($name:ident)*) => {$(
        impl<'a> $name<'a> {
            /// The rows as a plain view.
            pub fn view(self) -> ColumnView<'a> {
                self.view
            }

            /// Whether offsets have 64 bits.
            pub fn is_large(self) -> bool {
                self.large
            }

            /// The offsets buffer, not sliced: the rows start at entry [`ColumnView::offset`].
            pub fn offsets(self) -> &'a Buffer {
                &self.view.buffers()[0]
            }

            /// The bytes that offsets point into.
            pub fn chars(self) -> &'a Buffer {
                &self.view.buffers()[1]
            }

            /// Start and end of the rows' bytes. **Waits** for device memory.
            ///
            /// # Errors
            /// - Driver and memory errors; [`Error::InvalidData`] for offsets that do not lie within the bytes.
            pub fn chars_range(self, stream: &Stream) -> Result<(usize, usize)> {
                offsets_range(self.view, self.large, self.chars().len(), stream)
            }
        }
    )*};
}

variable_width!(StringsView BinaryView);

/// Lists (`List`, `LargeList`, `Map`): offsets and one child.
#[derive(Clone, Copy)]
pub struct ListsView<'a> {
    view: ColumnView<'a>,
    large: bool,
}

impl<'a> TryFrom<ColumnView<'a>> for ListsView<'a> {
    type Error = Error;

    fn try_from(view: ColumnView<'a>) -> Result<Self> {
        match physical_type(view.data_type()) {
            PhysicalType::List { large } => Ok(ListsView { view, large }),
            PhysicalType::Map => Ok(ListsView { view, large: false }),
            _ => Err(Error::type_mismatch("List, LargeList or Map", view.data_type())),
        }
    }
}

impl<'a> ListsView<'a> {
    /// The rows as a plain view.
    pub fn view(self) -> ColumnView<'a> {
        self.view
    }

    /// Whether offsets have 64 bits.
    pub fn is_large(self) -> bool {
        self.large
    }

    /// The offsets buffer, not sliced: the rows start at entry [`ColumnView::offset`].
    pub fn offsets(self) -> &'a Buffer {
        &self.view.buffers()[0]
    }

    /// The whole child that offsets point into.
    pub fn child(self) -> ColumnView<'a> {
        self.view.children()[0].view()
    }

    /// Start and end of the rows' elements in the child. **Waits** for device memory.
    ///
    /// # Errors
    /// - Driver and memory errors; [`Error::InvalidData`] for offsets that do not lie within the child.
    pub fn child_range(self, stream: &Stream) -> Result<(usize, usize)> {
        offsets_range(self.view, self.large, self.child().len(), stream)
    }

    /// The part of the child that belongs to the rows. **Waits** for device memory.
    ///
    /// # Errors
    /// - As [`ListsView::child_range`].
    pub fn sliced_child(self, stream: &Stream) -> Result<ColumnView<'a>> {
        let (start, end) = self.child_range(stream)?;
        self.child().slice(start, end - start)
    }
}

/// Lists of one size (`FixedSizeList`).
#[derive(Clone, Copy)]
pub struct FixedSizeListsView<'a> {
    view: ColumnView<'a>,
    size: usize,
}

impl<'a> TryFrom<ColumnView<'a>> for FixedSizeListsView<'a> {
    type Error = Error;

    fn try_from(view: ColumnView<'a>) -> Result<Self> {
        match physical_type(view.data_type()) {
            PhysicalType::FixedSizeList(size) => Ok(FixedSizeListsView { view, size }),
            _ => Err(Error::type_mismatch("FixedSizeList", view.data_type())),
        }
    }
}

impl<'a> FixedSizeListsView<'a> {
    /// The rows as a plain view.
    pub fn view(self) -> ColumnView<'a> {
        self.view
    }

    /// Elements of each row.
    pub fn size(self) -> usize {
        self.size
    }

    /// The part of the child that belongs to the rows.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`] cannot happen to a column whose parts were checked.
    pub fn sliced_child(self) -> Result<ColumnView<'a>> {
        self.view.child(0)?.slice(self.view.offset() * self.size, self.view.len() * self.size)
    }
}

/// Structs: one child per field.
#[derive(Clone, Copy)]
pub struct StructsView<'a> {
    view: ColumnView<'a>,
}

impl<'a> TryFrom<ColumnView<'a>> for StructsView<'a> {
    type Error = Error;

    fn try_from(view: ColumnView<'a>) -> Result<Self> {
        match view.data_type() {
            DataType::Struct(_) => Ok(StructsView { view }),
            other => Err(Error::type_mismatch("Struct", other)),
        }
    }
}

impl<'a> StructsView<'a> {
    /// The rows as a plain view.
    pub fn view(self) -> ColumnView<'a> {
        self.view
    }

    /// Number of fields.
    pub fn num_children(self) -> usize {
        self.view.children().len()
    }

    /// The rows' values of field `i`. A row that is null here need not be null there.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`].
    pub fn child(self, i: usize) -> Result<ColumnView<'a>> {
        self.view.child(i)?.slice(self.view.offset(), self.view.len())
    }
}

/// Dictionary-encoded values: integer keys into the values.
#[derive(Clone)]
pub struct DictionaryView<'a> {
    view: ColumnView<'a>,
    keys: Column,
}

impl<'a> TryFrom<ColumnView<'a>> for DictionaryView<'a> {
    type Error = Error;

    fn try_from(view: ColumnView<'a>) -> Result<Self> {
        let DataType::Dictionary(key_type, _) = view.data_type() else {
            return Err(Error::type_mismatch("Dictionary", view.data_type()));
        };
        let column = view.to_column();
        let validated = column.own_data_validated();
        let parts = ColumnParts { data_type: (**key_type).clone(), children: Vec::new(), ..column.into_parts() };
        Ok(DictionaryView { view, keys: Column::assemble(parts, validated)? })
    }
}

impl<'a> DictionaryView<'a> {
    /// The rows as a plain view.
    pub fn view(&self) -> ColumnView<'a> {
        self.view
    }

    /// The rows' keys, null where the rows are; keys under a null are undefined.
    pub fn keys(&self) -> &Column {
        &self.keys
    }

    /// The values, in any order, possibly repeated or null.
    pub fn values(&self) -> ColumnView<'a> {
        self.view.children()[0].view()
    }
}

/// Run-end encoded values: ends of runs and one value each. The rows start within the runs at [`ColumnView::offset`].
#[derive(Clone, Copy)]
pub struct RunsView<'a> {
    view: ColumnView<'a>,
}

impl<'a> TryFrom<ColumnView<'a>> for RunsView<'a> {
    type Error = Error;

    fn try_from(view: ColumnView<'a>) -> Result<Self> {
        match view.data_type() {
            DataType::RunEndEncoded(..) => Ok(RunsView { view }),
            other => Err(Error::type_mismatch("RunEndEncoded", other)),
        }
    }
}

impl<'a> RunsView<'a> {
    /// The rows as a plain view.
    pub fn view(self) -> ColumnView<'a> {
        self.view
    }

    /// Where each run ends, counted from the first run; not sliced.
    pub fn run_ends(self) -> ColumnView<'a> {
        self.view.children()[0].view()
    }

    /// The value of each run; not sliced.
    pub fn values(self) -> ColumnView<'a> {
        self.view.children()[1].view()
    }
}

/// First and last offset of the rows, checked against the length of what they point into.
pub(crate) fn offsets_range(
    view: ColumnView<'_>,
    large: bool,
    limit: usize,
    stream: &Stream,
) -> Result<(usize, usize)> {
    let width = if large { 8 } else { 4 };
    let offsets = view.buffer(0)?;
    let first = offsets.slice(view.offset() * width, width)?;
    let last = offsets.slice((view.offset() + view.len()) * width, width)?;
    let bytes = if view.device().is_cpu() {
        [first.to_host(stream)?, last.to_host(stream)?].concat()
    } else {
        // gathered on the device first, so that there is one wait
        let resource = current_resource(view.device())?;
        let mut both = Buffer::uninitialized(2 * width, stream, resource.as_ref())?;
        let (first, last) = (first.read_on(stream)?, last.read_on(stream)?);
        let target = both.write_on(stream)?;
        copy_within_device(&first, target.address(), width, stream)?;
        copy_within_device(&last, target.address() + width as u64, width, stream)?;
        drop(target);
        both.to_host(stream)?
    };
    let read = |bytes: &[u8]| match large {
        true => bytes.try_into().ok().map(i64::from_ne_bytes),
        false => bytes.try_into().ok().map(|b| i64::from(i32::from_ne_bytes(b))),
    };
    let invalid = Error::invalid_data("offsets outside of what they point into");
    let ends = bytes.split_at_checked(width).and_then(|(first, last)| Some((read(first)?, read(last)?)));
    match ends.map(|(first, last)| (usize::try_from(first), usize::try_from(last))) {
        Some((Ok(first), Ok(last))) if first <= last && check_range(first, last - first, limit).is_ok() => {
            Ok((first, last))
        }
        _ => Err(invalid),
    }
}

fn copy_within_device(source: &Access<'_>, target: u64, bytes: usize, stream: &Stream) -> Result<()> {
    // SAFETY: the caller passes an address with room for `bytes` in memory it holds a write access to; the source has as many;
    // both are held until the copy is enqueued on the stream they were taken for.
    unsafe { stream.copy(target, source.address(), bytes, CopyKind::DeviceToDevice)? };
    Ok(())
}
