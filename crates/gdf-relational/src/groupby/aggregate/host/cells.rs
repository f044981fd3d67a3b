//! The values of a group-by as the CPU reads them, and the cells that accumulate them.

use gdf_core::{Error, PhysicalType, Result, dispatch_fixed_width, physical_type};
use gdf_driver::Stream;
use gdf_engine::host::{Bits, HostColumn};
use gdf_engine::keys::KeyColumn;
use gdf_memory::{HostVec, ResourceRef};

use crate::groupby::aggregate::plan::{Accumulator, CombineOp, identity};

/// The values of one accumulator, one cell per group.
#[derive(Debug)]
pub(super) enum Cells<'r> {
    Words(HostVec<'r, u64>),
    Wide(HostVec<'r, i128>),
}

impl<'r> Cells<'r> {
    pub(super) fn new(op: CombineOp, groups: usize, stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        if op == CombineOp::AddI128 {
            return Ok(Self::Wide(HostVec::zeroed(groups + 1, stream, mr)?));
        }
        let mut words = HostVec::zeroed(groups + 1, stream, mr)?;
        if identity(op) != 0 {
            words.fill(identity(op));
        }
        Ok(Self::Words(words))
    }

    /// Adds cells until there is a cell for each of `groups` groups, after cell 0 for rows in no group.
    pub(super) fn reach(&mut self, op: CombineOp, groups: usize) -> Result<()> {
        match self {
            Cells::Words(words) => {
                while words.len() <= groups {
                    words.try_push(identity(op))?;
                }
            }
            Cells::Wide(sums) => {
                while sums.len() <= groups {
                    sums.try_push(0)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the words of all groups, without the cell of rows in no group.
    pub(super) fn words(&self) -> &[u64] {
        match self {
            Cells::Words(words) => words.get(1..).unwrap_or_default(),
            Cells::Wide(_) => &[],
        }
    }

    /// Returns the 128-bit sums of all groups, without the cell of rows in no group.
    pub(super) fn wide(&self) -> &[i128] {
        match self {
            Cells::Wide(sums) => sums.get(1..).unwrap_or_default(),
            Cells::Words(_) => &[],
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ValueColumn<'a> {
    /// The physical type of the values in `bytes`.
    pub(super) physical: PhysicalType,
    pub(super) bytes: &'a [u8],
    pub(super) text: Option<KeyColumn<'a>>,
    pub(super) validity: Option<Bits<'a>>,
}

impl<'a> ValueColumn<'a> {
    /// Opens a column.
    pub(super) fn new(column: &'a HostColumn<'_>, expanded: Option<&'a [u8]>) -> Result<Self> {
        let (validity, mut text) = (column.validity()?, None);
        let physical = physical_type(column.view().data_type());
        if let Some(bytes) = expanded {
            return Ok(Self { physical: PhysicalType::U8, bytes, text, validity });
        }
        if physical.has_byte_offsets() {
            text = Some(KeyColumn::open("groupby values", column)?);
        }
        let bytes = dispatch_fixed_width!(physical, T => bytemuck::cast_slice(column.values::<T>()?), else => &[][..]);
        Ok(Self { physical, bytes, text, validity })
    }

    /// Returns the values as a slice of `T`.
    pub(super) fn values<T: bytemuck::Pod>(&self) -> Result<&'a [T]> {
        bytemuck::try_cast_slice(self.bytes)
            .map_err(|_| Error::invalid_data("the buffer of values of a column is misaligned"))
    }
}

/// Expands a boolean column to one byte per row.
pub(super) fn expanded<'r>(
    column: &HostColumn<'_>,
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<Option<HostVec<'r, u8>>> {
    let boolean = physical_type(column.view().data_type()) == PhysicalType::Bool;
    boolean.then(|| expand(column.bits()?, stream, mr)).transpose()
}

fn expand<'r>(bits: Bits<'_>, stream: &Stream, mr: ResourceRef<'r>) -> Result<HostVec<'r, u8>> {
    let mut bytes = HostVec::<u8>::zeroed(bits.len(), stream, mr)?;
    for (index, bytes) in bytes.chunks_mut(64).enumerate() {
        let word = bits.word(index);
        bytes.iter_mut().enumerate().for_each(|(bit, byte)| *byte = (word >> bit & 1) as u8);
    }
    Ok(bytes)
}

pub(super) fn column_of<'c, 'a>(
    accumulator: &Accumulator,
    columns: &'c [ValueColumn<'a>],
) -> Option<&'c ValueColumn<'a>> {
    accumulator.request.and_then(|request| columns.get(request))
}
