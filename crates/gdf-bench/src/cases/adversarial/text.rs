//! Cases with texts of very different lengths. For comparison, there are cases with texts of equal lengths and the same
//! total number of bytes.
//!
//! One row has 1 MiB. Half of the other rows have one byte, a quarter have two or three bytes, and so on. Consider the
//! rows whose lengths are between two successive powers of two. The total number of bytes of these rows is about the
//! same for all powers of two.

use anyhow::Result;
use gdf::Column;

use crate::cases::Case;
use crate::cases::text::{
    contained, contained_re, counted, counted_re, liked, replaced, replaced_re, sliced, split_record_at, stripped,
    upper,
};
use crate::generate::Words;
use crate::inputs::Inputs;
use crate::measure::Run;

const LONGEST: usize = 1 << 20;

pub(super) const CASES: &[Case] = &[
    of("text_even.contains", |inputs| contained(even(inputs)?)),
    of("text_uneven.contains", |inputs| contained(uneven(inputs)?)),
    of("text_even.like", |inputs| liked(even(inputs)?)),
    of("text_uneven.like", |inputs| liked(uneven(inputs)?)),
    of("text_even.count_characters", |inputs| counted(even(inputs)?)),
    of("text_uneven.count_characters", |inputs| counted(uneven(inputs)?)),
    of("text_even.to_upper", |inputs| upper(even(inputs)?)),
    of("text_uneven.to_upper", |inputs| upper(uneven(inputs)?)),
    of("text_even.slice", |inputs| sliced(even(inputs)?)),
    of("text_uneven.slice", |inputs| sliced(uneven(inputs)?)),
    of("text_even.strip", |inputs| stripped(even(inputs)?)),
    of("text_uneven.strip", |inputs| stripped(uneven(inputs)?)),
    of("text_even.replace", |inputs| replaced(even(inputs)?)),
    of("text_uneven.replace", |inputs| replaced(uneven(inputs)?)),
    of("text_even.split_record", |inputs| split_record_at(even(inputs)?)),
    of("text_uneven.split_record", |inputs| split_record_at(uneven(inputs)?)),
    of("text_even.contains_re", |inputs| contained_re(even(inputs)?)),
    of("text_uneven.contains_re", |inputs| contained_re(uneven(inputs)?)),
    of("text_even.count_re", |inputs| counted_re(even(inputs)?)),
    of("text_uneven.count_re", |inputs| counted_re(uneven(inputs)?)),
    of("text_even.replace_re", |inputs| replaced_re(even(inputs)?)),
    of("text_uneven.replace_re", |inputs| replaced_re(uneven(inputs)?)),
];

const fn of(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, 0.0, prepare).at_most(10_000_000).repeated(20, 5)
}

fn length(inputs: &Inputs) -> impl Fn(usize) -> usize + Sync {
    let (words, middle) = (Words::new("lengths"), inputs.rows() / 2);
    move |row| if row == middle { LONGEST } else { ((1.0 / (1.0 - words.unit(row))) as usize).min(LONGEST) }
}

fn uneven(inputs: &Inputs) -> Result<Column> {
    inputs.worded(length(inputs))
}

fn even(inputs: &Inputs) -> Result<Column> {
    let rows = inputs.rows();
    let size = (0..rows).map(length(inputs)).sum::<usize>() / rows;
    inputs.worded(|_| size)
}
