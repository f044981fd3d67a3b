//! Cases of lists of about eight elements and of keys that are structs.
//!
//! List `i` has `(7 i + 3) mod 17` elements, which are integers below 1,000 or texts. Uneven lists have about as many
//! elements in all: each 1,024th list has 7,169, and the others have one. The cases of arrays have rows of 96 and of
//! 768 floats of 32 bits, like embeddings. Such a row fills whole cache lines.

use std::sync::Arc;

use anyhow::Result;
use gdf::arrow::array::{Array, FixedSizeListArray, Float32Array, Int64Array, ListArray};
use gdf::arrow::buffer::OffsetBuffer;
use gdf::arrow::schema::{DataType as ArrowType, Field};
use gdf::concatenate::concatenate;
use gdf::copying::{OutOfBoundsPolicy, gather};
use gdf::core::ColumnParts;
use gdf::groupby::{AggregationRequest, GroupBy, NullPolicy};
use gdf::join::{NullEquality, inner_join};
use gdf::lists::{self, contains, explode_outer, sort_lists};
use gdf::sorting::{NullOrder, Order};
use gdf::stream_compaction::{DuplicateKeepOption, NanEquality, apply_boolean_mask};
use gdf::{Column, Table};

use super::groupby::SUM;
use super::{Case, call};
use crate::generate::{Words, texts, values};
use crate::inputs::{Inputs, strings};
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    case("lists.gather", |inputs| gathered(numbers(inputs)?, inputs)),
    case("lists.gather_text", |inputs| gathered(of_texts(inputs)?, inputs)),
    case("lists.filter", |inputs| filtered(numbers(inputs)?, inputs)),
    case("lists.filter_text", |inputs| filtered(of_texts(inputs)?, inputs)),
    case("lists.concat", concatenated),
    case("lists.explode", exploded),
    case("lists.sort", |inputs| sorted(numbers(inputs)?)),
    case("lists.contains", |inputs| found(numbers(inputs)?)),
    case("lists.distinct", |inputs| distinct(numbers(inputs)?)),
    case("lists.gather_uneven", |inputs| gathered(uneven(inputs)?, inputs)),
    case("lists.filter_uneven", |inputs| filtered(uneven(inputs)?, inputs)),
    case("lists.sort_uneven", |inputs| sorted(uneven(inputs)?)),
    case("lists.contains_uneven", |inputs| found(uneven(inputs)?)),
    case("lists.distinct_uneven", |inputs| distinct(uneven(inputs)?)),
    case("arrays.gather_f32x96", |inputs| gathered(arrays(inputs, 96)?, inputs)).at_most(1_000_000),
    case("arrays.gather_f32x768", |inputs| gathered(arrays(inputs, 768)?, inputs)).at_most(1_000_000),
    case("structs.groupby_sum_g10000x100", grouped),
    case("structs.join_inner_two_fields", joined),
];

const fn case(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, 0.0, prepare).at_most(10_000_000).repeated(20, 7)
}

fn size(row: usize) -> usize {
    (7 * row + 3) % 17
}

fn uneven_size(row: usize) -> usize {
    if row % 1024 == 1023 { 7169 } else { 1 }
}

fn lists_of(inputs: &Inputs, size: fn(usize) -> usize, elements: Arc<dyn Array>) -> Result<Column> {
    let offsets = OffsetBuffer::from_lengths((0..inputs.rows()).map(size));
    let field = Arc::new(Field::new_list_field(elements.data_type().clone(), true));
    inputs.import(&ListArray::try_new(field, offsets, elements, None)?)
}

fn numbers(inputs: &Inputs) -> Result<Column> {
    numbers_of(inputs, size)
}

fn uneven(inputs: &Inputs) -> Result<Column> {
    numbers_of(inputs, uneven_size)
}

fn numbers_of(inputs: &Inputs, size: fn(usize) -> usize) -> Result<Column> {
    let words = Words::new("list elements");
    let elements = values((0..inputs.rows()).map(size).sum(), |row| words.integer(row, 0, 1000));
    lists_of(inputs, size, Arc::new(Int64Array::from(elements)))
}

fn of_texts(inputs: &Inputs) -> Result<Column> {
    let words = Words::new("list texts");
    let length = |row: usize| words.integer(row, 1, 12) as usize;
    let text = |row: usize, out: &mut [u8]| out.fill(b'a' + (row % 26) as u8);
    let elements = (0..inputs.rows()).map(size).sum();
    lists_of(inputs, size, Arc::new(strings(texts(elements, length, text))?))
}

fn arrays(inputs: &Inputs, width: usize) -> Result<Column> {
    let floats = values(inputs.rows() * width, |row| row as f32);
    let field = Arc::new(Field::new_list_field(ArrowType::Float32, false));
    let array = FixedSizeListArray::try_new(field, width as i32, Arc::new(Float32Array::from(floats)), None)?;
    inputs.import(&array)
}

fn gathered(column: Column, inputs: &Inputs) -> Result<Run> {
    let (table, map) = (Table::try_new(vec![column])?, inputs.permutation()?);
    call(move || gather(&table, &map, OutOfBoundsPolicy::Error))
}

fn filtered(column: Column, inputs: &Inputs) -> Result<Run> {
    let (table, mask) = (Table::try_new(vec![column])?, inputs.half()?);
    call(move || apply_boolean_mask(&table, &mask))
}

fn concatenated(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![numbers(inputs)?])?;
    call(move || concatenate(&[table.view(), table.view()]))
}

fn exploded(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?, numbers(inputs)?])?;
    call(move || explode_outer(&table, 1))
}

fn sorted(column: Column) -> Result<Run> {
    call(move || sort_lists(&column, Order::Ascending, NullOrder::After))
}

fn found(column: Column) -> Result<Run> {
    call(move || contains(&column, 500_i64))
}

fn distinct(column: Column) -> Result<Run> {
    call(move || lists::distinct(&column, DuplicateKeepOption::Any, NullEquality::Equal, NanEquality::AllEqual))
}

fn structs([first, second]: [Column; 2]) -> Result<Column> {
    let (device, rows) = (first.device(), first.len());
    Ok(Column::try_from_parts(ColumnParts::structs(device, rows, [("a", first), ("b", second)]))?)
}

fn grouped(inputs: &Inputs) -> Result<Run> {
    let keys = Table::try_new(vec![structs([inputs.groups(10_000)?, inputs.hundred()?])?])?;
    let values = inputs.f64()?;
    call(move || GroupBy::new(&keys, NullPolicy::Exclude).aggregate(&[AggregationRequest::new(&values, SUM)]))
}

fn joined(inputs: &Inputs) -> Result<Run> {
    let probe = Table::try_new(vec![structs(inputs.probe_key_pairs()?)?])?;
    let build = Table::try_new(vec![structs(inputs.build_key_pairs()?)?])?;
    call(move || inner_join(&probe, &build, NullEquality::Equal))
}
