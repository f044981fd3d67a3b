//! `replace_nulls`: the selection of `copy_if_else`, with the validity of the column as the condition.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_engine::check;
use gdf_engine::elementwise::Nulls;
use gdf_engine::operand::{Literals, of_one_type};

use crate::Ctx;
use crate::copying::{Condition, select};

/// Returns `column` with each null row replaced by the row of `replacement`. A null of the replacement stays null. A
/// scalar stands for every row. A literal takes the type of the column if that type holds the same value.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch) when the
///   replacement differs from the column in type or length.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for nested types, dictionaries, and views that have a validity
///   mask.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the strings of the result have more than 2³¹−1 bytes
///   in total and the type is not a Large type.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
pub fn replace_nulls(column: ColumnView<'_>, replacement: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let operands = of_one_type(column.into(), replacement);
    let literals = Literals::new(&operands, ctx)?;
    let [_, replacement] = literals.resolve(operands);
    if !column.has_validity() {
        check::column(column, ctx)?;
        check::column(replacement.view(), ctx)?;
        check::types(column.data_type(), replacement.data_type()).map_err(|error| error.in_argument("replacement"))?;
        let len = replacement.len().unwrap_or(column.len());
        check::length(column.len(), len).map_err(|error| error.in_argument("replacement"))?;
        return Ok(column.to_column());
    }
    let nulls = Nulls::Own { nullable: replacement.has_validity() };
    select("replace_nulls", column.into(), replacement, Condition::Valid(column), nulls, ctx)
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, DataType, Error, Scalar};
    use gdf_driver::Stream;
    use gdf_memory::Resource;

    use super::*;

    fn setup() -> (Stream, Resource) {
        gdf_engine::test_device::setup()
    }

    #[test]
    fn a_column_without_validity_is_shared() {
        let (stream, mr) = setup();
        let column = Column::from_options_on(&[Some(1), Some(2), Some(3)], &stream, mr.as_ref()).unwrap();
        let nothing = Scalar::null_on(&DataType::Int32, &stream, mr.as_ref()).unwrap();
        let view = column.view().slice(1, 2).unwrap();
        let result = replace_nulls(view, (&nothing).into(), Ctx::new(&stream, &mr)).unwrap();
        assert_eq!((result.len(), result.offset(), result.has_validity()), (2, 1, false));
        assert!(result.buffers()[0].same_allocation(&column.buffers()[0]));
    }

    #[test]
    fn the_mask_is_the_replacements() {
        let (stream, mr) = setup();
        let column = Column::from_options_on(&[Some(1), None, None], &stream, mr.as_ref()).unwrap();
        let other = Column::from_options_on(&[None, Some(5), None], &stream, mr.as_ref()).unwrap();
        let ten = Scalar::new_on(10, &stream, mr.as_ref()).unwrap();
        let result = replace_nulls(column.view(), (&ten).into(), Ctx::new(&stream, &mr)).unwrap();
        assert!(!result.has_validity());
        let result = replace_nulls(column.view(), (&other).into(), Ctx::new(&stream, &mr)).unwrap();
        assert_eq!(result.null_count_on(&stream).unwrap(), 1);
        let last = Scalar::from_column(result.slice(2, 1).unwrap()).unwrap();
        assert_eq!(last.value_on::<i32>(&stream).unwrap(), None);
    }

    #[test]
    fn bad_replacements_are_typed_errors() {
        let (stream, mr) = setup();
        let text = Column::from_strs_on(&[Some("a")], &stream, mr.as_ref()).unwrap();
        for column in [&[Some(1), None][..], &[Some(1), Some(2)]] {
            let column = Column::from_options_on(column, &stream, mr.as_ref()).unwrap();
            let short = Column::from_options_on(&[Some(1)], &stream, mr.as_ref()).unwrap();
            let result = replace_nulls(column.view(), (&short).into(), Ctx::new(&stream, &mr));
            assert!(matches!(result, Err(Error::LengthMismatch { expected: 2, found: 1, .. })));
            let result = replace_nulls(column.view(), (&text).into(), Ctx::new(&stream, &mr));
            assert!(matches!(result, Err(Error::TypeMismatch { .. })));
        }
    }
}
