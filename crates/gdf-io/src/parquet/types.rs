//! Arrow types for which Parquet has no logical type, and the types that are stored in their place.
//!
//! Parquet has no logical type for seconds and for `Date64`.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, IntervalDayTimeArray, IntervalMonthDayNanoArray, IntervalYearMonthArray, RecordBatch,
    RecordBatchOptions, TimestampSecondArray,
};
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef, IntervalUnit, Schema, SchemaRef, TimeUnit};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::SchemaDescriptor;

use crate::digits::{TOO_MANY_DIGITS, has_digits_of_type};
use crate::error::Format;
use crate::{Error, Result};

/// The name of the writer that gdf stores in its files.
pub(super) const CREATED_BY: &str = concat!("gdf version ", env!("CARGO_PKG_VERSION"));

/// Replaces the leaf types of a type.
pub(super) fn map_leaves(data_type: &DataType, leaf: &mut dyn FnMut(&DataType) -> Option<DataType>) -> DataType {
    match data_type {
        DataType::List(item) => DataType::List(map_field(item, leaf)),
        DataType::LargeList(item) => DataType::LargeList(map_field(item, leaf)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(map_field(item, leaf), *size),
        DataType::Map(entries, sorted) => DataType::Map(map_field(entries, leaf), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| map_field(field, leaf)).collect()),
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(map_leaves(values, leaf))),
        other => leaf(other).unwrap_or_else(|| other.clone()),
    }
}

pub(super) fn map_field(field: &FieldRef, leaf: &mut dyn FnMut(&DataType) -> Option<DataType>) -> FieldRef {
    let mapped = map_leaves(field.data_type(), leaf);
    if mapped == *field.data_type() {
        return field.clone();
    }
    Arc::new(Field::clone(field).with_data_type(mapped))
}

pub(super) fn map_schema(schema: &SchemaRef, leaf: &mut dyn FnMut(&DataType) -> Option<DataType>) -> SchemaRef {
    let fields: Vec<FieldRef> = schema.fields().iter().map(|field| map_field(field, leaf)).collect();
    if fields[..] == schema.fields()[..] {
        return schema.clone();
    }
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Returns the schema of the types in which a Parquet file stores the columns of `schema`.
pub(super) fn stored_schema(schema: &SchemaRef) -> SchemaRef {
    let has_views = schema.fields().iter().any(|field| has_coded_views(field.data_type()));
    map_schema(schema, &mut |leaf| match leaf {
        // The encoder of arrow-rs takes views, but no dictionaries of views.
        DataType::Utf8View if has_views => Some(DataType::Utf8),
        DataType::BinaryView if has_views => Some(DataType::Binary),
        DataType::Timestamp(TimeUnit::Second, zone) => Some(DataType::Timestamp(TimeUnit::Millisecond, zone.clone())),
        DataType::Time32(TimeUnit::Second) => Some(DataType::Time32(TimeUnit::Millisecond)),
        DataType::Date64 => Some(DataType::Date32),
        _ => None,
    })
}

/// Returns whether a type, or a type within it, is a dictionary of views.
fn has_coded_views(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => matches!(**values, DataType::Utf8View | DataType::BinaryView),
        other => gdf_core::layout::child_types(other).iter().any(|child| has_coded_views(child)),
    }
}

/// Casts the batch to the types of the `stored` schema.
///
/// # Errors
/// - [`Error::UnsupportedValue`]: the stored type cannot represent a value exactly, or a decimal has more digits than
///   its type.
pub(super) fn stored_batch(batch: &RecordBatch, stored: &SchemaRef) -> Result<RecordBatch> {
    let convert = |(index, field): (usize, &FieldRef)| {
        let array = batch.column(index);
        let refused = |what| Error::UnsupportedValue {
            format: Format::Parquet,
            column: field.name().clone(),
            data_type: array.data_type().clone(),
            what,
        };
        // arrow-rs would drop the highest bits of such decimals.
        if !has_digits_of_type(array, None) {
            return Err(refused(TOO_MANY_DIGITS));
        }
        if array.data_type() == field.data_type() {
            return Ok(array.clone());
        }
        let what = "Parquet stores seconds as milliseconds, and `Date64` as whole days; cast the column to a timestamp \
                    of milliseconds, or to integers";
        stored_array(array, field.data_type()).ok_or_else(|| refused(what))
    };
    let arrays = stored.fields().iter().enumerate().map(convert).collect::<Result<_>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let batch = RecordBatch::try_new_with_options(stored.clone(), arrays, &options);
    Ok(batch.map_err(gdf_core::Error::from)?)
}

/// Casts the values to another type. Returns `None` if that type cannot represent a value exactly.
fn stored_array(array: &ArrayRef, data_type: &DataType) -> Option<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let stored = cast_with_options(array, data_type, &options).ok()?;
    let back = cast_with_options(&stored, array.data_type(), &options).ok()?;
    (back.as_ref() == array.as_ref()).then_some(stored)
}

/// Returns `found`, the schema that arrow-rs derives from the file, with what arrow-rs ignores in the Arrow schema that
/// the writer has stored:
///
/// - arrow-rs keeps a time zone only if the file has the unit of that schema. Writers store seconds as milliseconds.
/// - If gdf wrote the file, columns that were written in seconds have seconds again.
/// - arrow-rs takes the intervals of other writers for intervals of days, and drops their months.
pub(super) fn noted_schema(found: &SchemaRef, metadata: &FileMetaData) -> SchemaRef {
    let of_gdf = metadata.created_by().is_some_and(|by| by.starts_with("gdf version "));
    let leaves = noted(metadata).map(|noted| leaves(&Arc::new(noted)));
    // The stored Arrow schema is ignored if it describes other columns.
    let leaves = leaves.filter(|leaves| leaves.len() == self::leaves(found).len());
    let Some(leaves) = leaves else { return map_schema(found, &mut with_months) };
    let mut leaves = leaves.into_iter();
    map_schema(found, &mut |leaf| {
        let noted = leaves.next()?;
        match (&noted, leaf) {
            (DataType::Timestamp(TimeUnit::Second, zone), DataType::Timestamp(TimeUnit::Millisecond, found))
                if of_gdf && zone.is_some() == found.is_some() =>
            {
                Some(noted)
            }
            (DataType::Time32(TimeUnit::Second), DataType::Time32(TimeUnit::Millisecond)) if of_gdf => Some(noted),
            (DataType::Timestamp(_, Some(zone)), DataType::Timestamp(unit, Some(utc))) if zone != utc => {
                Some(DataType::Timestamp(*unit, Some(zone.clone())))
            }
            (DataType::Interval(_), _) => None,
            (_, leaf) => with_months(leaf),
        }
    })
}

/// For intervals, returns the type that has months, days and a time.
pub(super) fn with_months(leaf: &DataType) -> Option<DataType> {
    (*leaf == DataType::Interval(IntervalUnit::DayTime)).then_some(DataType::Interval(IntervalUnit::MonthDayNano))
}

/// Returns the schema of `found` with the months of intervals instead of their days and time.
pub(super) fn months_schema(found: &SchemaRef) -> SchemaRef {
    map_schema(found, &mut |leaf| {
        let is_interval = *leaf == DataType::Interval(IntervalUnit::DayTime);
        is_interval.then_some(DataType::Interval(IntervalUnit::YearMonth))
    })
}

/// Combines the days and times of intervals with their months. Both arrays have the same rows.
pub(super) fn intervals(days: &ArrayData, months: &ArrayData, wanted: &DataType) -> Option<ArrayData> {
    if let (DataType::Interval(IntervalUnit::DayTime), DataType::Interval(IntervalUnit::YearMonth)) =
        (days.data_type(), months.data_type())
    {
        if *wanted != DataType::Interval(IntervalUnit::MonthDayNano) {
            return Some(days.clone());
        }
        let (days, months) = (IntervalDayTimeArray::from(days.clone()), IntervalYearMonthArray::from(months.clone()));
        let interval = |(days, months): (Option<IntervalDayTime>, Option<i32>)| {
            let (days, months) = (days?, months?);
            Some(IntervalMonthDayNano::new(months, days.days, i64::from(days.milliseconds) * 1_000_000))
        };
        let all: IntervalMonthDayNanoArray = days.iter().zip(months.iter()).map(interval).collect();
        return Some(all.into_data());
    }
    let wanted_children = gdf_core::layout::child_types(wanted);
    if days.child_data().is_empty() || days.child_data().len() != wanted_children.len() {
        return Some(days.clone());
    }
    let children = days.child_data().iter().zip(months.child_data()).zip(wanted_children);
    let children = children.map(|((days, months), wanted)| intervals(days, months, wanted)).collect::<Option<_>>()?;
    days.clone().into_builder().data_type(wanted.clone()).child_data(children).build().ok()
}

fn leaves(schema: &SchemaRef) -> Vec<DataType> {
    let mut leaves = Vec::new();
    let _ = map_schema(schema, &mut |leaf| {
        leaves.push(leaf.clone());
        None
    });
    leaves
}

/// Returns the schema with `unit` as the unit of timestamps that have the physical type INT96.
pub(super) fn with_int96_unit(found: &SchemaRef, stored: &SchemaDescriptor, unit: TimeUnit) -> SchemaRef {
    let mut leaf = 0;
    map_schema(found, &mut |data_type| {
        leaf += 1;
        match data_type {
            DataType::Timestamp(_, zone) if is_int96(stored, leaf - 1) => Some(DataType::Timestamp(unit, zone.clone())),
            _ => None,
        }
    })
}

pub(super) fn is_int96(stored: &SchemaDescriptor, leaf: usize) -> bool {
    leaf < stored.num_columns() && stored.column(leaf).physical_type() == PhysicalType::INT96
}

/// Returns whether 64-bit nanoseconds can represent all of these timestamps, which are given in seconds.
pub(super) fn nanoseconds_reach(seconds: &ArrayData) -> bool {
    const LIMIT: i64 = i64::MAX / 1_000_000_000;
    if matches!(seconds.data_type(), DataType::Timestamp(TimeUnit::Second, _)) {
        let values = TimestampSecondArray::from(seconds.clone());
        return values.iter().flatten().all(|second| (-LIMIT..LIMIT).contains(&second));
    }
    seconds.child_data().iter().all(nanoseconds_reach)
}

fn noted(metadata: &FileMetaData) -> Option<Schema> {
    let note = metadata.key_value_metadata()?.iter().find(|note| note.key == ARROW_SCHEMA_META_KEY)?;
    let bytes = BASE64_STANDARD.decode(note.value.as_ref()?).ok()?;
    // Before the message, there may be 4 bytes `0xff` and 4 bytes with the length of the message.
    let message = bytes.strip_prefix(&[0xff; 4]).map_or(Some(&bytes[..]), |rest| rest.get(4..))?;
    let decode = || arrow_ipc::root_as_message(message).ok()?.header_as_schema().map(arrow_ipc::convert::fb_to_schema);
    crate::contain::contain(decode).ok()?
}
