//! Cases that compute each row by itself: arithmetic, dates and replaced values.

use anyhow::Result;
use gdf::binaryop::{BinaryOperator, binary_operation};
use gdf::datetime::{Component, Frequency, add_calendrical_months, extract_component, floor_datetimes};
use gdf::expr::col;
use gdf::labeling::{Edge, label_bins};
use gdf::predicate::{Predicate, evaluate_predicate};
use gdf::replace::{ReplacePolicy, clamp, find_and_replace_all, replace_nans, replace_nulls_by_policy};
use gdf::round::{RoundingMethod, round};
use gdf::transform::{compute_column, nans_to_nulls};
use gdf::unary::{UnaryOperator, cast, unary_operation};
use gdf::{Column, DataType, Table};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("binaryop.div_f64", 24.0, |inputs| binary(inputs.f64()?, inputs.far_f64()?, BinaryOperator::TrueDiv)),
    Case::new("binaryop.pow_f64", 24.0, |inputs| binary(inputs.far_f64()?, inputs.f64()?, BinaryOperator::Pow)),
    Case::new("binaryop.mod_i64", 24.0, |inputs| binary(inputs.i64()?, inputs.j64()?, BinaryOperator::Mod)),
    Case::new("binaryop.floor_div_i64", 24.0, |inputs| binary(inputs.i64()?, inputs.j64()?, BinaryOperator::FloorDiv)),
    Case::new("binaryop.null_max_i64", 24.375, |inputs| {
        binary(inputs.i64_nulls()?, inputs.j64_nulls()?, BinaryOperator::NullMax)
    }),
    Case::new("unary.sqrt_f64", 16.0, |inputs| unary(inputs.f64()?, UnaryOperator::Sqrt)),
    Case::new("unary.exp_f64", 16.0, |inputs| unary(inputs.f64()?, UnaryOperator::Exp)),
    Case::new("unary.abs_i64", 16.0, |inputs| unary(inputs.i64()?, UnaryOperator::Abs)),
    Case::new("cast.f64_i32", 12.0, |inputs| converted(inputs.f64()?, DataType::Int32)),
    Case::new("cast.i64_decimal128", 24.0, |inputs| converted(inputs.i64()?, DataType::Decimal128(38, 0))),
    Case::new("round.half_up_f64", 16.0, rounded),
    Case::new("datetime.extract_year", 12.0, |inputs| extract(inputs.timestamps()?, Component::Year)),
    Case::new("datetime.extract_hour", 10.0, |inputs| extract(inputs.timestamps()?, Component::Hour)),
    Case::new("datetime.floor_hour", 16.0, floor),
    Case::new("datetime.add_months", 20.0, add_months),
    Case::new("replace_nulls.preceding_i64", 16.25, |inputs| carried(inputs.i64_nulls()?)),
    Case::new("replace_nans.f64", 16.0, |inputs| denan(inputs.f64()?)),
    Case::new("transform.nans_to_nulls_f64", 8.125, |inputs| nulled(inputs.f64()?)),
    Case::new("replace.clamp_i64", 16.0, |inputs| clamped(inputs.i64()?)),
    Case::new("replace.find_and_replace_100", 8.0, find_and_replace),
    Case::new("labeling.label_bins_f64", 12.0, label),
    Case::new("predicate.and_4", 24.1, conditions),
    Case::new("predicate.texts", 31.4, text_conditions),
    Case::new("predicate.texts_and_range", 18.4, texts_in_range),
    Case::new("transform.compute_column_and_4", 24.1, condition_expression),
    Case::new("transform.compute_column_5_f64", 24.0, five_operators),
    Case::new("transform.compute_column_5_i64", 24.0, five_operators_of_integers),
];

fn binary(a: Column, b: Column, op: BinaryOperator) -> Result<Run> {
    let output = a.data_type().clone();
    call(move || binary_operation(&a, &b, op, &output))
}

fn conditions(inputs: &Inputs) -> Result<Run> {
    let (a, b, f) = (inputs.i64()?, inputs.j64()?, inputs.f64()?);
    call(move || {
        let wanted = Predicate::ge(&a, -500_000_000_i64).and(Predicate::lt(&a, 500_000_000_i64));
        let wanted = wanted.and(Predicate::lt(&f, 0.25)).and(Predicate::ne(&b, 7_i64));
        evaluate_predicate(&wanted)
    })
}

/// The ways of shipping and the instructions of TPC-H.
const MODES: [&str; 7] = ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"];
const INSTRUCTIONS: [&str; 4] = ["COLLECT COD", "DELIVER IN PERSON", "NONE", "TAKE BACK RETURN"];

fn text_conditions(inputs: &Inputs) -> Result<Run> {
    let (mode, instruction) = (inputs.one_of("modes", &MODES)?, inputs.one_of("instructions", &INSTRUCTIONS)?);
    call(move || {
        let by_air = Predicate::is_in(&mode, ["AIR", "REG AIR"]);
        evaluate_predicate(&by_air.and(Predicate::eq(&instruction, "DELIVER IN PERSON")))
    })
}

/// Prepares a list of texts, and a range with a seventh of the rows.
fn texts_in_range(inputs: &Inputs) -> Result<Run> {
    let (mode, number) = (inputs.one_of("modes", &MODES)?, inputs.i64()?);
    call(move || {
        let shipped = Predicate::is_in(&mode, ["MAIL", "SHIP"]);
        evaluate_predicate(&shipped.and(Predicate::between(&number, 0_i64, 285_000_000_i64)))
    })
}

/// Prepares an expression with the conditions of the case `predicate.and_4`.
fn condition_expression(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?, inputs.j64()?, inputs.f64()?])?;
    let range = col(0).ge(-500_000_000_i64).and(col(0).lt(500_000_000_i64));
    let wanted = range.and(col(2).lt(0.25)).and(col(1).ne(7_i64));
    call(move || compute_column(&table, &wanted))
}

fn five_operators(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.f64()?, inputs.far_f64()?])?;
    let expression = (col(0) * col(1) + col(0)) * (col(1) - 0.5) - col(0);
    call(move || compute_column(&table, &expression))
}

fn five_operators_of_integers(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?, inputs.j64()?])?;
    let expression = (col(0) * col(1) + col(0)) * (col(1) - 7_i64) - col(0);
    call(move || compute_column(&table, &expression))
}

fn unary(a: Column, op: UnaryOperator) -> Result<Run> {
    call(move || unary_operation(&a, op))
}

fn converted(a: Column, target: DataType) -> Result<Run> {
    call(move || cast(&a, &target))
}

fn rounded(inputs: &Inputs) -> Result<Run> {
    let f = inputs.f64()?;
    call(move || round(&f, 2, RoundingMethod::HalfUp))
}

fn extract(times: Column, component: Component) -> Result<Run> {
    call(move || extract_component(&times, component))
}

fn floor(inputs: &Inputs) -> Result<Run> {
    let times = inputs.timestamps()?;
    call(move || floor_datetimes(&times, Frequency::Hour))
}

fn add_months(inputs: &Inputs) -> Result<Run> {
    let (times, months) = (inputs.timestamps()?, inputs.hundred()?);
    call(move || add_calendrical_months(&times, &months))
}

fn carried(a: Column) -> Result<Run> {
    call(move || replace_nulls_by_policy(&a, ReplacePolicy::Preceding))
}

fn denan(f: Column) -> Result<Run> {
    call(move || replace_nans(&f, 0.0_f64))
}

fn nulled(f: Column) -> Result<Run> {
    call(move || nans_to_nulls(&f))
}

fn clamped(a: Column) -> Result<Run> {
    call(move || clamp(&a, -500_000_000_i64, 500_000_000_i64))
}

/// Prepares the replacement of a hundred values. Each value is replaced by another value.
fn find_and_replace(inputs: &Inputs) -> Result<Run> {
    let (column, old) = (inputs.hundred()?, inputs.first_integers(100)?);
    let new = binary_operation(&old, &old, BinaryOperator::Add, &DataType::Int32)?;
    call(move || find_and_replace_all(&column, &old, &new))
}

/// Prepares the assignment of numbers to ten bins between zero and one.
fn label(inputs: &Inputs) -> Result<Run> {
    let tenths = inputs.first_integers(11)?;
    let tenths = binary_operation(&tenths, 10.0_f64, BinaryOperator::TrueDiv, &DataType::Float64)?;
    let (f, left, right) = (inputs.f64()?, tenths.slice(0, 10)?, tenths.slice(1, 10)?);
    call(move || label_bins(&f, &left, Edge::Inclusive, &right, Edge::Exclusive))
}
