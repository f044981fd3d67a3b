//! Area `structs_dictionary`: makes nested columns, and returns the parts of nested columns.

use gdf_api::unary::is_null;
use gdf_core::{ListsView, StructsView, make_structs_column};

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("struct_from_children", struct_from_children), ("struct_child", struct_child), ("list_child", list_child)];

fn struct_from_children(call: &Call<'_>) -> Answered {
    Ok(Answer::column(make_structs_column(call.table("input")?.into_columns(), None)?)?)
}

/// If a row of the struct is null, libcudf makes the row of the field null. gdf does not change the field. Therefore
/// the rows with a null struct count as null in gdf's answer. The other rows of both answers are equal.
fn struct_child(call: &Call<'_>) -> Answered {
    let column = call.column("input")?;
    let child = StructsView::try_from(column.view())?.child(call.position("child")?)?;
    Ok(Answer { nulls: Some(is_null(&column)?), ..Answer::column(child.to_column())? })
}

fn list_child(call: &Call<'_>) -> Answered {
    let column = call.column("input")?;
    let child = ListsView::try_from(column.view())?.sliced_child(call.stream())?;
    Ok(Answer::column(child.to_column())?)
}
