//! Tests that import trees of partly wrong structs.

use proptest::prelude::*;

use super::cpu;
use super::tree_builder::{RawArray, RawSchema, Tree};
use crate::{
    ArrowArray, ArrowSchema, InteropError, from_arrow_device, from_arrow_device_table, to_arrow_device,
    to_arrow_schema, with_arrow_device,
};

fn import(array: *mut RawArray, schema: *mut RawSchema) -> bool {
    let (stream, mr) = cpu();
    // SAFETY: the structs have the layout of gdf's structs and live until this function returns. The builder fulfills
    // all conditions that an importer cannot check.
    let (array, schema) = unsafe { (ArrowArray::from_raw(array.cast()), ArrowSchema::from_raw(schema.cast())) };
    let array = array.into();
    // SAFETY: the struct is valid for the same reasons, and nothing that shares its memory leaves the closure.
    let lent = unsafe {
        with_arrow_device(&array, &schema, &stream, mr.as_ref(), |view| {
            assert!(view.null_count_on(&stream).unwrap() <= view.len());
            drop(view.to_column().to_arrow(&stream).unwrap());
        })
    };
    // SAFETY: the struct is valid for the same reasons.
    let column = unsafe { from_arrow_device(array, &schema, &stream, mr.as_ref()) };
    assert_eq!(lent.is_ok(), column.is_ok());
    let Ok(column) = column else { return false };
    assert!(column.validated());
    let values = column.to_arrow(&stream).unwrap();
    let exported = to_arrow_device(&column, &stream).unwrap();
    let again = to_arrow_schema(column.data_type()).unwrap();
    // SAFETY: gdf exported the array.
    let table = unsafe { from_arrow_device_table(exported, &again, &stream, mr.as_ref()) };
    match table {
        Ok(table) => assert_eq!(table.num_rows(), column.len()),
        Err(InteropError::TopLevelNulls { count }) => assert_eq!(count, column.null_count_on(&stream).unwrap()),
        Err(error) => assert!(matches!(error, InteropError::Core(gdf_core::Error::TypeMismatch { .. })), "{error}"),
    }
    if let Ok(middle) = column.slice(column.len() / 3, column.len() / 2) {
        assert_eq!(&middle.to_arrow(&stream).unwrap(), &values.slice(column.len() / 3, column.len() / 2));
    }
    true
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: if cfg!(miri) { 10 } else { 5_000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn trees_of_structs_are_columns_or_errors(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let released = Tree::visit(&bytes, |array, schema| _ = import(array, schema));
        prop_assert!(released <= 1);
    }
}

#[test]
fn some_trees_are_columns() {
    let mut columns = 0;
    let step = if cfg!(miri) { 24 } else { 1 };
    for first in (0..=255_u8).step_by(step) {
        // After the last byte, all choices are 0.
        let bytes = [3, 1, first, 1, 1, 1, 1, 1];
        let released = Tree::visit(&bytes, |array, schema| columns += usize::from(import(array, schema)));
        assert!(released <= 1);
    }
    assert!(columns > 50 / step, "{columns}");
}
