//! Calls public functions from many threads on shared inputs. Each thread has its own stream.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
use gdf::arrow::schema::{DataType, Field, Schema};
use gdf::binaryop::{BinaryOperator, binary_operation};
use gdf::prelude::*;
use gdf::stream_compaction::apply_boolean_mask;
use gdf_test::device::{cuda_device, test_device};

#[test]
fn operations_share_inputs_between_threads() {
    let device = test_device();
    let rows = 10_000;
    let values: ArrayRef = Arc::new(Int64Array::from_iter((0..rows).map(|i| (i % 7 != 0).then_some(i))));
    let mask: ArrayRef = Arc::new(BooleanArray::from_iter((0..rows).map(|i| Some(i % 3 == 0))));
    let schema = Arc::new(Schema::new(vec![
        Field::new("values", DataType::Int64, true),
        Field::new("mask", DataType::Boolean, true),
    ]));
    let batch = RecordBatch::try_new(schema, vec![values, mask]).unwrap();
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    let table = Table::from_arrow(&batch, &stream, resource.as_ref()).unwrap();
    let expected = (0..rows).filter(|i| i % 3 == 0).map(|i| (i % 7 != 0).then_some(2 * i)).collect::<Vec<_>>();

    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (table, expected) = (&table, &expected);
            scope.spawn(move || {
                let stream = Stream::new(device).unwrap();
                gdf::scope::with_stream(&stream, || {
                    for _ in 0..20 {
                        let column = table.column(0).unwrap();
                        let doubled = binary_operation(column, column, BinaryOperator::Add, &DataType::Int64).unwrap();
                        let kept =
                            apply_boolean_mask(&Table::try_new(vec![doubled]).unwrap(), table.column(1).unwrap())
                                .unwrap();
                        let array = kept.column(0).unwrap().to_arrow(&stream).unwrap();
                        let array = array.as_any().downcast_ref::<Int64Array>().unwrap();
                        assert_eq!(&array.iter().collect::<Vec<_>>(), expected);
                    }
                });
            });
        }
    });
}

#[test]
fn inputs_on_two_devices_are_refused() {
    let Some(device) = cuda_device("inputs on two devices") else { return };
    let column = |device| {
        let stream = Stream::new(device).unwrap();
        let resource = gdf::memory::current_resource(device).unwrap();
        Column::from_arrow(&Int64Array::from(vec![1, 2]), &stream, resource.as_ref()).unwrap()
    };
    let error = binary_operation(&column(Device::Cpu), &column(device), BinaryOperator::Add, &DataType::Int64);
    assert!(matches!(error, Err(gdf::Error::DeviceMismatch { .. })));
}
