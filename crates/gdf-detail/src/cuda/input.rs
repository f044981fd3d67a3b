//! A column opened for reading by kernels.

use gdf_core::{ColumnView, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_kernels::{BROADCAST, ColumnIn, In, WIDE_OFFSETS};
use gdf_memory::Access;
use smallvec::SmallVec;

use super::memory::Values;
use super::output::kernel_type;
use crate::input::Input;
use crate::vouch;

/// A column's descriptor for kernels on one stream, with the accesses that make its addresses good. Keep it until the
/// launch is enqueued.
#[derive(Debug)]
pub(crate) struct CudaColumn<'a> {
    pub(crate) desc: ColumnIn,
    accesses: SmallVec<[Access<'a>; 3]>,
}

impl<'a> CudaColumn<'a> {
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): nobody has looked at the column, see [`check::column`].
    pub(crate) fn open(view: ColumnView<'a>, stream: &Stream) -> Result<Self> {
        let mut accesses = SmallVec::new();
        let desc = describe(view, stream, |access| accesses.push(access))?;
        Ok(Self { desc, accesses })
    }

    /// The values of its rows, of `width` bytes each.
    pub(crate) fn values(&self, width: usize) -> Values<'_> {
        let data = self.accesses.iter().rev().find(|access| access.address() == self.desc.data.address());
        data.map_or(Values::default(), |data| Values::of(data).skip(self.desc.offset as usize * width))
    }

    /// A column or a scalar, whose one row stands for every row.
    pub(crate) fn open_input(input: Input<'a>, stream: &Stream) -> Result<Self> {
        match input {
            Input::Column(view) => Self::open(view, stream),
            Input::Scalar(scalar) => {
                let mut column = Self::open(scalar.view(), stream)?;
                column.desc.flags |= BROADCAST;
                Ok(column)
            }
        }
    }
}

/// A column's descriptor for kernels on one stream, and through `keep` the accesses that make its addresses good until
/// the launch is enqueued.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): nobody has looked at the column, see [`check::column`].
pub(crate) fn describe<'a>(
    view: ColumnView<'a>,
    stream: &Stream,
    mut keep: impl FnMut(Access<'a>),
) -> Result<ColumnIn> {
    vouch::opened(view)?;
    let mut address = |buffer: &'a gdf_memory::Buffer| -> Result<In<u8>> {
        let access = buffer.read_on(stream)?;
        let address = In::of(&access);
        keep(access);
        Ok(address)
    };
    let physical = physical_type(view.data_type());
    let validity = view.validity().map(&mut address).transpose()?.unwrap_or_default();
    let mut buffers = [In::NULL; 2];
    for (slot, buffer) in buffers.iter_mut().zip(view.buffers()) {
        *slot = address(buffer)?;
    }
    let (data, offsets, wide) = match physical {
        PhysicalType::String { large } | PhysicalType::Binary { large } => (buffers[1], buffers[0], large),
        PhysicalType::List { large } => (In::NULL, buffers[0], large),
        _ => (buffers[0], In::NULL, false),
    };
    Ok(ColumnIn {
        data,
        offsets,
        validity,
        offset: view.offset() as i64,
        length: view.len() as i64,
        data_type: kernel_type(physical) as i32,
        flags: if wide { WIDE_OFFSETS } else { 0 },
    })
}
