//! Tests that compare masks with bits read one by one, and tests of invalid arguments.

use gdf_core::{Column, ColumnParts, DataType, Error, NullCount, Table, TableView, bitmask};
use gdf_driver::Stream;
use gdf_memory::{Resource, Resources};

use super::*;
use crate::Ctx;
use crate::null_count::null_count;

fn row_state(is_valid: bool) -> RowState {
    if is_valid { RowState::Valid } else { RowState::Null }
}

const LENGTHS: [usize; 11] = [0, 1, 31, 32, 33, 63, 64, 65, 127, 1000, 70_001];

fn setup() -> (Stream, Resource) {
    crate::test_device::setup()
}

fn valid(seed: usize, row: usize) -> bool {
    (row.wrapping_mul(2_654_435_761) >> seed) & 3 != 0
}

fn column(seed: usize, len: usize) -> Column {
    let (stream, mr) = setup();
    let values: Vec<_> = (0..len).map(|row| valid(seed, row).then_some(row as i32)).collect();
    Column::from_options_on(&values, &stream, mr.as_ref()).unwrap()
}

fn bits(mask: &Bitmask) -> Vec<bool> {
    let (stream, _) = setup();
    let bytes = mask.buffer().unwrap().to_host(&stream).unwrap();
    assert!((mask.len()..bytes.len() * 8).all(|bit| !bitmask::get_bit(&bytes, bit)), "bits behind the last row");
    bitmask::iter(&bytes, 0, mask.len()).collect()
}

fn check(mask: &Bitmask, expected: impl Fn(usize) -> bool) {
    let (stream, _) = setup();
    let expected: Vec<bool> = (0..mask.len()).map(expected).collect();
    assert_eq!(bits(mask), expected);
    assert_eq!(mask.null_count(&stream).unwrap(), expected.iter().filter(|valid| !**valid).count());
}

#[test]
fn masks_are_merged_row_by_row() {
    let (stream, mr) = setup();
    let mr = Resources::from(&mr);
    for len in LENGTHS {
        for offset in [0, 1, 7, 33] {
            let whole = Table::try_new((3..7).map(|seed| column(seed, len + offset)).collect()).unwrap();
            let table = whole.view().slice(offset, len).unwrap();
            if !table.columns().iter().all(|column| column.has_validity()) {
                continue; // The table is too short to have a null in every column.
            }
            let at = |row: usize| row + offset;
            check(&bitmask_and(&table, Ctx::new(&stream, mr)).unwrap(), |row| (3..7).all(|seed| valid(seed, at(row))));
            check(&bitmask_or(&table, Ctx::new(&stream, mr)).unwrap(), |row| (3..7).any(|seed| valid(seed, at(row))));
            check(&copy_bitmask(table.columns()[1], Ctx::new(&stream, mr)).unwrap(), |row| valid(4, at(row)));
        }
    }
}

#[test]
fn columns_without_masks_are_valid() {
    let (stream, mr) = setup();
    let mr = Resources::from(&mr);
    let full = Column::from_options_on(&[Some(1), Some(2)], &stream, mr.output).unwrap();
    let holes = Column::from_options_on(&[Some(1), None], &stream, mr.output).unwrap();
    let nulls = Column::nulls_on(&DataType::Null, 2, &stream, mr.output).unwrap();
    let table = Table::try_new(vec![full.clone(), holes.clone()]).unwrap();
    check(&bitmask_and(&table.view(), Ctx::new(&stream, mr)).unwrap(), |row| row == 0);
    assert!(bitmask_or(&table.view(), Ctx::new(&stream, mr)).unwrap().buffer().is_none());
    assert!(copy_bitmask(full.view(), Ctx::new(&stream, mr)).unwrap().buffer().is_none());
    let none = bitmask_and(&Table::try_new(vec![]).unwrap().view(), Ctx::new(&stream, mr)).unwrap();
    assert!(none.buffer().is_none() && none.is_empty());
    let table = Table::try_new(vec![nulls.clone(), holes]).unwrap();
    check(&bitmask_and(&table.view(), Ctx::new(&stream, mr)).unwrap(), |_| false);
    check(&bitmask_or(&table.view(), Ctx::new(&stream, mr)).unwrap(), |row| row == 0);
    check(&copy_bitmask(nulls.view(), Ctx::new(&stream, mr)).unwrap(), |_| false);
}

#[test]
fn ranges_are_counted() {
    let (stream, _) = setup();
    for len in LENGTHS {
        let column = column(5, len);
        for start in [0, 1, 31, 64, len / 2, len] {
            for stop in [start, start + 1, len / 2, len] {
                let expected = match start..stop {
                    range if range.start <= range.end && stop <= len => range.filter(|&row| !valid(5, row)).count(),
                    _ => continue,
                };
                assert_eq!(null_count(column.view(), start, stop, &stream).unwrap(), expected, "{len} {start} {stop}");
            }
        }
    }
    let column = column(5, 10);
    assert!(matches!(null_count(column.view(), 4, 3, &stream), Err(Error::InvalidArgument { .. })));
    assert!(matches!(null_count(column.view(), 4, 11, &stream), Err(Error::OutOfBounds { .. })));
}

#[test]
fn masks_are_created_and_set() {
    let (stream, mr) = setup();
    let mr = Resources::from(&mr);
    for len in LENGTHS {
        for state in [MaskState::AllValid, MaskState::AllNull] {
            let all = state == MaskState::AllValid;
            let mut mask = create_null_mask(len, state, Ctx::new(&stream, mr)).unwrap();
            check(&mask, |_| all);
            let (begin, end) = (len / 3, len - len / 4);
            let shared = mask.clone();
            set_null_mask(&mut mask, begin, end, row_state(!all), Ctx::new(&stream, mr)).unwrap();
            check(&mask, |row| (begin..end).contains(&row) != all);
            check(&shared, |_| all);
            set_null_mask(&mut mask, 0, len, row_state(all), Ctx::new(&stream, mr)).unwrap();
            check(&mask, |_| all);
        }
        let unallocated = create_null_mask(len, MaskState::Unallocated, Ctx::new(&stream, mr)).unwrap();
        assert!(unallocated.buffer().is_none());
        assert_eq!(create_null_mask(len, MaskState::Uninitialized, Ctx::new(&stream, mr)).unwrap().len(), len);
    }
}

#[test]
fn setting_in_place_does_not_copy() {
    let (stream, mr) = setup();
    let mr = Resources::from(&mr);
    let mut mask = create_null_mask(100, MaskState::AllNull, Ctx::new(&stream, mr)).unwrap();
    let before = mask.buffer().cloned();
    set_null_mask(&mut mask, 3, 5, RowState::Valid, Ctx::new(&stream, mr)).unwrap();
    assert!(!before.as_ref().unwrap().same_allocation(mask.buffer().unwrap()), "it was shared with `before`");
    let address = |mask: &Bitmask| {
        let access = mask.buffer().unwrap().read_on(&stream).unwrap();
        access.address()
    };
    let at = address(&mask);
    set_null_mask(&mut mask, 5, 7, RowState::Valid, Ctx::new(&stream, mr)).unwrap();
    assert_eq!(address(&mask), at);
    check(&mask, |row| (3..7).contains(&row));
}

#[test]
fn bad_ranges_are_typed_errors() {
    let (stream, mr) = setup();
    let mr = Resources::from(&mr);
    let mut mask = create_null_mask(10, MaskState::AllValid, Ctx::new(&stream, mr)).unwrap();
    assert!(matches!(
        set_null_mask(&mut mask, 4, 3, RowState::Valid, Ctx::new(&stream, mr)),
        Err(Error::InvalidArgument { .. })
    ));
    assert!(matches!(
        set_null_mask(&mut mask, 4, 11, RowState::Valid, Ctx::new(&stream, mr)),
        Err(Error::OutOfBounds { .. })
    ));
    assert_eq!(mask.null_count_state().known(), Some(0));
    let mut none = create_null_mask(10, MaskState::Unallocated, Ctx::new(&stream, mr)).unwrap();
    set_null_mask(&mut none, 0, 10, RowState::Valid, Ctx::new(&stream, mr)).unwrap();
    assert!(matches!(
        set_null_mask(&mut none, 0, 1, RowState::Null, Ctx::new(&stream, mr)),
        Err(Error::InvalidArgument { .. })
    ));
    assert!(matches!(none.to_column(), Err(Error::InvalidArgument { .. })));
    let parts = none.into_parts();
    assert!(parts.0.is_none() && matches!(parts.1, NullCount::Known(0)));
    let table = TableView::try_new(vec![]).unwrap();
    assert!(bitmask_or(&table, Ctx::new(&stream, mr)).unwrap().buffer().is_none());
}

#[test]
fn rows_that_become_null_keep_their_data() {
    let (stream, mr) = setup();
    let ctx = Ctx::new(&stream, &mr);
    let numbers = Column::from_slice_on(&[1_i32, 2, 3], &stream, mr.as_ref()).unwrap();
    let text = Column::from_strs_on(&[Some("a"), Some("bc"), Some("d")], &stream, mr.as_ref()).unwrap();
    let parts = ColumnParts::structs(stream.device(), 3, [("number", numbers.clone())]);
    let structs = Column::try_from_parts(parts).unwrap();
    let parent = Column::from_options_on(&[Some(1_i32), None, Some(3)], &stream, mr.as_ref()).unwrap();
    let mask = Column::from_slice_on(&[true, false, true], &stream, mr.as_ref()).unwrap();
    for (column, sanitized) in [(numbers, true), (text, false), (structs, false)] {
        let by_parent = null_where_null(column.view(), &[parent.view()], ctx).unwrap().unwrap();
        let by_mask = null_unless_selected(column.view(), mask.view(), ctx).unwrap().unwrap();
        for masked in [by_parent, by_mask] {
            assert!(column.sanitized());
            assert_eq!(masked.null_count_on(&stream).unwrap(), 1);
            assert_eq!(masked.sanitized(), sanitized, "{}", column.data_type());
        }
    }
}

#[test]
fn types_without_masks_get_no_nulls() {
    let (stream, mr) = setup();
    let ctx = Ctx::new(&stream, &mr);
    let nulls = Column::try_from_parts(ColumnParts::new(DataType::Null, stream.device(), 3)).unwrap();
    let parent = Column::from_options_on(&[Some(1_i32), None, Some(3)], &stream, mr.as_ref()).unwrap();
    let mask = Column::from_slice_on(&[true, false, true], &stream, mr.as_ref()).unwrap();
    assert!(null_where_null(nulls.view(), &[parent.view()], ctx).unwrap().is_none());
    assert!(null_unless_selected(nulls.view(), mask.view(), ctx).unwrap().is_none());
    assert!(null_where_null(nulls.view(), &[mask.view()], ctx).unwrap().is_some(), "no parent has a mask");
}
