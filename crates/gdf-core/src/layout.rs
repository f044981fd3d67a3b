//! What buffers and children a column of each type has: the table that validation, import and export share.

use arrow_schema::DataType;
use smallvec::{SmallVec, smallvec};

use crate::data_type::{PhysicalType, physical_type};

/// The content of one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// One bit per row.
    Bits,
    /// This many bytes per row, at this alignment.
    Fixed { width: usize, alignment: usize },
    /// One entry of this width per row and one more.
    Offsets { width: usize },
    /// Bytes that offsets or views point into.
    Bytes,
}

impl Content {
    /// The bytes that rows `0..rows` need, or `None` when that does not fit.
    pub fn needed(self, rows: usize) -> Option<usize> {
        match self {
            Content::Bits => Some(rows.div_ceil(8)),
            Content::Fixed { width, .. } => rows.checked_mul(width),
            Content::Offsets { width } => rows.checked_add(1)?.checked_mul(width),
            Content::Bytes => Some(0),
        }
    }

    /// The alignment of its elements.
    pub fn alignment(self) -> usize {
        match self {
            Content::Bits | Content::Bytes => 1,
            Content::Fixed { alignment, .. } => alignment,
            Content::Offsets { width } => width,
        }
    }

    /// Bytes per row, where rows have whole bytes.
    pub fn row_width(self) -> Option<usize> {
        match self {
            Content::Fixed { width, .. } | Content::Offsets { width } => Some(width),
            Content::Bits | Content::Bytes => None,
        }
    }
}

/// The buffers of a column.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Name and content of each buffer.
    pub buffers: SmallVec<[(&'static str, Content); 2]>,
    /// Whether any number of [`Content::Bytes`] buffers follow.
    pub variadic: bool,
}

const fn offset_width(large: bool) -> usize {
    if large { 8 } else { 4 }
}

/// The buffers of a column of type `data_type`.
pub fn layout(data_type: &DataType) -> Layout {
    let physical = match data_type {
        DataType::Dictionary(keys, _) => physical_type(keys),
        other => physical_type(other),
    };
    let integers = |large| Content::Fixed { width: offset_width(large), alignment: offset_width(large) };
    let buffers = match physical {
        PhysicalType::Bool => smallvec![("values", Content::Bits)],
        PhysicalType::String { large } | PhysicalType::Binary { large } => {
            smallvec![("offsets", Content::Offsets { width: offset_width(large) }), ("bytes", Content::Bytes)]
        }
        PhysicalType::List { large } => smallvec![("offsets", Content::Offsets { width: offset_width(large) })],
        PhysicalType::Map => smallvec![("offsets", Content::Offsets { width: 4 })],
        PhysicalType::ListView { large } => smallvec![("offsets", integers(large)), ("sizes", integers(large))],
        PhysicalType::View { .. } => smallvec![("views", Content::Fixed { width: 16, alignment: 16 })],
        PhysicalType::Union { dense } => {
            let mut buffers = smallvec![("type ids", Content::Fixed { width: 1, alignment: 1 })];
            if dense {
                buffers.push(("offsets", integers(false)));
            }
            buffers
        }
        other => match other.width() {
            Some(width) => smallvec![("values", Content::Fixed { width, alignment: other.alignment() })],
            None => smallvec![],
        },
    };
    Layout { buffers, variadic: matches!(physical, PhysicalType::View { .. }) }
}

/// The types of the children of a column of type `data_type`.
pub fn child_types(data_type: &DataType) -> SmallVec<[&DataType; 4]> {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => smallvec![field.data_type()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        DataType::Dictionary(_, values) => smallvec![&**values],
        DataType::RunEndEncoded(ends, values) => smallvec![ends.data_type(), values.data_type()],
        _ => smallvec![],
    }
}

/// How many rows of each child belong to a row of its parent, for the types whose children run along with them.
pub fn rows_per_parent(physical: PhysicalType) -> Option<usize> {
    match physical {
        PhysicalType::Struct | PhysicalType::Union { dense: false } => Some(1),
        PhysicalType::FixedSizeList(size) => Some(size),
        _ => None,
    }
}

/// Whether wrong data in the own buffers of such a column could lead a reader astray: offsets, views, keys, UTF-8.
pub fn has_rules_on_data(data_type: &DataType) -> bool {
    use PhysicalType as P;
    matches!(
        physical_type(data_type),
        P::String { .. }
            | P::Binary { .. }
            | P::View { .. }
            | P::List { .. }
            | P::ListView { .. }
            | P::Map
            | P::Dictionary
            | P::Union { .. }
            | P::RunEnd
    )
}

/// Whether child `index` of such a column is a field declared without nulls: it may have some only in rows that are null in the
/// column itself. Of lists, maps and structs, as in arrow-rs.
pub fn is_required(data_type: &DataType, index: usize) -> bool {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => index == 0 && !field.is_nullable(),
        DataType::Struct(fields) => fields.get(index).is_some_and(|field| !field.is_nullable()),
        _ => false,
    }
}

/// Whether a null row of such a column can hide data that operations would have to purge.
pub fn can_be_dirty(data_type: &DataType) -> bool {
    use PhysicalType as P;
    matches!(
        physical_type(data_type),
        P::String { .. }
            | P::Binary { .. }
            | P::List { .. }
            | P::ListView { .. }
            | P::FixedSizeList(_)
            | P::Map
            | P::Struct
    )
}
