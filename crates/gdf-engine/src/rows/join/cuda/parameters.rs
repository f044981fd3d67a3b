//! The parameters of the kernels of `kernels/concatenate/concatenate.cu`, as that file declares them.

use gdf_core::{Error, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::concatenate::{ConcatenateKernel, FEW_PIECES, Few, Inputs as Many, Task, Tasks};
use gdf_kernels::{BROADCAST, ColumnIn, bytes_of};
use gdf_memory::{Access, Buffer};

use crate::Ctx;
use crate::cuda::{In, describe, open_buffers};
use crate::layout::characters;
use crate::limits::cuda as limits;
use crate::rows::join::plan::Join;

/// The maximum number of pieces whose sizes the kernels sum up themselves.
pub(super) const FEW: usize = limits::CONCATENATE_FEW_PIECES;

const _: () = assert!(FEW == FEW_PIECES);

pub(super) struct OpenPieces<'a>(Vec<Access<'a>>);

impl<'a> OpenPieces<'a> {
    pub(super) fn open(join: &Join<'_, 'a>, ctx: Ctx<'_>) -> Result<Self> {
        // Thousands of `CudaColumn`s would take megabytes, so accesses are kept instead. Most pieces have only one
        // buffer.
        let mut accesses = Vec::with_capacity(join.plans().len() * join.leaves());
        for leaf in 0..join.leaves() {
            for piece in join.pieces(leaf) {
                open_buffers(piece.view, ctx.stream, |access| accesses.push(access))?;
            }
        }
        Ok(Self(accesses))
    }
}

pub(super) struct Inputs<'a> {
    pub(super) few: Few<'a>,
    columns: Vec<ColumnIn<'a>>,
    starts: Vec<i64>,
    parents: Vec<i32>,
    pieces: i32,
    /// A bit for each piece. The bit is set if the piece is a single row that is repeated.
    repeated: u32,
    /// The vectors `columns`, `starts` and `parents`, one after the other in device memory. The field is `None` if
    /// there are so few pieces that the kernel takes the vectors by value.
    table: Option<Buffer>,
}

impl<'a> Inputs<'a> {
    /// Describes the pieces of the join.
    pub(super) fn new(join: &Join<'_, '_>, open: &'a OpenPieces<'_>, ctx: Ctx<'_>) -> Result<Self> {
        let pieces = join.plans().len();
        let mut accesses = open.0.iter();
        let mut columns = Vec::with_capacity(pieces * join.leaves());
        for leaf in 0..join.leaves() {
            for (index, piece) in join.pieces(leaf).enumerate() {
                let mut desc = describe(piece.view, &mut accesses);
                if piece.kind.is_strings() {
                    desc.length = characters(piece.view).get() as i64;
                }
                if join.repeats(index) {
                    desc.flags |= BROADCAST;
                }
                columns.push(desc);
            }
        }
        let parents = join.parents().iter().map(|parent| parent.map_or(-1, |parent| parent as i32)).collect();
        let starts = join.starts().iter().map(|start| *start as i64).collect();
        let repeated =
            (0..pieces.min(FEW)).filter(|&piece| join.repeats(piece)).fold(0, |bits, piece| bits | 1 << piece);
        let few = Few { parent: [-1; FEW], ..Few::default() };
        let is_few = columns.len() <= FEW && pieces <= FEW;
        let too_many = |_| {
            Error::beyond_limit("the number of inputs", pieces as i128, i128::from(i32::MAX))
                .with_remedy("concatenate the inputs in several calls")
        };
        let pieces = i32::try_from(pieces).map_err(too_many)?;
        let mut inputs = Self { few, columns, starts, parents, pieces, repeated, table: None };
        if is_few {
            inputs.fill_few();
        } else {
            let bytes = [
                bytes_of(&inputs.columns),
                bytemuck::cast_slice(&inputs.starts),
                bytemuck::cast_slice(&inputs.parents),
            ];
            inputs.table = Some(Buffer::from_host(&bytes.concat(), ctx.stream, ctx.mr.temporary)?);
        }
        Ok(inputs)
    }

    fn fill_few(&mut self) {
        // The caller has checked that `columns` and `parents` have at most `FEW` elements. `starts` has at most
        // `FEW + 1` elements.
        self.few.input[..self.columns.len()].copy_from_slice(&self.columns);
        self.few.start[..self.starts.len()].copy_from_slice(&self.starts);
        self.few.parent[..self.parents.len()].copy_from_slice(&self.parents);
    }

    pub(super) fn kernel(&self) -> ConcatenateKernel {
        if self.repeated == 0 { ConcatenateKernel::Whole } else { ConcatenateKernel::Repeating }
    }

    pub(super) fn read_on<'s>(&'s self, stream: &Stream) -> Result<Option<Access<'s>>> {
        Ok(self.table.as_ref().map(|table| table.read_on(stream)).transpose()?)
    }

    pub(super) fn many<'t>(&'t self, table: Option<&'t Access<'_>>) -> Many<'t> {
        let (pieces, repeated) = (self.pieces, self.repeated);
        let Some(table) = table else { return Many { pieces, repeated, ..Many::default() } };
        let input = In::<ColumnIn>::of(table);
        let start = input.element(self.columns.len()).cast::<i64>();
        Many { input, start, parent: start.element(self.starts.len()).cast(), pieces, repeated }
    }
}

/// Returns the tasks in the form of a kernel's parameter, or an error if there are more tasks than a launch takes.
pub(super) fn tasks(tasks: &[Task]) -> Result<Tasks> {
    let mut all = Tasks::default();
    let targets = all.column.get_mut(..tasks.len());
    targets.ok_or_else(|| Error::internal("a launch of `concatenate` has too many columns"))?.copy_from_slice(tasks);
    Ok(all)
}
