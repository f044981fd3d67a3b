//! Valid and invalid columns for `validation`. A column is built from raw bytes.

use std::slice::Iter;
use std::sync::Arc;

use arrow_array::{ArrayRef, Decimal128Array, Int32Array, Int64Array, UInt8Array, UInt16Array};
use arrow_schema::{DataType, Field, UnionFields, UnionMode};
use gdf_core::{Column, ColumnParts, Error, NullCount, PhysicalType, Result, physical_type};

use crate::naive::validation::Raw;

fn element(data_type: &DataType, buffer: usize) -> usize {
    use PhysicalType as P;
    match (physical_type(data_type), data_type) {
        (P::String { large } | P::Binary { large } | P::List { large } | P::ListView { large }, _) => {
            let bytes = buffer == 1 && !matches!(physical_type(data_type), P::ListView { .. });
            if bytes { 1 } else { [4, 8][usize::from(large)] }
        }
        (P::Map, _) => 4,
        (P::View { .. }, _) => [16, 1][buffer.min(1)],
        (P::Union { .. }, _) => [1, 4][buffer],
        (_, DataType::Dictionary(keys, _)) => physical_type(keys).width().unwrap_or(1),
        (other, _) => other.width().unwrap_or(1),
    }
}

fn array(bytes: &[u8], width: usize) -> ArrayRef {
    match width {
        2 => Arc::new(bytes.as_chunks().0.iter().map(|b| Some(u16::from_le_bytes(*b))).collect::<UInt16Array>()),
        4 => Arc::new(bytes.as_chunks().0.iter().map(|b| Some(i32::from_le_bytes(*b))).collect::<Int32Array>()),
        8 => Arc::new(bytes.as_chunks().0.iter().map(|b| Some(i64::from_le_bytes(*b))).collect::<Int64Array>()),
        16 => {
            let numbers = bytes.as_chunks().0.iter().map(|b| Some(i128::from_le_bytes(*b)));
            Arc::new(numbers.collect::<Decimal128Array>())
        }
        _ => Arc::new(UInt8Array::from(bytes.to_vec())),
    }
}

pub(crate) fn arrays(raw: &Raw) -> Vec<ArrayRef> {
    let mask = raw.mask.iter().map(|mask| array(mask, 1));
    let own = raw.buffers.iter().enumerate().map(|(i, bytes)| array(bytes, element(&raw.data_type, i)));
    mask.chain(own).chain(raw.children.iter().flat_map(arrays)).collect()
}

pub(crate) fn column(raw: &Raw, inputs: &mut Iter<'_, Column>) -> Result<Column> {
    let mut next = |width: usize| {
        let missing = Error::invalid_argument("there are fewer arrays than buffers");
        let input = inputs.next().ok_or(missing)?;
        Ok::<_, Error>(input.view().buffer(0)?.slice(input.offset() * width, input.len() * width)?)
    };
    let device = |inputs: &Iter<'_, Column>| inputs.as_slice().first().map(Column::device);
    let mask = raw.mask.as_ref().map(|_| next(1)).transpose()?;
    let own = raw.buffers.iter().enumerate().map(|(i, _)| next(element(&raw.data_type, i)));
    let own = own.collect::<Result<Vec<_>>>()?;
    let children = raw.children.iter().map(|child| column(child, inputs)).collect::<Result<Vec<_>>>()?;
    let known = mask.iter().chain(&own).map(|buffer| buffer.device()).next();
    let known = known.or(children.first().map(Column::device)).or(device(inputs));
    let mut parts = ColumnParts::new(raw.data_type.clone(), known.unwrap_or(gdf_driver::Device::Cpu), raw.len);
    parts.offset = raw.offset;
    parts.null_count = match (&mask, raw.null_count) {
        (None, _) => NullCount::Known(0),
        (Some(_), Some(count)) => NullCount::Known(count),
        (Some(_), None) => NullCount::Unknown,
    };
    parts.validity = mask;
    parts.buffers = own.into_iter().collect();
    parts.children = children;
    Column::try_from_parts(parts)
}

fn le32(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn le64(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| i64::from(number).to_le_bytes()).collect()
}

fn le(numbers: &[i32], large: bool) -> Vec<u8> {
    if large { le64(numbers) } else { le32(numbers) }
}

fn field(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("item", data_type, true))
}

impl Raw {
    pub(crate) fn skipping(mut self, offset: usize) -> Raw {
        self.offset += offset;
        self.len -= offset;
        self
    }

    pub(crate) fn masked(mut self, mask: Vec<u8>, null_count: Option<usize>) -> Raw {
        self.mask = Some(mask);
        self.null_count = null_count;
        self
    }
}

pub(crate) fn texts(data_type: DataType, offsets: &[i32], bytes: &[u8]) -> Raw {
    let large = matches!(data_type, DataType::LargeUtf8 | DataType::LargeBinary);
    Raw::new(data_type, offsets.len() - 1, vec![le(offsets, large), bytes.to_vec()], vec![])
}

pub(crate) fn rows_of_text(rows: &[&[u8]]) -> Raw {
    let mut offsets = vec![0];
    for row in rows {
        offsets.push(offsets[offsets.len() - 1] + row.len() as i32);
    }
    texts(DataType::Utf8, &offsets, &rows.concat())
}

pub(crate) fn numbers(rows: usize) -> Raw {
    Raw::new(DataType::Int32, rows, vec![le32(&(0..rows as i32).collect::<Vec<_>>())], vec![])
}

pub(crate) fn lists(large: bool, offsets: &[i32], child: Raw) -> Raw {
    let item = field(child.data_type.clone());
    let data_type = if large { DataType::LargeList(item) } else { DataType::List(item) };
    Raw::new(data_type, offsets.len() - 1, vec![le(offsets, large)], vec![child])
}

pub(crate) fn maps(offsets: &[i32], keys: Raw) -> Raw {
    let values = numbers(keys.len);
    let entry = |name: &str, raw: &Raw| Field::new(name, raw.data_type.clone(), name != "key");
    let fields = vec![entry("key", &keys), entry("value", &values)];
    let entries = Raw::new(DataType::Struct(fields.into()), keys.len, vec![], vec![keys, values]);
    let field = Field::new("entries", entries.data_type.clone(), false);
    let data_type = DataType::Map(Arc::new(field), false);
    Raw::new(data_type, offsets.len() - 1, vec![le32(offsets)], vec![entries])
}

pub(crate) fn list_views(large: bool, offsets: &[i32], sizes: &[i32], child: Raw) -> Raw {
    let item = field(child.data_type.clone());
    let data_type = if large { DataType::LargeListView(item) } else { DataType::ListView(item) };
    Raw::new(data_type, offsets.len(), vec![le(offsets, large), le(sizes, large)], vec![child])
}

/// Builds a dictionary column from keys and values.
pub(crate) fn dictionary(keys: DataType, key: &[i32], values: Raw) -> Raw {
    let width = physical_type(&keys).width().unwrap_or(1);
    let bytes = key.iter().flat_map(|&key| i64::from(key).to_le_bytes()[..width].to_vec()).collect();
    let data_type = DataType::Dictionary(Box::new(keys), Box::new(values.data_type.clone()));
    Raw::new(data_type, key.len(), vec![bytes], vec![values])
}

/// Builds a view of bytes.
pub(crate) fn view(text: &[u8], buffer: u32, offset: u32) -> [u8; 16] {
    let mut view = [0; 16];
    view[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
    if text.len() <= 12 {
        view[4..4 + text.len()].copy_from_slice(text);
    } else {
        view[4..8].copy_from_slice(&text[..4]);
        view[8..12].copy_from_slice(&buffer.to_le_bytes());
        view[12..].copy_from_slice(&offset.to_le_bytes());
    }
    view
}

pub(crate) fn views(data_type: DataType, views: &[[u8; 16]], data: &[&[u8]]) -> Raw {
    let buffers = [views.concat()].into_iter().chain(data.iter().map(|bytes| bytes.to_vec())).collect();
    Raw::new(data_type, views.len(), buffers, vec![])
}

/// Builds a union of numbers and text with the type ids 3 and 70.
pub(crate) fn union(ids: &[i8], offsets: Option<&[i32]>, children: Vec<Raw>) -> Raw {
    let named = ["a", "b"].into_iter().zip(&children);
    let fields = named.map(|(name, child)| Arc::new(Field::new(name, child.data_type.clone(), true)));
    let fields: UnionFields = [3_i8, 70].into_iter().zip(fields).collect();
    let mode = if offsets.is_some() { UnionMode::Dense } else { UnionMode::Sparse };
    let ids_bytes = ids.iter().map(|&id| id.cast_unsigned()).collect();
    let buffers = [ids_bytes].into_iter().chain(offsets.map(le32)).collect();
    Raw::new(DataType::Union(fields, mode), ids.len(), buffers, children)
}

pub(crate) fn runs(ends: DataType, end: &[i32], rows: usize) -> Raw {
    let width = physical_type(&ends).width().unwrap_or(2);
    let bytes = end.iter().flat_map(|&end| i64::from(end).to_le_bytes()[..width].to_vec()).collect();
    let values = numbers(end.len());
    let of_ends = Arc::new(Field::new("run_ends", ends.clone(), false));
    let data_type = DataType::RunEndEncoded(of_ends, field(values.data_type.clone()));
    Raw::new(data_type, rows, vec![], vec![Raw::new(ends, end.len(), vec![bytes], vec![]), values])
}

pub(crate) fn structs(rows: usize, children: Vec<Raw>) -> Raw {
    let of = |(i, child): (usize, &Raw)| Field::new(format!("f{i}"), child.data_type.clone(), true);
    let fields: Vec<_> = children.iter().enumerate().map(of).collect();
    Raw::new(DataType::Struct(fields.into()), rows, vec![], children)
}

pub(crate) fn arrays_of(size: i32, rows: usize, child: Raw) -> Raw {
    Raw::new(DataType::FixedSizeList(field(child.data_type.clone()), size), rows, vec![], vec![child])
}
