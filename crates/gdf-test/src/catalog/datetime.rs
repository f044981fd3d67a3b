//! Entries of `datetime`.

use std::sync::Arc;

use arrow_array::types::{Date32Type, TimestampSecondType};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use gdf_detail::datetime::{Component, extract_component};

use super::{Case, Entry};
use crate::compare::Equality;
use crate::data::{self, BRACKETS, NullPattern, random_array};
use crate::naive::datetime as naive;

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry::new("datetime.extract_day", Equality::Exact, extract_day)]
}

fn case(label: String, input: ArrayRef) -> Case {
    Case::new(
        label,
        vec![input],
        |inputs, ctx| Ok(vec![extract_component(inputs[0].view(), Component::Day, ctx)?]),
        |inputs| Ok(vec![naive::extract_day(&inputs[0])]),
        0,
    )
    .with_api(|inputs| Ok(vec![gdf_api::datetime::extract_day(&inputs[0])?]))
}

/// Dates and timestamps; times of day, durations and intervals have no day.
fn has_days(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

fn extract_day() -> Vec<Case> {
    let mut cases = Vec::new();
    for data_type in data::temporal().into_iter().filter(has_days) {
        for (&rows, seed) in BRACKETS.iter().zip(0..) {
            for &nulls in NullPattern::ALL {
                let label = format!("{data_type}/{rows}/{nulls:?}");
                cases.push(case(label, random_array(&data_type, rows, nulls, seed)));
            }
        }
    }
    // Every day of the years around 1900, which has no leap day, and around 2000, which has; the ends of the range.
    for (name, first) in [("1896", -27_029), ("1996", 9_496)] {
        let days: PrimitiveArray<Date32Type> = (first..first + 3_000).map(Some).collect();
        cases.push(case(format!("days from {name} on"), Arc::new(days)));
    }
    let ends: PrimitiveArray<Date32Type> = [i32::MIN, i32::MAX, -1, 0, -719_468, -719_469].map(Some).into_iter().collect();
    cases.push(case("ends of days".into(), Arc::new(ends)));
    let moments: PrimitiveArray<TimestampSecondType> =
        [i64::MIN, i64::MAX, -1, 0, 86_399, 86_400, -86_400, -86_401].map(Some).into_iter().collect();
    cases.push(case("ends of seconds".into(), Arc::new(moments)));
    for data_type in data::all().into_iter().filter(|data_type| !has_days(data_type)) {
        cases.push(refused(&data_type));
    }
    cases
}

fn refused(data_type: &DataType) -> Case {
    Case::refused(
        format!("refused {data_type}"),
        vec![random_array(data_type, 3, NullPattern::None, 1)],
        |inputs, ctx| Ok(vec![extract_component(inputs[0].view(), Component::Day, ctx)?]),
        |error| matches!(error, gdf_core::Error::Unsupported { .. }),
    )
}
