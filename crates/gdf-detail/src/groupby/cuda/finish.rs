//! Keys and results as kernels write them: gathered by a row of each group, or made of accumulators.

use bytemuck::{Pod, Zeroable};
use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result, TableView, physical_type};
use gdf_driver::Stream;
use gdf_kernels::{ColumnOut, TableIn};
use gdf_memory::{Buffer, Resources};

use super::descriptors::AccumulatorsOut;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, args, characters};
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::empty_column;
use crate::groupby::plan::{FIRST_ROW, How, Plan};
use crate::keys::Packing;

/// Columns of a launch.
const COLUMNS: usize = 16;
/// Gathers, with floats in one form.
const GATHER_KEY: i32 = 1;
/// Takes a key out of its packed form.
const UNPACK: i32 = 13;

/// `gdf::moved_column`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct MovedColumn {
    bytes: i64,
    kind: i32,
    parent: i32,
    slot: i32,
    word: i32,
}

const MOVED_BITS: i32 = 0;
const MOVED_STRINGS: i32 = -1;
const MOVED_BYTES: i32 = -3;
const MOVED_MASK: i32 = -4;

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct MovedTable([MovedColumn; 32]);

/// `groupby::result`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ResultIn {
    how: i32,
    word: i32,
    other: i32,
    count: i32,
    ddof: i32,
    ranged: i32,
    base: u64,
}

impl ResultIn {
    /// Key column `index`, taken out of the packed keys that are where the rows of groups would be.
    fn unpacking(packing: &Packing, index: usize) -> Self {
        let base = packing.bases.get(index).copied().flatten();
        Self {
            how: UNPACK,
            word: FIRST_ROW as i32,
            other: i32::from(packing.shifts[index]),
            count: i32::from(packing.widths[index]),
            ddof: packing.null_bits[index].map_or(255, i32::from),
            ranged: i32::from(base.is_some()),
            base: base.unwrap_or(0),
        }
    }
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ResultsIn([ResultIn; COLUMNS]);

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ColumnsOut([ColumnOut; COLUMNS]);

const _: () = assert!(size_of::<ResultsIn>() == 512 && size_of::<ColumnsOut>() == 768);

/// A column to be written.
#[derive(Debug)]
struct Member<'a> {
    /// What is gathered.
    source: Option<ColumnView<'a>>,
    /// Whether its nulls are kept.
    nulls: bool,
    data_type: DataType,
    nullable: bool,
    result: ResultIn,
    /// Among the string columns, if it is one.
    string: Option<usize>,
}

/// What a launch takes to write columns of which none is gathered.
pub(super) struct Written {
    pub(super) results: ResultsIn,
    pub(super) out: ColumnsOut,
    pub(super) columns: i32,
}

/// All columns of the result.
#[derive(Debug)]
pub(super) struct Finish<'a> {
    members: Vec<Member<'a>>,
    strings: usize,
}

impl<'a> Finish<'a> {
    /// `unpacked`: the accumulators have keys, packed in this way, where there would be rows of groups.
    pub(super) fn new(keys: &TableView<'a>, policy: NullPolicy, plan: &Plan<'a>, unpacked: Option<&Packing>) -> Self {
        let mut finish = Self { members: Vec::new(), strings: 0 };
        for (index, key) in keys.columns().iter().enumerate() {
            let nulls = key.has_validity() && policy == NullPolicy::Include;
            if let Some(packing) = unpacked {
                finish.push(None, key.data_type().clone(), nulls, ResultIn::unpacking(packing, index));
                continue;
            }
            let float = physical_type(key.data_type()).is_floating();
            let how = if float { GATHER_KEY } else { How::Gather as i32 };
            let result = ResultIn { how, word: FIRST_ROW as i32, count: -1, ..ResultIn::zeroed() };
            finish.push(Some(*key), key.data_type().clone(), nulls, result);
        }
        for outcome in plan.outcomes.iter().flatten() {
            let result = ResultIn {
                how: outcome.how as i32,
                word: outcome.word as i32,
                other: outcome.other as i32,
                count: outcome.count.map_or(-1, |count| count as i32),
                ddof: i32::try_from(outcome.ddof).unwrap_or(i32::MAX),
                ..ResultIn::zeroed()
            };
            let source = (outcome.how == How::Gather).then(|| plan.values[outcome.request]);
            finish.push(source, outcome.data_type.clone(), outcome.nullable, result);
        }
        finish
    }

    fn push(&mut self, source: Option<ColumnView<'a>>, data_type: DataType, nullable: bool, result: ResultIn) {
        let text = matches!(physical_type(&data_type), PhysicalType::String { .. } | PhysicalType::Binary { .. });
        let string = text.then_some(self.strings);
        self.strings += usize::from(text);
        self.members.push(Member { source, nulls: nullable, data_type, nullable, result, string });
    }

    /// Columns whose bytes must be counted first; one word of the mailbox each.
    pub(super) fn strings(&self) -> usize {
        self.strings
    }

    /// Whether a launch can write all columns from accumulators alone.
    pub(super) fn is_direct(&self) -> bool {
        let gathered = |member: &Member<'_>| matches!(member.result.how, GATHER_KEY) || member.source.is_some();
        self.strings == 0 && self.members.len() <= COLUMNS && !self.members.iter().any(gathered)
    }

    /// Columns with room for `rows` groups, which `launch` writes; it returns how many there are. They are
    /// [`is_direct`](Self::is_direct).
    pub(super) fn write_within(
        &self,
        rows: usize,
        launch: impl FnOnce(Written) -> Result<usize>,
        stream: &Stream,
        mr: Resources<'_>,
    ) -> Result<Vec<Column>> {
        let outputs = self.members.iter().map(|member| member.output(rows, &[], stream, mr));
        let mut outputs = outputs.collect::<Result<Vec<CudaOutput>>>()?;
        let mut written =
            Written { results: ResultsIn::zeroed(), out: ColumnsOut::zeroed(), columns: outputs.len() as i32 };
        let groups = {
            let mut accesses = Vec::with_capacity(outputs.len());
            let places = written.results.0.iter_mut().zip(&mut written.out.0);
            for (((result, out), output), member) in places.zip(&mut outputs).zip(&self.members) {
                let access = output.open(stream)?;
                (*result, *out) = (member.result, access.desc);
                accesses.push(access);
            }
            launch(written)?
        };
        outputs.into_iter().map(|output| output.finish_first(groups, stream)).collect()
    }

    /// Columns without groups.
    pub(super) fn empty(&self, stream: &Stream, mr: Resources<'_>) -> Result<Vec<Column>> {
        self.members.iter().map(|member| empty_column(&member.data_type, stream, mr)).collect()
    }

    /// Counts the bytes of the string columns of up to `room` groups, into `counts`, which it returns, and the words
    /// `mailbox ..`. Nothing if there are none.
    pub(super) fn sizes(
        &self,
        state: u64,
        acc: AccumulatorsOut,
        room: usize,
        mailbox: u64,
        stream: &Stream,
        mr: Resources<'_>,
    ) -> Result<Option<Buffer>> {
        if self.strings == 0 {
            return Ok(None);
        }
        let kernel = Kernel::find(stream, "groupby", "aggregate_sizes_kernel", "aggregate_finish")?;
        let tiles = kernel.tiles(room);
        let mut counts = Buffer::uninitialized(self.strings * tiles * 8, stream, mr.temporary)?;
        {
            let counts = counts.write_on(stream)?;
            let (address, tiles) = (counts.address(), tiles as i64);
            let scratch = stream.scratch()?;
            for members in self.members.chunks(COLUMNS).filter(|members| members.iter().any(|m| m.string.is_some())) {
                let open = OpenMembers::new(members, stream)?;
                let args = args![state, acc, open.table, open.moved, open.results, address, tiles, scratch, mailbox];
                // SAFETY: the kernel takes (state, accumulators, table_in<32>, moved_table, results, counts, tiles,
                // scratch, mailbox). The inputs are open on this stream; the rows that the accumulators hold are
                // theirs; `counts` has `tiles` words for each string column, enough for `room` groups; the mailbox has
                // a word for each; the scratch memory is the stream's.
                unsafe { kernel.launch(stream, kernel.blocks(room), members.len() as u32, args)? };
            }
        }
        Ok(Some(counts))
    }

    /// Writes all columns. `counts` are what [`sizes`](Self::sizes) returned for `room`, `bytes` what it posted.
    pub(super) fn write(
        &self,
        groups: usize,
        acc: AccumulatorsOut,
        room: usize,
        counts: Option<&Buffer>,
        bytes: &[u64],
        stream: &Stream,
        mr: Resources<'_>,
    ) -> Result<Vec<Column>> {
        let kernel = Kernel::find(stream, "groupby", "aggregate_finish_kernel", "aggregate_finish")?;
        let counts = counts.map(|counts| counts.read_on(stream)).transpose()?;
        let address = counts.as_ref().map_or(0, |counts| counts.address());
        let tiles = kernel.tiles(room) as i64;
        let scratch = stream.scratch()?;
        let mut columns = Vec::with_capacity(self.members.len());
        for members in self.members.chunks(COLUMNS) {
            let open = OpenMembers::new(members, stream)?;
            let outputs = members.iter().map(|member| member.output(groups, bytes, stream, mr));
            let mut outputs = outputs.collect::<Result<Vec<CudaOutput>>>()?;
            let mut out = ColumnsOut::zeroed();
            let mut accesses = Vec::with_capacity(outputs.len());
            for (place, output) in out.0.iter_mut().zip(&mut outputs) {
                let access = output.open(stream)?;
                *place = access.desc;
                accesses.push(access);
            }
            let rows = groups as i64;
            let args = args![rows, acc, open.table, open.moved, open.results, out, address, tiles, scratch];
            // SAFETY: the kernel takes (groups, accumulators, table_in<32>, moved_table, results, table_out<16>,
            // counts, tiles, scratch). Inputs and outputs are open on this stream; outputs have a row per group, and as
            // many characters as `counts` were made for; the rows that the accumulators hold are the inputs'; the
            // scratch memory is the stream's.
            unsafe { kernel.launch(stream, kernel.blocks(groups), members.len() as u32, args)? };
            drop(accesses);
            for output in outputs {
                columns.push(output.finish(stream)?);
            }
        }
        Ok(columns)
    }
}

impl Member<'_> {
    fn output(&self, groups: usize, bytes: &[u64], stream: &Stream, mr: Resources<'_>) -> Result<CudaOutput> {
        let Some(string) = self.string else {
            return CudaOutput::fixed_width(&self.data_type, groups, self.nullable, stream, mr);
        };
        let needed = bytes.get(string).copied().unwrap_or(0);
        let large = matches!(
            physical_type(&self.data_type),
            PhysicalType::String { large: true } | PhysicalType::Binary { large: true }
        );
        if !large && needed > i32::MAX as u64 {
            return Err(Error::OffsetOverflow { needed });
        }
        CudaOutput::strings(&self.data_type, groups, needed as usize, self.nullable, stream, mr)
    }

    fn moved(&self, data: u64) -> MovedColumn {
        let nothing = MovedColumn { bytes: 0, kind: MOVED_MASK, parent: -1, slot: 0, word: 0 };
        let Some(source) = self.source.filter(|_| self.result.how == How::Gather as i32) else { return nothing };
        let physical = physical_type(source.data_type());
        if let Some(string) = self.string {
            let place = string as i32;
            return MovedColumn { bytes: characters(source), kind: MOVED_STRINGS, slot: place, word: place, ..nothing };
        }
        match physical.width() {
            None => MovedColumn { kind: MOVED_BITS, ..nothing },
            Some(width) if data.is_multiple_of(width.min(8) as u64) => MovedColumn { kind: width as i32, ..nothing },
            Some(width) => MovedColumn { kind: MOVED_BYTES, bytes: width as i64, ..nothing },
        }
    }
}

/// The inputs of some columns as a kernel takes them. Keep it until the launch is enqueued.
struct OpenMembers<'a> {
    table: TableIn,
    moved: MovedTable,
    results: ResultsIn,
    _columns: Vec<CudaColumn<'a>>,
}

impl<'a> OpenMembers<'a> {
    fn new(members: &[Member<'a>], stream: &Stream) -> Result<Self> {
        let (mut moved, mut results) = (MovedTable::zeroed(), ResultsIn::zeroed());
        let mut table = Vec::with_capacity(members.len());
        let mut columns = Vec::new();
        for ((member, moved), result) in members.iter().zip(&mut moved.0).zip(&mut results.0) {
            let mut desc = gdf_kernels::ColumnIn::default();
            if let Some(source) = member.source {
                let column = CudaColumn::open(source, stream)?;
                desc = column.desc;
                columns.push(column);
            }
            if !member.nulls {
                desc.validity = 0;
            }
            *moved = member.moved(desc.data);
            *result = member.result;
            table.push(desc);
        }
        let table = TableIn::new(&table).ok_or(Error::InvalidArgument { what: "more columns than a launch takes" })?;
        Ok(Self { table, moved, results, _columns: columns })
    }
}
