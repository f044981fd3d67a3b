//! Tests of the types of the errors of frames, which programs match.

use gdf::frame::{Expr, Frame, Join, JoinKind, LazyFrame, Validate, all, col, cols, lit};
use gdf::memory::{MemoryError, SpillManager, SpillOptions, current_resource};
use gdf::prelude::*;
use gdf::{Error, scope};
use gdf_test::device::test_device;

fn cities() -> gdf::Result<Frame> {
    Frame::try_new([
        ("city", Column::from_strs(["Lyon", "Oslo", "Oslo"])?),
        ("km", Column::from_slice(&[2.5, 40.0, 1.0])?),
        ("code", Column::from_slice(&[33_i64, 47, 47])?),
    ])
}

fn on_device<R>(test: impl FnOnce() -> R) -> R {
    scope::with_device(test_device(), test)
}

#[test]
fn keys_that_a_side_of_a_join_lacks() {
    on_device(|| {
        let (left, right) = (cities().unwrap(), cities().unwrap().drop("km").unwrap());
        for (join, missing) in [
            (Join::inner(["km"]), "km"),
            (Join::left([("city", "town")]), "town"),
            (Join::semi([("ctiy", "city")]), "ctiy"),
            (Join::full([(col("km") + col("kms"), col("code"))]), "kms"),
        ] {
            let found = left.join(&right, join.clone());
            assert!(matches!(&found, Err(Error::NameNotFound { name, .. }) if name.contains(missing)), "{found:?}");
            let lazy = left.lazy().join(right.lazy(), join).collect();
            assert_eq!(lazy.unwrap_err().to_string(), found.unwrap_err().to_string());
        }
        // The name is a column of both sides.
        let ambiguous = left.join(&right, Join::inner(["city"]).suffix(""));
        assert!(matches!(&ambiguous, Err(Error::DuplicateName { name, .. }) if &**name == "code"), "{ambiguous:?}");
        let types = left.join(&right, Join::inner([("km", "code")]));
        assert!(matches!(&types, Err(Error::TypeMismatch { .. })), "{types:?}");
    });
}

#[test]
fn conditions_of_joins() {
    on_device(|| {
        let (left, right) = (cities().unwrap(), cities().unwrap().rename([("km", "miles")]).unwrap());
        let refused = |condition: Expr, keys: &[&str]| {
            let join = Join::new(JoinKind::Inner, keys.iter().copied()).condition(condition);
            let error = left.join(&right, join.clone()).unwrap_err();
            let batches = LazyFrame::from_batches([left.clone(), left.clone()]).unwrap();
            assert_eq!(batches.join(right.lazy(), join.clone()).collect().unwrap_err().to_string(), error.to_string());
            // The condition is checked before rows are looked at.
            let none = left.head(0).join(&right.head(0), join).unwrap_err();
            assert_eq!(none.to_string(), error.to_string());
            error
        };
        let unknown = refused(col("km").lt(col("mile")), &[]);
        assert!(matches!(&unknown, Error::NameNotFound { name, .. } if &**name == "mile"), "{unknown:?}");
        assert_eq!(
            unknown.to_string(),
            "frame.join: no column has the name `mile`; a column has the similar name `miles`"
        );
        // The right side has no column `km`, so no column has the name `km_right`. This holds for a join with keys,
        // too.
        let unknown = refused(col("city").lt(col("km_right")), &["city"]).to_string();
        assert!(unknown.contains("no column has the name `km_right`"), "{unknown}");
        let types = refused(col("km") + col("miles"), &["city"]);
        assert!(matches!(&types, Error::TypeMismatch { .. }), "{types:?}");
        assert!(types.to_string().starts_with("frame.join: km + miles: expected Boolean, found Float64; compare the "));
        let types = refused(col("city").lt(col("miles")).and(col("code").gt(1)), &[]).to_string();
        assert!(types.starts_with("frame.join(Less): city < miles: ") && types.contains("^^^^"), "{types}");
        for value in [col("km").sum(), col("km").max().over(["city"]), all().as_expr()] {
            let more = refused(value.gt(col("miles")), &["code"]);
            assert!(matches!(&more, Error::InvalidArgument { .. }), "{more:?}");
            assert!(more.to_string().contains("compute these before the join, using `with`"), "{more}");
        }
        // `code_right` is a column of the left side, and the name of the key of the right side.
        let twice = left.with([col("code").alias("code_right")]).unwrap();
        let semi = |suffix: &str| {
            let join = Join::semi(["code"]).condition(col("miles").gt(1).and(col("code_right").gt(40))).suffix(suffix);
            twice.join(&right, join)
        };
        let ambiguous = semi("_right").unwrap_err();
        assert!(matches!(&ambiguous, Error::DuplicateName { name, .. } if &**name == "code_right"), "{ambiguous:?}");
        assert!(ambiguous.to_string().contains("pass another `suffix` to the join"), "{ambiguous}");
        assert_eq!(semi("_of_right").unwrap().num_rows(), 2);
        let none = left.join(&right, Join::new(JoinKind::Inner, std::iter::empty::<&str>())).unwrap_err().to_string();
        assert!(none.ends_with("the join has no keys; pass at least 1 key, or a condition"), "{none}");
        let all_pairs = Join::by_condition(JoinKind::Inner, lit(true)).validate(Validate::OneToOne);
        let validated = left.join(&right, all_pairs).unwrap_err().to_string();
        assert!(validated.ends_with("a join without keys has no distinct keys; leave out `validate`"), "{validated}");
    });
}

#[test]
fn columns_that_have_exchanged_their_names() {
    on_device(|| {
        let exchanged = cities().unwrap().lazy().rename([("city", "km"), ("km", "city")]);
        let found = exchanged.filter(col("city").gt(1)).select([col("km").gt(4)]).collect().unwrap_err().to_string();
        assert!(found.starts_with("frame.select(Greater): km > 4: "), "{found}");
        // The new name of a column is that of another column, which no later verb needs.
        let twice = cities().unwrap().lazy().rename([("city", "km")]).select(["km"]).collect();
        assert!(matches!(&twice, Err(Error::DuplicateName { name, .. }) if &**name == "km"), "{twice:?}");
    });
}

#[test]
fn quantiles_for_no_share() {
    on_device(|| {
        let (frame, of_nan) = (cities().unwrap(), col("km").quantile(f64::NAN));
        for found in [frame.select([&of_nan]), frame.group_by(["city"]).agg([&of_nan])] {
            assert!(matches!(&found, Err(Error::InvalidArgument { .. })), "{found:?}");
        }
    });
}

#[test]
fn keys_that_should_be_distinct() {
    on_device(|| {
        let (repeated, distinct) = (cities().unwrap(), cities().unwrap().head(2));
        let join = |left: &Frame, right: &Frame, validate| left.join(right, Join::inner(["city"]).validate(validate));
        for (left, right, validate, side) in [
            (&repeated, &distinct, Validate::OneToMany, "left"),
            (&distinct, &repeated, Validate::ManyToOne, "right"),
            (&repeated, &distinct, Validate::OneToOne, "left"),
        ] {
            let found = join(left, right, validate);
            assert!(matches!(&found, Err(Error::InvalidArgument { .. })), "{found:?}");
            let text = found.unwrap_err().to_string();
            assert!(text.contains(&format!("the keys of the {side} side of the join are not distinct")), "{text}");
        }
        assert_eq!(join(&distinct, &repeated, Validate::OneToMany).unwrap().num_rows(), 3);
    });
}

#[test]
fn expressions_that_are_too_deep() {
    on_device(|| {
        let frame = cities().unwrap();
        let deep = || (0..500).fold(col("km"), |expression, _| expression + 1);
        let is_refused = |found: gdf::Result<Frame>| {
            assert!(matches!(&found, Err(Error::InvalidArgument { .. })), "{found:?}");
            let text = found.unwrap_err().to_string();
            assert!(text.contains("nesting depth") && text.contains("at most 200"), "{text}");
        };
        is_refused(frame.with([deep()]));
        is_refused(frame.filter(deep().gt(1)));
        is_refused(frame.sort([deep().asc()]));
        is_refused(frame.group_by(["city"]).agg([deep().sum()]));
        is_refused(frame.join(&frame, Join::inner([(deep(), col("km"))])));
    });
}

/// Even one row does not fit below the limit.
#[test]
fn limits_that_are_too_small() {
    let numbers = |rows: i64| Frame::try_new([("x", Column::from_slice(&(0..rows).rev().collect::<Vec<_>>())?)]);
    let frame = on_device(|| numbers(10_000)).unwrap();
    for limit in [1, 64, 1 << 10] {
        let manager =
            SpillManager::new(current_resource(test_device()).unwrap(), SpillOptions::new().with_hard_limit(limit));
        let within = |lazy: LazyFrame| on_device(|| scope::with_resource(&manager.resource(), || lazy.collect()));
        for lazy in [
            frame.lazy().sort(["x"]),
            frame.lazy().with([(col("x") + 1).alias("y")]),
            frame.lazy().join(frame.lazy(), Join::inner(["x"])),
            frame.lazy().group_by(["x"]).agg([col("x").sum().alias("sum")]),
        ] {
            let error = within(lazy.clone()).expect_err(&lazy.explain());
            assert!(error.is_out_of_memory(), "{limit}: {error:?}\n{}", lazy.explain());
            assert!(
                matches!(&error, Error::OutOfMemory { refusal: MemoryError::OutOfMemory { requested, .. }, .. } if *requested > 0),
                "{error:?}"
            );
        }
        // The failed verbs leave nothing behind.
        assert_eq!(manager.budget().reserved(), 0);
        assert_eq!(within(frame.lazy().head(3)).unwrap().num_rows(), 3);
    }
}

#[test]
fn frames_of_two_devices() {
    if test_device().is_cpu() {
        println!("skipped: GDF_TEST_DEVICE names no GPU, and the CPU is one device");
        return;
    }
    let (here, there) = (on_device(cities).unwrap(), cities().unwrap());
    let is_refused = |found: gdf::Result<Frame>| {
        assert!(matches!(&found, Err(Error::DeviceMismatch { .. })), "{found:?}");
    };
    for join in [Join::inner(["city"]), Join::left(["code"]), Join::semi(["city"]), Join::full(["code"])] {
        is_refused(here.join(&there, join));
    }
    is_refused(here.concat([&there]));
    is_refused(here.cross_join(&there, "_right"));
    is_refused(LazyFrame::from_batches([here, there]).and_then(|lazy| lazy.collect()));
}

#[test]
fn errors_behind_selectors_name_the_column() {
    on_device(|| {
        let frame = cities().unwrap();
        let cast = frame.cast(cols(["code", "city"]), DataType::Int32).unwrap_err().to_string();
        assert!(cast.starts_with("frame.with: CAST(city AS Int32): the conversion from Utf8"), "{cast}");
        assert!(cast.contains("to_integers"), "{cast}");
        let sum = cols(["km", "city"]).as_expr().cast(DataType::Int32).sum();
        let sum = frame.group_by(["code"]).agg([sum]).unwrap_err().to_string();
        assert!(sum.contains("CAST(city AS Int32): the conversion from Utf8"), "{sum}");
    });
}

/// A program over pairs of rows cannot check digits. The ranges of both sides show whether all results fit.
#[test]
fn decimals_in_conditions_of_joins_are_right_or_errors() {
    on_device(|| {
        let side = |values: &[i32]| {
            let keys = Column::from_slice(&vec![1; values.len()]).unwrap();
            let values = Column::from_slice_typed(values, &DataType::Decimal32(9, 2)).unwrap();
            Frame::try_new([("k", keys), ("x", values)]).unwrap()
        };
        let condition = || (col("x") + col("x") + col("x_right")).gt(0);
        let (small, large) = (side(&[100, -200]), side(&[900_000_000, 100]));
        let joins = |kind| {
            let by_key = match kind {
                JoinKind::Inner => Join::inner(["k"]),
                JoinKind::Left => Join::left(["k"]),
                JoinKind::Right => Join::right(["k"]),
                JoinKind::Full => Join::full(["k"]),
                JoinKind::Semi => Join::semi(["k"]),
                JoinKind::Anti => Join::anti(["k"]),
            };
            [Join::by_condition(kind, condition()), by_key.condition(condition())]
        };
        let batches = |frame: &Frame| LazyFrame::from_batches([frame.clone(), frame.slice(0, 1).unwrap()]).unwrap();
        for kind in [JoinKind::Inner, JoinKind::Left, JoinKind::Right, JoinKind::Full, JoinKind::Semi, JoinKind::Anti] {
            for join in joins(kind) {
                let found = small.lazy().join(large.lazy(), join.clone()).collect().unwrap();
                let in_batches = batches(&small).join(large.lazy(), join.clone()).collect().unwrap();
                if kind == JoinKind::Inner {
                    // 100 goes with both rows, and -200 with the large one.
                    assert_eq!((found.num_rows(), in_batches.num_rows()), (3, 5));
                }
                for (left, right) in [(&large, &small), (&large, &large)] {
                    let whole = left.lazy().join(right.lazy(), join.clone()).collect();
                    let parts = batches(left).join(batches(right), join.clone()).collect();
                    for found in [whole, parts] {
                        let Err(error @ Error::InvalidData { .. }) = found else { panic!("{kind:?}: {found:?}") };
                        let text = error.to_string();
                        for part in ["more digits than its type", "x + x + x_right", "by `with` before the join"] {
                            assert!(text.contains(part), "{text}");
                        }
                    }
                }
            }
        }
        assert_eq!(small.lazy().join_where(large.lazy(), condition()).collect().unwrap().num_rows(), 3);
        assert!(large.lazy().join_where(large.lazy(), condition()).collect().is_err());
        // Comparisons need no digits.
        let compared = large.lazy().join_where(large.lazy(), col("x").gt(col("x_right"))).collect().unwrap();
        assert_eq!(compared.num_rows(), 1);
    });
}
