//! `purge_nonempty_nulls` and `has_nonempty_nulls`. A null row may still have bytes of text, elements or field values,
//! which these operations remove or find.

use gdf_core::layout::child_types;
use gdf_core::{
    Abilities, BinaryView, Column, ColumnView, DataType, Error, FixedSizeListsView, ListsView, Literal, PhysicalType,
    Result, StructsView, TableView, is_nested, physical_type,
};
use gdf_driver::Stream;
use gdf_engine::check;
use gdf_engine::choose::chooses;
use gdf_engine::mask::bitmask_and;
use gdf_engine::null_count::null_count;
use gdf_engine::rows::{AffineRows, copy_rows, every_row, rows_times};
use gdf_engine::sequence::row_numbers;

use super::copy_if_else;
use crate::Ctx;

use crate::lists::{copy_affine_column, gather_column};
use crate::vouch;

/// Returns a copy of `column` in which null rows have no bytes, no elements and no field values. The copy is
/// [sanitized](Column::sanitized).
///
/// Implements `gdf_api::copying::purge_nonempty_nulls` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn purge_nonempty_nulls(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::column(column, ctx)?;
    purged("purge_nonempty_nulls", column, ctx)
}

/// Returns whether a null row of `column` still has bytes of text, elements or field values.
///
/// Implements `gdf_api::copying::has_nonempty_nulls` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn has_nonempty_nulls(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<bool> {
    check::column(column, ctx)?;
    // `sanitized` says nothing about the elements of null lists of a fixed size.
    if column.sanitized() && !has_fixed_size_lists(column.data_type()) {
        return Ok(false);
    }
    let clean = purged("has_nonempty_nulls", column, ctx.scratch())?;
    let compared = if column.sanitized() { Compared::FixedSizeLists } else { Compared::All };
    compared.lost(column, clean.view(), ctx.stream)
}

fn purged(operation: &'static str, column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let abilities = Abilities::of(column.data_type());
    if abilities.lists && !abilities.composite {
        if let Some(composite) = composite_element(column.data_type()) {
            return Err(Error::unsupported(operation, composite));
        }
        let rows = every_row(column.len())?;
        let scratch = ctx.scratch();
        let clean = with_purged_children(operation, column.to_column(), scratch)?;
        if !may_hide_elements(&clean) {
            return copy_affine_column(operation, clean.view(), rows, ctx);
        }
        // The first copy makes the fields null where their struct is null.
        let copy = copy_affine_column(operation, clean.view(), rows, scratch)?;
        let masked = with_null_elements(operation, copy, scratch)?;
        let masked = with_purged_children(operation, masked, scratch)?;
        return copy_affine_column(operation, masked.view(), rows, ctx);
    }
    let copy = copy_rows(operation, &TableView::try_new(vec![column])?, ctx)?;
    copy.into_columns().pop().ok_or_else(|| Error::column_count(1, 0))
}

/// Purges the children of a column at every depth, from the innermost children on. A copy of rows purges the rows
/// themselves, and copies the rows of their children as they are.
fn with_purged_children(operation: &'static str, column: Column, ctx: Ctx<'_>) -> Result<Column> {
    if !is_nested(column.data_type()) || column.sanitized() {
        return Ok(column);
    }
    let mut parts = column.into_parts();
    let purge = |child: Column| {
        if child.sanitized() {
            return Ok(child);
        }
        let child = with_purged_children(operation, child, ctx)?;
        copy_affine_column(operation, child.view(), every_row(child.len())?, ctx)
    };
    parts.children = parts.children.into_iter().map(purge).collect::<Result<_>>()?;
    parts.sanitized = false;
    vouch::result(parts)
}

/// Returns whether the column may have null lists of a fixed size: lists that are null themselves, or that lie in a
/// null row.
fn may_hide_elements(column: &Column) -> bool {
    let is_null = column.has_validity() && has_fixed_size_lists(column.data_type());
    is_null || column.children().iter().any(may_hide_elements)
}

fn has_fixed_size_lists(data_type: &DataType) -> bool {
    let is_array = matches!(physical_type(data_type), PhysicalType::FixedSizeList(_));
    is_array || child_types(data_type).into_iter().any(has_fixed_size_lists)
}

/// Replaces the elements of null lists of a fixed size by nulls, at any depth. The elements cannot be removed, because
/// all lists of the column have the same number of elements.
fn with_null_elements(operation: &'static str, column: Column, ctx: Ctx<'_>) -> Result<Column> {
    if !has_fixed_size_lists(column.data_type()) {
        return Ok(column);
    }
    let elements = match FixedSizeListsView::try_from(column.view()) {
        Ok(lists) if column.has_validity() && lists.size() > 0 && !column.is_empty() => {
            let size = lists.size();
            let valid = bitmask_and(&TableView::from(column.view()), ctx)?.to_column()?;
            let length = rows_times(column.len(), size)?;
            let rows = AffineRows { length, divisor: size as i64, by_quotient: 1, by_remainder: 0, first: 0 };
            let kept = copy_affine_column(operation, valid.view(), rows, ctx)?;
            Some(null_unless(lists.sliced_child()?, kept.view(), ctx)?)
        }
        _ => None,
    };
    let mut parts = column.into_parts();
    parts.children = elements.map_or(parts.children, |elements| vec![elements]);
    let children = parts.children.into_iter().map(|child| with_null_elements(operation, child, ctx));
    parts.children = children.collect::<Result<_>>()?;
    vouch::result(parts)
}

/// Returns the rows of `column` where `kept` is true, and nulls in the other rows.
fn null_unless(column: ColumnView<'_>, kept: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let null = |data_type| Literal::null(data_type).into();
    if chooses(column.data_type()) {
        return copy_if_else(column.into(), null(column.data_type()), kept, ctx);
    }
    let numbers = row_numbers(column.len(), ctx)?;
    let rows = copy_if_else((&numbers).into(), null(numbers.data_type()), kept, ctx)?;
    gather_column(column, rows.view(), ctx)
}

/// Returns the first type of list views, unions or runs among the elements and fields of a type.
fn composite_element(data_type: &DataType) -> Option<&DataType> {
    let is_composite = |of: &DataType| matches!(of, DataType::RunEndEncoded(..)) || Abilities::of(of).composite;
    let of_child = |child| if is_composite(child) { Some(child) } else { composite_element(child) };
    child_types(data_type).into_iter().find_map(of_child)
}

/// The parts of a column that are compared with the column's sanitized copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// The bytes of text, the elements, and the nulls in fields and in lists of a fixed size.
    All,
    /// The nulls in lists of a fixed size. The rest of the column is known to be sanitized.
    FixedSizeLists,
}

impl Compared {
    /// Returns whether something was removed from `column` to make the sanitized copy `clean`.
    fn lost(self, column: ColumnView<'_>, clean: ColumnView<'_>, stream: &Stream) -> Result<bool> {
        if self == Compared::FixedSizeLists && !has_fixed_size_lists(column.data_type()) {
            return Ok(false);
        }
        match physical_type(column.data_type()) {
            physical if physical.has_byte_offsets() => {
                let bytes = |view| BinaryView::try_from(view)?.chars_range(stream).map(|(begin, end)| end - begin);
                Ok(bytes(column)? != bytes(clean)?)
            }
            PhysicalType::List { .. } | PhysicalType::Map => {
                let elements = |view| ListsView::try_from(view)?.sliced_child(stream);
                let (own, clean) = (elements(column)?, elements(clean)?);
                Ok(own.len() != clean.len() || self.lost(own, clean, stream)?)
            }
            PhysicalType::FixedSizeList(_) => {
                let elements = |view| FixedSizeListsView::try_from(view)?.sliced_child();
                self.lost_values(elements(column)?, elements(clean)?, stream)
            }
            PhysicalType::Struct => {
                let (fields, clean) = (StructsView::try_from(column)?, StructsView::try_from(clean)?);
                for field in 0..fields.num_children() {
                    let (own, clean) = (fields.child(field)?, clean.child(field)?);
                    let is_lost = match self {
                        Compared::All => self.lost_values(own, clean, stream),
                        Compared::FixedSizeLists => self.lost(own, clean, stream),
                    };
                    if is_lost? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Returns whether the sanitized copy `clean` of a field or of elements has more nulls, or has [`lost`](Self::lost)
    /// something.
    fn lost_values(self, own: ColumnView<'_>, clean: ColumnView<'_>, stream: &Stream) -> Result<bool> {
        let nulls = |view: ColumnView<'_>| null_count(view, 0, view.len(), stream);
        Ok(nulls(own)? != nulls(clean)? || self.lost(own, clean, stream)?)
    }
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, ColumnParts, NullCount, make_structs_column};
    use gdf_driver::Device;
    use gdf_memory::Resources;
    use gdf_memory::{Buffer, Resource, current_resource};

    use super::*;

    fn setup() -> (Stream, Resource) {
        (Stream::cpu(), current_resource(Device::Cpu).unwrap())
    }

    /// Returns the column with the validity mask `mask`.
    fn hiding(column: Column, mask: u8) -> Column {
        let (stream, mr) = setup();
        let mask = Buffer::from_host(&[mask], &stream, mr.as_ref()).unwrap();
        let parts: ColumnParts = column.into_parts().validity(Some(mask), NullCount::Unknown);
        Column::try_from_parts(parts).unwrap()
    }

    #[test]
    fn text_under_nulls_is_found_and_purged() {
        let (stream, mr) = setup();
        let resources = Resources::from(&mr);
        let text = Column::from_strs_on(&[Some("a"), Some("bc"), Some(""), Some("d")], &stream, mr.as_ref()).unwrap();
        let has = |column: &Column| has_nonempty_nulls(column.view(), Ctx::new(&stream, resources)).unwrap();
        let dirty = hiding(text.clone(), 0b1001);
        assert!(!dirty.sanitized() && has(&dirty) && !has(&text));
        assert!(!has(&hiding(text.clone(), 0b1011)), "the null row is empty");
        assert!(!has(&dirty.slice(2, 2).unwrap()) && has(&dirty.slice(1, 2).unwrap()));
        let clean = purge_nonempty_nulls(dirty.view(), Ctx::new(&stream, resources)).unwrap();
        assert!(clean.sanitized() && clean.validated() && !has(&clean));
        assert_eq!(&clean.to_arrow(&stream).unwrap(), &dirty.to_arrow(&stream).unwrap());
        assert_eq!(clean.buffers()[1].to_host(&stream).unwrap(), b"ad");
    }

    #[test]
    fn fields_of_null_structs_become_null() {
        let (stream, mr) = setup();
        let resources = Resources::from(&mr);
        let numbers = Column::from_slice_on(&[1_i32, 2, 3], &stream, mr.as_ref()).unwrap();
        let structs = make_structs_column(vec![numbers], None).unwrap();
        let has = |column: &Column| has_nonempty_nulls(column.view(), Ctx::new(&stream, resources)).unwrap();
        let dirty = hiding(structs.clone(), 0b101);
        assert!(has(&dirty) && !has(&structs) && !has(&hiding(structs, 0b111)));
        let clean = purge_nonempty_nulls(dirty.view(), Ctx::new(&stream, resources)).unwrap();
        assert!(!has(&clean));
        assert_eq!(clean.children()[0].null_count_on(&stream).unwrap(), 1);
    }

    /// Returns the lists [1], [2] and [], of which the second is null.
    fn lists() -> Column {
        let (stream, mr) = setup();
        let offsets = Column::from_slice_on(&[0_i32, 1, 2, 2], &stream, mr.as_ref()).unwrap();
        let child = Column::from_slice_on(&[1_i32, 2], &stream, mr.as_ref()).unwrap();
        hiding(gdf_core::make_lists_column(&offsets, child, None).unwrap(), 0b101)
    }

    fn elements(lists: &Column) -> usize {
        lists.children()[0].len()
    }

    #[test]
    fn elements_of_null_lists_are_found_and_purged() {
        let (stream, mr) = setup();
        let ctx = Ctx::new(&stream, &mr);
        let has = |column: &Column| has_nonempty_nulls(column.view(), ctx).unwrap();
        let dirty = lists();
        assert!(has(&dirty) && !has(&dirty.slice(0, 1).unwrap()) && has(&dirty.slice(1, 2).unwrap()));
        let clean = purge_nonempty_nulls(dirty.view(), ctx).unwrap();
        assert!(clean.sanitized() && !has(&clean));
        assert_eq!((elements(&dirty), elements(&clean)), (2, 1));
        assert_eq!(&clean.to_arrow(&stream).unwrap(), &dirty.to_arrow(&stream).unwrap());
        // A null list without elements does not count as a nonempty null.
        let last = hiding(dirty.slice(2, 1).unwrap(), 0b011);
        assert!(last.null_count_on(&stream).unwrap() == 1 && !has(&last));
    }

    #[test]
    fn lists_in_lists_and_in_null_structs_are_purged() {
        let (stream, mr) = setup();
        let ctx = Ctx::new(&stream, &mr);
        let has = |column: &Column| has_nonempty_nulls(column.view(), ctx).unwrap();
        let offsets = Column::from_slice_on(&[0_i32, 3], &stream, mr.as_ref()).unwrap();
        let outer = gdf_core::make_lists_column(&offsets, lists(), None).unwrap();
        assert!(has(&outer));
        let clean = purge_nonempty_nulls(outer.view(), ctx).unwrap();
        assert_eq!((elements(&clean), elements(&clean.children()[0])), (3, 1));
        let structs = hiding(make_structs_column(vec![lists()], None).unwrap(), 0b110);
        assert!(has(&structs));
        let clean = purge_nonempty_nulls(structs.view(), ctx).unwrap();
        assert!(!has(&clean));
        assert_eq!((clean.children()[0].null_count_on(&stream).unwrap(), elements(&clean.children()[0])), (2, 0));
    }

    #[test]
    fn elements_of_null_arrays_become_null() {
        let (stream, mr) = setup();
        let ctx = Ctx::new(&stream, &mr);
        let has = |column: &Column| has_nonempty_nulls(column.view(), ctx).unwrap();
        let array = |elements: Column, size: i32| {
            let field = gdf_core::Field::new("item", elements.data_type().clone(), true).into();
            let len = elements.len() / size as usize;
            let mut parts = ColumnParts::new(DataType::FixedSizeList(field, size), Device::Cpu, len);
            parts.children.push(elements);
            Column::try_from_parts(parts).unwrap()
        };
        let text = Column::from_strs_on(&[Some("a"), Some("bc"), Some("d"), Some("e")], &stream, mr.as_ref()).unwrap();
        let whole = array(text, 2);
        let dirty = hiding(whole.clone(), 0b01);
        assert!(has(&dirty) && !has(&whole) && !has(&dirty.slice(0, 1).unwrap()));
        let clean = purge_nonempty_nulls(dirty.view(), ctx).unwrap();
        assert!(!has(&clean));
        let elements = &clean.children()[0];
        assert_eq!((elements.len(), elements.null_count_on(&stream).unwrap()), (4, 2));
        assert_eq!(elements.buffers()[1].to_host(&stream).unwrap(), b"abc");
        assert_eq!(&clean.to_arrow(&stream).unwrap(), &dirty.to_arrow(&stream).unwrap());
        // A null struct makes arrays and their elements null.
        let numbers = array(Column::from_slice_on(&[1_i32, 2, 3, 4], &stream, mr.as_ref()).unwrap(), 2);
        let outer = array(numbers, 2);
        let structs = hiding(make_structs_column(vec![outer], None).unwrap(), 0b0);
        let clean = purge_nonempty_nulls(structs.view(), ctx).unwrap();
        assert!(has(&structs) && !has(&clean));
        let inner = &clean.children()[0].children()[0];
        assert_eq!(inner.null_count_on(&stream).unwrap(), 2);
        assert_eq!(inner.children()[0].null_count_on(&stream).unwrap(), 4);
    }
}
