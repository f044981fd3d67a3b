//! Tests of frames with a limit of memory, on the CPU and, with `GDF_TEST_DEVICE=cuda:0`, on a GPU.

use gdf::copying::Replacement;
use gdf::external::Budget;
use gdf::frame::{
    Aggregation, AsofJoin, Frame, Interpolation, Join, JoinKind, LazyFrame, Validate, all, col, cols, element, len, lit,
};
use gdf::groupby::GroupByAggregation;
use gdf::memory::{SpillManager, SpillOptions, SpillStatisticsLevel, current_resource};
use gdf::prelude::*;
use gdf::scan::RankMethod;
use gdf::stream_compaction::DuplicateKeepOption;
use gdf_test::device::test_device;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

fn limited(bytes: usize) -> SpillManager {
    let options = SpillOptions::new().with_hard_limit(bytes).with_statistics(SpillStatisticsLevel::Transfers);
    SpillManager::new(current_resource(test_device()).unwrap(), options)
}

/// Runs `work` on the device of the tests, with memory of a manager.
fn within<R>(manager: &SpillManager, work: impl FnOnce() -> R) -> R {
    gdf::scope::with_device(test_device(), || gdf::scope::with_resource(&manager.resource(), work))
}

/// Returns keys, numbers, texts and lists. About a tenth of the keys is null.
fn random(rng: &mut SmallRng, rows: usize, keys: i64) -> Frame {
    let of_keys: Vec<Option<i64>> =
        (0..rows).map(|_| rng.random_bool(0.9).then(|| rng.random_range(0..keys))).collect();
    let numbers: Vec<i64> = (0..rows).map(|_| rng.random_range(-1000..1000)).collect();
    let texts: Vec<String> = (0..rows).map(|_| format!("text {}", rng.random_range(0..keys))).collect();
    let frame = Frame::try_new([
        ("k", Column::from_options(&of_keys).unwrap()),
        ("x", Column::from_slice(&numbers).unwrap()),
        ("s", Column::from_strs(texts.iter().map(String::as_str)).unwrap()),
    ]);
    frame.unwrap()
}

type Verb = (&'static str, fn(LazyFrame, LazyFrame) -> LazyFrame);

/// Verbs for which steps have bounds. The second frame has a row for each key.
const VERBS: [Verb; 29] = [
    ("filter", |frame, _| frame.filter(col("x").gt(0))),
    ("with", |frame, _| frame.with([(col("x") * 2 + col("k")).alias("y"), (col("x").gt(3)).alias("b")])),
    ("filter, with", |frame, _| frame.filter(col("x").gt(0)).with([(col("x") * col("x")).alias("y")])),
    ("select sums", |frame, _| frame.select([col("x").sum(), col("k").max(), len()])),
    ("select median", |frame, _| frame.select([col("x").median(), col("s").n_unique()])),
    ("sort", |frame, _| frame.sort(["k", "s"])),
    ("sort filtered", |frame, _| frame.filter(col("x").gt(0)).sort([(col("x") * 3).desc()])),
    ("top", |frame, _| frame.sort(["x"]).head(10)),
    ("slice", |frame, _| frame.filter(col("x").lt(0)).slice(5, 100)),
    ("distinct", |frame, _| frame.select(["k", "x"]).distinct(all(), DuplicateKeepOption::Any)),
    ("drop_nulls", |frame, _| frame.drop_nulls(all())),
    ("reverse", |frame, _| frame.reverse()),
    ("concat", |frame, _| frame.clone().concat([frame])),
    ("group_by", |frame, _| frame.group_by(["k"]).agg([col("x").sum(), col("x").mean().alias("m"), len()])),
    ("group_by text", |frame, _| frame.group_by(["s"]).agg([col("k").max(), col("x").min()])),
    ("group_by ordered", |frame, _| frame.group_by(["k"]).agg([col("x").median(), col("s").n_unique()])),
    ("over", |frame, _| frame.with([col("x").sum().over(["k"]).alias("sum"), col("x").max().over(["s"]).alias("m")])),
    ("cumulative", |frame, _| frame.with([col("x").cum_sum().over(["k"]).alias("c"), col("x").shift(1).alias("p")])),
    ("rolling", |frame, _| frame.with([col("x").rolling(Aggregation::Sum, 5, 1).over(["k"]).alias("r")])),
    ("semi", |frame, keys| frame.join(keys, Join::semi(["k"]))),
    ("anti", |frame, keys| frame.join(keys, Join::anti(["k"]))),
    ("inner", |frame, keys| {
        frame.join(keys.drop("s"), Join::inner(["k"]).validate(Validate::ManyToOne)).select(["k", "y"])
    }),
    ("inner where", |frame, keys| frame.join(keys, Join::inner(["k"]).condition((col("x") * 9).lt(col("y"))))),
    ("left where", |frame, keys| {
        frame.join(keys, Join::left(["k"]).condition(col("s").lt(col("s_right")).or(col("x").gt(0))))
    }),
    ("full where", |frame, keys| frame.join(keys, Join::full(["k"]).condition(col("x").lt(col("y"))))),
    ("semi where", |frame, keys| frame.join(keys, Join::semi(["k"]).condition(col("x").lt(col("y") + 10)))),
    ("anti where", |frame, keys| frame.join(keys.head(20), Join::by_condition(JoinKind::Anti, col("x").lt(col("y"))))),
    ("right by condition", |frame, keys| {
        frame.head(100).join(keys.head(100), Join::by_condition(JoinKind::Right, col("x").eq(col("y"))))
    }),
    ("join_where", |frame, keys| {
        frame.join_where(keys.head(9), col("x").eq(col("y")).and(col("s").gt(col("s_right"))))
    }),
];

/// Verbs of lists and structs, and verbs that change the shape. The first frame has lists `l` and structs `t`, too.
const SHAPES: [Verb; 29] = [
    ("explode", |frame, _| frame.explode("l")),
    ("explode numbers", |frame, _| frame.select(["l"]).explode("l")),
    ("unnest", |frame, _| frame.unnest("t")),
    ("lists len", |frame, _| frame.with([col("l").list().len().alias("n")])),
    ("lists sum", |frame, _| frame.select([col("l").list().sum(), col("l").list().mean().alias("m")])),
    ("lists any", |frame, _| frame.filter(col("l").list().any())),
    ("lists get", |frame, _| {
        frame.with([col("l").list().get(0).alias("first"), col("l").list().get(-1).alias("last")])
    }),
    ("lists contain", |frame, _| frame.filter(col("l").list().contains(3))),
    ("lists index", |frame, _| frame.select([col("l").list().index_of(col("x"))])),
    ("lists sort", |frame, _| frame.with([col("l").list().sort(true, false)])),
    ("lists reverse", |frame, _| frame.with([col("l").list().reverse()])),
    ("lists distinct", |frame, _| frame.select([col("l").list().distinct()])),
    ("lists concatenate", |frame, _| frame.select([col("l").list().concatenate(col("l"))])),
    ("lists transform", |frame, _| frame.with([col("l").list().transform(element() * 2 + col("x"))])),
    ("lists filter", |frame, _| frame.with([col("l").list().filter(element().gt(col("k")))])),
    ("lists aggregate", |frame, _| {
        frame.select([col("l").list().aggregate(element() * col("x"), Aggregation::Sum).alias("a")])
    }),
    ("lists sorted by", |frame, _| frame.sort([col("l").list().len().desc()])),
    ("struct field", |frame, _| frame.filter(col("t").struct_().field("a").gt(0))),
    ("struct with field", |frame, _| frame.with([col("t").struct_().with_field("c", col("x") * 2)])),
    ("sample", |frame, _| frame.sample(100, Replacement::With, 7)),
    ("unpivot", |frame, _| frame.unpivot("s", cols(["k", "x"]))),
    ("pivot", |frame, _| frame.with([(col("x") % 7).alias("m")]).pivot("k", "m", "x", GroupByAggregation::Sum)),
    ("to_dummies", |frame, _| frame.with([(col("x") % 5).alias("m")]).to_dummies("m")),
    ("cross_join", |frame, keys| frame.cross_join(keys.head(5), "_right")),
    ("cross_join of many", |frame, keys| frame.select(["x", "s"]).head(3_000).cross_join(keys.head(300), "_right")),
    ("asof_join", |frame, keys| frame.asof_join(keys, AsofJoin::new("x", "k"))),
    ("quantile", |frame, _| frame.quantile(cols(["k", "x"]), &[0.25, 0.5], Interpolation::Linear)),
    ("corr", |frame, _| frame.corr(cols(["k", "x"]))),
    ("describe", |frame, _| frame.select(["k", "x"]).describe()),
];

fn with_nested(rng: &mut SmallRng, frame: &Frame) -> Frame {
    let mut offsets = vec![0_i32];
    for row in 0..frame.num_rows() {
        offsets.push(offsets[row] + rng.random_range(0..5));
    }
    let elements: Vec<i64> = (0..offsets[frame.num_rows()]).map(|_| rng.random_range(-9..9)).collect();
    let (offsets, elements) = (Column::from_slice(&offsets).unwrap(), Column::from_slice(&elements).unwrap());
    let (x, s) = (frame.column("x").unwrap(), frame.column("s").unwrap());
    let structs =
        gdf::structs::from_columns(&Table::try_new(vec![x.clone(), s.clone()]).unwrap(), &["a", "b"]).unwrap();
    let lists = gdf::core::make_lists_column(&offsets, elements, None).unwrap();
    let own = ["k", "x", "s"].map(|name| (name, frame.column(name).unwrap().clone()));
    Frame::try_new(own.into_iter().chain([("l", lists), ("t", structs)])).unwrap()
}

fn rows_of(frame: &Frame) -> Vec<String> {
    let mut rows = ordered_rows_of(frame);
    rows.sort_unstable();
    rows
}

fn ordered_rows_of(frame: &Frame) -> Vec<String> {
    let columns: Vec<Vec<Option<String>>> = frame
        .table()
        .columns()
        .iter()
        .map(|column| match column.data_type() {
            DataType::Utf8 => column.to_strings().unwrap(),
            _ => {
                let numbers = gdf::unary::cast(column, &DataType::Float64).unwrap().to_vec::<f64>().unwrap();
                numbers.into_iter().map(|number| number.map(|number| format!("{number:.6}"))).collect()
            }
        })
        .collect();
    let row =
        |row: usize| columns.iter().map(|column| column[row].clone().unwrap_or_default()).collect::<Vec<_>>().join("|");
    (0..frame.num_rows()).map(row).collect()
}

fn keys(count: i64) -> Frame {
    let of_keys = Frame::try_new([("k", Column::sequence(0_i64, 1, count as usize).unwrap())]).unwrap();
    of_keys.with([(col("k") * 10).alias("y"), lit("a").alias("s")]).unwrap()
}

#[test]
fn verbs_reserve_what_they_need() {
    let manager = limited(1 << 40);
    let mut above = Vec::new();
    within(&manager, || {
        let mut rng = SmallRng::seed_from_u64(1);
        for (rows, count) in [(0, 1), (1, 1), (1_000, 10), (40_000, 3), (40_000, 30_000)] {
            let (frame, keys) = (random(&mut rng, rows, count), keys(count));
            let nested = with_nested(&mut rng, &frame);
            let verbs = VERBS.iter().map(|verb| (verb, &frame)).chain(SHAPES.iter().map(|verb| (verb, &nested)));
            // `sample` fails for a frame without rows. The rows of the last two can be as many as all pairs.
            let is_tested =
                |name: &str| (rows > 0 || name != "sample") && !["join_where", "cross_join of many"].contains(&name);
            for ((name, verb), frame) in verbs.filter(|((name, _), _)| is_tested(name)) {
                manager.reset_peak();
                manager.budget().reset_peak();
                let before = manager.allocated_bytes();
                verb(frame.lazy(), keys.lazy()).collect().unwrap();
                let (peak, reserved) = (manager.peak_bytes() - before, manager.budget().peak_reserved());
                if peak > reserved {
                    above.push(format!(
                        "{name} of {rows} rows and {count} keys used {peak} bytes, but reserved {reserved}"
                    ));
                }
                assert_eq!(manager.budget().reserved(), 0, "{name}");
            }
        }
    });
    assert!(above.is_empty(), "{above:#?}");
}

#[test]
fn queries_at_once_below_one_limit_all_end_with_the_same_rows() {
    let device = test_device();
    let mut rng = SmallRng::seed_from_u64(2);
    let (frame, keys) = gdf::scope::with_device(device, || (random(&mut rng, 20_000, 2_000), keys(2_000)));
    let run = |(name, verb): &Verb| {
        verb(frame.lazy(), keys.lazy()).collect().unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let expected: Vec<Vec<String>> =
        gdf::scope::with_device(device, || VERBS.iter().map(|verb| rows_of(&run(verb))).collect());
    for limit in [4 << 20, 16 << 20] {
        let manager = limited(limit);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (manager, expected, run) = (&manager, &expected, &run);
                scope.spawn(move || {
                    for at in 0..VERBS.len() {
                        let at = (at + thread * 5) % VERBS.len();
                        let found = within(manager, || {
                            let found = run(&VERBS[at]);
                            // Single operations on columns hold no reservation, so this reservation succeeds.
                            let _reserved = Budget::of(manager).reserve().unwrap();
                            rows_of(&found)
                        });
                        // The results of window functions and slices depend on the order of the rows, which must
                        // therefore be kept.
                        assert!(found == expected[at], "{} has other rows with a limit of {limit} bytes", VERBS[at].0);
                    }
                });
            }
        });
        assert!(manager.peak_bytes() <= limit, "{} bytes exceed the limit of {limit} bytes", manager.peak_bytes());
        assert_eq!((manager.budget().reserved(), manager.budget().waiting()), (0, 0));
    }
}

/// Verbs with window functions. The rows are divided so that all rows of a partition stay together.
const WINDOWS: [Verb; 9] = [
    ("sums", |frame, _| {
        frame.with([(col("x") - col("x").min().over(["k"])).alias("d"), col("x").sum().over(["s"]).alias("t")])
    }),
    ("shifts", |frame, _| {
        frame.with([col("x").shift(1).over(["k"]).alias("p"), col("s").shift(-2).over(["k"]).alias("n")])
    }),
    ("cumulative", |frame, _| frame.filter(col("x").gt(-500)).with([col("x").cum_sum().over(["k", "s"]).alias("c")])),
    ("ranks", |frame, _| frame.select([col("k"), col("x").rank(RankMethod::Min).over(["k"]).alias("r")])),
    ("rolling", |frame, _| frame.with([col("x").rolling(Aggregation::Max, 3, 1).over(["k"]).alias("r")])),
    ("condition", |frame, _| frame.filter(col("x").eq(col("x").max().over(["k"])))),
    ("with all rows", |frame, _| frame.with([(col("x").max() - col("x").max().over(["k"])).alias("d")])),
    ("periods", |frame, _| frame.group_by_rolling("x", 50).by(["s"]).agg([col("k").max(), len()])),
    ("computed keys", |frame, _| {
        frame.with([(col("x") % 7).alias("m")]).with([col("k").max().over([col("m") + 1]).alias("o")])
    }),
];

#[test]
fn windows_beyond_memory_are_those_of_all_rows() {
    let device = test_device();
    let mut rng = SmallRng::seed_from_u64(3);
    let frame = gdf::scope::with_device(device, || random(&mut rng, 30_000, 2_000));
    let batches = (0..30).map(|at| frame.slice(at * 1_000, 1_000).unwrap());
    let batches = LazyFrame::from_batches(batches).unwrap();
    for (name, verb) in WINDOWS {
        let expected = gdf::scope::with_device(device, || {
            ordered_rows_of(
                &verb(frame.lazy(), frame.lazy()).collect().unwrap_or_else(|error| panic!("{name}: {error}")),
            )
        });
        let manager = limited(2 << 20);
        let found = within(&manager, || {
            let found = verb(batches.clone(), frame.lazy()).collect_batches();
            let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(found.len() > 1, "{name}");
            found.iter().flat_map(ordered_rows_of).collect::<Vec<_>>()
        });
        assert!(found == expected, "{name}");
        assert!(manager.peak_bytes() <= 2 << 20, "{name}: {}", manager.peak_bytes());
    }
}

#[test]
fn window_functions_within_aggregations_see_the_rows_of_all_batches() {
    gdf::scope::with_device(test_device(), || {
        let frame = random(&mut SmallRng::seed_from_u64(4), 3_000, 20);
        let batches = || LazyFrame::from_batches((0..3).map(|at| frame.slice(at * 1_000, 1_000).unwrap())).unwrap();
        let verbs: [fn(LazyFrame) -> LazyFrame; 4] = [
            |frame| frame.group_by(["s"]).agg([(col("x") - col("x").shift(1).over(["k"])).sum()]),
            |frame| frame.group_by(["s"]).agg([(col("x") - col("x").shift(1)).sum()]),
            |frame| frame.group_by([(col("x") - col("x").mean()).gt(0.0).alias("above")]).agg([len()]),
            |frame| frame.sort([col("x").max().over(["k"]).asc(), col("x").asc(), col("s").asc(), col("k").asc()]),
        ];
        for verb in verbs {
            let (whole, parts) = (verb(frame.lazy()).collect().unwrap(), verb(batches()).collect().unwrap());
            assert_eq!(rows_of(&whole), rows_of(&parts));
        }
    });
}

#[test]
fn aggregations_of_all_rows_support_the_same_types_in_batches() {
    gdf::scope::with_device(test_device(), || {
        let prices: Vec<Option<i64>> = (0..40).map(|row| (row % 7 != 3).then_some(row * 37 % 41)).collect();
        let flags: Vec<bool> = (0..40).map(|row| row % 5 != 1).collect();
        let frame = Frame::try_new([
            ("p", Column::from_options_typed(&prices, &DataType::Decimal64(9, 2)).unwrap()),
            ("b", Column::from_slice(&flags).unwrap()),
        ])
        .unwrap();
        let batches = || LazyFrame::from_batches((0..4).map(|at| frame.slice(at * 10, 10).unwrap())).unwrap();
        let verbs: [fn(LazyFrame) -> LazyFrame; 3] = [
            |frame| frame.select([col("p").median(), col("p").quantile(0.25).alias("q"), len()]),
            |frame| frame.filter(col("b")).select([col("p").median()]),
            |frame| frame.select([col("p"), col("p").median().alias("m")]),
        ];
        for verb in verbs {
            let (whole, parts) = (verb(frame.lazy()).collect().unwrap(), verb(batches()).collect().unwrap());
            assert_eq!(ordered_rows_of(&whole), ordered_rows_of(&parts));
            assert!(whole.table().data_types().eq(parts.table().data_types()));
        }
    });
}

#[test]
fn aggregations_of_no_rows_have_one_row_in_parts() {
    let frame = gdf::scope::with_device(test_device(), || random(&mut SmallRng::seed_from_u64(6), 3_000, 20));
    let batches = LazyFrame::from_batches((0..3).map(|at| frame.slice(at * 1_000, 1_000).unwrap())).unwrap();
    let none = |frame: LazyFrame| {
        let none = frame.filter(col("x").gt(5_000));
        none.select([len(), col("x").sum(), col("x").mean().alias("mean"), col("s").max(), col("k").n_unique()])
    };
    let expected = gdf::scope::with_device(test_device(), || none(frame.lazy()).collect().unwrap());
    assert_eq!(expected.num_rows(), 1);
    let manager = limited(1 << 20);
    let (found, profile) = within(&manager, || none(batches).profile().unwrap());
    assert!(profile.ran_in_parts());
    assert!(found.table().data_types().eq(expected.table().data_types()));
    assert!(gdf::scope::with_device(test_device(), || ordered_rows_of(&found) == ordered_rows_of(&expected)));
}

#[test]
fn profiles_tell_what_was_read_and_spilled() {
    let frame = gdf::scope::with_device(test_device(), || random(&mut SmallRng::seed_from_u64(5), 30_000, 2_000));
    let batches = LazyFrame::from_batches((0..30).map(|at| frame.slice(at * 1_000, 1_000).unwrap())).unwrap();
    // The rows of the result must fit.
    let sorted = batches.sort(["x", "k", "s"]).filter(col("x").gt(900));
    let (found, profile) = gdf::scope::with_device(test_device(), || sorted.profile().unwrap());
    assert_eq!((profile.read_rows(), profile.ran_in_parts(), profile.spilled_bytes()), (30_000, false, 0));
    assert!(profile.read_bytes() > 30_000 * 16, "{profile}");
    let expected = ordered_rows_of(&found);
    let manager = limited(1 << 20);
    let (found, profile) = within(&manager, || sorted.profile().unwrap());
    assert_eq!((profile.read_rows(), profile.ran_in_parts()), (30_000, true));
    assert!(profile.spilled_bytes() > 0, "{profile}");
    for line in ["sort: 3 keys, 3 columns", "read 30 tables", "30000 rows of ", "the plan ran in parts, and spilled "] {
        assert!(profile.to_string().contains(line), "{profile}");
    }
    assert!(gdf::scope::with_device(test_device(), || ordered_rows_of(&found)) == expected);
}

#[test]
fn a_query_that_waits_too_long_is_an_error() {
    let options = SpillOptions::new().with_hard_limit(1 << 20).with_reservation_timeout(std::time::Duration::ZERO);
    let manager = SpillManager::new(current_resource(test_device()).unwrap(), options);
    let frame = within(&manager, || keys(100));
    let held = manager.reserve(1 << 20).unwrap();
    // Verbs that compute nothing reserve nothing.
    within(&manager, || frame.lazy().drop("y").collect()).unwrap();
    let late = within(&manager, || frame.sort(["k"])).unwrap_err();
    assert!(late.to_string().contains("could not be reserved"), "{late}");
    drop(held);
    within(&manager, || frame.sort(["k"])).unwrap();
}

#[test]
fn dictionaries_are_keys_below_a_limit() {
    let device = test_device();
    let verbs: [Verb; 3] = [
        ("group by", |frame, _| {
            frame.group_by(["d"]).agg([
                col("x").sum(),
                col("x").median().alias("m"),
                col("x").n_unique().alias("n"),
                col("x").quantile(0.25).alias("q"),
                col("x").max().alias("a"),
            ])
        }),
        ("distinct", |frame, _| frame.select(["d"]).distinct(["d"], DuplicateKeepOption::Any)),
        ("count", |frame, _| frame.group_by(["d"]).agg([len()])),
    ];
    let frame = gdf::scope::with_device(device, || {
        let keys: Vec<i32> = (0..3_000).map(|row| row * 7 % 300).collect();
        let texts: Vec<String> = (0..300).map(|text| format!("text {text}")).collect();
        let texts = Column::from_strs(texts.iter().map(String::as_str)).unwrap();
        let keys = gdf::core::ColumnParts::dictionary(Column::from_slice(&keys).unwrap(), texts);
        let numbers: Vec<i64> = (0..3_000).map(|row| row * 31 % 1_009).collect();
        let columns = [("d", Column::try_from_parts(keys).unwrap()), ("x", Column::from_slice(&numbers).unwrap())];
        Frame::try_new(columns).unwrap()
    });
    for (name, verb) in verbs {
        let rows = |frame: Frame| rows_of(&frame.with([col("d").cast(DataType::Utf8)]).unwrap());
        let run = |frame: &Frame| verb(frame.lazy(), frame.lazy()).collect();
        let expected = gdf::scope::with_device(device, || rows(run(&frame).unwrap()));
        for limit in [600_000, 1 << 20, 4 << 20] {
            let manager = limited(limit);
            let found = within(&manager, || run(&frame));
            let found = found.unwrap_or_else(|error| panic!("{name} below {limit} bytes: {error}"));
            assert!(gdf::scope::with_device(device, || rows(found)) == expected, "{name} below {limit} bytes");
        }
    }
}
