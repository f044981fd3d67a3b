//! The plan of a packed table: the byte ranges of buffers that hold its rows, and the positions of these ranges in the
//! packed buffer.
//!
//! The plan is made level by level, first for the columns and then for their children. The rows of a child are known
//! only after the offsets of its parent have been read.

use gdf_core::layout::{Content, layout};
use gdf_core::{Column, Error, PhysicalType, Result, TableView, physical_type};
use gdf_memory::{BUFFER_PADDING, Buffer};

use super::metadata::{Metadata, Node};

/// A byte range of a buffer, and its position in the packed buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment<'a> {
    pub(super) buffer: &'a Buffer,
    pub(super) from: usize,
    pub(super) bytes: usize,
    pub(super) to: usize,
    /// The width of an offset in bytes if the segment contains offsets, and otherwise 0.
    pub(super) width: usize,
}

/// A range of the bytes of a segment, and the zeros that follow the range in the packed buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) segment: Segment<'a>,
    pub(super) skip: usize,
    pub(super) bytes: usize,
    pub(super) padding: usize,
}

impl Task<'_> {
    pub(super) fn to(&self) -> usize {
        self.segment.to + self.skip
    }
}

/// An offset that has to be read: its buffer, the position of its first byte, and its width in bytes.
pub(super) type Entry<'a> = (&'a Buffer, usize, usize);

/// A table that is to be packed into one buffer.
#[derive(Debug)]
pub(super) struct TablePart<'a> {
    pub(super) segments: Vec<Segment<'a>>,
    pub(super) bytes: usize,
    pub(super) metadata: Metadata,
}

fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(BUFFER_PADDING)
}

impl<'a> TablePart<'a> {
    /// Returns the copy tasks for bytes `begin .. end` of the packed buffer, each of at most `most` bytes.
    pub(super) fn tasks(&self, begin: usize, end: usize, most: usize) -> Vec<Task<'a>> {
        let mut tasks = Vec::new();
        let first = self.segments.partition_point(|segment| segment.to + padded(segment.bytes) <= begin);
        for segment in self.segments[first..].iter().take_while(|segment| segment.to < end) {
            let last = (segment.to + padded(segment.bytes)).min(end);
            let mut at = segment.to.max(begin);
            while at < last {
                let length = (last - at).min(most);
                let skip = at - segment.to;
                let bytes = segment.bytes.saturating_sub(skip).min(length);
                tasks.push(Task { segment: *segment, skip, bytes, padding: length - bytes });
                at += length;
            }
        }
        tasks
    }
}

/// A range of rows of a column, and the metadata node that describes the column.
struct Visit<'a> {
    column: &'a Column,
    first: usize,
    rows: usize,
    part: usize,
    path: Vec<usize>,
}

/// A string or list column whose first and last offset must be read.
struct Extent<'a> {
    visit: Visit<'a>,
    width: usize,
}

/// Makes a plan for each table.
///
/// # Errors
/// * The errors of `read`.
pub(super) fn parts<'a>(
    tables: &[TableView<'a>],
    read: impl Fn(&[Entry<'a>]) -> Result<Vec<usize>>,
) -> Result<Vec<TablePart<'a>>> {
    let mut parts = Vec::with_capacity(tables.len());
    let mut visits = Vec::new();
    for (part, table) in tables.iter().enumerate() {
        let types = table.columns().iter().map(|view| view.data_type().clone()).collect();
        let columns = vec![Node::default(); table.num_columns()];
        let metadata = Metadata { version: super::metadata::VERSION, rows: table.num_rows(), bytes: 0, types, columns };
        parts.push(TablePart { segments: Vec::new(), bytes: 0, metadata });
        for (i, view) in table.columns().iter().enumerate() {
            visits.push(Visit { column: view.column(), first: view.offset(), rows: view.len(), part, path: vec![i] });
        }
    }
    while !visits.is_empty() {
        let mut extents = Vec::new();
        let mut stack: Vec<_> = visits.drain(..).rev().collect();
        while let Some(visit) = stack.pop() {
            step(visit, &mut parts, &mut stack, &mut extents)?;
        }
        let entries: Vec<Entry<'a>> = extents.iter().flat_map(entries_of).collect();
        if entries.is_empty() {
            break;
        }
        let ends = read(&entries)?;
        for (extent, ends) in extents.into_iter().zip(ends.as_chunks::<2>().0) {
            visits.extend(open_extent(extent, *ends, &mut parts)?);
        }
    }
    for part in &mut parts {
        part.metadata.bytes = part.bytes;
    }
    Ok(parts)
}

fn entries_of<'a>(extent: &Extent<'a>) -> [Entry<'a>; 2] {
    let Visit { column, first, rows, .. } = extent.visit;
    let buffer = &column.buffers()[0];
    [(buffer, first * extent.width, extent.width), (buffer, (first + rows) * extent.width, extent.width)]
}

fn node<'p>(parts: &'p mut [TablePart<'_>], visit: &Visit<'_>) -> Result<&'p mut Node> {
    let mut path = visit.path.iter();
    let first = path.next().and_then(|&i| parts[visit.part].metadata.columns.get_mut(i));
    let found = path.fold(first, |node, &i| node.and_then(|node| node.children.get_mut(i)));
    found.ok_or_else(|| Error::internal("a column of a packed table has no metadata node"))
}

fn add<'a>(
    parts: &mut [TablePart<'a>],
    visit: &Visit<'a>,
    buffer: &'a Buffer,
    from: usize,
    bytes: usize,
    width: usize,
) -> [usize; 2] {
    let part = &mut parts[visit.part];
    let to = part.bytes;
    if bytes > 0 {
        part.segments.push(Segment { buffer, from, bytes, to, width });
        part.bytes += padded(bytes);
    }
    [to, bytes]
}

/// Packs the buffers of a column, except for the characters of strings.
fn step<'a>(
    mut visit: Visit<'a>,
    parts: &mut [TablePart<'a>],
    stack: &mut Vec<Visit<'a>>,
    extents: &mut Vec<Extent<'a>>,
) -> Result<()> {
    let column = visit.column;
    let physical = physical_type(column.data_type());
    let has_bits = column.has_validity() || physical == PhysicalType::Bool;
    let offset = match physical {
        PhysicalType::RunEnd => visit.first,
        _ if has_bits => visit.first % 8,
        _ => 0,
    };
    let len = visit.rows;
    // The range of rows now also includes the `offset` rows before the first row.
    (visit.first, visit.rows) = (visit.first - offset, len + offset);
    let (first, rows) = (visit.first, visit.rows);
    let validity = column.validity().map(|mask| add(parts, &visit, mask, first / 8, rows.div_ceil(8), 0));
    let mut buffers = Vec::new();
    let mut offsets = None;
    for (&(_, content), buffer) in layout(column.data_type()).buffers.iter().zip(column.buffers()) {
        match content {
            Content::Bits => buffers.push(add(parts, &visit, buffer, first / 8, rows.div_ceil(8), 0)),
            Content::Fixed { width, .. } => buffers.push(add(parts, &visit, buffer, first * width, rows * width, 0)),
            Content::Offsets { width } => {
                buffers.push(add(parts, &visit, buffer, first * width, (rows + 1) * width, width));
                offsets = Some(width);
            }
            Content::Bytes => {}
        }
    }
    if let PhysicalType::View { .. } = physical {
        for buffer in column.buffers().iter().skip(1) {
            buffers.push(add(parts, &visit, buffer, 0, buffer.len(), 0));
        }
    }
    let children = vec![Node::default(); column.children().len()];
    *node(parts, &visit)? = Node { len, offset, validity, buffers, children };
    if let Some(width) = offsets {
        extents.push(Extent { visit, width });
        return Ok(());
    }
    for (i, child) in column.children().iter().enumerate().rev() {
        let (first, rows) = match physical {
            PhysicalType::Struct | PhysicalType::Union { dense: false } => (child.offset() + first, rows),
            PhysicalType::FixedSizeList(size) => (child.offset() + first * size, rows * size),
            _ => (child.offset(), child.len()),
        };
        stack.push(below(&visit, i, child, first, rows));
    }
    Ok(())
}

fn below<'a>(visit: &Visit<'a>, i: usize, column: &'a Column, first: usize, rows: usize) -> Visit<'a> {
    let mut path = visit.path.clone();
    path.push(i);
    Visit { column, first, rows, part: visit.part, path }
}

/// Packs the characters of a string column.
fn open_extent<'a>(
    extent: Extent<'a>,
    [begin, end]: [usize; 2],
    parts: &mut [TablePart<'a>],
) -> Result<Option<Visit<'a>>> {
    let visit = extent.visit;
    let invalid = || {
        Error::invalid_data("an offset is beyond the end of the elements or bytes of the column; validate the column")
    };
    let len = end.checked_sub(begin);
    let len =
        len.ok_or_else(|| Error::invalid_data("an offset is less than the offset before it; validate the column"))?;
    if let Some(child) = visit.column.children().first() {
        if end > child.len() {
            return Err(invalid());
        }
        return Ok(Some(below(&visit, 0, child, child.offset() + begin, len)));
    }
    let Some(bytes) = visit.column.buffers().get(1).filter(|bytes| end <= bytes.len()) else { return Err(invalid()) };
    let range = add(parts, &visit, bytes, begin, len, 0);
    node(parts, &visit)?.buffers.push(range);
    Ok(None)
}
