//! Tests the types, the memory and the hidden data of results.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gdf::copying::{OutOfBoundsPolicy, gather, has_nonempty_nulls, purge_nonempty_nulls};
use gdf::core::{ColumnParts, Field, NullCount};
use gdf::dictionary::{add_keys, encode};
use gdf::expr::{Expr, Function, col, lit};
use gdf::json::{JsonMismatch, JsonWriteOptions, from_json, to_json};
use gdf::lists::{DuplicateKeepOption, NanEquality, NullEquality, distinct, explode, sort_lists, sum};
use gdf::memory::{Buffer, StatisticsResource, current_resource};
use gdf::pipeline::{Pipeline, SortKey};
use gdf::prelude::*;
use gdf::reduction::{ReduceAggregation, reduce};
use gdf::replace::{clamp, clamp_with_replacements, find_and_replace_all};
use gdf::sorting::{NullOrder, Order};
use gdf::stream_compaction::distinct_indices;
use gdf::transform::compute_column;
use gdf::unary::cast;
use gdf::{Result, structs};
use gdf_test::compare::{BrokenRule, check_sanitized_beside};
use gdf_test::device::test_device;

/// Returns lists of a fixed size that an operation has gathered. The null list has elements.
fn gathered_lists() -> Result<Column> {
    let item = Field::new_list_field(DataType::Int32, true).into();
    let parts = ColumnParts::new(DataType::FixedSizeList(item, 2), test_device(), 2);
    let lists = Column::try_from_parts(parts.child(Column::from_slice(&[2, 1, 4, 3])?))?;
    let map = Column::from_options(&[Some(0), None, Some(1)])?;
    let gathered = gather(&Table::try_new(vec![lists])?, &map, OutOfBoundsPolicy::Nullify)?;
    gathered.column(0).cloned()
}

#[test]
fn null_lists_of_a_fixed_size_become_empty() {
    scope::with_device(test_device(), || -> Result<()> {
        let lists = gathered_lists()?;
        let (first, nulls, nans) = (DuplicateKeepOption::First, NullEquality::Equal, NanEquality::AllEqual);
        for lists in [sort_lists(&lists, Order::Ascending, NullOrder::Before)?, distinct(&lists, first, nulls, nans)?] {
            assert_eq!(sum(&lists)?.to_vec::<i64>()?, [Some(3), None, Some(7)]);
            let rows = Column::from_slice(&[10, 11, 12])?;
            let exploded = explode(&Table::try_new(vec![rows, lists.clone()])?, 1)?;
            assert_eq!(exploded.column(0)?.to_vec::<i32>()?, [10, 10, 12, 12].map(Some));
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn structs_that_become_null_hide_their_fields() {
    scope::with_device(test_device(), || -> Result<()> {
        let (stream, mr) = (scope::current_stream(test_device())?, current_resource(test_device())?);
        let struct_of = |column: Column| structs::from_columns(&Table::try_new(vec![column])?, &["field"]);
        let outer = struct_of(struct_of(Column::from_slice(&[1, 2, 3])?)?)?;
        let mask = Buffer::from_host(&[0b101], &stream, mr.as_ref())?;
        let outer = Column::try_from_parts(outer.into_parts().validity(Some(mask), NullCount::Unknown))?;
        let inner = structs::field(&outer, 0)?;
        assert!(!inner.sanitized() && has_nonempty_nulls(&inner)?);
        let clean = purge_nonempty_nulls(&inner)?;
        assert!(!has_nonempty_nulls(&clean)?);
        assert_eq!(clean.children()[0].null_count()?, 1);
        Ok(())
    })
    .unwrap();
}

#[test]
fn hidden_data_of_shared_results_is_found_below_a_wrong_mark() {
    scope::with_device(test_device(), || -> Result<()> {
        let (stream, mr) = (scope::current_stream(test_device())?, current_resource(test_device())?);
        // The texts and the field are those of the inputs. The mask is new, and its second row is null.
        let marked = |of: ColumnParts, is_marked: bool| {
            let mask = Buffer::from_host(&[0b101], &stream, mr.as_ref())?;
            let mut parts = of.validity(Some(mask), NullCount::Known(1));
            parts.sanitized = is_marked;
            // SAFETY: the texts are those of a column, and the null count is that of the mask. The mark may be wrong: no
            // operation reads the column.
            unsafe { Column::try_from_vouched_parts(parts) }
        };
        let (texts, field) = (Column::from_strs(["a", "b", "c"])?, Column::from_slice(&[1, 2, 3])?);
        let structs = || ColumnParts::structs(test_device(), 3, [("field", field.clone())]);
        let inputs = [texts.clone(), field.clone()];
        for (parts, rule) in [
            (texts.clone().into_parts(), BrokenRule::NullNotEmpty { row: 1 }),
            (structs(), BrokenRule::NullNotPushedDown { row: 1, child: 0 }),
        ] {
            check_sanitized_beside(&marked(parts.clone(), false)?, &inputs, &stream).unwrap();
            let found = check_sanitized_beside(&marked(parts, true)?, &inputs, &stream).unwrap_err();
            assert_eq!(found.rule, rule);
        }
        Ok(())
    })
    .unwrap();
}

fn decimals(precision: u8, rows: i128) -> Result<Column> {
    Column::from_slice(&(0..rows).collect::<Vec<_>>())?.with_type(DataType::Decimal128(precision, 2))
}

/// The precision of a column may differ from the precision of the values that replace its rows.
#[test]
fn replaced_values_have_the_type_of_the_column() {
    scope::with_device(test_device(), || -> Result<()> {
        let column = decimals(38, 300)?;
        // The number of values decides how the values are found.
        for count in [3, 40, 129, 200] {
            let replaced = find_and_replace_all(&column, &decimals(38, count)?, &decimals(20, count)?)?;
            assert_eq!(replaced.data_type(), column.data_type(), "{count} values");
        }
        let points = |precision| structs::from_columns(&Table::try_new(vec![decimals(precision, 9)?])?, &["x"]);
        let replaced = find_and_replace_all(&points(38)?, &points(38)?, &points(20)?)?;
        assert_eq!(replaced.data_type(), points(38)?.data_type());

        let encoded = encode(&column, &DataType::Int32)?;
        assert_eq!(cast(&encoded, decimals(20, 1)?.data_type())?.data_type(), decimals(20, 1)?.data_type());

        let bounds = decimals(20, 300)?;
        assert_eq!(clamp(&column, &bounds, &bounds)?.data_type(), column.data_type());
        let bound = Operand::from(&bounds);
        let clamped = clamp_with_replacements(&column, [bound; 2], [bound; 2])?;
        assert_eq!(clamped.data_type(), column.data_type());
        Ok(())
    })
    .unwrap();
}

#[track_caller]
fn check_free(resource: &StatisticsResource) -> Result<()> {
    // Some memory is freed only when events complete.
    scope::current_stream(test_device())?.synchronize()?;
    let deadline = Instant::now() + Duration::from_secs(2);
    while resource.statistics().bytes.current > 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(resource.statistics().bytes.current, 0);
    Ok(())
}

#[test]
fn keys_of_an_empty_dictionary_are_not_in_temporary_memory() {
    scope::with_device(test_device(), || -> Result<()> {
        let output = current_resource(test_device())?;
        let temporary = StatisticsResource::new(output.clone());
        let dictionary = encode(&Column::from_options(&[None::<i32>, None])?, &DataType::Int8)?;
        let keys = Column::from_slice(&[3, 1])?;
        let counted = Resource::new(temporary.clone());
        let added = scope::with_resources(&output, &counted, || add_keys(&dictionary, &keys))??;
        assert_eq!(added.children()[0].to_vec::<i32>()?, [1, 3].map(Some));
        check_free(&temporary)
    })
    .unwrap();
}

#[test]
fn fields_of_structs_are_not_in_temporary_memory() {
    scope::with_device(test_device(), || -> Result<()> {
        let output = current_resource(test_device())?;
        let temporary = StatisticsResource::new(output.clone());
        let counted = Resource::new(temporary.clone());
        let numbers = Column::from_slice(&[3, 1, 2])?;
        let points = structs::from_columns(&Table::try_new(vec![numbers.clone()])?, &["x"])?;
        let table = Table::try_new(vec![points, numbers])?;
        let x = || [Expr::call(Function::StructField, [col(0), lit("x")])];
        // The structs of the rows that pass, and those in sorted order, are temporary.
        let filtered = || Pipeline::new(&table).filter(col(1).gt(2)).project(&x());
        let sorted = || Pipeline::new(&table).sort_by([SortKey::ascending(col(1))]).project(&x());
        let filtered = scope::with_resources(&output, &counted, filtered)??;
        let sorted = scope::with_resources(&output, &counted, sorted)??;
        assert_eq!(filtered.column(0)?.to_vec::<i32>()?, [Some(3)]);
        assert_eq!(sorted.column(0)?.to_vec::<i32>()?, [1, 2, 3].map(Some));
        check_free(&temporary)
    })
    .unwrap();
}

#[test]
fn values_that_stay_the_same_are_not_in_temporary_memory() {
    scope::with_device(test_device(), || -> Result<()> {
        let output = current_resource(test_device())?;
        let temporary = StatisticsResource::new(output.clone());
        let counted = Resource::new(temporary.clone());
        let table = Table::try_new(vec![Column::from_slice(&[3, 1, 2])?])?;
        let same = [Expr::call(Function::Round, [col(0) + 1, lit(0)]), lit("text").cast(DataType::Binary)];
        let compute = || same.iter().map(|value| compute_column(&table, value)).collect::<Result<Vec<_>>>();
        let same = scope::with_resources(&output, &counted, compute)??;
        assert_eq!(same[0].to_vec::<i32>()?, [4, 2, 3].map(Some));
        assert_eq!((same[1].data_type(), same[1].len()), (&DataType::Binary, 3));
        check_free(&temporary)
    })
    .unwrap();
}

#[test]
fn elements_of_more_than_64_bits_are_compared_whole() {
    scope::with_device(test_device(), || -> Result<()> {
        let table = Table::try_new(vec![Column::from_options(&[Some(5_i64), None, Some(-7)])?])?;
        let decimals = col(0).cast(DataType::Decimal128(38, 0));
        for (element, is_found) in [((1_i128 << 64) + 5, false), (5, true), (-(1_i128 << 64) - 7, false)] {
            let found = compute_column(&table, &decimals.clone().is_in([element]))?;
            assert_eq!(found.to_vec::<bool>()?, [Some(is_found), None, Some(false)], "{element}");
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn variances_of_large_numbers_are_not_negative() {
    scope::with_device(test_device(), || -> Result<()> {
        let column = Column::from_slice(&[1e308, -1e308])?;
        for of in [ReduceAggregation::Variance { ddof: 1 }, ReduceAggregation::Std { ddof: 1 }] {
            let found = reduce(&column, of, &DataType::Float64)?;
            assert_eq!(found.value::<f64>()?, Some(f64::INFINITY), "{of:?}");
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn slices_of_lists_are_written_without_the_other_rows() {
    const ROWS: usize = 50_000;
    scope::with_device(test_device(), || -> Result<()> {
        let item = Arc::new(Field::new_list_field(DataType::Int64, true));
        let fields = vec![Field::new("keys", DataType::Utf8, false), Field::new("values", DataType::Int64, true)];
        let entries = Arc::new(Field::new("entries", DataType::Struct(fields.into()), false));
        let read = |data_type: DataType, text: fn(usize) -> String| {
            let texts: Vec<_> = (0..ROWS).map(|row| Some(text(row))).collect();
            from_json(&Column::from_strs(&texts)?, &data_type, JsonMismatch::Error)
        };
        let elements = Column::from_slice(&(0..2 * ROWS as i64).collect::<Vec<_>>())?;
        let arrays = ColumnParts::new(DataType::FixedSizeList(item.clone(), 2), test_device(), ROWS).child(elements);
        let columns = [
            (read(DataType::List(item), |row| format!("[{},{}]", 2 * row, 2 * row + 1))?, "[40000,40001]"),
            (read(DataType::Map(entries, false), |row| format!("{{\"a\":{row}}}"))?, "{\"a\":20000}"),
            (Column::try_from_parts(arrays)?, "[40000,40001]"),
        ];
        for (column, first) in columns {
            let output = current_resource(test_device())?;
            let temporary = StatisticsResource::new(output.clone());
            let counted = Resource::new(temporary.clone());
            let slice = column.slice(20_000, 3)?;
            let written = scope::with_resources(&output, &counted, || to_json(&slice, JsonWriteOptions::default()))??;
            assert_eq!(written.to_strings()?[0].as_deref(), Some(first));
            // The texts of all elements would need more.
            let peak = temporary.statistics().bytes.peak;
            assert!(peak < 1 << 18, "{first}: {peak} bytes");
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn null_fields_differ_from_null_structs_and_from_values() {
    scope::with_device(test_device(), || -> Result<()> {
        // The value of a null is 0 in memory.
        let field = Column::from_options(&[Some(1), None, Some(0), None, None])?;
        let points = structs::from_columns(&Table::try_new(vec![field])?, &["x"])?;
        // The rows 0 and 3 become null.
        let map = Column::from_options(&[None, Some(1), Some(2), None, Some(4)])?;
        let keys = gather(&Table::try_new(vec![points])?, &map, OutOfBoundsPolicy::Nullify)?;
        let (keep, nulls, nans) = (DuplicateKeepOption::First, NullEquality::Equal, NanEquality::AllEqual);
        let rows = distinct_indices(&keys, keep, nulls, nans)?;
        assert_eq!(rows.to_vec::<u32>()?, [0, 1, 2].map(Some));
        Ok(())
    })
    .unwrap();
}
