//! Result columns on CUDA.

use gdf_core::{Column, ColumnView, DataType, Error, Result, physical_type};
use gdf_driver::Stream;
use gdf_engine::cuda::{
    Bytes, CudaColumn, CudaOutput, Grid, In, Kernel, Memory, Out, Tiles, Values, open_outputs, out_table,
};
use gdf_engine::keys::Packing;
use gdf_engine::layout::{RowKind, characters, counted_bytes};
use gdf_engine::rows::cuda::copy_descriptor;
use gdf_kernels::generated::common::{CopyDescriptor, CopyTable, NO_BIT};
use gdf_kernels::generated::groupby::{self as kernels, AggregateFinish, AggregateSizes, FINISH_COLUMNS, Results};
use gdf_kernels::{ColumnIn, TABLE_COLUMNS, TableIn, TableOut};
use gdf_memory::{Buffer, Mailbox};

use super::request::{Groups, Request, run};
use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::plan::{FIRST_ROW, Finalize};
use crate::groupby::empty::empty_column;

/// The number of mailbox words before the words of string columns.
pub(super) const STATE_WORDS: usize = 3;

/// Describes a result column that is key column `index`, unpacked from packed keys.
fn unpacking(packing: &Packing, index: usize) -> kernels::Result {
    let base = packing.bases.get(index).copied().flatten();
    kernels::Result {
        finalize: Finalize::Unpack as i32,
        word: FIRST_ROW as i32,
        other: i32::from(packing.shifts[index]),
        count: i32::from(packing.widths[index]),
        ddof: packing.null_bits[index].map_or(NO_BIT as i32, i32::from),
        ranged: i32::from(base.is_some()),
        base: base.unwrap_or(0),
    }
}

#[derive(Debug)]
struct FinishedColumn<'a> {
    source: Option<ColumnView<'a>>,
    nulls: bool,
    data_type: DataType,
    nullable: bool,
    result: kernels::Result,
    /// The position among the string columns, if the column is a string column.
    string: Option<usize>,
}

/// The arguments of a launch that writes result columns, none of which is gathered.
pub(super) struct Written<'a> {
    pub(super) results: Results,
    pub(super) out: TableOut<'a, FINISH_COLUMNS>,
    pub(super) columns: i32,
}

/// The results of the launch that computes string sizes: the first position of each tile, and the number of bytes of
/// each column.
pub(super) struct Strings<'a> {
    pub(super) counts: Option<&'a Buffer>,
    pub(super) bytes: &'a [u64],
}

/// All columns of the result.
#[derive(Debug)]
pub(super) struct Finish<'a> {
    members: Vec<FinishedColumn<'a>>,
    strings: usize,
}

impl<'a> Finish<'a> {
    /// Describes the columns of a request. The key columns are unpacked from packed keys if `unpacked` says how, and
    /// otherwise gathered from the first row of each group.
    pub(super) fn new(request: &Request<'_, 'a>, unpacked: Option<&Packing>) -> Self {
        let plan = request.plan;
        let mut finish = Self { members: Vec::new(), strings: 0 };
        for (index, key) in request.columns.columns().iter().enumerate() {
            let nulls = key.has_validity() && request.policy == NullPolicy::Include;
            if let Some(packing) = unpacked {
                finish.push(None, key.data_type().clone(), nulls, unpacking(packing, index));
                continue;
            }
            let float = physical_type(key.data_type()).is_floating();
            let finalize = if float { Finalize::GatherKey } else { Finalize::Gather };
            let result = kernels::Result {
                finalize: finalize as i32,
                word: FIRST_ROW as i32,
                count: -1,
                ..kernels::Result::default()
            };
            finish.push(Some(*key), key.data_type().clone(), nulls, result);
        }
        for result_column in plan.results.iter().flatten() {
            let result = kernels::Result {
                finalize: result_column.finalize as i32,
                word: result_column.word as i32,
                other: result_column.other as i32,
                count: result_column.count.map_or(-1, |count| count as i32),
                ddof: i32::try_from(result_column.ddof).unwrap_or(i32::MAX),
                ..kernels::Result::default()
            };
            let gathers = result_column.finalize == Finalize::Gather;
            let source = plan.values.get(result_column.request).copied().filter(|_| gathers);
            finish.push(source, result_column.data_type.clone(), result_column.nullable, result);
        }
        finish
    }

    fn push(&mut self, source: Option<ColumnView<'a>>, data_type: DataType, nullable: bool, result: kernels::Result) {
        let text = physical_type(&data_type).has_byte_offsets();
        let string = text.then_some(self.strings);
        self.strings += usize::from(text);
        self.members.push(FinishedColumn { source, nulls: nullable, data_type, nullable, result, string });
    }

    /// Returns the number of columns whose bytes must be counted before the columns are written.
    pub(super) fn strings(&self) -> usize {
        self.strings
    }

    /// Checks that a mailbox has a word for each string column.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) if there are more string columns.
    pub(super) fn check_strings(&self) -> Result<()> {
        let most = Mailbox::MAX_WORDS - STATE_WORDS;
        if self.strings > most {
            let what = "the number of string columns that a group-by on a GPU returns";
            return Err(
                Error::beyond_limit(what, self.strings as i128, most as i128).with_remedy("aggregate in several calls")
            );
        }
        Ok(())
    }

    pub(super) fn is_direct(&self) -> bool {
        let few = self.members.len() <= FINISH_COLUMNS;
        few && self.strings == 0 && self.members.iter().all(|member| member.source.is_none())
    }

    /// Allocates columns for `rows` groups and calls `launch` to write the columns.
    pub(super) fn write_within(
        &self,
        rows: usize,
        launch: impl FnOnce(Written<'_>) -> Result<usize>,
        ctx: Ctx<'_>,
    ) -> Result<Vec<Column>> {
        let outputs = self.members.iter().map(|member| member.output(rows, &[], ctx));
        let mut outputs = outputs.collect::<Result<Vec<CudaOutput>>>()?;
        let groups = {
            let open = open_outputs(&mut outputs, ctx.stream)?;
            let out = out_table(&open)?;
            launch(Written { results: results(&self.members), out, columns: self.members.len() as i32 })?
        };
        outputs.into_iter().map(|output| output.finish_first(groups, ctx.stream)).collect()
    }

    pub(super) fn empty(&self, ctx: Ctx<'_>) -> Result<Vec<Column>> {
        self.members.iter().map(|member| empty_column(&member.data_type, ctx)).collect()
    }

    /// Counts the bytes of the string columns for as many groups as the table can contain.
    pub(super) fn sizes(&self, groups: &Groups<'_>, mailbox: Out<'_, u64>, ctx: Ctx<'_>) -> Result<Option<Buffer>> {
        if self.strings == 0 {
            return Ok(None);
        }
        let kernel = Kernel::find(ctx.stream)?;
        let (capacity, state, acc) = (groups.capacity(), groups.table.state.read(), groups.acc);
        let tiles = kernel.tiles(capacity);
        let mut buffer = Buffer::uninitialized(self.strings * tiles * 8, ctx.stream, ctx.mr.temporary)?;
        {
            let access = buffer.write_on(ctx.stream)?;
            let counts = Memory::of(&access).array(0, self.strings * tiles)?;
            let tiles = Tiles::new(tiles);
            let has_text = |members: &&[FinishedColumn<'_>]| members.iter().any(|member| member.string.is_some());
            for members in self.members.chunks(FINISH_COLUMNS).filter(has_text) {
                let columns = OpenColumns::new(members, ctx.stream)?;
                let (input, copy) = columns.describe(members);
                let results = results(members);
                let arguments = AggregateSizes { state, acc, input, copy, results, counts, tiles, mailbox };
                let grid = Grid::Columns(kernel.blocks(capacity), members.len() as u32);
                run(&kernel, grid, &arguments, ctx.stream)?;
            }
        }
        Ok(Some(buffer))
    }

    /// Writes all columns of `count` groups.
    pub(super) fn write(
        &self,
        count: usize,
        groups: &Groups<'_>,
        strings: Strings<'_>,
        ctx: Ctx<'_>,
    ) -> Result<Vec<Column>> {
        let kernel = Kernel::find(ctx.stream)?;
        let access = strings.counts.map(|counts| counts.read_on(ctx.stream)).transpose()?;
        let tiles = kernel.tiles(groups.capacity());
        let counts = access.as_ref().map(|counts| Values::of(counts).array(0, self.strings * tiles)).transpose()?;
        let (counts, acc, tiles) = (counts.unwrap_or_default(), groups.acc, Tiles::new(tiles));
        let mut columns = Vec::with_capacity(self.members.len());
        for members in self.members.chunks(FINISH_COLUMNS) {
            let open_columns = OpenColumns::new(members, ctx.stream)?;
            let (input, copy) = open_columns.describe(members);
            let outputs = members.iter().map(|member| member.output(count, strings.bytes, ctx));
            let mut outputs = outputs.collect::<Result<Vec<CudaOutput>>>()?;
            let open = open_outputs(&mut outputs, ctx.stream)?;
            let out = out_table(&open)?;
            let (groups, results) = (count as i64, results(members));
            let arguments = AggregateFinish { groups, acc, input, copy, results, out, counts, tiles };
            let grid = Grid::Columns(kernel.blocks(count), members.len() as u32);
            run(&kernel, grid, &arguments, ctx.stream)?;
            drop(open);
            for output in outputs {
                columns.push(output.finish(ctx.stream)?);
            }
        }
        Ok(columns)
    }
}

fn results(members: &[FinishedColumn<'_>]) -> Results {
    let mut results = Results::default();
    for (target, member) in results.column.iter_mut().zip(members) {
        *target = member.result;
    }
    results
}

impl FinishedColumn<'_> {
    fn output(&self, groups: usize, bytes: &[u64], ctx: Ctx<'_>) -> Result<CudaOutput> {
        let Some(string) = self.string else {
            return CudaOutput::fixed_width(&self.data_type, groups, ctx)?.nullable(self.nullable, ctx);
        };
        let needed = bytes.get(string).copied().unwrap_or(0);
        let large = physical_type(&self.data_type).is_large();
        let bytes = counted_bytes(RowKind::Strings { large }, needed)?;
        CudaOutput::strings(&self.data_type, groups, bytes, ctx)?.nullable(self.nullable, ctx)
    }

    fn copy(&self, column: &ColumnIn<'_>) -> CopyDescriptor {
        let gathered = self.result.finalize == Finalize::Gather as i32;
        let Some(source) = self.source.filter(|_| gathered) else {
            return copy_descriptor(RowKind::Null, column, Bytes::ZERO);
        };
        let kind = RowKind::of(source.data_type()).unwrap_or(RowKind::Null);
        let string = self.string.map_or(0, |string| string as i32);
        CopyDescriptor { slot: string, word: string, ..copy_descriptor(kind, column, characters(source)) }
    }
}

struct OpenColumns<'a>(Vec<Option<CudaColumn<'a>>>);

impl<'a> OpenColumns<'a> {
    fn new(members: &[FinishedColumn<'a>], stream: &Stream) -> Result<Self> {
        let open =
            |member: &FinishedColumn<'a>| member.source.map(|source| CudaColumn::open(source, stream)).transpose();
        Ok(Self(members.iter().map(open).collect::<Result<_>>()?))
    }

    /// Returns the input table of a kernel, and the description of how to copy each column.
    fn describe(&self, members: &[FinishedColumn<'_>]) -> (TableIn<'_, TABLE_COLUMNS>, CopyTable) {
        let (mut input, mut copy) = (TableIn::default(), CopyTable::default());
        let slots = input.column.iter_mut().zip(&mut copy.column);
        for ((desc, copy), (member, column)) in slots.zip(members.iter().zip(&self.0)) {
            *desc = column.as_ref().map_or_else(ColumnIn::default, CudaColumn::desc);
            if !member.nulls {
                desc.validity = In::NULL;
            }
            *copy = member.copy(desc);
        }
        (input, copy)
    }
}
