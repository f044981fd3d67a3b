//! Tests operations that compare rows. The results must be equal to the results for plain text.

use std::sync::Arc;

use arrow_array::types::Int16Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int8Array, Int16Array, StringArray, StringViewArray};
use gdf::binaryop::{eq, lt, ne, null_max};
use gdf::concatenate::{concatenate, concatenate_columns};
use gdf::copying::{OutOfBoundsPolicy, gather};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation as A, NullPolicy, RankOrder};
use gdf::hashing::{md5, xxhash_64};
use gdf::join::{self, JoinKeys, NullEquality};
use gdf::labeling::{Edge, label_bins};
use gdf::partitioning::{HashFunction, hash_partition};
use gdf::predicate::{Predicate, evaluate_predicate};
use gdf::reduction::{self, ReduceAggregation, segmented_reduce};
use gdf::replace::clamp;
use gdf::rolling::{RollingAggregation, grouped_rolling_window, rolling_window};
use gdf::scan::{RankMethod, RankPercentage, ScanAggregation, ScanType, rank, scan};
use gdf::search::{contains, lower_bound};
use gdf::sorting::{self, NullOrder, Order};
use gdf::stream_compaction::{self as compaction, DuplicateKeepOption, NanEquality, NanPolicy};
use gdf::transform::{encode, one_hot_encode};
use gdf::unary::cast;
use gdf_core::{Column, DataType, Result, Scalar, Table, scope};
use gdf_memory::current_resource;
use gdf_test::device::test_device;

/// An operation on a column of keys and on another column of the same type.
type Operation = (&'static str, fn(&Column, &Column) -> Result<Vec<Column>>);

fn one(column: Result<Column>) -> Result<Vec<Column>> {
    Ok(vec![column?])
}

fn all(table: Result<Table>) -> Result<Vec<Column>> {
    Ok(table?.into_columns())
}

fn scalar(scalar: Result<Scalar>) -> Result<Vec<Column>> {
    Ok(vec![scalar?.column().clone()])
}

fn count(rows: usize) -> Result<Vec<Column>> {
    one(Column::from_slice(&[rows as u64]))
}

fn rows(keys: &Column) -> Result<Table> {
    let numbers: Vec<i64> = (0..keys.len() as i64).collect();
    Table::try_new(vec![keys.clone(), Column::from_slice(&numbers)?])
}

fn table(keys: &Column) -> Result<Table> {
    Table::try_new(vec![keys.clone()])
}

/// Sorts the table.
fn in_order(table: Result<Table>) -> Result<Vec<Column>> {
    all(sorting::sort(&table?, &[], &[]))
}

fn groups(keys: &Column, nulls: NullPolicy, aggregations: &[A]) -> Result<Table> {
    let table = rows(keys)?;
    GroupBy::new(&table.select(&[0])?, nulls).agg(&[AggregationRequest::new(table.column(1)?, aggregations)])
}

fn values_by(parity: &Column, values: &Column, aggregations: &[A]) -> Result<Table> {
    let keys = table(parity)?;
    GroupBy::new(&keys, NullPolicy::Include).agg(&[AggregationRequest::new(values, aggregations)])
}

fn parity(rows: usize) -> Result<Column> {
    Column::from_slice(&(0..rows).map(|row| (row % 3) as i8).collect::<Vec<_>>())
}

const OPERATIONS: &[Operation] = &[
    ("sort", |x, _| all(sorting::sort(&rows(x)?, &[Order::Descending, Order::Ascending], &[]))),
    ("sort of one", |x, _| all(sorting::sort(&table(x)?, &[], &[NullOrder::After]))),
    ("sorted_order", |x, y| {
        let table = Table::try_new(vec![x.clone(), y.slice(0, x.len())?, parity(x.len())?])?;
        one(sorting::sorted_order(&table, &[], &[]))
    }),
    ("sort_by_key", |x, _| {
        let (table, numbers) = (rows(x)?, rows(x)?.select(&[1])?.clone());
        let numbers = sorting::sort(&numbers, &[Order::Descending], &[])?;
        let keys = Table::try_new(vec![table.column(0)?.clone(), numbers.column(0)?.clone()])?;
        all(sorting::sort_by_key(&table, &keys, &[], &[]))
    }),
    ("is_sorted", |x, _| {
        let sorted = sorting::sort(&table(x)?, &[], &[])?;
        let is_sorted = [sorting::is_sorted(&table(x)?, &[], &[])?, sorting::is_sorted(&sorted, &[], &[])?];
        count(usize::from(is_sorted[0]) * 2 + usize::from(is_sorted[1]))
    }),
    ("top_k", |x, _| one(sorting::top_k(x, 5, Order::Descending))),
    ("top_k_order", |x, _| {
        let order = sorting::top_k_order(x, 3, Order::Ascending)?;
        all(gather(&table(x)?, &order, OutOfBoundsPolicy::Nullify))
    }),
    ("distinct", |x, _| {
        let (first, equal) = (DuplicateKeepOption::First, NullEquality::Equal);
        all(compaction::distinct(&rows(x)?, &[0], first, equal, NanEquality::AllEqual))
    }),
    ("distinct, no duplicates", |x, _| {
        let (none, unequal) = (DuplicateKeepOption::None, NullEquality::Unequal);
        all(compaction::distinct(&rows(x)?, &[0], none, unequal, NanEquality::Unequal))
    }),
    ("distinct_indices", |x, _| {
        let (last, equal) = (DuplicateKeepOption::Last, NullEquality::Equal);
        one(compaction::distinct_indices(&table(x)?, last, equal, NanEquality::AllEqual))
    }),
    ("distinct_count", |x, _| {
        count(compaction::distinct_count(x, gdf::stream_compaction::NullPolicy::Exclude, NanPolicy::IsValid)?)
    }),
    ("unique", |x, _| {
        let sorted = sorting::sort(&rows(x)?, &[], &[])?;
        all(compaction::unique(&sorted, &[0], DuplicateKeepOption::First, NullEquality::Unequal))
    }),
    ("unique_count", |x, _| {
        count(compaction::unique_count(x, gdf::stream_compaction::NullPolicy::Include, NanPolicy::IsValid)?)
    }),
    ("agg", |x, _| in_order(groups(x, NullPolicy::Include, &[A::Sum, A::CountAll]))),
    ("agg without nulls", |x, _| in_order(groups(x, NullPolicy::Exclude, &[A::Max]))),
    ("agg by order", |x, _| all(groups(x, NullPolicy::Exclude, &[A::Median, A::Sum]))),
    ("agg of several", |x, y| {
        let keys = Table::try_new(vec![x.clone(), parity(x.len())?, y.slice(0, x.len())?])?;
        let request = AggregationRequest::new(keys.column(1)?, [A::CountAll]);
        in_order(GroupBy::new(&keys, NullPolicy::Include).agg(&[request]))
    }),
    ("values", |x, _| {
        let aggregations = [A::Min, A::Max, A::CountValid, A::Nunique(NullPolicy::Exclude), A::ArgMax];
        in_order(values_by(&parity(x.len())?, x, &aggregations))
    }),
    ("nth value", |x, _| {
        let nulls = NullPolicy::Exclude;
        all(values_by(&parity(x.len())?, x, &[A::NthElement { n: 1, nulls }]))
    }),
    ("groups", |x, _| {
        let (order, offsets) = GroupBy::new(&table(x)?, NullPolicy::Exclude).groups()?;
        Ok(vec![order, offsets])
    }),
    ("group shift", |x, _| {
        let table = rows(x)?;
        one(GroupBy::new(&table.select(&[0])?, NullPolicy::Exclude).shift(table.column(1)?, 1, -1_i64))
    }),
    ("group scan", |x, _| {
        let keys = table(&parity(x.len())?)?;
        one(GroupBy::new(&keys, NullPolicy::Exclude).scan(x, ScanAggregation::Max, ScanType::Inclusive))
    }),
    ("group rank", |x, _| {
        let keys = table(&parity(x.len())?)?;
        let by = RankOrder { null_policy: NullPolicy::Exclude, ..RankOrder::default() };
        let none = RankPercentage::None;
        one(GroupBy::new(&keys, NullPolicy::Exclude).rank(x, RankMethod::Dense, none, by))
    }),
    ("rank", |x, _| one(rank(&sorting::sort(&table(x)?, &[], &[])?, RankMethod::Min, RankPercentage::None))),
    ("inner", |x, y| in_order(join::inner(&rows(x)?, &rows(y)?, &JoinKeys::new(&[0], &[0])))),
    ("left", |x, y| {
        in_order(join::left(&rows(x)?, &rows(y)?, &JoinKeys::new(&[0], &[0]).with_nulls(NullEquality::Equal)))
    }),
    ("full", |x, y| in_order(join::full(&rows(x)?, &rows(y)?, &JoinKeys::new(&[0], &[0])))),
    ("semi", |x, y| in_order(join::semi(&rows(x)?, &rows(y)?, &JoinKeys::new(&[0], &[0])))),
    ("anti", |x, y| in_order(join::anti(&rows(x)?, &rows(y)?, &JoinKeys::new(&[0], &[0])))),
    ("a table for several joins", |x, y| {
        let keys = table(y)?;
        let built = join::HashJoin::try_new(&keys, NullEquality::Equal)?;
        assert!(built.memory_size() > 0);
        count(built.inner_join_size(&table(x)?)? + built.left_join_size(&table(x)?)?)
    }),
    ("contains", |x, y| one(contains(y, x))),
    ("lower_bound", |x, y| {
        let haystack = sorting::sort(&table(y)?, &[], &[])?;
        one(lower_bound(&haystack, &table(x)?, &[], &[]))
    }),
    ("eq", |x, y| one(eq(x, &y.slice(0, x.len())?))),
    ("eq of a literal", |x, _| one(eq(x, "a"))),
    ("lt of a scalar", |x, y| one(lt(x, &Scalar::from_column(y.slice(2, 1)?)?))),
    ("a scalar ne", |x, y| one(ne(&Scalar::from_column(y.slice(1, 1)?)?, x))),
    ("null_max", |x, y| one(null_max(x, &y.slice(0, x.len())?))),
    ("predicates", |x, y| {
        let y = y.slice(0, x.len())?;
        let either = Predicate::is_in(x, ["a", "zz"]).or(Predicate::starts_with(x, "a lo"));
        one(evaluate_predicate(&either.or(Predicate::lt(&y, x)).and(!Predicate::eq(x, "b"))))
    }),
    ("min", |x, _| scalar(reduction::min(x))),
    ("max", |x, _| scalar(reduction::max(x))),
    ("minmax", |x, _| {
        let (min, max) = reduction::minmax(x)?;
        Ok(vec![min.column().clone(), max.column().clone()])
    }),
    ("argmin", |x, _| scalar(reduction::argmin(x))),
    ("nunique", |x, _| {
        scalar(reduction::reduce(x, ReduceAggregation::Nunique(reduction::NullPolicy::Exclude), &DataType::Int64))
    }),
    ("segmented_reduce", |x, _| {
        let offsets = Column::from_slice(&[0, 1, 1, x.len() as i32])?;
        one(segmented_reduce(x, &offsets, ReduceAggregation::Max, &DataType::Utf8, reduction::NullPolicy::Exclude))
    }),
    ("histogram", |x, _| {
        let (values, counts) = reduction::histogram(x)?;
        in_order(Table::try_new(vec![values, counts]))
    }),
    ("scan", |x, _| one(scan(x, ScanAggregation::Min, ScanType::Inclusive, gdf::scan::NullPolicy::Exclude))),
    ("rolling_window", |x, _| one(rolling_window(x, 3, 0, 1, RollingAggregation::Max))),
    ("rolling_window, valid rows", |x, _| one(rolling_window(x, 3, 1, 0, RollingAggregation::CountValid))),
    ("grouped_rolling_window", |x, _| {
        let sorted = sorting::sort(&rows(x)?, &[], &[])?;
        one(grouped_rolling_window(&sorted.select(&[0])?, sorted.column(1)?, 2, 0, 1, RollingAggregation::Sum))
    }),
    ("clamp", |x, y| one(clamp(x, "a", &Scalar::from_column(y.slice(2, 1)?)?))),
    ("label_bins", |x, y| {
        let edges = sorting::sort(&table(&y.slice(0, 3)?)?, &[], &[])?;
        let edges = compaction::drop_nulls(&edges, &[0], 1)?;
        let (left, right) = (edges.column(0)?.slice(0, 1)?, edges.column(0)?.slice(1, 1)?);
        one(label_bins(x, &left, Edge::Inclusive, &right, Edge::Exclusive))
    }),
    ("one_hot_encode", |x, y| all(one_hot_encode(x, &y.slice(0, 3)?))),
    ("encode", |x, _| {
        let (keys, codes) = encode(&table(x)?)?;
        Ok(vec![keys.column(0)?.clone(), codes])
    }),
    ("xxhash_64", |x, _| one(xxhash_64(&table(x)?, 7))),
    ("md5", |x, _| one(md5(&table(x)?))),
    ("hash_partition", |x, _| all(Ok(hash_partition(&rows(x)?, &[0], 4, HashFunction::Murmur3, 1)?.0))),
];

/// The values of the dictionary.
const VALUES: [Option<&str>; 9] = [
    Some("b"),
    Some("a"),
    None,
    Some("zz"),
    Some(""),
    Some("a long text of more bytes than a view has"),
    Some("b"),
    Some("a lonely text"),
    Some("no row has this"),
];

fn texts(numbers: &[Option<i16>]) -> Vec<Option<&'static str>> {
    numbers.iter().map(|number| number.and_then(|number| VALUES[number as usize])).collect()
}

fn dictionary(numbers: &[Option<i16>]) -> DictionaryArray<Int16Type> {
    DictionaryArray::new(Int16Array::from(numbers.to_vec()), Arc::new(StringArray::from(VALUES.to_vec())))
}

/// Returns the results as arrays.
fn arrays(results: Vec<Column>) -> Result<Vec<ArrayRef>> {
    let text = |column: Column| match column.data_type() {
        DataType::Utf8View | DataType::Dictionary(..) => cast(&column, &DataType::Utf8),
        DataType::BinaryView => cast(&column, &DataType::Binary),
        _ => Ok(column),
    };
    results.into_iter().map(|column| text(column)?.to_array()).collect()
}

/// Checks the operations on rows `32 .. 32 + rows`.
fn check(rows: usize) {
    let numbers = |seed: usize, len: usize| -> Vec<Option<i16>> {
        (0..len)
            .map(|row| ((row * 7 + seed) % 11, row))
            .map(|(n, row)| (row % 5 != 3).then_some((n % 8) as i16))
            .collect()
    };
    let device = test_device();
    let (stream, mr) = (scope::current_stream(device).unwrap(), current_resource(device).unwrap());
    let of = |array: ArrayRef, rows: usize| Column::from_arrow(&array, &stream, &mr).unwrap().slice(32, rows).unwrap();
    let (keys, others) = (numbers(3, rows + 40), numbers(1, rows + 60));
    let of_each = |make: &dyn Fn(&[Option<i16>]) -> ArrayRef| [of(make(&keys), rows), of(make(&others), rows + 20)];
    scope::with_device(device, || {
        let plain = of_each(&|numbers| Arc::new(StringArray::from(texts(numbers))));
        let views = of_each(&|numbers| Arc::new(StringViewArray::from(texts(numbers))));
        let dictionaries = of_each(&|numbers| Arc::new(dictionary(numbers)));
        for (name, operation) in OPERATIONS {
            let run = |[keys, others]: [&Column; 2]| {
                let results = operation(keys, others).and_then(arrays);
                results.unwrap_or_else(|error| panic!("{name} of {}: {error}", keys.data_type()))
            };
            let expected = run([&plain[0], &plain[1]]);
            assert_eq!(run([&views[0], &views[1]]), expected, "{name} of views");
            assert_eq!(run([&dictionaries[0], &dictionaries[1]]), expected, "{name} of dictionaries");
        }
        let to = |columns: &[Column; 2], to: DataType| columns.each_ref().map(|column| cast(column, &to).unwrap());
        let (bytes, byte_views) = (to(&plain, DataType::Binary), to(&views, DataType::BinaryView));
        for (name, operation) in OPERATIONS.iter().filter(|(name, _)| !OF_TEXT.contains(name)) {
            let expected = arrays(operation(&bytes[0], &bytes[1]).unwrap()).unwrap();
            let results = operation(&byte_views[0], &byte_views[1]).and_then(arrays);
            assert_eq!(results.unwrap_or_else(|error| panic!("{name}: {error}")), expected, "{name} of views of bytes");
        }
        for (name, operation) in OPERATIONS.iter().filter(|(name, _)| MIXED.contains(name)) {
            let expected = arrays(operation(&plain[0], &plain[1]).unwrap()).unwrap();
            for (keys, others) in [(&plain, &dictionaries), (&dictionaries, &views), (&views, &plain)] {
                let results = operation(&keys[0], &others[1]).and_then(arrays);
                let types = (keys[0].data_type(), others[1].data_type());
                let results = results.unwrap_or_else(|error| panic!("{name} of {types:?}: {error}"));
                assert_eq!(results, expected, "{name} of {types:?}");
            }
        }
    });
}

const OF_TEXT: &[&str] = &["eq of a literal", "predicates", "segmented_reduce", "clamp"];

const MIXED: &[&str] = &[
    "inner",
    "left",
    "full",
    "semi",
    "anti",
    "a table for several joins",
    "contains",
    "lower_bound",
    "eq",
    "lt of a scalar",
    "a scalar ne",
    "null_max",
    "predicates",
    "clamp",
    "label_bins",
    "one_hot_encode",
];

#[test]
fn views_and_dictionaries_are_compared_as_text() {
    check(150);
}

#[test]
fn dictionaries_of_more_values_than_rows_are_decoded() {
    check(VALUES.len() - 1);
    check(VALUES.len());
}

#[test]
fn groups_keep_the_type_of_their_keys() {
    let device = test_device();
    let (stream, mr) = (scope::current_stream(device).unwrap(), current_resource(device).unwrap());
    let array: ArrayRef = Arc::new(dictionary(&[Some(0), Some(6), Some(1), None, Some(2)]));
    scope::with_device(device, || {
        let keys = Column::from_arrow(&array, &stream, &mr).unwrap();
        let found = groups(&keys, NullPolicy::Include, &[A::CountAll]).unwrap();
        let found = sorting::sort(&found, &[], &[]).unwrap();
        assert_eq!(found.column(0).unwrap().data_type(), keys.data_type());
        let texts = [None, Some("a".to_owned()), Some("b".to_owned())];
        assert_eq!(found.column(0).unwrap().to_vec::<String>().unwrap(), texts);
        assert_eq!(found.column(1).unwrap().to_vec::<i64>().unwrap(), [Some(2), Some(1), Some(2)]);
        // The dictionary has numbers, including NaN and zeros of both signs.
        let numbers = Column::from_slice(&[f64::NAN, 1.0, -0.0, 0.0, -f64::NAN]).unwrap();
        let indices: ArrayRef = Arc::new(Int16Array::from(vec![4, 2, 0, 3, 1]));
        let values = numbers.to_arrow(&stream).unwrap();
        let indices = indices.as_any().downcast_ref::<Int16Array>().unwrap().clone();
        let array: ArrayRef = Arc::new(DictionaryArray::new(indices, values));
        let keys = Column::from_arrow(&array, &stream, &mr).unwrap();
        assert_eq!(groups(&keys, NullPolicy::Exclude, &[A::CountAll]).unwrap().num_rows(), 3);
        let sorted = sorting::sort(&table(&keys).unwrap(), &[], &[]).unwrap();
        let sorted = cast(sorted.column(0).unwrap(), &DataType::Float64).unwrap().to_vec::<f64>().unwrap();
        assert_eq!(sorted[..3], [Some(-0.0), Some(0.0), Some(1.0)]);
        let unequal = compaction::distinct(
            &table(&keys).unwrap(),
            &[0],
            DuplicateKeepOption::First,
            NullEquality::Equal,
            NanEquality::Unequal,
        );
        assert_eq!(unequal.unwrap().num_rows(), 4);
    });
}

#[test]
fn dictionaries_and_views_of_several_batches_are_concatenated() {
    let device = test_device();
    let (stream, mr) = (scope::current_stream(device).unwrap(), current_resource(device).unwrap());
    let of = |array: ArrayRef| Column::from_arrow(&array, &stream, &mr).unwrap();
    let batches: [Vec<Option<&str>>; 4] = [
        vec![Some("b"), None, Some("a long text of more bytes than a view has"), Some("b")],
        vec![],
        vec![None, None],
        vec![Some(""), Some("a"), Some("b"), None, Some("another text of more bytes")],
    ];
    let all: Vec<_> = batches.concat().into_iter().map(|text| text.map(str::to_owned)).collect();
    scope::with_device(device, || {
        let joined = |of: &dyn Fn(&[Option<&str>]) -> Column| {
            let tables = batches.iter().map(|batch| {
                let numbers = Column::from_slice(&vec![7_i64; batch.len()]).unwrap();
                Table::try_new(vec![numbers.clone(), of(batch), numbers]).unwrap()
            });
            let tables: Vec<_> = tables.collect();
            let views: Vec<_> = tables.iter().map(Table::view).collect();
            let result = concatenate(&views).unwrap();
            assert_eq!(result.column(2).unwrap().to_vec::<i64>().unwrap(), vec![Some(7); all.len()]);
            result.column(1).unwrap().clone()
        };
        let views = joined(&|batch| of(Arc::new(StringViewArray::from(batch.to_vec()))));
        assert_eq!((views.data_type(), views.to_vec::<String>().unwrap()), (&DataType::Utf8View, all.clone()));
        let keyed =
            |batch: &[Option<&str>]| of(Arc::new(batch.iter().copied().collect::<DictionaryArray<Int16Type>>()));
        let dictionary = joined(&keyed);
        assert_eq!(
            (dictionary.data_type(), dictionary.to_vec::<String>().unwrap()),
            (keyed(&[]).data_type(), all.clone())
        );
        assert_eq!(dictionary.children()[0].len(), 5);
        // The dictionaries have null values and repeated values.
        let (first, second) = (dictionary_of(&[Some(2), Some(6), Some(0)]), dictionary_of(&[None, Some(2), Some(3)]));
        let both = concatenate_columns(&[of(first).view(), of(second).slice(1, 2).unwrap().view()]).unwrap();
        let texts = [None, Some("b"), Some("b"), None, Some("zz")].map(|text| text.map(str::to_owned));
        assert_eq!(both.to_vec::<String>().unwrap(), texts);
        // 128 values have keys of 8 bits, and 129 values need wider keys.
        let narrow = |range: std::ops::Range<i32>| {
            let values: StringArray = range.clone().map(|value| Some(value.to_string())).collect();
            let keys: Int8Array = range.map(|value| Some((value % 100) as i8)).collect();
            of(Arc::new(DictionaryArray::new(keys, Arc::new(values))))
        };
        let most = concatenate_columns(&[narrow(0..100).view(), narrow(100..128).view()]).unwrap();
        assert_eq!(most.get::<String>(127).unwrap().as_deref(), Some("127"));
        let refused = concatenate_columns(&[narrow(0..100).view(), narrow(100..129).view()]).unwrap_err();
        assert!(refused.to_string().contains("the number of values of a dictionary"), "{refused}");
    });
}

fn dictionary_of(numbers: &[Option<i16>]) -> ArrayRef {
    Arc::new(dictionary(numbers))
}

/// The keys of the dictionary are valid, but some of its values are null. The validity mask of the keys therefore does
/// not show all nulls.
#[test]
fn null_values_count_as_nulls() {
    let device = test_device();
    let (stream, mr) = (scope::current_stream(device).unwrap(), current_resource(device).unwrap());
    let of = |array: ArrayRef| Column::from_arrow(&array, &stream, &mr).unwrap();
    let keys = of(dictionary_of(&[Some(2), Some(0), Some(2), Some(1), Some(6)]));
    let text = |text: &str| Some(text.to_owned());
    scope::with_device(device, || {
        let numbers = Column::from_slice(&[1_i64, 2, 4, 8, 16]).unwrap();
        let mask = Column::from_slice(&[true, true, true, true, false]).unwrap();
        let (keyed, sum) = (table(&keys).unwrap(), [AggregationRequest::new(&numbers, [A::Sum])]);
        let sums = GroupBy::new(&keyed, NullPolicy::Include).agg_where(&mask, &sum).unwrap();
        let sums = sorting::sort(&sums, &[], &[]).unwrap();
        assert_eq!(sums.column(0).unwrap().to_vec::<String>().unwrap(), [None, text("a"), text("b")]);
        assert_eq!(sums.column(1).unwrap().to_vec::<i64>().unwrap(), [Some(5), Some(8), Some(2)]);
        let nulls = NullPolicy::Exclude;
        let nth = ReduceAggregation::NthElement { n: 1, nulls };
        let second = reduction::reduce(&keys, nth, keys.data_type()).unwrap();
        assert_eq!(second.column().to_vec::<String>().unwrap(), [text("a")]);
        let nth = RollingAggregation::NthElement { n: 0, null_policy: nulls };
        let first = rolling_window(&keys, 2, 0, 1, nth).unwrap();
        let expected = [None, text("b"), text("b"), text("a"), text("a")];
        assert_eq!(first.to_vec::<String>().unwrap(), expected);
    });
}

#[test]
fn batches_of_dictionaries_merge() {
    let device = test_device();
    let (stream, mr) = (scope::current_stream(device).unwrap(), current_resource(device).unwrap());
    let of = |array: ArrayRef| Column::from_arrow(&array, &stream, &mr).unwrap();
    let floats = |values: &[f64]| -> Column {
        let keys: Int16Array = (0..values.len() as i16).map(Some).collect();
        of(Arc::new(DictionaryArray::new(keys, Arc::new(Float64Array::from(values.to_vec())))))
    };
    scope::with_device(device, || {
        let batches =
            [(dictionary_of(&[Some(0), Some(1), None]), [0.5, 1.5, 9.0]), (dictionary_of(&[Some(6)]), [0.0; 3])];
        let partial = batches.map(|(keys, values)| {
            let keys = table(&of(keys)).unwrap();
            let values = floats(&values[..keys.num_rows()]);
            let request = AggregationRequest::new(&values, [A::Mean, A::Max]);
            GroupBy::new(&keys, NullPolicy::Exclude).aggregate_partial(&[request]).unwrap()
        });
        let merged = gdf::groupby::PartialGroups::merge(&partial.iter().collect::<Vec<_>>()).unwrap();
        let (keys, results) = merged.finalize().unwrap();
        let columns = keys.into_columns().into_iter().chain(results.into_iter().flatten()).collect();
        let found = sorting::sort(&Table::try_new(columns).unwrap(), &[], &[]).unwrap();
        let texts = [Some("a".to_owned()), Some("b".to_owned())];
        assert_eq!(found.column(0).unwrap().to_vec::<String>().unwrap(), texts);
        assert_eq!(found.column(1).unwrap().to_vec::<f64>().unwrap(), [Some(1.5), Some(0.25)]);
        assert_eq!(found.column(2).unwrap().to_vec::<f64>().unwrap(), [Some(1.5), Some(0.5)]);
        // A concatenation keeps the signs of zeros.
        let both = concatenate_columns(&[floats(&[0.0]).view(), floats(&[-0.0]).view()]).unwrap();
        let both = cast(&both, &DataType::Float64).unwrap();
        let signs: Vec<_> = both.to_vec::<f64>().unwrap().into_iter().flatten().map(f64::is_sign_negative).collect();
        assert_eq!(signs, [false, true]);
        let zeros = Column::from_slice(&[-0.0, 0.0]).unwrap();
        let keys = Table::try_new(vec![of(dictionary_of(&[Some(0), Some(6)])), zeros.clone()]).unwrap();
        let groups = GroupBy::new(&keys, NullPolicy::Exclude).agg(&[AggregationRequest::new(&zeros, [A::CountAll])]);
        let zero = groups.unwrap().column(1).unwrap().to_vec::<f64>().unwrap();
        assert_eq!(zero.into_iter().flatten().map(f64::to_bits).collect::<Vec<_>>(), [0]);
    });
}
