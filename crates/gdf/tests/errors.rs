//! Tests the texts of errors: each text names the function, its argument, the row or column, the types and the
//! remedy.

use std::sync::Arc;

use gdf::arrow::array::{ArrayRef, Float64Array, Int32Array, StringArray};
use gdf::arrow::schema::Field;
use gdf::binaryop::{BinaryOperator, binary_operation, default_output_type};
use gdf::copying::{OutOfBoundsPolicy, copy_if_else, gather, scatter, slice};
use gdf::core::Position;
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{JoinKeys, NullEquality, inner_join};
use gdf::memory::{LimitingResource, Resource, current_resource};
use gdf::partitioning::{hash_partition, partition};
use gdf::quantiles::{Interpolation, QuantileOrder};
use gdf::reduction::{ReduceAggregation, reduce, segmented_reduce};
use gdf::scan::{ScanAggregation, ScanType, scan};
use gdf::sorting::{NullOrder, Order, sort};
use gdf::stream_compaction::apply_boolean_mask;
use gdf::strings::{
    Regex, RegexFlags, expect_converted, extract, extract_single, findall, replace_with_backrefs, to_timestamps,
};
use gdf::transform::row_bit_count;
use gdf::types::TimeUnit;
use gdf::unary::{UnaryOperator, cast, unary_operation};
use gdf::{
    Column, DataType, Device, Error, Scalar, Stream, Table, binaryop, concatenate, filling, join, reduction, scope,
    strings, unary,
};

fn column(array: impl Into<ArrayRef>) -> Column {
    let mr = current_resource(Device::Cpu).unwrap();
    Column::from_arrow(&array.into(), &Stream::cpu(), mr.as_ref()).unwrap()
}

fn ints(values: &[i32]) -> Column {
    column(Arc::new(Int32Array::from(values.to_vec())) as ArrayRef)
}

fn floats(values: &[f64]) -> Column {
    column(Arc::new(Float64Array::from(values.to_vec())) as ArrayRef)
}

fn texts(values: &[&str]) -> Column {
    column(Arc::new(StringArray::from(values.to_vec())) as ArrayRef)
}

fn table(columns: Vec<Column>) -> Table {
    Table::try_new(columns).unwrap()
}

#[track_caller]
fn says<T>(result: Result<T, Error>, text: &str) {
    match result {
        Ok(_) => panic!("no error, but should be: {text}"),
        Err(error) => assert_eq!(error.to_string(), text),
    }
}

#[test]
fn operators_name_themselves_and_both_types() {
    let (numbers, words) = (ints(&[1, 2, 3]), texts(&["a", "b", "c"]));
    let add = |lhs: &Column, rhs: &Column| binary_operation(lhs, rhs, BinaryOperator::Add, &DataType::Int32);
    says(add(&numbers, &words), "binary_operation(Add): Int32 and Utf8 cannot be combined");
    says(
        add(&words, &words),
        "binary_operation(Add): Utf8 and Utf8 are not supported; use comparisons, NullMin or NullMax for text or bytes",
    );
    says(add(&numbers, &ints(&[1])), "binary_operation(Add): input 1: expected 3 rows, found 1");
    says(
        binary_operation(&numbers, &numbers, BinaryOperator::Less, &DataType::Int32),
        "binary_operation(Less): output_type: expected Boolean, found Int32",
    );
    says(
        default_output_type(BinaryOperator::Mul, &DataType::Int32, &DataType::Utf8),
        "default_output_type(Mul): Int32 and Utf8 cannot be combined",
    );
    says(unary_operation(&words, UnaryOperator::Sqrt), "unary_operation(Sqrt): Utf8 is not supported");
    let mask = ints(&[1, 0, 1]);
    says(copy_if_else(&numbers, &words, &mask), "copy_if_else: mask: expected Boolean, found Int32");
}

#[test]
fn short_forms_name_themselves() {
    let (numbers, words) = (ints(&[1, 2, 3]), texts(&["a", "b", "c"]));
    says(binaryop::add(&numbers, &words), "add: Int32 and Utf8 cannot be combined");
    says(binaryop::gt(&numbers, "a"), "gt: Int32 and Utf8 cannot be combined");
    says(
        binaryop::add(&words, "a"),
        "add: Utf8 and Utf8 are not supported; use comparisons, NullMin or NullMax for text or bytes",
    );
    says(binaryop::sub(&numbers, &ints(&[1])), "sub: input 1: expected 3 rows, found 1");
    says(unary::sqrt(&words), "sqrt: Utf8 is not supported");
    says(reduction::sum(&words), "sum: Utf8 is not supported");
    let error = binaryop::add(&numbers, &words).unwrap_err();
    assert_eq!(error.context().map(|context| (context.operation(), context.variant())), Some((Some("add"), None)));
}

#[test]
fn joins_of_tables_name_themselves() {
    let (orders, names) = (table(vec![ints(&[1, 2])]), table(vec![texts(&["a", "b"])]));
    let on = JoinKeys::new(&[0], &[0]);
    says(join::inner(&orders, &names, &on), "join.inner: column 0 of the keys: Int32 and Utf8 cannot be combined");
    says(join::anti(&orders, &names, &on), "join.anti: column 0 of the keys: Int32 and Utf8 cannot be combined");
    let missing = JoinKeys::new(&[0], &[3]);
    says(join::left(&orders, &names, &missing), "join.left: column 3 is out of bounds for a table of 1 column");
    assert!(join::full(&orders, &orders, &on).is_ok() && join::semi(&orders, &orders, &on).is_ok());
}

#[test]
fn casts_name_both_types() {
    let text = "cast: the conversion from Utf8 to Date32 is not supported; use `strings::to_timestamps`, \
                or `str().to_timestamps` in an expression";
    says(cast(&texts(&["2024-01-01"]), &DataType::Date32), text);
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let text = format!("cast: the conversion from Int32 to {dictionary} is not supported");
    says(cast(&ints(&[1]), &dictionary), &text);
    let nonsense = DataType::Decimal128(60, 2);
    says(cast(&ints(&[1]), &nonsense), "cast: Decimal128(60, 2): the precision must be at most 38, found 60");
}

#[test]
fn tables_name_the_column() {
    let (three, two) = (ints(&[1, 2, 3]), ints(&[1, 2]));
    says(Table::try_new(vec![three.clone(), two.clone()]), "column 1: expected 3 rows, found 2");
    let both = table(vec![three.clone(), three.clone()]);
    says(both.select(&[0, 7]), "column 7 is out of bounds for a table of 2 columns");
    says(both.column(9).cloned(), "column 9 is out of bounds for a table of 2 columns");
    says(table(vec![three.clone()]).column(1).cloned(), "column 1 is out of bounds for a table of 1 column");
    says(three.slice(2, 5), "slice: offset 2 + length 5 is out of bounds for 3 rows");
    says(slice(&both, &[1, 9]).map(drop), "slice: offset 1 + length 8 is out of bounds for 3 rows");
}

#[test]
fn maps_name_the_row() {
    let (rows, map) = (table(vec![ints(&[1, 2, 3])]), ints(&[0, 1, 99, 100]));
    says(gather(&rows, &map, OutOfBoundsPolicy::Error), "gather: 99 in row 2 of the map is out of bounds for 3 rows");
    let error = gather(&rows, &map, OutOfBoundsPolicy::Error).unwrap_err();
    let context = error.context().unwrap();
    assert_eq!((context.operation(), context.argument()), (Some("gather"), Some("map")));
    assert_eq!(context.position(), Some(Position::Row(2)));
    says(
        gather(&rows, &floats(&[0.0]), OutOfBoundsPolicy::Error),
        "gather: map: expected an integer type, found Float64",
    );
    let (source, one) = (table(vec![ints(&[7])]), ints(&[-4]));
    says(
        scatter(&source, &one, &rows, OutOfBoundsPolicy::Error),
        "scatter: -4 in row 0 of the map is out of bounds for 3 rows",
    );
    says(
        scatter(&table(vec![texts(&["a"])]), &one, &rows, OutOfBoundsPolicy::Error),
        "scatter: column 0 of the source: expected Int32, found Utf8",
    );
    let field = Arc::new(Field::new_list_field(DataType::Int32, true));
    let list = Column::nulls(&DataType::ListView(field), 3).unwrap();
    let nested = table(vec![ints(&[1, 2, 3]), list.clone()]);
    says(
        row_bit_count(&nested),
        &format!("row_bit_count: column 1: {} is not supported; use `lists::from_list_view` first", list.data_type()),
    );
    says(
        partition(&rows, &ints(&[0, 1, 5]), 2),
        "partition: partition 5 in row 2 of the map is out of bounds for 2 partitions",
    );
    says(
        hash_partition(&rows, &[0], 0, gdf::partitioning::HashFunction::Murmur3, 0),
        "hash_partition: the number of partitions must be at least 1, found 0",
    );
}

#[test]
fn arguments_say_what_is_expected() {
    let (rows, words) = (table(vec![ints(&[1, 2])]), texts(&["a b", "c"]));
    let counts = Column::from_options(&[Some(1), None]).unwrap();
    says(
        filling::repeat(&rows, &counts),
        "repeat: counts: invalid argument: a count is null; replace nulls in the counts first",
    );
    says(strings::wrap(&words, 0), "wrap: width: invalid argument: the width is 0; use at least 1 character");
    says(strings::slice(&words, 0, 1, 0), "slice: step: invalid argument: the step is 0; use another step");
    says(concatenate::concatenate(&[]), "concatenate: invalid argument: there are no inputs; pass at least 1 input");
    let quantiles = |table: &Table, interpolation| {
        let order = QuantileOrder::Unsorted;
        gdf::quantiles::quantiles(table, &[0.5], interpolation, order, &[], &[])
    };
    says(
        quantiles(&rows, Interpolation::Linear),
        "quantiles: interpolation: invalid argument: rows cannot be interpolated; use `Lower`, `Higher` or `Nearest`",
    );
    says(
        quantiles(&rows.head(0), Interpolation::Lower),
        "quantiles: table: invalid argument: the table has no rows; pass a table with at least 1 row",
    );
    let seconds = Column::from_slice(&[1_729_996_200_i64]).unwrap(); // 2024-10-27T02:30
    let nights = cast(&seconds, &DataType::Timestamp(TimeUnit::Second, None)).unwrap();
    let zone = gdf::datetime::TimeZone::new("Europe/Berlin").unwrap();
    says(
        gdf::datetime::to_utc(&nights, &zone, gdf::datetime::LocalTimePolicy::default()),
        "to_utc: invalid data: a local time occurs twice in the time zone, because clocks were set back; \
         choose a `LocalTimePolicy` that selects a moment or makes the row null",
    );
}

#[test]
fn defects_of_the_library_ask_for_a_report() {
    let error = Error::internal("no result").in_operation("sum");
    assert_eq!(error.to_string(), "sum: a defect of gdf: no result; please report it");
    assert!(matches!(error, Error::Internal { what: "no result", .. }));
}

#[test]
fn keys_and_requests_are_named() {
    let keys = table(vec![ints(&[1, 2, 3]), ints(&[1, 2, 3])]);
    says(sort(&keys, &[Order::Ascending], &[]), "sort: 2 sort keys but 1 order");
    says(sort(&keys, &[], &[NullOrder::After; 3]), "sort: 2 sort keys but 3 null orders");
    let (good, short) = (ints(&[1, 2, 3]), ints(&[1, 2]));
    let grouped = GroupBy::new(&keys, NullPolicy::Exclude);
    let sum = |values| AggregationRequest::new(values, [GroupByAggregation::Sum]);
    says(grouped.aggregate(&[sum(&good), sum(&short)]), "groupby.aggregate: request 1: expected 3 rows, found 2");
    let words = texts(&["a", "b", "c"]);
    says(grouped.aggregate(&[sum(&words)]), "groupby.aggregate(Sum): Utf8 is not supported");
    says(grouped.agg(&[sum(&words)]), "groupby.agg(Sum): Utf8 is not supported");
    says(
        grouped.aggregate_partial(&[AggregationRequest::new(&good, [GroupByAggregation::Median])]),
        "groupby.aggregate_partial(Median): Int32 is not supported; \
         use `TDigest`, or concatenate the batches and then aggregate",
    );
    says(
        inner_join(&table(vec![words]), &table(vec![ints(&[1])]), NullEquality::Equal),
        "inner_join: column 0 of the keys: Utf8 and Int32 cannot be combined",
    );
    says(apply_boolean_mask(&keys, &ints(&[1])), "apply_boolean_mask: mask: expected Boolean, found Int32");
}

#[test]
fn reductions_and_scans_name_the_aggregation() {
    let words = texts(&["a", "b"]);
    says(reduce(&words, ReduceAggregation::Sum, &DataType::Int64), "reduce(Sum): Utf8 is not supported");
    says(
        reduce(&ints(&[1]), ReduceAggregation::Sum, &DataType::Utf8),
        "reduce(Sum): output_type: expected a type such as Int64, found Utf8",
    );
    says(
        scan(&words, ScanAggregation::Product, ScanType::Inclusive, gdf::scan::NullPolicy::Exclude),
        "scan(Product): Utf8 is not supported",
    );
    says(
        segmented_reduce(
            &ints(&[1]),
            &words,
            ReduceAggregation::Sum,
            &DataType::Int64,
            gdf::reduction::NullPolicy::Exclude,
        ),
        "segmented_reduce: offsets: expected an integer type, found Utf8",
    );
}

#[test]
fn values_and_types_say_their_limits() {
    let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu).unwrap());
    says(Scalar::typed_on(Some(1.5), &DataType::Int32, &stream, mr.as_ref()), "f64 cannot be stored as Int32");
    says(
        Scalar::null_on(&DataType::Decimal128(60, 2), &stream, mr.as_ref()),
        "Decimal128(60, 2): the precision must be at most 38, found 60",
    );
    says(
        Scalar::null_on(&DataType::Decimal32(0, 0), &stream, mr.as_ref()),
        "Decimal32(0, 0): the precision must be at least 1, found 0",
    );
    says(
        Scalar::null_on(&DataType::Time32(TimeUnit::Nanosecond), &stream, mr.as_ref()),
        "Time32(ns): invalid argument: `Time32` must have seconds or milliseconds; use `Time64` for other units",
    );
}

#[cfg(not(feature = "cuda-driver"))]
#[test]
fn a_device_that_was_not_built_says_what_to_add() {
    let error = Stream::new(Device::Cuda(0)).unwrap_err().to_string();
    let remedy = r#"add features = ["cuda"] to gdf in Cargo.toml, or use the device cpu"#;
    assert_eq!(error, format!(r#"the CUDA driver cannot be used: built without feature "cuda"; {remedy}"#));
}

#[test]
fn missing_kernels_say_how_to_get_them() {
    let error = gdf::DriverError::KernelsNotBuilt { image: "sorting".to_owned() }.to_string();
    let expected = r#"the kernels of "sorting" are not installed; run `gdf kernels install`, or set GDF_KERNELS_DIR"#;
    assert_eq!(error, expected);
}

/// Returning any `Result` costs more with a larger `Error`.
#[test]
fn errors_are_small() {
    assert!(size_of::<Error>() <= 128, "{}", size_of::<Error>());
}

#[test]
fn running_out_of_memory_names_the_call() {
    let limited = Resource::new(LimitingResource::new(current_resource(Device::Cpu).unwrap(), 1 << 20));
    let numbers = Column::full(1.5, 1_000_000).unwrap();
    let error = scope::with_resource(&limited, || cast(&numbers, &DataType::Int64)).unwrap_err();
    assert!(error.is_out_of_memory() && error.context().is_some_and(|context| context.operation() == Some("cast")));
    assert!(error.to_string().starts_with("cast: limiting cannot allocate 8000000 bytes"), "{error}");
    let error = scope::with_resource(&limited, || binaryop::add(&numbers, 1.0)).unwrap_err();
    assert!(error.to_string().starts_with("add: limiting cannot allocate"), "{error}");
}

#[test]
fn patterns_are_shown_with_the_place_of_their_fault() {
    let flags = RegexFlags::new();
    let regex = |pattern: &str| Regex::new(pattern, flags).unwrap();
    says(Regex::new("a(b", flags), "invalid pattern `a(b` at byte 1: unclosed group");
    let words = texts(&["a", "b"]);
    says(
        findall(&words, &regex("(a)(b)")),
        "findall: regex: the number of groups must be at most 1, found 2; use one group, or call `extract_all_record`",
    );
    says(
        extract(&words, &regex("a")),
        "extract: regex: invalid argument: the regular expression has no group; put the part to extract in parentheses",
    );
    says(
        extract_single(&words, &regex("(a)"), 2),
        "extract_single: group: the number of the group must be at most 1, found 2",
    );
    says(
        replace_with_backrefs(&words, &regex("(a)"), r"x\2"),
        r"replace_with_backrefs: template: invalid pattern `x\2` at byte 1: the regular expression has no group 2",
    );
}

#[test]
fn formats_and_texts_are_shown() {
    let words = texts(&["2019-03-20", "tomorrow"]);
    let dates = |format| to_timestamps(&words, &DataType::Date32, format);
    says(
        dates("%Y-%Q"),
        "to_timestamps: format: invalid pattern `%Y-%Q` at byte 3: the type has no such specifier; write %% for a \
         percent sign",
    );
    says(
        dates("%m %j"),
        "to_timestamps: format: invalid pattern `%m %j`: the format describes the date twice; use either month and \
         day, or the day of the year, or the week",
    );
    let values = dates("%F").unwrap();
    says(expect_converted(&words, &values), "expect_converted: row 1 of the texts: `tomorrow` is not a valid Date32");
}
