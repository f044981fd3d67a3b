//! `validate` on CUDA. A launch checks many columns and children at once.

use gdf_core::validation::{Check, Found, Node};
use gdf_core::{DataRule, Error, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::validation::{Kind, MAX_TASKS, OF_TEXT, Piece, Task, TaskFlags, Tasks, Validate};
use gdf_memory::{Access, Mailbox};

use crate::Ctx;
use crate::cuda::{In, Kernel, Listed, Out, Rows};

#[derive(Clone, Copy, Debug)]
struct ValidationTask {
    node: usize,
    rule: DataRule,
    /// The number of items that the task checks. The size of the grid is computed from this number.
    size: usize,
    /// For a column of views, the index of its first variadic buffer in the list of pieces. Other tasks do not use this
    /// field.
    first_piece: usize,
    counts_nulls: bool,
}

#[derive(Default)]
struct ValidationPlan<'a> {
    tasks: Vec<(Task<'a>, ValidationTask)>,
    pieces: Vec<Piece<'a>>,
}

struct OpenNode<'a> {
    validity: Option<Access<'a>>,
    buffers: Vec<Access<'a>>,
}

impl<'a> OpenNode<'a> {
    fn new(node: &Node<'a>, stream: &Stream) -> Result<Self> {
        let view = node.view;
        let (of, count) = match node.check {
            Check::Nulls => (view, 0),
            Check::Offsets { text, .. } => (view, 1 + usize::from(text)),
            Check::ListViews { .. } => (view, 2),
            Check::Keys { .. } => (view, 1),
            Check::Views { .. } => (view, view.buffers().len()),
            Check::TypeIds { ref dense, .. } => (view, 1 + usize::from(!dense.is_empty())),
            Check::RunEnds { .. } => (view.child(0)?, 1),
        };
        let validity = view.validity().map(|mask| mask.read_on(stream)).transpose()?;
        let buffers = of.buffers().iter().take(count).map(|buffer| buffer.read_on(stream));
        Ok(Self { validity, buffers: buffers.collect::<Result<_, _>>()? })
    }

    fn buffer(&self, index: usize) -> Result<In<'_, u8>> {
        self.buffers.get(index).map(In::of).ok_or_else(|| Error::internal("a column lacks a buffer"))
    }
}

pub(crate) fn look(nodes: &[Node<'_>], ctx: Ctx<'_>) -> Result<Vec<Found>> {
    let open = nodes.iter().map(|node| OpenNode::new(node, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let mut plan = ValidationPlan::default();
    for (index, (node, open)) in nodes.iter().zip(&open).enumerate() {
        plan.add(index, node, open)?;
    }
    let mut found = vec![Found::default(); nodes.len()];
    let ValidationPlan { mut tasks, pieces } = plan;
    if tasks.is_empty() {
        return Ok(found);
    }
    let pieces = match &pieces[..] {
        [] => None,
        pieces => Some(Listed::new(pieces, ctx.stream, ctx.mr.temporary)?),
    };
    let listed = pieces.as_ref().map(|pieces| pieces.read_on(ctx.stream)).transpose()?;
    if let Some(listed) = &listed {
        for (task, planned) in tasks.iter_mut().filter(|(task, _)| task.kind == Kind::Views as i32) {
            task.more = listed.first().element(planned.first_piece).cast();
        }
    }
    let kernel = Kernel::find(ctx.stream)?;
    let mut mailboxes = Vec::with_capacity(tasks.len().div_ceil(MAX_TASKS));
    for group in tasks.chunks(MAX_TASKS) {
        let mailbox = Mailbox::new(ctx.stream, group.len() * 2)?;
        let mut input = Tasks::default();
        for (slot, (task, _)) in input.at.iter_mut().zip(group) {
            *slot = *task;
        }
        let size = group.iter().map(|(_, planned)| planned.size).max().unwrap_or(0).max(1);
        let arguments = Validate { input, mailbox: Out::of(&mailbox) };
        // SAFETY: The kernel reads the buffers of the tasks and writes the mailbox.
        // - The number of blocks of the grid in y is the number of tasks of the group, and the mailbox has two words
        //   for each task.
        // - The addresses of a task are addresses of buffers whose sizes were checked against the number of rows when
        //   the column was created. `open` and `listed` hold an access of this stream for each buffer, and are
        //   dropped after the launch.
        // - The kernel compares offsets, keys and positions with a limit before the kernel follows the offsets, keys
        //   and positions. The limits are the lengths of the buffers and children.
        unsafe { kernel.launch(ctx.stream, kernel.blocks(size), group.len() as u32, &arguments)? };
        mailboxes.push(mailbox);
    }
    let planned: Vec<ValidationTask> = tasks.into_iter().map(|(_, planned)| planned).collect();
    drop(listed);
    drop(open);
    for (group, mailbox) in planned.chunks(MAX_TASKS).zip(mailboxes) {
        let words = mailbox.wait()?;
        for (planned, words) in group.iter().zip(words.as_chunks::<2>().0) {
            planned.tell(*words, &mut found[planned.node]);
        }
    }
    Ok(found)
}

impl ValidationTask {
    /// Adds the result that a task has posted. The tasks of a column are added in the order of precedence of their
    /// rules, so the function keeps the first fault.
    fn tell(&self, [nulls, fault]: [u64; 2], found: &mut Found) {
        if self.counts_nulls {
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
    fn add(&mut self, index: usize, node: &Node<'_>, open: &'a OpenNode<'_>) -> Result<()> {
        let view = node.view;
        let validity = In::of_option(open.validity.as_ref());
        let rows = view.len();
        let base = Task { validity, offset: view.offset() as i64, rows: Rows::new(rows), ..Task::default() };
        let wide = |large: bool| if large { TaskFlags::Wide as i32 } else { 0 };
        let first_piece = self.pieces.len();
        let planned = |task: &Task<'_>, rule, size| {
            let counts_nulls = !task.validity.is_null();
            ValidationTask { node: index, rule, size, first_piece, counts_nulls }
        };
        let push = |plan: &mut Self, rule: DataRule, size: usize, task: Task<'a>| {
            if rows > 0 {
                plan.tasks.push((task, planned(&task, rule, size)));
            }
        };
        match node.check {
            Check::Nulls => {
                if !validity.is_null() {
                    push(self, DataRule::NullCount, rows / 32, Task { kind: Kind::MaskOnly as i32, ..base });
                }
            }
            Check::Offsets { large, limit, text } => {
                let data = open.buffer(0)?;
                let more = if text { open.buffer(1)? } else { In::NULL };
                let task =
                    Task { data, more, limit: limit as i64, flags: wide(large), kind: Kind::Offsets as i32, ..base };
                push(self, DataRule::Offsets, rows, task);
                if text {
                    let task = Task { kind: Kind::Text as i32, validity: In::NULL, ..task };
                    push(self, DataRule::Text, limit / 16, task);
                }
            }
            Check::ListViews { large, limit } => {
                let (data, more) = (open.buffer(0)?, open.buffer(1)?);
                let task =
                    Task { data, more, limit: limit as i64, flags: wide(large), kind: Kind::ListViews as i32, ..base };
                push(self, DataRule::ListViews, rows, task);
            }
            Check::Keys { width, signed, limit } => {
                let (data, flags) = (open.buffer(0)?, if signed { TaskFlags::SignedKeys as i32 } else { 0 });
                let task =
                    Task { data, limit: limit as i64, flags, width: width as i32, kind: Kind::Keys as i32, ..base };
                push(self, DataRule::Keys, rows, task);
            }
            Check::Views { utf8 } => {
                let data = open.buffer(0)?;
                let buffers = view.buffers().get(1..).unwrap_or_default();
                for (index, buffer) in (1..).zip(buffers) {
                    self.pieces.push(Piece { bytes: open.buffer(index)?, length: buffer.len() as i64 });
                }
                let flags = if utf8 { TaskFlags::Utf8 as i32 } else { 0 };
                let task = Task { data, limit: buffers.len() as i64, flags, kind: Kind::Views as i32, ..base };
                push(self, DataRule::Views, rows * 4, task);
            }
            Check::TypeIds { ref ids, ref dense } => {
                let data = open.buffer(0)?;
                let mut known = [0_u64; 2];
                for &id in ids.iter().filter(|&&id| id >= 0) {
                    known[usize::from(id >= 64)] |= 1 << (id & 63);
                }
                push(self, DataRule::TypeIds, rows, Task { data, known, kind: Kind::TypeIds as i32, ..base });
                for &(id, limit) in dense {
                    let more = open.buffer(1)?;
                    let (limit, id) = (limit as i64, i32::from(id));
                    let task =
                        Task { data, more, limit, id, kind: Kind::UnionOffsets as i32, validity: In::NULL, ..base };
                    push(self, DataRule::UnionOffsets, rows, task);
                }
            }
            Check::RunEnds { width, reach } => {
                let ends = view.child(0)?;
                let data = open.buffer(0)?;
                let (offset, runs, limit) = (ends.offset() as i64, ends.len(), reach as i64);
                let (rows, width) = (Rows::new(runs), width as i32);
                let task = Task { data, offset, rows, limit, width, kind: Kind::RunEnds as i32, ..Task::default() };
                if runs > 0 {
                    self.tasks.push((task, planned(&task, DataRule::RunEnds, runs)));
                }
            }
        }
        Ok(())
    }
}
