//! A column that is open for reading by kernels.

use gdf_core::{ColumnView, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_kernels::{BROADCAST, ColumnIn, In, TableIn, WIDE_OFFSETS};
use gdf_memory::{Access, Buffer};

use super::memory::Values;
use super::output::{kernel_type, one_launch};
use crate::input::Input;
use crate::vouch;

/// A column that is open for reading by kernels on one stream. The value holds an access to each buffer of the column.
#[derive(Debug)]
pub struct CudaColumn<'a> {
    view: ColumnView<'a>,
    /// Flags to be set in the descriptor, in addition to the flags that follow from the column's type.
    flags: i32,
    accesses: [Option<Access<'a>>; 3],
}

impl<'a> CudaColumn<'a> {
    /// Opens a column.
    ///
    /// # Errors
    /// * [`Internal`](gdf_core::Error::Internal) if the column is not validated, see
    ///   [`column`](crate::check::column()).
    pub fn open(view: ColumnView<'a>, stream: &Stream) -> Result<Self> {
        let (mut accesses, mut count) = ([const { None }; 3], 0);
        open_buffers(view, stream, |access| {
            accesses[count] = Some(access);
            count += 1;
        })?;
        Ok(Self { view, flags: 0, accesses })
    }

    /// Opens a column or a scalar. The single row of a scalar represents every row.
    pub fn open_input(input: Input<'a>, stream: &Stream) -> Result<Self> {
        match input {
            Input::Column(view) => Self::open(view, stream),
            Input::Scalar(scalar) => Ok(Self { flags: BROADCAST, ..Self::open(scalar.view(), stream)? }),
        }
    }

    pub fn desc(&self) -> ColumnIn<'_> {
        let desc = describe(self.view, &mut self.accesses.iter().flatten());
        ColumnIn { flags: desc.flags | self.flags, ..desc }
    }

    /// Returns the values of the rows, which have `width` bytes each.
    pub fn values(&self, width: usize) -> Values<'_> {
        let desc = self.desc();
        let data = self.accesses.iter().rev().flatten().find(|access| access.address() == desc.data.address());
        data.map_or(Values::default(), |data| Values::of(data).skip(desc.offset as usize * width))
    }
}

pub fn in_table<'c, const N: usize>(columns: &'c [CudaColumn<'_>]) -> Result<TableIn<'c, N>> {
    let descs: Vec<_> = columns.iter().map(CudaColumn::desc).collect();
    one_launch(TableIn::new(&descs))
}

/// Opens the buffers of a column for reading, and passes each access to `keep`.
///
/// # Errors
/// * [`Internal`](gdf_core::Error::Internal) if the column is not validated, see [`column`](crate::check::column()).
pub fn open_buffers<'a>(view: ColumnView<'a>, stream: &Stream, mut keep: impl FnMut(Access<'a>)) -> Result<()> {
    vouch::opened(view)?;
    for buffer in buffers(view) {
        keep(buffer.read_on(stream)?);
    }
    Ok(())
}

/// Returns the buffers that kernels use: the validity mask, if there is one, and at most two buffers of values or
/// offsets.
fn buffers(view: ColumnView<'_>) -> impl Iterator<Item = &Buffer> {
    view.validity().into_iter().chain(view.buffers().iter().take(2))
}

/// Makes a column's descriptor. The next items of `accesses` must be the accesses that [`open_buffers`] passed to its
/// closure for this column, in the same order.
pub fn describe<'s>(view: ColumnView<'_>, accesses: &mut impl Iterator<Item = &'s Access<'s>>) -> ColumnIn<'s> {
    let mut next = |buffer: Option<&Buffer>| In::of_option(buffer.and_then(|_| accesses.next()));
    let validity = next(view.validity());
    let buffers = [0, 1].map(|index| next(view.buffers().get(index)));
    let physical = physical_type(view.data_type());
    let (data, offsets, wide) = match physical {
        PhysicalType::String { large } | PhysicalType::Binary { large } => (buffers[1], buffers[0], large),
        PhysicalType::List { large } => (In::NULL, buffers[0], large),
        _ => (buffers[0], In::NULL, false),
    };
    ColumnIn {
        data,
        offsets,
        validity,
        offset: view.offset() as i64,
        length: view.len() as i64,
        data_type: kernel_type(physical) as i32,
        flags: if wide { WIDE_OFFSETS } else { 0 },
    }
}
