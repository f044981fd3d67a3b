//! Tests of verbs that change a frame in place: which frames keep their values, and what is copied.

use gdf::arrow::schema::{Field, Schema};
use gdf::frame::{Frame, Value, all, col, lit};
use gdf::memory::{SpillManager, SpillOptions, current_resource};
use gdf::prelude::*;
use gdf::{Error, scope};
use gdf_test::device::test_device;

fn on_device(test: impl FnOnce() -> gdf::Result<()>) {
    scope::with_device(test_device(), test).unwrap();
}

fn goods() -> gdf::Result<Frame> {
    Frame::try_new([
        ("id", Column::from_slice(&[1, 2, 3, 4])?),
        ("price", Column::from_options(&[Some(2.5), None, Some(7.0), None])?),
        ("name", Column::from_strs([Some("a"), None, Some("c"), Some("d")])?),
        ("sold", Column::from_options(&[Some(true), None, Some(false), Some(true)])?),
    ])
}

fn shares(a: &Frame, b: &Frame, name: &str) -> bool {
    a.column(name).unwrap().buffers()[0].same_allocation(&b.column(name).unwrap().buffers()[0])
}

fn ids(frame: &Frame) -> Vec<Option<i32>> {
    frame.column("id").unwrap().to_vec::<i32>().unwrap()
}

#[test]
fn of_three_frames_one_changes() {
    on_device(|| {
        let mut first = goods()?;
        let mut second = first.clone();
        let mut third = second.clone();
        second.set_rows("id", 0..2, 10)?;
        assert_eq!((ids(&first), ids(&second)), ([1, 2, 3, 4].map(Some).into(), [10, 10, 3, 4].map(Some).into()));
        assert!(shares(&first, &third, "id") && !shares(&first, &second, "id") && shares(&second, &third, "price"));
        first.set_rows("id", 0..2, 11)?;
        assert!(!shares(&first, &third, "id"));
        assert_eq!((ids(&first), ids(&third)), ([11, 11, 3, 4].map(Some).into(), [1, 2, 3, 4].map(Some).into()));
        // No other frame shares the memory of the third frame any more, so the memory is not copied.
        let stream = scope::current_stream(test_device())?;
        let address = |frame: &Frame| Ok::<_, Error>(frame.column("id")?.buffers()[0].read_on(&stream)?.address());
        let before = address(&third)?;
        third.set_rows("id", 1..4, -1)?;
        assert_eq!((ids(&third), address(&third)?), ([1, -1, -1, -1].map(Some).into(), before));
        Ok(())
    });
}

#[test]
fn slices_and_projections_keep_their_values() {
    on_device(|| {
        let mut frame = goods()?;
        let (tail, column) = (frame.tail(2), frame.select(["id"])?);
        frame.set_rows("id", 0..4, 0)?;
        assert_eq!((ids(&tail), ids(&column)), ([3, 4].map(Some).into(), [1, 2, 3, 4].map(Some).into()));
        let mut part = frame.slice(1, 2)?;
        part.set_rows("price", 0..1, 9.5)?;
        assert_eq!(part.column("price")?.to_vec::<f64>()?, [Some(9.5), Some(7.0)]);
        assert_eq!(frame.column("price")?.to_vec::<f64>()?, [Some(2.5), None, Some(7.0), None]);
        Ok(())
    });
}

#[test]
fn ranges_of_every_type_are_set() {
    on_device(|| {
        let mut frame = goods()?;
        frame.set_rows("name", 1..3, "x")?;
        assert_eq!(frame.column("name")?.to_strings()?, ["a", "x", "x", "d"].map(|text| Some(text.to_owned())));
        frame.set_rows("sold", 0..3, Value::null(DataType::Boolean))?;
        assert_eq!(frame.column("sold")?.to_vec::<bool>()?, [None, None, None, Some(true)]);
        // An integer fits a column of floats, and the column keeps its type.
        frame.set_rows("price", 3..4, 1)?;
        assert_eq!(frame.column("price")?.to_vec::<f64>()?, [Some(2.5), None, Some(7.0), Some(1.0)]);
        let schema = Schema::new(vec![Field::new("x", DataType::Int32, false)]);
        let mut strict = Frame::from_table(schema, Table::try_new(vec![Column::from_slice(&[1, 2])?])?)?;
        strict.set_rows("x", 0..1, 5)?;
        assert!(!strict.schema().field(0).is_nullable());
        strict.set_rows("x", 1..2, None::<i32>)?;
        assert!(strict.schema().field(0).is_nullable());
        assert_eq!(strict.column("x")?.to_vec::<i32>()?, [Some(5), None]);
        Ok(())
    });
}

#[test]
fn masks_choose_the_rows() {
    on_device(|| {
        let mut frame = goods()?;
        let other = frame.clone();
        frame.set_where("id", col("price").gt(3), -col("id"))?;
        assert_eq!((ids(&frame), ids(&other)), ([1, 2, -3, 4].map(Some).into(), [1, 2, 3, 4].map(Some).into()));
        frame.set_where("name", col("name").is_null(), "?")?;
        assert_eq!(frame.column("name")?.get::<String>(1)?.as_deref(), Some("?"));
        frame.set_where("id", lit(true), 7)?;
        assert_eq!(ids(&frame), [7; 4].map(Some));
        assert!(shares(&frame, &other, "price"));
        frame.fill_null_in_place(["id", "price"], 0)?;
        assert_eq!(frame.column("price")?.to_vec::<f64>()?, [2.5, 0.0, 7.0, 0.0].map(Some));
        assert_eq!(other.column("price")?.to_vec::<f64>()?, [Some(2.5), None, Some(7.0), None]);
        Ok(())
    });
}

#[test]
fn null_keys_and_null_values_of_dictionaries_are_filled() {
    on_device(|| {
        let values = || Column::from_strs([Some("a"), None]);
        let without_mask = Column::from_slice(&[0_i8, 1, 0])?;
        for (keys, nulls) in [(without_mask, 1), (Column::from_options(&[None, Some(1_i8), Some(0)])?, 2)] {
            let dictionary = Column::try_from_parts(gdf::core::ColumnParts::dictionary(keys, values()?))?;
            let mut frame = Frame::try_new([("k", dictionary.clone())])?;
            let other = frame.clone();
            let null_count = |frame: &Frame| gdf::dictionary::decode(frame.column("k")?)?.null_count();
            assert_eq!(null_count(&frame)?, nulls);
            frame.fill_null_in_place("k", "z")?;
            assert_eq!((null_count(&frame)?, null_count(&other)?), (0, nulls));
            assert_eq!(frame.filter(col("k").eq("z"))?.num_rows(), nulls);
            assert_eq!(frame.column("k")?.data_type(), dictionary.data_type());
            // A replacement that is a dictionary itself.
            let like = gdf::dictionary::decode(&dictionary)?;
            let whole = gdf::replace::replace_nulls(&like, "y")?;
            let whole = gdf::unary::cast(&whole, dictionary.data_type())?;
            let replaced = gdf::replace::replace_nulls(&dictionary, &whole)?;
            let expected = gdf::dictionary::decode(&whole)?.to_strings()?;
            assert_eq!(gdf::dictionary::decode(&replaced)?.to_strings()?, expected);
        }
        Ok(())
    });
}

#[test]
fn refused_changes_change_nothing() {
    on_device(|| {
        let mut frame = goods()?;
        let other = frame.clone();
        let text = |result: gdf::Result<()>| result.unwrap_err().to_string();
        assert!(text(frame.set_rows("idd", 0..1, 1)).starts_with("frame.set_rows: no column has the name `idd`"));
        assert!(matches!(frame.set_rows("id", 0..1, 1.5), Err(Error::TypeMismatch { .. })));
        assert!(matches!(frame.set_rows("id", 3..5, 1), Err(Error::OutOfBounds { .. })));
        assert!(text(frame.set_where("id", col("price").gt(0), 1.5)).ends_with("to the type of the column"));
        assert!(frame.set_where("id", col("price"), 1).is_err());
        let error = text(frame.fill_null_in_place(all(), 0));
        assert!(error.starts_with("frame.fill_null_in_place: name: "), "{error}");
        assert!(frame.make_mut("name").is_err());
        for name in ["id", "price", "name", "sold"] {
            assert!(shares(&frame, &other, name), "{name}");
        }
        assert_eq!(frame.to_string(), goods()?.to_string());
        Ok(())
    });
}

#[test]
fn changed_columns_of_a_spill_manager_are_spillable_again() {
    let device = test_device();
    let manager = SpillManager::new(current_resource(device).unwrap(), SpillOptions::new());
    scope::with_device(device, || {
        scope::with_resource(&manager.resource(), || -> gdf::Result<()> {
            let numbers: Vec<i64> = (0..10_000).collect();
            let mut frame = Frame::try_new([("x", Column::from_slice(&numbers)?)])?;
            assert!(manager.spill(1 << 20)? > 0);
            frame.set_rows("x", 0..5_000, -1_i64)?;
            assert!(manager.watched_bytes() >= 80_000);
            assert!(manager.spill(1 << 20)? > 0);
            let sum = frame.select([col("x").sum()])?.column("x")?.get::<i64>(0)?;
            assert_eq!(sum, Some((5_000..10_000).sum::<i64>() - 5_000));
            frame.set_where("x", col("x").lt(0), None::<i64>)?;
            frame.fill_null_in_place("x", 1_i64)?;
            assert!(manager.watched_bytes() >= 80_000);
            Ok(())
        })
    })
    .unwrap();
}
