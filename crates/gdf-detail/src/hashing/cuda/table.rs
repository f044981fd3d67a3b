//! What kernels that hash rows take by value: `gdf::hashed_table<32>` of kernels/include/gdf/hash_rows.cuh.

use gdf_core::{ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_kernels::TABLE_COLUMNS;
use gdf_kernels::generated::common::{HashedColumn as Slot, HashedKind as Kind, HashedTable};

use crate::cuda::{CudaColumn, kernel_type};
use crate::hashing::HashedColumn;

/// Columns of one launch, open for kernels on a stream. Keep it until the launch is enqueued.
#[derive(Debug)]
pub(crate) struct OpenTable<'a> {
    pub(crate) desc: HashedTable<TABLE_COLUMNS>,
    _columns: Vec<CudaColumn<'a>>,
}

impl<'a> OpenTable<'a> {
    /// The first columns, as many as one launch takes, and the others.
    pub(crate) fn open<'c>(columns: &'c [HashedColumn<'a>], stream: &Stream) -> Result<(Self, &'c [HashedColumn<'a>])> {
        let mut positions = 0;
        let fits = |column: &&HashedColumn<'_>| {
            positions += 1 + usize::from(column.values.is_some());
            positions <= TABLE_COLUMNS
        };
        let count = columns.iter().take_while(fits).count();
        let (now, later) = columns.split_at(count);
        let mut desc = HashedTable::default();
        let mut open = Vec::new();
        let mut values = count;
        for (position, column) in now.iter().enumerate() {
            let (mut slot, rows) = slot(column.view, stream)?;
            open.push(rows);
            if let Some(view) = column.values {
                let (own, rows) = self::slot(view, stream)?;
                open.push(rows);
                desc.column[values] = own;
                slot.values = values as i32;
                values += 1;
            }
            desc.column[position] = slot;
        }
        desc.count = count as i32;
        let slots = &desc.column[..count];
        desc.narrow =
            i32::from(slots.iter().all(|slot| slot.kind == Kind::Bits as i32 || matches!(slot.kind, 1 | 2 | 4 | 8)));
        Ok((Self { desc, _columns: open }, later))
    }
}

fn slot<'a>(view: ColumnView<'a>, stream: &Stream) -> Result<(Slot, CudaColumn<'a>)> {
    let rows = CudaColumn::open(view, stream)?;
    let mut slot = Slot { column: rows.desc, bytes: 0, kind: Kind::Nothing as i32, values: -1 };
    let physical = physical_type(view.data_type());
    match physical {
        PhysicalType::Null => {}
        PhysicalType::Bool => slot.kind = Kind::Bits as i32,
        PhysicalType::String { .. } | PhysicalType::Binary { .. } => {
            slot.kind = Kind::Strings as i32;
            slot.bytes = view.buffers().get(1).map_or(0, |bytes| bytes.len() as i64);
        }
        PhysicalType::FixedBinary(width) => (slot.kind, slot.bytes) = (Kind::Bytes as i32, width as i64),
        PhysicalType::Dictionary => {
            let DataType::Dictionary(keys, _) = view.data_type() else {
                return Err(Error::unsupported("hash", view.data_type()));
            };
            slot.kind = Kind::Dictionary as i32;
            slot.column.data_type = kernel_type(physical_type(keys)) as i32;
        }
        other => {
            let width = other.width().ok_or_else(|| Error::unsupported("hash", view.data_type()))?;
            slot.kind = width as i32;
        }
    }
    Ok((slot, rows))
}
