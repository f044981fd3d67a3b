//! Tests columns, scalars and tables that are created, read and printed through the scope. Also tests literals as
//! operands.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, ListArray, StringArray};
use gdf::binaryop::{self, BinaryOperator, binary_operation};
use gdf::copying::copy_if_else;
use gdf::replace::replace_nulls;
use gdf_core::{Column, DataType, Error, Literal, NativeValue, Operand, Scalar, Table, scope};
use gdf_driver::{Device, Stream};
use gdf_memory::{LimitingResource, Resource, StatisticsResource, current_resource};
use gdf_test::device::test_device;

fn on_device<R>(work: impl FnOnce(Device) -> R) -> R {
    let device = test_device();
    scope::with_device(device, || work(device))
}

fn counted(device: Device) -> (Resource, StatisticsResource) {
    let statistics = StatisticsResource::new(current_resource(device).unwrap());
    (Resource::new(statistics.clone()), statistics)
}

#[test]
fn what_is_made_is_read_back() {
    fn check<T: NativeValue>(values: [T; 3]) {
        let column = Column::from_slice(&values).unwrap();
        assert_eq!((column.device(), column.data_type()), (test_device(), &T::DATA_TYPE));
        assert_eq!(column.to_vec::<T>().unwrap(), values.map(Some));
        let options = [Some(values[0]), None, Some(values[2]), None];
        let column = Column::from_options(&options.repeat(30)).unwrap();
        assert_eq!(column.null_count().unwrap(), 60);
        assert_eq!(column.slice(13, 101).unwrap().to_vec::<T>().unwrap(), options.repeat(30)[13..114]);
        assert_eq!(column.get::<T>(2).unwrap(), options[2]);
    }
    on_device(|device| {
        check([1_i8, -1, i8::MIN]);
        check([1_u64, 0, u64::MAX]);
        check([0.5, -0.0, 1e300]);
        check([1_i128, -1, i128::MAX]);
        check([true, false, true]);
        let texts: Vec<_> = (0..70).map(|row| (row % 7 != 3).then(|| format!("text {row}").repeat(row % 4))).collect();
        let column = Column::from_strs(&texts).unwrap();
        assert_eq!((column.device(), column.to_strings().unwrap()), (device, texts.clone()));
        assert_eq!(column.slice(5, 30).unwrap().to_strings().unwrap(), texts[5..35]);
        assert_eq!(Column::sequence(5_i64, 3, 1000).unwrap().get::<i64>(999).unwrap(), Some(5 + 3 * 999));
        assert_eq!(Column::full("ab", 3).unwrap().to_strings().unwrap(), vec![Some("ab".to_owned()); 3]);
        assert_eq!(Column::nulls(&DataType::Utf8, 40).unwrap().null_count().unwrap(), 40);
        assert_eq!(Column::empty(&DataType::Utf8).unwrap().to_strings().unwrap(), []);
        assert_eq!(Scalar::new("Oslo").unwrap().value::<String>().unwrap().as_deref(), Some("Oslo"));
        assert_eq!(Scalar::new(None::<i32>).unwrap().value::<i32>().unwrap(), None);
    });
}

#[test]
fn memory_and_stream_are_those_of_the_scope() {
    on_device(|device| {
        let ((resource, counts), stream) = (counted(device), gdf_test::device::new_stream(device).unwrap());
        let column = scope::with_resource(&resource, || scope::with_stream(&stream, || Column::from_slice(&[1, 2])));
        assert_eq!((counts.statistics().allocations.total, column.unwrap().buffers()[0].writer()), (1, stream));
    });
}

#[test]
fn literals_do_what_scalars_do() {
    fn check<'a>(column: &Column, literal: impl Into<Literal<'a>>, ops: &[BinaryOperator]) {
        let literal = literal.into();
        let scalar = Scalar::new(literal).unwrap();
        for &op in ops {
            for is_left in [false, true] {
                let run = |value: Operand<'_>| {
                    let sides = if is_left { [value, column.into()] } else { [column.into(), value] };
                    let output = binaryop::default_output_type(op, sides[0].data_type(), sides[1].data_type())?;
                    binary_operation(sides[0], sides[1], op, &output)
                };
                let (here, there) = (run(literal.into()).unwrap(), run((&scalar).into()).unwrap());
                assert_eq!(&here.to_array().unwrap(), &there.to_array().unwrap(), "{op:?} {literal:?}");
            }
        }
    }
    use BinaryOperator::{Add, Div, Equal, Less, NullLogicalAnd, NullMax};
    on_device(|_| {
        for rows in [0, 1, 63, 64, 1000] {
            let values: Vec<_> = (0..rows).map(|row| (row % 5 != 2).then_some(row % 9)).collect();
            let numbers = Column::from_options(&values).unwrap();
            check(&numbers, 3, &[Add, Div, Equal, Less, NullMax]);
            check(&numbers, 2.5, &[Add, Div, Less]);
            check(&numbers, None::<i32>, &[Add, Equal, NullMax]);
            check(
                &numbers.with_type(DataType::Date32).unwrap(),
                Literal::typed(Some(4), &DataType::Date32).unwrap(),
                &[Less],
            );
            let texts = Column::from_strs(values.iter().map(|value| value.map(|value| format!("{value}")))).unwrap();
            check(&texts, "5", &[Equal, Less]);
            check(&texts, None::<&str>, &[Equal]);
            let flags: Vec<_> = values.iter().map(|value| value.map(|value| value > 4)).collect();
            check(&Column::from_options(&flags).unwrap(), true, &[NullLogicalAnd, Equal]);
        }
    });
}

#[test]
fn literals_take_the_type_of_a_column_beside_them() {
    on_device(|_| {
        let column = Column::from_options(&[Some(1_i64), None, Some(3)]).unwrap();
        let filled = replace_nulls(&column, 7).unwrap();
        assert_eq!(filled.to_vec::<i64>().unwrap(), [Some(1), Some(7), Some(3)]);
        assert!(matches!(replace_nulls(&column, 7.5), Err(Error::TypeMismatch { .. })));
        assert!(matches!(replace_nulls(&column, "7"), Err(Error::TypeMismatch { .. })));
        let mask = Column::from_slice(&[true, false, true]).unwrap();
        assert_eq!(copy_if_else(&column, 0, &mask).unwrap().to_vec::<i64>().unwrap(), [Some(1), Some(0), Some(3)]);
        assert_eq!(copy_if_else("a", "b", &mask).unwrap().get::<String>(1).unwrap().as_deref(), Some("b"));
        assert!(matches!(copy_if_else(1, "b", &mask), Err(Error::TypeMismatch { .. })));
        assert!(matches!(binaryop::add(1, 2), Err(Error::InvalidArgument { .. })));
    });
}

#[test]
fn literals_take_no_memory_on_the_cpu() {
    let column = Column::from_slice(&[1.0, 2.0]).unwrap();
    let text = Column::from_strs(["a", "b"]).unwrap();
    let ((resource, counts), none) =
        (counted(Device::Cpu), LimitingResource::new(current_resource(Device::Cpu).unwrap(), 0));
    let allocations = |work: &dyn Fn() -> Column| {
        let before = counts.statistics().allocations.total;
        scope::with_resources(&resource, &Resource::new(none.clone()), work).unwrap();
        counts.statistics().allocations.total - before
    };
    // One allocation holds both the values and the validity bits of the result.
    assert_eq!(allocations(&|| binaryop::add(&column, 3.0).unwrap()), 1);
    assert_eq!(allocations(&|| binaryop::lt(&text, "b").unwrap()), 1);
}

#[test]
fn tables_are_printed_from_where_they_are() {
    on_device(|device| {
        let names = (0..100).map(|row| (row != 97).then(|| format!("row {row}")));
        let table =
            Table::try_new(vec![Column::sequence(0, 1, 100).unwrap(), Column::from_strs(names).unwrap()]).unwrap();
        let text = table.display_with(&["id", "name"]).to_string();
        assert!(text.ends_with(&format!("100 rows × 2 columns on {device}")), "{text}");
        assert!(text.contains("│     4 ┆ row 4  │\n│     … ┆ …      │\n│    95 ┆ row 95 │"), "{text}");
        assert!(text.contains("│    97 ┆ null   │"), "{text}");
        let (statistics, schema) = gdf::reduction::describe(&table, &["id"]).unwrap();
        assert_eq!(schema.field(1).name(), "id");
        assert_eq!(
            statistics.column(1).unwrap().to_vec::<f64>().unwrap()[..5],
            [100.0, 0.0, 0.0, 99.0, 49.5].map(Some)
        );
        let batch = table.tail(3).to_batch(&["id", "name"]).unwrap();
        let again = Table::from_batch(&batch).unwrap();
        assert_eq!(again.column(0).unwrap().to_vec::<i32>().unwrap(), [97, 98, 99].map(Some));
        assert_eq!(again.to_device(Device::Cpu).unwrap().device(), Some(Device::Cpu));
        assert!(table.to_batch(&["id"]).is_err());
    });
}

/// The counter of the stream counts the copied bytes.
#[test]
fn printing_copies_what_is_shown() {
    let Some(device) = gdf_test::device::cuda_device("printing a part of a column") else { return };
    let stream = Stream::new(device).unwrap();
    scope::with_device(device, || {
        scope::with_stream(&stream, || {
            let column = Column::sequence(0_i64, 1, 1_000_000).unwrap();
            let before = stream.counters().device_to_host_bytes;
            assert!(column.to_string().contains("999999"));
            assert_eq!(stream.counters().device_to_host_bytes - before, 10 * 8);
        });
    });
}

/// The tables have numbers, masks, texts and lists.
#[test]
fn small_tables_come_to_the_cpu_with_one_wait() {
    on_device(|device| {
        let stream = gdf_test::device::new_stream(device).unwrap();
        let long: Vec<_> = (0..5000).map(|row| (row % 9 != 4).then(|| format!("row {row}"))).collect();
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(
            (0..40).map(|row| (row % 5 != 1).then(|| (0..row % 4).map(Some).collect::<Vec<_>>())),
        );
        let short: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter((0..40).map(|row| (row % 3 > 0).then_some(row)))),
            Arc::new(BooleanArray::from_iter((0..40).map(|row| (row % 7 > 0).then_some(row % 2 == 0)))),
            Arc::new(StringArray::from(long[..40].to_vec())),
            Arc::new(LargeStringArray::from(long[40..80].to_vec())),
            Arc::new(lists),
        ];
        let sliced: Vec<ArrayRef> = vec![
            Arc::new(Float64Array::from_iter_values((0..5000).map(f64::from))),
            Arc::new(StringArray::from(long.clone())),
            Arc::new(LargeStringArray::from(long)),
        ];
        for (arrays, first, waits) in [(short, 0, 1), (sliced, 4321, 2)] {
            let arrays: Vec<_> = arrays.into_iter().map(|array| (array, first)).collect();
            let columns = arrays.iter().map(|(array, first)| {
                let column = Column::from_arrow(array, &stream, current_resource(device).unwrap().as_ref()).unwrap();
                column.slice(*first, 37).unwrap()
            });
            let table = Table::try_new(columns.collect()).unwrap();
            let schema = table.schema(&["a", "b", "c", "d", "e"][..table.num_columns()]);
            let before = stream.counters();
            let batch = table.to_arrow(&schema, &stream).unwrap();
            let cost = stream.counters() - before;
            for (index, (array, first)) in arrays.iter().enumerate() {
                assert_eq!(batch.column(index), &array.slice(*first, 37), "column {index}");
            }
            assert_eq!((cost.waits, cost.launches), (if device.is_cpu() { 0 } else { waits }, 0));
        }
    });
}
