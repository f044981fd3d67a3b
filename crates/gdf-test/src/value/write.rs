//! Conversion of values to an array of any Arrow type.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, ByteArrayType, Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, GenericByteArray,
    GenericListArray, GenericListViewArray, MapArray, NullArray, OffsetSizeTrait, PrimitiveArray, RunArray,
    StringViewArray, StructArray, UnionArray, downcast_primitive, make_array, types,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, FieldRef, Fields, UnionFields, UnionMode};

use super::native::Native;
use super::{Value, ValueError};

type Result<T, E = ValueError> = std::result::Result<T, E>;

/// Returns an array of `data_type` with the given elements. A signed type accepts unsigned integers that fit the type,
/// and an unsigned type accepts signed integers that fit the type.
///
/// # Panics
/// - [`try_from_values`] returns an error.
pub fn from_values(data_type: &DataType, values: &[Option<Value>]) -> ArrayRef {
    try_from_values(data_type, values).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns an array of `data_type` with the given elements.
///
/// Dictionaries have one entry for each distinct value. Run-end encoded arrays have one run for each sequence of equal
/// values. Null lists are empty, and the children of null structs are null.
///
/// # Errors
/// - [`ValueError::Unfit`]: a value is not an element of the type.
/// - [`ValueError::Unsupported`]: the function cannot build arrays of the type.
/// - [`ValueError::Arrow`]: a null in a field that is declared without nulls.
pub fn try_from_values(data_type: &DataType, values: &[Option<Value>]) -> Result<ArrayRef> {
    macro_rules! primitive {
        ($type:ty, $data_type:ident, $values:ident) => {
            write_primitive::<$type>($data_type, $values)
        };
    }
    downcast_primitive! {
        data_type => (primitive, data_type, values),
        DataType::Null => match values.iter().flatten().next() {
            Some(value) => Err(unfit(data_type, value)),
            None => Ok(Arc::new(NullArray::new(values.len()))),
        },
        DataType::Boolean => {
            let bits = each(data_type, values, Value::as_bool)?;
            Ok(Arc::new(BooleanArray::from(bits)))
        }
        DataType::Utf8 => bytes::<types::Utf8Type, str>(data_type, values, Value::as_str),
        DataType::LargeUtf8 => bytes::<types::LargeUtf8Type, str>(data_type, values, Value::as_str),
        DataType::Binary => bytes::<types::BinaryType, [u8]>(data_type, values, plain_bytes),
        DataType::LargeBinary => bytes::<types::LargeBinaryType, [u8]>(data_type, values, plain_bytes),
        DataType::Utf8View => {
            let strings = each(data_type, values, Value::as_str)?;
            Ok(Arc::new(StringViewArray::from_iter(strings)))
        }
        DataType::BinaryView => {
            let binaries = each(data_type, values, plain_bytes)?;
            Ok(Arc::new(BinaryViewArray::from_iter(binaries)))
        }
        DataType::FixedSizeBinary(width) => {
            let fits = |value| plain_bytes(value).filter(|b| i32::try_from(b.len()) == Ok(*width));
            let rows = each(data_type, values, fits)?;
            Ok(Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows.into_iter(), *width)?))
        }
        DataType::List(field) => list::<i32>(data_type, field, values),
        DataType::LargeList(field) => list::<i64>(data_type, field, values),
        DataType::ListView(field) => list_view::<i32>(data_type, field, values),
        DataType::LargeListView(field) => list_view::<i64>(data_type, field, values),
        DataType::FixedSizeList(field, size) => fixed_size_list(data_type, field, *size, values),
        DataType::Map(field, sorted) => {
            let (offsets, entries, nulls) = flatten::<i32>(data_type, field.data_type(), values)?;
            let entries: &StructArray = entries.as_any().downcast_ref()
                .ok_or_else(|| ValueError::Unsupported(data_type.clone()))?;
            let map = MapArray::try_new(field.clone(), offsets, entries.clone(), nulls, *sorted)?;
            Ok(Arc::new(map))
        }
        DataType::Struct(fields) => structs(data_type, fields, values),
        DataType::Dictionary(key, value) => dictionary(data_type, key, value, values),
        DataType::RunEndEncoded(ends, elements) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(data_type, elements, values),
            DataType::Int32 => runs::<Int32Type>(data_type, elements, values),
            _ => runs::<Int64Type>(data_type, elements, values),
        },
        DataType::Union(fields, mode) => union(data_type, fields, *mode, values),
        other => Err(ValueError::Unsupported(other.clone())),
    }
}

fn unfit(data_type: &DataType, value: &Value) -> ValueError {
    ValueError::Unfit { data_type: data_type.clone(), value: value.clone() }
}

/// Applies `get` to every valid element.
fn each<'v, T>(
    data_type: &DataType,
    values: &'v [Option<Value>],
    get: impl Fn(&'v Value) -> Option<T>,
) -> Result<Vec<Option<T>>> {
    values
        .iter()
        .map(|value| match value {
            None => Ok(None),
            Some(value) => get(value).map(Some).ok_or_else(|| unfit(data_type, value)),
        })
        .collect()
}

fn plain_bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

fn nulls_of<T>(values: &[Option<T>]) -> Option<NullBuffer> {
    let valid = NullBuffer::from_iter(values.iter().map(Option::is_some));
    (valid.null_count() > 0).then_some(valid)
}

fn write_primitive<T: ArrowPrimitiveType<Native: Native>>(
    data_type: &DataType,
    values: &[Option<Value>],
) -> Result<ArrayRef> {
    let natives = each(data_type, values, T::Native::of_value)?;
    let array = PrimitiveArray::<T>::from_iter(natives);
    Ok(Arc::new(array.with_data_type(data_type.clone())))
}

fn bytes<'v, T, N>(
    data_type: &DataType,
    values: &'v [Option<Value>],
    get: impl Fn(&'v Value) -> Option<&'v N>,
) -> Result<ArrayRef>
where
    T: ByteArrayType<Native = N>,
    N: ?Sized + AsRef<T::Native> + 'v,
    &'v N: AsRef<T::Native>,
{
    let rows = each(data_type, values, get)?;
    Ok(Arc::new(GenericByteArray::<T>::from_iter(rows)))
}

fn flatten<O: OffsetSizeTrait>(
    data_type: &DataType,
    element: &DataType,
    values: &[Option<Value>],
) -> Result<(OffsetBuffer<O>, ArrayRef, Option<NullBuffer>)> {
    let rows = each(data_type, values, Value::as_list)?;
    let lengths = rows.iter().map(|row| row.map_or(0, <[_]>::len));
    let offsets = OffsetBuffer::from_lengths(lengths);
    let elements: Vec<Option<Value>> = rows.iter().flatten().flat_map(|row| row.to_vec()).collect();
    Ok((offsets, try_from_values(element, &elements)?, nulls_of(&rows)))
}

fn list<O: OffsetSizeTrait>(data_type: &DataType, field: &FieldRef, values: &[Option<Value>]) -> Result<ArrayRef> {
    let (offsets, elements, nulls) = flatten::<O>(data_type, field.data_type(), values)?;
    Ok(Arc::new(GenericListArray::try_new(field.clone(), offsets, elements, nulls)?))
}

fn list_view<O: OffsetSizeTrait>(data_type: &DataType, field: &FieldRef, values: &[Option<Value>]) -> Result<ArrayRef> {
    let (offsets, elements, nulls) = flatten::<O>(data_type, field.data_type(), values)?;
    let starts: ScalarBuffer<O> = offsets.iter().take(values.len()).copied().collect();
    let sizes: ScalarBuffer<O> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let list = GenericListViewArray::try_new(field.clone(), starts, sizes, elements, nulls)?;
    Ok(Arc::new(list))
}

fn fixed_size_list(data_type: &DataType, field: &FieldRef, size: i32, values: &[Option<Value>]) -> Result<ArrayRef> {
    let count = usize::try_from(size).unwrap_or_default();
    let rows = each(data_type, values, |v| v.as_list().filter(|row| row.len() == count))?;
    let absent = vec![None; count];
    let elements: Vec<Option<Value>> = rows.iter().flat_map(|row| row.unwrap_or(&absent).to_vec()).collect();
    let elements = try_from_values(field.data_type(), &elements)?;
    let nulls = nulls_of(&rows);
    let list = FixedSizeListArray::try_new_with_length(field.clone(), size, elements, nulls, rows.len())?;
    Ok(Arc::new(list))
}

fn structs(data_type: &DataType, fields: &Fields, values: &[Option<Value>]) -> Result<ArrayRef> {
    let rows = each(data_type, values, |v| v.as_struct().filter(|row| row.len() == fields.len()))?;
    let columns = fields
        .iter()
        .enumerate()
        .map(|(i, field)| {
            let column: Vec<_> = rows.iter().map(|row| row.and_then(|row| row[i].clone())).collect();
            try_from_values(field.data_type(), &column)
        })
        .collect::<Result<Vec<_>>>()?;
    let nulls = nulls_of(&rows);
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, rows.len())?))
}

fn dictionary(data_type: &DataType, key: &DataType, value: &DataType, values: &[Option<Value>]) -> Result<ArrayRef> {
    let mut entries: Vec<Option<Value>> = Vec::new();
    let mut seen: HashMap<&Value, u64> = HashMap::new();
    let mut keys = Vec::with_capacity(values.len());
    for element in values {
        keys.push(element.as_ref().map(|element| {
            Value::UInt(*seen.entry(element).or_insert_with(|| {
                entries.push(Some(element.clone()));
                entries.len() as u64 - 1
            }))
        }));
    }
    let keys = try_from_values(key, &keys)?.to_data();
    let data = keys.into_builder().data_type(data_type.clone());
    let data = data.add_child_data(try_from_values(value, &entries)?.to_data()).build()?;
    Ok(make_array(data))
}

fn runs<R: RunEndIndexType>(data_type: &DataType, elements: &FieldRef, values: &[Option<Value>]) -> Result<ArrayRef> {
    let mut ends: Vec<Option<Value>> = Vec::new();
    let mut heads: Vec<Option<Value>> = Vec::new();
    for (i, value) in values.iter().enumerate() {
        if heads.last() != Some(value) {
            heads.push(value.clone());
            ends.push(None);
        }
        if let Some(end) = ends.last_mut() {
            *end = Some(Value::UInt(i as u64 + 1));
        }
    }
    let ends = try_from_values(&R::DATA_TYPE, &ends)?.to_data();
    let heads = try_from_values(elements.data_type(), &heads)?.to_data();
    let data = ArrayData::builder(data_type.clone()).len(values.len());
    let data = data.add_child_data(ends).add_child_data(heads).build()?;
    Ok(Arc::new(RunArray::<R>::from(data)))
}

fn union(data_type: &DataType, fields: &UnionFields, mode: UnionMode, values: &[Option<Value>]) -> Result<ArrayRef> {
    let dense = mode == UnionMode::Dense;
    let mut children: Vec<(i8, &FieldRef, Vec<Option<Value>>)> =
        fields.iter().map(|(id, field)| (id, field, Vec::new())).collect();
    let (mut ids, mut offsets) = (Vec::new(), Vec::new());
    for (row, value) in values.iter().enumerate() {
        let (id, element) = match value {
            Some(Value::Union(id, element)) => (*id, element.as_ref()),
            Some(other) => return Err(unfit(data_type, other)),
            // A union has no validity buffer, so its null is a null of its first child.
            None => (children.first().map_or(0, |child| child.0), &None),
        };
        let child = children.iter_mut().find(|child| child.0 == id);
        let Some((_, _, elements)) = child else {
            return Err(unfit(data_type, &Value::Union(id, Box::new(element.clone()))));
        };
        if !dense {
            elements.resize(row, None);
        }
        offsets.push(elements.len() as i32);
        elements.push(element.clone());
        ids.push(id);
    }
    let mut arrays = Vec::new();
    for (_, field, mut elements) in children {
        if !dense {
            elements.resize(values.len(), None);
        }
        arrays.push(try_from_values(field.data_type(), &elements)?);
    }
    let offsets = dense.then(|| offsets.into());
    Ok(Arc::new(UnionArray::try_new(fields.clone(), ids.into(), offsets, arrays)?))
}
