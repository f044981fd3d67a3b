//! Whether each row is null, for columns with a mask.

use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_kernels::generated::unary::{Predicate, PredicateKernel};

use crate::Ctx;
use crate::elementwise::{self, Nulls, Rows};

/// Returns whether each row is null. All rows of a column of type `Null` are null. The result has no nulls.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for unions and run-end encoded columns, whose nulls are the nulls of their
///   children.
/// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
pub fn null_rows(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    nulls("is_null", column, false, ctx)
}

/// Returns whether each row is not null. The result has no nulls.
///
/// # Errors
/// * The errors of [`null_rows`].
pub fn valid_rows(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    nulls("is_valid", column, true, ctx)
}

fn nulls(operation: &'static str, column: ColumnView<'_>, inverted: bool, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = column.data_type();
    if matches!(physical_type(data_type), PhysicalType::Union { .. } | PhysicalType::RunEnd) {
        return Err(Error::unsupported(operation, data_type));
    }
    // A column of type `Null` has no mask, so the code below treats all rows as valid.
    let inverted = inverted != (*data_type == DataType::Null);
    let host = |rows: &Rows<'_, 1>| {
        let validity = rows.input().validity()?;
        let flip = u64::from(inverted).wrapping_neg();
        rows.bits(|| rows.mask(), |word| !validity.map_or(u64::MAX, |mask| mask.word(word)) ^ flip)
    };
    elementwise::map_column(column, &DataType::Boolean, Nulls::Never, ctx, host, |launch| {
        let arguments = Predicate { input: launch.inputs[0], inverted: i32::from(inverted), out: launch.out };
        launch.run(PredicateKernel::IsNull, launch.words(), &arguments)
    })
}

#[cfg(test)]
mod tests {
    use gdf_core::{bitmask, f16};

    use super::*;
    use crate::test_device::setup;

    fn bits(operation: fn(ColumnView<'_>, Ctx<'_>) -> Result<Column>, column: ColumnView<'_>) -> Vec<bool> {
        let (stream, mr) = setup();
        let result = operation(column, Ctx::new(&stream, &mr)).unwrap();
        assert!(!result.has_validity() && *result.data_type() == DataType::Boolean);
        let bytes = result.buffers()[0].to_host(&stream).unwrap();
        bitmask::iter(&bytes, 0, result.len()).collect()
    }

    #[test]
    fn nulls_of_slices() {
        let (stream, mr) = setup();
        for len in [0, 1, 31, 32, 33, 63, 64, 65, 1000, 70_000] {
            let values: Vec<Option<f16>> = (0..len).map(|row| (row % 5 != 0).then_some(f16::NAN)).collect();
            let column = Column::from_options_on(&values, &stream, mr.as_ref()).unwrap();
            for offset in [0, 1, 7, 33].into_iter().filter(|&offset| offset <= len) {
                let view = column.view().slice(offset, len - offset).unwrap();
                let null: Vec<bool> = values[offset..].iter().map(Option::is_none).collect();
                let valid: Vec<bool> = null.iter().map(|null| !null).collect();
                assert_eq!((bits(null_rows, view), bits(valid_rows, view)), (null, valid));
            }
        }
    }

    #[test]
    fn columns_without_mask_are_valid_and_null_columns_null() {
        let (stream, mr) = setup();
        let full = Column::from_options_on(&[Some(1_i64), Some(2)], &stream, mr.as_ref()).unwrap();
        assert_eq!(bits(null_rows, full.view()), [false, false]);
        assert_eq!(bits(valid_rows, full.view()), [true, true]);
        let nulls = Column::nulls_on(&DataType::Null, 3, &stream, mr.as_ref()).unwrap();
        assert_eq!(bits(null_rows, nulls.view()), [true; 3]);
        assert_eq!(bits(valid_rows, nulls.view()), [false; 3]);
    }
}
