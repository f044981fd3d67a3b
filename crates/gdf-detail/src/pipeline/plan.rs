//! Decides when the values of a pipeline are computed: for all rows, or only for the rows that pass the condition.
//!
//! The decision compares estimated bytes per row of the table. Tuning the decision changes this file only.

use gdf_core::width;
use gdf_expr::{Graph, NodeId, Operation};

/// The estimated cost, in bytes, of a row of a column without fixed width. The row has offsets, and its text is copied
/// in small pieces.
const BYTES_OF_TEXT: f64 = 32.0;

/// The estimated cost, in bytes, of a row of a mask that becomes a key of a group-by. The cost is high, because numbers
/// can index the groups directly only if there is no further key.
const BYTES_OF_MASK_KEY: f64 = 24.0;

/// Up to this number of rows, the share of passing rows is estimated. In larger tables, the passing rows are counted,
/// because a wrong decision would cost more than the wait for the count.
pub(super) const ESTIMATED_ROWS: usize = 1 << 16;

/// The form in which a sink takes its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// All rows of the table with a mask, because the sink numbers the rows of the table.
    AllRows,
    /// All rows with a mask, or only the rows that pass.
    Either,
    /// The rows as in `Either`, for the keys of a group-by. A mask becomes one more key.
    Keys,
    /// Only the rows that pass.
    Passing,
}

/// The order of the steps of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Steps {
    /// Condition and values are computed for all rows.
    ValuesOfAllRows,
    /// The columns that the values read are filtered by the condition. Then the values are computed.
    FilterFirst,
}

/// The estimated bytes per row that the two orders of steps move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// The bytes of the columns that the values read.
    read: f64,
    /// The cost of the computation of values that are not columns. The cost includes the columns that the computation
    /// reads.
    work: f64,
    /// The bytes of the values that the sink reads.
    values: f64,
    /// The bytes of the values that must be written before the sink reads them.
    written: f64,
}

impl Costs {
    pub(super) fn new(graph: &Graph, values: &[NodeId]) -> Costs {
        let mut distinct = values.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let bytes = |id: NodeId| width(&graph.node(id).data_type).map_or(BYTES_OF_TEXT, |width| width as f64);
        let is_computed =
            |id: &NodeId| !matches!(graph.node(*id).operation, Operation::Column(_) | Operation::Literal(_));
        let computed = || distinct.iter().copied().filter(is_computed);
        let columns = graph.reachable(&distinct).into_iter().filter(|id| graph.column(*id).is_some());
        Costs {
            read: columns.map(bytes).sum(),
            work: computed().map(|id| graph.estimate(id).cost).sum(),
            values: distinct.iter().copied().map(bytes).sum(),
            written: computed().map(bytes).sum(),
        }
    }

    /// Returns the order of the steps if `share` of the rows pass.
    pub(super) fn steps(&self, form: Form, share: f64) -> Steps {
        let computed = self.work + self.written;
        let for_all_rows = match form {
            Form::AllRows => return Steps::ValuesOfAllRows,
            Form::Either => computed + self.values,
            Form::Keys => computed + self.values + BYTES_OF_MASK_KEY,
            // The values are filtered before the sink reads them.
            Form::Passing => computed + self.values * (1.0 + share),
        };
        let filtered = self.read * (1.0 + share) + share * computed;
        // After a filter, a sink that takes masks reads the values of the passing rows once more.
        let filtered = if form == Form::Passing { filtered } else { filtered + share * self.values };
        if for_all_rows <= filtered { Steps::ValuesOfAllRows } else { Steps::FilterFirst }
    }

    /// Returns the order of the steps if the order is the same for every share of passing rows.
    pub(super) fn steps_of_every_share(&self, form: Form) -> Option<Steps> {
        let (none, all) = (self.steps(form, 0.0), self.steps(form, 1.0));
        // Both costs are linear functions of the share, so the better order changes at most once between the shares 0
        // and 1.
        (none == all).then_some(none)
    }
}

#[cfg(test)]
mod tests {
    use gdf_core::DataType;
    use gdf_expr::{Expr, Function, Input, col};

    use super::*;

    fn steps(values: &[Expr], form: Form, share: f64) -> Steps {
        let types = [DataType::Int64, DataType::Int64, DataType::Int64, DataType::Utf8];
        let mut graph = Graph::new(types.map(Input::new).to_vec());
        let values: Vec<NodeId> = values.iter().map(|value| graph.bind(value).unwrap()).collect();
        Costs::new(&graph, &values).steps(form, share)
    }

    #[test]
    fn few_rows_are_filtered_first() {
        let product = [col(0) * col(1)];
        for form in [Form::Either, Form::Passing] {
            assert_eq!(steps(&product, form, 0.02), Steps::FilterFirst, "{form:?}");
        }
        assert_eq!(steps(&product, Form::Either, 0.98), Steps::ValuesOfAllRows);
        assert_eq!(steps(&product, Form::AllRows, 0.0), Steps::ValuesOfAllRows);
    }

    #[test]
    fn columns_are_masked_where_the_sink_takes_masks() {
        let columns = [col(0), col(3)];
        assert_eq!(steps(&columns, Form::Either, 0.98), Steps::ValuesOfAllRows);
        let upper = [Expr::call(Function::ToUpper, [col(3)])];
        assert_eq!(steps(&upper, Form::Passing, 0.1), Steps::FilterFirst);
    }

    #[test]
    fn a_mask_is_an_expensive_key_of_narrow_rows() {
        assert_eq!(steps(&[col(0), col(1)], Form::Keys, 0.5), Steps::FilterFirst);
        assert_eq!(steps(&[col(0), col(1)], Form::Either, 0.5), Steps::ValuesOfAllRows);
        assert_eq!(steps(&[col(0), col(3), col(1), col(2) * 2], Form::Keys, 0.98), Steps::ValuesOfAllRows);
    }

    #[test]
    fn sums_of_many_columns_are_narrower_than_the_columns() {
        assert_eq!(steps(&[col(0) + col(1) + col(2)], Form::Passing, 0.9), Steps::ValuesOfAllRows);
    }

    #[test]
    fn the_share_is_not_needed_if_it_decides_nothing() {
        let mut graph = Graph::new(vec![Input::new(DataType::Int64)]);
        let column = graph.bind(&col(0)).unwrap();
        let costs = Costs::new(&graph, &[column]);
        assert_eq!(costs.steps_of_every_share(Form::Either), Some(Steps::ValuesOfAllRows));
        assert_eq!(costs.steps_of_every_share(Form::AllRows), Some(Steps::ValuesOfAllRows));
    }
}
