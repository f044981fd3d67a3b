//! Tests operations on text. The results must be equal to the results for plain text.

use std::sync::Arc;

use arrow_array::types::Int16Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int64Array, StringArray, StringViewArray};
use gdf::strings::{self as s, CharacterTypes, Filter, JoinOptions, Regex, RegexFlags, Side};
use gdf_core::{Column, DataType, Result, Scalar, Table, TimeUnit, scope};
use gdf_memory::current_resource;
use gdf_test::device::test_device;

/// A row of a dictionary is null if its value is null.
#[test]
fn keys_of_lists_that_select_null_values_are_null() {
    scope::with_device(test_device(), || {
        let stream = scope::current_stream(test_device())?;
        let up = |array: &dyn Array| {
            let resource = current_resource(stream.device())?;
            Column::from_arrow(array, &stream, resource.as_ref())
        };
        let offsets = Column::from_slice(&[0_i32, 2, 3])?;
        let lists = gdf_core::make_lists_column(&offsets, Column::from_strs(["a", "b", "a"])?, None)?;
        let values: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
        let keys = DictionaryArray::<Int16Type>::try_new(vec![0_i16, 1].into(), values).unwrap();
        let keys = up(&keys)?;
        assert_eq!(gdf::lists::contains(&lists, &keys)?.to_vec::<bool>()?, [Some(true), None]);
        let first = gdf::lists::FindOption::First;
        assert_eq!(gdf::lists::index_of(&lists, &keys, first)?.to_vec::<i32>()?, [Some(0), None]);
        let null = Scalar::from_column(keys.slice(1, 1)?)?;
        assert_eq!(gdf::lists::contains(&lists, &null)?.to_vec::<bool>()?, [None, None]);
        Ok::<_, gdf::Error>(())
    })
    .unwrap();
}

/// With a limit of 0, no match splits a text.
#[test]
fn regular_expressions_split_no_row_with_a_limit_of_0() {
    scope::with_device(test_device(), || {
        let texts = Column::from_strs(["a1b2c", "", "1"])?;
        let digit = Regex::new("[0-9]", RegexFlags::new())?;
        for split in [s::split_re, s::rsplit_re] {
            let parts = split(&texts, &digit, Some(0))?;
            assert_eq!(parts.num_columns(), 1);
            assert_eq!(parts.column(0)?.to_strings()?, ["a1b2c", "", "1"].map(|text| Some(text.to_owned())));
        }
        Ok::<_, gdf::Error>(())
    })
    .unwrap();
}

type Operation = (&'static str, fn(&Column) -> Result<Vec<Column>>);

fn one(column: Result<Column>) -> Result<Vec<Column>> {
    Ok(vec![column?])
}

fn all(table: Result<Table>) -> Result<Vec<Column>> {
    Ok(table?.columns().to_vec())
}

fn regex() -> Result<Regex> {
    Regex::new("(a+)[0-9]?", RegexFlags::new())
}

const OPERATIONS: &[Operation] = &[
    ("to_upper", |x| one(s::to_upper(x))),
    ("to_lower", |x| one(s::to_lower(x))),
    ("swapcase", |x| one(s::swapcase(x))),
    ("capitalize", |x| one(s::capitalize(x, " "))),
    ("title", |x| one(s::title(x, CharacterTypes::ALPHA))),
    ("reverse", |x| one(s::reverse(x))),
    ("translate", |x| one(s::translate(x, &[('a', Some('ß'))]))),
    ("filter_characters", |x| one(s::filter_characters(x, &['a'..='f'], Filter::Keep, "_"))),
    ("filter_characters_of_type", |x| one(s::filter_characters_of_type(x, CharacterTypes::DIGIT, Filter::Remove, ""))),
    ("wrap", |x| one(s::wrap(x, 5))),
    ("url_encode", |x| one(s::url_encode(x))),
    ("url_decode", |x| one(s::url_decode(x))),
    ("contains", |x| one(s::contains(x, "a"))),
    ("starts_with", |x| one(s::starts_with(x, "a"))),
    ("ends_with", |x| one(s::ends_with(x, "1"))),
    ("find", |x| one(s::find(x, "a", 0, None))),
    ("rfind", |x| one(s::rfind(x, "a", 0, None))),
    ("find_multiple", |x| one(s::find_multiple(x, &["a", "1"]))),
    ("contains_multiple", |x| all(s::contains_multiple(x, &["a", "1"]))),
    ("like", |x| one(s::like(x, "%a_%", None))),
    ("count_characters", |x| one(s::count_characters(x))),
    ("count_bytes", |x| one(s::count_bytes(x))),
    ("code_points", |x| one(s::code_points(x))),
    ("all_characters_of_type", |x| one(s::all_characters_of_type(x, CharacterTypes::ALPHA, CharacterTypes::ALL_TYPES))),
    ("is_title", |x| one(s::is_title(x))),
    ("pad", |x| one(s::pad(x, 9, Side::Both, '-'))),
    ("zfill", |x| one(s::zfill(x, 9))),
    ("repeat", |x| one(s::repeat(x, 2))),
    ("strip", |x| one(s::strip(x, Side::Both, " a"))),
    ("slice", |x| one(s::slice(x, 1, 4, 1))),
    ("replace", |x| one(s::replace(x, "a", "bb", None))),
    ("replace_slice", |x| one(s::replace_slice(x, "_", 1, Some(2)))),
    ("split", |x| all(s::split(x, " ", None))),
    ("split_record", |x| one(s::split_record(x, " ", None))),
    ("split_part", |x| one(s::split_part(x, " ", 1))),
    ("partition", |x| all(s::partition(x, " "))),
    ("extract_between", |x| one(s::extract_between(x, "a", " "))),
    ("to_integers", |x| one(s::to_integers(x, &DataType::Int64))),
    ("is_integer", |x| one(s::is_integer(x, None))),
    ("is_hex", |x| one(s::is_hex(x))),
    ("contains_re", |x| one(s::contains_re(x, &regex()?))),
    ("count_re", |x| one(s::count_re(x, &regex()?))),
    ("findall", |x| one(s::findall(x, &regex()?))),
    ("extract", |x| all(s::extract(x, &regex()?))),
    ("split_record_re", |x| one(s::split_record_re(x, &regex()?, None))),
    ("matches_re", |x| one(s::matches_re(x, &regex()?))),
    ("find_re", |x| one(s::find_re(x, &regex()?))),
    ("extract_single", |x| one(s::extract_single(x, &regex()?, 0))),
    ("extract_all_record", |x| one(s::extract_all_record(x, &regex()?))),
    ("replace_re", |x| one(s::replace_re(x, &regex()?, "<é>", None))),
    ("replace_with_backrefs", |x| one(s::replace_with_backrefs(x, &regex()?, r"[\1]"))),
    ("split_re", |x| all(s::split_re(x, &regex()?, None))),
    ("rsplit_re", |x| all(s::rsplit_re(x, &regex()?, Some(1)))),
    ("rsplit_record_re", |x| one(s::rsplit_record_re(x, &regex()?, Some(1)))),
    ("rsplit", |x| all(s::rsplit(x, " ", Some(1)))),
    ("rsplit_record", |x| one(s::rsplit_record(x, " ", Some(1)))),
    ("rpartition", |x| all(s::rpartition(x, " "))),
    ("hex_to_integers", |x| one(s::hex_to_integers(x, &DataType::UInt32))),
    ("ipv4_to_integers", |x| one(s::ipv4_to_integers(x))),
    ("is_ipv4", |x| one(s::is_ipv4(x))),
    ("to_fixed_point", |x| one(s::to_fixed_point(x, &DataType::Decimal64(9, 1)))),
    ("is_fixed_point", |x| one(s::is_fixed_point(x, &DataType::Decimal64(9, 1)))),
    ("minhash", |x| one(s::minhash(x, 3, 7, &[(1, 2), (3, 4)]))),
    ("minhash64", |x| one(s::minhash64(x, 3, 7, &[(1, 2), (3, 4)]))),
    ("count_tokens", |x| one(s::count_tokens(x, &[" "]))),
    ("character_tokenize", |x| one(s::character_tokenize(x))),
    ("generate_character_ngrams", |x| one(s::generate_character_ngrams(x, 2))),
    ("generate_ngrams", |x| one(s::generate_ngrams(x, 2, "_"))),
    ("hash_character_ngrams", |x| one(s::hash_character_ngrams(x, 2, 5))),
    ("ngrams_tokenize", |x| one(s::ngrams_tokenize(x, 2, &[" "], "_"))),
    ("normalize_spaces", |x| one(s::normalize_spaces(x))),
    ("to_floats", |x| one(s::to_floats(x, &DataType::Float64))),
    ("is_float", |x| one(s::is_float(x))),
    ("to_timestamps", |x| one(s::to_timestamps(x, &DataType::Date32, "%y"))),
    ("is_timestamp", |x| one(s::is_timestamp(x, "%y"))),
    ("to_durations", |x| one(s::to_durations(x, &DataType::Duration(TimeUnit::Second), "%S"))),
    ("is_duration", |x| one(s::is_duration(x, "%S"))),
    ("expect_converted", |x| {
        let numbers = s::to_integers(x, &DataType::Int64)?;
        let refused = s::expect_converted(x, &numbers).unwrap_err();
        one(Column::from_strs([refused.to_string()]))
    }),
    ("concatenate", |x| {
        let (table, separator) = (Table::try_new(vec![x.clone(), x.clone()])?, Scalar::from_column(x.slice(0, 1)?)?);
        one(s::concatenate(&table, &separator, JoinOptions::default()))
    }),
    ("join_list_elements", |x| one(s::join_list_elements(&lists(x)?, "-", JoinOptions::default()))),
    ("format_list_column", |x| one(s::format_list_column(&lists(x)?, "null", [",", "[", "]"]))),
    ("join_strings", |x| Ok(vec![s::join_strings(x, "-", None)?.column().clone()])),
    ("contains, a target for each row", |x| one(s::contains(x, x))),
    ("like, a scalar", |x| one(s::like(x, &Scalar::from_column(x.slice(2, 1)?)?, None))),
    ("replace, by columns", |x| one(s::replace(x, x, x, None))),
    ("replace_multiple", |x| one(s::replace_multiple(x, &x.slice(2, 3)?, &x.slice(3, 3)?))),
    ("edit_distance", |x| one(s::edit_distance(x, x))),
    ("jaccard_index", |x| one(s::jaccard_index(x, x, 2))),
    ("tokenize", |x| one(s::tokenize(x, &[" "]))),
    ("from_booleans", |x| {
        let text = Scalar::from_column(x.slice(4, 1)?)?;
        one(s::from_booleans(&s::contains(x, "a")?, &text, "no"))
    }),
];

fn lists(texts: &Column) -> Result<Column> {
    let offsets: Vec<i32> = (0..=texts.len() as i32 / 2).map(|row| row * 2).collect();
    let offsets = Column::from_slice(&offsets)?;
    gdf_core::make_lists_column(&offsets, texts.clone(), None)
}

#[test]
fn dictionaries_of_integers_are_written_as_these() {
    let device = test_device();
    let (stream, mr) = (scope::current_stream(device).unwrap(), current_resource(device).unwrap());
    let numbers: Int64Array = (0..200).map(|row| (row % 7 != 2).then_some(i64::from(row) % 11 - 3)).collect();
    let keys: DictionaryArray<Int16Type> =
        DictionaryArray::new((0..200_i16).map(|row| row % 50).collect(), Arc::new(numbers.slice(0, 50)));
    let plain = arrow_select::take::take(keys.values(), keys.keys(), None).unwrap();
    let of = |array: &dyn Array| Column::from_arrow(array, &stream, &mr).unwrap().slice(33, 150).unwrap();
    scope::with_device(device, || {
        let (keys, plain) = (of(&keys), of(&plain));
        let operations: [fn(&Column) -> Result<Column>; 2] = [|x| s::from_integers(x), |x| s::integers_to_hex(x)];
        for operation in operations {
            let text = |column| operation(column).unwrap().to_arrow(&stream).unwrap();
            assert_eq!(&text(&keys), &text(&plain));
        }
    });
}

#[test]
fn views_and_dictionaries_are_text() {
    let texts = [
        Some("a1 Straße aa"),
        None,
        Some(""),
        Some("17"),
        Some("a long text of more bytes than a view has aa9"),
        Some("ff"),
    ];
    let rows: Vec<_> = texts.iter().copied().cycle().take(200).collect();
    let device = test_device();
    let (stream, mr) = (scope::current_stream(device).unwrap(), current_resource(device).unwrap());
    let of = |array: ArrayRef| Column::from_arrow(&array, &stream, &mr).unwrap().slice(33, 150).unwrap();
    scope::with_device(device, || {
        let text = of(Arc::new(StringArray::from(rows.clone())));
        let views = of(Arc::new(StringViewArray::from(rows.clone())));
        let keys = of(Arc::new(rows.iter().copied().collect::<DictionaryArray<Int16Type>>()));
        for (name, operation) in OPERATIONS {
            let arrays = |column: &Column| -> Vec<ArrayRef> {
                let columns =
                    operation(column).unwrap_or_else(|error| panic!("{name} of {}: {error}", column.data_type()));
                columns.iter().map(|column| column.to_arrow(&stream).unwrap()).collect()
            };
            let expected = arrays(&text);
            assert_eq!(arrays(&views), expected, "{name} of views");
            assert_eq!(arrays(&keys), expected, "{name} of a dictionary");
        }
    });
}

/// A literal of text has no mask, so the program of a reduction cannot read one.
#[test]
fn literals_of_text_are_counted() {
    use gdf::expr::{Value, col, lit};
    use gdf::pipeline::{Pipeline, Reduction};
    use gdf::reduction::ReduceAggregation as A;
    scope::with_device(test_device(), || {
        let table = Table::try_new(vec![Column::from_slice(&[1, 2, 3]).unwrap()]).unwrap();
        let count = |text| {
            let reductions = [Reduction::new(text, A::CountValid), Reduction::new(col(0), A::Sum)];
            let counts = Pipeline::new(&table).filter(col(0).gt(1)).reduce(&reductions).unwrap();
            (counts.column(0).unwrap().get::<i64>(0).unwrap(), counts.column(1).unwrap().get::<i64>(0).unwrap())
        };
        assert_eq!(count(lit(Value::null(DataType::Utf8))), (Some(0), Some(5)));
        assert_eq!(count(lit("a")), (Some(2), Some(5)));
    });
}
