//! Entries of `hashing`.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use arrow_schema::{DataType, Field, Fields};
use gdf_api::hashing::{self, DigestFunction};
use gdf_core::{Column, Error, Result, Table, is_nested};

use super::{Case, Entry, SliceCosts};
use crate::naive;
use crate::naive::hashing::Function;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, SMALL_BRACKETS, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("hashing.murmurhash3_x86_32", Equality::Exact, || cases(Function::Murmur32)),
        Entry::new("hashing.murmurhash3_x64_128", Equality::Exact, || cases(Function::Murmur128)),
        Entry::new("hashing.xxhash_32", Equality::Exact, || cases(Function::XxHash32)),
        Entry::new("hashing.xxhash_64", Equality::Exact, || cases(Function::XxHash64)),
        Entry::new("hashing.digest", Equality::Exact, digests),
    ]
}

fn run(inputs: &[Column], function: Function, seed: u64) -> Result<Vec<Column>> {
    let table = Table::try_new(inputs.to_vec())?;
    Ok(match function {
        Function::Murmur32 => vec![hashing::murmurhash3_x86_32(&table, seed as u32)?],
        Function::XxHash32 => vec![hashing::xxhash_32(&table, seed as u32)?],
        Function::XxHash64 => vec![hashing::xxhash_64(&table, seed)?],
        Function::Murmur128 => hashing::murmurhash3_x64_128(&table, seed)?.into_columns(),
    })
}

fn case(label: String, columns: Vec<ArrayRef>, function: Function, seed: u64) -> Case {
    // The operation waits at each level of lists.
    let has_nested = columns.iter().any(|column| is_nested(column.data_type()));
    let (waits, slices) = if has_nested { (16, SliceCosts::Own) } else { (0, SliceCosts::Same) };
    Case::new(
        label,
        columns,
        move |inputs| run(inputs, function, seed),
        move |inputs| {
            let seed =
                if matches!(function, Function::Murmur32 | Function::XxHash32) { seed as u32 as u64 } else { seed };
            naive::hashing::hash(inputs, function, seed)
        },
        waits,
    )
    .with_slice_costs(slices)
}

fn dictionaries() -> Vec<DataType> {
    let dictionary = |keys, values| DataType::Dictionary(Box::new(keys), Box::new(values));
    vec![
        dictionary(DataType::Int8, DataType::Utf8),
        dictionary(DataType::UInt32, DataType::Float64),
        dictionary(DataType::Int64, DataType::LargeBinary),
    ]
}

fn nested() -> Vec<DataType> {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let list = |of: DataType| DataType::List(Arc::new(Field::new_list_field(of, true)));
    let pair = |one, other| DataType::Struct(vec![field("one", one), field("other", other)].into());
    let fixed = |of: DataType, width| DataType::FixedSizeList(Arc::new(Field::new_list_field(of, true)), width);
    vec![
        list(DataType::Int32),
        DataType::LargeList(Arc::new(field("text", DataType::Utf8))),
        fixed(DataType::Float64, 3),
        DataType::Struct(Fields::empty()),
        super::shared::tables::nested(),
        pair(list(DataType::Boolean), list(DataType::Utf8View)),
        list(pair(DataType::Int16, list(DataType::Float32))),
        DataType::Dictionary(Box::new(DataType::Int16), Box::new(list(DataType::Utf8))),
        list(DataType::Dictionary(Box::new(DataType::Int32), Box::new(pair(DataType::Int8, list(DataType::Int16))))),
        list(list(pair(pair(DataType::Utf8, DataType::Int8), fixed(dictionaries().remove(0), 2)))),
    ]
}

fn types() -> Vec<DataType> {
    let others = vec![DataType::FixedSizeBinary(100), DataType::Null];
    [data::fixed_width(), data::strings(), dictionaries(), others].concat()
}

fn cases(function: Function) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |label: String, types: &[DataType], rows, nulls, seed: u64| {
        let columns = types.iter().zip(seed..).map(|(data_type, seed)| random_array(data_type, rows, nulls, seed));
        cases.push(case(label, columns.collect(), function, seed * 0x1_0000_0001));
    };
    for (data_type, seed) in types().into_iter().zip(0..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            add(format!("{data_type}/77/{nulls:?}"), std::slice::from_ref(&data_type), 77, nulls, seed);
        }
    }
    let narrow = [DataType::Int64, DataType::Boolean, DataType::Float32, DataType::Int16, DataType::UInt8];
    let mixed = [DataType::Utf8, DataType::Float64, DataType::Decimal128(38, 10), DataType::Boolean];
    for (&rows, seed) in BRACKETS.iter().zip(200..) {
        for &nulls in NullPattern::ALL {
            add(format!("numbers/{rows}/{nulls:?}"), &narrow, rows, nulls, seed);
            if rows < 300 || nulls == NullPattern::Some {
                add(format!("mixed/{rows}/{nulls:?}"), &mixed, rows, nulls, seed);
            }
        }
        add(format!("one/{rows}"), &narrow[..1], rows, NullPattern::None, seed);
    }
    for (rows, seed) in data::limit_brackets().into_iter().zip(400..) {
        add(format!("limits/{rows}"), &narrow[..1], rows, NullPattern::Some, seed);
    }
    // The columns need several launches.
    let many: Vec<_> = dictionaries().into_iter().cycle().take(40).collect();
    add("wide/300".to_owned(), &types(), 300, NullPattern::Some, 300);
    add("dictionaries/300".to_owned(), &many, 300, NullPattern::Every(3), 301);
    let numbers: Vec<_> = narrow.into_iter().cycle().take(70).collect();
    add("numbers 70/300".to_owned(), &numbers, 300, NullPattern::Some, 302);
    for (data_type, seed) in nested().into_iter().zip(500..) {
        for (&rows, &nulls) in [0, 1, 77, 3_000].iter().zip(NullPattern::ALL.iter().cycle()) {
            let types = [data_type.clone(), DataType::Int32];
            add(format!("nested {data_type}/{rows}/{nulls:?}"), &types[..1 + rows % 2], rows, nulls, seed);
        }
        add(format!("nested {data_type}/77"), std::slice::from_ref(&data_type), 77, NullPattern::Some, seed);
    }
    cases
}

fn digest_case(label: String, columns: Vec<ArrayRef>, function: DigestFunction) -> Case {
    // A case of one column calls the short form.
    let is_short = |(short, _): &&(DigestFunction, _)| *short == function && columns.len() == 1;
    let short = hashing::SHORT_FORMS.iter().find(is_short).map(|(_, short)| *short);
    let waits = if columns.iter().any(|column| is_nested(column.data_type())) { 8 } else { 0 };
    Case::new(
        format!("{function:?}/{label}"),
        columns,
        move |inputs| {
            let table = Table::try_new(inputs.to_vec())?;
            Ok(vec![short.map_or_else(|| hashing::digest(&table, function), |short| short(table.view()))?])
        },
        move |inputs| naive::hashing::digest(inputs, function),
        waits,
    )
}

fn digests() -> Vec<Case> {
    let mut cases = Vec::new();
    let others = vec![DataType::FixedSizeBinary(100), DataType::Null, DataType::Boolean];
    let types = [data::numeric(), data::decimal(), data::strings(), dictionaries(), others].concat();
    for function in DigestFunction::ALL {
        for (data_type, seed) in types.iter().zip(0..) {
            let column = random_array(data_type, 77, NullPattern::Some, seed);
            cases.push(digest_case(format!("{data_type}"), vec![column], *function));
        }
        if *function == DigestFunction::Md5 {
            let elements = [data::numeric(), data::decimal(), data::strings(), dictionaries()].concat();
            let others = [DataType::Boolean, DataType::Utf8View, DataType::BinaryView];
            for (of, seed) in elements.into_iter().chain(others).zip(0..) {
                let list = DataType::List(Arc::new(Field::new_list_field(of, true)));
                let fixed = random_array(&DataType::Int16, 77, NullPattern::Some, seed);
                let columns = vec![random_array(&list, 77, NullPattern::Some, seed), fixed];
                cases.push(digest_case(format!("{list}"), columns, *function));
            }
        }
        // The columns need several launches.
        let wide =
            types.iter().cycle().take(70).zip(0..).map(|(of, seed)| random_array(of, 33, NullPattern::Every(3), seed));
        cases.push(digest_case("wide".to_owned(), wide.collect(), *function));
        // The texts end at every position of blocks of 64 and 128 bytes.
        let texts = (0..300).map(|len| (len % 7 != 3).then(|| "x".repeat(len)));
        let texts: ArrayRef = std::sync::Arc::new(StringArray::from_iter(texts));
        cases.push(digest_case("lengths".to_owned(), vec![texts], *function));
        for (&rows, seed) in SMALL_BRACKETS.iter().zip(0..) {
            let of = |data_type: &DataType| random_array(data_type, rows, NullPattern::Some, seed);
            let columns = vec![of(&DataType::Float64), of(&DataType::Utf8)];
            cases.push(digest_case(format!("{rows}"), columns, *function));
        }
    }
    let unsupported = |error: &Error| matches!(error, Error::Unsupported { .. });
    let is_decoded = |data_type: &DataType| {
        matches!(data_type, DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView)
    };
    for data_type in [data::temporal(), data::nested(), data::views()].concat() {
        if is_decoded(&data_type) {
            continue;
        }
        let function = match data_type {
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => DigestFunction::Sha1,
            _ => DigestFunction::Md5,
        };
        let column = random_array(&data_type, 3, NullPattern::None, 1);
        let run = move |inputs: &[Column]| Ok(vec![hashing::digest(&Table::try_new(inputs.to_vec())?, function)?]);
        cases.push(Case::refused(format!("refused {data_type}"), vec![column], run, unsupported));
    }
    cases
}
