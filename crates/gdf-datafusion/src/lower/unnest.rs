//! Lowers the node that replaces lists by their elements and structs by their fields.

use arrow_schema::DataType;
use datafusion::common::NullHandling;
use datafusion::physical_plan::unnest::UnnestExec;
use gdf_exec::{ListColumn, Node, RowsOf, Unnest, held_types};

use super::Lowering;
use crate::error::Refusal;

pub(super) fn unnest(lowering: &mut Lowering, of: &UnnestExec) -> Result<Node, Refusal> {
    let mut lists = Vec::new();
    for list in of.list_column_indices() {
        let list = ListColumn { column: list.index_in_input_schema, depth: list.depth };
        if !lists.contains(&list) {
            lists.push(list);
        }
    }
    let refused = |what: &str| Refusal::variant("UnnestExec", what);
    let types = held_types(&of.input().schema())?;
    for list in &lists {
        let mut data_type = types.get(list.column).ok_or_else(|| refused("a column that its input does not have"))?;
        for _ in 0..list.depth {
            data_type = match data_type {
                DataType::List(element) | DataType::LargeList(element) => element.data_type(),
                _ => return Err(refused("a column that does not hold lists")),
            };
        }
    }
    let rows_of = match of.options().null_handling {
        NullHandling::Drop => RowsOf::Elements,
        NullHandling::Preserve => RowsOf::ElementsAndNullLists,
        NullHandling::PreserveAndExpandEmpty => RowsOf::ElementsAndAllLists,
    };
    let input = lowering.child_with_any_types(of.input())?;
    lowering.is_worthwhile = true;
    let structs = of.struct_column_indices().to_vec();
    Ok(Node::Unnest(Box::new(Unnest { input, lists, structs, rows_of })))
}
