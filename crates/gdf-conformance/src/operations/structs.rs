//! Area `structs_dictionary`: making and opening nested columns.

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

/// libcudf makes fields null where their struct is null, and gdf leaves fields unchanged. The results agree where the
/// struct is valid, and the other rows count as null.
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
