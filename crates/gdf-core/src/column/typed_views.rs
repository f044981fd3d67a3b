//! Views of columns of one kind of type. The functions return only the offsets and children that belong to the rows of
//! the view, unless their documentation says that the result is not sliced.

use arrow_schema::DataType;
use gdf_driver::Stream;
use gdf_memory::Buffer;

use super::offsets_range;
use crate::{Column, ColumnParts, ColumnView, Error, PhysicalType, Result, physical_type};

/// Text (`Utf8`, `LargeUtf8`): offsets and characters.
///
/// The characters of row `i` are the bytes from `offsets[offset + i]` to `offsets[offset + i + 1]`.
#[derive(Clone, Copy)]
pub struct StringsView<'a> {
    view: ColumnView<'a>,
    large: bool,
}

/// Byte strings (`Binary`, `LargeBinary`, and text that is read as bytes): offsets and bytes.
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

macro_rules! with_offsets {
    ($($name:ident)*) => {$(
        impl<'a> $name<'a> {
            /// Returns the rows as a plain view.
            pub fn view(self) -> ColumnView<'a> {
                self.view
            }

            /// Returns whether offsets have 64 bits.
            pub fn is_large(self) -> bool {
                self.large
            }

            /// Returns the buffer of offsets, which is not sliced. The first offset of the rows is entry
            /// [`ColumnView::offset`].
            pub fn offsets(self) -> &'a Buffer {
                &self.view.buffers()[0]
            }
        }
    )*};
}

with_offsets!(StringsView BinaryView ListsView);

macro_rules! variable_width {
    ($($name:ident)*) => {$(
        impl<'a> $name<'a> {
            /// Returns the bytes to which the offsets refer.
            pub fn chars(self) -> &'a Buffer {
                &self.view.buffers()[1]
            }

            /// Returns the start and the end of the range of bytes that the rows use. If there are no rows, both are 0.
            /// **Waits** for device memory.
            ///
            /// # Errors
            /// - Driver and memory errors; [`Error::InvalidData`]: the offsets do not lie within the bytes.
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
    /// Returns the whole child, to which the offsets refer.
    pub fn child(self) -> ColumnView<'a> {
        self.view.children()[0].view()
    }

    /// Returns the start and the end of the range of the child's elements that the rows use. If there are no rows, both
    /// are 0. **Waits** for device memory.
    ///
    /// # Errors
    /// - Driver and memory errors; [`Error::InvalidData`]: the offsets do not lie within the child.
    pub fn child_range(self, stream: &Stream) -> Result<(usize, usize)> {
        offsets_range(self.view, self.large, self.child().len(), stream)
    }

    /// Returns the part of the child that belongs to the rows. **Waits** for device memory.
    ///
    /// # Errors
    /// - The errors of [`ListsView::child_range`].
    pub fn sliced_child(self, stream: &Stream) -> Result<ColumnView<'a>> {
        let (start, end) = self.child_range(stream)?;
        self.child().slice(start, end - start)
    }
}

/// Lists in which every row has the same number of elements (`FixedSizeList`).
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
    /// Returns the rows as a plain view.
    pub fn view(self) -> ColumnView<'a> {
        self.view
    }

    /// Returns the number of elements of each row.
    pub fn size(self) -> usize {
        self.size
    }

    /// Returns the part of the child that belongs to the rows.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the child is too short. The error never occurs if the parts of the column were
    ///   checked.
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
    /// Returns the rows as a plain view.
    pub fn view(self) -> ColumnView<'a> {
        self.view
    }

    /// Returns the number of fields.
    pub fn num_children(self) -> usize {
        self.view.children().len()
    }

    /// Returns the values of field `i` for the rows of the view. A field can have a value in a row in which the struct
    /// is null.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the struct has no field `i`.
    pub fn child(self, i: usize) -> Result<ColumnView<'a>> {
        self.view.child(i)?.slice(self.view.offset(), self.view.len())
    }
}

/// Dictionary-encoded values: each row has an integer key, which is an index into the dictionary's values.
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
    /// Returns the rows as a plain view.
    pub fn view(&self) -> ColumnView<'a> {
        self.view
    }

    /// Returns the keys of the rows. The key of a null row is null, and its stored value is undefined.
    pub fn keys(&self) -> &Column {
        &self.keys
    }

    /// Returns the dictionary's values. The values are in no particular order, and may contain duplicates and nulls.
    pub fn values(&self) -> ColumnView<'a> {
        self.view.children()[0].view()
    }
}

/// Run-end encoded values: each run has an end and a value. Runs are not sliced. The first row of the view is row
/// [`ColumnView::offset`], counted from the first row of the first run.
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
    /// Returns the rows as a plain view.
    pub fn view(self) -> ColumnView<'a> {
        self.view
    }

    /// Returns the end of each run, counted from the first row of the first run. The run ends are not sliced.
    pub fn run_ends(self) -> ColumnView<'a> {
        self.view.children()[0].view()
    }

    /// Returns the value of each run. The values are not sliced.
    pub fn values(self) -> ColumnView<'a> {
        self.view.children()[1].view()
    }
}
