//! `is_nan` and `is_not_nan`, which use the elementwise engine.

use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result, is_floating, physical_type};
use gdf_kernels::generated::unary::{Predicate, PredicateKernel};

use crate::Ctx;
use crate::elementwise::{self, Nulls, Rows};

/// Returns whether each row of a floating-point column is NaN, whatever the sign and the payload. A null is not NaN.
/// The result has no nulls.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) when the column has no floating-point type.
/// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
pub fn is_nan(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    nans("is_nan", column, false, ctx)
}

/// Returns whether each row of a floating-point column is not NaN. The result has no nulls.
///
/// # Errors
/// * The errors of [`is_nan`].
pub fn is_not_nan(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    nans("is_not_nan", column, true, ctx)
}

fn nans(operation: &'static str, column: ColumnView<'_>, inverted: bool, ctx: Ctx<'_>) -> Result<Column> {
    if !is_floating(column.data_type()) {
        return Err(Error::unsupported(operation, column.data_type()));
    }
    // NaNs are found by their bits.
    let host = |rows: &Rows<'_, 1>| match physical_type(column.data_type()) {
        PhysicalType::F16 => rows.test(|bits: u16| bits & 0x7fff > 0x7c00, inverted),
        PhysicalType::F32 => rows.test(|bits: u32| bits & 0x7fff_ffff > 0x7f80_0000, inverted),
        PhysicalType::F64 => rows.test(|bits: u64| bits & 0x7fff_ffff_ffff_ffff > 0x7ff0_0000_0000_0000, inverted),
        _ => Err(Error::unsupported(operation, column.data_type())),
    };
    elementwise::map_column(column, &DataType::Boolean, Nulls::Never, ctx, host, |launch| {
        let arguments = Predicate { input: launch.inputs[0], inverted: i32::from(inverted), out: launch.out };
        launch.run(PredicateKernel::IsNan, launch.rows, &arguments)
    })
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, bitmask, f16};
    use gdf_driver::Stream;
    use gdf_memory::Resource;

    use super::*;

    type Operation = fn(ColumnView<'_>, Ctx<'_>) -> Result<Column>;

    fn setup() -> (Stream, Resource) {
        crate::test_device::setup()
    }

    fn bits(operation: Operation, column: ColumnView<'_>) -> Vec<bool> {
        let (stream, mr) = setup();
        let result = operation(column, Ctx::new(&stream, &mr)).unwrap();
        assert!(!result.has_validity() && *result.data_type() == DataType::Boolean);
        let bytes = result.buffers()[0].to_host(&stream).unwrap();
        bitmask::iter(&bytes, 0, result.len()).collect()
    }

    #[test]
    fn rows_are_asked_one_by_one() {
        let (stream, mr) = setup();
        for len in [0, 1, 31, 32, 33, 63, 64, 65, 1000, 70_000] {
            let values: Vec<Option<f64>> = (0..len)
                .map(|row| match row % 5 {
                    0 => None,
                    1 | 3 => Some(f64::from_bits(0xfff8_0000_0000_0001)),
                    _ => Some(f64::INFINITY),
                })
                .collect();
            let column = Column::from_options_on(&values, &stream, mr.as_ref()).unwrap();
            for offset in [0, 1, 7, 33].into_iter().filter(|&offset| offset <= len) {
                let view = column.view().slice(offset, len - offset).unwrap();
                let nan = |value: &Option<f64>| value.is_some_and(f64::is_nan);
                let expected =
                    |ask: &dyn Fn(&Option<f64>) -> bool| values[offset..].iter().map(ask).collect::<Vec<_>>();
                assert_eq!(bits(is_nan, view), expected(&|value| nan(value)));
                assert_eq!(bits(is_not_nan, view), expected(&|value| !nan(value)));
            }
        }
    }

    #[test]
    fn every_float_width_has_nans() {
        let (stream, mr) = setup();
        let half = Column::from_options_on(&[Some(f16::NAN), Some(f16::INFINITY), None], &stream, mr.as_ref()).unwrap();
        assert_eq!(bits(is_nan, half.view()), [true, false, false]);
        let single = Column::from_options_on(&[Some(-f32::NAN), Some(f32::MAX), None], &stream, mr.as_ref()).unwrap();
        assert_eq!(bits(is_not_nan, single.view()), [false, true, true]);
    }

    #[test]
    fn unsuitable_types_are_typed_errors() {
        let (stream, mr) = setup();
        let ints = Column::from_options_on(&[Some(1_i64)], &stream, mr.as_ref()).unwrap();
        for operation in [is_nan, is_not_nan] {
            let error = operation(ints.view(), Ctx::new(&stream, &mr));
            assert!(matches!(error, Err(Error::Unsupported { .. })));
        }
    }
}
