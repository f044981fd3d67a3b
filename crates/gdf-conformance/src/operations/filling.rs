//! Area `reshape_filling`: fills, repeats and counts.

use gdf_api::filling::{calendrical_month_sequence, fill, from_scalar, repeat, sequence};

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("fill", run_fill),
    ("from_scalar", run_from_scalar),
    ("sequence", run_sequence),
    ("calendrical_month_sequence", run_calendrical_month_sequence),
    ("repeat", run_repeat),
];

fn run_fill(call: &Call<'_>) -> Answered {
    let rows = call.position("begin")?..call.position("end")?;
    Ok(Answer::column(fill(&call.column("input")?, rows, &call.scalar("value")?)?)?)
}

fn run_from_scalar(call: &Call<'_>) -> Answered {
    Ok(Answer::column(from_scalar(&call.scalar("value")?, call.count("size")?)?)?)
}

fn run_sequence(call: &Call<'_>) -> Answered {
    Ok(Answer::column(sequence(&call.scalar("init")?, &call.scalar("step")?, call.count("size")?)?)?)
}

fn run_calendrical_month_sequence(call: &Call<'_>) -> Answered {
    let (init, months) = (call.scalar("init")?, call.integer("months")?);
    Ok(Answer::column(calendrical_month_sequence(&init, months, call.count("size")?)?)?)
}

fn run_repeat(call: &Call<'_>) -> Answered {
    let table = call.table("input")?;
    Ok(Answer::table(match call.has("count") {
        true => repeat(&table, &call.column("count")?)?,
        false => repeat(&table, call.integer("count")?)?,
    }))
}
