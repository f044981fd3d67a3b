//! `replace_nulls`: chooses rows by the validity of the column.

use gdf_core::{Column, ColumnView, Error, Operand, Result};
use gdf_engine::check;
use gdf_engine::choose::{chooses, replace_null_rows};
use gdf_engine::decoded::{Reads, has_null_values};
use gdf_engine::null_rows::valid_rows;

use crate::Ctx;
use crate::copying::copy_if_else;

/// Returns `column` with each null row replaced by the row of `replacement`. A row of a dictionary is null if its key or
/// its value is null.
///
/// Implements `gdf_api::replace::replace_nulls` with the stream and the memory resources of `ctx`. Returns the errors
/// of that function.
pub fn replace_nulls(column: ColumnView<'_>, replacement: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if chooses(column.data_type()) || !(column.has_validity() || has_null_values(column)) {
        return replace_null_rows(column, replacement, ctx);
    }
    let in_argument = |error: Error| error.in_argument("replacement");
    check::column(column, ctx)?;
    if let Operand::Column(rows) = replacement {
        check::length(column.len(), rows.len()).map_err(in_argument)?;
    }
    let decoded = Reads::Nulls.decode(column, ctx.scratch())?;
    let valid = valid_rows(decoded.view(), ctx.scratch())?;
    copy_if_else(column.into(), replacement, valid.view(), ctx)
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
