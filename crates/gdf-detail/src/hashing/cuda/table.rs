//! What kernels that hash rows take by value: `gdf::hashed_table<32>` of kernels/include/gdf/hash_rows.cuh.

use bytemuck::{Pod, Zeroable};
use gdf_core::{ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_kernels::{ColumnIn, TABLE_COLUMNS};

use crate::cuda::{CudaColumn, kernel_type};
use crate::hashing::HashedColumn;

const BITS: i32 = 0;
const STRINGS: i32 = -1;
const BYTES: i32 = -2;
const DICTIONARY: i32 = -3;
const NOTHING: i32 = -4;

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Slot {
    column: ColumnIn,
    bytes: i64,
    kind: i32,
    values: i32,
}

/// `gdf::hashed_table<32>`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct HashedTable {
    column: [Slot; TABLE_COLUMNS],
    count: i32,
    narrow: i32,
}

const _: () = assert!(size_of::<HashedTable>() == 2056);

/// Columns of one launch, open for kernels on a stream. Keep it until the launch is enqueued.
#[derive(Debug)]
pub(crate) struct OpenTable<'a> {
    pub(crate) desc: HashedTable,
    _columns: Vec<CudaColumn<'a>>,
}

impl<'a> OpenTable<'a> {
    /// The first columns, as many as one launch takes, and the others.
    pub(crate) fn open<'c>(columns: &'c [HashedColumn<'a>], stream: &Stream) -> Result<(Self, &'c [HashedColumn<'a>])> {
        let mut places = 0;
        let fits = |column: &&HashedColumn<'_>| {
            places += 1 + usize::from(column.values.is_some());
            places <= TABLE_COLUMNS
        };
        let count = columns.iter().take_while(fits).count();
        let (now, later) = columns.split_at(count);
        let mut desc = HashedTable::zeroed();
        let mut open = Vec::new();
        let mut values = count;
        for (place, column) in now.iter().enumerate() {
            let (mut slot, rows) = slot(column.view, stream)?;
            open.push(rows);
            if let Some(view) = column.values {
                let (own, rows) = self::slot(view, stream)?;
                open.push(rows);
                desc.column[values] = own;
                slot.values = values as i32;
                values += 1;
            }
            desc.column[place] = slot;
        }
        desc.count = count as i32;
        let slots = &desc.column[..count];
        desc.narrow = i32::from(slots.iter().all(|slot| matches!(slot.kind, BITS | 1 | 2 | 4 | 8)));
        Ok((Self { desc, _columns: open }, later))
    }
}

fn slot<'a>(view: ColumnView<'a>, stream: &Stream) -> Result<(Slot, CudaColumn<'a>)> {
    let rows = CudaColumn::open(view, stream)?;
    let mut slot = Slot { column: rows.desc, bytes: 0, kind: NOTHING, values: -1 };
    let physical = physical_type(view.data_type());
    match physical {
        PhysicalType::Null => {}
        PhysicalType::Bool => slot.kind = BITS,
        PhysicalType::String { .. } | PhysicalType::Binary { .. } => {
            slot.kind = STRINGS;
            slot.bytes = view.buffers().get(1).map_or(0, |bytes| bytes.len() as i64);
        }
        PhysicalType::FixedBinary(width) => (slot.kind, slot.bytes) = (BYTES, width as i64),
        PhysicalType::Dictionary => {
            let DataType::Dictionary(keys, _) = view.data_type() else {
                return Err(Error::unsupported("hash", view.data_type()));
            };
            slot.kind = DICTIONARY;
            slot.column.data_type = kernel_type(physical_type(keys)) as i32;
        }
        other => {
            let width = other.width().ok_or_else(|| Error::unsupported("hash", view.data_type()))?;
            slot.kind = width as i32;
        }
    }
    Ok((slot, rows))
}
