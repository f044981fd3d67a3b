//! Pipelines: the rows of a table that pass a condition, expressions on them, and a sink.
//!
//! All expressions of a pipeline are nodes of one graph. A part that several expressions have in common is therefore
//! computed only once. The module `plan` decides whether the values are computed for all rows or only for the rows that
//! pass. A sink then passes the values to an operation on columns. This module has the sinks that filter, count and
//! reduce; the modules `group`, `sort` and `probe` have the others.

mod group;
mod plan;
mod probe;
mod rows;
mod sort;

use gdf_compute::reduction::{ReduceAggregation, default_output_type, reduce, reduce_where};
use gdf_core::{Column, DataType, Error, Position, Result, Scalar, Table, TableView};
use gdf_engine::mask::null_unless_true;
use gdf_expr::Expr;

pub use self::group::GroupRequest;
use self::plan::Form;
use self::rows::{Bound, Numbers};
pub use self::sort::SortKey;
use crate::Ctx;

const OPERATION: &str = "pipeline";

/// The rows of a table that pass conditions. `gdf_api::pipeline` documents the sinks.
#[derive(Clone, Debug)]
pub struct Pipeline<'a> {
    table: TableView<'a>,
    conditions: Vec<Expr>,
    has_exact_decimals: bool,
}

/// A reduction of the values of an expression.
///
/// ```
/// # mod gdf { pub use gdf_core::DataType; pub use gdf_detail::*; pub use gdf_expr as expr; }
/// use gdf::DataType;
/// use gdf::expr::col;
/// use gdf::pipeline::Reduction;
/// use gdf::reduction::ReduceAggregation;
///
/// let sum = Reduction::new(col(0) * col(1), ReduceAggregation::Sum).of_type(DataType::Float64);
/// assert_eq!(sum.output_type, Some(DataType::Float64));
/// ```
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The values.
    pub values: Expr,
    /// The aggregation.
    pub aggregation: ReduceAggregation,
    /// The type of the result. `None` is the default type of the aggregation.
    pub output_type: Option<DataType>,
}

impl Reduction {
    /// Creates a reduction with a result of the default type.
    pub fn new(values: impl Into<Expr>, aggregation: ReduceAggregation) -> Reduction {
        Reduction { values: values.into(), aggregation, output_type: None }
    }

    /// Returns the same reduction with a result of another type.
    #[must_use]
    pub fn of_type(self, output_type: DataType) -> Reduction {
        Reduction { output_type: Some(output_type), ..self }
    }

    /// Returns whether the result is the number of a row.
    fn numbers_rows(&self) -> bool {
        matches!(self.aggregation, ReduceAggregation::ArgMin | ReduceAggregation::ArgMax)
    }
}

impl<'a> Pipeline<'a> {
    /// Creates a pipeline of all rows of a table.
    pub fn new(table: impl Into<TableView<'a>>) -> Self {
        Self { table: table.into(), conditions: Vec::new(), has_exact_decimals: false }
    }

    /// Makes a decimal with more digits than its type an error.
    #[must_use]
    pub fn with_exact_decimals(self) -> Self {
        Self { has_exact_decimals: true, ..self }
    }

    /// Adds a condition. Rows pass if all conditions are true and not null.
    #[must_use]
    pub fn filter(mut self, condition: impl Into<Expr>) -> Self {
        self.conditions.push(condition.into());
        self
    }

    /// Returns the table.
    pub fn table(&self) -> &TableView<'a> {
        &self.table
    }

    /// Implements `gdf_api::pipeline::Pipeline::project`.
    ///
    /// # Errors
    /// The errors of that method.
    pub fn project(&self, outputs: &[Expr], ctx: Ctx<'_>) -> Result<Table> {
        let mut bound = Bound::new(self, ctx)?;
        let outputs = bound.bind(outputs, "outputs", ctx)?;
        let rows = bound.rows(&outputs, Form::Passing, Numbers::Unused, ctx)?;
        Table::try_with_rows(rows.columns, rows.count)
    }

    /// Implements `gdf_api::pipeline::Pipeline::row_numbers`.
    ///
    /// # Errors
    /// The errors of that method.
    pub fn row_numbers(&self, ctx: Ctx<'_>) -> Result<Column> {
        let bound = Bound::new(self, ctx)?;
        let rows = bound.rows(&[], Form::Passing, Numbers::Used, ctx)?;
        match rows.numbers {
            Some(numbers) => Ok(numbers),
            None => gdf_compute::filling::row_numbers(rows.count, ctx),
        }
    }

    /// Implements `gdf_api::pipeline::Pipeline::count`.
    ///
    /// # Errors
    /// The errors of that method.
    pub fn count(&self, ctx: Ctx<'_>) -> Result<usize> {
        let bound = Bound::new(self, ctx)?;
        match bound.mask(ctx)? {
            None => Ok(self.table.num_rows()),
            Some(mask) => passing_rows(&mask, ctx),
        }
    }

    /// Implements `gdf_api::pipeline::Pipeline::reduce`.
    ///
    /// # Errors
    /// The errors of that method.
    pub fn reduce(&self, reductions: &[Reduction], ctx: Ctx<'_>) -> Result<Table> {
        let mut bound = Bound::new(self, ctx)?;
        let values = bound.bind(reductions.iter().map(|reduction| &reduction.values), "reductions", ctx)?;
        let of_type = |(index, reduction): (usize, &Reduction)| match &reduction.output_type {
            Some(output_type) => Ok(output_type.clone()),
            None => default_output_type(reduction.aggregation, bound.data_type(values[index]))
                .map_err(|error| error.at(Position::Input(index)).in_argument("reductions")),
        };
        let types = reductions.iter().enumerate().map(of_type).collect::<Result<Vec<_>>>()?;
        if let Some(columns) = bound.reduced(reductions, &values, &types, ctx)? {
            return Table::try_with_rows(columns, 1);
        }
        let form = if reductions.iter().any(Reduction::numbers_rows) { Form::AllRows } else { Form::Either };
        let rows = bound.rows(&values, form, Numbers::Unused, ctx.scratch())?;
        let reduced = |((index, reduction), output_type): ((usize, &Reduction), &DataType)| {
            let (column, aggregation) = (rows.columns[index].view(), reduction.aggregation);
            let result = match &rows.mask {
                None => reduce(column, aggregation, output_type, ctx),
                Some(mask) => reduce_where(column, mask.view(), aggregation, output_type, ctx),
            };
            result.map(Scalar::into_column).map_err(|error| error.at(Position::Input(index)).in_argument("reductions"))
        };
        let columns = reductions.iter().enumerate().zip(&types).map(reduced).collect::<Result<Vec<_>>>()?;
        Table::try_with_rows(columns, 1)
    }
}

/// Returns the number of rows for which the mask is true. The function **waits** for the number.
fn passing_rows(mask: &Column, ctx: Ctx<'_>) -> Result<usize> {
    let selected = null_unless_true(mask.view(), ctx.scratch())?;
    let others = selected.null_count_on(ctx.stream)?;
    selected.len().checked_sub(others).ok_or_else(|| Error::internal("a mask has more nulls than rows"))
}
