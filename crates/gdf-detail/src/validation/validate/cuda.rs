//! `validate` on CUDA: all columns and children in one launch, a task of which each is at least one.

use gdf_core::validation::{Check, Found, Node};
use gdf_core::{ColumnView, DataRule, Error, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::validation::{Kind, MAX_TASKS, OF_TEXT, Piece, Task, TaskFlags, Tasks, Validate};
use gdf_memory::{Access, Buffer, Mailbox};

use crate::Ctx;
use crate::cuda::{In, Kernel, Out, Rows};

/// A task, and what it is about.
#[derive(Clone, Copy, Debug)]
struct Planned {
    task: Task,
    node: usize,
    rule: DataRule,
    /// Things of 16 bytes or rows to look at.
    size: usize,
    /// Of a task of views, the position of its first buffer.
    first_piece: usize,
}

/// All tasks, with the accesses behind their addresses.
#[derive(Default)]
struct ValidationPlan<'a> {
    tasks: Vec<Planned>,
    pieces: Vec<Piece>,
    accesses: Vec<Access<'a>>,
}

pub(crate) fn look(nodes: &[Node<'_>], ctx: Ctx<'_>) -> Result<Vec<Found>> {
    let mut plan = ValidationPlan::default();
    for (index, node) in nodes.iter().enumerate() {
        plan.add(index, node, ctx.stream)?;
    }
    let mut found = vec![Found::default(); nodes.len()];
    if plan.tasks.is_empty() {
        return Ok(found);
    }
    let pieces = match &plan.pieces[..] {
        [] => None,
        pieces => Some(Buffer::from_host(bytemuck::cast_slice(pieces), ctx.stream, ctx.mr.temporary)?),
    };
    let listed = pieces.as_ref().map(|pieces| pieces.read_on(ctx.stream)).transpose()?;
    if let Some(listed) = &listed {
        for planned in plan.tasks.iter_mut().filter(|planned| planned.task.kind == Kind::Views as i32) {
            planned.task.more = In::<Piece>::of(listed).element(planned.first_piece).cast();
        }
    }
    let kernel = Kernel::find(ctx.stream)?;
    let mut mailboxes = Vec::with_capacity(plan.tasks.len().div_ceil(MAX_TASKS));
    for group in plan.tasks.chunks(MAX_TASKS) {
        let mailbox = Mailbox::new(ctx.stream, group.len() * 2)?;
        let mut tasks = Tasks::default();
        for (slot, planned) in tasks.at.iter_mut().zip(group) {
            *slot = planned.task;
        }
        let size = group.iter().map(|planned| planned.size).max().unwrap_or(0).max(1);
        let arguments = Validate { input: tasks, mailbox: Out::of(&mailbox) };
        // SAFETY: blockIdx.y stays below the tasks of the group, and the mailbox has two words for each. Tasks have addresses
        // of buffers that were checked to have the rows, behind each of which is an access of this stream, held until after
        // the launch. What the data say is compared with the limits, which are lengths of these buffers and children, before
        // it is followed.
        unsafe { kernel.launch(ctx.stream, kernel.blocks(size), group.len() as u32, &arguments)? };
        mailboxes.push(mailbox);
    }
    drop((listed, plan.accesses));
    for (group, mailbox) in plan.tasks.chunks(MAX_TASKS).zip(mailboxes) {
        let words = mailbox.wait()?;
        for (planned, words) in group.iter().zip(words.as_chunks::<2>().0) {
            planned.tell(*words, &mut found[planned.node]);
        }
    }
    Ok(found)
}

impl Planned {
    /// Adds what the launch has posted. Tasks of a node come in the order in which their rules count, but both of text.
    fn tell(&self, [nulls, fault]: [u64; 2], found: &mut Found) {
        if !self.task.validity.is_null() {
            found.nulls = nulls as usize;
        }
        let Some(row) = (fault & !OF_TEXT).checked_sub(1) else { return };
        let rule = if fault & OF_TEXT != 0 { DataRule::Text } else { self.rule };
        let fault = (rule, row as usize);
        found.fault = Some(match found.fault {
            Some((rule, row)) if rule == fault.0 => (rule, row.min(fault.1)),
            Some(first) => first,
            None => fault,
        });
    }
}

impl<'a> ValidationPlan<'a> {
    fn address(&mut self, buffer: &'a Buffer, stream: &Stream) -> Result<In<u8>> {
        let access = buffer.read_on(stream)?;
        let address = In::of(&access);
        self.accesses.push(access);
        Ok(address)
    }

    fn buffer(&mut self, view: ColumnView<'a>, index: usize, stream: &Stream) -> Result<In<u8>> {
        let buffer = view.buffers().get(index).ok_or_else(|| Error::internal("a column lacks a buffer"))?;
        self.address(buffer, stream)
    }

    fn add(&mut self, index: usize, node: &Node<'a>, stream: &Stream) -> Result<()> {
        let view = node.view;
        let validity = view.validity().map(|mask| self.address(mask, stream)).transpose()?.unwrap_or_default();
        let rows = view.len();
        let base = Task { validity, offset: view.offset() as i64, rows: Rows::new(rows), ..Task::default() };
        let wide = |large: bool| if large { TaskFlags::Wide as i32 } else { 0 };
        let first_piece = self.pieces.len();
        let push = |plan: &mut Self, rule: DataRule, size: usize, task: Task| {
            if rows > 0 {
                plan.tasks.push(Planned { task, node: index, rule, size, first_piece });
            }
        };
        match node.check {
            Check::Nulls => {
                if !validity.is_null() {
                    push(self, DataRule::NullCount, rows / 32, Task { kind: Kind::MaskOnly as i32, ..base });
                }
            }
            Check::Offsets { large, limit, text } => {
                let data = self.buffer(view, 0, stream)?;
                let more = if text { self.buffer(view, 1, stream)? } else { In::NULL };
                let task =
                    Task { data, more, limit: limit as i64, flags: wide(large), kind: Kind::Offsets as i32, ..base };
                push(self, DataRule::Offsets, rows, task);
                if text {
                    let task = Task { kind: Kind::Text as i32, validity: In::NULL, ..task };
                    push(self, DataRule::Text, limit / 16, task);
                }
            }
            Check::ListViews { large, limit } => {
                let (data, more) = (self.buffer(view, 0, stream)?, self.buffer(view, 1, stream)?);
                let task =
                    Task { data, more, limit: limit as i64, flags: wide(large), kind: Kind::ListViews as i32, ..base };
                push(self, DataRule::ListViews, rows, task);
            }
            Check::Keys { width, signed, limit } => {
                let (data, flags) =
                    (self.buffer(view, 0, stream)?, if signed { TaskFlags::SignedKeys as i32 } else { 0 });
                let task =
                    Task { data, limit: limit as i64, flags, width: width as i32, kind: Kind::Keys as i32, ..base };
                push(self, DataRule::Keys, rows, task);
            }
            Check::Views { utf8 } => {
                let data = self.buffer(view, 0, stream)?;
                let buffers = view.buffers().get(1..).unwrap_or_default();
                for buffer in buffers {
                    let piece = Piece { bytes: self.address(buffer, stream)?, length: buffer.len() as i64 };
                    self.pieces.push(piece);
                }
                let flags = if utf8 { TaskFlags::Utf8 as i32 } else { 0 };
                let task = Task { data, limit: buffers.len() as i64, flags, kind: Kind::Views as i32, ..base };
                push(self, DataRule::Views, rows * 4, task);
            }
            Check::TypeIds { ref ids, ref dense } => {
                let data = self.buffer(view, 0, stream)?;
                let mut known = [0_u64; 2];
                for &id in ids.iter().filter(|&&id| id >= 0) {
                    known[usize::from(id >= 64)] |= 1 << (id & 63);
                }
                push(self, DataRule::TypeIds, rows, Task { data, known, kind: Kind::TypeIds as i32, ..base });
                for &(id, limit) in dense {
                    let more = self.buffer(view, 1, stream)?;
                    let (limit, id) = (limit as i64, i32::from(id));
                    let task =
                        Task { data, more, limit, id, kind: Kind::UnionOffsets as i32, validity: In::NULL, ..base };
                    push(self, DataRule::UnionOffsets, rows, task);
                }
            }
            Check::RunEnds { width, reach } => {
                let ends = view.child(0)?;
                let data = self.buffer(ends, 0, stream)?;
                let (offset, runs, limit) = (ends.offset() as i64, ends.len(), reach as i64);
                let (rows, width) = (Rows::new(runs), width as i32);
                let task = Task { data, offset, rows, limit, width, kind: Kind::RunEnds as i32, ..Task::default() };
                if runs > 0 {
                    self.tasks.push(Planned { task, node: index, rule: DataRule::RunEnds, size: runs, first_piece });
                }
            }
        }
        Ok(())
    }
}
