//! Tests of rolling windows, bins, quantiles and correlations, and of lazy verbs that are not fused.

use gdf::copying::Replacement;
use gdf::frame::{
    AsofJoin, Closed, DuplicateKeepOption, Frame, Interpolation, LazyFrame, Value, all, col, cols, len, lit, matching,
    numeric,
};
use gdf::groupby::GroupByAggregation;
use gdf::prelude::*;
use gdf::types::TimeUnit;
use gdf::{Error, scope};
use gdf_test::device::test_device;

fn on_device(test: impl FnOnce() -> gdf::Result<()>) {
    scope::with_device(test_device(), test).unwrap();
}

#[track_caller]
fn text_of<T: std::fmt::Debug>(result: gdf::Result<T>) -> String {
    result.unwrap_err().to_string()
}

fn names(frame: &Frame) -> Vec<&str> {
    frame.names().collect()
}

fn integers(frame: &Frame, name: &str) -> gdf::Result<Vec<Option<i64>>> {
    gdf::unary::cast(frame.column(name)?, &DataType::Int64)?.to_vec::<i64>()
}

fn sales() -> gdf::Result<Frame> {
    Frame::try_new([
        ("shop", Column::from_strs(["b", "a", "a", "b", "a"])?),
        ("day", Column::from_options(&[Some(3), Some(4), Some(1), Some(2), None])?),
        ("sold", Column::from_options(&[Some(30), Some(4), Some(1), None, Some(7)])?),
    ])
}

#[test]
fn windows_of_a_period_end_at_the_value_of_each_row() {
    on_device(|| {
        let sums = |closed| {
            let found = sales()?.group_by_rolling("day", 2).closed(closed).agg([col("sold").sum(), len()])?;
            assert_eq!(names(&found), ["day", "sold", "len"]);
            Ok::<_, Error>((integers(&found, "sold")?, integers(&found, "len")?))
        };
        // The values of `day` are 3, 4, 1, 2 and null. The rows with null are a window of their own.
        let found = sums(Closed::Right)?;
        assert_eq!(found, ([Some(30), Some(34), Some(1), Some(1), Some(7)].into(), [2, 2, 1, 2, 1].map(Some).into()));
        let found = sums(Closed::Both)?;
        assert_eq!(found, ([Some(31), Some(34), Some(1), Some(1), Some(7)].into(), [3, 3, 1, 2, 1].map(Some).into()));
        let found = sums(Closed::Left)?;
        assert_eq!(found, ([Some(1), Some(30), None, Some(1), Some(7)].into(), [2, 2, 0, 1, 1].map(Some).into()));
        let found = sums(Closed::Neither)?;
        assert_eq!(found, ([None, Some(30), None, Some(1), Some(7)].into(), [1, 1, 0, 1, 1].map(Some).into()));
        Ok(())
    });
}

#[test]
fn windows_stay_within_their_keys() {
    on_device(|| {
        let days = sales()?.group_by_rolling("day", 9).by(["shop"]);
        let found = days.agg([(col("sold").max() - col("sold").min()).alias("range"), col("sold").first(), len()])?;
        assert_eq!(names(&found), ["shop", "day", "range", "sold", "len"]);
        assert_eq!(integers(&found, "range")?, [Some(0), Some(3), Some(0), None, Some(0)]);
        assert_eq!(integers(&found, "sold")?, [None, Some(1), Some(1), None, Some(7)]);
        assert_eq!(integers(&found, "len")?, [2, 2, 1, 1, 1].map(Some));
        assert_eq!(integers(&days.agg([col("sold").count()])?, "sold")?, [1, 2, 1, 0, 1].map(Some));
        assert!(!found.schema().field_with_name("len").unwrap().is_nullable());
        let rows = sales()?.rolling(2).by(["shop"]).min_rows(2);
        assert_eq!(integers(&rows.agg([col("sold").sum()])?, "sold")?, [None, None, Some(5), None, Some(8)]);
        let rows = sales()?.lazy().filter(col("day").is_not_null()).rolling(3).agg([len(), col("sold").last()]);
        assert_eq!(integers(&rows.collect()?, "len")?, [1, 2, 3, 3].map(Some));
        assert_eq!(integers(&rows.collect()?, "sold")?, [Some(30), Some(4), Some(1), None]);
        Ok(())
    });
}

#[test]
fn periods_of_dates_and_times_are_durations() {
    on_device(|| {
        let hours = Column::from_options_typed(
            &[Some(0_i64), Some(3_600_000), Some(7_200_000)],
            &DataType::Timestamp(TimeUnit::Millisecond, None),
        )?;
        let days = Column::from_options_typed(&[Some(10_i32), Some(11), Some(13)], &DataType::Date32)?;
        let frame = Frame::try_new([("hour", hours), ("day", days), ("x", Column::from_slice(&[1, 2, 4])?)])?;
        let counts = |on, seconds: i64| {
            let period = Value::new(Literal::typed(Some(seconds), &DataType::Duration(TimeUnit::Second))?);
            integers(&frame.group_by_rolling(on, period).closed(Closed::Both).agg([len()])?, "len")
        };
        assert_eq!(counts("hour", 3_600)?, [1, 2, 2].map(Some));
        assert_eq!(counts("hour", 3_599)?, [1, 1, 1].map(Some));
        assert_eq!(counts("day", 2 * 86_400)?, [1, 2, 2].map(Some));
        let text = text_of(counts("day", 3_600));
        assert!(text.contains("is not a whole number of the units of the ordering column"), "{text}");
        let floats = Frame::try_new([("x", Column::from_slice(&[0.0, 0.25, 0.5])?)])?;
        let found = floats.group_by_rolling("x", 0.5).agg([len()])?;
        assert_eq!(integers(&found, "len")?, [1, 2, 2].map(Some));
        Ok(())
    });
}

#[test]
fn windows_that_do_not_exist_are_refused() {
    on_device(|| {
        let frame = sales()?;
        let text = text_of(frame.group_by_rolling("day", 0).agg([len()]));
        assert_eq!(
            text,
            "frame.group_by_rolling: period: invalid argument: the period is null, NaN or not greater than 0; pass a \
             positive period"
        );
        assert!(matches!(frame.group_by_rolling("day", "x").agg([len()]), Err(Error::TypeMismatch { .. })));
        assert!(text_of(frame.rolling(0).agg([len()])).contains("a window has 0 rows"));
        assert!(text_of(frame.group_by_rolling(all(), 1).agg([len()])).contains("found a selector"));
        let text = text_of(frame.group_by_rolling("day", 1).agg([col("sold").median()]));
        assert!(
            text.starts_with("frame.group_by_rolling(MEDIAN): invalid argument: rolling windows do not support"),
            "{text}"
        );
        let text = text_of(frame.rolling(1).agg([col("sold") + 1]));
        assert!(text.starts_with("frame.rolling: no column has the name `sold`"), "{text}");
        Ok(())
    });
}

#[test]
fn a_value_belongs_to_the_first_bin_that_ends_with_it_or_later() {
    on_device(|| {
        let frame = Frame::try_new([(
            "x",
            Column::from_options(&[Some(-1.0), Some(0.0), Some(0.5), Some(9.0), Some(9.5), Some(f64::NAN), None])?,
        )])?;
        let found = frame.select([
            col("x").cut([(0, "low"), (9, "middle")], "high").alias("bin"),
            col("x").cut([] as [(i32, i32); 0], 1).alias("one"),
            col("x").cut([(col("x").min(), 0)], lit(1)).alias("least"),
        ])?;
        let expected = [Some("low"), Some("low"), Some("middle"), Some("middle"), Some("high"), None, None];
        assert_eq!(found.column("bin")?.to_strings()?, expected.map(|label| label.map(str::to_owned)));
        assert_eq!(integers(&found, "one")?, [Some(1), Some(1), Some(1), Some(1), Some(1), None, None]);
        assert_eq!(integers(&found, "least")?, [Some(0), Some(1), Some(1), Some(1), Some(1), None, None]);
        let many = (0..300).map(|end| (f64::from(end) / 100.0, end));
        let found = frame.select([col("x").cut(many, 300)])?;
        assert_eq!(integers(&found, "x")?, [Some(0), Some(0), Some(50), Some(300), Some(300), None, None]);
        Ok(())
    });
}

#[test]
fn bins_of_quantiles_are_those_of_all_rows_or_of_a_partition() {
    on_device(|| {
        let frame = Frame::try_new([
            ("k", Column::from_slice(&[1, 1, 2, 2, 2])?),
            ("x", Column::from_slice(&[1, 2, 10, 20, 30])?),
        ])?;
        let bins = || col("x").qcut([(0.5, "low")], "high");
        let found = frame.select([bins().alias("all"), bins().over(["k"]).alias("part")])?;
        let labels = |name: &str| found.column(name)?.to_strings();
        assert_eq!(labels("all")?, ["low", "low", "low", "high", "high"].map(|label| Some(label.to_owned())));
        assert_eq!(labels("part")?, ["low", "high", "low", "low", "high"].map(|label| Some(label.to_owned())));
        Ok(())
    });
}

#[test]
fn quantiles_have_a_row_for_each_share() {
    on_device(|| {
        let found = sales()?.quantile(numeric(), &[1.0, 0.0, 0.5], Interpolation::Linear)?;
        assert_eq!(names(&found), ["quantile", "day", "sold"]);
        assert_eq!(found.column("quantile")?.to_vec::<f64>()?, [1.0, 0.0, 0.5].map(Some));
        assert_eq!(found.column("sold")?.to_vec::<f64>()?, [30.0, 1.0, 5.5].map(Some));
        let lower = sales()?.lazy().filter(col("shop").eq("b")).quantile("sold", &[0.5], Interpolation::Lower);
        assert_eq!(lower.collect()?.column("sold")?.to_vec::<f64>()?, [Some(30.0)]);
        let none = sales()?.head(0).quantile("sold", &[0.5], Interpolation::Lower)?;
        assert_eq!(none.column("sold")?.to_vec::<f64>()?, [None]);
        let text = text_of(sales()?.quantile("sold", &[0.5, 50.0], Interpolation::Linear));
        assert_eq!(
            text,
            "frame.quantile: 50: q: invalid argument: the share must be at least 0 and at most 1; divide percentages by 100"
        );
        assert!(sales()?.quantile("sold", &[f64::NAN], Interpolation::Linear).is_err());
        let text = text_of(sales()?.quantile("shop", &[0.5], Interpolation::Linear));
        assert!(text.starts_with("frame.quantile: shop: "), "{text}");
        Ok(())
    });
}

#[test]
fn correlations_ignore_rows_with_nulls_pair_by_pair() {
    on_device(|| {
        let frame = Frame::try_new([
            ("k", Column::from_strs(["a", "a", "a", "b", "b"])?),
            ("x", Column::from_options(&[Some(1), Some(2), Some(3), Some(4), None])?),
            ("y", Column::from_options(&[Some(2.0), Some(4.0), None, Some(7.0), Some(1.0)])?),
            ("same", Column::from_slice(&[5_u8; 5])?),
        ])?;
        let corr = frame.corr(cols(["x", "y", "same"]))?;
        assert_eq!(names(&corr), ["column", "x", "y", "same"]);
        assert_eq!(corr.column("column")?.to_strings()?, ["x", "y", "same"].map(|name| Some(name.to_owned())));
        // The pairs of x and y are (1, 2), (2, 4) and (4, 7).
        let expected = 23.0 / 3.0 / (14.0_f64 / 3.0 * 38.0 / 3.0).sqrt();
        let of = |name: &str, row: usize| corr.column(name)?.get::<f64>(row).map(Option::unwrap);
        assert!((of("x", 1)? - expected).abs() < 1e-12 && of("x", 1)? == of("y", 0)?);
        assert_eq!((of("x", 0)?, of("y", 1)?), (1.0, 1.0));
        assert!(of("same", 0)?.is_nan() && of("same", 2)?.is_nan());
        let groups = frame.group_by(["k"]).corr("x", col("y") * 2)?.sort(["k"])?;
        assert_eq!(names(&groups), ["k", "corr"]);
        assert!((groups.column("corr")?.get::<f64>(0)?.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(groups.column("corr")?.get::<f64>(1)?, None);
        assert_eq!(frame.head(1).corr("x")?.column("x")?.get::<f64>(0)?, None);
        assert_eq!(frame.corr(matching("z*"))?.num_rows(), 0);
        let text = text_of(frame.corr(all()));
        assert_eq!(text, "frame.corr: k: Utf8 is not supported; select columns of numbers, as in `numeric()`");
        assert!(text_of(frame.group_by([] as [&str; 0]).corr("x", "y")).contains("the group-by has no keys"));
        Ok(())
    });
}

/// Each verb returns the same rows eagerly, lazily, and over batches. The rows are sorted by all columns before the
/// comparison.
#[test]
fn lazy_verbs_equal_eager_ones() {
    on_device(|| {
        let frame = Frame::try_new([
            ("id", Column::from_slice(&[3_i64, 1, 2, 3, 1])?),
            ("kind", Column::from_strs([Some("u"), Some("v"), None, Some("u"), Some("u")])?),
            ("x", Column::from_options(&[Some(1_i64), None, Some(3), Some(4), Some(5)])?),
        ])?;
        let batches = [frame.slice(0, 2)?, frame.slice(2, 0)?, frame.slice(2, 3)?];
        let batches = LazyFrame::from_batches(batches)?;
        let right = Frame::try_new([("id", Column::from_slice(&[2_i64, 3])?), ("z", Column::from_slice(&[7, 8])?)])?;
        let check = |eager: Frame, verb: &dyn Fn(LazyFrame) -> LazyFrame| {
            let keys = || eager.names().map(col).collect::<Vec<_>>();
            let rows = |frame: &Frame| frame.sort(keys()).map(|frame| frame.to_string());
            let expected = rows(&eager)?;
            assert_eq!(names(&eager), names(&verb(batches.clone()).collect()?));
            assert_eq!(rows(&verb(frame.lazy()).collect()?)?, expected);
            assert_eq!(rows(&verb(batches.clone()).collect()?)?, expected);
            // The plan may need the last column only.
            let name = eager.names().last().unwrap().to_owned();
            assert_eq!(names(&verb(frame.lazy()).select([name.as_str()]).collect()?), [name.as_str()]);
            Ok::<_, Error>(())
        };
        let sum = GroupByAggregation::Sum;
        check(frame.pivot("id", "kind", "x", sum)?, &|lazy| lazy.pivot("id", "kind", "x", sum))?;
        check(frame.unpivot("kind", ["id", "x"])?, &|lazy| lazy.unpivot("kind", ["id", "x"]))?;
        check(frame.to_dummies("kind")?, &|lazy| lazy.to_dummies("kind"))?;
        check(frame.cross_join(&right, "_2")?, &|lazy| lazy.cross_join(right.lazy(), "_2"))?;
        let join = || AsofJoin::new("id", "id");
        check(frame.asof_join(&right, join())?, &|lazy| lazy.asof_join(right.lazy(), join()))?;
        check(frame.sample(3, Replacement::Without, 2)?, &|lazy| lazy.sample(3, Replacement::Without, 2))?;
        check(frame.fill_null("x", 0)?, &|lazy| lazy.fill_null("x", 0))?;
        check(frame.cast("x", DataType::Float64)?, &|lazy| lazy.cast("x", DataType::Float64))?;
        check(frame.value_counts("kind")?, &|lazy| lazy.value_counts("kind"))?;
        check(frame.null_count()?, &|lazy| lazy.null_count())?;
        check(frame.describe()?, &|lazy| lazy.describe())?;
        check(frame.corr(numeric())?, &|lazy| lazy.corr(numeric()))?;
        let q = [0.25, 0.5];
        check(frame.quantile("x", &q, Interpolation::Linear)?, &|lazy| lazy.quantile("x", &q, Interpolation::Linear))?;
        let rolled = frame.rolling(2).by(["kind"]).agg([col("x").sum()])?;
        check(rolled, &|lazy| lazy.rolling(2).by(["kind"]).agg([col("x").sum()]))?;
        let rolled = frame.group_by_rolling("x", 2).agg([len()])?;
        check(rolled, &|lazy| lazy.group_by_rolling("x", 2).agg([len()]))?;
        check(frame.group_by(["kind"]).corr("id", "x")?, &|lazy| lazy.group_by(["kind"]).corr("id", "x"))?;
        Ok(())
    });
}

#[test]
fn plans_show_verbs_that_are_not_fused() {
    on_device(|| {
        let frame = sales()?;
        let plan = frame
            .lazy()
            .filter(col("day").gt(1))
            .cross_join(frame.lazy().distinct("shop", DuplicateKeepOption::Any), "_2");
        let plan = plan.group_by_rolling("day", 2).by(["shop"]).agg([len()]).unpivot("shop", ["day"]);
        let text = plan.explain();
        assert!(text.contains("pipeline 1\n  filter day > 1\n  cross join with\n    source: 5 rows"), "{text}");
        assert!(text.contains("rolling 2, closed Right, by shop, day: COUNT(*)"), "{text}");
        assert!(text.contains("    distinct cols(shop)\n"), "{text}");
        assert!(text.contains("unpivot cols(day) by cols(shop)\n"), "{text}");
        Ok(())
    });
}

/// A sum has more digits than its values, and a mean has a fraction.
#[test]
fn sums_of_windows_have_wide_types_and_means_of_decimals_are_floats() {
    on_device(|| {
        let frame = Frame::try_new([
            ("k", Column::from_slice(&[1, 1, 1])?),
            ("i", Column::from_slice(&[2_000_000_000, 2_000_000_000, 1])?),
            ("b", Column::from_slice(&[100_i8, 100, 2])?),
            ("u", Column::from_slice(&[200_u8, 100, 2])?),
            ("w", Column::from_slice(&[1_u64 << 63, 1 << 62, 5])?),
            ("l", gdf::unary::cast(&Column::from_slice(&[i64::MAX, 2, 3])?, &DataType::Decimal256(40, 0))?),
            ("d", Column::from_slice_typed(&[99_999_i32, 99_999, 1], &DataType::Decimal32(5, 2))?),
        ])?;
        for keys in [vec![], vec!["k"]] {
            let over = |of: gdf::frame::Expr| if keys.is_empty() { of } else { of.over(keys.clone()) };
            let found = frame.select([
                over(col("i").cum_sum()).alias("i"),
                over(col("b").cum_sum()).alias("b"),
                over(col("b").cum_prod()).alias("p"),
                over(col("u").cum_sum()).alias("u"),
                over(col("w").cum_sum()).alias("w"),
                over(col("w").cum_prod()).alias("q"),
                // Scans of groups have no sums of 256 bits.
                col("l").cum_sum().alias("l"),
                over(col("d").cum_sum()).alias("d"),
                over(col("d").rolling(gdf::frame::Aggregation::Sum, 2, 1)).alias("r"),
                over(col("d").rolling(gdf::frame::Aggregation::Mean, 3, 1)).alias("m"),
            ])?;
            for (name, expected) in [
                ("i", [2_000_000_000, 4_000_000_000, 4_000_000_001]),
                ("b", [100, 200, 202]),
                ("p", [100, 10_000, 20_000]),
                ("u", [200, 300, 302]),
            ] {
                assert_eq!(found.column(name)?.to_vec::<i64>()?, expected.map(Some), "{name} {keys:?}");
            }
            for (name, expected) in [("d", [99_999, 199_998, 199_999]), ("r", [99_999, 199_998, 100_000])] {
                let column = found.column(name)?;
                assert_eq!(column.data_type(), &DataType::Decimal128(38, 2), "{name} {keys:?}");
                assert_eq!(column.to_vec::<i128>()?, expected.map(Some), "{name} {keys:?}");
            }
            let sums = [1_u64 << 63, 3 << 62, (3 << 62) + 5].map(Some);
            assert_eq!(found.column("w")?.to_vec::<u64>()?, sums, "{keys:?}");
            let products = [1_u64 << 63, 0, 0].map(Some);
            assert_eq!(found.column("q")?.to_vec::<u64>()?, products, "{keys:?}");
            assert_eq!(found.column("l")?.data_type(), &DataType::Decimal256(76, 0), "{keys:?}");
            let sums = gdf::unary::cast(found.column("l")?, &DataType::Decimal128(38, 0))?;
            let of = i128::from(i64::MAX);
            assert_eq!(sums.to_vec::<i128>()?, [of, of + 2, of + 5].map(Some), "{keys:?}");
            let means = found.column("m")?.to_vec::<f64>()?;
            assert!((means[2].unwrap() - 1999.99 / 3.0).abs() < 1e-9, "{means:?}");
        }
        let by_rows = frame.rolling(3).agg([col("d").sum().alias("s"), col("d").mean().alias("m")])?;
        assert_eq!(by_rows.column("s")?.to_vec::<i128>()?, [99_999, 199_998, 199_999].map(Some));
        assert!((by_rows.column("m")?.to_vec::<f64>()?[1].unwrap() - 999.99).abs() < 1e-9);
        Ok(())
    });
}

#[test]
fn sums_of_decimals_that_do_not_fit_are_errors() {
    on_device(|| {
        let large = 10_i128.pow(38) - 1;
        let with_scale = |values: &[i128], scale| {
            Frame::try_new([("x", Column::from_slice_typed(values, &DataType::Decimal128(38, scale))?)])
        };
        let frame = |values: &[i128]| with_scale(values, 0);
        let sum = || col("x").cum_sum().alias("s");
        for values in [[large, large, large, large], [-large, -1, 0, 0], [large, 1, -2, 0]] {
            for scale in [0, 10, 38, -2] {
                let text = text_of(with_scale(&values, scale)?.select([sum()]));
                assert!(text.contains("more digits than its type") && text.contains("Float64"), "{text}");
            }
        }
        let fits = frame(&[large / 2, large / 4, -large / 2, 5])?.select([sum()])?;
        assert_eq!(fits.column("s")?.to_vec::<i128>()?[1], Some(large / 2 + large / 4));
        assert!(frame(&[large, large])?.rolling(2).agg([col("x").sum()]).is_err());
        assert_eq!(frame(&[large, large])?.rolling(2).agg([col("x").max()])?.num_rows(), 2);
        Ok(())
    });
}

#[test]
fn nan_is_near_to_no_number() {
    on_device(|| {
        let left = Frame::try_new([("t", Column::from_slice(&[10.0, f64::INFINITY])?)])?;
        let right = Frame::try_new([("t", Column::from_slice(&[f64::NAN])?), ("m", Column::from_strs(["n"])?)])?;
        let found = left.asof_join(&right, AsofJoin::new("t", "t").direction(gdf::frame::AsofDirection::Nearest))?;
        assert_eq!(found.column("m")?.null_count()?, 2);
        let right = Frame::try_new([
            ("t", Column::from_slice(&[f64::INFINITY, f64::NAN])?),
            ("m", Column::from_strs(["i", "n"])?),
        ])?;
        let found = left.asof_join(&right, AsofJoin::new("t", "t").direction(gdf::frame::AsofDirection::Nearest))?;
        assert_eq!(found.column("m")?.to_strings()?, [Some("i".to_owned()), Some("i".to_owned())]);
        Ok(())
    });
}
