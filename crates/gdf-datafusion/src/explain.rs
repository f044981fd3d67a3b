//! Formats plans as text. The text shows which nodes gdf runs, and the reason why DataFusion runs each other node.

use std::fmt::Write;
use std::sync::Arc;

use datafusion::physical_plan::{ExecutionPlan, displayable};

use crate::copy::GdfCopyExec;
use crate::exec::GdfExec;
use crate::lower::refusal;

/// Returns a plan as text. The nodes of an island are printed below its `GdfExec`, each after a vertical bar. Any other
/// node is followed by the reason why gdf does not run it.
///
/// `EXPLAIN` shows this text in sessions with gdf.
pub fn explain(plan: &Arc<dyn ExecutionPlan>) -> String {
    let mut text = String::new();
    node(plan, 0, &mut text);
    text
}

fn line(plan: &Arc<dyn ExecutionPlan>) -> String {
    displayable(plan.as_ref()).one_line().to_string().trim_end().to_owned()
}

fn node(plan: &Arc<dyn ExecutionPlan>, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    if let Some(island) = plan.downcast_ref::<GdfExec>() {
        push(text, format_args!("{indent}{}", line(plan)));
        let mut inputs = island.children().into_iter();
        original(island.original(), &mut inputs.by_ref().peekable(), depth + 1, depth + 1, text);
        return;
    }
    match plan.is::<GdfCopyExec>() {
        true => push(text, format_args!("{indent}{}", line(plan))),
        false => push(text, format_args!("{indent}{}  [DataFusion: {}]", line(plan), refusal(plan))),
    }
    for child in plan.children() {
        node(child, depth + 1, text);
    }
}

/// Writes the nodes of an island. Each input is written below the node that reads the input.
fn original<'p>(
    plan: &Arc<dyn ExecutionPlan>,
    inputs: &mut std::iter::Peekable<impl Iterator<Item = &'p Arc<dyn ExecutionPlan>>>,
    start: usize,
    depth: usize,
    text: &mut String,
) {
    if inputs.next_if(|input| Arc::ptr_eq(input, plan)).is_some() {
        node(plan, depth, text);
        return;
    }
    let (indent, inner) = ("  ".repeat(start), "  ".repeat(depth - start));
    push(text, format_args!("{indent}| {inner}{}", line(plan)));
    for child in plan.children() {
        original(child, inputs, start, depth + 1, text);
    }
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}
