//! Tests of the functions of lists and structs in frames, on the CPU and, with `GDF_TEST_DEVICE=cuda:0`, on a GPU.

use std::sync::Arc;

use gdf::core::{ColumnParts, Field, Validity, make_lists_column};
use gdf::frame::{Aggregation, Expr, Frame, LazyFrame, all, col, element, len, lit};
use gdf::lists::{self, DuplicateKeepOption, FindOption, NanEquality, NullEquality};
use gdf::memory::{SpillManager, SpillOptions};
use gdf::prelude::*;
use gdf::sorting::{NullOrder, Order};
use gdf_test::device::test_device;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

type List = Option<Vec<Option<i64>>>;

fn on_device(test: impl FnOnce() -> gdf::Result<()>) {
    gdf::scope::with_device(test_device(), || test().unwrap());
}

fn text_of<T: std::fmt::Debug>(result: gdf::Result<T>) -> String {
    result.unwrap_err().to_string()
}

fn list_column(lists: &[List]) -> gdf::Result<Column> {
    let mut offsets = vec![0_i32];
    let mut elements = Vec::new();
    for list in lists {
        elements.extend(list.iter().flatten().copied());
        offsets.push(elements.len() as i32);
    }
    let valid: Vec<Option<i8>> = lists.iter().map(|list| list.as_ref().map(|_| 0)).collect();
    make_lists_column(&Column::from_slice(&offsets)?, Column::from_options(&elements)?, validity(&valid)?)
}

/// Returns a mask with the nulls of these values.
fn validity(values: &[Option<i8>]) -> gdf::Result<Option<Validity>> {
    let parts = Column::from_options(values)?.into_parts();
    Ok(parts.validity.map(|mask| Validity { mask, null_count: parts.null_count }))
}

fn lists_of(column: &Column) -> gdf::Result<Vec<List>> {
    let rows =
        lists::explode_outer(&Table::try_new(vec![Column::sequence(0_i64, 1, column.len())?, column.clone()])?, 1)?;
    let (parents, elements) = (rows.column(0)?.to_vec::<i64>()?, numbers(rows.column(1)?)?);
    let lens = numbers(&lists::count_elements(column)?)?;
    let mut found: Vec<List> = lens.iter().map(|len| len.map(|_| Vec::new())).collect();
    for (parent, element) in parents.into_iter().flatten().zip(elements) {
        let parent = parent as usize;
        if lens[parent].is_some_and(|len| len > 0) {
            found[parent].as_mut().unwrap().push(element);
        }
    }
    Ok(found)
}

fn numbers(column: &Column) -> gdf::Result<Vec<Option<i64>>> {
    gdf::unary::cast(column, &DataType::Int64)?.to_vec::<i64>()
}

/// Returns rows of a number `x`, and of two lists. A tenth of the lists is null, and a tenth of the elements.
fn random_rows(rng: &mut SmallRng, rows: usize) -> Vec<(i64, List, List)> {
    let list = |rng: &mut SmallRng| {
        let element = |rng: &mut SmallRng| rng.random_bool(0.9).then(|| rng.random_range(-3..5));
        rng.random_bool(0.9).then(|| (0..rng.random_range(0..6)).map(|_| element(rng)).collect())
    };
    (0..rows).map(|_| (rng.random_range(-3..5), list(rng), list(rng))).collect()
}

fn frame_of(rows: &[(i64, List, List)]) -> gdf::Result<Frame> {
    let first: Vec<List> = rows.iter().map(|row| row.1.clone()).collect();
    let second: Vec<List> = rows.iter().map(|row| row.2.clone()).collect();
    Frame::try_new([
        ("x", Column::from_slice(&rows.iter().map(|row| row.0).collect::<Vec<_>>())?),
        ("l", list_column(&first)?),
        ("m", list_column(&second)?),
    ])
}

type Row = (i64, List, List);
type Number = fn(&Row) -> Option<i64>;
type Lists = fn(&Row) -> List;

fn valid(list: &[Option<i64>]) -> impl Iterator<Item = i64> + '_ {
    list.iter().flatten().copied()
}

fn distinct(list: Vec<Option<i64>>) -> Vec<Option<i64>> {
    let mut kept: Vec<Option<i64>> = Vec::new();
    list.into_iter().for_each(|element| {
        if !kept.contains(&element) {
            kept.push(element)
        }
    });
    kept
}

/// Returns the numbers that the functions of lists give, as expressions and as functions of a row. Booleans are
/// numbers.
fn number_cases() -> Vec<(Expr, Number)> {
    let l = || col("l").list();
    vec![
        (l().len(), |row| row.1.as_ref().map(|list| list.len() as i64)),
        (l().contains(2), |row| row.1.as_ref().map(|list| i64::from(list.contains(&Some(2))))),
        (l().contains(col("x")), |row| row.1.as_ref().map(|list| i64::from(list.contains(&Some(row.0))))),
        (l().contains_nulls(), |row| row.1.as_ref().map(|list| i64::from(list.contains(&None)))),
        (l().index_of(col("x")), |row| {
            row.1.as_ref().map(|list| list.iter().position(|of| *of == Some(row.0)).map_or(-1, |at| at as i64))
        }),
        (l().last_index_of(1), |row| {
            row.1.as_ref().map(|list| list.iter().rposition(|of| *of == Some(1)).map_or(-1, |at| at as i64))
        }),
        (l().get(1), |row| *row.1.as_ref()?.get(1)?),
        (l().get(-1), |row| *row.1.as_ref()?.last()?),
        (l().get(col("x")), |row| {
            let list = row.1.as_ref()?;
            let at = if row.0 < 0 { list.len() as i64 + row.0 } else { row.0 };
            *list.get(usize::try_from(at).ok()?)?
        }),
        (l().sum(), |row| valid(row.1.as_ref()?).reduce(|a, b| a + b)),
        (l().min(), |row| valid(row.1.as_ref()?).min()),
        (l().max(), |row| valid(row.1.as_ref()?).max()),
        ((l().mean() * 60.0).rint(), |row| {
            let list: Vec<i64> = valid(row.1.as_ref()?).collect();
            (!list.is_empty()).then(|| list.iter().sum::<i64>() * 60 / list.len() as i64)
        }),
        (l().transform(element().gt(0)).list().any(), |row| Some(i64::from(valid(row.1.as_ref()?).any(|of| of > 0)))),
        (l().transform(element().gt(0)).list().all(), |row| Some(i64::from(valid(row.1.as_ref()?).all(|of| of > 0)))),
        (l().have_overlap(col("m")), |row| {
            Some(i64::from(row.1.as_ref()?.iter().any(|of| row.2.as_ref().is_some_and(|other| other.contains(of)))))
                .filter(|_| row.2.is_some())
        }),
        (l().aggregate(element() * col("x"), Aggregation::Sum), |row| {
            valid(row.1.as_ref()?).map(|of| of * row.0).reduce(|a, b| a + b)
        }),
        (l().aggregate(element() + 1, Aggregation::Max), |row| valid(row.1.as_ref()?).max().map(|of| of + 1)),
        (l().filter(element().gt(col("x"))).list().len() + col("x"), |row| {
            row.1.as_ref().map(|list| valid(list).filter(|of| *of > row.0).count() as i64 + row.0)
        }),
    ]
}

fn list_cases() -> Vec<(Expr, Lists)> {
    let l = || col("l").list();
    vec![
        (l().sort(false, false), |row| {
            let mut list = row.1.clone()?;
            list.sort_by_key(|of| (of.is_none(), *of));
            Some(list)
        }),
        (l().sort(false, true), |row| {
            let mut list = row.1.clone()?;
            list.sort();
            Some(list)
        }),
        (l().sort(true, false), |row| {
            let mut list = row.1.clone()?;
            list.sort_by_key(|of| std::cmp::Reverse(*of));
            Some(list)
        }),
        (l().sort(true, true), |row| {
            let mut list = row.1.clone()?;
            list.sort_by_key(|of| (of.is_some(), std::cmp::Reverse(*of)));
            Some(list)
        }),
        (l().reverse(), |row| row.1.clone().map(|list| list.into_iter().rev().collect())),
        (l().reverse().list().reverse(), |row| row.1.clone()),
        (l().distinct(), |row| row.1.clone().map(distinct)),
        (l().concatenate(col("m")), |row| Some([row.1.clone()?, row.2.clone()?].concat())),
        (l().intersect_distinct(col("m")), |row| {
            let other = row.2.as_ref()?;
            Some(distinct(row.1.clone()?).into_iter().filter(|of| other.contains(of)).collect())
        }),
        (l().difference_distinct(col("m")), |row| {
            let other = row.2.as_ref()?;
            Some(distinct(row.1.clone()?).into_iter().filter(|of| !other.contains(of)).collect())
        }),
        (l().union_distinct(col("m")), |row| Some(distinct([row.1.clone()?, row.2.clone()?].concat()))),
        (l().transform(element() * 2 + col("x")), |row| {
            row.1.clone().map(|list| list.into_iter().map(|of| of.map(|of| of * 2 + row.0)).collect())
        }),
        (l().filter(element().is_null() | element().lt(col("x"))), |row| {
            row.1.clone().map(|list| list.into_iter().filter(|of| of.is_none_or(|of| of < row.0)).collect())
        }),
        (l().filter(element().gt(0)).list().transform(-element()), |row| {
            row.1.as_ref().map(|list| valid(list).filter(|of| *of > 0).map(|of| Some(-of)).collect())
        }),
    ]
}

/// Returns the frame as one batch, and as batches of several sizes.
fn forms(frame: &Frame) -> gdf::Result<Vec<LazyFrame>> {
    let third = frame.num_rows() / 3;
    let batches = [frame.slice(0, third)?, frame.slice(third, 0)?, frame.slice(third, frame.num_rows())?];
    Ok(vec![frame.lazy(), LazyFrame::from_batches(batches)?])
}

#[test]
fn functions_of_lists_equal_naive_functions_of_rows() {
    on_device(|| {
        for (seed, count) in [0, 1, 7, 32, 33, 200].into_iter().enumerate() {
            let rows = random_rows(&mut SmallRng::seed_from_u64(seed as u64), count);
            for form in forms(&frame_of(&rows)?)? {
                for (at, (expression, expected)) in number_cases().into_iter().enumerate() {
                    let what = format!("seed {seed}: {expression}");
                    let found = form.clone().select([col("x"), expression.clone().alias("found")]).collect()?;
                    let expected: Vec<_> = rows.iter().map(expected).collect();
                    assert_eq!(numbers(found.column("found")?)?, expected, "{what}");
                    // The same function of the rows that pass a condition, beside another column.
                    let some = form.clone().filter(col("x").gt(0)).with([expression.alias("found")]).drop("m");
                    let kept = rows.iter().zip(expected).filter(|(row, _)| row.0 > 0).map(|(_, of)| of);
                    assert_eq!(
                        numbers(some.collect()?.column("found")?)?,
                        kept.collect::<Vec<_>>(),
                        "{what}, case {at}"
                    );
                }
                for (expression, expected) in list_cases() {
                    let what = format!("seed {seed}: {expression}");
                    let found = form.clone().select([expression.clone().alias("found")]).collect()?;
                    let expected: Vec<_> = rows.iter().map(expected).collect();
                    assert_eq!(lists_of(found.column("found")?)?, expected, "{what}");
                    let some = form.clone().filter(col("x").gt(0)).select([expression.alias("found")]).collect()?;
                    let kept = rows.iter().zip(expected).filter(|(row, _)| row.0 > 0).map(|(_, of)| of);
                    assert_eq!(lists_of(some.column("found")?)?, kept.collect::<Vec<_>>(), "{what}, filtered");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn functions_of_lists_equal_the_functions_of_columns() {
    on_device(|| {
        let frame = frame_of(&random_rows(&mut SmallRng::seed_from_u64(5), 100))?;
        let (l, m) = (frame.column("l")?, frame.column("m")?);
        let (keep, nulls, nans) = (DuplicateKeepOption::First, NullEquality::Equal, NanEquality::AllEqual);
        let of = || col("l").list();
        for (expression, expected) in [
            (of().contains(2), lists::contains(l, 2)?),
            (of().index_of(1), lists::index_of(l, 1, FindOption::First)?),
            (of().last_index_of(1), lists::index_of(l, 1, FindOption::Last)?),
            (of().len(), lists::count_elements(l)?),
            (of().get(-2), lists::extract_list_element(l, -2)?),
            (of().sum(), lists::sum(l)?),
            (of().mean(), lists::mean(l)?),
            (of().any(), lists::any(l)?),
            (of().all(), lists::all(l)?),
            (of().sort(true, false), lists::sort_lists(l, Order::Descending, NullOrder::Before)?),
            (of().distinct(), lists::distinct(l, keep, nulls, nans)?),
            (of().union_distinct(col("m")), lists::union_distinct(l, m, nulls, nans)?),
        ] {
            let text = expression.to_string();
            let found = frame.select([expression])?;
            let found = found.column("l")?;
            assert_eq!(found.data_type(), expected.data_type(), "{text}");
            assert_eq!(found.to_array()?.as_ref(), expected.to_array()?.as_ref(), "{text}");
        }
        Ok(())
    });
}

#[test]
fn functions_of_structs_read_and_make_fields() {
    on_device(|| {
        let nulls = Column::from_options(&[Some(0), None, Some(0)])?.into_parts();
        let fields = [("low", Column::from_slice(&[1, 2, 3])?), ("name", Column::from_strs(["a", "b", "c"])?)];
        let parts = ColumnParts::structs(test_device(), 3, fields);
        let structs = Column::try_from_parts(parts.validity(nulls.validity, nulls.null_count))?;
        let frame = Frame::try_new([("id", Column::from_slice(&[7, 8, 9])?), ("of", structs)])?;
        let of = || col("of").struct_();
        for form in forms(&frame)? {
            let found =
                form.clone().filter(of().field("low").ge(1)).select([(of().field("low") + col("id")).alias("sum")]);
            assert_eq!(found.collect()?.column("sum")?.to_vec::<i32>()?, [Some(8), Some(12)]);
            let longer = of().with_field("high", of().field("low") * 10).struct_().with_field("low", lit("x"));
            let longer = form.clone().select([longer]).unnest("of").collect()?;
            assert_eq!(longer.names().collect::<Vec<_>>(), ["low", "name", "high"]);
            assert_eq!(longer.column("high")?.to_vec::<i32>()?, [Some(10), None, Some(30)]);
            assert_eq!(longer.column("low")?.to_strings()?, [Some("x".to_owned()), None, Some("x".to_owned())]);
            let other = form.clone().select([of().rename_fields(["a", "b"]).struct_().drop_fields(["b"])]).unnest("of");
            let other = other.collect()?;
            assert_eq!(other.names().collect::<Vec<_>>(), ["a"]);
            assert_eq!(other.column("a")?.to_vec::<i32>()?, [Some(1), None, Some(3)]);
            let names = form.group_by([of().field("name")]).agg([len().alias("rows")]).sort(["of"]).collect()?;
            let text = |text: &str| Some(text.to_owned());
            assert_eq!(names.column("of")?.to_strings()?, [text("a"), text("c"), None]);
        }
        Ok(())
    });
}

#[test]
fn expressions_over_elements_read_aggregations_windows_and_groups() {
    on_device(|| {
        let rows = random_rows(&mut SmallRng::seed_from_u64(9), 60);
        let (min, count) = (rows.iter().map(|row| row.0).min().unwrap(), rows.len());
        for form in forms(&frame_of(&rows)?)? {
            // An aggregation within the expression is that of all rows of the frame.
            let above = col("l").list().aggregate(element() - col("x").min(), Aggregation::Sum).alias("of");
            let found = numbers(form.clone().select([above]).collect()?.column("of")?)?;
            let expected = rows.iter().map(|row| valid(row.1.as_ref()?).map(|of| of - min).reduce(|a, b| a + b));
            assert_eq!(found, expected.collect::<Vec<_>>());
            // An expression over elements may contain a window function.
            let running = col("l").list().aggregate(element() + col("x").cum_sum(), Aggregation::Sum).alias("of");
            let found = numbers(form.clone().select([running]).collect()?.column("of")?)?;
            let mut so_far = 0;
            let expected = rows.iter().map(|row| {
                so_far += row.0;
                valid(row.1.as_ref()?).map(|of| of + so_far).reduce(|a, b| a + b)
            });
            assert_eq!(found, expected.collect::<Vec<_>>());
            // Functions of elements within aggregations, keys, conditions and partitions.
            let positive = || col("l").list().filter(element().gt(0)).list().len();
            let of_row = |row: &Row| row.1.as_ref().map(|list| valid(list).filter(|of| *of > 0).count() as i64);
            let groups = form.clone().group_by([positive().alias("k")]).agg([positive().sum().alias("sum"), len()]);
            let groups = groups.sort(["k"]).collect()?;
            let mut expected = std::collections::BTreeMap::<_, (i64, i64)>::new();
            rows.iter().for_each(|row| {
                let (sum, len) = expected.entry((of_row(row).is_none(), of_row(row))).or_default();
                (*sum, *len) = (*sum + of_row(row).unwrap_or(0), *len + 1);
            });
            assert_eq!(numbers(groups.column("k")?)?, expected.keys().map(|(_, key)| *key).collect::<Vec<_>>());
            let sums = expected.iter().map(|((is_null, _), (sum, _))| (!is_null).then_some(*sum));
            assert_eq!(numbers(groups.column("sum")?)?, sums.collect::<Vec<_>>());
            assert_eq!(numbers(groups.column("len")?)?, expected.values().map(|of| Some(of.1)).collect::<Vec<_>>());
            let kept = form.clone().filter(positive().gt(1)).select([len()]).collect()?;
            let expected = rows.iter().filter(|row| of_row(row).is_some_and(|count| count > 1)).count();
            assert_eq!(kept.column("len")?.get(0)?, Some(expected as i64));
            let over = form.clone().with([len().over([positive()]).alias("n")]).select([col("n").count()]).collect()?;
            assert_eq!(over.column("n")?.get(0)?, Some(count as i64));
            // A selector repeats the function for each column.
            let both = gdf::frame::cols(["l", "m"]).as_expr().list().aggregate(element(), Aggregation::Max);
            assert_eq!(form.select([both]).collect()?.names().collect::<Vec<_>>(), ["l", "m"]);
        }
        Ok(())
    });
}

#[test]
fn functions_of_lists_run_below_a_limit() {
    on_device(|| {
        let rows = random_rows(&mut SmallRng::seed_from_u64(3), 2_000);
        let frame = frame_of(&rows)?;
        let expressions = || number_cases().into_iter().enumerate().map(|(at, (of, _))| of.alias(format!("c{at}")));
        let expected = frame.select(expressions())?;
        let resource = gdf::memory::current_resource(test_device())?;
        let manager = SpillManager::new(resource, SpillOptions::new().with_device_limit(40_000));
        let found = gdf::scope::with_resource(&manager.resource(), || frame.select(expressions()))?;
        for name in expected.names() {
            assert_eq!(numbers(found.column(name)?)?, numbers(expected.column(name)?)?, "{name}");
        }
        Ok(())
    });
}

#[test]
fn errors_of_lists_and_structs_show_the_place() {
    on_device(|| {
        let frame = frame_of(&random_rows(&mut SmallRng::seed_from_u64(1), 4))?;
        let text = text_of(frame.select([col("x").list().sum() + 1]));
        assert_eq!(
            text,
            "frame.select: list_sum(x): input 0: expected a type of lists, found Int64\n  list_sum(x) + 1\n  \
             ^^^^^^^^^^^"
        );
        let text = text_of(frame.select([col("l").list().contains("a")]));
        assert_eq!(text, "frame.select: list_contains(l, 'a'): input 1: expected Int64, found Utf8");
        let text = text_of(frame.select([col("l").list().concatenate(col("x"))]));
        assert!(text.starts_with("frame.select: list_concatenate(l, x): input 1: expected "), "{text}");
        let text = text_of(frame.select([col("l").list().get(None::<i32>)]));
        assert!(text.contains("the argument must not be a null literal"), "{text}");
        let text = text_of(frame.select([col("l").list().transform(element() + "a")]));
        assert!(text.starts_with("frame.select(Add): element() + 'a': "), "{text}");
        let text = text_of(frame.select([col("x").list().filter(element().gt(1))]));
        assert!(text.starts_with("frame.select: list_filter(x, element() > 1): expected a type of lists"), "{text}");
        let text = text_of(frame.select([col("l").list().filter(element() + 1)]));
        assert!(text.contains("list_filter(l, element() + 1): ") && text.contains("expected Boolean"), "{text}");
        let text = text_of(frame.select([element() + 1]));
        assert!(text.contains("`element()` is used outside of a function of lists"), "{text}");
        let text = text_of(frame.group_by(["x"]).agg([col("l").list().transform(element())]));
        assert!(text.contains("an output of a group-by contains a function of the elements of lists"), "{text}");
        let text = text_of(frame.select([col("l").list().transform(element() + col("y"))]));
        assert!(text.contains("no column has the name `y`"), "{text}");
        let points = gdf::structs::from_columns(frame.select(["x"])?.table(), &["longitude"])?;
        let points = Frame::try_new([("p", points)])?;
        let text = text_of(points.select([col("p").struct_().field("latitude")]));
        assert!(text.contains("struct_field(p, 'latitude'): no column has the name `latitude`"), "{text}");
        let text = text_of(points.select([col("p").struct_().rename_fields(["a", "b"])]));
        assert!(text.contains("struct_rename_fields(p, 'a', 'b'): "), "{text}");
        let text = text_of(points.select([col("p").list().len()]));
        assert!(text.contains("expected a type of lists"), "{text}");
        assert!(frame.select([all().as_expr().list().len()]).is_err(), "`x` is no list");
        Ok(())
    });
}

#[test]
fn json_and_maps_are_read_and_written() {
    on_device(|| {
        let texts = [
            Some(r#"{"id": 1, "tags": ["a", "b"], "more": {"x": 1.5, "y": null}}"#),
            None,
            Some("no JSON"),
            Some(r#"{"tags": [null], "id": "two", "more": {}}"#),
        ];
        let frame = Frame::try_new([("t", Column::from_strs(texts)?)])?;
        let text = |name: &str| Field::new(name, DataType::Utf8, false);
        let key = Field::new("keys", DataType::Utf8, false);
        let value = Field::new("values", DataType::Float64, false);
        let entries = DataType::Struct([key, value].into_iter().collect());
        let fields = [
            Field::new("id", DataType::Int32, false),
            Field::new("tags", DataType::List(text("item").into()), false),
            Field::new("more", DataType::Map(Field::new("entries", entries, false).into(), false), false),
        ];
        let event = DataType::Struct(fields.into_iter().collect());
        let read = || col("t").str().from_json(&event);
        let more = || read().struct_().field("more").map();
        let found = frame.select([
            read().alias("event"),
            read().struct_().field("id").alias("id"),
            read().struct_().field("tags").list().len().alias("len"),
            read().struct_().field("tags").list().to_json().alias("tags"),
            read().struct_().to_json().alias("json"),
            col("t").str().get_json_object("$.more.x").alias("x"),
            more().get("x").alias("value"),
            more().contains_key("y").alias("has_y"),
            more().keys().list().len().alias("keys"),
            more().values().list().to_json().alias("values"),
            more().to_json().alias("more"),
            gdf::frame::coalesce([read().struct_().field("id"), lit(-1)]).alias("known"),
        ])?;
        let direct = gdf::json::from_json(frame.column("t")?, &event, gdf::json::JsonMismatch::Null)?;
        assert_eq!(found.column("event")?.data_type(), direct.data_type());
        let rows = |name: &str| found.column(name)?.to_strings();
        let of = |texts: [Option<&str>; 4]| texts.map(|text| text.map(str::to_owned)).to_vec();
        assert_eq!(numbers(found.column("id")?)?, [Some(1), None, None, None]);
        assert_eq!(numbers(found.column("len")?)?, [Some(2), None, None, Some(1)]);
        assert_eq!(rows("tags")?, of([Some(r#"["a","b"]"#), None, None, Some("[null]")]));
        let whole = r#"{"id":1,"tags":["a","b"],"more":{"x":1.5,"y":null}}"#;
        assert_eq!(rows("json")?, of([Some(whole), None, None, Some(r#"{"tags":[null],"more":{}}"#)]));
        assert_eq!(rows("x")?, of([Some("1.5"), None, None, None]));
        assert_eq!(found.column("value")?.to_vec::<f64>()?, [Some(1.5), None, None, None]);
        assert_eq!(found.column("has_y")?.to_vec::<bool>()?, [Some(true), None, None, Some(false)]);
        assert_eq!(numbers(found.column("keys")?)?, [Some(2), None, None, Some(0)]);
        assert_eq!(rows("values")?, of([Some("[1.5,null]"), None, None, Some("[]")]));
        assert_eq!(rows("more")?, of([Some(r#"{"x":1.5,"y":null}"#), None, None, Some("{}")]));
        assert_eq!(numbers(found.column("known")?)?, [Some(1), Some(-1), Some(-1), Some(-1)]);
        // The functions can also be conditions and keys, which are computed first.
        let kept = frame
            .filter(read().struct_().field("id").is_null().and(col("t").str().get_json_object("$.id").eq("two")))?;
        assert_eq!(kept.num_rows(), 1);
        let groups = frame.group_by([read().struct_().field("id").alias("id")]).agg([len()])?;
        assert_eq!(numbers(groups.sort(["id"])?.column("len")?)?.len(), 2);
        Ok(())
    });
}

#[test]
fn errors_of_json_and_maps_show_the_place() {
    on_device(|| {
        let frame = Frame::try_new([("t", Column::from_strs(["{}"])?), ("x", Column::from_slice(&[1])?)])?;
        let text = text_of(frame.select([col("x").str().from_json(&DataType::Int32)]));
        assert!(text.starts_with("frame.select: from_json(x, NULL): input 0: expected a type of strings"), "{text}");
        let text = text_of(frame.select([col("t").str().from_json(&DataType::Time32(gdf::core::TimeUnit::Second))]));
        assert!(text.contains("data_type") && text.contains("is not supported"), "{text}");
        let text = text_of(frame.select([col("t").str().get_json_object("$[")]));
        assert!(text.contains("the path has [ without ]"), "{text}");
        let text = text_of(frame.select([col("x").map().keys()]));
        assert!(text.starts_with("frame.select: map_keys(x): input 0: expected a map, found Int32"), "{text}");
        let text = text_of(frame.select([col("t").str().extract_re("a", -1)]));
        assert!(text.contains("the number of the group is negative"), "{text}");
        let text = text_of(frame.select([col("t").str().extract_re("a", 1)]));
        assert!(text.contains("the number of the group"), "{text}");
        Ok(())
    });
}

/// Arrow allows a map in which a key occurs twice. The last value counts.
#[test]
fn the_last_of_equal_keys_of_a_map_counts() {
    use gdf::arrow::array::{Array, ArrayRef, Int32Array, MapArray, RecordBatch, StringArray, StructArray};
    use gdf::arrow::buffer::OffsetBuffer;
    on_device(|| {
        let keys = Arc::new(StringArray::from(vec!["a", "b", "a", "b", "a"])) as ArrayRef;
        let values = Arc::new(Int32Array::from(vec![Some(1), Some(2), Some(3), Some(4), None])) as ArrayRef;
        let fields = [Field::new("keys", DataType::Utf8, false), Field::new("values", DataType::Int32, true)];
        let entries = StructArray::new(fields.to_vec().into(), vec![keys, values], None);
        let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
        let offsets = OffsetBuffer::new(vec![0, 3, 4, 4, 5].into());
        let maps = Arc::new(MapArray::try_new(field, offsets, entries, None, false).unwrap()) as ArrayRef;
        let frame = Frame::from_arrow(&RecordBatch::try_from_iter([("m", maps)]).unwrap())?;
        let found = frame.select([col("m").map().get("a").alias("a"), col("m").map().get("b").alias("b")])?;
        assert_eq!(found.column("a")?.to_vec::<i32>()?, [Some(3), None, None, None]);
        assert_eq!(found.column("b")?.to_vec::<i32>()?, [Some(2), Some(4), None, None]);
        Ok(())
    });
}

#[test]
fn distinct_elements_stand_where_the_kept_element_stood() {
    on_device(|| {
        let given = [Some(vec![1, 2, 1, 3, 2, 1]), None, Some(vec![5, 5]), Some(vec![])];
        let given = given.map(|list| list.map(|list| list.into_iter().map(Some).collect::<Vec<_>>()));
        let list = |elements: &[i64]| Some(elements.iter().copied().map(Some).collect::<Vec<_>>());
        for (keep, expected) in [
            (DuplicateKeepOption::First, list(&[1, 2, 3])),
            (DuplicateKeepOption::Last, list(&[3, 2, 1])),
            (DuplicateKeepOption::None, list(&[3])),
        ] {
            let distinct = |given: &[List]| {
                lists_of(&lists::distinct(&list_column(given)?, keep, NullEquality::Equal, NanEquality::AllEqual)?)
            };
            let others = if keep == DuplicateKeepOption::None { list(&[]) } else { list(&[5]) };
            assert_eq!(distinct(&given)?, [expected.clone(), None, others.clone(), list(&[])], "{keep:?}");
            // Short lists without nulls are looked at one by one.
            let valid: Vec<List> = given.iter().filter(|list| list.is_some()).cloned().collect();
            assert_eq!(distinct(&valid)?, [expected, others, list(&[])], "{keep:?}");
        }
        Ok(())
    });
}
