//! The buffers and children of a column of each type. Validation, import and export share this table.

use arrow_schema::DataType;
use smallvec::{SmallVec, smallvec};

use crate::types::{PhysicalType, physical_type, same_type};
use crate::{Error, Result};

/// The content of one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// One bit per row.
    Bits,
    /// A fixed number of bytes per row, with an alignment.
    Fixed { width: usize, alignment: usize },
    /// Offsets of this width, in bytes. There is one more offset than there are rows.
    Offsets { width: usize },
    /// Bytes to which offsets or views refer.
    Bytes,
}

impl Content {
    /// Returns the number of bytes that the first `rows` rows need. Returns `None` if the number overflows.
    pub fn needed(self, rows: usize) -> Option<usize> {
        match self {
            Content::Bits => Some(rows.div_ceil(8)),
            Content::Fixed { width, .. } => rows.checked_mul(width),
            Content::Offsets { width } => rows.checked_add(1)?.checked_mul(width),
            Content::Bytes => Some(0),
        }
    }

    /// Returns the alignment of the elements of the buffer, in bytes.
    pub fn alignment(self) -> usize {
        match self {
            Content::Bits | Content::Bytes => 1,
            Content::Fixed { alignment, .. } => alignment,
            Content::Offsets { width } => width,
        }
    }

    /// Returns the number of bytes of a row. Returns `None` if a row has no fixed number of whole bytes.
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
    /// Whether any number of [`Content::Bytes`] buffers follow after these buffers.
    pub variadic: bool,
}

const fn offset_width(large: bool) -> usize {
    if large { 8 } else { 4 }
}

/// Returns the buffers of a column of type `data_type`.
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

/// Returns the types of the children of a column of type `data_type`.
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

/// The largest number of levels of a type. A list of numbers has two levels. Functions on types call themselves for
/// each level, so that the limit protects the stack.
pub const MAX_TYPE_LEVELS: usize = 64;

/// Checks that a type has at most [`MAX_TYPE_LEVELS`] levels.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } }
/// use gdf::DataType;
/// use gdf::core::layout::check_levels;
///
/// let nested = |levels: usize| (1..levels).fold(DataType::Int8, |of, _| DataType::new_list(of, true));
/// assert!(check_levels(&nested(64)).is_ok());
/// assert!(check_levels(&nested(65)).is_err());
/// ```
///
/// # Errors
/// - [`Error::InvalidArgument`]: the type has more levels. The error does not contain the type, whose text would need
///   as much of the stack.
pub fn check_levels(data_type: &DataType) -> Result<()> {
    let mut waiting = vec![(data_type, 1)];
    while let Some((data_type, level)) = waiting.pop() {
        if level > MAX_TYPE_LEVELS {
            return Err(Error::invalid_argument("the type is nested more than 64 levels deep; use fewer levels"));
        }
        waiting.extend(child_types(data_type).into_iter().map(|child| (child, level + 1)));
    }
    Ok(())
}

/// Returns how many rows of each child belong to one row of the parent. Returns `None` if that number is not fixed by
/// the type.
pub fn rows_per_parent(physical: PhysicalType) -> Option<usize> {
    match physical {
        PhysicalType::Struct | PhysicalType::Union { dense: false } => Some(1),
        PhysicalType::FixedSizeList(size) => Some(size),
        _ => None,
    }
}

/// Returns whether readers of a column of this type rely on rules about its data. Such data are offsets, sizes, views,
/// keys, type ids, run ends and UTF-8.
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

/// Returns whether child `index` is a field that is declared without nulls. As in arrow-rs, the declaration only counts
/// for lists, lists of a fixed size, maps and structs. For all other types, such as list views, the result is `false`.
///
/// In a struct or in a list of a fixed size, a field that is declared without nulls may be null only in rows in which
/// the parent is null. In a list with offsets or in a map, such a field may have no nulls at all.
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

/// Returns whether null rows of a column of this type can have data, which operations would have to remove.
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

/// Returns whether the types are the same by [`same_type`], and the fields of structs and unions have the same names in
/// the same order. Lists and maps may give their elements other names.
///
/// Rows of several sources are put together by this rule, so that values do not change the field.
pub fn same_named_type(a: &DataType, b: &DataType) -> bool {
    same_type(a, b) && has_same_names(a, b)
}

/// Compares the names of the fields of two types that are the same except for names.
fn has_same_names(a: &DataType, b: &DataType) -> bool {
    let is_same = match (a, b) {
        (DataType::Struct(a), DataType::Struct(b)) => a.iter().zip(b.iter()).all(|(a, b)| a.name() == b.name()),
        (DataType::Union(a, _), DataType::Union(b, _)) => {
            a.iter().zip(b.iter()).all(|((_, a), (_, b))| a.name() == b.name())
        }
        _ => true,
    };
    is_same && elements(a).zip(elements(b)).all(|(a, b)| has_same_names(a, b))
}

/// Returns the types within a type. For a map, these are the types of its keys and values.
fn elements(data_type: &DataType) -> impl Iterator<Item = &DataType> {
    let of = match data_type {
        DataType::Map(entries, _) => entries.data_type(),
        other => other,
    };
    child_types(of).into_iter()
}
