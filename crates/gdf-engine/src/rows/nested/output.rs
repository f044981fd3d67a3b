//! The memory of copied columns with lists, and the columns that are made of it.

use gdf_core::{Column, ColumnParts, DataType, Error, PhysicalType, Result, StructsView, physical_type};
use gdf_kernels::generated::copying::{NestedPart, NestedPartKind};
use gdf_kernels::{ColumnOut, Out, WIDE_OFFSETS};
use gdf_memory::{AccessMut, Buffer};

use super::plan::{Content, NestedPlan, Node, RangeLength};
use crate::Ctx;
use crate::cuda::{CudaOutput, OpenOutput};
use crate::layout::{OutputBuffers, RowKind, byte_len, check_offsets, counted_bytes};
use crate::vouch;

/// The memory of a node.
struct NodeOutput {
    rows: usize,
    mask: Option<CudaOutput>,
    /// The values, or the offsets.
    data: Option<Buffer>,
    /// The bytes of text.
    bytes: Option<Buffer>,
}

impl NodeOutput {
    fn open(&mut self, ctx: Ctx<'_>) -> Result<OpenNode<'_>> {
        let mask = self.mask.as_mut().map(|mask| mask.open(ctx.stream)).transpose()?;
        let data = self.data.as_mut().map(|data| data.write_on(ctx.stream)).transpose()?;
        let bytes = self.bytes.as_mut().map(|bytes| bytes.write_on(ctx.stream)).transpose()?;
        Ok(OpenNode { mask, data, bytes })
    }
}

/// The memory of all nodes.
pub(super) struct NestedOutputs(Vec<NodeOutput>);

pub(super) struct OpenNode<'a> {
    mask: Option<OpenOutput<'a>>,
    data: Option<AccessMut<'a>>,
    bytes: Option<AccessMut<'a>>,
}

impl NestedOutputs {
    /// Allocates the memory. `totals` has the number of rows of each level of the result.
    pub(super) fn new(plan: &NestedPlan<'_>, totals: &[u64], nullable: bool, ctx: Ctx<'_>) -> Result<Self> {
        let node = |(at, node): (usize, &Node<'_>)| {
            let rows = byte_len(counted_bytes(RowKind::Bits, totals[node.level])?, node.scale, ctx.mr)?;
            let new = |bytes: usize| Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output);
            let (mut data, mut bytes) = (None, None);
            match node.content {
                Content::Values(width) => data = Some(new(byte_len(rows, width, ctx.mr)?)?),
                Content::Bits => data = Some(new(rows.div_ceil(32) * 4)?),
                Content::Offsets { level, large, is_text } => {
                    check_offsets(RowKind::Strings { large }, totals[level])?;
                    let width = if large { 8 } else { 4 };
                    data = Some(new(byte_len(rows.saturating_add(1), width, ctx.mr)?)?);
                    if is_text {
                        bytes = Some(new(counted_bytes(RowKind::Strings { large }, totals[level])?)?);
                    }
                }
                Content::Nothing => {}
            }
            let is_null = *node.like().data_type() == DataType::Null;
            let has_mask = if node.is_row() { nullable || plan.nullable(at) } else { node.has_validity() };
            let has_mask = has_mask && !is_null && rows > 0;
            let mask = has_mask.then(|| CudaOutput::mask(rows, ctx)).transpose()?;
            Ok(NodeOutput { rows, mask, data, bytes })
        };
        Ok(Self(plan.nodes.iter().enumerate().map(node).collect::<Result<_>>()?))
    }

    pub(super) fn open(&mut self, ctx: Ctx<'_>) -> Result<Vec<OpenNode<'_>>> {
        self.0.iter_mut().map(|node| node.open(ctx)).collect()
    }

    /// Returns the parts that the kernel copies, and the column that each part is written to.
    pub(super) fn parts<'o>(
        plan: &NestedPlan<'_>,
        totals: &[u64],
        widths: &[usize],
        open: &'o [OpenNode<'_>],
    ) -> Vec<(NestedPart, ColumnOut<'o>)> {
        let mut parts = Vec::new();
        for (at, (node, open)) in plan.nodes.iter().zip(open).enumerate() {
            let rows = totals[node.level] as usize * node.scale;
            let part = NestedPart {
                count: rows as i64,
                scale: node.scale as i64,
                node: at as i32,
                level: node.level as i32,
                ..NestedPart::default()
            };
            let out = ColumnOut { length: rows as i64, ..ColumnOut::default() };
            if let Some(mask) = &open.mask {
                let is_row = plan.length == RangeLength::One && node.is_row();
                let kind = if is_row { NestedPartKind::RowValidity } else { NestedPartKind::Validity };
                parts.push((NestedPart { kind: kind as i32, ..part }, mask.desc()));
            }
            let data = Out::of_option(open.data.as_ref());
            match node.content {
                Content::Values(width) if rows > 0 => {
                    let values = width / widths[at];
                    let (count, scale) = (part.count * values as i64, part.scale * values as i64);
                    let (kind, below) = (widths[at] as i32, values as i32);
                    let out = ColumnOut { data, ..out };
                    parts.push((NestedPart { kind, count, scale, below, ..part }, out));
                }
                Content::Bits if rows > 0 => {
                    parts.push((NestedPart { kind: NestedPartKind::Bits as i32, ..part }, ColumnOut { data, ..out }));
                }
                Content::Offsets { level, large, is_text } => {
                    let flags = if large { WIDE_OFFSETS } else { 0 };
                    let offsets = ColumnOut { offsets: data, flags, ..out };
                    let kind = NestedPartKind::Offsets as i32;
                    parts.push((NestedPart { kind, below: level as i32, ..part }, offsets));
                    if is_text && totals[level] > 0 {
                        let (count, level) = (totals[level] as i64, level as i32);
                        let bytes = ColumnOut { data: Out::of_option(open.bytes.as_ref()), length: count, ..out };
                        parts.push((NestedPart { count, scale: 1, level, kind: 1, ..part }, bytes));
                    }
                }
                _ => {}
            }
        }
        parts
    }

    /// Returns the columns. The kernels that write the memory must already be enqueued.
    pub(super) fn finish(self, plan: &NestedPlan<'_>, ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let mut nodes = plan.nodes.iter().zip(self.0).peekable();
        let mut columns = Vec::new();
        while nodes.peek().is_some() {
            columns.push(column(plan, &mut nodes, ctx)?);
        }
        Ok(columns)
    }
}

/// Makes the column of the next node, and of the nodes below it.
fn column<'n, 'a: 'n>(
    plan: &NestedPlan<'_>,
    nodes: &mut impl Iterator<Item = (&'n Node<'a>, NodeOutput)>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (node, output) = nodes.next().ok_or_else(|| Error::internal("a node of a copied column is missing"))?;
    let view = node.like();
    let mut parts = ColumnParts::new(view.data_type().clone(), ctx.stream.device(), output.rows);
    if let Some(mask) = output.mask {
        let OutputBuffers { validity, null_count, .. } = mask.into_buffers()?;
        (parts.validity, parts.null_count) = (validity, null_count);
    }
    let data = match node.content {
        Content::Bits => output.data.map(|bits| bits.slice(0, output.rows.div_ceil(8))).transpose()?,
        _ => output.data,
    };
    parts.buffers.extend(data);
    parts.buffers.extend(output.bytes);
    let physical = physical_type(view.data_type());
    let children = match physical {
        PhysicalType::List { .. } | PhysicalType::Map | PhysicalType::FixedSizeList(_) => 1,
        PhysicalType::Struct => StructsView::try_from(view)?.num_children(),
        _ => 0,
    };
    match physical {
        PhysicalType::Dictionary => parts.children = view.children().to_vec(),
        PhysicalType::View { .. } => parts.buffers.extend(view.buffers().iter().skip(1).cloned()),
        // A row without bytes still has a buffer.
        PhysicalType::FixedBinary(0) => parts.buffers.push(Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?),
        _ => {}
    }
    for _ in 0..children {
        parts.children.push(column(plan, nodes, ctx)?);
    }
    // Null rows of lists and of text have no data if each range is one row. Other null rows are copied as they are.
    // Lists of a fixed size have elements in every layout.
    let removes_data = plan.length == RangeLength::One && node.is_row();
    let is_sanitized = removes_data || is_fixed(physical) || node.views.iter().all(|view| view.sanitized());
    parts.sanitized =
        is_sanitized && parts.children.iter().all(|child| physical == PhysicalType::Dictionary || child.sanitized());
    let copied = vouch::result(parts)?;
    if let [view] = node.views[..] {
        vouch::outer_bounds_of(&copied, view);
        if let Some(rows) = view.row_numbers_of() {
            vouch::row_numbers(&copied, rows);
        }
    }
    Ok(copied)
}

fn is_fixed(physical: PhysicalType) -> bool {
    matches!(physical, PhysicalType::FixedSizeList(_))
}
