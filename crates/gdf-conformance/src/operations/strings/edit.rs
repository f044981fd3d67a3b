//! Area `strings`: operations that make text longer or shorter.

use gdf_api::strings as api;
use gdf_api::strings::Side;

use crate::operations::Operation;
use crate::output::Answer;

const SIDES: &[(&str, Side)] = &[("LEFT", Side::Left), ("RIGHT", Side::Right), ("BOTH", Side::Both)];

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("strings.pad", |call| {
        let (side, fill) = (call.choice("side", SIDES)?, call.text("fill")?);
        // libcudf takes a text and uses only the first character. gdf takes a character.
        let Some(one) = fill.chars().next() else {
            return Err(gdf_core::Error::invalid_argument("the fill text is empty; pass one character").into());
        };
        Ok(Answer::column(api::pad(&call.column("input")?, call.integer("width")?, side, one)?)?)
    }),
    ("strings.repeat_strings", |call| {
        let column = call.column("input")?;
        Ok(Answer::column(if call.has("count") {
            api::repeat(&column, &call.column("count")?)?
        } else {
            api::repeat(&column, call.integer("count")?)?
        })?)
    }),
    ("strings.replace", |call| {
        let (target, with) = (call.given("target")?, call.given("repl")?);
        let max = usize::try_from(call.integer("max")?).ok();
        Ok(Answer::column(api::replace(&call.column("input")?, target.operand(), with.operand(), max)?)?)
    }),
    ("strings.replace_multiple", |call| {
        let (targets, with) = (call.column("targets")?, call.column("repls")?);
        Ok(Answer::column(api::replace_multiple(&call.column("input")?, &targets, &with)?)?)
    }),
    ("strings.replace_slice", |call| {
        let stop = usize::try_from(call.integer("stop")?).ok();
        let (with, start) = (call.given("repl")?, call.position("start")?);
        Ok(Answer::column(api::replace_slice(&call.column("input")?, with.operand(), start, stop)?)?)
    }),
    ("strings.slice_strings", |call| {
        let step = if call.has("step") { call.scalar("step")?.value::<i32>()? } else { None };
        let (start, stop) = (call.given("start")?, call.given("stop")?);
        let column = call.column("input")?;
        let sliced = api::slice(&column, start.operand(), stop.operand(), step.unwrap_or(1).into())?;
        Ok(Answer::column(sliced)?)
    }),
    ("strings.strip", |call| {
        let set = call.given("to_strip")?;
        Ok(Answer::column(api::strip(&call.column("input")?, call.choice("side", SIDES)?, set.operand())?)?)
    }),
    ("strings.zfill", |call| Ok(Answer::column(api::zfill(&call.column("input")?, call.integer("width")?)?)?)),
    ("strings.zfill_by_widths", |call| {
        Ok(Answer::column(api::zfill(&call.column("input")?, &call.column("widths")?)?)?)
    }),
];
