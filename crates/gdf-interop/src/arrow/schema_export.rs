//! Export of types, fields and schemas as `ArrowSchema`.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_void};

use gdf_core::{DataType, Field, IntervalUnit, Schema, TimeUnit, UnionMode};

use crate::error::malformed;
use crate::{ArrowSchema, InteropError, Result};

pub(super) const DICTIONARY_ORDERED: i64 = 1;
pub(super) const NULLABLE: i64 = 2;
pub(super) const MAP_KEYS_SORTED: i64 = 4;

struct SchemaPrivate {
    format: CString,
    name: CString,
    metadata: Vec<u8>,
    /// The children.
    children: Vec<*mut ArrowSchema>,
    /// The type of a dictionary's values.
    dictionary: *mut ArrowSchema,
}

/// Exports the type of a column, a field or a whole schema as the C struct. The struct contains no data. Names,
/// nullability and metadata are exported, too. One exported schema can describe any number of arrays.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::types::{DataType, Field, Schema};
/// use gdf::interop::{ArrowSchema, to_arrow_schema};
///
/// let schema = Schema::new(vec![Field::new("price", DataType::Float64, true)]);
/// let exported: ArrowSchema = to_arrow_schema(&schema)?;
/// assert_eq!(exported.to_schema()?, schema);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Errors
/// - [`InteropError::Malformed`]: a name or a time zone contains a zero byte, or the metadata exceed 2³¹ - 1 bytes or
///   entries.
pub fn to_arrow_schema<T>(what: T) -> Result<ArrowSchema>
where
    ArrowSchema: TryFrom<T, Error = InteropError>,
{
    ArrowSchema::try_from(what)
}

impl TryFrom<&DataType> for ArrowSchema {
    type Error = InteropError;

    fn try_from(data_type: &DataType) -> Result<Self> {
        node(data_type, "", NULLABLE, &HashMap::new())
    }
}

impl TryFrom<&Field> for ArrowSchema {
    type Error = InteropError;

    fn try_from(field: &Field) -> Result<Self> {
        let mut flags = if field.is_nullable() { NULLABLE } else { 0 };
        if field.dict_is_ordered() == Some(true) {
            flags |= DICTIONARY_ORDERED;
        }
        node(field.data_type(), field.name(), flags, field.metadata())
    }
}

impl TryFrom<&Schema> for ArrowSchema {
    type Error = InteropError;

    /// Exports the schema as a struct type with the fields of the schema.
    fn try_from(schema: &Schema) -> Result<Self> {
        node(&DataType::Struct(schema.fields().clone()), "", 0, &schema.metadata)
    }
}

fn node(data_type: &DataType, name: &str, flags: i64, metadata: &HashMap<String, String>) -> Result<ArrowSchema> {
    let text = |text: &str| {
        CString::new(text)
            .map_err(|_| malformed("a field name or time zone contains a zero byte, which a C string cannot represent"))
    };
    let (flags, storage) = match data_type {
        DataType::Dictionary(keys, _) => (flags, &**keys),
        DataType::Map(_, true) => (flags | MAP_KEYS_SORTED, data_type),
        other => (flags, other),
    };
    let (format, name, metadata) = (text(&format(storage)?)?, text(name)?, encode(metadata)?);
    let mut private =
        Box::new(SchemaPrivate { format, name, metadata, children: Vec::new(), dictionary: std::ptr::null_mut() });
    let children: Vec<ArrowSchema> = match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => vec![(&**field).try_into()?],
        DataType::Struct(fields) => fields.iter().map(|field| (&**field).try_into()).collect::<Result<_>>()?,
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| (&**field).try_into()).collect::<Result<_>>()?,
        DataType::RunEndEncoded(ends, values) => vec![(&**ends).try_into()?, (&**values).try_into()?],
        _ => Vec::new(),
    };
    let dictionary = match data_type {
        DataType::Dictionary(_, values) => Some(ArrowSchema::try_from(&**values)?),
        _ => None,
    };
    // The statements below cannot fail.
    private.children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    private.dictionary = dictionary.map_or(std::ptr::null_mut(), |values| Box::into_raw(Box::new(values)));
    let (n_children, dictionary) = (private.children.len(), private.dictionary);
    let has_metadata = !private.metadata.is_empty();
    let private = Box::into_raw(private);
    // SAFETY: `private` points to the box that was made just above. The box does not move, so the addresses of its
    // contents stay valid.
    let private_mut = unsafe { &mut *private };
    let mut schema = ArrowSchema::empty();
    schema.format = private_mut.format.as_ptr();
    schema.name = private_mut.name.as_ptr();
    schema.metadata = if has_metadata { private_mut.metadata.as_ptr().cast::<c_char>() } else { std::ptr::null() };
    schema.flags = flags;
    schema.n_children = n_children as i64;
    schema.children = if n_children == 0 { std::ptr::null_mut() } else { private_mut.children.as_mut_ptr() };
    schema.dictionary = dictionary;
    schema.release = Some(release);
    schema.private_data = private.cast::<c_void>();
    Ok(schema)
}

/// Releases an exported schema.
unsafe extern "C" fn release(schema: *mut ArrowSchema) {
    // SAFETY: the interface requires consumers to call the callback with the schema's own struct.
    let Some(schema) = (unsafe { schema.as_mut() }) else { return };
    schema.release = None;
    if schema.private_data.is_null() {
        return;
    }
    // SAFETY: `node` made this pointer from a box. The box is taken once, because `private_data` is set to null
    // below.
    let private = unsafe { Box::from_raw(schema.private_data.cast::<SchemaPrivate>()) };
    schema.private_data = std::ptr::null_mut();
    for child in private.children.iter().chain(Some(&private.dictionary).filter(|values| !values.is_null())) {
        // SAFETY: `node` made each pointer from a box, and only these private data contain the pointer. Dropping the
        // box releases the child.
        drop(unsafe { Box::from_raw(*child) });
    }
}

/// Encodes metadata in the form of the specification.
fn encode(metadata: &HashMap<String, String>) -> Result<Vec<u8>> {
    if metadata.is_empty() {
        return Ok(Vec::new());
    }
    let length = |n: usize| {
        i32::try_from(n)
            .map(i32::to_ne_bytes)
            .map_err(|_| malformed("the metadata of a field exceed 2 GiB; remove some metadata"))
    };
    let mut pairs: Vec<_> = metadata.iter().collect();
    pairs.sort();
    let mut bytes = length(pairs.len())?.to_vec();
    for text in pairs.into_iter().flat_map(|(key, value)| [key, value]) {
        bytes.extend(length(text.len())?);
        bytes.extend(text.as_bytes());
    }
    Ok(bytes)
}

fn unit(unit: TimeUnit) -> char {
    match unit {
        TimeUnit::Second => 's',
        TimeUnit::Millisecond => 'm',
        TimeUnit::Microsecond => 'u',
        TimeUnit::Nanosecond => 'n',
    }
}

/// Returns the format string of a type that is not a dictionary.
fn format(data_type: &DataType) -> Result<String> {
    use DataType as D;
    let fixed = match data_type {
        D::Null => "n",
        D::Boolean => "b",
        D::Int8 => "c",
        D::UInt8 => "C",
        D::Int16 => "s",
        D::UInt16 => "S",
        D::Int32 => "i",
        D::UInt32 => "I",
        D::Int64 => "l",
        D::UInt64 => "L",
        D::Float16 => "e",
        D::Float32 => "f",
        D::Float64 => "g",
        D::Binary => "z",
        D::LargeBinary => "Z",
        D::BinaryView => "vz",
        D::Utf8 => "u",
        D::LargeUtf8 => "U",
        D::Utf8View => "vu",
        D::Date32 => "tdD",
        D::Date64 => "tdm",
        D::Interval(IntervalUnit::YearMonth) => "tiM",
        D::Interval(IntervalUnit::DayTime) => "tiD",
        D::Interval(IntervalUnit::MonthDayNano) => "tin",
        D::List(_) => "+l",
        D::LargeList(_) => "+L",
        D::ListView(_) => "+vl",
        D::LargeListView(_) => "+vL",
        D::Struct(_) => "+s",
        D::Map(..) => "+m",
        D::RunEndEncoded(..) => "+r",
        _ => "",
    };
    if !fixed.is_empty() {
        return Ok(fixed.to_owned());
    }
    Ok(match data_type {
        D::FixedSizeBinary(width) => format!("w:{width}"),
        D::FixedSizeList(_, size) => format!("+w:{size}"),
        D::Decimal32(precision, scale) => format!("d:{precision},{scale},32"),
        D::Decimal64(precision, scale) => format!("d:{precision},{scale},64"),
        D::Decimal128(precision, scale) => format!("d:{precision},{scale}"),
        D::Decimal256(precision, scale) => format!("d:{precision},{scale},256"),
        D::Time32(each) | D::Time64(each) => format!("tt{}", unit(*each)),
        D::Duration(each) => format!("tD{}", unit(*each)),
        D::Timestamp(each, zone) => format!("ts{}:{}", unit(*each), zone.as_deref().unwrap_or("")),
        D::Union(fields, mode) => {
            let ids: Vec<String> = fields.iter().map(|(id, _)| id.to_string()).collect();
            let mode = if *mode == UnionMode::Dense { 'd' } else { 's' };
            format!("+u{mode}:{}", ids.join(","))
        }
        other => return Err(gdf_core::Error::unsupported("to_arrow_schema", other).into()),
    })
}
