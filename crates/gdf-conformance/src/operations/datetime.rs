//! Area `datetime`.

use gdf_api::datetime::{
    Component, Frequency, add_calendrical_months, ceil_datetimes, extract_component, floor_datetimes, round_datetimes,
};
use gdf_core::{Column, DataType};

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("extract_datetime_component", |call| {
        let named = call.text("component")?;
        extracted(call, named)
    }),
    ("day_of_year", |call| extracted(call, "day_of_year")),
    ("extract_quarter", |call| extracted(call, "extract_quarter")),
    ("days_in_month", |call| extracted(call, "days_in_month")),
    ("is_leap_year", |call| extracted(call, "is_leap_year")),
    ("last_day_of_month", |call| extracted(call, "last_day_of_month")),
    ("floor_datetimes", |call| rounded(call, |column, to| floor_datetimes(column, to))),
    ("ceil_datetimes", |call| rounded(call, |column, to| ceil_datetimes(column, to))),
    ("round_datetimes", |call| rounded(call, |column, to| round_datetimes(column, to))),
    ("add_calendrical_months", |call| {
        let months = call.given("months")?;
        Ok(Answer::column(add_calendrical_months(&call.column("input")?, months.operand())?)?)
    }),
];

/// Extracts a component. If the component has 32 bits, for example the year, the function converts the component to the
/// 16 bits of libcudf's result.
fn extracted(call: &Call<'_>, name: &str) -> Answered {
    let component = Component::ALL.iter().find(|component| component.libcudf_name() == name);
    let component = *component.ok_or_else(|| call.unreadable(format!("no component {name}")))?;
    let column = extract_component(&call.column("input")?, component)?;
    match component.data_type() {
        DataType::Int32 => Ok(Answer::column(gdf_api::unary::cast(&column, &DataType::Int16)?)?),
        _ => Ok(Answer::column(column)?),
    }
}

fn rounded(call: &Call<'_>, round: fn(&Column, Frequency) -> gdf_core::Result<Column>) -> Answered {
    let frequency = call.choice(
        "freq",
        &[
            ("DAY", Frequency::Day),
            ("HOUR", Frequency::Hour),
            ("MINUTE", Frequency::Minute),
            ("SECOND", Frequency::Second),
            ("MILLISECOND", Frequency::Millisecond),
            ("MICROSECOND", Frequency::Microsecond),
            ("NANOSECOND", Frequency::Nanosecond),
        ],
    )?;
    Ok(Answer::column(round(&call.column("input")?, frequency)?)?)
}
