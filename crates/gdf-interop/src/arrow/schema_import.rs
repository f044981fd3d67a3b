//! Import of types, fields and schemas from `ArrowSchema`.

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::str::FromStr;
use std::sync::Arc;

use gdf_core::layout::MAX_TYPE_LEVELS;
use gdf_core::{DataType, Field, Fields, IntervalUnit, Schema, TimeUnit, UnionFields, UnionMode};

use super::schema_export::{DICTIONARY_ORDERED, MAP_KEYS_SORTED, NULLABLE};
use crate::error::malformed;
use crate::{ArrowSchema, InteropError, Result};

/// The largest number of children.
const MAX_CHILDREN: i64 = 1 << 24;

impl ArrowSchema {
    /// Returns the field that the struct describes.
    ///
    /// # Errors
    /// - [`InteropError::Released`], [`InteropError::Malformed`]: the struct is not a valid schema.
    /// - [`InteropError::UnknownFormat`]: no gdf column has the described type.
    pub fn to_field(&self) -> Result<Field> {
        field(self, 0)
    }

    /// Returns the type that the struct describes.
    ///
    /// # Errors
    /// - The errors of [`ArrowSchema::to_field`].
    pub fn to_data_type(&self) -> Result<DataType> {
        data_type(self, 0)
    }

    /// Returns the schema of a table. The struct must describe a struct type, whose fields are the columns.
    ///
    /// # Errors
    /// - The errors of [`ArrowSchema::to_field`].
    /// - [`gdf_core::Error::TypeMismatch`]: the described type is not a struct.
    pub fn to_schema(&self) -> Result<Schema> {
        match data_type(self, 0)? {
            DataType::Struct(fields) => Ok(Schema::new_with_metadata(fields, metadata(self)?)),
            other => Err(gdf_core::Error::type_mismatch("a struct", &other).into()),
        }
    }
}

/// Returns the bytes before the terminating zero byte as text.
fn text<'a>(at: *const c_char) -> Result<Option<&'a str>> {
    if at.is_null() {
        return Ok(None);
    }
    // SAFETY: `ArrowSchema::from_raw` demands that strings end with a zero byte and live as long as the schema.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map(Some).map_err(|_| malformed("the name or the format of the schema is not UTF-8"))
}

fn field(schema: &ArrowSchema, depth: usize) -> Result<Field> {
    let data_type = data_type(schema, depth)?;
    let name = text(schema.name)?.unwrap_or("");
    let field = Field::new(name, data_type, schema.flags & NULLABLE != 0).with_metadata(metadata(schema)?);
    Ok(field.with_dict_is_ordered(schema.flags & DICTIONARY_ORDERED != 0))
}

fn data_type(schema: &ArrowSchema, depth: usize) -> Result<DataType> {
    if schema.is_released() {
        return Err(InteropError::Released { what: "schema" });
    }
    if depth >= MAX_TYPE_LEVELS {
        return Err(malformed("the types are nested more than 64 levels deep; use fewer levels"));
    }
    let format = text(schema.format)?.ok_or(malformed("`format` of the schema is a null pointer"))?;
    let children = children(schema)?;
    let storage = storage(format, schema, &children, depth)?;
    // SAFETY: `ArrowSchema::from_raw` demands that `dictionary` is null or points to a schema that the parent owns.
    match unsafe { schema.dictionary.as_ref() } {
        Some(values) => {
            let values = data_type(values, depth + 1)?;
            if !gdf_core::is_integral(&storage) {
                return Err(malformed(format!("the dictionary keys must be integers, found {storage}")));
            }
            Ok(DataType::Dictionary(Box::new(storage), Box::new(values)))
        }
        None => Ok(storage),
    }
}

fn children(schema: &ArrowSchema) -> Result<Vec<&ArrowSchema>> {
    if !(0..=MAX_CHILDREN).contains(&schema.n_children) {
        return Err(malformed(format!(
            "`n_children` of the schema must be in the range from 0 to {MAX_CHILDREN}, found {}",
            schema.n_children
        )));
    }
    if schema.n_children > 0 && schema.children.is_null() {
        return Err(malformed("`children` of the schema is a null pointer, but `n_children` is not 0"));
    }
    let child = |i| {
        // SAFETY: `ArrowSchema::from_raw` demands that `children` points to `n_children` pointers, each null or
        // pointing to a schema that the parent owns. `i` is less than `n_children`.
        let child = unsafe { schema.children.add(i).read().as_ref() };
        child.ok_or(malformed("`children` of the schema contains a null pointer"))
    };
    (0..schema.n_children as usize).map(child).collect()
}

/// Returns the type that the format and the children describe.
fn storage(format: &str, schema: &ArrowSchema, children: &[&ArrowSchema], depth: usize) -> Result<DataType> {
    use DataType as D;
    if let Some(simple) = simple(format) {
        return if children.is_empty() {
            Ok(simple)
        } else {
            Err(malformed(format!("the schema has children, but its format {format:?} does not allow children")))
        };
    }
    let unknown = || InteropError::UnknownFormat { format: format.to_owned() };
    let only = || match children {
        [child] => Ok(Arc::new(field(child, depth + 1)?)),
        _ => Err(malformed(format!("a list must have exactly 1 child, found {}", children.len()))),
    };
    Ok(match format {
        "+l" => D::List(only()?),
        "+L" => D::LargeList(only()?),
        "+vl" => D::ListView(only()?),
        "+vL" => D::LargeListView(only()?),
        "+m" => D::Map(only()?, schema.flags & MAP_KEYS_SORTED != 0),
        "+s" => {
            let fields = children.iter().map(|child| field(child, depth + 1)).collect::<Result<Vec<_>>>()?;
            D::Struct(Fields::from(fields))
        }
        "+r" => match children {
            [ends, values] => D::RunEndEncoded(Arc::new(field(ends, depth + 1)?), Arc::new(field(values, depth + 1)?)),
            _ => {
                return Err(malformed(format!(
                    "a run-end encoded type must have exactly 2 children, found {}",
                    children.len()
                )));
            }
        },
        _ => match format.split_once(':').ok_or_else(unknown)? {
            ("+w", size) => D::FixedSizeList(only()?, number(size).ok_or_else(unknown)?),
            (mode @ ("+ud" | "+us"), ids) => {
                let ids = if ids.is_empty() { Vec::new() } else { ids.split(',').collect() };
                let ids: Vec<i8> = ids.into_iter().map(number).collect::<Option<_>>().ok_or_else(unknown)?;
                if ids.len() != children.len() {
                    return Err(malformed(format!(
                        "a union must have one child for each type id, found {} type ids and {} children",
                        ids.len(),
                        children.len()
                    )));
                }
                let fields = children.iter().map(|child| field(child, depth + 1)).collect::<Result<Vec<_>>>()?;
                let fields = UnionFields::try_new(ids, fields).map_err(gdf_core::Error::from)?;
                D::Union(fields, if mode == "+ud" { UnionMode::Dense } else { UnionMode::Sparse })
            }
            _ => return Err(unknown()),
        },
    })
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn simple(format: &str) -> Option<DataType> {
    use DataType as D;
    Some(match format {
        "n" => D::Null,
        "b" => D::Boolean,
        "c" => D::Int8,
        "C" => D::UInt8,
        "s" => D::Int16,
        "S" => D::UInt16,
        "i" => D::Int32,
        "I" => D::UInt32,
        "l" => D::Int64,
        "L" => D::UInt64,
        "e" => D::Float16,
        "f" => D::Float32,
        "g" => D::Float64,
        "z" => D::Binary,
        "Z" => D::LargeBinary,
        "vz" => D::BinaryView,
        "u" => D::Utf8,
        "U" => D::LargeUtf8,
        "vu" => D::Utf8View,
        "tdD" => D::Date32,
        "tdm" => D::Date64,
        "tts" => D::Time32(TimeUnit::Second),
        "ttm" => D::Time32(TimeUnit::Millisecond),
        "ttu" => D::Time64(TimeUnit::Microsecond),
        "ttn" => D::Time64(TimeUnit::Nanosecond),
        "tDs" => D::Duration(TimeUnit::Second),
        "tDm" => D::Duration(TimeUnit::Millisecond),
        "tDu" => D::Duration(TimeUnit::Microsecond),
        "tDn" => D::Duration(TimeUnit::Nanosecond),
        "tiM" => D::Interval(IntervalUnit::YearMonth),
        "tiD" => D::Interval(IntervalUnit::DayTime),
        "tin" => D::Interval(IntervalUnit::MonthDayNano),
        _ => return with_parameters(format),
    })
}

fn with_parameters(format: &str) -> Option<DataType> {
    let (name, parameters) = format.split_once(':')?;
    let timestamp = |unit| {
        let zone = Some(parameters).filter(|zone| !zone.is_empty()).map(Arc::from);
        Some(DataType::Timestamp(unit, zone))
    };
    match name {
        "w" => number(parameters).map(DataType::FixedSizeBinary),
        "tss" => timestamp(TimeUnit::Second),
        "tsm" => timestamp(TimeUnit::Millisecond),
        "tsu" => timestamp(TimeUnit::Microsecond),
        "tsn" => timestamp(TimeUnit::Nanosecond),
        "d" => {
            let mut parameters = parameters.split(',');
            let (precision, scale) = (number(parameters.next()?)?, number(parameters.next()?)?);
            let bits = parameters.next().unwrap_or("128");
            match (bits, parameters.next()) {
                ("32", None) => Some(DataType::Decimal32(precision, scale)),
                ("64", None) => Some(DataType::Decimal64(precision, scale)),
                ("128", None) => Some(DataType::Decimal128(precision, scale)),
                ("256", None) => Some(DataType::Decimal256(precision, scale)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A reader of encoded metadata.
struct Metadata(*const u8);

impl Metadata {
    fn take(&mut self, bytes: usize) -> Vec<u8> {
        // SAFETY: `ArrowSchema::from_raw` demands that metadata contain as many bytes as their lengths state, and live
        // as long as the schema.
        let taken = unsafe { std::slice::from_raw_parts(self.0, bytes) }.to_vec();
        // SAFETY: the new position is the end of the bytes that were read above, so the position is within the
        // metadata or just past their end.
        self.0 = unsafe { self.0.add(bytes) };
        taken
    }

    fn length(&mut self) -> Result<usize> {
        let bytes: [u8; 4] = self
            .take(4)
            .try_into()
            .map_err(|_| malformed("the metadata of the schema end before the 4 bytes of a length are complete"))?;
        usize::try_from(i32::from_ne_bytes(bytes))
            .map_err(|_| malformed("the metadata of the schema contain a negative length"))
    }

    fn text(&mut self) -> Result<String> {
        let bytes = self.length()?;
        String::from_utf8(self.take(bytes)).map_err(|_| malformed("a key or value of the metadata is not UTF-8"))
    }
}

fn metadata(schema: &ArrowSchema) -> Result<HashMap<String, String>> {
    if schema.metadata.is_null() {
        return Ok(HashMap::new());
    }
    let mut reader = Metadata(schema.metadata.cast::<u8>());
    let pairs = reader.length()?;
    (0..pairs).map(|_| Ok((reader.text()?, reader.text()?))).collect()
}
