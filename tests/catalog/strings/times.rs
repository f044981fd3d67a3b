//! Entries of `strings` that convert between text and timestamps, and between text and durations.

use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::strings as api;
use gdf_core::{Column, Error, Result};

use super::numbers::{Inputs, numbers, parsed};
use super::{case, is_unsupported, refusal, refused, refused_but, waiting};
use crate::catalog::{Case, Entry};
use crate::naive::strings::times as naive;
use gdf_test::builders::strings;
use gdf_test::compare::Equality;

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.from_durations", Equality::Exact, from_durations),
        Entry::new("strings.from_timestamps", Equality::Exact, from_timestamps),
        Entry::new("strings.is_duration", Equality::Exact, is_duration),
        Entry::new("strings.is_timestamp", Equality::Exact, is_timestamp),
        Entry::new("strings.to_durations", Equality::Exact, to_durations),
        Entry::new("strings.to_timestamps", Equality::Exact, to_timestamps),
    ]
}

type Run = fn(&Column, &DataType, &str) -> Result<Column>;
type Oracle = fn(&ArrayRef, &DataType, &str) -> ArrayRef;

fn cases(inputs: Inputs, formats: &[&'static str], waits: u64, run: Run, naive: Oracle) -> Vec<Case> {
    let mut cases = Vec::new();
    for (at, (label, input, data_type)) in inputs.into_iter().enumerate() {
        // Each input of texts takes all formats.
        let all = label.starts_with("texts");
        let chosen = |(number, _): &(usize, &&'static str)| all || at % formats.len() == *number;
        for (_, &format) in formats.iter().enumerate().filter(chosen) {
            let (own, data_type) = (data_type.clone(), data_type.clone());
            let of = case(
                format!("{label}/{format}"),
                vec![input.clone()],
                move |inputs| run(&inputs[0], &own, format),
                move |inputs| naive(&inputs[0], &data_type, format),
            );
            cases.push(waiting(waits, of));
        }
    }
    cases
}

fn bad_format(format: &'static str, input: ArrayRef, run: fn(&Column, &str) -> Result<Column>) -> Case {
    Case::refused(
        format!("refused format {format}"),
        vec![input],
        move |inputs| Ok(vec![run(&inputs[0], format)?]),
        |error| matches!(error, Error::InvalidPattern { .. }),
    )
}

const READ: [&str; 20] = [
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
    "%d/%m/%Y",
    "%Y%m%d",
    "%H:%M",
    "%Y-%m-%d %H:%M:%S.%f",
    "%y-%m-%d",
    "%m/%d/%Y %I:%M %p",
    "%Y-%j",
    "%Y-%m-%d %z",
    "%FT%T.%3f",
    "%b %d %Y",
    "%A, %d %B %Y",
    "%Y %U %w",
    "%Y %W %u",
    "%a %F",
    "%S.%9f",
    "100%% %Y é",
    "%F %T%z",
    "%I%p",
];

/// Some of these texts match the formats, some almost match, and some do not match at all.
const MOMENTS: [&str; 86] = [
    "",
    "2019-03-20 12:34:56",
    "1969-12-31 23:59:59",
    "2019-03-20T12:34:56Z",
    "20/03/2019",
    "20190320",
    "2019032",
    "201932",
    "12:34",
    "2:3",
    "24:00",
    "23:60",
    "2019-03-20 12:34:56.123456",
    "2019-03-20 12:34:56.1234567",
    "2019-03-20 12:34:56.",
    "2019-03-20 12:34:56.5",
    "19-03-20",
    "68-01-01",
    "69-01-01",
    "03/20/2019 01:05 PM",
    "03/20/2019 12:05 am",
    "03/20/2019 12:05 PM",
    "03/20/2019 13:05 PM",
    "03/20/2019 00:05 PM",
    "03/20/2019 01:05 XM",
    "03/20/2019 01:05 P",
    "2019-079",
    "2019-366",
    "2020-366",
    "2020-367",
    "2019-0",
    "2019-03-20 +0530",
    "2019-03-20 -05:30",
    "2019-03-20 Z",
    "2019-03-20 +2400",
    "2019-03-20 +0560",
    "2019-03-20 0530",
    "2019-03-20T12:34:56.789",
    "2019-03-20T12:34:56.7899",
    "Mar 20 2019",
    "march 20 2019",
    "MAR 20 2019",
    "Mai 20 2019",
    "May 5 2019",
    "September 9 2019",
    "Ma",
    "Wednesday, 20 March 2019",
    "Wed, 20 Mar 2019",
    "Thursday, 20 March 2019",
    "sunday, 1 december 2019",
    "2019 0 0",
    "2019 0 6",
    "2019 1 0",
    "2019 52 6",
    "2019 53 1",
    "2019 53 7",
    "2023 1 1",
    "2023 0 7",
    "2018 1 1",
    "2019 12 7",
    "2019 12 8",
    "Wed 2019-03-20",
    "Thu 2019-03-20",
    "Wednes 2019-03-20",
    "5.5",
    "59.123456789",
    "59.1234567891",
    "60.5",
    "100% 2019 é",
    "100% 2019 e",
    "2024-02-29 00:00:00",
    "2023-02-29 00:00:00",
    "1900-02-29 00:00:00",
    "0000-01-01 00:00:00",
    "9999-12-31 23:59:59",
    "0001-01-01 00:00:00",
    "1677-09-21 00:12:43",
    "1677-09-21 00:12:44",
    "2262-04-11 23:47:16",
    "2262-04-11 23:47:17",
    "2019-13-01 00:00:00",
    "2019-00-01 00:00:00",
    "2019-01-00 00:00:00",
    "2019-03-20 23:59:59-2359",
    "12am",
    "garbage",
];

fn timestamps() -> Vec<DataType> {
    let units = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let mut types: Vec<_> = units.map(|unit| DataType::Timestamp(unit, None)).to_vec();
    types.extend([DataType::Date32, DataType::Date64, DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))]);
    types
}

fn to_timestamps() -> Vec<Case> {
    let run: Run = |column, data_type, format| api::to_timestamps(column, data_type, format);
    let mut all = cases(parsed(&MOMENTS, &timestamps()), &READ, 0, run, naive::to_timestamps);
    let wrong = ["", "%", "%Y%", "%Q", "%Z", "%V", "%0f", "%Y %y", "%j %d", "%U", "%H %p", "%n", "%D"];
    let days = |column: &Column, format: &str| api::to_timestamps(column, &DataType::Date32, format);
    all.extend(wrong.map(|format| bad_format(format, strings([Some("1")]), days)));
    let numbers = |column: &Column| api::to_timestamps(column, &DataType::Int32, "%Y");
    all.push(refusal("refused output type", "1", numbers, is_unsupported));
    let long = move |column: &Column| days(column, &"-".repeat(129));
    all.push(refusal("refused long format", "1", long, |error| matches!(error, Error::InvalidArgument { .. })));
    all.extend(refused(move |column| days(column, "%Y")));
    all
}

fn is_timestamp() -> Vec<Case> {
    let run: Run = |column, _, format| api::is_timestamp(column, format);
    let naive: Oracle = |column, _, format| naive::is_timestamp(column, format);
    let mut all = cases(parsed(&MOMENTS, &[DataType::Null]), &READ, 0, run, naive);
    all.extend(refused(|column| api::is_timestamp(column, "%Y")));
    all
}

const WRITTEN: [&str; 11] = [
    "%Y-%m-%dT%H:%M:%SZ",
    "%d/%m/%y %I %p",
    "%f",
    "%3f %9f %1f",
    "%a %A %b %B",
    "%j %u %w",
    "%U %W",
    "%G-%V",
    "%F %T %R",
    "%z %Z %%é",
    "literal",
];

fn from_timestamps() -> Vec<Case> {
    let run: Run = |column, _, format| api::from_timestamps(column, format);
    let naive: Oracle = |column, _, format| naive::from_timestamps(column, format);
    let mut all = cases(numbers(&timestamps()), &WRITTEN, 1, run, naive);
    // The days are near the beginnings of years, because the ISO week of such a day may belong to the previous year or
    // to the next year.
    let of_year = |year| [-4, -3, -2, -1, 0, 1, 2, 3, 58, 59].map(|day| (year - 1970) * 365 + (year - 1969) / 4 + day);
    let days: ArrayRef = Arc::new(Date32Array::from_iter_values((1995..2030).flat_map(of_year)));
    all.extend(cases(vec![("texts of days".to_owned(), days.clone(), DataType::Null)], &WRITTEN, 1, run, naive));
    let wrong = ["", "%", "%Q", "%s", "%D", "%e", "%n", "%0f"];
    all.extend(
        wrong.map(|format| bad_format(format, days.clone(), |column, format| api::from_timestamps(column, format))),
    );
    all.extend(refused_but(&timestamps(), |column| api::from_timestamps(column, "%Y")));
    all
}

const SPANS: [&str; 9] =
    ["%D days %H:%M:%S", "%H:%M:%S", "%I:%M %p", "%T", "%R", "%r", "%OH.%OM.%OS", "%D%%", "%n%t%M"];

const LENGTHS: [&str; 36] = [
    "",
    "1 days 02:03:04",
    "-3 days 10:00:00",
    "0 days 00:00:00",
    "+1 days 02:03:04.5",
    "1 days -02:03:04",
    "1 days 24:00:00",
    "1 days 02:03:04.123456789",
    "1 days 02:03:04.1234567890",
    "1 days 02:03:04.",
    "106751 days 23:47:16.854775807",
    "106751 days 23:47:16.854775808",
    "-106751 days 23:47:16.854775808",
    "106751991167300 days 15:30:07",
    "106751991167300 days 15:30:08",
    "999999999999999999 days 00:00:00",
    "1000000000000000000 days 00:00:00",
    "-01:02:03",
    "10:11:12",
    "00:00:01",
    "1:2:3",
    "01:30 PM",
    "-01:30 PM",
    "12:30 am",
    "13:30 am",
    "00:30 pm",
    "01:30:00 PM",
    "23:59",
    "10.11.12",
    "-10.11.12",
    "5%",
    "-5%",
    "\n\t7",
    "\n\t-7",
    "\n\t60",
    "garbage",
];

fn durations() -> Vec<DataType> {
    [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond]
        .map(DataType::Duration)
        .to_vec()
}

fn to_durations() -> Vec<Case> {
    let run: Run = |column, data_type, format| api::to_durations(column, data_type, format);
    let mut all = cases(parsed(&LENGTHS, &durations()), &SPANS, 0, run, naive::to_durations);
    let seconds =
        |column: &Column, format: &str| api::to_durations(column, &DataType::Duration(TimeUnit::Second), format);
    let wrong = ["", "%", "%Q", "%f", "%Y", "%OD", "%O", "%H %I", "%M %p", "%D %D"];
    all.extend(wrong.map(|format| bad_format(format, strings([Some("1")]), seconds)));
    let days = |column: &Column| api::to_durations(column, &DataType::Date32, "%D");
    all.push(refusal("refused output type", "1", days, is_unsupported));
    all.extend(refused(move |column| seconds(column, "%D")));
    all
}

fn is_duration() -> Vec<Case> {
    let run: Run = |column, _, format| api::is_duration(column, format);
    let naive: Oracle = |column, _, format| naive::is_duration(column, format);
    let mut all = cases(parsed(&LENGTHS, &[DataType::Null]), &SPANS, 0, run, naive);
    all.extend(refused(|column| api::is_duration(column, "%D")));
    all
}

fn from_durations() -> Vec<Case> {
    let inputs = numbers(&durations());
    let second = inputs[1].1.clone();
    let naive: Oracle = |column, _, format| naive::from_durations(column, format);
    let mut all = cases(inputs, &SPANS, 1, |column, _, format| api::from_durations(column, format), naive);
    let run = |column: &Column, format: &str| api::from_durations(column, format);
    all.extend(["", "%Q", "%f", "%Y", "%OD"].map(|format| bad_format(format, second.clone(), run)));
    all.extend(refused_but(&durations(), move |column| run(column, "%D")));
    all
}
