//! Lists of a fixed size whose elements have a fixed width and no nulls, such as embeddings. A row of such a column is
//! copied as one value of many bytes.

use gdf_core::{ColumnParts, ColumnView, DataType, FixedSizeListsView, Result, Table, TableView};
use gdf_engine::layout::RowKind;
use gdf_memory::Buffer;

use crate::vouch;

/// Returns `table` with each column of such lists replaced by a column of type `FixedSizeBinary` that shares its bytes.
pub(super) fn to_bytes(table: &TableView<'_>) -> Result<Option<Table>> {
    let mut found = false;
    let columns = table.columns().iter().map(|column| match bytes_of_rows(*column)? {
        None => Ok(column.to_column()),
        Some((bytes, size)) => {
            found = true;
            let mut parts = ColumnParts::new(DataType::FixedSizeBinary(size), column.device(), column.len());
            parts.buffers.push(bytes);
            let of_lists = column.to_column().into_parts();
            parts.offset = of_lists.offset;
            vouch::result(parts.validity(of_lists.validity, of_lists.null_count))
        }
    });
    let columns = columns.collect::<Result<_>>()?;
    if found { Table::try_with_rows(columns, table.num_rows()).map(Some) } else { Ok(None) }
}

/// Replaces the columns of type `FixedSizeBinary` that [`to_bytes`] has made for the columns of `like` by lists.
pub(super) fn to_lists(like: &TableView<'_>, copied: Table) -> Result<Table> {
    let rows = copied.num_rows();
    let columns = like.columns().iter().zip(copied.into_columns()).map(|(like, column)| {
        match (like.data_type(), column.data_type()) {
            (DataType::FixedSizeList(field, size), DataType::FixedSizeBinary(_)) => {
                let (field, size) = (field.data_type(), *size as usize);
                let bytes = column.into_parts();
                let mut elements = ColumnParts::new(field.clone(), bytes.device, bytes.len * size);
                elements.buffers = bytes.buffers;
                let mut lists = ColumnParts::new(like.data_type().clone(), bytes.device, bytes.len);
                lists.children.push(vouch::result(elements)?);
                vouch::result(lists.validity(bytes.validity, bytes.null_count))
            }
            _ => Ok(column),
        }
    });
    Table::try_with_rows(columns.collect::<Result<_>>()?, rows)
}

/// Returns the bytes of the elements of a column of such lists, and the number of bytes of a row.
fn bytes_of_rows(column: ColumnView<'_>) -> Result<Option<(Buffer, i32)>> {
    let Ok(lists) = FixedSizeListsView::try_from(column) else { return Ok(None) };
    let elements = column.child(0)?;
    let (RowKind::Bytes(width), [values], []) =
        (RowKind::of(elements.data_type()).unwrap_or(RowKind::Null), elements.buffers(), elements.children())
    else {
        return Ok(None);
    };
    let size = lists.size().checked_mul(width).and_then(|size| i32::try_from(size).ok());
    let Some(size) = size.filter(|size| *size > 0 && !elements.has_validity()) else { return Ok(None) };
    let begin = elements.offset() * width;
    Ok(Some((values.slice(begin, values.len().saturating_sub(begin))?, size)))
}
