//! The leaf columns of a column of a read, as gdf-decode describes them.

use arrow_schema::{DataType, Field, Fields};
use gdf_core::layout::child_types;
use gdf_decode::{Node, Stored, supports};
use parquet::basic::{Encoding, Repetition, Type as PhysicalType};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::{ColumnDescriptor, Type};

use super::file::ParquetFile;
use super::header::{LevelsOf, encoding_of};

/// How a file stores a leaf column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LeafForm {
    /// The type of the values that are decoded.
    pub(super) data_type: DataType,
    pub(super) stored: Stored,
    /// Whether the values themselves may be null.
    pub(super) is_optional: bool,
    /// The lists and structs around the values.
    pub(super) nodes: Vec<Node>,
}

/// A leaf of a file, and the number of its column in the file.
type Leaf = (usize, LeafForm);

impl LeafForm {
    /// Returns the leaves of a column of a file that is decoded to `data_type`, or `None` if gdf-decode does not decode it.
    /// `leaves` are the numbers of the leaf columns.
    pub(super) fn of_column(file: &ParquetFile, leaves: &[usize], data_type: &DataType) -> Option<Vec<Leaf>> {
        let descriptor = file.metadata.parquet_schema();
        let root = descriptor.get_column_root_idx(*leaves.first()?);
        let all = file.leaves_of(root);
        if leaves != all {
            return None; // some fields of a struct
        }
        let of_root = descriptor.root_schema().get_fields().get(root)?;
        let stored = file.stored_type(root)?;
        let decoded = leaves_of_type(file.metadata.schema().fields().get(root)?.data_type());
        let walk = Walk { file, stored: leaves_of_type(&stored), decoded };
        let first = *all.first()?;
        let found = walk.column(of_root, data_type, is_optional(of_root), &[], first, first)?;
        (found.len() == all.len()).then_some(found)
    }

    /// Returns which levels pages have.
    pub(super) fn levels(&self) -> LevelsOf {
        if self.nodes.is_empty() {
            return LevelsOf::Flat { is_optional: self.is_optional };
        }
        let (repetition, definition) = levels_of(self);
        LevelsOf::Nested { has_repetition: repetition > 0, has_definition: definition > 0 }
    }
}

/// Returns whether gdf-decode has decoders for all encodings of a column chunk. Some writers also list the encoding of
/// levels that pages do not have.
pub(super) fn has_known_encodings(chunk: &ColumnChunkMetaData) -> bool {
    let of_levels = [Encoding::RLE, bit_packed()];
    chunk.encodings().all(|of| of_levels.contains(&of) || encoding_of(of).is_some())
}

/// Returns the deprecated encoding of levels. A page that has it is refused when its header is parsed.
#[expect(deprecated, reason = "old writers name it")]
fn bit_packed() -> Encoding {
    Encoding::BIT_PACKED
}

/// Returns the types of the leaves of a type.
fn leaves_of_type(data_type: &DataType) -> Vec<&DataType> {
    match data_type {
        DataType::Dictionary(..) => vec![data_type],
        _ => match child_types(data_type) {
            children if children.is_empty() => vec![data_type],
            children => children.into_iter().flat_map(leaves_of_type).collect(),
        },
    }
}

/// Walks through the Parquet type and the Arrow type of a column.
struct Walk<'f> {
    file: &'f ParquetFile,
    /// The types of the leaves of the column in the Parquet schema.
    stored: Vec<&'f DataType>,
    /// The types to which arrow-rs decodes the leaves of the column.
    decoded: Vec<&'f DataType>,
}

impl Walk<'_> {
    /// Returns the leaves of `data_type`, from the leaf `next` on. The column begins with the leaf `first`.
    fn column(
        &self,
        of: &Type,
        data_type: &DataType,
        is_optional: bool,
        above: &[Node],
        first: usize,
        next: usize,
    ) -> Option<Vec<Leaf>> {
        let with = |nodes: &[Node]| [above, nodes].concat();
        match data_type {
            DataType::List(item) | DataType::LargeList(item) => {
                let is_large = matches!(data_type, DataType::LargeList(_));
                let list = |is_optional| with(&[Node::List { is_optional, is_large }]);
                if is_repeated(of) {
                    // A repeated column is a list of its own.
                    return self.element(of, item, &list(false), first, next);
                }
                let repeated = only_field(of).filter(|repeated| is_repeated(repeated))?;
                let above = list(is_optional);
                // In the usual form, the repeated group has the element as its only field. Otherwise it is the element.
                let usual = only_field(repeated).and_then(|element| {
                    self.column(element, item.data_type(), self::is_optional(element), &above, first, next)
                });
                usual.or_else(|| self.element(repeated, item, &above, first, next))
            }
            DataType::Map(entries, _) => {
                let repeated = only_field(of).filter(|repeated| is_repeated(repeated) && !is_repeated(of))?;
                let DataType::Struct(fields) = entries.data_type() else { return None };
                let nodes = [Node::List { is_optional, is_large: false }, Node::Struct { is_optional: false }];
                let is_whole = fields.len() == 2 && repeated.is_group();
                if is_whole { self.fields(repeated, fields, &with(&nodes), first, next) } else { None }
            }
            DataType::Struct(fields) if of.is_group() => {
                self.fields(of, fields, &with(&[Node::Struct { is_optional }]), first, next)
            }
            leaf if of.is_primitive() => self.leaf(leaf, is_optional, above, first, next).map(|leaf| vec![leaf]),
            _ => None,
        }
    }

    /// Returns the leaves of the element of a list that is the repeated field itself, which is required.
    fn element(&self, of: &Type, item: &Field, above: &[Node], first: usize, next: usize) -> Option<Vec<Leaf>> {
        match item.data_type() {
            DataType::Struct(fields) if of.is_group() => {
                self.fields(of, fields, &[above, &[Node::Struct { is_optional: false }]].concat(), first, next)
            }
            leaf if of.is_primitive() => self.leaf(leaf, false, above, first, next).map(|leaf| vec![leaf]),
            _ => None,
        }
    }

    /// Returns the leaves of the fields of a struct.
    fn fields(&self, of: &Type, fields: &Fields, above: &[Node], first: usize, next: usize) -> Option<Vec<Leaf>> {
        let stored = of.get_fields();
        if stored.len() != fields.len() || fields.is_empty() {
            return None;
        }
        let mut leaves = Vec::new();
        for (stored, field) in stored.iter().zip(fields) {
            let next = next + leaves.len();
            leaves.extend(self.column(stored, field.data_type(), is_optional(stored), above, first, next)?);
        }
        Some(leaves)
    }

    fn leaf(&self, data_type: &DataType, is_optional: bool, above: &[Node], first: usize, leaf: usize) -> Option<Leaf> {
        let descriptor = self.file.metadata.parquet_schema();
        if leaf >= descriptor.num_columns() {
            return None;
        }
        let column = descriptor.column(leaf);
        let form =
            LeafForm { data_type: data_type.clone(), stored: stored(&column)?, is_optional, nodes: above.to_vec() };
        let types = [*self.stored.get(leaf - first)?, *self.decoded.get(leaf - first)?];
        let has_levels = levels_of(&form) == levels_of_file(&column);
        (has_levels && is_stored_as(form.stored, types, data_type)).then_some((leaf, form))
    }
}

/// Returns the largest repetition level and the largest definition level.
fn levels_of(form: &LeafForm) -> (i16, i16) {
    form.nodes.iter().fold((0, i16::from(form.is_optional)), |(repetition, definition), node| match node {
        Node::List { is_optional, .. } => (repetition + 1, definition + 1 + i16::from(*is_optional)),
        Node::Struct { is_optional } => (repetition, definition + i16::from(*is_optional)),
    })
}

fn levels_of_file(column: &ColumnDescriptor) -> (i16, i16) {
    (column.max_rep_level(), column.max_def_level())
}

fn is_repeated(of: &Type) -> bool {
    of.get_basic_info().has_repetition() && of.get_basic_info().repetition() == Repetition::REPEATED
}

fn is_optional(of: &Type) -> bool {
    of.get_basic_info().has_repetition() && of.get_basic_info().repetition() == Repetition::OPTIONAL
}

/// Returns the only field of a group.
fn only_field(of: &Type) -> Option<&Type> {
    match of {
        Type::GroupType { fields, .. } => match fields.as_slice() {
            [field] => Some(field),
            _ => None,
        },
        Type::PrimitiveType { .. } => None,
    }
}

/// Returns whether a leaf column, which is `stored` so, stores values in the layout of `data_type`. It has `stored_type` in
/// the Parquet schema, and arrow-rs decodes it to `decoded`.
fn is_stored_as(stored: Stored, [stored_type, decoded]: [&DataType; 2], data_type: &DataType) -> bool {
    use DataType::{Binary, LargeBinary, LargeUtf8, Timestamp, Utf8};

    if cfg!(target_endian = "big") {
        return false;
    }
    let is_same = match (stored_type, data_type) {
        // The decoder converts to any unit, but it does not cast from another unit.
        (Timestamp(..), Timestamp(unit, _)) if stored == Stored::Int96 => {
            matches!(decoded, Timestamp(decoded, _) if decoded == unit)
        }
        (Timestamp(stored, _), Timestamp(unit, _)) => stored == unit,
        (Utf8, LargeUtf8) | (Binary, LargeBinary) => true,
        (stored, data_type) => match (gdf_core::decimal_parts(stored), gdf_core::decimal_parts(data_type)) {
            (Some((_, _, stored)), Some((_, _, scale))) => stored == scale,
            (None, None) => stored == data_type,
            (Some(_), None) | (None, Some(_)) => false,
        },
    };
    let is_text = stored == Stored::ByteArray && matches!(data_type, Utf8 | Binary | LargeUtf8 | LargeBinary);
    is_same && (is_text || supports(stored, data_type, gdf_decode::Encoding::Plain))
}

/// Returns how a column stores its values.
pub(super) fn stored(column: &ColumnDescriptor) -> Option<Stored> {
    match column.physical_type() {
        PhysicalType::BOOLEAN => Some(Stored::Boolean),
        PhysicalType::INT32 => Some(Stored::Int32),
        PhysicalType::INT64 => Some(Stored::Int64),
        PhysicalType::INT96 => Some(Stored::Int96),
        PhysicalType::FLOAT => Some(Stored::Float),
        PhysicalType::DOUBLE => Some(Stored::Double),
        PhysicalType::BYTE_ARRAY => Some(Stored::ByteArray),
        PhysicalType::FIXED_LEN_BYTE_ARRAY => usize::try_from(column.type_length()).ok().map(Stored::FixedLenByteArray),
    }
}
