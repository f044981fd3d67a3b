//! Cases that exchange tables with the Arrow library. The tables have integers, short texts and phrases.

use anyhow::Result;
use gdf::Table;
use gdf::scope::Scope;

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

const NAMES: &[&str] = &["counts", "digits", "phrases"];

pub(super) const CASES: &[Case] = &[
    Case::new("interop.to_arrow", 0.0, to_arrow).at_most(10_000_000).repeated(5, 5),
    Case::new("interop.to_arrow_10x10", 0.0, small_to_arrow).repeated(60, 60),
    Case::new("interop.from_arrow", 0.0, from_arrow).at_most(10_000_000).repeated(5, 5),
];

fn to_arrow(inputs: &Inputs) -> Result<Run> {
    let (table, stream) = (inputs.exchanged()?, inputs.stream().clone());
    let schema = table.schema(NAMES);
    call(move || table.to_arrow(&schema, &stream))
}

/// Prepares the export of a table with ten columns of ten rows. The result of a query is often such a table.
fn small_to_arrow(inputs: &Inputs) -> Result<Run> {
    let (column, stream) = (inputs.first_integers(10)?, inputs.stream().clone());
    let table = Table::try_new(vec![column; 10])?;
    let names: Vec<String> = (0..10).map(|number| format!("column {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let schema = table.schema(&names);
    call(move || table.to_arrow(&schema, &stream))
}

fn from_arrow(inputs: &Inputs) -> Result<Run> {
    let (table, device) = (inputs.exchanged()?, inputs.stream().device());
    let batch = table.to_arrow(&table.schema(NAMES), inputs.stream())?;
    call(move || {
        let scope = Scope::on("from_arrow", device)?;
        Table::from_arrow(&batch, scope.stream(), scope.resources().output)
    })
}
