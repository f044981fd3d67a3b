//! Tests of columns of different types beside each other, and of types that few operations copy, on the CPU and, with
//! `GDF_TEST_DEVICE=cuda:0`, on a GPU.

use std::sync::Arc;

use gdf::Error;
use gdf::arrow::array::types::{Int64Type, UInt8Type, UInt16Type};
use gdf::arrow::array::{
    Array, ArrayRef, DictionaryArray, Int32Array, LargeListArray, LargeStringArray, ListArray, RecordBatch,
    StringArray, StringViewArray, StructArray, UInt8Array, UInt16Array,
};
use gdf::arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use gdf::arrow::schema::{Field, Fields};
use gdf::expr::Value;
use gdf::frame::{Expr, Frame, Join, JoinKind, LazyFrame, coalesce, col, when};
use gdf::groupby::GroupByAggregation;
use gdf::prelude::*;
use gdf_test::device::test_device;

fn on_device(test: impl FnOnce() -> gdf::Result<()>) {
    scope::with_device(test_device(), test).unwrap();
}

fn frame_of<'a>(columns: impl IntoIterator<Item = (&'a str, ArrayRef)>) -> gdf::Result<Frame> {
    Frame::from_arrow(
        &RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, of)| (name, of, true))).unwrap(),
    )
}

fn array_of(frame: &Frame, name: &str) -> gdf::Result<ArrayRef> {
    Ok(frame.to_arrow()?.column_by_name(name).unwrap().clone())
}

fn texts(frame: &Frame, name: &str) -> gdf::Result<Vec<Option<String>>> {
    frame.column(name)?.to_strings()
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|text| Some((*text).to_owned())).collect()
}

/// Returns two columns of each type whose rows a conditional copies by their numbers, and their rows by a mask.
fn nested_pairs() -> Vec<(ArrayRef, ArrayRef)> {
    let numbers = |rows: [Option<Vec<Option<i64>>>; 4]| -> ArrayRef {
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows))
    };
    let a = numbers([Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(4)])]);
    let b = numbers([Some(vec![]), Some(vec![Some(5); 3]), None, Some(vec![Some(8), Some(9)])]);
    let large = |of: [i64; 4]| -> ArrayRef {
        Arc::new(LargeListArray::from_iter_primitive::<Int64Type, _, _>(of.map(|of| Some(vec![Some(of), None]))))
    };
    let of_texts = |texts: [&str; 4]| -> ArrayRef {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0, 1, 1, 3, 4]));
        let item = Arc::new(Field::new("item", DataType::Utf8, true));
        let nulls = NullBuffer::from(vec![true, true, true, false]);
        Arc::new(ListArray::new(item, offsets, Arc::new(StringArray::from(texts.to_vec())), Some(nulls)))
    };
    let structs = |x: [Option<i32>; 4], lists: &ArrayRef| -> ArrayRef {
        let fields = [Field::new("x", DataType::Int32, true), Field::new("l", lists.data_type().clone(), true)];
        let columns: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(x.to_vec())), lists.clone()];
        let nulls = NullBuffer::from(vec![true, false, true, true]);
        Arc::new(StructArray::new(Fields::from(fields.to_vec()), columns, Some(nulls)))
    };
    let (c, d) = (structs([Some(1), None, None, Some(4)], &b), structs([None, Some(6), Some(7), None], &a));
    vec![
        (a, b),
        (large([1, 2, 3, 4]), large([5, 6, 7, 8])),
        (of_texts(["a", "b", "c", "d"]), of_texts(["", "long enough for a view", "x", "y"])),
        (c, d),
    ]
}

/// Returns the rows of `b` at the given positions, and the rows of `a` elsewhere, row by row. `None` stands for null.
fn picked(a: &ArrayRef, b: &ArrayRef, of_b: [Option<bool>; 4]) -> Vec<Option<ArrayRef>> {
    let row = |(at, of_b): (usize, Option<bool>)| {
        let of = if of_b? { b } else { a };
        of.is_valid(at).then(|| of.slice(at, 1))
    };
    of_b.into_iter().enumerate().map(row).collect()
}

#[track_caller]
fn check_rows(found: &ArrayRef, expected: &[Option<ArrayRef>]) {
    assert_eq!(found.len(), expected.len());
    for (at, row) in expected.iter().enumerate() {
        match row {
            None => assert!(found.is_null(at), "row {at} of {found:?}"),
            Some(row) => assert_eq!(&found.slice(at, 1), row, "row {at}"),
        }
    }
}

#[test]
fn conditionals_take_lists_and_structs() {
    on_device(|| {
        for (a, b) in nested_pairs() {
            let c: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), Some(0), None, Some(1)]));
            let frame = frame_of([("a", a.clone()), ("b", b.clone()), ("c", c)])?;
            let null = Value::null(a.data_type().clone());
            let is_set = || col("c").eq(1);
            let no = Some(false);
            let cases: Vec<(Expr, [Option<bool>; 4])> = vec![
                (when(is_set()).then(col("b")).otherwise(col("a")), [Some(true), no, no, Some(true)]),
                (when(is_set()).then(null.clone()).otherwise(col("a")), [None, no, no, None]),
                (when(is_set()).then(col("b")).end(), [Some(true), None, None, Some(true)]),
                (
                    when(col("c").is_null()).then(col("b")).when(is_set()).then(null).otherwise(col("a")),
                    [None, no, Some(true), None],
                ),
                (coalesce([col("a"), col("b")]), std::array::from_fn(|at| Some(a.is_null(at)))),
            ];
            for (expression, of_b) in cases {
                let found = array_of(&frame.select([expression.clone().alias("x")])?, "x")?;
                check_rows(&found, &picked(&a, &b, of_b));
                // A slice begins in the middle of the memory, and a filter runs before the projection.
                let part = frame.slice(1, 3)?.select([expression.clone().alias("x")])?;
                check_rows(&array_of(&part, "x")?, &picked(&a, &b, of_b)[1..]);
                let lazy = frame.lazy().filter(col("c").is_not_null()).select([expression.alias("x")]).collect()?;
                let [first, second, _, last] = &picked(&a, &b, of_b)[..] else { unreachable!() };
                check_rows(&array_of(&lazy, "x")?, &[first.clone(), second.clone(), last.clone()]);
            }
            let mut changed = frame.clone();
            changed.set_where("a", is_set(), col("b"))?;
            check_rows(&array_of(&changed, "a")?, &picked(&a, &b, [Some(true), no, no, Some(true)]));
            assert_eq!(frame.head(0).select([when(is_set()).then(col("b")).end()])?.num_rows(), 0);
        }
        Ok(())
    });
}

#[test]
fn results_of_conditionals_own_what_views_and_dictionaries_share() {
    on_device(|| {
        let texts = StringArray::from(vec!["a text that is too long for a view", "b"]);
        let keys = UInt8Array::from(vec![0, 1]);
        let dictionary: ArrayRef = Arc::new(DictionaryArray::<UInt8Type>::try_new(keys, Arc::new(texts)).unwrap());
        let fields = Fields::from(vec![Field::new("d", dictionary.data_type().clone(), true)]);
        let structs: ArrayRef = Arc::new(StructArray::new(fields, vec![dictionary], None));
        let frame = frame_of([("s", structs.clone()), ("c", Arc::new(Int32Array::from(vec![0, 1])))])?;
        // The branch is computed, and is in scratch memory when it is copied.
        let branch = || when(col("c").gt(5)).then(col("s")).otherwise(col("s"));
        let nested = when(col("c").eq(0)).then(branch()).end().alias("x");
        let found = frame.select([nested])?;
        check_rows(&array_of(&found, "x")?, &[Some(structs.slice(0, 1)), None]);
        Ok(())
    });
}

#[test]
fn structs_with_other_fields_are_not_mixed() {
    on_device(|| {
        let structs = |name: &str| -> ArrayRef {
            let fields = Fields::from(vec![Field::new(name, DataType::Int32, true)]);
            Arc::new(StructArray::new(fields, vec![Arc::new(Int32Array::from(vec![1]))], None))
        };
        let frame = frame_of([("a", structs("x")), ("b", structs("y"))])?;
        let error = frame.select([coalesce([col("a"), col("b")])]).unwrap_err();
        assert!(matches!(error, Error::TypeMismatch { .. }), "{error}");
        assert!(error.to_string().contains("give structs the same fields in the same order"), "{error}");
        Ok(())
    });
}

/// Returns dictionaries of each layout of text, with the rows `b`, null, `a`, `b`.
fn dictionaries() -> Vec<ArrayRef> {
    let keys = UInt16Array::from(vec![Some(1), None, Some(0), Some(1)]);
    let of = |values: ArrayRef| -> ArrayRef {
        Arc::new(DictionaryArray::<UInt16Type>::try_new(keys.clone(), values).unwrap())
    };
    let many = ["a", "b", "c", "d", "e", "a text that is too long for a view"].to_vec();
    vec![
        of(Arc::new(StringArray::from(vec!["a", "b"]))),
        of(Arc::new(LargeStringArray::from(vec!["a", "b"]))),
        of(Arc::new(StringViewArray::from(vec!["a", "b"]))),
        of(Arc::new(StringViewArray::from(many.clone()))),
        of(Arc::new(LargeStringArray::from(many))),
    ]
}

#[test]
fn dictionaries_become_text_of_each_layout() {
    on_device(|| {
        let expected = [Some("b".to_owned()), None, Some("a".to_owned()), Some("b".to_owned())];
        for dictionary in dictionaries() {
            let frame = frame_of([("k", dictionary.clone()), ("x", Arc::new(Int32Array::from(vec![1, 2, 3, 4])))])?;
            for to in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
                for frame in [frame.clone(), frame.lazy().filter(col("x").gt(0)).collect()?] {
                    let found = frame.select([col("k").cast(to.clone())])?;
                    assert_eq!(found.column("k")?.data_type(), &to);
                    assert_eq!(texts(&found, "k")?, expected, "{:?} to {to}", dictionary.data_type());
                }
                let part = frame.slice(2, 2)?.select([col("k").cast(to.clone())])?;
                assert_eq!(texts(&part, "k")?, expected[2..]);
            }
            assert_eq!(frame.filter(col("k").eq("b"))?.num_rows(), 2);
            let wide = frame.pivot("x", "k", "x", GroupByAggregation::Sum)?;
            assert_eq!(wide.names().collect::<Vec<_>>(), ["x", "a", "b", "null"]);
            let wide = wide.sort(["x"])?;
            assert_eq!(wide.column("b")?.to_vec::<i64>()?, [Some(1), None, None, Some(4)]);
            assert_eq!(frame.to_dummies("k")?.names().collect::<Vec<_>>(), ["k_a", "k_b", "x"]);
        }
        Ok(())
    });
}

#[test]
fn dates_are_names_of_columns() {
    on_device(|| {
        let days = Column::from_slice_typed(&[20_484_i32, 20_485, 20_484], &DataType::Date32)?;
        let frame = Frame::try_new([
            ("id", Column::from_slice(&[7; 3])?),
            ("day", days),
            ("x", Column::from_slice(&[1_i64, 2, 3])?),
        ])?;
        let wide = frame.pivot("id", "day", "x", GroupByAggregation::Sum)?;
        assert_eq!(wide.names().collect::<Vec<_>>(), ["id", "2026-01-31", "2026-02-01"]);
        assert_eq!(wide.column("2026-01-31")?.get(0)?, Some(4_i64));
        let months =
            frame.with([col("day").dt().truncate("month")])?.pivot("id", "day", "x", GroupByAggregation::Sum)?;
        assert_eq!(months.names().collect::<Vec<_>>(), ["id", "2026-01-01", "2026-02-01"]);
        Ok(())
    });
}

/// Returns a frame with a column of text with 64-bit offsets, as files of other writers have it, and one with 32-bit
/// offsets.
fn two_widths() -> gdf::Result<Frame> {
    frame_of([
        ("wide", Arc::new(LargeStringArray::from(vec![Some("a"), None, Some("c")])) as ArrayRef),
        ("short", Arc::new(StringArray::from(vec![Some("x"), Some("y"), None]))),
        ("c", Arc::new(Int32Array::from(vec![1, 0, 0]))),
    ])
}

#[test]
fn text_of_both_widths_goes_together() {
    on_device(|| {
        let (wide, short) = (|| col("wide"), || col("short"));
        let x = |text: &str| Some(text.to_owned());
        let cases = [
            (wide().str().concat("!"), vec![x("a!"), None, x("c!")]),
            (wide().str().concat(short()), vec![x("ax"), None, None]),
            (short().str().concat("-").str().concat(wide()), vec![x("x-a"), None, None]),
            (when(col("c").eq(1)).then(wide()).otherwise(short()), vec![x("a"), x("y"), None]),
            (when(col("c").eq(1)).then(short()).otherwise(wide()), vec![x("x"), None, x("c")]),
            (coalesce([wide(), short()]), vec![x("a"), x("y"), x("c")]),
            (wide().max_of(short()), vec![x("x"), x("y"), x("c")]),
            (short().min_of(wide()), vec![x("a"), x("y"), x("c")]),
            (wide().max_of("b"), vec![x("b"), x("b"), x("c")]),
        ];
        for (expression, expected) in cases {
            let found = two_widths()?.select([expression.clone().alias("t")])?;
            assert_eq!(found.column("t")?.data_type(), &DataType::LargeUtf8, "{expression}");
            assert_eq!(texts(&found, "t")?, expected, "{expression}");
        }
        Ok(())
    });
}

#[test]
fn frames_with_text_of_both_widths_are_appended() {
    on_device(|| {
        let frame = two_widths()?;
        let of = |name: &str| frame.select([col(name).alias("t")]);
        let (wide, short) = (of("wide")?, of("short")?);
        let expected = |first: [Option<&str>; 3], second: [Option<&str>; 3]| -> Vec<Option<String>> {
            first.into_iter().chain(second).map(|text| text.map(str::to_owned)).collect()
        };
        let (a, x) = ([Some("a"), None, Some("c")], [Some("x"), Some("y"), None]);
        for (first, second, rows, data_type) in
            [(&wide, &short, expected(a, x), DataType::LargeUtf8), (&short, &wide, expected(x, a), DataType::Utf8)]
        {
            let batches = LazyFrame::from_batches([first.clone(), second.clone()])?;
            let lazy = LazyFrame::from_batches([first.clone()])?.concat([second.lazy()]);
            // Batches have the types of the first batch. The rows of `concat` have the wider offsets.
            let wider = DataType::LargeUtf8;
            let all =
                [(first.concat([second])?, wider.clone()), (batches.collect()?, data_type), (lazy.collect()?, wider)];
            for (found, data_type) in all {
                assert_eq!(texts(&found, "t")?, rows);
                assert_eq!(found.column("t")?.data_type(), &data_type);
                assert_eq!(found.schema().field(0).data_type(), &data_type);
            }
        }
        let numbers = Frame::try_new([("t", Column::from_slice(&[1])?)])?;
        let error = wide.concat([&numbers]).unwrap_err().to_string();
        assert_eq!(
            error,
            "frame.concat: column `t`: expected LargeUtf8, found Int32; `cast` the column to the same type in each frame"
        );
        Ok(())
    });
}

/// Returns the rows of a joined frame as text, in ascending order.
fn rows_of(frame: &Frame) -> gdf::Result<Vec<String>> {
    let columns = (0..frame.num_columns()).map(|at| {
        frame.table().column(at).and_then(|of| match of.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => of.to_strings(),
            _ => {
                let numbers = gdf::unary::cast(of, &DataType::Int64)?.to_vec::<i64>()?;
                Ok(numbers.into_iter().map(|number| number.map(|number| number.to_string())).collect())
            }
        })
    });
    let columns = columns.collect::<gdf::Result<Vec<_>>>()?;
    let row = |at: usize| columns.iter().map(|of| of[at].clone().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let mut rows: Vec<_> = (0..frame.num_rows()).map(row).collect();
    rows.sort();
    Ok(rows)
}

/// Checks that a join of keys of two types returns the rows of the join of equal types.
fn check_joins(left: &Frame, right: &Frame, wide: &DataType) -> gdf::Result<()> {
    let same = |frame: &Frame, name| frame.with([col(name).cast(wide.clone())]);
    let (same_left, same_right) = (same(left, "k")?, same(right, "id")?);
    let kinds = [JoinKind::Inner, JoinKind::Left, JoinKind::Right, JoinKind::Full, JoinKind::Semi, JoinKind::Anti];
    for kind in kinds {
        for condition in [None, Some(col("x").lt(col("y")))] {
            let join = Join::new(kind, [("k", "id")]);
            let join = match &condition {
                Some(condition) => join.condition(condition.clone()),
                None => join,
            };
            let expected = same_left.join(&same_right, join.clone())?;
            let batches = LazyFrame::from_batches([left.slice(0, 2)?, left.slice(2, left.num_rows())?])?;
            let right_batches = LazyFrame::from_batches([right.slice(0, 1)?, right.slice(1, right.num_rows())?])?;
            let found = [
                left.join(right, join.clone())?,
                left.lazy().filter(col("x").gt(-1)).join(right.lazy(), join.clone()).collect()?,
                batches.join(right_batches, join).collect()?,
            ];
            for found in found {
                assert_eq!(found.names().collect::<Vec<_>>(), expected.names().collect::<Vec<_>>(), "{kind:?}");
                assert_eq!(rows_of(&found)?, rows_of(&expected)?, "{kind:?} {condition:?}");
                let fills = matches!(kind, JoinKind::Right | JoinKind::Full);
                let of_key = if fills { wide } else { left.column("k")?.data_type() };
                assert_eq!(found.column("k")?.data_type(), of_key, "{kind:?}");
                assert_eq!(found.schema().field_with_name("k").unwrap().data_type(), of_key, "{kind:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn keys_of_joins_may_be_of_two_widths() {
    on_device(|| {
        let side = |k: &str, key: Column, value: &str| {
            let values = Column::sequence(0_i32, 1, key.len())?;
            Frame::try_new([(k, key), (value, values)])
        };
        let numbers = [Some(3_i64), Some(-1), None, Some(200), Some(3)];
        let others = [Some(200_i64), Some(3), None, Some(7), Some(3), Some(255)];
        let column = |numbers: &[Option<i64>], of: &DataType| {
            let numbers: Vec<_> = numbers.iter().map(|of| of.map(|of| of.max(0))).collect();
            gdf::unary::cast(&Column::from_options(&numbers)?, of)
        };
        for (a, b, wide) in [
            (DataType::Int32, DataType::Int64, DataType::Int64),
            (DataType::Int64, DataType::Int16, DataType::Int64),
            (DataType::UInt8, DataType::Int16, DataType::Int16),
            (DataType::UInt32, DataType::Int32, DataType::Int64),
        ] {
            check_joins(&side("k", column(&numbers, &a)?, "x")?, &side("id", column(&others, &b)?, "y")?, &wide)?;
        }
        let (a, b) = (["b", "a", "c", "b"], ["b", "d", "a"]);
        let utf8 = |texts: &[&str], of: &DataType| Column::from_strs_typed(texts.iter().copied(), of);
        for (of_left, of_right) in [(DataType::Utf8, DataType::LargeUtf8), (DataType::LargeUtf8, DataType::Utf8)] {
            let (left, right) = (side("k", utf8(&a, &of_left)?, "x")?, side("id", utf8(&b, &of_right)?, "y")?);
            check_joins(&left, &right, &DataType::LargeUtf8)?;
        }
        Ok(())
    });
}

#[test]
fn computed_and_repeated_keys_are_compared_in_the_widest_type() {
    on_device(|| {
        let left = Frame::try_new([("k", Column::from_slice(&[1_i16, 2])?)])?;
        let right = Frame::try_new([("a", Column::from_slice(&[1_i32, 2])?), ("b", Column::from_slice(&[1_i64, 3])?)])?;
        for join in [Join::inner([("k", "a"), ("k", "b")]), Join::right([("k", "a"), ("k", "b")])] {
            let found = left.join(&right, join)?.sort(["k"])?;
            assert_eq!(gdf::unary::cast(found.column("k")?, &DataType::Int64)?.get(0)?, Some(1_i64));
        }
        let found = left.join(&right, Join::inner([(col("k") + 1, col("b") - 1)]))?;
        assert_eq!(rows_of(&found)?, ["1 2 3"]);
        let dictionary = frame_of([("k", dictionaries().remove(1))])?;
        let names = Frame::try_new([("k", Column::from_strs(["b"])?), ("v", Column::from_slice(&[5])?)])?;
        assert_eq!(
            rows_of(&dictionary.join(&names, Join::semi(["k"]))?.select([col("k").cast(DataType::Utf8)])?)?,
            ["b", "b"]
        );
        Ok(())
    });
}

#[test]
fn keys_without_a_common_type_are_refused_by_name() {
    on_device(|| {
        let left = Frame::try_new([("k", Column::from_slice(&[1_i64])?), ("t", Column::from_strs(["1"])?)])?;
        let right = Frame::try_new([("id", Column::from_slice(&[1_u64])?)])?;
        let text = |key: &str| left.join(&right, Join::inner([(key, "id")])).unwrap_err().to_string();
        let remedy = "cannot be combined; `cast` one of the two keys to the type of the other";
        assert_eq!(text("k"), format!("frame.join: k = id: Int64 and UInt64 {remedy}"));
        assert_eq!(text("t"), format!("frame.join: t = id: Utf8 and UInt64 {remedy}"));
        let batches =
            LazyFrame::from_batches([left.clone(), left.clone()])?.join(right.lazy(), Join::inner([("k", "id")]));
        assert!(batches.collect().unwrap_err().to_string().contains("k = id"));
        Ok(())
    });
}

#[test]
fn texts_are_equal_whatever_their_width() {
    on_device(|| {
        let frame = two_widths()?;
        assert_eq!(frame.filter(col("wide").ne(col("short")))?.num_rows(), 1);
        assert_eq!(texts(&frame.filter(col("wide").is_in(["a", "z"]))?, "wide")?, some(&["a"]));
        Ok(())
    });
}
