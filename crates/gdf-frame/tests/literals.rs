//! Tests of literals beside columns of other units, widths and encodings.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use gdf::frame::{Expr, Frame, LazyFrame, coalesce, col, lit, when};
use gdf::io::write_parquet;
use gdf::predicate::{Predicate, evaluate_predicate};
use gdf::prelude::*;
use gdf::{TimeUnit, binaryop, scope};
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
fn comparisons(check: &mut dyn FnMut(Expr, &[Option<bool>], &str)) {
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
        comparisons(&mut |condition, expected, what| {
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
