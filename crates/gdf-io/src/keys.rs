//! Keys of dictionaries. Batches that are written or read together may have different values, of which the keys must
//! hold all.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use gdf_core::Column;

/// The types of keys, from narrow to wide.
const WIDER: [DataType; 3] = [DataType::Int16, DataType::Int32, DataType::Int64];

/// Returns the number of values that keys of the type can hold.
fn capacity(keys: &DataType) -> usize {
    match keys {
        DataType::Int8 => 1 << 7,
        DataType::UInt8 => 1 << 8,
        DataType::Int16 => 1 << 15,
        DataType::UInt16 => 1 << 16,
        DataType::Int32 => 1 << 31,
        DataType::UInt32 => 1 << 32,
        _ => usize::MAX,
    }
}

/// Returns the narrowest type of keys that holds `values` values. The given type is returned if it holds them.
fn wide_enough(keys: &DataType, values: usize) -> DataType {
    if values <= capacity(keys) {
        return keys.clone();
    }
    WIDER.into_iter().find(|wider| values <= capacity(wider)).unwrap_or(DataType::Int64)
}

/// Concatenates arrays. If the values of dictionaries together exceed the keys, the result has wider keys.
///
/// # Errors
/// - The arrays cannot be concatenated.
pub(crate) fn concatenated(arrays: &[ArrayRef]) -> Result<ArrayRef, ArrowError> {
    let concat = |arrays: &[ArrayRef]| {
        let references: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
        arrow_select::concat::concat(&references)
    };
    let found = concat(arrays);
    let Some(DataType::Dictionary(keys, values)) = arrays.first().map(|array| array.data_type()) else { return found };
    let Err(ArrowError::DictionaryKeyOverflowError) = found else { return found };
    let wide = DataType::Dictionary(DataType::Int64.into(), values.clone());
    let arrays = arrays.iter().map(|array| arrow_cast::cast(array, &wide)).collect::<Result<Vec<_>, _>>()?;
    let mut all = Growing::default();
    let mut parts = Vec::with_capacity(arrays.len());
    for array in &arrays {
        match all.dictionary(&array.to_data(), &DataType::Int64) {
            Ok(Some(data)) => parts.push(make_array(data)),
            // Values without bytes of their own are not compared, so that each occurrence has a key.
            _ => return concat(&arrays),
        }
    }
    let Some(values_of_all) = all.values else { return concat(&arrays) };
    // The values of the last part begin with those of the parts before, so that keys mean the same in all parts.
    let codes: Vec<ArrayRef> = parts.iter().map(|part| make_array(part.as_any_dictionary().keys().to_data())).collect();
    let keys = wide_enough(keys, values_of_all.len());
    let codes = arrow_cast::cast(&concat(&codes)?, &keys)?.to_data();
    let data_type = DataType::Dictionary(keys.into(), values.clone());
    Ok(make_array(codes.into_builder().data_type(data_type).child_data(vec![values_of_all.to_data()]).build()?))
}

/// Returns the schema with the types of the dictionaries that [`concatenated`] has given wider keys.
pub(crate) fn schema_of(schema: &SchemaRef, columns: &[Column]) -> SchemaRef {
    let is_wider = |field: &FieldRef, column: &Column| match (field.data_type(), column.data_type()) {
        (DataType::Dictionary(declared, _), DataType::Dictionary(found, _)) => declared != found,
        _ => false,
    };
    if !schema.fields().iter().zip(columns).any(|(field, column)| is_wider(field, column)) {
        return schema.clone();
    }
    let fields = schema.fields().iter().zip(columns).map(|(field, column)| match is_wider(field, column) {
        true => Arc::new(Field::clone(field).with_data_type(column.data_type().clone())),
        false => field.clone(),
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

/// The bytes of a value, or `None` for null.
type Bytes = Option<Box<[u8]>>;

/// Returns the bytes of each value, or `None` for types whose values have no bytes of their own.
fn bytes_of(values: &dyn Array) -> Option<Vec<Bytes>> {
    let rows = 0..values.len();
    let valid = |row: usize| values.is_valid(row);
    macro_rules! collected {
        ($array:expr) => {{
            let array = $array;
            rows.map(|row| valid(row).then(|| Box::from(AsRef::<[u8]>::as_ref(array.value(row))))).collect()
        }};
    }
    Some(match values.data_type() {
        DataType::Utf8 => collected!(values.as_string::<i32>()),
        DataType::LargeUtf8 => collected!(values.as_string::<i64>()),
        DataType::Utf8View => collected!(values.as_string_view()),
        DataType::Binary => collected!(values.as_binary::<i32>()),
        DataType::LargeBinary => collected!(values.as_binary::<i64>()),
        DataType::BinaryView => collected!(values.as_binary_view()),
        DataType::FixedSizeBinary(_) => collected!(values.as_fixed_size_binary()),
        other => {
            let (width, data) = (gdf_core::width(other)?, values.to_data());
            let bytes = data.buffers().first()?.as_slice().get(data.offset() * width..)?;
            let value = |row: usize| bytes.get(row * width..(row + 1) * width).map(Box::from);
            rows.map(|row| if valid(row) { value(row).map(Some) } else { Some(None) }).collect::<Option<_>>()?
        }
    })
}

/// Calls `each` for the dictionaries in an array, in a fixed order.
#[cfg(feature = "parquet")]
fn visit(data: &ArrayData, each: &mut dyn FnMut(&ArrayData)) {
    match data.data_type() {
        DataType::Dictionary(..) => each(data),
        _ => data.child_data().iter().for_each(|child| visit(child, each)),
    }
}

/// The values of the dictionaries of all batches so far.
#[cfg(feature = "parquet")]
#[derive(Default)]
pub(crate) struct Distinct(Vec<Known>);

#[cfg(feature = "parquet")]
#[derive(Default)]
struct Known {
    /// The values of the last batch. Batches of one table share them.
    last: Option<ArrayData>,
    values: HashSet<Bytes>,
    /// The number of values that have no bytes, each counted as often as it occurs in a dictionary.
    others: usize,
}

#[cfg(feature = "parquet")]
impl Distinct {
    /// Adds the values of the dictionaries of a batch. Keys of 32 bits and more hold all values of a file.
    pub(crate) fn add(&mut self, columns: &[ArrayRef]) {
        let mut index = 0;
        let mut each = |data: &ArrayData| {
            let (at, DataType::Dictionary(keys, _)) = (index, data.data_type()) else { return };
            index += 1;
            if self.0.len() <= at {
                self.0.resize_with(at + 1, Known::default);
            }
            let (known, Some(values)) = (&mut self.0[at], data.child_data().first()) else { return };
            if capacity(keys) > capacity(&DataType::UInt16)
                || known.last.as_ref().is_some_and(|last| last.ptr_eq(values))
            {
                return;
            }
            known.last = Some(values.clone());
            match bytes_of(&make_array(values.clone())) {
                Some(bytes) => known.values.extend(bytes),
                None => known.others += values.len(),
            }
        };
        columns.iter().for_each(|column| visit(&column.to_data(), &mut each));
    }

    /// Returns the schema with keys that hold the values of all batches.
    pub(crate) fn widened(&self, schema: &SchemaRef) -> SchemaRef {
        let mut counts = self.0.iter().map(|known| known.values.len() + known.others);
        let fields: Vec<FieldRef> = schema.fields().iter().map(|field| widened_field(field, &mut counts)).collect();
        Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
    }
}

#[cfg(feature = "parquet")]
fn widened_field(field: &FieldRef, counts: &mut dyn Iterator<Item = usize>) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(wide_enough(keys, counts.next().unwrap_or(0)).into(), values.clone())
        }
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| widened_field(field, counts)).collect()),
        DataType::List(item) => DataType::List(widened_field(item, counts)),
        DataType::LargeList(item) => DataType::LargeList(widened_field(item, counts)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(widened_field(item, counts), *size),
        DataType::Map(entries, is_sorted) => DataType::Map(widened_field(entries, counts), *is_sorted),
        _ => return field.clone(),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// Gives the dictionaries of all batches of a file the same values. The values of each batch begin with the values of
/// the batch before, so that a file stores each value once.
#[cfg(feature = "ipc")]
#[derive(Default)]
pub(crate) struct Unified(Vec<Growing>);

/// The values of several dictionaries.
#[derive(Default)]
struct Growing {
    places: HashMap<Bytes, usize>,
    values: Option<ArrayRef>,
    /// The values of the last batch, and their places among all values.
    last: Option<(ArrayData, Vec<usize>)>,
}

/// The values of all batches exceed the keys of a dictionary.
#[derive(Debug)]
pub(crate) struct KeysExceeded;

#[cfg(feature = "ipc")]
impl Unified {
    /// Returns the columns of a batch with the values of all batches so far.
    ///
    /// # Errors
    /// - The index of the column whose keys do not hold the values.
    pub(crate) fn columns(&mut self, columns: &[ArrayRef]) -> Result<Vec<ArrayRef>, (usize, KeysExceeded)> {
        let mut index = 0;
        let unified = |(at, column): (usize, &ArrayRef)| {
            let data = column.to_data();
            let found = self.data(&data, &mut index).map_err(|error| (at, error))?;
            Ok(found.map_or_else(|| column.clone(), make_array))
        };
        columns.iter().enumerate().map(unified).collect()
    }

    /// Returns the data with other dictionaries, or `None` if nothing changes.
    fn data(&mut self, data: &ArrayData, index: &mut usize) -> Result<Option<ArrayData>, KeysExceeded> {
        if let DataType::Dictionary(keys, _) = data.data_type() {
            let at = *index;
            *index += 1;
            if self.0.len() <= at {
                self.0.resize_with(at + 1, Growing::default);
            }
            return self.0[at].dictionary(data, keys);
        }
        let mut is_changed = false;
        let mut children = Vec::with_capacity(data.child_data().len());
        for child in data.child_data() {
            let found = self.data(child, index)?;
            is_changed |= found.is_some();
            children.push(found.unwrap_or_else(|| child.clone()));
        }
        if !is_changed {
            return Ok(None);
        }
        Ok(data.clone().into_builder().child_data(children).build().ok())
    }
}

impl Growing {
    fn dictionary(&mut self, data: &ArrayData, keys: &DataType) -> Result<Option<ArrayData>, KeysExceeded> {
        let Some(values) = data.child_data().first() else { return Ok(None) };
        let is_last = self.last.as_ref().is_some_and(|(last, _)| last.ptr_eq(values));
        if !is_last {
            let array = make_array(values.clone());
            // The writer refuses such dictionaries if they differ.
            let Some(bytes) = bytes_of(&array) else { return Ok(None) };
            let mut new = Vec::new();
            let mut places = Vec::with_capacity(bytes.len());
            for (row, bytes) in bytes.into_iter().enumerate() {
                let next = self.places.len();
                let place = *self.places.entry(bytes).or_insert(next);
                if place == next {
                    new.push(row as u64);
                }
                places.push(place);
            }
            if self.places.len() > capacity(keys) {
                return Err(KeysExceeded);
            }
            let new = arrow_select::take::take(&array, &arrow_array::UInt64Array::from(new), None);
            let all = match (&self.values, new) {
                (Some(_), Ok(new)) if new.is_empty() => None,
                (Some(known), Ok(new)) => arrow_select::concat::concat(&[known.as_ref(), new.as_ref()]).ok(),
                (None, new) => new.ok(),
                (_, Err(_)) => None,
            };
            self.values = all.or(self.values.take());
            self.last = Some((values.clone(), places));
        }
        let (Some(all), Some((_, places))) = (&self.values, &self.last) else { return Ok(None) };
        let array = make_array(data.clone());
        let dictionary = array.as_any_dictionary();
        let is_valid = |row: usize| dictionary.keys().is_valid(row);
        let old = if places.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
        let rows = 0..data.len();
        let new: arrow_array::Int64Array =
            rows.map(|row| (is_valid(row) && row < old.len()).then(|| places[old[row]] as i64)).collect();
        let new = arrow_cast::cast(&new, keys).map_err(|_| KeysExceeded)?.to_data();
        let data_type = data.data_type().clone();
        Ok(new.into_builder().data_type(data_type).child_data(vec![all.to_data()]).build().ok())
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{Int8Type, UInt8Type};
    use arrow_array::{DictionaryArray, Int64Array, StringArray, StructArray};

    use super::*;

    fn dictionary(values: impl Iterator<Item = i32>) -> ArrayRef {
        let texts: Vec<String> = values.map(|value| format!("v{value}")).collect();
        Arc::new(texts.iter().map(String::as_str).collect::<DictionaryArray<Int8Type>>())
    }

    fn texts(array: &ArrayRef) -> Vec<Option<String>> {
        let plain = arrow_cast::cast(array, &DataType::Utf8).unwrap();
        plain.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
    }

    #[test]
    fn keys_widen_if_they_must() {
        let small = concatenated(&[dictionary(0..100), dictionary(50..128)]).unwrap();
        assert_eq!(small.data_type(), dictionary(0..1).data_type());
        let parts = [dictionary(0..100), dictionary(100..200)];
        let wide = concatenated(&parts).unwrap();
        assert_eq!(*wide.data_type(), DataType::Dictionary(DataType::Int16.into(), DataType::Utf8.into()));
        assert_eq!(texts(&wide), [texts(&parts[0]), texts(&parts[1])].concat());
        let to_int16 = |array| {
            arrow_cast::cast(&array, &DataType::Dictionary(DataType::Int16.into(), DataType::Utf8.into())).unwrap()
        };
        let parts = [0..20_000, 20_000..40_000]
            .map(|values: std::ops::Range<i32>| to_int16(StringArray::from_iter_values(values.map(|v| v.to_string()))));
        let wide = concatenated(&parts).unwrap();
        assert_eq!(*wide.data_type(), DataType::Dictionary(DataType::Int32.into(), DataType::Utf8.into()));
        assert_eq!(texts(&wide), [texts(&parts[0]), texts(&parts[1])].concat());
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn values_of_all_batches_are_counted_once() {
        let mut distinct = Distinct::default();
        let inner = |values| {
            let column = dictionary(values);
            let field = Arc::new(Field::new("d", column.data_type().clone(), true));
            Arc::new(StructArray::from(vec![(field, column)])) as ArrayRef
        };
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        let schema = Arc::new(Schema::new(vec![
            Field::new("n", DataType::Int64, true),
            Field::new("s", inner(0..1).data_type().clone(), true),
            Field::new("d", dictionary(0..1).data_type().clone(), true),
        ]));
        for start in [0, 60] {
            distinct.add(&[numbers.clone(), inner(start..start + 60), dictionary(start..start + 100)]);
        }
        let found = distinct.widened(&schema);
        assert_eq!(found.field(1), schema.field(1));
        assert_eq!(*found.field(2).data_type(), DataType::Dictionary(DataType::Int16.into(), DataType::Utf8.into()));
    }

    #[cfg(feature = "ipc")]
    #[test]
    fn dictionaries_of_batches_grow() {
        let mut unified = Unified::default();
        let keys = arrow_array::UInt8Array::from(vec![Some(1), None, Some(0)]);
        let first: ArrayRef =
            Arc::new(DictionaryArray::<UInt8Type>::new(keys.clone(), Arc::new(StringArray::from(vec!["x", "y"]))));
        let second: ArrayRef =
            Arc::new(DictionaryArray::<UInt8Type>::new(keys, Arc::new(StringArray::from(vec!["z", "x"]))));
        let found: Vec<ArrayRef> = [&first, &second, &first]
            .map(|array| unified.columns(std::slice::from_ref(array)).unwrap().remove(0))
            .to_vec();
        for (array, found) in [&first, &second, &first].iter().zip(&found) {
            assert_eq!(texts(found), texts(array));
        }
        let values = |at: usize| found[at].as_any_dictionary().values().clone();
        assert_eq!(values(0).as_ref(), &StringArray::from(vec!["x", "y"]) as &dyn Array);
        assert_eq!(values(2).as_ref(), &StringArray::from(vec!["x", "y", "z"]) as &dyn Array);
        let mut unified = Unified::default();
        unified.columns(&[dictionary(0..100)]).unwrap();
        assert!(unified.columns(&[dictionary(100..200)]).is_err());
    }
}
