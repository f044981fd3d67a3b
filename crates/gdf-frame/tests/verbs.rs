//! Tests of the names, the schemas and the errors of verbs.

use std::collections::HashMap;
use std::sync::Arc;

use gdf::arrow::schema::{Field, Schema};
use gdf::copying::Replacement;
use gdf::core::{ColumnParts, make_structs_column};
use gdf::frame::{
    Aggregation, AsofDirection, AsofJoin, Expr, Frame, Join, JoinKind, LazyFrame, RankMethod, Validate, all, col, cols,
    dtype, len, lit, matching, nth, numeric, when,
};
use gdf::groupby::GroupByAggregation;
use gdf::prelude::*;
use gdf::{Error, scope};
use gdf_test::device::test_device;

fn on_device(test: impl FnOnce() -> gdf::Result<()>) {
    scope::with_device(test_device(), test).unwrap();
}

fn trips() -> gdf::Result<Frame> {
    Frame::try_new([
        ("city", Column::from_strs([Some("Lyon"), Some("Oslo"), None, Some("Lyon")])?),
        ("km", Column::from_options(&[Some(2.5), Some(40.0), Some(1.0), None])?),
        ("year", Column::from_slice(&[2023, 2024, 2024, 2023])?),
    ])
}

fn names(frame: &Frame) -> Vec<&str> {
    frame.names().collect()
}

#[track_caller]
fn text_of<T: std::fmt::Debug>(result: gdf::Result<T>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn results_are_named_by_alias_or_leftmost_column() {
    on_device(|| {
        let found = trips()?.select([
            col("km") * col("year"),
            (lit(1) + col("year")).alias("next"),
            when(col("year").gt(2023)).then(col("city")).end(),
            col("year").max().over(["city"]).alias("last"),
        ])?;
        assert_eq!(names(&found), ["km", "next", "city", "last"]);
        let found = trips()?.select([col("km").sum(), len(), lit(3)])?;
        assert_eq!((names(&found), found.num_rows()), (vec!["km", "len", "literal"], 1));
        Ok(())
    });
}

#[test]
fn selectors_choose_columns() {
    on_device(|| {
        let frame = trips()?;
        assert_eq!(names(&frame.select([all().except(["km"])])?), ["city", "year"]);
        assert_eq!(names(&frame.select([matching("?m"), cols(["city"])])?), ["km", "city"]);
        assert_eq!(names(&frame.select([dtype(DataType::Int32), nth([0])])?), ["year", "city"]);
        let doubled = frame.with([numeric().as_expr() * 2])?;
        assert_eq!(doubled.column("km")?.get(0)?, Some(5.0));
        assert_eq!(names(&doubled), ["city", "km", "year"]);
        let sums = frame.group_by(["year"]).agg([numeric().except(["year"]).as_expr().sum()])?.sort(["year"])?;
        assert_eq!(sums.column("km")?.to_vec::<f64>()?, [Some(2.5), Some(41.0)]);
        assert_eq!(frame.null_count()?.column("city")?.get(0)?, Some(1_i64));
        assert_eq!(
            text_of(frame.select([nth([3])])),
            "frame.select: column 3 is out of bounds for a table of 3 columns"
        );
        Ok(())
    });
}

#[test]
fn fields_of_columns_that_are_not_computed_stay() {
    on_device(|| {
        let note = HashMap::from([("unit".to_owned(), "km".to_owned())]);
        let fields = vec![
            Field::new("a", DataType::Int32, false).with_metadata(note.clone()),
            Field::new("b", DataType::Int32, true),
        ];
        let schema = Schema::new_with_metadata(fields, HashMap::from([("source".to_owned(), "test".to_owned())]));
        let table = Table::try_new(vec![Column::from_slice(&[1, 2])?, Column::from_slice(&[3, 4])?])?;
        let frame = Frame::from_table(schema, table)?;
        let steps = [
            frame.filter(col("b").gt(3))?,
            frame.with([(col("b") + 1).alias("c")])?,
            frame.sort([col("b").desc()])?,
            frame.rename([("a", "key")])?.rename([("key", "a")])?,
            frame.group_by(["a"]).agg([len()])?,
            frame.join(&frame, Join::inner(["a"]))?,
            frame.join(&frame, Join::left(["a"]))?,
            frame.lazy().filter(col("b").gt(1)).select(["a"]).head(1).collect()?,
        ];
        for found in &steps {
            let field = found.schema().field_with_name("a")?;
            assert_eq!((field.is_nullable(), field.metadata()), (false, &note), "{found:?}");
            assert_eq!(found.schema().metadata()["source"], "test");
        }
        // In a full join, rows of the left side can be missing, so its columns are nullable.
        assert!(frame.join(&frame, Join::full(["a"]))?.schema().field_with_name("a")?.is_nullable());
        assert!(!steps[4].schema().field_with_name("len")?.is_nullable());
        assert!(frame.select([col("a") + 1])?.schema().field(0).is_nullable());
        Ok(())
    });
}

#[test]
fn errors_show_the_expression_and_the_place() {
    on_device(|| {
        let frame = trips()?;
        assert_eq!(
            text_of(frame.filter(col("yaer").eq(2024))),
            "frame.filter: no column has the name `yaer`; a column has the similar name `year`"
        );
        assert!(
            text_of(frame.select(["x"])).ends_with("no column has the name `x`; the columns are `city`, `km`, `year`")
        );
        let text = text_of(frame.with([(col("km") * 2 + col("city")).alias("sum")]));
        assert!(text.starts_with("frame.with(Add): km * 2 + city: "), "{text}");
        let text = text_of(frame.lazy().with([col("km") * 2]).filter((col("km") + lit("a")).gt(1)).head(1).collect());
        assert!(text.starts_with("frame.filter(Add): km + 'a': "), "{text}");
        assert!(text.ends_with("\n  km + 'a' > 1\n  ^^^^^^^^"), "{text}");
        assert_eq!(
            text_of(frame.filter(col("km"))),
            "frame.filter: km: expected Boolean, found Float64; compare the values, for example by `eq`, `gt` or \
             `is_not_null`"
        );
        assert!(matches!(frame.filter(col("km")), Err(Error::TypeMismatch { .. })));
        Ok(())
    });
}

#[test]
fn duplicate_names_are_refused() {
    on_device(|| {
        let frame = trips()?;
        let refused =
            |result: gdf::Result<Frame>| assert!(matches!(result, Err(Error::DuplicateName { .. })), "{result:?}");
        refused(Frame::try_new([("a", Column::from_slice(&[1])?), ("a", Column::from_slice(&[2])?)]));
        refused(frame.select(["km", "km"]));
        refused(frame.rename([("km", "year")]));
        refused(frame.group_by(["year"]).agg([len().alias("year")]));
        refused(frame.join(&frame, Join::inner(["year"]).suffix("")));
        let schema =
            Arc::new(Schema::new(vec![Field::new("a", DataType::Int32, true), Field::new("a", DataType::Int32, true)]));
        refused(Frame::from_table(schema, Table::try_new(vec![Column::from_slice(&[1])?, Column::from_slice(&[2])?])?));
        Ok(())
    });
}

#[test]
fn group_bys_refuse_what_is_neither_key_nor_aggregated() {
    on_device(|| {
        let frame = trips()?;
        let text = text_of(frame.group_by(["city"]).agg([col("km") + 1]));
        assert!(text.starts_with("frame.group_by: no column has the name `km`"), "{text}");
        assert!(
            text.ends_with("an output of a group-by consists of keys and of aggregations, such as `col(…).sum()`"),
            "{text}"
        );
        assert!(text_of(frame.group_by(["city"]).agg([col("km").sum().max()])).contains("contains an aggregation"));
        assert!(text_of(frame.group_by(["city"]).agg([col("km").cum_sum()])).contains("contains a window function"));
        let keys = frame.group_by([(col("year") - 2000).alias("y")]).agg([(col("y") * 2).alias("double")])?;
        assert_eq!(keys.sort(["y"])?.column("double")?.to_vec::<i32>()?, [Some(46), Some(48)]);
        let valid = frame.group_by(["city"]).drop_null_keys().agg([len()])?;
        assert_eq!((valid.num_rows(), frame.group_by(["city"]).agg([len()])?.num_rows()), (2, 3));
        // Without aggregations, the result has only the distinct keys.
        assert_eq!(frame.group_by(["year"]).agg([] as [&str; 0])?.num_rows(), 2);
        Ok(())
    });
}

#[test]
fn joins_check_what_is_promised() {
    on_device(|| {
        let frame = trips()?;
        let many = Join::inner(["year"]).validate(Validate::ManyToOne);
        assert!(text_of(frame.join(&frame, many)).contains("keys of the right side of the join are not distinct"));
        let one = Join::inner(["year"]).validate(Validate::OneToMany);
        assert!(text_of(frame.join(&frame, one)).contains("keys of the left side of the join are not distinct"));
        let years =
            Frame::try_new([("year", Column::from_slice(&[2023, 2025])?), ("km", Column::from_slice(&[1, 2])?)])?;
        let found = frame.join(&years, Join::inner(["year"]).validate(Validate::ManyToOne).suffix("_of_year"))?;
        assert_eq!((names(&found), found.num_rows()), (vec!["city", "km", "year", "km_of_year"], 2));
        assert!(text_of(frame.join(&years, Join::inner([] as [&str; 0]))).contains("the join has no keys"));
        let text = text_of(frame.join(&years, Join::inner(["month"])));
        assert!(text.starts_with("frame.join: no column has the name `month`"), "{text}");
        assert!(frame.join(&years, Join::inner([("city", "km")])).is_err());
        let cities = frame.select(["city"])?.distinct("city", gdf::frame::DuplicateKeepOption::Any)?;
        assert_eq!(frame.join(&cities, Join::semi(["city"]))?.num_rows(), 3);
        assert_eq!(frame.join(&cities, Join::semi(["city"]).nulls_equal(true))?.num_rows(), 4);
        assert_eq!(frame.join(&cities, Join::anti(["city"]))?.num_rows(), 1);
        Ok(())
    });
}

#[test]
fn window_functions_follow_the_order_of_rows() {
    on_device(|| {
        let frame = Frame::try_new([
            ("k", Column::from_slice(&[1, 2, 1, 1, 2])?),
            ("x", Column::from_options(&[Some(5), Some(7), None, Some(9), Some(7)])?),
        ])?;
        let found = frame.select([
            col("x").shift(1).over(["k"]).alias("before"),
            col("x").rank(RankMethod::Dense).alias("rank"),
            col("x").rank_descending(RankMethod::Min).over(["k"]).alias("top"),
            col("x").rolling(Aggregation::Sum, 2, 1).over(["k"]).alias("last two"),
            col("x").rolling(Aggregation::Len, 2, 0).alias("rows"),
            (col("x") - col("x").mean()).over(["k"]).alias("centered"),
            col("x").diff(1).alias("diff"),
        ])?;
        let integers = |name: &str| gdf::unary::cast(found.column(name)?, &DataType::Int64)?.to_vec::<i64>();
        assert_eq!(integers("before")?, [None, None, Some(5), None, Some(7)]);
        assert_eq!(integers("rank")?, [Some(1), Some(2), None, Some(3), Some(2)]);
        assert_eq!(integers("top")?, [Some(2), Some(1), None, Some(1), Some(1)]);
        assert_eq!(integers("last two")?, [Some(5), Some(7), Some(5), Some(9), Some(14)]);
        assert_eq!(integers("rows")?, [Some(1), Some(2), Some(2), Some(2), Some(2)]);
        assert_eq!(found.column("centered")?.to_vec::<f64>()?, [Some(-2.0), Some(0.0), None, Some(2.0), Some(0.0)]);
        assert_eq!(integers("diff")?, [None, Some(2), None, None, Some(-2)]);
        assert!(
            text_of(frame.with([col("x").rolling(Aggregation::Median, 2, 1)]))
                .contains("do not support this aggregation")
        );
        assert!(text_of(frame.with([col("x").sum().over([] as [&str; 0])])).contains("`over` has no keys"));
        Ok(())
    });
}

#[test]
fn window_functions_within_aggregations_see_the_rows_that_pass() {
    on_device(|| {
        let frame = Frame::try_new([
            ("unused", Column::from_slice(&[0, 0, 0, 0])?),
            ("k", Column::from_slice(&[1, 1, 2, 2])?),
            ("x", Column::from_slice(&[100_i64, 3, 4, 5])?),
        ])?;
        let passing = frame.lazy().filter(col("x").lt(50)).select(["k", "x"]);
        let sums = passing.clone().group_by([col("k") * 10]).agg([col("x").cum_sum().max()]).sort(["k"]).collect()?;
        assert_eq!(sums.column("k")?.to_vec::<i32>()?, [Some(10), Some(20)]);
        assert_eq!(sums.column("x")?.to_vec::<i64>()?, [Some(3), Some(12)]);
        let shares =
            passing.with([(col("x") - col("x").cum_sum().max() + col("x").mean().max()).alias("rest")]).collect()?;
        assert_eq!(shares.column("rest")?.to_vec::<f64>()?, [Some(3.0 - 12.0 + 4.0), Some(-4.0), Some(-3.0)]);
        Ok(())
    });
}

#[test]
fn chains_that_are_too_deep_are_computed_in_between() {
    on_device(|| {
        let frame = Frame::try_new([("x", Column::from_slice(&[1_i64, 2])?)])?;
        let lazy = (0..500).fold(frame.lazy(), |lazy, _| lazy.with([col("x") + 1]));
        assert_eq!(lazy.collect()?.column("x")?.to_vec::<i64>()?, [Some(501), Some(502)]);
        let deep = (0..500).fold(col("x"), |expression, _| expression + 1);
        assert!(text_of(frame.with([deep])).contains("nesting depth"));
        Ok(())
    });
}

#[test]
fn frames_without_rows_or_columns() {
    on_device(|| {
        let empty = trips()?.head(0);
        assert_eq!(empty.group_by(["city"]).agg([col("km").sum()])?.num_rows(), 0);
        assert_eq!(empty.select([col("km").sum(), len()])?.num_rows(), 1);
        assert_eq!(empty.join(&trips()?, Join::full(["city"]))?.num_rows(), 4);
        assert_eq!(trips()?.join(&empty, Join::left(["city"]))?.num_rows(), 4);
        assert_eq!(empty.sort(["km"])?.concat([&trips()?])?.num_rows(), 4);
        let none = Frame::try_new([] as [(&str, Column); 0])?;
        assert_eq!((none.num_columns(), none.num_rows()), (0, 0));
        assert_eq!(none.select([lit(1)])?.num_rows(), 1);
        assert_eq!(trips()?.slice(3, 9)?.num_rows(), 1);
        assert_eq!(trips()?.slice(9, 9)?.num_rows(), 0);
        Ok(())
    });
}

#[test]
fn fields_of_structs_are_not_mixed_up() {
    on_device(|| {
        let frame = |names: [&str; 2]| {
            let points = make_structs_column(vec![Column::from_slice(&[1])?, Column::from_slice(&[2])?], None)?;
            let fields = names.map(|name| Field::new(name, DataType::Int32, true));
            Frame::try_new([("p", points.with_type(DataType::Struct(fields.into_iter().collect()))?)])
        };
        let (xy, yx) = (frame(["x", "y"])?, frame(["y", "x"])?);
        assert!(matches!(xy.concat([&yx]), Err(Error::TypeMismatch { .. })));
        let batches = LazyFrame::from_batches([xy.clone(), yx]);
        assert!(matches!(batches, Err(Error::TypeMismatch { .. })));
        assert_eq!(xy.concat([&xy])?.num_rows(), 2);
        Ok(())
    });
}

#[test]
fn keys_of_rows_without_a_match_stay_in_the_result() {
    on_device(|| {
        let left = Frame::try_new([("a", Column::from_slice(&[1_i64, 2])?)])?;
        let right = Frame::try_new([("b", Column::from_slice(&[2_i64, 5])?), ("c", Column::from_slice(&[2_i64, 6])?)])?;
        let of = |frame: &Frame, name: &str| frame.column(name)?.to_vec::<i64>();
        for kind in [JoinKind::Right, JoinKind::Full] {
            for condition in [None, Some(col("a").gt(0))] {
                let join = |keys: Vec<(Expr, &str)>| match &condition {
                    Some(condition) => left.join(&right, Join::new(kind, keys).condition(condition.clone())),
                    None => left.join(&right, Join::new(kind, keys)),
                };
                let unmatched = |frame: Frame| frame.filter(col("c").eq(6));
                // The left key is computed: no column of the left side has the right key.
                let found = unmatched(join(vec![(col("a") + 1, "b")])?)?;
                assert_eq!(names(&found), ["a", "b", "c"]);
                assert_eq!((of(&found, "a")?, of(&found, "b")?), (vec![None], vec![Some(5)]));
                // Two right keys are compared with one left key, whose column has the first of them.
                let found = unmatched(join(vec![(col("a"), "b"), (col("a"), "c")])?)?;
                assert_eq!(names(&found), ["a", "c"]);
                assert_eq!(of(&found, "a")?, [Some(5)]);
            }
        }
        Ok(())
    });
}

#[test]
fn record_batches_go_both_ways() {
    let batch = scope::with_device(Device::Cpu, || trips()?.to_arrow()).unwrap();
    on_device(|| {
        let frame = Frame::try_from(&batch)?;
        assert_eq!(frame.to_arrow()?, batch);
        assert_eq!(frame.device(), test_device());
        assert!(frame.to_string().contains("city"));
        Ok(())
    });
}

#[test]
fn wide_rows_become_long_and_wide_again() {
    on_device(|| {
        let wide = Frame::try_new([
            ("id", Column::from_slice(&[7, 8])?),
            ("a", Column::from_options(&[Some(1_i64), None])?),
            ("b", Column::from_slice(&[3_i64, 4])?),
        ])?;
        let long = wide.unpivot("id", ["a", "b"])?;
        assert_eq!(names(&long), ["id", "variable", "value"]);
        assert_eq!(long.column("variable")?.to_strings()?, ["a", "a", "b", "b"].map(|name| Some(name.to_owned())));
        assert_eq!(long.column("value")?.to_vec::<i64>()?, [Some(1), None, Some(3), Some(4)]);
        let again = long.pivot("id", "variable", "value", GroupByAggregation::Sum)?.sort(["id"])?;
        assert_eq!(names(&again), ["id", "a", "b"]);
        for name in ["a", "b"] {
            assert_eq!(again.column(name)?.to_vec::<i64>()?, wide.column(name)?.to_vec::<i64>()?);
        }
        let clash = wide.rename([("id", "value")])?;
        assert_eq!(
            text_of(clash.unpivot("value", ["a"])),
            "frame.unpivot: several columns have the name `value`; give each column a name of its own"
        );
        let error = text_of(wide.with([(col("b") * 1.5).alias("b")])?.pivot("id", "b", "a", GroupByAggregation::Sum));
        assert!(error.contains("pass a column of text, integers, booleans or dates"), "{error}");
        Ok(())
    });
}

#[test]
fn parts_of_several_batches_are_those_of_all_rows() {
    on_device(|| {
        let batch = |from: i32, count: i32| Frame::try_new([("x", Column::sequence(from, 1, count as usize)?)]);
        let batches = [batch(0, 2)?, batch(2, 3)?, batch(5, 1)?, batch(6, 4)?];
        let all = LazyFrame::from_batches(batches)?;
        let rows = |lazy: LazyFrame| lazy.collect()?.column("x")?.to_vec::<i32>();
        let expected: Vec<Option<i32>> = (0..10).map(Some).collect();
        for offset in 0..12 {
            for count in 0..12 {
                let kept: Vec<_> = expected.iter().copied().skip(offset).take(count).collect();
                assert_eq!(rows(all.clone().slice(offset, count))?, kept, "{offset}, {count}");
            }
            let last = expected[10_usize.saturating_sub(offset)..].to_vec();
            assert_eq!(rows(all.clone().tail(offset))?, last, "{offset}");
            let reversed: Vec<_> = last.iter().rev().copied().collect();
            assert_eq!(rows(all.clone().tail(offset).reverse())?, reversed, "{offset}");
            assert_eq!(rows(all.clone().reverse().head(offset))?, reversed, "{offset}");
        }
        Ok(())
    });
}

#[test]
fn nulls_among_the_names_of_a_pivot_have_a_column() {
    on_device(|| {
        let sum = GroupByAggregation::Sum;
        let kinds = [Some("b"), None, Some("a"), None, Some("b")];
        let numbers = [Some(2), None, Some(1), None, Some(2)];
        let of = |kinds: Column| {
            let id = Column::from_options(&[Some(1), Some(1), None, None, Some(1)])?;
            Frame::try_new([
                ("id", id),
                ("kind", kinds),
                ("x", Column::from_options(&[Some(1), Some(2), Some(4), None, Some(8)])?),
            ])
        };
        let columns = [
            ("a", "b", Column::from_strs(kinds)?),
            ("1", "2", Column::from_options(&numbers)?),
            ("false", "true", Column::from_options(&numbers.map(|number| number.map(|number| number == 2)))?),
        ];
        for (first, second, kinds) in columns {
            let frame = of(kinds)?;
            let wide = frame.pivot("id", "kind", "x", sum)?.sort(["id"])?;
            assert_eq!(names(&wide), ["id", first, second, "null"]);
            assert_eq!(wide.column(first)?.to_vec::<i64>()?, [None, Some(4)]);
            assert_eq!(wide.column(second)?.to_vec::<i64>()?, [Some(9), None]);
            assert_eq!(wide.column("null")?.to_vec::<i64>()?, [Some(2), None]);
            let counted = frame.pivot("id", "kind", "x", GroupByAggregation::CountValid)?.sort(["id"])?;
            assert_eq!(counted.column("null")?.to_vec::<i64>()?, [Some(1), Some(0)]);
            // A part of a frame has no column for nulls that the part lacks.
            let part = frame.slice(2, 1)?.pivot("id", "kind", "x", sum)?;
            assert_eq!(names(&part), ["id", first]);
        }
        let both = of(Column::from_strs([Some("null"), None, None, None, None])?)?;
        let error = text_of(both.pivot("id", "kind", "x", sum));
        assert!(error.contains("several columns have the name `null`"), "{error}");
        Ok(())
    });
}

#[test]
fn values_become_columns_of_booleans() {
    on_device(|| {
        let dummies = trips()?.to_dummies("year")?;
        assert_eq!(names(&dummies), ["city", "km", "year_2023", "year_2024"]);
        assert_eq!(dummies.column("year_2024")?.to_vec::<bool>()?, [false, true, true, false].map(Some));
        let cities = trips()?.to_dummies("city")?;
        assert_eq!(names(&cities), ["city_Lyon", "city_Oslo", "km", "year"]);
        assert_eq!(cities.column("city_Lyon")?.to_vec::<bool>()?, [true, false, false, true].map(Some));
        Ok(())
    });
}

#[test]
fn products_and_samples_have_the_columns_of_their_frames() {
    on_device(|| {
        let (frame, years) = (trips()?, trips()?.select(["year"])?.head(2));
        let pairs = frame.cross_join(&years, "_other")?;
        assert_eq!((names(&pairs), pairs.num_rows()), (vec!["city", "km", "year", "year_other"], 8));
        assert_eq!(pairs.column("year_other")?.to_vec::<i32>()?[..3], [Some(2023), Some(2024), Some(2023)]);
        let error = text_of(frame.rename([("km", "year_other")])?.cross_join(&years, "_other"));
        assert!(error.starts_with("frame.cross_join: several columns have the name `year_other`"), "{error}");
        let some = frame.sample(4, Replacement::Without, 5)?.sort(["year", "km"])?;
        assert_eq!(some.column("km")?.to_vec::<f64>()?, frame.sort(["year", "km"])?.column("km")?.to_vec::<f64>()?);
        assert!(frame.sample(5, Replacement::Without, 5).is_err());
        Ok(())
    });
}

#[test]
fn fields_of_structs_become_columns() {
    on_device(|| {
        let fields = [("low", Column::from_slice(&[1, 2])?), ("high", Column::from_slice(&[5, 6])?)];
        let structs = Column::try_from_parts(ColumnParts::structs(test_device(), 2, fields))?;
        let frame = Frame::try_new([("id", Column::from_slice(&[7, 8])?), ("of", structs)])?;
        let fields = frame.unnest("of")?;
        assert_eq!((names(&fields), fields.column("high")?.get(1)?), (vec!["id", "low", "high"], Some(6)));
        // A field is null where the struct is null.
        let some = frame.filter(col("id").eq(8))?;
        let joined = frame.select(["id"])?.join(&some, Join::left(["id"]))?.sort(["id"])?;
        assert_eq!(joined.unnest("of")?.column("low")?.to_vec::<i32>()?, [None, Some(2)]);
        assert_eq!(text_of(frame.unnest("id")), "frame.unnest: Int32 is not supported; pass a column of structs");
        Ok(())
    });
}

#[test]
fn rows_find_the_nearest_row_of_another_frame() {
    on_device(|| {
        let trades = Frame::try_new([
            ("time", Column::from_slice(&[9, 3, 5, 5])?),
            ("stock", Column::from_strs(["x", "x", "y", "z"])?),
        ])?;
        let quotes = Frame::try_new([
            ("at", Column::from_slice(&[1, 4, 8])?),
            ("name", Column::from_strs(["x", "y", "x"])?),
            ("stock", Column::from_slice(&[10, 20, 30])?),
        ])?;
        let join = || AsofJoin::new("time", "at").by("stock", "name");
        let found = trades.asof_join(&quotes, join())?;
        assert_eq!(names(&found), ["time", "stock", "at", "stock_right"]);
        assert_eq!(found.column("stock_right")?.to_vec::<i32>()?, [Some(30), Some(10), Some(20), None]);
        let near = trades.asof_join(&quotes, join().direction(AsofDirection::Forward).within(5).suffix("2"))?;
        assert_eq!(near.column("stock2")?.to_vec::<i32>()?, [None, Some(30), None, None]);
        assert!(near.schema().field(2).is_nullable());
        let error = text_of(trades.asof_join(&quotes, AsofJoin::new("time", "tim")));
        assert!(error.contains("tim"), "{error}");
        Ok(())
    });
}

/// Frames of 8 MB in all are made and used in a resource of 3 MB. The manager has no limit, and spills when an
/// allocation fails.
#[test]
fn eager_frames_are_spilled_on_demand() {
    use gdf::memory::{LimitingResource, Resource, SpillManager, SpillOptions, current_resource};
    let device = gdf_test::device::test_device();
    let limited = LimitingResource::new(current_resource(device).unwrap(), 3 << 20);
    let manager = SpillManager::new(Resource::new(limited.clone()), SpillOptions::new());
    gdf::scope::with_device(device, || {
        gdf::scope::with_resource(&manager.resource(), || {
            let frame = |start: i64| {
                let numbers: Vec<i64> = (start..start + 50_000).collect();
                let frame = Frame::try_new([("x", Column::from_slice(&numbers).unwrap())]).unwrap();
                frame.with([(col("x") * 2).alias("twice")]).unwrap()
            };
            let frames: Vec<Frame> = (0..10).map(|at| frame(at * 50_000)).collect();
            assert!(manager.watched_bytes() <= 3 << 20 && manager.disk_bytes() + manager.host_bytes() as u64 > 4 << 20);
            for (frame, at) in frames.iter().zip(0_i64..) {
                let last = frame.filter(col("twice").ge(2 * (at * 50_000 + 49_999))).unwrap();
                assert_eq!(last.column("x").unwrap().to_vec::<i64>().unwrap(), [Some(at * 50_000 + 49_999)]);
            }
        });
    });
    drop(manager);
    assert_eq!(limited.allocated_bytes(), 0);
}

#[test]
fn dates_are_compared_with_text_and_moved_by_durations() {
    use gdf::Literal;
    use gdf::core::TimeUnit;
    use gdf::frame::Value;
    gdf::scope::with_device(gdf_test::device::test_device(), || {
        let column = |data_type: &DataType, values: &[Option<i64>]| {
            gdf::unary::cast(&Column::from_options(values).unwrap(), data_type).unwrap()
        };
        let seconds = DataType::Timestamp(TimeUnit::Second, None);
        let days: Vec<Option<i32>> = vec![Some(20_483), None, Some(20_485)];
        let frame = Frame::try_new([
            ("d", Column::from_options_typed(&days, &DataType::Date32).unwrap()),
            ("t", column(&seconds, &[Some(20_484 * 86_400), Some(20_484 * 86_400 + 1), None])),
        ]);
        let frame = frame.unwrap();
        let rows = |condition: gdf::frame::Expr| frame.filter(condition).unwrap().num_rows();
        assert_eq!(rows(col("d").lt("2026-01-31")), 1);
        assert_eq!(rows(col("d").between("2026-01-30", "2026-02-01")), 2);
        assert_eq!(rows(col("d").is_in(["2026-02-01"])), 1);
        assert_eq!(rows(col("t").le("2026-01-31")), 1);
        assert_eq!(rows(col("t").gt("2026-01-31 00:00:00")), 1);
        let error = frame.filter(col("d").lt("31.1.2026")).unwrap_err();
        assert!(matches!(error, Error::InvalidText { .. }) && error.to_string().contains("d < '31.1.2026'"), "{error}");
        let duration = |ticks: i64| {
            let data_type = DataType::Duration(TimeUnit::Second);
            Value::new(Literal::typed(Some(ticks), &data_type).unwrap())
        };
        let moved =
            frame.select([(col("d") + duration(2 * 86_400)).alias("days"), (col("d") - duration(1)).alias("second")]);
        let moved = moved.unwrap();
        assert_eq!(moved.column("days").unwrap().data_type(), &DataType::Date32);
        let numbers = |name: &str| gdf::unary::cast(moved.column(name).unwrap(), &DataType::Int64).unwrap();
        assert_eq!(moved.column("days").unwrap().to_vec::<i32>().unwrap(), [Some(20_485), None, Some(20_487)]);
        assert_eq!(moved.column("second").unwrap().data_type(), &seconds);
        let expected = [Some(20_483 * 86_400 - 1), None, Some(20_485 * 86_400 - 1)];
        assert_eq!(numbers("second").to_vec::<i64>().unwrap(), expected);
    });
}
