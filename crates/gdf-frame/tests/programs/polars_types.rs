//! The types of results beside those of polars: operations on every type, and on every pair of types. A Python script
//! compares them, and has the table of the intended differences.

use gdf::frame::{Aggregation, Expr, Frame, RankMethod, col, len, when};
use gdf::prelude::*;
use gdf_test::device::test_device;
use serde_json::{Value as Json, json};

use super::polars::{has_polars, polars_name, run_script, types};

/// Returns a frame with the key `k`, and the columns `a` and `b` of these types.
fn frame_of(a: &DataType, b: &DataType) -> Frame {
    let column = |of: &DataType| match of {
        DataType::Utf8 => Column::from_strs(["1", "2", "3"]),
        DataType::Boolean => Column::from_slice(&[true, false, true]),
        // Times are cast from integers of their width.
        DataType::Date32 => gdf::unary::cast(&Column::from_slice(&[1_i32, 2, 3])?, of),
        of => gdf::unary::cast(&Column::from_slice(&[1_i64, 2, 3])?, of),
    };
    let column = |of: &DataType| column(of).unwrap_or_else(|error| panic!("{of}: {error}"));
    Frame::try_new([("k", column(&DataType::Int64)), ("a", column(a)), ("b", column(b))]).unwrap()
}

/// Returns the operations on one column, with the names that the script knows.
fn of_one() -> Vec<(&'static str, Expr)> {
    let a = || col("a");
    let rank = |method| a().rank(method);
    vec![
        ("plus one", a() + 1),
        ("times one and a half", a() * 1.5),
        ("negated", -a()),
        ("is_null", a().is_null()),
        ("length", a().str().count_characters()),
        ("to_upper", a().str().to_upper()),
        ("contains", a().str().contains("1")),
        ("year", a().dt().year()),
        ("month", a().dt().month()),
        ("day", a().dt().day()),
        ("weekday", a().dt().weekday()),
        ("hour", a().dt().hour()),
        ("quarter", a().dt().quarter()),
        ("shift", a().shift(1)),
        ("diff", a().diff(1)),
        ("cum_sum", a().cum_sum()),
        ("cum_prod", a().cum_prod()),
        ("cum_min", a().cum_min()),
        ("cum_max", a().cum_max()),
        ("rank min", rank(RankMethod::Min)),
        ("rank average", rank(RankMethod::Average)),
        ("rolling sum", a().rolling(Aggregation::Sum, 2, 1)),
        ("rolling mean", a().rolling(Aggregation::Mean, 2, 1)),
        ("rolling min", a().rolling(Aggregation::Min, 2, 1)),
    ]
}

fn aggregations() -> Vec<(&'static str, Expr)> {
    let a = || col("a");
    vec![
        ("sum", a().sum()),
        ("product", a().product()),
        ("min", a().min()),
        ("max", a().max()),
        ("mean", a().mean()),
        ("median", a().median()),
        ("var", a().var()),
        ("std", a().std()),
        ("count", a().count()),
        ("n_unique", a().n_unique()),
        ("first", a().first()),
        ("last", a().last()),
        ("quantile", a().quantile(0.3)),
        ("len", len()),
    ]
}

fn of_two() -> Vec<(&'static str, Expr)> {
    let (a, b) = (|| col("a"), || col("b"));
    vec![
        ("add", a() + b()),
        ("sub", a() - b()),
        ("mul", a() * b()),
        ("div", a() / b()),
        ("rem", a() % b()),
        ("less", a().lt(b())),
        ("fill_null", a().fill_null(b())),
        ("when", when(col("k").gt(1)).then(a()).otherwise(b())),
    ]
}

/// Returns the type of the column `r` by its name in polars, or null if gdf refuses the operation.
fn found(frame: gdf::Result<Frame>) -> Json {
    frame.map_or(Json::Null, |frame| {
        polars_name(frame.column("r").expect("the frame has the result").data_type()).into()
    })
}

#[test]
fn types_equal_those_of_polars() {
    if !has_polars("types_equal_those_of_polars") {
        return;
    }
    let mut operations = Vec::new();
    let mut add = |operation: String, types: &[&str], found: Json| {
        operations.push(json!({ "operation": operation, "types": types, "found": found }));
    };
    gdf::scope::with_device(test_device(), || {
        for (name, data_type) in types() {
            let frame = frame_of(&data_type, &data_type);
            for (operation, value) in of_one() {
                add(operation.into(), &[name], found(frame.with([value.alias("r")])));
            }
            for (operation, value) in aggregations() {
                add(operation.into(), &[name], found(frame.select([value.clone().alias("r")])));
                let grouped = frame.group_by(["k"]).agg([value.clone().alias("r")]);
                add(format!("grouped {operation}"), &[name], found(grouped));
                add(format!("{operation} over"), &[name], found(frame.with([value.over(["k"]).alias("r")])));
            }
            for (other, other_type) in types() {
                let frame = frame_of(&data_type, &other_type);
                for (operation, value) in of_two() {
                    add(operation.into(), &[name, other], found(frame.with([value.alias("r")])));
                }
            }
        }
    });
    assert!(operations.len() > 2_000);
    run_script("frame_types.py", &json!(operations));
}
