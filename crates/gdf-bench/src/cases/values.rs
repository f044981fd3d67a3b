//! Cases that compute values. Some operations compute a value of each element, and some compute one value of a whole
//! column.

use anyhow::Result;
use gdf::binaryop::{BinaryOperator, binary_operation};
use gdf::copying::copy_if_else;
use gdf::reduction::{ReduceAggregation, minmax, reduce};
use gdf::replace::replace_nulls;
use gdf::scan::{NullPolicy, ScanAggregation, ScanType, scan};
use gdf::unary::cast;
use gdf::{Column, DataType};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("binaryop.add_i64", 24.0, |inputs| add(inputs.i64()?, inputs.j64()?)),
    Case::new("binaryop.add_i64_nulls", 24.375, |inputs| add(inputs.i64_nulls()?, inputs.j64_nulls()?)),
    Case::new("binaryop.lt_i64", 17.0, less),
    Case::new("cast.i64_f64", 16.0, to_f64),
    Case::new("reduce.sum_i64", 8.0, |inputs| sum(inputs.i64()?)),
    Case::new("reduce.sum_i64_nulls", 8.125, |inputs| sum(inputs.i64_nulls()?)),
    Case::new("reduce.minmax_f64", 8.0, both_ends),
    Case::new("scan.sum_i64", 16.0, |inputs| scanned(inputs.i64()?)),
    Case::new("copy_if_else.i64", 25.0, choose),
    Case::new("replace_nulls.i64", 24.0, replace),
];

fn add(a: Column, b: Column) -> Result<Run> {
    call(move || binary_operation(&a, &b, BinaryOperator::Add, &DataType::Int64))
}

fn less(inputs: &Inputs) -> Result<Run> {
    let (a, b) = (inputs.i64()?, inputs.j64()?);
    call(move || binary_operation(&a, &b, BinaryOperator::Less, &DataType::Boolean))
}

fn to_f64(inputs: &Inputs) -> Result<Run> {
    let a = inputs.i64()?;
    call(move || cast(&a, &DataType::Float64))
}

pub(super) fn sum(a: Column) -> Result<Run> {
    call(move || reduce(&a, ReduceAggregation::Sum, &DataType::Int64))
}

pub(super) fn scanned(a: Column) -> Result<Run> {
    call(move || scan(&a, ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude))
}

fn both_ends(inputs: &Inputs) -> Result<Run> {
    let f = inputs.f64()?;
    call(move || minmax(&f))
}

fn choose(inputs: &Inputs) -> Result<Run> {
    let (a, b, half) = (inputs.i64()?, inputs.j64()?, inputs.half()?);
    call(move || copy_if_else(&a, &b, &half))
}

fn replace(inputs: &Inputs) -> Result<Run> {
    let (a, b) = (inputs.i64_nulls()?, inputs.j64()?);
    call(move || replace_nulls(&a, &b))
}
