//! Tests of expressions and lazy frames that are nested deeply, or that share their parts. A shared part is reached by a
//! number of paths that grows exponentially, so a walk along all paths would not end.

use std::time::{Duration, Instant};

use gdf::frame::{Expr, Frame, Join, JoinKind, LazyFrame, col, element, lit, when};
use gdf::io::write_parquet;
use gdf::prelude::*;
use gdf::{Error, scope};
use gdf_test::device::test_device;

fn on_device<R>(test: impl FnOnce() -> R) -> R {
    scope::with_device(test_device(), test)
}

fn numbers() -> Frame {
    let rows: Vec<i64> = (0..100).collect();
    let odd: Vec<bool> = (0..100).map(|row| row % 2 == 1).collect();
    Frame::try_new([("x", Column::from_slice(&rows).unwrap()), ("odd", Column::from_slice(&odd).unwrap())]).unwrap()
}

/// Conditions with 2ⁿ paths that are true for the odd rows below 90.
fn shared_conditions() -> Vec<(&'static str, Expr)> {
    let below = || col("x").lt(90);
    let start = || col("odd") & below();
    let mut all = Vec::new();
    for levels in [45, 64] {
        all.extend([
            ("and, or", (0..levels).fold(start(), |c, at| c.clone() & (c | col("x").gt(200 + at)))),
            ("or, and", (0..levels).fold(start(), |c, at| c.clone() | (c & col("x").gt(at)))),
            (
                "or of columns",
                (0..levels).fold(start(), |c, _| (c.clone() | col("x").gt(200)) & (c | col("x").gt(300))),
            ),
            ("not", !(0..levels).fold(!start(), |c, at| (c.clone() | col("x").gt(200 + at)) & (c | col("x").gt(300)))),
            ("when", (0..levels).fold(start(), |c, at| when(c.clone()).then(c).otherwise(col("x").gt(200 + at)))),
        ]);
    }
    all
}

/// Returns the result, which must come within a time that a walk along all paths would exceed by far.
fn soon<R>(what: &str, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    assert!(start.elapsed() < Duration::from_secs(5), "{what}: {:?}", start.elapsed());
    result
}

#[test]
fn shared_conditions_are_evaluated_once() {
    on_device(|| {
        let frame = numbers();
        for (what, condition) in shared_conditions() {
            let of = |verb: &str| format!("{what}, {verb}");
            assert_eq!(soon(&of("filter"), || frame.filter(&condition)).unwrap().num_rows(), 45, "{what}");
            let selected = soon(&of("select"), || frame.select([condition.clone().alias("c")])).unwrap();
            assert_eq!(selected.filter(col("c")).unwrap().num_rows(), 45, "{what}");
            let grouped = soon(&of("group_by"), || {
                let marked = condition.clone().cast(DataType::Int64);
                frame.group_by([condition.clone().alias("c")]).agg([marked.sum().alias("n")])
            });
            let grouped = grouped.unwrap().filter(col("c")).unwrap();
            assert_eq!(grouped.column("n").unwrap().to_vec::<i64>().unwrap(), [Some(45)], "{what}");
            let lazy = frame.lazy().with([condition.clone().alias("c")]).filter(!col("c"));
            assert_eq!(soon(&of("chain"), || lazy.collect()).unwrap().num_rows(), 55, "{what}");
            assert!(soon(&of("explain"), || lazy.explain()).contains('…'));
        }
    });
}

#[test]
fn shared_conditions_of_joins_are_evaluated_once() {
    on_device(|| {
        let (left, right) = (numbers(), numbers().rename([("x", "y"), ("odd", "other")]).unwrap());
        for (what, condition) in shared_conditions() {
            let condition = condition & col("y").lt(2);
            let joined = soon(what, || left.join(&right, Join::by_condition(JoinKind::Inner, condition.clone())));
            assert_eq!(joined.unwrap().num_rows(), 90, "{what}");
            let semi = soon(what, || left.join(&right, Join::semi([("x", "y")]).condition(condition.clone())));
            assert_eq!(semi.unwrap().num_rows(), 1, "{what}");
        }
    });
}

#[test]
fn shared_conditions_of_scans_are_pushed_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.parquet");
    write_parquet(&numbers().to_batch().unwrap(), &path).unwrap();
    // More lists within lists than readers accept, without shared parts.
    let nested = (0..90).fold(col("x").lt(90), |c, at| match at % 2 {
        0 => c & col("x").lt(95),
        _ => c | col("x").gt(200),
    });
    on_device(|| {
        for (what, condition) in shared_conditions().into_iter().chain([("nested", nested & col("odd"))]) {
            let scan = LazyFrame::scan_parquet(&path).unwrap().filter(&condition);
            assert_eq!(soon(what, || scan.collect()).unwrap().num_rows(), 45, "{what}");
            soon(what, || scan.explain());
        }
    });
}

/// A condition of few tests that is nested more deeply than predicates.
#[test]
fn negations_in_negations_are_conditions() {
    on_device(|| {
        let frame = Frame::try_new([("f", Column::from_slice(&[1.0, 2.0, 3.0]).unwrap())]).unwrap();
        let nested = (0..40).fold(col("f").lt(2.5), |c, _| !(c & col("f").gt(0.5)));
        assert_eq!(frame.filter(nested).unwrap().num_rows(), 2);
    });
}

#[test]
fn nested_functions_of_rows_have_a_limit() {
    type Nest = (&'static str, fn(Expr) -> Expr);
    let nests: [Nest; 7] = [
        ("aggregation", |e| e.sum()),
        ("window", |e| e.cum_sum()),
        ("partition", |e| e.sum().over(["x"])),
        ("key", |e| col("x").sum().over([e])),
        ("two windows", |e| e.clone().cum_sum() + e.shift(1)),
        ("difference", |e| e.diff(1)),
        ("elements", |e| e.list().transform(element() + 1)),
    ];
    on_device(|| {
        let frame = numbers();
        for (what, nest) in nests {
            let deep =
                soon(what, || (0..200_000).fold(col("x"), |deep, at| if at < 64 { nest(deep) } else { deep.sum() }));
            let text = soon(what, || frame.with([deep.clone().alias("y")])).unwrap_err().to_string();
            assert!(text.contains("nesting depth"), "{what}: {text}");
            assert!(soon(what, || frame.lazy().filter(&deep).explain()).contains('…'), "{what}");
            soon(what, || drop(deep));
        }
        // Some levels are fine.
        let largest = (0..30).fold(col("x"), |largest, _| largest.cum_max() - 1).alias("y");
        let found = soon("few", || frame.select([largest])).unwrap();
        assert_eq!(found.column("y").unwrap().get(50).unwrap(), Some(20_i64));
        let differences = (0..8).fold(col("x") * col("x"), |of, _| of.diff(1)).alias("y");
        let found = soon("differences", || frame.select([differences])).unwrap();
        assert_eq!(found.column("y").unwrap().get(50).unwrap(), Some(0_i64));
    });
}

#[test]
fn nested_lazy_frames_have_a_limit() {
    on_device(|| {
        let frame = numbers();
        type Nest = (&'static str, fn(LazyFrame, LazyFrame) -> LazyFrame);
        let nests: [Nest; 4] = [
            ("join", |outer, inner| outer.join(inner, Join::semi(["x"]))),
            ("concat", |outer, inner| outer.concat([inner]).head(3)),
            ("cross join", |outer, inner| outer.cross_join(inner, "_right").select(["x"]).head(3)),
            ("shared", |_, inner| inner.clone().join(inner, Join::semi(["x"]))),
        ];
        for (what, nest) in nests {
            let nested = |levels: usize| (0..levels).fold(frame.lazy(), |inner, _| nest(frame.lazy(), inner));
            let found = soon(what, || nested(50_000).collect());
            assert!(matches!(found, Err(Error::InvalidArgument { .. })), "{what}");
            let text = found.unwrap_err().to_string();
            assert!(text.contains("nested lazy frames") || text.contains("nesting depth"), "{what}: {text}");
            assert!(soon(what, || nested(5).collect()).unwrap().num_rows() > 0, "{what}");
            if what != "shared" {
                assert!(soon(what, || nested(64).collect()).is_ok(), "{what}");
                assert!(nested(65).collect_batches().is_err(), "{what}");
            }
        }
        assert_eq!(frame.select([lit(1)]).unwrap().num_rows(), 1);
    });
}
