//! Tests of the types of results, and of invalid inputs.

use gdf_core::TimeUnit::Second;
use gdf_core::{Column, DataType, Error};

use super::UnaryOperator::{self, *};
use super::operators::OPERATION;
use super::unary_operation;
use crate::Ctx;

#[test]
fn operators_know_their_types() {
    let of = |op: UnaryOperator, data_type: DataType| op.output_type(&data_type).unwrap();
    assert_eq!(of(Sin, DataType::Int16), DataType::Int16);
    assert_eq!(of(Not, DataType::Float32), DataType::Boolean);
    assert_eq!(of(BitCount, DataType::UInt64), DataType::Int32);
    assert_eq!(of(Negate, DataType::Duration(Second)), DataType::Duration(Second));
    assert_eq!(of(Floor, DataType::Decimal64(9, 2)), DataType::Decimal64(9, 2));
    for (op, data_type) in [
        (Negate, DataType::UInt8),
        (Abs, DataType::Duration(Second)),
        (Abs, DataType::Date32),
        (Rint, DataType::Int32),
        (Sqrt, DataType::Decimal64(9, 2)),
        (Not, DataType::Utf8),
        (Not, DataType::Timestamp(Second, None)),
        (BitInvert, DataType::Float64),
        (Sin, DataType::Boolean),
    ] {
        assert!(matches!(op.output_type(&data_type), Err(Error::Unsupported { .. })), "{op:?} {data_type}");
    }
}

#[test]
fn refuses_before_it_allocates() {
    let (stream, mr) = gdf_engine::test_device::setup();
    let column = Column::empty_on(&DataType::Utf8, stream.device()).unwrap();
    let refused = unary_operation(column.view(), Sin, Ctx::new(&stream, &mr));
    assert!(matches!(refused, Err(Error::Unsupported { operation: OPERATION, .. })));
    let column = Column::empty_on(&DataType::Int8, stream.device()).unwrap();
    let empty = unary_operation(column.view(), Not, Ctx::new(&stream, &mr)).unwrap();
    assert_eq!((empty.data_type(), empty.len()), (&DataType::Boolean, 0));
}
