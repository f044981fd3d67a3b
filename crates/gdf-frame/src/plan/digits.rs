//! Checks of decimals in conditions of joins. A program over pairs of rows does not find out whether a decimal has too
//! many digits, so the ranges of the columns must show that all decimals fit.

use gdf_api::reduction::minmax;
use gdf_api::unary::cast;
use gdf_core::{DataType, Error, Result, Scalar, Table, decimal_parts, is_integral};
use gdf_expr::{Expr, Graph, Input, NodeId};

/// A condition with decimals that may have more digits than their types.
#[derive(Clone)]
pub(super) struct Digits {
    graph: Graph,
    root: NodeId,
    /// The columns on which these decimals depend.
    columns: Vec<usize>,
    /// The condition as the user wrote it.
    text: String,
}

impl Digits {
    /// Returns `None` if the types of the columns show that all decimals of the condition fit. The function also
    /// returns `None` for a condition that cannot be bound, because the join returns the error.
    pub(super) fn of(condition: &Expr, types: Vec<DataType>, text: impl FnOnce() -> String) -> Option<Digits> {
        let mut graph = Graph::new(types.into_iter().map(Input::new).collect()).with_exact_decimals();
        let root = graph.bind(condition).ok()?;
        let overflowing = graph.overflowing(&[root]);
        if overflowing.is_empty() {
            return None;
        }
        let columns = graph.columns(&overflowing);
        Some(Digits { graph, root, columns, text: text() })
    }

    /// Measures the columns of one side. The first column of the side is column `first` of the condition.
    pub(super) fn measure(&mut self, first: usize, parts: &[Table]) -> Result<()> {
        let width = parts.first().map_or(0, Table::num_columns);
        for position in &self.columns {
            let Some(column) = position.checked_sub(first).filter(|column| *column < width) else { continue };
            if let Some(range) = range(parts, column)? {
                self.graph.set_range(*position, range);
            }
        }
        Ok(())
    }

    /// Checks the condition for rows of the measured columns.
    ///
    /// # Errors
    /// * [`InvalidData`](Error::InvalidData): a decimal may have more digits than its type.
    pub(super) fn check(&self) -> Result<()> {
        let overflowing = self.graph.overflowing(&[self.root]);
        let Some(first) = overflowing.first() else { return Ok(()) };
        let error = Error::invalid_data("a result within the condition may have more digits than its type");
        Err(error.in_type(&self.graph.node(*first).data_type).in_expression(|| self.text.clone()).with_remedy(REMEDY))
    }
}

const REMEDY: &str = "cast the operands to a wider decimal or to `Float64`, or compute the values of each side by `with` before the join";

/// Returns the smallest and the largest stored number of a column of integers or of decimals of up to 128 bits.
fn range(parts: &[Table], column: usize) -> Result<Option<(i128, i128)>> {
    let Some(first) = parts.first() else { return Ok(None) };
    let data_type = first.column(column)?.data_type();
    let scale = match decimal_parts(data_type) {
        Some((width, _, scale)) if width <= 16 => scale,
        None if is_integral(data_type) => 0,
        _ => return Ok(None),
    };
    let wide = DataType::Decimal128(38, scale);
    let number = |extreme: &Scalar| -> Result<Option<i128>> {
        Ok(cast(extreme.column(), &wide)?.to_vec::<i128>()?.first().copied().flatten())
    };
    let mut range: Option<(i128, i128)> = None;
    for part in parts {
        let (low, high) = minmax(part.column(column)?)?;
        if let Some((low, high)) = number(&low)?.zip(number(&high)?) {
            range = Some(range.map_or((low, high), |(lowest, highest)| (lowest.min(low), highest.max(high))));
        }
    }
    Ok(Some(range.unwrap_or((0, 0))))
}
