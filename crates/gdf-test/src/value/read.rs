//! Conversion of an array of any Arrow type to values.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, RunArray, downcast_primitive};
use arrow_buffer::{ArrowNativeType, i256};
use arrow_schema::DataType;

use super::Value;
use super::native::Native;

/// Returns the elements of an array of any type, layout and offset. Dictionaries and runs are decoded.
pub fn to_values(array: &dyn Array) -> Vec<Option<Value>> {
    macro_rules! primitive {
        ($type:ty, $array:ident) => {
            read_primitive::<$type>($array)
        };
    }
    downcast_primitive! {
        array.data_type() => (primitive, array),
        DataType::Null => vec![None; array.len()],
        DataType::Boolean => array.as_boolean().iter().map(|v| v.map(Value::Bool)).collect(),
        DataType::Utf8 => strings(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => strings(array.as_string::<i64>().iter()),
        DataType::Utf8View => strings(array.as_string_view().iter()),
        DataType::Binary => binaries(array.as_binary::<i32>().iter()),
        DataType::LargeBinary => binaries(array.as_binary::<i64>().iter()),
        DataType::BinaryView => binaries(array.as_binary_view().iter()),
        DataType::FixedSizeBinary(_) => binaries(array.as_fixed_size_binary().iter()),
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            lists(array, list.values(), |i| span(list.value_offsets()[i], list.value_offsets()[i + 1]))
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            lists(array, list.values(), |i| span(list.value_offsets()[i], list.value_offsets()[i + 1]))
        }
        DataType::ListView(_) => {
            let list = array.as_list_view::<i32>();
            lists(array, list.values(), |i| {
                span(list.value_offset(i), list.value_offset(i) + list.value_size(i))
            })
        }
        DataType::LargeListView(_) => {
            let list = array.as_list_view::<i64>();
            lists(array, list.values(), |i| {
                span(list.value_offset(i), list.value_offset(i) + list.value_size(i))
            })
        }
        DataType::Map(_, _) => {
            let map = array.as_map();
            lists(array, map.entries(), |i| span(map.value_offsets()[i], map.value_offsets()[i + 1]))
        }
        DataType::FixedSizeList(_, _) => {
            let list = array.as_fixed_size_list();
            let size = list.value_length().as_usize();
            // If the array is a slice, `values` is a slice, too.
            lists(array, list.values(), |i| i * size..(i + 1) * size)
        }
        DataType::Struct(_) => structs(array),
        DataType::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            let values = to_values(dictionary.values());
            // The keys of null rows are arbitrary and may be out of range.
            let keys = to_values(dictionary.keys());
            keys.iter()
                .map(|key| {
                    let key = usize::try_from(key.as_ref()?.as_i128()?).ok()?;
                    values.get(key).cloned().flatten()
                })
                .collect()
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array),
            DataType::Int32 => runs::<Int32Type>(array),
            _ => runs::<Int64Type>(array),
        },
        DataType::Union(_, _) => {
            let union = array.as_union();
            (0..union.len())
                .map(|i| {
                    let value = to_values(&union.value(i)).pop().flatten();
                    Some(Value::Union(union.type_id(i), Box::new(value)))
                })
                .collect()
        }
        other => unreachable!("every primitive type is matched above, {other} is none"),
    }
}

fn read_primitive<T: ArrowPrimitiveType<Native: Native>>(array: &dyn Array) -> Vec<Option<Value>> {
    let decimal = array.data_type().is_decimal();
    let widen = |value: Value| match value {
        Value::Int(value) if decimal => Value::Decimal(i256::from_i128(value)),
        value => value,
    };
    array.as_primitive::<T>().iter().map(|v| v.map(|v| widen(v.to_value()))).collect()
}

fn strings<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<Value>> {
    values.map(|v| v.map(Value::from)).collect()
}

fn binaries<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> Vec<Option<Value>> {
    values.map(|v| v.map(Value::from)).collect()
}

fn span<O: ArrowNativeType>(start: O, end: O) -> std::ops::Range<usize> {
    start.as_usize()..end.as_usize()
}

fn lists(
    array: &dyn Array,
    elements: &dyn Array,
    range: impl Fn(usize) -> std::ops::Range<usize>,
) -> Vec<Option<Value>> {
    let elements = to_values(elements);
    (0..array.len()).map(|i| array.is_valid(i).then(|| Value::List(elements[range(i)].to_vec()))).collect()
}

fn structs(array: &dyn Array) -> Vec<Option<Value>> {
    let fields: Vec<_> = array.as_struct().columns().iter().map(|c| to_values(c)).collect();
    (0..array.len())
        .map(|i| {
            let row = || fields.iter().map(|field| field[i].clone()).collect();
            array.is_valid(i).then(|| Value::Struct(row()))
        })
        .collect()
}

fn runs<R: RunEndIndexType>(array: &dyn Array) -> Vec<Option<Value>> {
    let Some(runs) = array.as_any().downcast_ref::<RunArray<R>>() else {
        return Vec::new();
    };
    let values = to_values(runs.values());
    (0..runs.len()).map(|i| values[runs.get_physical_index(i)].clone()).collect()
}
