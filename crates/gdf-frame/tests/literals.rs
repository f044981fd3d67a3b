//! Tests of literals beside columns of other units, widths and encodings.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use gdf::frame::{AsofJoin, Expr, Frame, Join, LazyFrame, coalesce, col, lit, when};
use gdf::io::write_parquet;
use gdf::predicate::{Predicate, evaluate_predicate};
use gdf::prelude::*;
use gdf::types::TimeUnit;
use gdf::{binaryop, scope};
use gdf_test::device::test_device;

fn on_device<R>(test: impl FnOnce() -> R) -> R {
    scope::with_device(test_device(), test)
}

fn at(nanos: i64) -> NaiveDateTime {
    utc(nanos).naive_utc()
}

fn utc(nanos: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_nanos(nanos)
}

/// Nanoseconds of the rows. Each row is also a whole number of microseconds, except for the first rows.
const ROWS: [Option<i64>; 7] = [Some(-900), Some(100), Some(500), Some(900), None, Some(0), Some(1000)];

fn moments() -> Frame {
    let of = |data_type: &DataType, tick: i64| {
        let ticks: Vec<Option<i64>> = ROWS.iter().map(|row| row.map(|nanos| nanos.div_euclid(tick))).collect();
        Column::from_options_typed(&ticks, data_type).unwrap()
    };
    let zone = || Some("UTC".into());
    let columns = [
        ("ns", DataType::Timestamp(TimeUnit::Nanosecond, None), 1),
        ("us", DataType::Timestamp(TimeUnit::Microsecond, None), 1000),
        ("ms", DataType::Timestamp(TimeUnit::Millisecond, None), 1_000_000),
        ("utc", DataType::Timestamp(TimeUnit::Nanosecond, zone()), 1),
        ("utc_us", DataType::Timestamp(TimeUnit::Microsecond, zone()), 1000),
        ("span", DataType::Duration(TimeUnit::Nanosecond), 1),
        ("span_us", DataType::Duration(TimeUnit::Microsecond), 1000),
    ];
    Frame::try_new(columns.map(|(name, data_type, tick)| (name, of(&data_type, tick)))).unwrap()
}

type Compare = (&'static str, fn(Expr, Expr) -> Expr, fn(&i128, &i128) -> bool);

const COMPARISONS: [Compare; 6] = [
    ("<", Expr::lt, i128::lt),
    ("<=", Expr::le, i128::le),
    (">", Expr::gt, i128::gt),
    (">=", Expr::ge, i128::ge),
    ("=", Expr::eq, i128::eq),
    ("<>", Expr::ne, i128::ne),
];

/// Calls `check` with each comparison of a column with a literal, the truth of each row, and the text of the comparison.
fn comparisons(mut check: impl FnMut(Expr, &[Option<bool>], &str)) {
    for nanos in [-900, -899, 0, 1, 100, 499, 500, 501, 900, 1000, 1001] {
        let literals: [(&str, i128, Expr); 7] = [
            ("ns", 1, lit(at(nanos))),
            ("us", 1000, lit(at(nanos))),
            ("ms", 1_000_000, lit(at(nanos))),
            ("utc", 1, lit(utc(nanos))),
            ("utc_us", 1000, lit(utc(nanos))),
            ("span", 1, lit(TimeDelta::nanoseconds(nanos))),
            ("span_us", 1000, lit(TimeDelta::nanoseconds(nanos))),
        ];
        for (name, tick, literal) in literals {
            for (sign, compare, is_true) in COMPARISONS {
                let truth = |swapped: bool| {
                    ROWS.map(|row| {
                        let row = i128::from(row?).div_euclid(tick) * tick;
                        let nanos = i128::from(nanos);
                        Some(if swapped { is_true(&nanos, &row) } else { is_true(&row, &nanos) })
                    })
                };
                check(compare(col(name), literal.clone()), &truth(false), &format!("{name} {sign} {nanos}"));
                check(compare(literal.clone(), col(name)), &truth(true), &format!("{nanos} {sign} {name}"));
            }
        }
    }
}

#[test]
fn moments_of_chrono_are_compared_to_the_nanosecond() {
    on_device(|| {
        let frame = moments();
        comparisons(|condition, expected, what| {
            let found = frame.select([condition.clone().alias("c")]).unwrap();
            assert_eq!(found.column("c").unwrap().to_vec::<bool>().unwrap(), expected, "{what}");
            let passing = expected.iter().filter(|row| **row == Some(true)).count();
            assert_eq!(frame.filter(condition).unwrap().num_rows(), passing, "{what}");
        });
    });
}

#[test]
fn moments_of_chrono_are_compared_exactly_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("moments.parquet");
    write_parquet(&moments().to_batch().unwrap(), &path).unwrap();
    let scan = || LazyFrame::scan_parquet(&path).unwrap();
    on_device(|| {
        for (nanos, above, equal) in [(500, 2, 1), (900, 1, 1), (501, 2, 0), (-900, 5, 1)] {
            let count = |condition: Expr| scan().filter(condition).collect().unwrap().num_rows();
            assert_eq!((count(col("ns").gt(at(nanos))), count(col("ns").eq(at(nanos)))), (above, equal), "{nanos}");
        }
    });
}

#[test]
fn moments_in_lists_ranges_and_choices_keep_their_nanoseconds() {
    on_device(|| {
        let frame = moments();
        let rows = |condition: Expr| frame.filter(condition).unwrap().num_rows();
        assert_eq!(rows(col("ns").is_in([at(100), at(900), at(901)])), 2);
        assert_eq!(rows(col("us").is_in([at(100), at(0), at(1000)])), 4 + 1);
        assert_eq!(rows(col("ns").between(at(101), at(900))), 2);
        assert_eq!(rows(col("us").between(at(1), at(999))), 0);
        assert_eq!(rows(col("us").eq_null_safe(at(100))), 0);
        assert_eq!(rows(col("ns").eq_null_safe(at(100))), 1);
        let nanos = |values: Expr| {
            let found = frame.select([values.alias("v")]).unwrap();
            assert_eq!(found.column("v").unwrap().data_type(), frame.column("ns").unwrap().data_type());
            found.column("v").unwrap().to_vec::<i64>().unwrap()
        };
        let filled = ROWS.map(|row| row.or(Some(77)));
        assert_eq!(nanos(coalesce([col("ns"), lit(at(77))])), filled);
        assert_eq!(nanos(when(col("ns").is_null()).then(lit(at(77))).otherwise(col("ns"))), filled);
        assert_eq!(nanos(col("ns").max_of(at(700))), ROWS.map(|row| row.map_or(Some(700), |row| Some(row.max(700)))));
        assert_eq!(nanos(col("ns") + TimeDelta::nanoseconds(5)), ROWS.map(|row| row.map(|row| row + 5)));
        // The type of a literal does not depend on its value.
        for nanos in [0, 500] {
            let literal = frame.select([lit(at(nanos)).alias("v"), col("us")]).unwrap();
            let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
            assert_eq!(literal.column("v").unwrap().data_type(), &micros);
            let either = frame.select([coalesce([col("us"), lit(at(nanos))]).alias("v")]).unwrap();
            assert_eq!(either.column("v").unwrap().data_type(), &micros);
        }
        assert_eq!(lit(at(500)).to_string(), lit(at(500)).to_string());
        assert_ne!(lit(at(500)).to_string(), lit(at(501)).to_string());
    });
}

type Verb = (&'static str, fn(&LazyFrame, &LazyFrame) -> LazyFrame);

/// Verbs and expressions over text of both inputs.
const VERBS: [Verb; 20] = [
    ("inner", |a, b| a.clone().join(b.clone(), Join::inner(["t"]))),
    ("left", |a, b| a.clone().join(b.clone(), Join::left(["t"]))),
    ("right", |a, b| a.clone().join(b.clone(), Join::right(["t"]))),
    ("full", |a, b| a.clone().join(b.clone(), Join::full(["t"]))),
    ("semi", |a, b| a.clone().join(b.clone(), Join::semi(["t"]))),
    ("anti", |a, b| a.clone().join(b.clone(), Join::anti(["t"]))),
    ("filtered", |a, b| a.clone().filter(col("x").gt(0)).join(b.clone(), Join::inner(["t"]))),
    ("full, two keys", |a, b| a.clone().join(b.clone(), Join::full([("t", "t"), ("x", "y")]))),
    ("computed", |a, b| {
        a.clone().join(b.clone(), Join::inner([(col("t").str().to_lower(), col("t").str().to_lower())]))
    }),
    ("computed full", |a, b| a.clone().join(b.clone(), Join::full([(col("t"), col("t").str().to_lower())]))),
    ("where", |a, b| a.clone().join(b.clone(), Join::inner(["t"]).condition(col("x").le(col("y"))))),
    ("where full", |a, b| a.clone().join(b.clone(), Join::full(["t"]).condition(col("x").le(col("y"))))),
    ("by condition", |a, b| a.clone().join_where(b.clone(), col("t").eq(col("t_right")))),
    ("as of", |a, b| a.clone().asof_join(b.clone(), AsofJoin::new("x", "y").by("t", "t"))),
    ("concat", |a, b| a.clone().select(["t"]).concat([b.clone().select(["t"]), a.clone().select(["t"])])),
    ("coalesce", |a, b| both(a, b).with([coalesce([col("t"), col("u")]).alias("v")])),
    ("when", |a, b| both(a, b).with([when(col("x").gt(2)).then(col("t")).otherwise(col("u")).alias("v")])),
    ("extremes", |a, b| both(a, b).with([col("t").max_of(col("u")).alias("v"), col("t").min_of(col("u")).alias("w")])),
    ("texts", |a, b| both(a, b).with([col("t").str().concat(col("u")).alias("v"), lit("<").str().concat(col("t"))])),
    ("compared", |a, b| both(a, b).with([(col("t").eq(col("u"))).alias("v"), col("t").lt(col("u")).alias("w")])),
];

/// Returns the rows of the first input with the text of the row of the second that has the same number.
fn both(a: &LazyFrame, b: &LazyFrame) -> LazyFrame {
    a.clone().join(b.clone().rename([("t", "u")]), Join::left([("x", "y")]))
}

/// Returns the rows as text without the types, in ascending order.
fn rows_of(frame: &Frame) -> Vec<String> {
    let column = |column: &Column| match column.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => column.to_strings().unwrap(),
        DataType::Boolean => {
            column.to_vec::<bool>().unwrap().into_iter().map(|row| row.map(|row| row.to_string())).collect()
        }
        _ => column.to_vec::<i32>().unwrap().into_iter().map(|row| row.map(|row| row.to_string())).collect(),
    };
    let columns: Vec<_> = frame.table().columns().iter().map(column).collect();
    let mut rows: Vec<_> =
        (0..frame.num_rows()).map(|row| columns.iter().map(|column| format!("{:?} ", column[row])).collect()).collect();
    rows.sort();
    rows
}

#[test]
fn text_of_both_widths_goes_together() {
    let texts = [
        vec![Some("ab"), Some("CD"), None, Some("ef"), Some("ab"), Some("")],
        vec![Some("ab"), Some("cd"), Some("ef"), None, Some("gh"), Some("")],
    ];
    let side = |at: usize, number: &'static str, data_type: &DataType| {
        let numbers = Column::from_slice(&[1, 2, 3, 4, 5, 6]).unwrap();
        let texts = Column::from_strs_typed(texts[at].iter().copied(), data_type).unwrap();
        Frame::try_new([("t", texts), (number, numbers)]).unwrap()
    };
    let batches = |frame: &Frame| {
        let batches = [frame.slice(0, 2).unwrap(), frame.slice(2, 4).unwrap()];
        LazyFrame::from_batches(batches).unwrap()
    };
    let types = [DataType::Utf8, DataType::LargeUtf8];
    on_device(|| {
        for (what, verb) in VERBS {
            let expected =
                rows_of(&verb(&side(0, "x", &types[0]).lazy(), &side(1, "y", &types[0]).lazy()).collect().unwrap());
            assert!(!expected.is_empty());
            for (left, right) in [(0, 1), (1, 0), (1, 1)] {
                let what = format!("{what}: {} and {}", types[left], types[right]);
                let (left, right) = (side(0, "x", &types[left]), side(1, "y", &types[right]));
                let found = verb(&left.lazy(), &right.lazy()).collect();
                assert_eq!(rows_of(&found.unwrap_or_else(|error| panic!("{what}: {error}"))), expected, "{what}");
                let found = verb(&batches(&left), &batches(&right)).collect();
                assert_eq!(rows_of(&found.unwrap_or_else(|error| panic!("{what}: {error}"))), expected, "{what}");
            }
        }
    });
}

/// The field of a result has the type of its column.
#[test]
fn filters_keep_the_width_of_text() {
    on_device(|| {
        let frame = |data_type: &DataType| {
            Frame::try_new([("t", Column::from_strs_typed(["a", "b"], data_type).unwrap())]).unwrap()
        };
        let (narrow, wide) = (frame(&DataType::Utf8), frame(&DataType::LargeUtf8));
        for (left, right) in [(&narrow, &wide), (&wide, &narrow)] {
            let own = left.column("t").unwrap().data_type();
            for join in [Join::inner(["t"]), Join::left(["t"]), Join::semi(["t"]), Join::anti(["t"])] {
                let found = left.join(right, join).unwrap();
                assert_eq!((found.column("t").unwrap().data_type(), found.schema().field(0).data_type()), (own, own));
            }
            for found in
                [left.join(right, Join::full(["t"])), left.join(right, Join::right(["t"])), left.concat([right])]
            {
                let found = found.unwrap();
                let wide = &DataType::LargeUtf8;
                assert_eq!((found.column("t").unwrap().data_type(), found.schema().field(0).data_type()), (wide, wide));
            }
        }
        let found = wide.select([col("t").str().concat("!"), when(lit(true)).then("x").otherwise(col("t")).alias("c")]);
        assert_eq!(found.unwrap().column("t").unwrap().to_strings().unwrap()[1].as_deref(), Some("b!"));
    });
}

/// Functions of text take both widths, also of parts without rows.
#[test]
fn functions_of_text_take_both_widths() {
    type Of = (&'static str, fn(Expr) -> Expr);
    let functions: [Of; 8] = [
        ("to_upper", |t| t.str().to_upper()),
        ("to_lower", |t| t.str().to_lower()),
        ("strip", |t| t.str().strip()),
        ("replace", |t| t.str().replace("a", "xyz")),
        ("repeat", |t| t.str().repeat(2)),
        ("reverse", |t| t.str().reverse()),
        ("concat", |t| t.clone().str().concat(t)),
        ("upper of chosen", |t| when(t.clone().eq("a")).then(t).otherwise("b").str().to_upper()),
    ];
    on_device(|| {
        for (what, function) in functions {
            let of = |data_type: &DataType, rows: usize| {
                let texts = [Some("a"), None, Some("Bä"), Some(" c ")];
                let texts = Column::from_strs_typed(texts[..rows].iter().copied(), data_type).unwrap();
                let frame = Frame::try_new([("t", texts)]).unwrap().slice(rows.min(1), rows.saturating_sub(1)).unwrap();
                let found =
                    frame.with([function(col("t")).alias("f")]).unwrap_or_else(|error| panic!("{what}: {error}"));
                found.column("f").unwrap().to_strings().unwrap()
            };
            for rows in [0, 1, 4] {
                assert_eq!(of(&DataType::LargeUtf8, rows), of(&DataType::Utf8, rows), "{what} of {rows} rows");
            }
        }
    });
}

#[test]
fn functions_of_columns_compare_moments_to_the_nanosecond() {
    use gdf::binaryop::BinaryOperator;
    let operators = [
        BinaryOperator::Less,
        BinaryOperator::LessEqual,
        BinaryOperator::Greater,
        BinaryOperator::GreaterEqual,
        BinaryOperator::Equal,
        BinaryOperator::NotEqual,
    ];
    on_device(|| {
        let frame = moments();
        for (name, tick) in [("ns", 1_i128), ("us", 1000), ("ms", 1_000_000)] {
            let column = frame.column(name).unwrap();
            for nanos in [-900, -899, 1, 500, 999, 1000] {
                for (operator, (sign, _, is_true)) in
                    operators.into_iter().zip([0, 1, 2, 3, 4, 5].map(|at| COMPARISONS[at]))
                {
                    let truth = |swapped: bool| {
                        ROWS.map(|row| {
                            let (row, nanos) = (i128::from(row?).div_euclid(tick) * tick, i128::from(nanos));
                            Some(if swapped { is_true(&nanos, &row) } else { is_true(&row, &nanos) })
                        })
                    };
                    let of = |lhs: gdf::Operand<'_>, rhs: gdf::Operand<'_>| {
                        let found = binaryop::binary_operation(lhs, rhs, operator, &DataType::Boolean).unwrap();
                        found.to_vec::<bool>().unwrap()
                    };
                    let literal = || gdf::Operand::from(gdf::Literal::from(at(nanos)));
                    assert_eq!(of(column.into(), literal()), truth(false), "{name} {sign} {nanos}");
                    assert_eq!(of(literal(), column.into()), truth(true), "{nanos} {sign} {name}");
                }
                let truth = ROWS.map(|row| row.map(|row| i128::from(row).div_euclid(tick) * tick < i128::from(nanos)));
                let found = evaluate_predicate(&Predicate::lt(column, gdf::Literal::from(at(nanos)))).unwrap();
                assert_eq!(found.to_vec::<bool>().unwrap(), truth, "{name} < {nanos}");
            }
        }
    });
}
