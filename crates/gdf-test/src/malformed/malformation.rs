//! All kinds of malformed columns that safe code can make. The data of a malformed column break the rules of the
//! column's type.

use std::fmt;

use gdf_core::layout::child_types;
use gdf_core::{Column, ColumnParts, DataType, NullCount, PhysicalType, Result, Validity, physical_type};
use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// A kind of malformation, and the path to the malformed column.
#[derive(Clone, Debug)]
pub struct Malformation {
    /// The positions of the children on the path to the malformed column. If the column itself is malformed, the path
    /// is empty.
    pub path: Vec<usize>,
    /// The kind of malformation.
    pub kind: Kind,
}

/// The kind of error in the data of one column.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Numbers that refer to other data: offsets, sizes, keys, views, type ids and run ends.
    Numbers(Lane, Pattern),
    /// Bytes of text.
    Text(Text),
    /// The validity mask, and wrong statements about the mask.
    Nulls(Nulls),
}

/// The numbers of one kind in a buffer, one number per element of the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// The name of the numbers, for example `offsets` or `sizes`.
    pub name: &'static str,
    /// The child that has the buffer.
    child: Option<usize>,
    buffer: usize,
    /// The number of bytes before the number in an element of the buffer.
    start: usize,
    stride: usize,
    width: usize,
    /// Whether the buffer has one number more than the column has rows.
    fence: bool,
}

/// The pattern that replaces the numbers of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// All numbers are random bits.
    Random,
    /// The numbers fall by one for each row, down to zero.
    Descending,
    /// The number in the middle is replaced by −1.
    Negative,
    /// The number in the middle is replaced by the largest number of its width.
    Max,
    /// The last number is replaced by the smallest number that is too large.
    OnePastEnd,
    /// Each number of the second half of the rows is by 2²⁰ larger than the largest number that is valid.
    FarPastEnd,
    /// The first number is increased by one.
    First,
    /// All numbers are zero.
    Zero,
    /// Every second row is null, and the numbers of the null rows are random bits. This column is not malformed,
    /// because such numbers are allowed.
    UnderNulls,
}

/// The bytes that replace the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// Bytes that do not occur in UTF-8.
    Invalid,
    /// All characters have two bytes. Therefore some offsets are within a character.
    Split,
}

/// A wrong statement about the mask. In the mask, every second row is null, unless the variant states another mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// The stated null count is zero.
    CountedAsNone,
    /// The stated null count is one.
    CountedAsOne,
    /// The stated null count is the number of rows.
    CountedAsAll,
    /// The stated null count is the number of rows, although the mask has no nulls.
    NoneCountedAsAll,
    /// The statement that null rows have no data, although null rows have data.
    Sanitized,
    /// The statement that no row is null. A caller of [`gdf_core::make_structs_column`] makes the statement.
    ClaimedByStruct,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Numbers(lane, pattern) => write!(f, "{} {pattern:?}", lane.name),
            Kind::Text(text) => write!(f, "text {text:?}"),
            Kind::Nulls(nulls) => write!(f, "nulls {nulls:?}"),
        }
    }
}

impl fmt::Display for Malformation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if self.path.is_empty() { Ok(()) } else { write!(f, " of child {:?}", self.path) }
    }
}

/// Returns whether readers rely on rules about the data of the type or of its children.
pub fn has_rules(data_type: &DataType) -> bool {
    gdf_core::layout::has_rules_on_data(data_type) || child_types(data_type).iter().any(|child| has_rules(child))
}

impl Malformation {
    /// Returns all malformations of a column of the type, and of the children of the column.
    pub fn all_of(data_type: &DataType) -> Vec<Malformation> {
        let mut all = Vec::new();
        add(data_type, true, &mut Vec::new(), &mut all);
        all
    }

    /// Returns `column` with this malformation in its visible rows.
    ///
    /// # Errors
    /// - `try_from_parts` does not accept the parts. This outcome is also correct.
    pub fn apply(&self, column: Column, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
        descend(column, &self.path, self.kind, stream, mr)
    }
}

fn add(data_type: &DataType, nullable: bool, path: &mut Vec<usize>, all: &mut Vec<Malformation>) {
    let mut push = |kind| all.push(Malformation { path: path.clone(), kind });
    for (lane, patterns) in lanes(data_type) {
        patterns.iter().for_each(|&pattern| push(Kind::Numbers(lane, pattern)));
    }
    if matches!(physical_type(data_type), PhysicalType::String { .. } | PhysicalType::View { utf8: true }) {
        [Text::Invalid, Text::Split].into_iter().for_each(|text| push(Kind::Text(text)));
    }
    // The function adds no nulls to a field that is declared without nulls, so that only the stated fault can be the
    // reason for an error.
    if nullable && gdf_core::can_have_validity(data_type) {
        use Nulls::{CountedAsAll, CountedAsNone, CountedAsOne, NoneCountedAsAll, Sanitized};
        let counts = [CountedAsNone, CountedAsOne, CountedAsAll, NoneCountedAsAll, Sanitized];
        counts.into_iter().for_each(|nulls| push(Kind::Nulls(nulls)));
    }
    if nullable && matches!(data_type, DataType::Struct(fields) if !fields.is_empty()) {
        push(Kind::Nulls(Nulls::ClaimedByStruct));
    }
    for (i, child) in child_types(data_type).into_iter().enumerate() {
        // The run ends are a child, but the lanes of the parent include them.
        if matches!(data_type, DataType::RunEndEncoded(..)) && i == 0 {
            continue;
        }
        path.push(i);
        add(child, may_have_nulls(data_type, i), path, all);
        path.pop();
    }
}

fn may_have_nulls(data_type: &DataType, child: usize) -> bool {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => field.is_nullable(),
        DataType::Struct(fields) => fields.get(child).is_none_or(|field| field.is_nullable()),
        _ => true,
    }
}

fn lanes(data_type: &DataType) -> Vec<(Lane, &'static [Pattern])> {
    use Pattern::{Descending, FarPastEnd, First, Max, Negative, OnePastEnd, Random, UnderNulls, Zero};
    use PhysicalType as P;
    const OFFSETS: &[Pattern] = &[Random, Descending, Negative, Max, OnePastEnd, FarPastEnd, First];
    const REFERENCES: &[Pattern] = &[Random, Negative, Max, OnePastEnd, FarPastEnd];
    const ENDS: &[Pattern] = &[Random, Descending, Negative, Max, Zero];
    const KEYS: &[Pattern] = &[Random, Negative, Max, OnePastEnd, FarPastEnd, UnderNulls];
    const UNION: &[Pattern] = &[Random, Descending, Negative, Max, OnePastEnd, FarPastEnd];
    let lane = |name, buffer, width| Lane { name, child: None, buffer, start: 0, stride: width, width, fence: false };
    let wide = |large| if large { 8 } else { 4 };
    let of_view = |name, start| Lane { start, stride: 16, ..lane(name, 0, 4) };
    match physical_type(data_type) {
        P::String { large } | P::Binary { large } => {
            vec![(Lane { fence: true, ..lane("offsets", 0, wide(large)) }, OFFSETS)]
        }
        P::List { large } => vec![(Lane { fence: true, ..lane("list offsets", 0, wide(large)) }, OFFSETS)],
        P::Map => vec![(Lane { fence: true, ..lane("map offsets", 0, 4) }, OFFSETS)],
        P::ListView { large } => {
            let (offsets, sizes) = (lane("list view offsets", 0, wide(large)), lane("list view sizes", 1, wide(large)));
            vec![(offsets, REFERENCES), (sizes, REFERENCES)]
        }
        P::View { .. } => vec![
            (of_view("view length", 0), REFERENCES),
            (of_view("view prefix", 4), &[Random]),
            (of_view("view buffer", 8), REFERENCES),
            (of_view("view offset", 12), REFERENCES),
        ],
        P::Dictionary => match data_type {
            DataType::Dictionary(keys, _) => vec![(lane("keys", 0, physical_type(keys).width().unwrap_or(1)), KEYS)],
            _ => vec![],
        },
        P::Union { dense } => {
            let ids = (lane("type ids", 0, 1), REFERENCES);
            if dense { vec![ids, (lane("union offsets", 1, 4), UNION)] } else { vec![ids] }
        }
        P::RunEnd => match data_type {
            DataType::RunEndEncoded(ends, _) => {
                let width = physical_type(ends.data_type()).width().unwrap_or(4);
                vec![(Lane { child: Some(0), ..lane("run ends", 0, width) }, ENDS)]
            }
            _ => vec![],
        },
        _ => vec![],
    }
}

fn descend(column: Column, path: &[usize], kind: Kind, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    let mut parts = column.into_parts();
    match path.split_first() {
        Some((&first, rest)) => {
            let child = parts.children[first].clone();
            parts.children[first] = descend(child, rest, kind, stream, mr)?;
            Column::try_from_parts(parts)
        }
        None => match kind {
            Kind::Numbers(lane, pattern) => numbers(parts, lane, pattern, stream, mr),
            Kind::Text(text) => bytes(parts, text, stream, mr),
            Kind::Nulls(nulls) => miscounted(parts, nulls, stream, mr),
        },
    }
}

fn limit(parts: &ColumnParts, lane: Lane) -> i128 {
    let child = || parts.children.iter().map(Column::len).max().unwrap_or(0);
    let limit = match lane.name {
        "offsets" => parts.buffers.get(1).map_or(0, Buffer::len) + 1,
        "list offsets" | "map offsets" | "list view offsets" | "list view sizes" => child() + 1,
        "view buffer" => parts.buffers.len() - 1,
        "view offset" | "view length" => parts.buffers.get(1).map_or(13, Buffer::len),
        "type ids" => match &parts.data_type {
            DataType::Union(fields, _) => fields.iter().map(|(id, _)| id as usize + 1).max().unwrap_or(0),
            _ => 0,
        },
        _ => child(),
    };
    limit as i128
}

fn numbers(
    mut parts: ColumnParts,
    lane: Lane,
    pattern: Pattern,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    if pattern == Pattern::UnderNulls {
        (parts.validity, parts.null_count) = (Some(mask(&parts, 0b0101_0101, stream, mr)?), NullCount::Unknown);
    }
    let limit = limit(&parts, lane);
    if let Some(child) = lane.child {
        let mut ends = parts.children[child].clone().into_parts();
        let (first, count) = (ends.offset, ends.len);
        ends.buffers[lane.buffer] =
            corrupted(&ends.buffers[lane.buffer], (first, count), lane, pattern, limit, stream, mr)?;
        parts.children[child] = Column::try_from_parts(ends)?;
    } else {
        let rows = (parts.offset, parts.len + usize::from(lane.fence));
        parts.buffers[lane.buffer] = corrupted(&parts.buffers[lane.buffer], rows, lane, pattern, limit, stream, mr)?;
    }
    Column::try_from_parts(parts)
}

fn corrupted(
    buffer: &Buffer,
    (first, count): (usize, usize),
    lane: Lane,
    pattern: Pattern,
    limit: i128,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Buffer> {
    let mut bytes = buffer.to_host(stream)?;
    let mut rng = SmallRng::seed_from_u64(count as u64);
    let max = (1_i128 << (8 * lane.width - 1)) - 1;
    for row in 0..count {
        let element = (first + row) * lane.stride;
        let at = element + lane.start;
        let Some(old) = bytes.get(at..at + lane.width) else { break };
        let old = old.iter().rev().fold(0_i128, |number, &byte| number << 8 | i128::from(byte));
        let (middle, last) = (row == count / 2, row + 1 == count);
        let new = match pattern {
            Pattern::Random => i128::from(rng.random::<i64>()),
            Pattern::UnderNulls if (first + row) % 2 == 1 => i128::from(rng.random::<i64>()),
            // The row may have been null before.
            Pattern::UnderNulls if old >= limit => 0,
            Pattern::Descending => (count - row) as i128 - 1,
            Pattern::Negative if middle => -1,
            Pattern::Max if middle => max,
            Pattern::OnePastEnd if last => limit,
            Pattern::FarPastEnd if 2 * row >= count => limit + (1 << 20),
            Pattern::First if row == 0 => old + 1,
            Pattern::Zero => 0,
            _ => continue,
        };
        bytes[at..at + lane.width].copy_from_slice(&new.to_le_bytes()[..lane.width]);
        // A short view has no buffer and no offset, so the view is made long.
        if lane.start >= 8 && bytes[element] <= 12 && bytes[element + 1..element + 4] == [0; 3] {
            bytes[element] = 20;
        }
    }
    Ok(Buffer::from_host(&bytes, stream, mr)?)
}

fn bytes(mut parts: ColumnParts, text: Text, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    let fill = |len: usize| -> Vec<u8> {
        match text {
            Text::Invalid => vec![0xff; len],
            Text::Split => "é".bytes().cycle().take(len).collect(),
        }
    };
    for buffer in parts.buffers.iter_mut().skip(1) {
        *buffer = Buffer::from_host(&fill(buffer.len()), stream, mr)?;
    }
    // Views have short text inline, so the views are changed, too.
    if matches!(physical_type(&parts.data_type), PhysicalType::View { .. }) {
        let mut views = parts.buffers[0].to_host(stream)?;
        for view in views.chunks_exact_mut(16).skip(parts.offset).take(parts.len) {
            let len = usize::from(view[0]);
            if len <= 12 && view[1..4] == [0; 3] {
                view[4..4 + len].copy_from_slice(&fill(len));
            }
        }
        parts.buffers[0] = Buffer::from_host(&views, stream, mr)?;
    }
    Column::try_from_parts(parts)
}

fn mask(parts: &ColumnParts, byte: u8, stream: &Stream, mr: ResourceRef<'_>) -> Result<Buffer> {
    Ok(Buffer::from_host(&vec![byte; (parts.offset + parts.len).div_ceil(8)], stream, mr)?)
}

fn miscounted(mut parts: ColumnParts, nulls: Nulls, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    let byte = if nulls == Nulls::NoneCountedAsAll { 0xff } else { 0b0101_0101 };
    let mask = mask(&parts, byte, stream, mr)?;
    if nulls == Nulls::ClaimedByStruct {
        let rows = |child: &Column| child.slice(parts.offset, parts.len);
        let children = parts.children.iter().map(rows).collect::<Result<Vec<_>>>()?;
        let validity = Validity { mask, null_count: NullCount::Known(0) };
        return gdf_core::make_structs_column(children, Some(validity));
    }
    parts.null_count = match nulls {
        Nulls::CountedAsNone => NullCount::Known(0),
        Nulls::CountedAsOne => NullCount::Known(1),
        Nulls::Sanitized => NullCount::Unknown,
        _ => NullCount::Known(parts.len),
    };
    parts.sanitized |= nulls == Nulls::Sanitized;
    parts.validity = Some(mask);
    Column::try_from_parts(parts)
}
