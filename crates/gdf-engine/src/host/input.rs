//! A column opened for reading by CPU code.

use bytemuck::Pod;
use gdf_core::{ColumnView, Error, Result};
use gdf_driver::Stream;
use gdf_memory::Access;
use smallvec::SmallVec;

use super::Bits;
use super::view_rows::ViewRows;
use crate::input::Input;
use crate::vouch;

/// A column or a scalar, open for reading on a CPU stream. The single row of a scalar represents every row.
#[derive(Debug)]
pub struct HostColumn<'a> {
    view: ColumnView<'a>,
    broadcast: bool,
    validity: Option<Access<'a>>,
    buffers: SmallVec<[Access<'a>; 2]>,
}

impl<'a> HostColumn<'a> {
    /// Opens a column.
    ///
    /// # Errors
    /// * [`Internal`](Error::Internal) if the column is not validated, see [`column`](crate::check::column()).
    pub fn open(view: ColumnView<'a>, stream: &Stream) -> Result<Self> {
        vouch::opened(view)?;
        let validity = view.validity().map(|buffer| buffer.read_on(stream)).transpose()?;
        let buffers = view.buffers().iter().map(|buffer| buffer.read_on(stream)).collect::<Result<_, _>>()?;
        Ok(Self { view, broadcast: false, validity, buffers })
    }

    pub fn open_input(input: Input<'a>, stream: &Stream) -> Result<Self> {
        match input {
            Input::Column(view) => Self::open(view, stream),
            Input::Scalar(scalar) => Ok(Self { broadcast: true, ..Self::open(scalar.view(), stream)? }),
        }
    }

    pub fn view(&self) -> ColumnView<'a> {
        self.view
    }

    /// Returns whether the single stored row represents all rows.
    pub fn broadcast(&self) -> bool {
        self.broadcast
    }

    /// Returns the number of stored rows, which is 1 for a scalar.
    pub fn len(&self) -> usize {
        self.view.len()
    }

    fn buffer(&self, index: usize) -> Result<&Access<'a>> {
        self.buffers.get(index).ok_or_else(|| Error::internal("a buffer of a column is missing"))
    }

    /// Returns the stored rows of a fixed-width column as `T`. `T` must have the column's width.
    pub fn values<T: Pod>(&self) -> Result<&[T]> {
        let bytes = self.row_bytes(size_of::<T>())?;
        bytemuck::try_cast_slice(bytes)
            .map_err(|_| Error::invalid_data("the buffer of values is misaligned; copy the column"))
    }

    /// Returns the bytes of the stored rows of a column whose rows have `width` bytes.
    pub fn row_bytes(&self, width: usize) -> Result<&[u8]> {
        let all = self.buffer(0)?.as_slice::<u8>()?;
        let range = self.view.offset() * width..(self.view.offset() + self.view.len()) * width;
        all.get(range).ok_or_else(|| Error::invalid_data("the buffer of values is too short; validate the column"))
    }

    pub fn bits(&self) -> Result<Bits<'_>> {
        Ok(Bits::new(self.buffer(0)?.as_slice()?, self.view.offset(), self.view.len()))
    }

    /// Returns the offsets of a string, binary or list column. There is one more offset than rows, but there are no
    /// offsets if the column has no rows. `O` must be `i32` or `i64`.
    pub fn offsets<O: Pod>(&self) -> Result<&[O]> {
        if self.view.is_empty() {
            return Ok(&[]);
        }
        let all = self.buffer(0)?.as_slice::<O>()?;
        let range = self.view.offset()..self.view.offset() + self.view.len() + 1;
        all.get(range).ok_or_else(|| Error::invalid_data("the buffer of offsets is too short; validate the column"))
    }

    /// Returns all bytes of the second buffer, which has the characters of a string column.
    pub fn chars(&self) -> Result<&[u8]> {
        Ok(self.buffer(1)?.as_slice::<u8>()?)
    }

    pub fn views(&self) -> Result<ViewRows<'_>> {
        let buffers = self.buffers.iter().skip(1).map(|access| access.as_slice::<u8>());
        Ok(ViewRows { views: self.values()?, buffers: buffers.collect::<Result<_, _>>()? })
    }

    /// Returns the validity of the stored rows, or `None` if the column has no mask.
    pub fn validity(&self) -> Result<Option<Bits<'_>>> {
        self.validity
            .as_ref()
            .map(|access| Ok(Bits::new(access.as_slice()?, self.view.offset(), self.view.len())))
            .transpose()
    }
}
