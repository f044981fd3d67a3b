//! Area `labeling`: the bin of each row.

use gdf_api::labeling::{Edge, label_bins};

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("label_bins", run_label_bins)];

fn run_label_bins(call: &Call<'_>) -> Answered {
    let edges = [("YES", Edge::Inclusive), ("NO", Edge::Exclusive)];
    let (left, right) = (call.choice("left", &edges)?, call.choice("right", &edges)?);
    let (input, from, to) = (call.column("input")?, call.column("left_edges")?, call.column("right_edges")?);
    Ok(Answer::column(label_bins(&input, &from, left, &to, right)?)?)
}
