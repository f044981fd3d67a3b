//! Arrays of every type of Arrow, with nulls, for the tests of this crate.

use std::sync::Arc;

use arrow_array::builder::*;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{
    BooleanBuffer, IntervalDayTime, IntervalMonthDayNano, NullBuffer, OffsetBuffer, ScalarBuffer, i256,
};
use arrow_schema::{DataType, Field, Fields, TimeUnit, UnionFields};
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, current_resource};
use half::f16;

pub(crate) fn cpu() -> (Stream, Resource) {
    (Stream::cpu(), current_resource(Device::Cpu).unwrap())
}

/// Returns whether row `i` is valid.
fn valid(i: usize) -> bool {
    i % 3 != 1 && i % 11 != 5
}

fn nulls(len: usize) -> NullBuffer {
    (0..len).map(valid).collect()
}

fn primitive<T: ArrowPrimitiveType>(len: usize, value: impl Fn(usize) -> T::Native) -> PrimitiveArray<T> {
    (0..len).map(|i| valid(i).then(|| value(i))).collect()
}

fn text(i: usize) -> String {
    ["", "a", "grüße", "a text of more than twelve bytes", "日本語"][i % 5].repeat(1 + i % 2)
}

fn texts(len: usize) -> Vec<Option<String>> {
    (0..len).map(|i| valid(i).then(|| text(i))).collect()
}

pub(crate) fn all(len: usize) -> Vec<ArrayRef> {
    let mut arrays = plain(len);
    arrays.extend(variable(len));
    arrays.extend(nested(len));
    arrays.extend(encoded(len));
    arrays
}

fn plain(len: usize) -> Vec<ArrayRef> {
    let n = |i: usize| i as i64 * 7919 - 5000;
    vec![
        Arc::new(NullArray::new(len)),
        Arc::new((0..len).map(|i| valid(i).then_some(i % 4 < 2)).collect::<BooleanArray>()),
        Arc::new((0..len).map(|i| Some(i % 4 < 2)).collect::<BooleanArray>()),
        Arc::new(primitive::<Int8Type>(len, |i| n(i) as i8)),
        Arc::new(primitive::<Int16Type>(len, |i| n(i) as i16)),
        Arc::new(primitive::<Int32Type>(len, |i| n(i) as i32)),
        Arc::new(primitive::<Int64Type>(len, n)),
        Arc::new((0..len as i64).collect::<Int64Array>()),
        Arc::new(primitive::<UInt8Type>(len, |i| n(i) as u8)),
        Arc::new(primitive::<UInt16Type>(len, |i| n(i) as u16)),
        Arc::new(primitive::<UInt32Type>(len, |i| n(i) as u32)),
        Arc::new(primitive::<UInt64Type>(len, |i| n(i) as u64)),
        Arc::new(primitive::<Float16Type>(len, |i| f16::from_f32(n(i) as f32))),
        Arc::new(primitive::<Float32Type>(len, |i| n(i) as f32 / 3.0)),
        Arc::new(primitive::<Float64Type>(len, |i| n(i) as f64 / 3.0)),
        Arc::new(primitive::<Date32Type>(len, |i| n(i) as i32)),
        Arc::new(primitive::<Date64Type>(len, |i| n(i) * 86_400_000)),
        Arc::new(primitive::<Time32SecondType>(len, |i| i as i32)),
        Arc::new(primitive::<Time32MillisecondType>(len, |i| i as i32)),
        Arc::new(primitive::<Time64MicrosecondType>(len, |i| i as i64)),
        Arc::new(primitive::<Time64NanosecondType>(len, |i| i as i64)),
        Arc::new(primitive::<TimestampSecondType>(len, n)),
        Arc::new(primitive::<TimestampMillisecondType>(len, n)),
        Arc::new(primitive::<TimestampMicrosecondType>(len, n).with_timezone("+02:00")),
        Arc::new(primitive::<TimestampNanosecondType>(len, n).with_timezone("UTC")),
        Arc::new(primitive::<DurationSecondType>(len, n)),
        Arc::new(primitive::<DurationMillisecondType>(len, n)),
        Arc::new(primitive::<DurationMicrosecondType>(len, n)),
        Arc::new(primitive::<DurationNanosecondType>(len, n)),
        Arc::new(primitive::<IntervalYearMonthType>(len, |i| i as i32)),
        Arc::new(primitive::<IntervalDayTimeType>(len, |i| IntervalDayTime::new(i as i32, 3))),
        Arc::new(primitive::<IntervalMonthDayNanoType>(len, |i| IntervalMonthDayNano::new(i as i32, 2, 5))),
        Arc::new(primitive::<Decimal32Type>(len, |i| n(i) as i32).with_precision_and_scale(9, 2).unwrap()),
        Arc::new(primitive::<Decimal64Type>(len, n).with_precision_and_scale(18, -2).unwrap()),
        Arc::new(primitive::<Decimal128Type>(len, |i| n(i) as i128).with_precision_and_scale(38, 2).unwrap()),
        Arc::new(
            primitive::<Decimal256Type>(len, |i| i256::from_i128(n(i) as i128))
                .with_precision_and_scale(76, 4)
                .unwrap(),
        ),
    ]
}

fn variable(len: usize) -> Vec<ArrayRef> {
    let fixed = |width: i32| {
        let mut builder = FixedSizeBinaryBuilder::new(width);
        for i in 0..len {
            match valid(i) {
                true => builder.append_value(vec![i as u8; width as usize]).unwrap(),
                false => builder.append_null(),
            }
        }
        Arc::new(builder.finish()) as ArrayRef
    };
    let strings = texts(len);
    let bytes: Vec<_> = strings.iter().map(|s| s.as_ref().map(|s| s.as_bytes())).collect();
    vec![
        fixed(5),
        fixed(16),
        Arc::new(StringArray::from(strings.clone())),
        Arc::new((0..len).map(|i| Some(text(i))).collect::<StringArray>()),
        Arc::new(LargeStringArray::from(strings.clone())),
        Arc::new(strings.iter().map(|s| s.as_deref()).collect::<StringViewArray>()),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(LargeBinaryArray::from(bytes.clone())),
        Arc::new(bytes.iter().copied().collect::<BinaryViewArray>()),
    ]
}

/// Returns the offsets of `len` rows of different sizes.
fn offsets(len: usize) -> Vec<i32> {
    let mut end = 2;
    let mut offsets = vec![end];
    offsets.extend((0..len).map(|i| {
        end += i as i32 % 4;
        end
    }));
    offsets
}

fn structs(len: usize, nulls: Option<NullBuffer>) -> StructArray {
    let fields = Fields::from(vec![
        Field::new("number", DataType::Int32, true),
        Field::new("text", DataType::Utf8, true),
        Field::new("flag", DataType::Boolean, true),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(primitive::<Int32Type>(len, |i| i as i32)),
        Arc::new(StringArray::from(texts(len))),
        Arc::new((0..len).map(|i| valid(i).then_some(i % 4 < 2)).collect::<BooleanArray>()),
    ];
    StructArray::new(fields, columns, nulls)
}

fn nested(len: usize) -> Vec<ArrayRef> {
    let offsets = offsets(len);
    let total = *offsets.last().unwrap() as usize + 3;
    let strings: ArrayRef = Arc::new(StringArray::from(texts(total)));
    let item = Arc::new(Field::new_list_field(DataType::Utf8, true));
    let large = OffsetBuffer::new(offsets.iter().map(|o| *o as i64).collect());
    let small = OffsetBuffer::new(ScalarBuffer::from(offsets.clone()));
    let starts: Vec<i32> = (0..len).map(|i| offsets[(i * 5) % (len + 1)].min(total as i32 - 3)).collect();
    let sizes: Vec<i32> = (0..len).map(|i| i as i32 % 4).collect();
    let list = ListArray::new(item.clone(), small.clone(), strings.clone(), Some(nulls(len)));
    let list_field = Arc::new(Field::new_list_field(list.data_type().clone(), true));
    let pairs = OffsetBuffer::new((0..=len).map(|i| (i / 2 * 2) as i32).collect());
    let entry =
        Fields::from(vec![Field::new("keys", DataType::Utf8, false), Field::new("values", DataType::Int64, true)]);
    let keys = (0..total).map(|i| Some(text(i))).collect::<StringArray>();
    let entries = StructArray::new(
        entry.clone(),
        vec![Arc::new(keys), Arc::new(primitive::<Int64Type>(total, |i| i as i64))],
        None,
    );
    let entries_field = Arc::new(Field::new("entries", DataType::Struct(entry), false));
    let inner = structs(len, Some(nulls(len)));
    let outer_fields = Fields::from(vec![
        Field::new("inner", inner.data_type().clone(), true),
        Field::new("list", list.data_type().clone(), true),
    ]);
    let outer: StructArray =
        StructArray::new(outer_fields, vec![Arc::new(inner.clone()), Arc::new(list.clone())], None);
    vec![
        Arc::new(list.clone()),
        Arc::new(ListArray::new(item.clone(), small.clone(), strings.clone(), None)),
        Arc::new(LargeListArray::new(item.clone(), large, strings.clone(), Some(nulls(len)))),
        Arc::new(ListArray::new(list_field, pairs, Arc::new(list), None)),
        Arc::new(ListViewArray::new(
            item.clone(),
            starts.clone().into(),
            sizes.clone().into(),
            strings.clone(),
            Some(nulls(len)),
        )),
        Arc::new(LargeListViewArray::new(
            item.clone(),
            starts.iter().map(|o| *o as i64).collect(),
            sizes.iter().map(|o| *o as i64).collect(),
            strings,
            Some(nulls(len)),
        )),
        Arc::new(FixedSizeListArray::new(item, 3, Arc::new(StringArray::from(texts(3 * len))), Some(nulls(len)))),
        Arc::new(MapArray::new(entries_field, small, entries, Some(nulls(len)), false)),
        Arc::new(inner),
        Arc::new(structs(len, None)),
        Arc::new(outer),
        Arc::new(StructArray::new_empty_fields(len, Some(nulls(len)))),
    ]
}

fn encoded(len: usize) -> Vec<ArrayRef> {
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), None, Some("a"), Some("b")]));
    let keys = primitive::<UInt16Type>(len, |i| (i % 4) as u16);
    let dictionary = DictionaryArray::new(keys, values.clone());
    let fields: UnionFields = [
        (3i8, Arc::new(Field::new("number", DataType::Int32, true))),
        (7, Arc::new(Field::new("text", DataType::Utf8, true))),
    ]
    .into_iter()
    .collect();
    let ids: ScalarBuffer<i8> = (0..len).map(|i| if i % 3 == 0 { 3 } else { 7 }).collect();
    let places: ScalarBuffer<i32> = (0..len).map(|i| i as i32 / 2).collect();
    let numbers: ArrayRef = Arc::new(primitive::<Int32Type>(len, |i| i as i32));
    let strings: ArrayRef = Arc::new(StringArray::from(texts(len)));
    let children = vec![numbers, strings];
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(dictionary),
        Arc::new(UnionArray::try_new(fields.clone(), ids.clone(), None, children.clone()).unwrap()),
        Arc::new(UnionArray::try_new(fields, ids, Some(places), children).unwrap()),
    ];
    if len > 0 {
        let ends: Vec<i32> = [len / 3, len / 2, len - 1, len].into_iter().map(|e| e as i32).collect();
        let mut distinct = ends.clone();
        distinct.retain(|e| *e > 0);
        distinct.dedup();
        let values = values.slice(0, distinct.len());
        arrays.push(Arc::new(RunArray::<Int32Type>::try_new(&Int32Array::from(distinct), &values).unwrap()));
    }
    arrays
}

/// Returns the array with a validity mask that starts at bit `bit` of the mask's buffer.
pub(crate) fn with_mask_at(array: &ArrayRef, bit: usize) -> Option<ArrayRef> {
    let data = array.to_data();
    let nulls = data.nulls()?.clone();
    let padded: BooleanBuffer = (0..bit).map(|i| i % 2 == 0).chain(nulls.iter()).collect();
    let nulls = NullBuffer::new(padded.slice(bit, array.len()));
    // SAFETY: the new mask has the same bits as the old mask, so the data stay valid. The validation of Arrow is
    // skipped, because Arrow requires that mask and data have the same offset.
    Some(make_array(unsafe { data.into_builder().nulls(Some(nulls)).build_unchecked() }))
}

pub(crate) fn timestamp() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("+02:00".into()))
}

pub(crate) fn int32(array: &ArrayRef) -> Vec<Option<i32>> {
    array.as_primitive::<Int32Type>().iter().collect()
}
