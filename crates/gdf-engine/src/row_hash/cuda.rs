//! Computes the hashes of all rows on CUDA.

use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_kernels::generated::common::{HashedColumn as Slot, HashedKind as Kind, HashedTable};
use gdf_kernels::generated::hashing::{Hash, HashKernel};
use gdf_kernels::{ColumnIn, TABLE_COLUMNS};

use super::{Function, HashedColumn};
use crate::Ctx;
use crate::cuda::{Bytes, CudaColumn, CudaOutput, Kernel, Out, Rows, kernel_type};

/// The columns of one launch, open for kernels on a stream.
#[derive(Debug)]
pub struct OpenTable<'a> {
    /// The descriptor without addresses, which `desc` fills in.
    shape: HashedTable<'static, TABLE_COLUMNS>,
    columns: Vec<(usize, CudaColumn<'a>)>,
}

impl<'a> OpenTable<'a> {
    /// Opens as many of the first columns as one launch takes.
    pub fn open<'c>(columns: &'c [HashedColumn<'a>], stream: &Stream) -> Result<(Self, &'c [HashedColumn<'a>])> {
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
            open.push((position, rows));
            if let Some(view) = column.values {
                let (own, rows) = self::slot(view, stream)?;
                open.push((values, rows));
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
        Ok((Self { shape: desc, columns: open }, later))
    }

    pub fn desc(&self) -> HashedTable<'_, TABLE_COLUMNS> {
        let mut desc = self.shape;
        for (position, column) in &self.columns {
            let slot = &mut desc.column[*position].column;
            *slot = ColumnIn { data_type: slot.data_type, ..column.desc() };
        }
        desc
    }
}

fn slot<'a>(view: ColumnView<'a>, stream: &Stream) -> Result<(Slot<'static>, CudaColumn<'a>)> {
    let rows = CudaColumn::open(view, stream)?;
    let column = ColumnIn { data_type: rows.desc().data_type, ..ColumnIn::default() };
    let mut slot = Slot { column, bytes: Bytes::ZERO, kind: Kind::Nothing as i32, values: -1 };
    let physical = physical_type(view.data_type());
    match physical {
        PhysicalType::Null => {}
        PhysicalType::Bool => slot.kind = Kind::Bits as i32,
        PhysicalType::String { .. } | PhysicalType::Binary { .. } => {
            slot.kind = Kind::Strings as i32;
            slot.bytes = view.buffers().get(1).map_or(Bytes::ZERO, |bytes| Bytes::new(bytes.len()));
        }
        PhysicalType::FixedBinary(width) => (slot.kind, slot.bytes) = (Kind::Bytes as i32, Bytes::new(width)),
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

/// Computes the hashes. The result has a column for each word of a hash.
pub fn hash<F: Function>(
    kernel: HashKernel,
    columns: &[HashedColumn<'_>],
    rows: usize,
    data_type: &DataType,
    seed: F::Seed,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let kernel = Kernel::choose(kernel, ctx.stream)?;
    let output = || CudaOutput::fixed_width(data_type, rows, ctx);
    let mut outputs = (0..F::WORDS).map(|_| output()).collect::<Result<Vec<_>>>()?;
    let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
    let out = |word: usize| open.get(word).map_or(Out::NULL, |output| output.desc().data);
    let mut begun = 0;
    let mut left = columns;
    while !left.is_empty() {
        let (table, later) = OpenTable::open(left, ctx.stream)?;
        let arguments =
            Hash { table: table.desc(), rows: Rows::new(rows), seed: seed.into(), begun, out: out(0), high: out(1) };
        // SAFETY: The kernel reads `rows` rows of each column, and reads and writes `rows` rows of each output.
        // - All columns and outputs have `rows` rows. The callers check that the columns have `rows` rows and that
        //   `rows` is positive.
        // - There is an output for each word of a hash, and the kernel writes no other words.
        // - The kernel reads the outputs from the second launch on, after the launch before has written all rows.
        // - `table` and `open` hold all columns and outputs until the launch is enqueued.
        unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(rows), 1, &arguments)? };
        (left, begun) = (later, 1);
    }
    drop(open);
    outputs.into_iter().map(|output| output.finish(ctx.stream)).collect()
}
