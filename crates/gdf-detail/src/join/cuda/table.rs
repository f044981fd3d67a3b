//! The table of the build side on CUDA: one cooperative launch.

use gdf_core::{PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_memory::{Access, Buffer, Resources};

use crate::cuda::{Kernel, KeyTableIn, OpenKeys, args};
use crate::keys::KeySide;

/// The table, and of each row of the build side its place there; rows by key where a key has several.
#[derive(Debug)]
pub(in crate::join) struct Table {
    memory: Buffer,
    layout: Layout,
}

/// Where in the memory things are, and what kernels are told of them.
#[derive(Clone, Copy, Debug)]
struct Layout {
    slots: usize,
    rows: usize,
    is_set: bool,
    direct: i32,
    null_bit: i32,
}

const SLOT: usize = 16;
const STATE: usize = 32;

impl Layout {
    fn state(self) -> usize {
        (self.slots + 2) * SLOT
    }

    fn places(self) -> usize {
        self.state() + STATE
    }

    fn grouped(self) -> usize {
        self.places() + self.rows.next_multiple_of(4) * 4
    }

    fn bytes(self) -> usize {
        if self.is_set { self.places() } else { self.grouped() + self.rows * 4 }
    }

    fn table(self, memory: u64) -> KeyTableIn {
        KeyTableIn {
            slots: memory,
            size: self.slots as i64,
            state: memory + self.state() as u64,
            direct: self.direct,
            null_bit: self.null_bit,
        }
    }
}

/// The table, open for kernels that read it. Keep it until the launch is enqueued.
#[derive(Debug)]
pub(super) struct OpenTable<'a> {
    pub(super) desc: KeyTableIn,
    pub(super) places: u64,
    pub(super) grouped: u64,
    _access: Access<'a>,
}

impl Table {
    pub(in crate::join) fn new(build: &KeySide<'_>, is_set: bool, stream: &Stream, mr: Resources<'_>) -> Result<Self> {
        let rows = build.rows();
        let (direct, null_bit) = direct_type(build);
        let layout = Layout { slots: (rows * 2).max(16), rows, is_set, direct, null_bit };
        let mut memory = Buffer::uninitialized(layout.bytes(), stream, mr.output)?;
        let mut ranks = (!is_set).then(|| Buffer::uninitialized(rows * 4, stream, mr.temporary)).transpose()?;
        let name = if build.packing.is_some() { "join_build_packed_kernel" } else { "join_build_rows_kernel" };
        let kernel = Kernel::find(stream, "join", name, "join_build")?;
        let keys = OpenKeys::of_side(build, stream)?;
        let access = memory.write_on(stream)?;
        let ranks = ranks.as_mut().map(|ranks| ranks.write_on(stream)).transpose()?;
        let base = access.address();
        let (table, rows_in, scratch) = (layout.table(base), rows as i64, stream.scratch()?);
        let (mut places, mut grouped) = (base + layout.places() as u64, base + layout.grouped() as u64);
        if is_set {
            (places, grouped) = (0, 0);
        }
        let ranks_in = ranks.as_ref().map_or(0, |ranks| ranks.address());
        let blocks = kernel.blocks(rows).max(1);
        // SAFETY: the kernel takes (row_keys, key_table, int64 rows, places*, ranks*, grouped*, scratch*) in this order.
        // Keys have `rows` rows, fewer than 2^31, and are open for reading on this stream; the table's memory holds
        // slots + 2 slots, at least twice as many as rows, and the state; places, ranks and grouped hold `rows` words of
        // 32 bits or are null all three; all are exclusively ours. The launch is cooperative, as the barrier asks.
        unsafe {
            kernel.launch_cooperative(
                stream,
                blocks,
                args![keys.desc, table, rows_in, places, ranks_in, grouped, scratch],
            )?;
        }
        drop(access);
        Ok(Self { memory, layout })
    }

    pub(in crate::join) fn memory_size(&self) -> usize {
        self.layout.bytes()
    }

    pub(super) fn open(&self, stream: &Stream) -> Result<OpenTable<'_>> {
        let access = self.memory.read_on(stream)?;
        let base = access.address();
        Ok(OpenTable {
            desc: self.layout.table(base),
            places: base + self.layout.places() as u64,
            grouped: base + self.layout.grouped() as u64,
            _access: access,
        })
    }
}

/// The kernels' number for the type of the one key column whose values may index the table, and its null bit.
fn direct_type(build: &KeySide<'_>) -> (i32, i32) {
    const NONE: (i32, i32) = (-1, 255);
    let ([column], Some(packing)) = (build.keys.columns(), &build.packing) else { return NONE };
    let physical = physical_type(column.data_type());
    if !(physical.is_integral() || physical == PhysicalType::Bool) {
        return NONE;
    }
    let null_bit = packing.null_bits.first().copied().flatten().unwrap_or(255);
    (crate::cuda::kernel_type(physical) as i32, i32::from(null_bit))
}
