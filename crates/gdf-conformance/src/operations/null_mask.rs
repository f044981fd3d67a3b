//! Area `null_mask`: validity masks.

use gdf_api::null_mask::{
    Bitmask, bitmask_and, bitmask_or, bools_to_mask, copy_bitmask, index_of_first_set_bit, null_count,
};
use gdf_core::bitmask;
use gdf_driver::Stream;

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("bitmask_and", run_bitmask_and),
    ("bitmask_or", run_bitmask_or),
    ("copy_bitmask", run_copy_bitmask),
    ("null_count", run_null_count),
    ("index_of_first_set_bit", run_index_of_first_set_bit),
    ("bitmask_allocation_size_bytes", bitmask_allocation_size_bytes),
];

/// Returns the bits of a mask as booleans, and the number of unset bits.
fn bits_and_count(mask: &Bitmask, stream: &Stream) -> Answered {
    Ok(Answer::column(mask.to_column()?)?.and_value(mask.null_count(stream)?))
}

fn run_bitmask_and(call: &Call<'_>) -> Answered {
    bits_and_count(&bitmask_and(&call.table("input")?)?, call.stream())
}

fn run_bitmask_or(call: &Call<'_>) -> Answered {
    bits_and_count(&bitmask_or(&call.table("input")?)?, call.stream())
}

fn run_copy_bitmask(call: &Call<'_>) -> Answered {
    Ok(Answer::column(copy_bitmask(&call.column("input")?)?.to_column()?)?)
}

fn run_null_count(call: &Call<'_>) -> Answered {
    let count = null_count(&call.column("input")?, call.position("start")?, call.position("stop")?)?;
    Ok(Answer::value(count))
}

fn run_index_of_first_set_bit(call: &Call<'_>) -> Answered {
    let index = index_of_first_set_bit(&call.column("input")?, call.position("start")?, call.position("stop")?)?;
    Ok(Answer::value(index))
}

/// The operation belongs to area `transform`. The function is in this module because the result is a mask.
pub(super) fn run_bools_to_mask(call: &Call<'_>) -> Answered {
    bits_and_count(&bools_to_mask(&call.column("input")?)?, call.stream())
}

fn bitmask_allocation_size_bytes(call: &Call<'_>) -> Answered {
    Ok(Answer::value(bitmask::bytes(call.position("bits")?)))
}
