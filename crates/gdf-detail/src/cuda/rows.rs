//! Moving rows by kernels: leaves in groups that one launch takes, described as `kernels/include/gdf/move_rows.cuh`
//! declares it, and the results that the kernels write.

use gdf_core::{Error, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::common::{CopyDescriptor, CopyKind, CopyTable};
use gdf_kernels::{ColumnIn, ColumnOut, TABLE_COLUMNS, TableIn, TableOut};

use super::output::OpenOutput;
use super::{CudaColumn, CudaOutput};
use crate::context::Ctx;
use crate::limits::cuda as limits;
use crate::rows::{Leaf, RowKind, RowPlan};

/// The most bytes that results get before their size is known, where that saves a launch and a wait.
pub(crate) const MAX_CAPACITY: usize = limits::RESULT_GUESS_BYTES;

/// Of no column of the result.
const NOT_COPIED: CopyDescriptor =
    CopyDescriptor { bytes: 0, kind: CopyKind::Mask as i32, parent: -1, slot: 0, word: 0 };

/// A leaf at its place in a launch.
#[derive(Clone, Copy, Debug)]
struct BatchMember {
    leaf: usize,
    /// Whether the leaf is to be moved; if not, its mask is that of a struct around one that is.
    copied: bool,
}

/// The leaves of one launch; blockIdx.y is the place, counted from `reserved`.
#[derive(Debug)]
pub(crate) struct LaunchBatch {
    reserved: usize,
    members: Vec<BatchMember>,
}

impl LaunchBatch {
    /// Distributes leaves over as few launches as there must be, at least one. The first keeps `reserved` places free.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for columns in more than 31 structs, with nulls each.
    pub(crate) fn distribute(
        operation: &'static str,
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
                    return Err(Error::unsupported(operation, plan.leaves()[leaf].view.data_type()));
                }
                batches.push(batch);
            }
        }
        Ok(batches)
    }

    /// Adds a leaf and what is missing of the structs around it, if there is room.
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

    /// Places in use, the reserved ones included: the launch's gridDim.y.
    pub(crate) fn columns(&self) -> usize {
        self.reserved + self.members.len()
    }

    /// The leaves that are moved, in order, with the place of each.
    pub(crate) fn copied(&self) -> impl Iterator<Item = (usize, usize)> {
        let members = self.members.iter().enumerate().filter(|(_, member)| member.copied);
        members.map(|(position, member)| (self.reserved + position, member.leaf))
    }

    /// The places of all others: reserved ones, and structs around leaves.
    pub(crate) fn uncopied(&self) -> impl Iterator<Item = usize> {
        let members = self.members.iter().enumerate().filter(|(_, member)| !member.copied);
        (0..self.reserved).chain(members.map(|(position, _)| self.reserved + position))
    }

    /// The group's inputs, open for kernels on `stream`. String leaf `i` finds its sums in array `slots[i]` and posts
    /// its total to word `first_word` plus its place of the mailbox.
    pub(crate) fn open<'a>(
        &self,
        plan: &RowPlan<'a>,
        slots: &[usize],
        first_word: usize,
        stream: &Stream,
    ) -> Result<OpenBatch<'a>> {
        let mut table = vec![ColumnIn::default(); self.reserved];
        let mut copy = CopyTable { column: [NOT_COPIED; TABLE_COLUMNS] };
        let mut columns = Vec::with_capacity(self.members.len());
        for (position, member) in (self.reserved..).zip(&self.members) {
            let leaf = &plan.leaves()[member.leaf];
            let column = CudaColumn::open(leaf.view, stream)?;
            let mut descriptor = if member.copied { describe(leaf, &column.desc) } else { NOT_COPIED };
            descriptor.parent =
                leaf.parent.and_then(|parent| self.position(parent)).map_or(-1, |position| position as i32);
            descriptor.slot = slots.get(member.leaf).map_or(0, |&slot| slot as i32);
            descriptor.word = (first_word + position) as i32;
            copy.column[position] = descriptor;
            table.push(column.desc);
            columns.push(column);
        }
        let table = TableIn::new(&table).ok_or(Error::InvalidArgument { what: "more columns than a launch takes" })?;
        Ok(OpenBatch { table, copy, _columns: columns })
    }

    /// The group's outputs among those of all leaves, open for kernels on `stream`.
    pub(crate) fn open_outputs<'a>(
        &self,
        outputs: &'a mut [Option<CudaOutput>],
        stream: &Stream,
    ) -> Result<OpenOutputs<'a>> {
        let mut table = vec![ColumnOut::default(); self.columns()];
        let mut columns = Vec::with_capacity(self.members.len());
        let mut positions = self.copied().peekable();
        for (leaf, output) in outputs.iter_mut().enumerate() {
            let Some((position, _)) = positions.next_if(|(_, copied)| *copied == leaf) else { continue };
            let Some(output) = output else { continue };
            let open = output.open(stream)?;
            table[position] = open.desc;
            columns.push(open);
        }
        let table = TableOut::new(&table).ok_or(Error::InvalidArgument { what: "more columns than a launch takes" })?;
        Ok(OpenOutputs { table, _columns: columns })
    }
}

/// A group's inputs as a kernel takes them. Keep it until the launch is enqueued.
#[derive(Debug)]
pub(crate) struct OpenBatch<'a> {
    pub(crate) table: TableIn<TABLE_COLUMNS>,
    pub(crate) copy: CopyTable,
    _columns: Vec<CudaColumn<'a>>,
}

/// A group's outputs as a kernel takes them. Keep it until the launch is enqueued.
#[derive(Debug)]
pub(crate) struct OpenOutputs<'a> {
    pub(crate) table: TableOut<TABLE_COLUMNS>,
    _columns: Vec<OpenOutput<'a>>,
}

fn describe(leaf: &Leaf<'_>, column: &ColumnIn) -> CopyDescriptor {
    let (kind, bytes) = match leaf.kind {
        RowKind::Bits => (CopyKind::Bits as i32, 0),
        RowKind::Strings { .. } => {
            (CopyKind::Strings as i32, leaf.view.buffers().get(1).map_or(0, |bytes| bytes.len() as i64))
        }
        RowKind::Bytes(width @ (1 | 2 | 4 | 8 | 16 | 32))
            if column.data.address().is_multiple_of(width.min(8) as u64) =>
        {
            (width as i32, 0)
        }
        RowKind::Bytes(width) => (CopyKind::AnyWidth as i32, width as i64),
        RowKind::Validity => (CopyKind::Validity as i32, 0),
        RowKind::Null => (CopyKind::Mask as i32, 0),
    };
    CopyDescriptor { bytes, kind, ..NOT_COPIED }
}

/// The result of a leaf, to be written: `rows` rows, and `bytes` bytes of characters if it is one of strings. None for a
/// leaf without data.
pub(crate) fn row_output(
    leaf: &Leaf<'_>,
    rows: usize,
    bytes: usize,
    nullable: bool,
    ctx: Ctx<'_>,
) -> Result<Option<CudaOutput>> {
    let data_type = leaf.view.data_type();
    Ok(Some(match leaf.kind {
        RowKind::Null => return Ok(None),
        RowKind::Bits => CudaOutput::fixed_width(data_type, rows, nullable, ctx)?,
        RowKind::Bytes(width) => CudaOutput::with_bytes(data_type, rows, rows.checked_mul(width), nullable, ctx)?,
        RowKind::Strings { .. } => CudaOutput::strings(data_type, rows, bytes, nullable, ctx)?,
        RowKind::Validity => CudaOutput::mask_only(data_type, rows, nullable, ctx)?,
    }))
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, Table, TableView, from_options, make_structs_column, strings_from, validity_from};
    use gdf_driver::Device;
    use gdf_memory::current_resource;

    use super::*;

    fn number(stream: &Stream) -> Column {
        let mr = current_resource(Device::Cpu).unwrap();
        from_options::<i64>(&[Some(1), None], stream, mr.as_ref()).unwrap()
    }

    /// `fields` in a struct with a null, which they need not be null under.
    fn dirty(fields: Vec<Column>, stream: &Stream) -> Column {
        let mr = current_resource(Device::Cpu).unwrap();
        let validity = validity_from([false, true].into_iter(), stream, mr.as_ref()).unwrap();
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
            let batches = LaunchBatch::distribute("test", &plan, 0..70, reserved).unwrap();
            let sizes: Vec<_> = batches.iter().map(|batch| batch.copied().count()).collect();
            assert_eq!(sizes, expected);
            assert_eq!(batches[0].columns(), 32);
            let all: Vec<_> = positions(&batches).concat();
            assert!(all.iter().map(|(_, leaf)| *leaf).eq(0..70));
            assert_eq!(all[0], (reserved, 0));
        }
        assert_eq!(positions(&LaunchBatch::distribute("test", &plan, [], 1).unwrap()), [[]]);
    }

    #[test]
    fn structs_come_along_with_their_fields() {
        let stream = Stream::cpu();
        let mr = current_resource(Device::Cpu).unwrap();
        let text = strings_from(&[Some("ab"), None], &stream, mr.as_ref()).unwrap();
        let inner = dirty(vec![text.clone(), number(&stream)], &stream);
        let table = Table::try_new(vec![number(&stream), dirty(vec![inner, text], &stream)]).unwrap();
        crate::check::table(&table.view(), Ctx::new(&stream, &mr)).unwrap();
        let plan = RowPlan::new("test", &TableView::from(&table)).unwrap();
        // 0: number, 1: outer, 2: inner, 3: its text, 4: its number, 5: text of the outer.
        let parents: Vec<_> = plan.leaves().iter().map(|leaf| leaf.parent).collect();
        assert_eq!(parents, [None, None, Some(1), Some(2), Some(2), Some(1)]);

        let strings = LaunchBatch::distribute("test", &plan, [3, 5], 1).unwrap();
        assert_eq!(positions(&strings), [[(3, 3), (4, 5)]]);
        let open = strings[0].open(&plan, &[0, 0, 0, 1, 0, 2], 2, &stream).unwrap();
        let [.., text, other] = &open.copy.column[..5] else { panic!("five places") };
        assert_eq!((text.kind, text.bytes, text.parent, text.slot, text.word), (CopyKind::Strings as i32, 2, 2, 1, 5));
        assert_eq!((other.kind, other.parent, other.slot, other.word), (CopyKind::Strings as i32, 1, 2, 6));
        assert_eq!((open.copy.column[2].kind, open.copy.column[2].parent), (CopyKind::Mask as i32, 1));
        assert_eq!((open.copy.column[1].kind, open.copy.column[1].parent), (CopyKind::Mask as i32, -1));

        let all = LaunchBatch::distribute("test", &plan, 0..6, 0).unwrap();
        assert_eq!(positions(&all), [(0..6).map(|at| (at, at)).collect::<Vec<_>>()]);
        let open = all[0].open(&plan, &[], 0, &stream).unwrap();
        let kinds: Vec<_> = open.copy.column[..7].iter().map(|column| column.kind).collect();
        let (validity, strings) = (CopyKind::Validity as i32, CopyKind::Strings as i32);
        assert_eq!(kinds, [8, validity, validity, strings, 8, strings, CopyKind::Mask as i32]);
    }

    #[test]
    fn structs_too_deep_for_a_launch_are_refused() {
        let stream = Stream::cpu();
        let deep = (0..32).fold(number(&stream), |column, _| dirty(vec![column], &stream));
        let table = Table::try_new(vec![deep]).unwrap();
        let plan = RowPlan::new("test", &TableView::from(&table)).unwrap();
        assert!(matches!(LaunchBatch::distribute("test", &plan, 0..33, 0), Err(Error::Unsupported { .. })));
        assert!(LaunchBatch::distribute("test", &plan, 0..32, 0).is_ok());
    }
}
