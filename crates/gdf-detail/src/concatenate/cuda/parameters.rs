//! What the kernels of `kernels/concatenate/concatenate.cu` take, as it declares it.

use gdf_core::{Error, Result};
use gdf_driver::Stream;
use gdf_kernels::{ColumnIn, TABLE_COLUMNS};
use gdf_memory::{Access, Buffer, Resources};

use super::super::join::Join;
use crate::cuda::CudaColumn;
use crate::limits::cuda as limits;
use crate::rows::Movement;

/// Pieces that the kernels add the bytes of by themselves; also, pieces of all leaves together that a launch takes by
/// value.
pub(super) const FEW: usize = limits::CONCATENATE_FEW_PIECES;

/// How a column is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i16)]
pub(super) enum Kind {
    MaskOnly = 0,
    Bits = 1,
    Fixed = 2,
    Strings = 3,
    StringRows = 4,
}

/// What there is to do for a column.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Task {
    pub(super) extra: i64,
    pub(super) node: i32,
    pub(super) kind: Kind,
    pub(super) slot: i16,
}

/// The tasks of one launch.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Tasks([Task; TABLE_COLUMNS]);

impl Tasks {
    /// None if there are more than a launch takes.
    pub(super) fn new(tasks: &[Task]) -> Option<Self> {
        let mut all = [Task { extra: 0, node: 0, kind: Kind::MaskOnly, slot: 0 }; TABLE_COLUMNS];
        all.get_mut(..tasks.len())?.copy_from_slice(tasks);
        Some(Self(all))
    }
}

/// Inputs by value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Few {
    columns: [ColumnIn; FEW],
    starts: [i64; FEW + 1],
    parents: [i32; FEW],
}

/// Inputs in device memory; with addresses of 0 only the number of pieces counts.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Many {
    columns: u64,
    starts: u64,
    parents: u64,
    pieces: i64,
}

const _: () = assert!(size_of::<Task>() == 16 && size_of::<Tasks>() == 512);
const _: () = assert!(size_of::<Few>() == 1928 && size_of::<Many>() == 32);

/// All pieces of all leaves, as kernels take them on one stream. Keep it until the launches are enqueued.
pub(super) struct Inputs<'a> {
    pub(super) few: Few,
    columns: Vec<ColumnIn>,
    starts: Vec<i64>,
    parents: Vec<i32>,
    pieces: usize,
    /// Where the three vectors are in device memory, one after the other, if they are there.
    table: Option<Buffer>,
    _columns: Vec<CudaColumn<'a>>,
}

impl<'a> Inputs<'a> {
    /// Opens all pieces, and copies their descriptions to the device if they are many: one allocation, no wait.
    pub(super) fn open(join: &Join<'_, 'a>, stream: &Stream, mr: Resources<'_>) -> Result<Self> {
        let pieces = join.plans().len();
        let mut opened = Vec::with_capacity(pieces * join.leaves());
        let mut columns = Vec::with_capacity(pieces * join.leaves());
        for leaf in 0..join.leaves() {
            for piece in join.pieces(leaf) {
                let column = CudaColumn::open(piece.view, stream)?;
                let mut desc = column.desc;
                if let Movement::Strings { .. } = piece.movement {
                    desc.length = chars(piece.view) as i64;
                }
                columns.push(desc);
                opened.push(column);
            }
        }
        let parents = join.parents().iter().map(|parent| parent.map_or(-1, |parent| parent as i32)).collect();
        let starts = join.starts().iter().map(|start| *start as i64).collect();
        let few = Few { columns: [ColumnIn::default(); FEW], starts: [0; FEW + 1], parents: [-1; FEW] };
        let mut inputs = Self { few, columns, starts, parents, pieces, table: None, _columns: opened };
        if inputs.columns.len() <= FEW && pieces <= FEW {
            inputs.fill_few();
        } else {
            let bytes = [
                bytemuck::cast_slice::<_, u8>(&inputs.columns),
                bytemuck::cast_slice(&inputs.starts),
                bytemuck::cast_slice(&inputs.parents),
            ];
            inputs.table = Some(Buffer::from_host(&bytes.concat(), stream, mr.temporary)?);
        }
        Ok(inputs)
    }

    fn fill_few(&mut self) {
        // Each has at most as many as the caller has checked, the starts one more.
        self.few.columns[..self.columns.len()].copy_from_slice(&self.columns);
        self.few.starts[..self.starts.len()].copy_from_slice(&self.starts);
        self.few.parents[..self.parents.len()].copy_from_slice(&self.parents);
    }

    /// Leave to read the table in device memory, if there is one.
    pub(super) fn read_on<'s>(&'s self, stream: &Stream) -> Result<Option<Access<'s>>> {
        Ok(self.table.as_ref().map(|table| table.read_on(stream)).transpose()?)
    }

    /// The parameter that goes with the access.
    pub(super) fn many(&self, table: Option<&Access<'_>>) -> Many {
        let pieces = self.pieces as i64;
        let Some(table) = table else { return Many { columns: 0, starts: 0, parents: 0, pieces } };
        let columns = table.address();
        let starts = columns + size_of_val(&self.columns[..]) as u64;
        Many { columns, starts, parents: starts + size_of_val(&self.starts[..]) as u64, pieces }
    }
}

/// Bytes of a string column's character buffer.
pub(super) fn chars(view: gdf_core::ColumnView<'_>) -> usize {
    view.buffers().get(1).map_or(0, Buffer::len)
}

/// As many tasks as a launch takes, as its parameter.
pub(super) fn tasks(tasks: &[Task]) -> Result<Tasks> {
    Tasks::new(tasks).ok_or(Error::InvalidArgument { what: "more columns than a launch takes" })
}
