//! Tests of labels of rows: lookups, slices and alignment. The tests also check that range labels are not stored in
//! columns.

use gdf::frame::index::{Alignment, ColumnIndex, Index, IndexedFrame, MultiIndex, RangeIndex};
use gdf::frame::{Frame, Value, col, len};
use gdf::prelude::*;
use gdf::{Error, scope};
use gdf_test::device::test_device;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

fn on_device(test: impl FnOnce() -> gdf::Result<()>) {
    scope::with_device(test_device(), test).unwrap();
}

fn numbers(of: &Frame, name: &str) -> Vec<Option<i64>> {
    gdf::unary::cast(of.column(name).unwrap(), &DataType::Int64).unwrap().to_vec::<i64>().unwrap()
}

#[track_caller]
fn text_of<T: std::fmt::Debug>(result: gdf::Result<T>) -> String {
    result.unwrap_err().to_string()
}

fn sales() -> gdf::Result<Frame> {
    Frame::try_new([
        ("shop", Column::from_strs([Some("a"), Some("b"), Some("a"), None])?),
        ("year", Column::from_slice(&[2024, 2024, 2023, 2023])?),
        ("sold", Column::from_slice(&[1, 2, 3, 4])?),
    ])
}

#[test]
fn ranges_are_arithmetic() {
    let mut rng = SmallRng::seed_from_u64(1);
    for _ in 0..2_000 {
        let step = [-3, -2, -1, 1, 2, 5][rng.random_range(0..6)];
        let range = RangeIndex::with_step(rng.random_range(-9..9), step, rng.random_range(0..9)).unwrap();
        let labels: Vec<i64> = (0..range.len()).map(|row| range.get(row).unwrap()).collect();
        let label = rng.random_range(-20..20);
        assert_eq!(range.position(label), labels.iter().position(|of| *of == label), "{range:?} {label}");
        let to = label + rng.random_range(-2..15);
        let rows: Vec<usize> = (0..labels.len()).filter(|row| (label..=to).contains(&labels[*row])).collect();
        assert_eq!(range.positions_between(label, to).collect::<Vec<_>>(), rows, "{range:?} {label} {to}");
        let other = RangeIndex::with_step(label, step, rng.random_range(0..9)).unwrap();
        let frame = |range: &RangeIndex| {
            let labels: Vec<i64> = (0..range.len()).map(|row| range.get(row).unwrap()).collect();
            Frame::try_new([("x", Column::from_slice(&labels).unwrap())]).unwrap().with_index(range.clone()).unwrap()
        };
        let (a, b) = frame(&range).align(&frame(&other), Alignment::Inner).unwrap();
        let both: Vec<_> =
            labels.iter().filter(|label| other.position(**label).is_some()).map(|of| Some(*of)).collect();
        assert_eq!((numbers(a.frame(), "x"), numbers(b.frame(), "x")), (both.clone(), both));
        assert!(matches!(a.index(), Index::Range(_)));
    }
    assert!(RangeIndex::with_step(0, 0, 1).is_err() && RangeIndex::with_step(i64::MAX, 1, 2).is_err());
    assert!(RangeIndex::with_step(i64::MAX, 1, 1).is_ok());
}

#[test]
fn rows_are_found_by_label() {
    on_device(|| {
        let range = sales()?.with_range_index();
        assert_eq!(numbers(range.loc(2)?.frame(), "sold"), [Some(3)]);
        assert_eq!(numbers(range.tail(2).loc_all([3_i64, 2])?.frame(), "sold"), [Some(4), Some(3)]);
        assert!(text_of(range.tail(2).loc(1)).starts_with("frame.loc: (1): "));
        assert!(range.loc(1.5).is_err() && range.loc("a").is_err() && range.loc((1, 2)).is_err());
        let part = range.loc_between(1, 2)?;
        assert_eq!(
            (numbers(part.frame(), "sold"), part.index().label(0)?),
            ([2, 3].map(Some).into(), vec![1_i64.into()])
        );
        assert!(part.frame().column("sold")?.buffers()[0].same_allocation(&range.frame().column("sold")?.buffers()[0]));

        let shops = sales()?.set_index("shop")?;
        assert_eq!(shops.frame().names().collect::<Vec<_>>(), ["year", "sold"]);
        // A label returns all of its rows. Null is a label, too.
        assert_eq!(numbers(shops.loc_all(["b", "a"])?.frame(), "sold"), [2, 1, 3].map(Some));
        assert_eq!(numbers(shops.loc(Value::null(DataType::Utf8))?.frame(), "sold"), [Some(4)]);
        assert_eq!(shops.loc_all([] as [&str; 0])?.num_rows(), 0);
        let text = text_of(shops.loc_all(["a", "c"]));
        assert!(text.starts_with("frame.loc: ('c'): ") && text.contains("use `reindex`"), "{text}");
        assert!(matches!(shops.loc(1), Err(Error::TypeMismatch { .. })));
        let years = sales()?.set_index("year")?;
        assert_eq!(numbers(years.loc_between(2000, 2023)?.frame(), "sold"), [3, 4].map(Some));
        Ok(())
    });
}

#[test]
fn labels_of_several_levels_are_tuples() {
    on_device(|| {
        let frame = sales()?.set_index(["shop", "year"])?;
        assert_eq!(numbers(frame.loc(("a", 2023))?.frame(), "sold"), [Some(3)]);
        assert_eq!(numbers(frame.loc("a")?.frame(), "sold"), [Some(1), Some(3)]);
        assert_eq!(numbers(frame.loc_all([("b", 2024), ("a", 2024)])?.frame(), "sold"), [Some(2), Some(1)]);
        assert!(frame.loc(("a", 2025)).is_err() && frame.loc(("a", 2023, 1)).is_err());
        assert!(frame.loc_between("a", "b").is_err());
        let Index::Multi(index) = frame.index() else { panic!("the index must have two levels") };
        assert_eq!((index.num_levels(), index.level("year")?.len()), (2, 4));
        assert!(matches!(index.drop_level("year")?, Index::Column(_)));
        let same = MultiIndex::new([("shop", index.level("shop")?.clone()), ("year", index.level("year")?.clone())])?;
        assert_eq!(sales()?.with_index(same)?.loc(("b", 2024))?.num_rows(), 1);
        // The keys of a group-by are labels.
        let sums = sales()?.group_by(["shop", "year"]).agg_indexed([col("sold").sum(), len()])?;
        assert_eq!(numbers(sums.loc(("a", 2024))?.frame(), "sold"), [Some(1)]);
        assert_eq!(sums.index().names(), ["shop", "year"]);
        assert!(sums.index().is_unique()? && sums.sort_index()?.to_string() == sums.to_string());
        let wide = sums.unstack("year", "sold")?;
        assert_eq!(wide.frame().names().collect::<Vec<_>>(), ["2023", "2024"]);
        assert_eq!(numbers(wide.loc("a")?.frame(), "2023"), [Some(3)]);
        assert!(wide.unstack("shop", "2023").is_err());
        let twice = sales()?.concat([&sales()?])?.set_index(["shop", "year"])?;
        assert!(text_of(twice.unstack("year", "sold")).contains("two values have the same row and column"));
        assert!(sales()?.group_by([] as [&str; 0]).agg_indexed([len()]).is_err());
        Ok(())
    });
}

#[test]
fn labels_follow_the_rows() {
    on_device(|| {
        let frame = sales()?.with_range_index();
        let found = frame.filter(col("sold").gt(1))?.sort([col("sold").desc()])?;
        assert_eq!(numbers(&found.reset_index()?, "index"), [3, 2, 1].map(Some));
        assert_eq!(numbers(found.loc(1)?.frame(), "sold"), [Some(2)]);
        assert_eq!(numbers(&found.sort_index()?.reset_index()?, "index"), [1, 2, 3].map(Some));
        assert_eq!(numbers(&found.filter(col("index").lt(3))?.reset_index()?, "index"), [2, 1].map(Some));
        let more = frame.with([(col("sold") * 2).alias("twice")])?.select(["twice"])?;
        assert!(matches!(more.index(), Index::Range(_)));
        assert!(matches!(frame.select([col("sold").sum()]), Err(Error::LengthMismatch { .. })));
        // Heads, tails, slices and sorted ranges make no column of labels.
        for part in [frame.head(2), frame.tail(3), frame.slice(1, 2)?, frame.sort_index()?] {
            assert!(matches!(part.index(), Index::Range(_)));
        }
        assert!(frame.slice(3, 2).is_err());
        let named = sales()?.with_index(RangeIndex::with_step(10, -5, 4)?.named("n"))?;
        assert_eq!(numbers(&named.reset_index()?, "n"), [10, 5, 0, -5].map(Some));
        assert_eq!(numbers(&named.sort_index()?.reset_index()?, "n"), [-5, 0, 5, 10].map(Some));
        let clash = sales()?.with_index(RangeIndex::of_rows(4).named("sold"))?;
        assert!(matches!(clash.reset_index(), Err(Error::DuplicateName { .. })));
        assert!(text_of(sales()?.with_index(RangeIndex::of_rows(3))).starts_with("frame.with_index: "));
        assert!(sales()?.set_index(gdf::frame::matching("z*")).is_err());
        let back = sales()?.set_index(["shop", "year"])?.reset_index()?;
        assert_eq!((back.to_string(), back.schema()), (sales()?.to_string(), sales()?.schema()));
        Ok(())
    });
}

#[test]
fn frames_are_aligned_by_label() {
    on_device(|| {
        let of = |labels: &[&str], values: &[i32]| -> gdf::Result<IndexedFrame> {
            let index = ColumnIndex::new("k", Column::from_strs(labels.iter().copied())?)?;
            Frame::try_new([("x", Column::from_slice(values)?)])?.with_index(index)
        };
        let (a, b) = (of(&["v", "u", "w"], &[1, 2, 3])?, of(&["w", "z", "v"], &[10, 20, 30])?);
        let check = |alignment, labels: &[&str], left: &[Option<i64>], right: &[Option<i64>]| {
            let (of_a, of_b) = a.align(&b, alignment)?;
            for of in [&of_a, &of_b] {
                let found = of.reset_index()?.column("k")?.to_strings()?;
                assert_eq!(found, labels.iter().map(|label| Some((*label).to_owned())).collect::<Vec<_>>());
            }
            assert_eq!((&numbers(of_a.frame(), "x")[..], &numbers(of_b.frame(), "x")[..]), (left, right));
            Ok::<_, Error>(())
        };
        let (one, two, three) = (Some(1), Some(2), Some(3));
        check(
            Alignment::Outer,
            &["v", "u", "w", "z"],
            &[one, two, three, None],
            &[Some(30), None, Some(10), Some(20)],
        )?;
        check(Alignment::Inner, &["v", "w"], &[one, three], &[Some(30), Some(10)])?;
        check(Alignment::Left, &["v", "u", "w"], &[one, two, three], &[Some(30), None, Some(10)])?;
        check(Alignment::Right, &["w", "z", "v"], &[three, None, one], &[Some(10), Some(20), Some(30)])?;
        let twice = of(&["u", "u"], &[1, 2])?;
        assert!(text_of(a.align(&twice, Alignment::Left)).contains("a label occurs twice"));
        assert!(!twice.index().is_unique()?);
        let empty = a.align(&of(&[], &[])?, Alignment::Left)?.1;
        assert_eq!(numbers(empty.frame(), "x"), [None; 3]);
        assert!(matches!(a.align(&sales()?.with_range_index(), Alignment::Outer), Err(Error::TypeMismatch { .. })));

        // Frames with equal ranges share all memory. The rows of a part of a range are a slice.
        let range = sales()?.with_range_index();
        let (left, right) = range.align(&range.clone(), Alignment::Outer)?;
        let memory = |of: &IndexedFrame| of.frame().column("sold").unwrap().buffers()[0].clone();
        assert!(memory(&left).same_allocation(&memory(&right)));
        let (left, right) = range.align(&range.tail(2), Alignment::Inner)?;
        assert!(memory(&left).same_allocation(&memory(&range)) && memory(&right).same_allocation(&memory(&range)));
        assert_eq!(numbers(left.frame(), "sold"), [Some(3), Some(4)]);
        let further = range.reindex(RangeIndex::with_step(3, 1, 3)?)?;
        assert_eq!(numbers(further.frame(), "sold"), [Some(4), None, None]);
        assert!(further.frame().schema().field(2).is_nullable());
        Ok(())
    });
}
