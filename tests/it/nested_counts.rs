//! Tests nested keys whose elements or bytes are too many for offsets or for memory. The columns are small
//! nevertheless, because rows share their texts and elements need no memory. Both devices must refuse such keys before
//! they write anything.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use gdf::core::{ColumnParts, Field};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{NullEquality, inner_join, left_semi_join};
use gdf::prelude::*;
use gdf::sorting::{self, NullOrder, Order};
use gdf::stream_compaction::{DuplicateKeepOption, NanEquality, distinct};
use gdf::validation::validate;
use gdf::{scope, structs};
use gdf_core::{Error, Result};
use gdf_memory::{LimitingResource, Resource, current_resource};
use gdf_test::device::test_device;

/// The number of bytes that an operation may allocate.
const LIMIT: usize = 64 << 20;
/// The number of bytes of a text, and the number of rows whose texts have 2³¹ bytes together.
const TEXT: usize = 1 << 20;
const ROWS: usize = 2048;

fn limited<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    let mr = Resource::new(LimitingResource::new(current_resource(test_device())?, LIMIT));
    scope::with_resources(&mr, &mr, run)?
}

type Operation = (&'static str, fn(&Table) -> Result<usize>);

/// Operations on keys, which return a number of rows.
fn operations() -> Vec<Operation> {
    vec![
        ("group_by", |keys| {
            let request = AggregationRequest::new(keys.column(0)?, [GroupByAggregation::CountAll]);
            Ok(GroupBy::new(keys, NullPolicy::Include).aggregate(&[request])?.0.num_rows())
        }),
        ("inner_join", |keys| {
            let one = keys.slice(0, 1)?;
            Ok(inner_join(keys, &one, NullEquality::Equal)?.0.len())
        }),
        ("left_semi_join", |keys| Ok(left_semi_join(keys, keys, NullEquality::Unequal)?.len())),
        ("sorted_order", |keys| Ok(sorting::sorted_order(keys, &[Order::Ascending], &[NullOrder::After])?.len())),
        ("sort", |keys| Ok(sorting::sort(keys, &[Order::Descending], &[])?.num_rows())),
        ("distinct", |keys| {
            let (nulls, nans) = (NullEquality::Equal, NanEquality::AllEqual);
            Ok(distinct(keys, &[0], DuplicateKeepOption::First, nulls, nans)?.num_rows())
        }),
    ]
}

fn list_of(elements: Column, offsets: &[i64]) -> Column {
    let item = Field::new("item", elements.data_type().clone(), true).into();
    let offsets = Column::from_slice(offsets).unwrap();
    let rows = offsets.len() - 1;
    let mut parts = ColumnParts::new(DataType::LargeList(item), test_device(), rows);
    parts.buffers.push(offsets.buffers()[0].clone());
    parts.children.push(elements);
    Column::try_from_parts(parts).unwrap()
}

/// Returns rows that share one text. The last row has only the first `last` bytes of the text.
fn shared(last: usize) -> Column {
    let text = "x".repeat(TEXT);
    let mut rows = StringViewBuilder::new().with_deduplicate_strings();
    (1..ROWS).for_each(|_| rows.append_value(&text));
    rows.append_value(&text[..last]);
    Column::from_array(&(Arc::new(rows.finish()) as arrow_array::ArrayRef)).unwrap()
}

/// Returns keys that have the texts at different depths.
fn with_texts(texts: &Column) -> Vec<(&'static str, Column)> {
    let fields =
        |columns: Vec<Column>, names: &[&str]| structs::from_columns(&Table::try_new(columns).unwrap(), names).unwrap();
    let each: Vec<i64> = (0..=ROWS as i64).collect();
    let (texts, number) = (|| texts.clone(), Column::full(7, ROWS).unwrap());
    vec![
        ("struct", fields(vec![texts()], &["text"])),
        ("struct of two", fields(vec![texts(), number], &["text", "number"])),
        ("list", list_of(texts(), &each)),
        ("list of structs", list_of(fields(vec![texts()], &["text"]), &each)),
        ("one list", list_of(texts(), &[0, ROWS as i64])),
    ]
}

#[test]
fn keys_with_texts_of_more_bytes_than_offsets_count_are_refused() {
    scope::with_device(test_device(), || {
        for (last, overflows) in [(TEXT - 1, false), (TEXT, true)] {
            let texts = shared(last);
            validate(&texts).unwrap();
            for (shape, keys) in with_texts(&texts) {
                let keys = Table::try_new(vec![keys]).unwrap();
                for (name, run) in operations() {
                    let error = limited(|| run(&keys)).unwrap_err();
                    let is_right = match &error {
                        Error::OffsetOverflow { needed, .. } => overflows && *needed == 1 << 31,
                        error => !overflows && error.is_out_of_memory(),
                    };
                    assert!(is_right, "{name} of a {shape}, the last text has {last} bytes: {error:?}");
                }
            }
        }
    });
}

#[test]
fn keys_of_more_elements_than_memory_are_refused() {
    scope::with_device(test_device(), || {
        let most = isize::MAX as usize - 1;
        for count in [1_usize << 31, (1 << 31) + 1, 1 << 32, 1 << 50, 1 << 60, 1 << 61, 1 << 62, most] {
            let empty = ColumnParts::new(DataType::Struct(Default::default()), test_device(), count);
            let empty = Column::try_from_parts(empty).unwrap();
            let all = count as i64;
            for offsets in [vec![0, all], vec![0, 1, all], vec![0, all / 2, all]] {
                let lists = list_of(empty.clone(), &offsets);
                let inner = list_of(lists.clone(), &[0, 0, lists.len() as i64]);
                let point = structs::from_columns(&Table::try_new(vec![lists.clone()]).unwrap(), &["lists"]).unwrap();
                for keys in [lists, inner, point] {
                    let keys = Table::try_new(vec![keys]).unwrap();
                    for (name, run) in operations() {
                        let error = limited(|| run(&keys)).unwrap_err();
                        let is_right = matches!(error, Error::OffsetOverflow { .. }) || error.is_out_of_memory();
                        assert!(is_right, "{name} of lists at {offsets:?}: {error:?}");
                    }
                }
            }
        }
    });
}
