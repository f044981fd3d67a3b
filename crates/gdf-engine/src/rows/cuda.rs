//! The CUDA half of the engine. `kernels/include/gdf/move_rows.cuh` declares the structs that launches take.

use gdf_core::{DataType, Error, Result, Table};
use gdf_driver::Stream;
use gdf_kernels::generated::common::{CopyDescriptor, CopyKind, CopyTable};
use gdf_kernels::{Arguments, ColumnIn, ColumnOut, TABLE_COLUMNS, TableIn, TableOut};
use gdf_memory::{Buffer, Mailbox};

use super::{Leaf, RowPlan};
use crate::Ctx;
use crate::cuda::{Bytes, CudaColumn, CudaOutput, Grid, In, Kernel, OpenOutput, Out, one_launch};
use crate::layout::{OutputBuffers, RowKind, characters, counted_bytes};
use crate::limits::cuda as limits;

/// The maximum number of bytes that are allocated for a result whose size is not known yet.
pub const MAX_CAPACITY: usize = limits::RESULT_GUESS_BYTES;

/// The descriptor for a position of the launch at which no leaf is copied.
const NOT_COPIED: CopyDescriptor =
    CopyDescriptor { bytes: Bytes::ZERO, kind: CopyKind::Mask as i32, parent: -1, slot: 0, word: 0 };

/// The memory from which kernels read the sizes of text, or to which kernels write the sizes.
#[derive(Clone, Copy, Debug, Default)]
pub struct SizePlaces<'a> {
    /// For each leaf, the number of the array in which kernels find the sizes of the leaf's tiles.
    pub slots: &'a [usize],
    /// The index of the mailbox word that belongs to position 0 of the launch.
    pub first_word: usize,
}

#[derive(Clone, Copy, Debug)]
struct BatchMember {
    leaf: usize,
    /// Whether the launch copies this leaf. If false, this leaf is a struct around a copied leaf.
    copied: bool,
}

/// The leaves of one launch. The position of a leaf is its blockIdx.y.
#[derive(Debug)]
pub struct LaunchBatch {
    reserved: usize,
    members: Vec<BatchMember>,
}

impl LaunchBatch {
    /// Distributes leaves over as few launches as possible, but at least one. The first launch keeps `reserved`
    /// positions free.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for a column inside more than 31 structs that all have nulls.
    pub fn distribute(
        plan: &RowPlan<'_>,
        leaves: impl IntoIterator<Item = usize>,
        reserved: usize,
    ) -> Result<Vec<LaunchBatch>> {
        let mut batches = vec![LaunchBatch { reserved, members: Vec::new() }];
        for leaf in leaves {
            let fits = batches.last_mut().is_some_and(|batch| batch.add(plan, leaf));
            if !fits {
                let mut batch = LaunchBatch { reserved: 0, members: Vec::new() };
                if !batch.add(plan, leaf) {
                    return Err(Error::unsupported(plan.operation(), plan.leaves()[leaf].view.data_type()));
                }
                batches.push(batch);
            }
        }
        Ok(batches)
    }

    fn add(&mut self, plan: &RowPlan<'_>, leaf: usize) -> bool {
        let missing: Vec<_> = plan.with_parents(leaf).filter(|&at| at == leaf || self.position(at).is_none()).collect();
        if self.columns() + missing.len() > TABLE_COLUMNS {
            return false;
        }
        self.members.extend(missing.iter().rev().map(|&at| BatchMember { leaf: at, copied: at == leaf }));
        true
    }

    fn position(&self, leaf: usize) -> Option<usize> {
        Some(self.reserved + self.members.iter().position(|member| member.leaf == leaf)?)
    }

    /// Returns the number of positions in use, including the reserved positions.
    pub fn columns(&self) -> usize {
        self.reserved + self.members.len()
    }

    /// Returns the leaves that are copied, in order.
    pub fn copied(&self) -> impl Iterator<Item = (usize, usize)> {
        let members = self.members.iter().enumerate().filter(|(_, member)| member.copied);
        members.map(|(position, member)| (self.reserved + position, member.leaf))
    }

    /// Returns the positions at which no leaf is copied: the reserved positions, and the positions of structs that
    /// contain copied leaves.
    pub(crate) fn uncopied(&self) -> impl Iterator<Item = usize> {
        let members = self.members.iter().enumerate().filter(|(_, member)| !member.copied);
        (0..self.reserved).chain(members.map(|(position, _)| self.reserved + position))
    }

    fn open<'a>(
        &self,
        plan: &RowPlan<'a>,
        sizes: SizePlaces<'_>,
        stream: &Stream,
    ) -> Result<(CopyTable, Vec<CudaColumn<'a>>)> {
        let mut copy = CopyTable { column: [NOT_COPIED; TABLE_COLUMNS] };
        let mut columns = Vec::with_capacity(self.members.len());
        for (position, member) in (self.reserved..).zip(&self.members) {
            let leaf = &plan.leaves()[member.leaf];
            let column = CudaColumn::open(leaf.view, stream)?;
            let mut descriptor = if member.copied {
                copy_descriptor(leaf.kind, &column.desc(), characters(leaf.view))
            } else {
                NOT_COPIED
            };
            descriptor.parent =
                leaf.parent.and_then(|parent| self.position(parent)).map_or(-1, |position| position as i32);
            descriptor.slot = sizes.slots.get(member.leaf).map_or(0, |&slot| slot as i32);
            descriptor.word = (sizes.first_word + position) as i32;
            copy.column[position] = descriptor;
            columns.push(column);
        }
        Ok((copy, columns))
    }

    fn open_outputs<'a>(
        &self,
        outputs: &'a mut [Option<CudaOutput>],
        stream: &Stream,
    ) -> Result<Vec<(usize, OpenOutput<'a>)>> {
        let mut columns = Vec::with_capacity(self.members.len());
        let mut positions = self.copied().peekable();
        for (leaf, output) in outputs.iter_mut().enumerate() {
            let Some((position, _)) = positions.next_if(|(_, copied)| *copied == leaf) else { continue };
            let Some(output) = output else { continue };
            columns.push((position, output.open(stream)?));
        }
        Ok(columns)
    }

    fn in_table<'c>(&self, columns: &'c [CudaColumn<'_>]) -> Result<TableIn<'c, TABLE_COLUMNS>> {
        let mut table = vec![ColumnIn::default(); self.reserved];
        table.extend(columns.iter().map(CudaColumn::desc));
        one_launch(TableIn::new(&table))
    }

    fn out_table<'o>(&self, outputs: &'o [(usize, OpenOutput<'_>)]) -> Result<TableOut<'o, TABLE_COLUMNS>> {
        let mut table = vec![ColumnOut::default(); self.columns()];
        for (position, output) in outputs {
            table[*position] = output.desc();
        }
        one_launch(TableOut::new(&table))
    }

    pub fn launch<R>(
        &self,
        plan: &RowPlan<'_>,
        sizes: SizePlaces<'_>,
        outputs: Option<&mut RowOutputs>,
        stream: &Stream,
        launch: impl FnOnce(&RowLaunch<'_>) -> Result<R>,
    ) -> Result<R> {
        let (copy, inputs) = self.open(plan, sizes, stream)?;
        let outputs = outputs.map(|outputs| self.open_outputs(&mut outputs.0, stream)).transpose()?;
        let input = self.in_table(&inputs)?;
        let out = outputs.as_ref().map(|outputs| self.out_table(outputs)).transpose()?.unwrap_or_default();
        launch(&RowLaunch { stream, batch: self, input, out, copy })
    }
}

/// The arguments that all row kernels take.
pub struct RowLaunch<'a> {
    pub stream: &'a Stream,
    pub batch: &'a LaunchBatch,
    pub input: TableIn<'a, TABLE_COLUMNS>,
    pub out: TableOut<'a, TABLE_COLUMNS>,
    pub copy: CopyTable,
}

impl RowLaunch<'_> {
    /// Returns the number of columns of the grid.
    pub fn columns(&self) -> u32 {
        self.batch.columns().max(1) as u32
    }

    pub fn run<A: Arguments>(&self, kernel: &Kernel<A::Static>, grid: Grid, arguments: &A) -> Result<()> {
        // SAFETY: A row kernel reads rows of `input` and writes rows of `out`, or words of tiles.
        // - The kernel's source of rows yields only rows of the plan's table, or the source checks the row numbers.
        // - `out` has the columns of `copy`, of the same types. The columns are open for writing. The operation has
        //   allocated all rows and bytes that the kernel writes.
        // - The operation has allocated the words of tiles that the kernel's policy and `copy` require.
        // - The launch has the shared memory that the kernel uses for the columns.
        // - Inputs and outputs are open until `launch` returns.
        unsafe { kernel.launch_grid(self.stream, grid, arguments)? };
        Ok(())
    }
}

/// Returns the descriptor by which kernels copy the rows of a column.
pub fn copy_descriptor(kind: RowKind, column: &ColumnIn<'_>, characters: Bytes) -> CopyDescriptor {
    let (kind, bytes) = match kind {
        RowKind::Bits => (CopyKind::Bits as i32, Bytes::ZERO),
        RowKind::Strings { .. } => (CopyKind::Strings as i32, characters),
        RowKind::Bytes(width @ (1 | 2 | 4 | 8 | 16 | 32))
            if column.data.address().is_multiple_of(width.min(8) as u64) =>
        {
            (width as i32, Bytes::ZERO)
        }
        RowKind::Bytes(width) => (CopyKind::AnyWidth as i32, Bytes::new(width)),
        RowKind::Validity => (CopyKind::Validity as i32, Bytes::ZERO),
        RowKind::Null => (CopyKind::Mask as i32, Bytes::ZERO),
    };
    CopyDescriptor { bytes, kind, ..NOT_COPIED }
}

/// Creates a result of `rows` rows without a mask. Returns `None` for the null type, which has no data.
pub fn row_output(
    data_type: &DataType,
    kind: RowKind,
    rows: usize,
    bytes: usize,
    ctx: Ctx<'_>,
) -> Result<Option<CudaOutput>> {
    let output = match kind {
        RowKind::Null => return Ok(None),
        RowKind::Bits => CudaOutput::fixed_width(data_type, rows, ctx)?,
        RowKind::Bytes(width) => CudaOutput::with_bytes(data_type, rows, rows.checked_mul(width), ctx)?,
        RowKind::Strings { .. } => CudaOutput::strings(data_type, rows, bytes, ctx)?,
        RowKind::Validity => CudaOutput::without_values(data_type, rows),
    };
    Ok(Some(output))
}

/// The results of all leaves, by leaf. The element is `None` for a leaf without data.
pub struct RowOutputs(Vec<Option<CudaOutput>>);

impl RowOutputs {
    /// Creates results of `rows` rows.
    pub fn new(plan: &RowPlan<'_>, rows: usize, bytes: &[usize], ctx: Ctx<'_>) -> Result<Self> {
        let output = |(at, leaf): (usize, &Leaf<'_>)| {
            let bytes = bytes.get(at).copied().unwrap_or(0);
            let output = row_output(leaf.view.data_type(), leaf.kind, rows, bytes, ctx)?;
            output.map(|output| output.nullable(plan.nullable(at), ctx)).transpose()
        };
        Ok(Self(plan.leaves().iter().enumerate().map(output).collect::<Result<_>>()?))
    }

    pub(crate) fn nullable(mut self, ctx: Ctx<'_>) -> Result<Self> {
        self.0.iter_mut().flatten().try_for_each(|output| output.add_mask(ctx))?;
        Ok(self)
    }

    /// Returns the positions of the leaves that have a result.
    pub fn leaves(&self) -> Vec<usize> {
        (0..self.0.len()).filter(|&at| self.0[at].is_some()).collect()
    }

    /// Returns the buffers of all leaves. The kernels that write the buffers must already be enqueued.
    pub fn into_buffers(self, plan: &RowPlan<'_>, ctx: Ctx<'_>) -> Result<Vec<OutputBuffers>> {
        let buffers = |(leaf, output): (&Leaf<'_>, Option<CudaOutput>)| {
            output.map_or_else(|| OutputBuffers::empty(leaf, ctx), CudaOutput::into_buffers)
        };
        plan.leaves().iter().zip(self.0).map(buffers).collect()
    }

    pub fn finish(self, plan: &RowPlan<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Table> {
        plan.finish(rows, ctx.stream.device(), self.into_buffers(plan, ctx)?)
    }
}

pub(crate) struct StringSizes {
    /// One buffer with an array for each slot. The array contains, for each tile, the position in the result's bytes at
    /// which the tile begins.
    pub positions: Buffer,
    /// The number of bytes of text of each leaf in the result.
    pub bytes: Vec<usize>,
    pub slots: Vec<usize>,
}

#[derive(Clone, Copy)]
pub(crate) struct Measure<'a> {
    /// The number of arrays and positions that the first launch reserves for the operation.
    pub(crate) reserved: usize,
    /// The number of words of each array.
    pub tiles: usize,
    /// The number of mailbox words before the words of the columns.
    pub(crate) first_word: usize,
    pub ctx: Ctx<'a>,
}

impl Measure<'_> {
    /// Measures all text of a plan, with a launch and a wait for each batch of up to 32 columns. There is at least one
    /// launch, even if there is no text.
    pub(crate) fn run(
        self,
        plan: &RowPlan<'_>,
        mailbox: impl Fn(&LaunchBatch, usize) -> Result<Mailbox>,
        launch: impl Fn(&RowLaunch<'_>, usize, Out<'_, u64>, Out<'_, u64>) -> Result<()>,
        mut read: impl FnMut(usize, &[u64]) -> Result<()>,
    ) -> Result<StringSizes> {
        let Measure { reserved, tiles, first_word, ctx: Ctx { stream, mr } } = self;
        let strings = plan.strings();
        let mut slots = vec![0; plan.leaves().len()];
        for (slot, &leaf) in (reserved..).zip(&strings) {
            slots[leaf] = slot;
        }
        let arrays = reserved + strings.len();
        let mut positions = Buffer::uninitialized(arrays * tiles * 8, stream, mr.temporary)?;
        let access = positions.write_on(stream)?;
        let batches = LaunchBatch::distribute(plan, strings, reserved)?;
        let mut mailboxes = Vec::with_capacity(batches.len());
        for (index, batch) in batches.iter().enumerate() {
            let own = mailbox(batch, index)?;
            batch.launch(plan, SizePlaces { slots: &slots, first_word }, None, stream, |open| {
                launch(open, index, Out::of(&access), Out::of(&own))
            })?;
            mailboxes.push(own);
        }
        drop(access);
        let mut sizes = StringSizes { positions, bytes: vec![0; slots.len()], slots };
        for (index, (batch, mailbox)) in batches.iter().zip(mailboxes).enumerate() {
            let words = mailbox.wait()?;
            read(index, &words)?;
            for (position, leaf) in batch.copied() {
                let needed = words[first_word + position];
                sizes.bytes[leaf] = counted_bytes(plan.leaves()[leaf].kind, needed)?;
            }
        }
        Ok(sizes)
    }
}

/// A copy of the rows of a plan to a result of `length` rows, tile by tile.
pub(super) struct TiledCopy<'p, 'a> {
    pub plan: &'p RowPlan<'a>,
    pub length: usize,
    /// Whether rows of the result may be null although no row of the table is null.
    pub nullable: bool,
    pub tiles: usize,
    pub ctx: Ctx<'p>,
}

impl TiledCopy<'_, '_> {
    pub(super) fn run(
        &self,
        measure: impl Fn(&RowLaunch<'_>, Out<'_, u64>, Out<'_, u64>) -> Result<()>,
        copy: impl Fn(&RowLaunch<'_>, In<'_, u64>, bool) -> Result<()>,
    ) -> Result<Table> {
        let TiledCopy { plan, length, nullable, tiles, ctx } = *self;
        let stream = ctx.stream;
        let sizes = if plan.strings().is_empty() {
            None
        } else {
            let measurement = Measure { reserved: 0, tiles, first_word: 0, ctx };
            let mailbox = |batch: &LaunchBatch, _| Ok(Mailbox::cleared(stream, batch.columns())?);
            let launch =
                |open: &RowLaunch<'_>, _, counts: Out<'_, u64>, mailbox: Out<'_, u64>| measure(open, counts, mailbox);
            Some(measurement.run(plan, mailbox, launch, |_, _| Ok(()))?)
        };
        let bytes = sizes.as_ref().map_or(&[][..], |sizes| &sizes.bytes);
        let outputs = RowOutputs::new(plan, length, bytes, ctx)?;
        let mut outputs = if nullable { outputs.nullable(ctx)? } else { outputs };
        let leaves = outputs.leaves();
        if !leaves.is_empty() {
            let positions = sizes.as_ref().map(|sizes| sizes.positions.read_on(stream)).transpose()?;
            let slots = sizes.as_ref().map_or(&[][..], |sizes| &sizes.slots);
            for batch in LaunchBatch::distribute(plan, leaves, 0)? {
                let all_text = batch.copied().all(|(_, leaf)| plan.leaves()[leaf].kind.is_strings());
                batch.launch(plan, SizePlaces { slots, first_word: 0 }, Some(&mut outputs), stream, |open| {
                    copy(open, In::of_option(positions.as_ref()), all_text)
                })?;
            }
        }
        outputs.finish(plan, length, ctx)
    }
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, Table, TableView, Validity, make_structs_column};
    use gdf_driver::Device;
    use gdf_memory::current_resource;

    use super::*;

    fn number(stream: &Stream) -> Column {
        let mr = current_resource(Device::Cpu).unwrap();
        Column::from_options_on::<i64>(&[Some(1), None], stream, mr.as_ref()).unwrap()
    }

    /// Returns a struct column with a null row. The fields need not be null in that row.
    fn dirty(fields: Vec<Column>, stream: &Stream) -> Column {
        let mr = current_resource(Device::Cpu).unwrap();
        let validity = Validity::from_bools_on([false, true].into_iter(), stream, mr.as_ref()).unwrap();
        make_structs_column(fields, validity).unwrap()
    }

    fn positions(batches: &[LaunchBatch]) -> Vec<Vec<(usize, usize)>> {
        batches.iter().map(|batch| batch.copied().collect()).collect()
    }

    #[test]
    fn launches_take_32_columns() {
        let stream = Stream::cpu();
        let columns = vec![number(&stream); 70];
        let table = Table::try_new(columns).unwrap();
        let plan = RowPlan::new("test", &TableView::from(&table)).unwrap();
        for (reserved, expected) in [(0, [32, 32, 6]), (1, [31, 32, 7])] {
            let batches = LaunchBatch::distribute(&plan, 0..70, reserved).unwrap();
            let sizes: Vec<_> = batches.iter().map(|batch| batch.copied().count()).collect();
            assert_eq!(sizes, expected);
            assert_eq!(batches[0].columns(), 32);
            let all: Vec<_> = positions(&batches).concat();
            assert!(all.iter().map(|(_, leaf)| *leaf).eq(0..70));
            assert_eq!(all[0], (reserved, 0));
        }
        assert_eq!(positions(&LaunchBatch::distribute(&plan, [], 1).unwrap()), [[]]);
    }

    #[test]
    fn structs_come_along_with_their_fields() {
        let stream = Stream::cpu();
        let mr = current_resource(Device::Cpu).unwrap();
        let text = Column::from_strs_on(&[Some("ab"), None], &stream, mr.as_ref()).unwrap();
        let inner = dirty(vec![text.clone(), number(&stream)], &stream);
        let table = Table::try_new(vec![number(&stream), dirty(vec![inner, text], &stream)]).unwrap();
        crate::check::table(&table.view(), Ctx::new(&stream, &mr)).unwrap();
        let plan = RowPlan::new("test", &TableView::from(&table)).unwrap();
        // Leaf 0 is the number, and leaf 1 is the outer struct. Leaf 2 is the inner struct. Leaf 3 is the text of the
        // inner struct, and leaf 4 is the number of the inner struct. Leaf 5 is the text of the outer struct.
        let parents: Vec<_> = plan.leaves().iter().map(|leaf| leaf.parent).collect();
        assert_eq!(parents, [None, None, Some(1), Some(2), Some(2), Some(1)]);

        let strings = LaunchBatch::distribute(&plan, [3, 5], 1).unwrap();
        assert_eq!(positions(&strings), [[(3, 3), (4, 5)]]);
        let sizes = SizePlaces { slots: &[0, 0, 0, 1, 0, 2], first_word: 2 };
        let (copy, _open) = strings[0].open(&plan, sizes, &stream).unwrap();
        let [.., text, other] = &copy.column[..5] else { panic!("five positions") };
        assert_eq!(
            (text.kind, text.bytes.get(), text.parent, text.slot, text.word),
            (CopyKind::Strings as i32, 2, 2, 1, 5)
        );
        assert_eq!((other.kind, other.parent, other.slot, other.word), (CopyKind::Strings as i32, 1, 2, 6));
        assert_eq!((copy.column[2].kind, copy.column[2].parent), (CopyKind::Mask as i32, 1));
        assert_eq!((copy.column[1].kind, copy.column[1].parent), (CopyKind::Mask as i32, -1));

        let all = LaunchBatch::distribute(&plan, 0..6, 0).unwrap();
        assert_eq!(positions(&all), [(0..6).map(|at| (at, at)).collect::<Vec<_>>()]);
        let (copy, _open) = all[0].open(&plan, SizePlaces::default(), &stream).unwrap();
        let kinds: Vec<_> = copy.column[..7].iter().map(|column| column.kind).collect();
        let (validity, strings) = (CopyKind::Validity as i32, CopyKind::Strings as i32);
        assert_eq!(kinds, [8, validity, validity, strings, 8, strings, CopyKind::Mask as i32]);
    }

    #[test]
    fn structs_too_deep_for_a_launch_are_refused() {
        let stream = Stream::cpu();
        let deep = (0..32).fold(number(&stream), |column, _| dirty(vec![column], &stream));
        let table = Table::try_new(vec![deep]).unwrap();
        let plan = RowPlan::new("test", &TableView::from(&table)).unwrap();
        assert!(matches!(LaunchBatch::distribute(&plan, 0..33, 0), Err(Error::Unsupported { .. })));
        assert!(LaunchBatch::distribute(&plan, 0..32, 0).is_ok());
    }
}
