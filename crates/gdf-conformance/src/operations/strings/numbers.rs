//! Area `strings`: conversions between text and numbers, timestamps or durations.

use gdf_api::{binaryop, strings};

use crate::operations::Operation;
use crate::output::Answer;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("strings.from_booleans", |call| {
        let (yes, no) = (call.given("true")?, call.given("false")?);
        Ok(Answer::column(strings::from_booleans(&call.column("input")?, yes.operand(), no.operand())?)?)
    }),
    ("strings.from_durations", |call| {
        Ok(Answer::column(strings::from_durations(&call.column("input")?, call.text("format")?)?)?)
    }),
    ("strings.from_fixed_point", |call| Ok(Answer::column(strings::from_fixed_point(&call.column("input")?)?)?)),
    ("strings.from_floats", |call| Ok(Answer::column(strings::from_floats(&call.column("input")?)?)?)),
    ("strings.from_integers", |call| Ok(Answer::column(strings::from_integers(&call.column("input")?)?)?)),
    ("strings.from_timestamps", |call| {
        Ok(Answer::column(strings::from_timestamps(&call.column("input")?, call.text("format")?)?)?)
    }),
    ("strings.hex_to_integers", |call| {
        Ok(Answer::column(strings::hex_to_integers(&call.column("input")?, &call.data_type("out")?)?)?)
    }),
    ("strings.integers_to_hex", |call| Ok(Answer::column(strings::integers_to_hex(&call.column("input")?)?)?)),
    ("strings.integers_to_ipv4", |call| Ok(Answer::column(strings::integers_to_ipv4(&call.column("input")?)?)?)),
    ("strings.ipv4_to_integers", |call| Ok(Answer::column(strings::ipv4_to_integers(&call.column("input")?)?)?)),
    ("strings.is_fixed_point", |call| {
        Ok(Answer::column(strings::is_fixed_point(&call.column("input")?, &call.data_type("type")?)?)?)
    }),
    ("strings.is_float", |call| Ok(Answer::column(strings::is_float(&call.column("input")?)?)?)),
    ("strings.is_hex", |call| Ok(Answer::column(strings::is_hex(&call.column("input")?)?)?)),
    ("strings.is_integer", |call| {
        let data_type = call.arg("type").map(|_| call.data_type("type")).transpose()?;
        Ok(Answer::column(strings::is_integer(&call.column("input")?, data_type.as_ref())?)?)
    }),
    ("strings.is_ipv4", |call| Ok(Answer::column(strings::is_ipv4(&call.column("input")?)?)?)),
    ("strings.is_timestamp", |call| {
        Ok(Answer::column(strings::is_timestamp(&call.column("input")?, call.text("format")?)?)?)
    }),
    ("strings.to_booleans", |call| {
        let yes = call.given("true")?;
        Ok(Answer::column(binaryop::eq(&call.column("input")?, yes.operand())?)?)
    }),
    ("strings.to_durations", |call| {
        let (column, data_type) = (call.column("input")?, call.data_type("out")?);
        Ok(Answer::column(strings::to_durations(&column, &data_type, call.text("format")?)?)?)
    }),
    ("strings.to_fixed_point", |call| {
        Ok(Answer::column(strings::to_fixed_point(&call.column("input")?, &call.data_type("out")?)?)?)
    }),
    ("strings.to_floats", |call| {
        Ok(Answer::column(strings::to_floats(&call.column("input")?, &call.data_type("out")?)?)?)
    }),
    ("strings.to_integers", |call| {
        Ok(Answer::column(strings::to_integers(&call.column("input")?, &call.data_type("out")?)?)?)
    }),
    ("strings.to_timestamps", |call| {
        let (column, data_type) = (call.column("input")?, call.data_type("out")?);
        Ok(Answer::column(strings::to_timestamps(&column, &data_type, call.text("format")?)?)?)
    }),
];
