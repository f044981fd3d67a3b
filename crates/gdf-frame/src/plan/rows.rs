//! Rows that are not computed yet: columns, conditions on their rows, and expressions.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use gdf_api::pipeline::Pipeline;
use gdf_core::{Column, DataType, Error, Result, Table, is_decimal};
use gdf_expr::{ExprKind, Graph, Input, Value};

use crate::columns::{Columns, renamed_field};
use crate::expr::{Aggregate, Expr, Leaf};
use crate::names::{Name, SEARCHED, check_names, unknown_name};
use crate::selector::{Described, Selector};

/// The nesting depth beyond which expressions are computed before more operators are added.
const MAX_FUSED_DEPTH: usize = gdf_expr::MAX_DEPTH / 2;

thread_local! {
    /// The expressions of the first columns, which all verbs share. Each verb would otherwise allocate them again.
    static COLUMNS: [gdf_expr::Expr; SEARCHED] = std::array::from_fn(gdf_expr::col);
}

/// Returns a pipeline of all rows of a table. A decimal with more digits than its type is an error.
pub(super) fn exact(table: &Table) -> Pipeline<'_> {
    Pipeline::new(table).with_exact_decimals()
}

/// Returns the column at this position of the source.
pub(super) fn col(position: usize) -> gdf_expr::Expr {
    COLUMNS.with(|columns| columns.get(position).cloned()).unwrap_or_else(|| gdf_expr::col(position))
}

/// The rows of a source that pass conditions, with expressions as columns.
#[derive(Clone)]
pub(crate) struct Rows {
    source: Columns,
    conditions: Vec<gdf_expr::Expr>,
    /// The columns of the rows. `None` stands for the columns of the source.
    outputs: Option<Vec<Named>>,
    /// Values that were computed from all rows, even if `source` is a part. Aggregations are literals, and window
    /// functions are columns of the source.
    pub(super) known: Vec<(Leaf, gdf_expr::Expr)>,
    /// Whether the source has no rows because its rows are read later.
    is_of_scan: bool,
}

/// An expression over the columns of the source, and the name of its result.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) name: Name,
    pub(crate) value: gdf_expr::Expr,
}

impl Rows {
    pub(crate) fn new(source: Columns) -> Rows {
        Rows { source, conditions: Vec::new(), outputs: None, known: Vec::new(), is_of_scan: false }
    }

    /// Returns rows that are read later. `source` has their columns without rows.
    pub(super) fn of_scan(source: Columns) -> Rows {
        Rows { is_of_scan: true, ..Rows::new(source) }
    }

    pub(crate) fn with_outputs(source: Columns, outputs: Vec<Named>) -> Rows {
        Rows { outputs: Some(outputs), ..Rows::new(source) }
    }

    /// Returns expressions over rows that are read later. `source` has their columns without rows.
    pub(super) fn of_scan_with_outputs(source: Columns, outputs: Vec<Named>) -> Rows {
        Rows { outputs: Some(outputs), ..Rows::of_scan(source) }
    }

    pub(crate) fn set_known(&mut self, known: Vec<(Leaf, gdf_expr::Expr)>) {
        self.known = known;
    }

    pub(crate) fn source(&self) -> &Columns {
        &self.source
    }

    pub(crate) fn is_filtered(&self) -> bool {
        !self.conditions.is_empty()
    }

    pub(crate) fn is_computed(&self) -> bool {
        self.outputs.is_none() && !self.is_filtered()
    }

    pub(crate) fn conditions(&self) -> &[gdf_expr::Expr] {
        &self.conditions
    }

    /// Returns whether all rows pass and every column is a column of the source.
    pub(crate) fn has_only_columns(&self) -> bool {
        let is_column = |output: &Named| column_of(&output.value).is_some();
        !self.is_filtered() && self.outputs.iter().flatten().all(is_column)
    }

    pub(crate) fn pipeline(&self) -> Pipeline<'_> {
        self.conditions.iter().cloned().fold(exact(self.source.table()), Pipeline::filter)
    }

    pub(crate) fn width(&self) -> usize {
        self.outputs.as_ref().map_or(self.source.len(), Vec::len)
    }

    pub(crate) fn name(&self, position: usize) -> &str {
        match &self.outputs {
            Some(outputs) => &outputs[position].name,
            None => self.source.field(position).name(),
        }
    }

    pub(crate) fn output_name(&self, position: usize) -> Name {
        match &self.outputs {
            Some(outputs) => outputs[position].name.clone(),
            None => Name::OfField(self.source.field(position).clone()),
        }
    }

    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.width()).map(|position| self.name(position))
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        match &self.outputs {
            Some(outputs) => outputs.iter().position(|of| *of.name == *name),
            None => self.source.position(name),
        }
    }

    /// Returns the expression of a column over the source.
    pub(crate) fn value(&self, position: usize) -> gdf_expr::Expr {
        match &self.outputs {
            Some(outputs) => outputs[position].value.clone(),
            None => col(position),
        }
    }

    /// Returns the expression of the column with this name over the source.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    pub(crate) fn value_of(&self, name: &str) -> Result<gdf_expr::Expr> {
        self.position_of(name).map(|position| self.value(position))
    }

    /// Returns the position of the column with this name.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    pub(crate) fn position_of(&self, name: &str) -> Result<usize> {
        self.position(name).ok_or_else(|| unknown_name(name, self.names()))
    }

    pub(crate) fn positions(&self, selector: &Selector) -> Result<Vec<usize>> {
        selector.positions(self)
    }

    /// Replaces the selectors in expressions by columns. For an expression with a selector, the result has one
    /// expression for each column that the selector selects.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound): a selector contains a name that no column has.
    /// * [`InvalidArgument`](Error::InvalidArgument): two selectors of an expression select different numbers of
    ///   columns.
    pub(crate) fn expanded<'e>(&self, expressions: &'e [Expr]) -> Result<Cow<'e, [Expr]>> {
        if !expressions.iter().any(Expr::has_selector) {
            return Ok(Cow::Borrowed(expressions));
        }
        let mut expanded = Vec::with_capacity(expressions.len());
        for expression in expressions {
            expression.expand(&mut expanded, &|selector| {
                let positions = self.positions(selector)?;
                Ok(positions.into_iter().map(|position| self.name(position).into()).collect())
            })?;
        }
        Ok(Cow::Owned(expanded))
    }

    pub(crate) fn outputs(&self) -> Vec<Named> {
        match &self.outputs {
            Some(outputs) => outputs.clone(),
            None => {
                let fields = self.source.schema().fields().iter().cloned().enumerate();
                fields.map(|(position, field)| Named { name: Name::OfField(field), value: col(position) }).collect()
            }
        }
    }

    pub(crate) fn values(&self) -> Vec<gdf_expr::Expr> {
        (0..self.width()).map(|position| self.value(position)).collect()
    }

    pub(crate) fn graph(&self) -> Graph {
        Graph::new(self.source.table().data_types().cloned().map(Input::new).collect())
    }

    pub(crate) fn type_of(&self, value: &gdf_expr::Expr) -> Result<DataType> {
        if let Some(column) = column_of(value).and_then(|position| self.source.table().column(position).ok()) {
            return Ok(column.data_type().clone());
        }
        let mut graph = self.graph();
        let id = graph.bind(value)?;
        Ok(graph.node(id).data_type.clone())
    }

    /// Adds a condition.
    ///
    /// # Errors
    /// * The errors of the computation of the earlier conditions, if this condition may fail for rows that they filter
    ///   away.
    pub(crate) fn filter(&mut self, condition: gdf_expr::Expr) -> Result<()> {
        // The batches of a scan are read later, and `project` filters them by one condition after the other.
        if self.is_filtered() && !self.is_of_scan && self.may_overflow(&condition) {
            *self = self.filtered_by(self.conditions.len())?;
        }
        self.conditions.push(condition);
        Ok(())
    }

    /// Returns the rows of which the source is filtered by the first `count` conditions.
    fn filtered_by(&self, count: usize) -> Result<Rows> {
        let (first, rest) = self.conditions.split_at(count);
        let rows = Rows { conditions: first.to_vec(), ..Rows::new(self.source.clone()) };
        Ok(Rows { source: rows.into_columns()?, conditions: rest.to_vec(), ..self.clone() })
    }

    /// Returns whether a decimal of the expression may have more digits than its type.
    pub(super) fn may_overflow(&self, value: &gdf_expr::Expr) -> bool {
        if !self.source.table().data_types().any(is_decimal) {
            return false;
        }
        let mut graph = self.graph().with_exact_decimals();
        graph.bind(value).is_ok_and(|id| !graph.overflowing(&[id]).is_empty())
    }

    /// Replaces the columns.
    ///
    /// # Errors
    /// * [`DuplicateName`](Error::DuplicateName): two columns have the same name.
    /// * The errors of the computation, if expressions have become too deep to be fused with later expressions.
    pub(crate) fn set_outputs(&mut self, outputs: Vec<Named>) -> Result<()> {
        check_names(outputs.iter().map(|output| &*output.name))?;
        self.outputs = Some(outputs);
        // The batches of a scan, which are read later, need the expressions.
        if self.is_deep() && !self.is_of_scan { self.compute() } else { Ok(()) }
    }

    /// Returns whether expressions are too deep to be fused with later expressions.
    pub(crate) fn is_deep(&self) -> bool {
        self.outputs.iter().flatten().any(|output| output.value.depth() > MAX_FUSED_DEPTH)
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        if !self.names().all(&keep) {
            let kept = self.outputs().into_iter().filter(|output| keep(&output.name)).collect();
            self.outputs = Some(kept);
        }
    }

    /// Returns the field of an output. A column of the source keeps its field under the new name. Any other output is
    /// nullable.
    pub(crate) fn field(&self, name: &str, value: &gdf_expr::Expr, table: &Table, position: usize) -> Result<FieldRef> {
        Ok(match value.kind() {
            ExprKind::Column(of) if *of < self.source.len() => renamed_field(self.source.field(*of), name),
            _ => Arc::new(Field::new(name, table.column(position)?.data_type().clone(), true)),
        })
    }

    /// Returns the columns of a table that was computed from `outputs`.
    pub(crate) fn columns_of(&self, table: impl Into<Arc<Table>>, outputs: &[Named]) -> Result<Columns> {
        let table = table.into();
        let field = |(position, output): (usize, &Named)| self.field(&output.name, &output.value, &table, position);
        let fields = outputs.iter().enumerate().map(field).collect::<Result<Vec<_>>>()?;
        Ok(self.source.replaced(fields, table))
    }

    /// Computes expressions over the source. Without conditions, columns of the source are shared.
    pub(crate) fn project(&self, values: &[gdf_expr::Expr]) -> Result<Arc<Table>> {
        if let Some(count) = (1..self.conditions.len()).find(|at| self.may_overflow(&self.conditions[*at])) {
            return self.filtered_by(count)?.project(values);
        }
        if self.is_filtered() {
            return self.pipeline().project(values).map(Arc::new);
        }
        let of_source = |(at, value): (usize, &gdf_expr::Expr)| column_of(value) == Some(at);
        if values.len() == self.source.len() && values.iter().enumerate().all(of_source) {
            return Ok(self.source.shared_table().clone());
        }
        project(self.source.table(), values).map(Arc::new)
    }

    pub(crate) fn into_columns(self) -> Result<Columns> {
        match &self.outputs {
            None if !self.is_filtered() => Ok(self.source),
            None => Ok(Columns::trusted(self.source.schema().clone(), self.project(&self.values())?)),
            Some(outputs) => self.columns_of(self.project(&self.values())?, outputs),
        }
    }

    /// Computes the rows, which become the source.
    pub(crate) fn compute(&mut self) -> Result<()> {
        let rows = std::mem::replace(self, Rows::new(self.source.clone()));
        *self = Rows::new(rows.into_columns()?);
        Ok(())
    }

    /// Converts an expression over names to an expression over the source. `computed` has the leaves that are not
    /// columns.
    pub(super) fn resolve(&self, expression: &Expr, computed: &[(Leaf, gdf_expr::Expr)]) -> Result<gdf_expr::Expr> {
        let value = |leaf: &Leaf| match leaf {
            Leaf::Column(name) => self.value_of(name),
            Leaf::Element => Err(element_outside()),
            Leaf::Aggregate(_) | Leaf::Window(_) | Leaf::Elements(_) => {
                let found = computed.iter().find(|(of, _)| of == leaf);
                found
                    .map(|(_, value)| value.clone())
                    .ok_or_else(|| Error::internal("a part of an expression was not computed"))
            }
            Leaf::Columns(_) => {
                Err(Error::invalid_argument("a selector is used where one column is expected; name the column"))
            }
        };
        if let (ExprKind::Column(_), [leaf]) = (expression.tree().kind(), expression.leaves()) {
            return value(leaf);
        }
        let values = expression.leaves().iter().map(value).collect::<Result<Vec<_>>>()?;
        expression.tree().substitute(|position| Ok(values[position].clone()))
    }

    /// Returns an expression over names as an expression over the source. Returns `None` if the expression contains
    /// more than columns, or a column that does not exist.
    pub(crate) fn over_source(&self, expression: &Expr) -> Option<gdf_expr::Expr> {
        self.resolve(expression, &[]).ok()
    }

    /// Adds a column to the source, but not to the columns of the rows, and returns its position.
    pub(super) fn add_column(&mut self, column: Column) -> Result<usize> {
        self.outputs = Some(self.outputs());
        let (position, rows) = (self.source.len(), self.source.table().num_rows());
        let field = Arc::new(Field::new(format!("#{position}"), column.data_type().clone(), true));
        let fields = self.source.schema().fields().iter().cloned().chain([field]).collect();
        let columns = self.source.table().columns().iter().cloned().chain([column]).collect();
        self.source = self.source.replaced(fields, Table::try_with_rows(columns, rows)?);
        Ok(position)
    }
}

/// Returns the error of an [`element`](crate::element) that belongs to no list.
pub(super) fn element_outside() -> Error {
    Error::invalid_argument("`element()` is used outside of a function of lists")
        .with_remedy("use it in the argument of `list().transform`, `list().filter` or `list().aggregate`")
}

pub(super) fn literals(aggregates: Vec<Arc<Aggregate>>, results: &Table) -> Result<Vec<(Leaf, gdf_expr::Expr)>> {
    let literal = |(aggregate, column): (Arc<Aggregate>, &Column)| {
        let scalar = gdf_api::copying::get_element(column, 0)?;
        // The types of results must not depend on the value, so the value has the type of the aggregation.
        let value = gdf_expr::lit(Value::from_scalar(&scalar)?).cast(column.data_type().clone());
        Ok((Leaf::Aggregate(aggregate), value))
    };
    aggregates.into_iter().zip(results.columns()).map(literal).collect()
}

/// Computes expressions over a table. Columns of the table are shared.
pub(super) fn project(table: &Table, values: &[gdf_expr::Expr]) -> Result<Table> {
    let computed: Vec<_> = values.iter().filter(|value| column_of(value).is_none()).cloned().collect();
    let computed = if computed.is_empty() { Vec::new() } else { exact(table).project(&computed)?.into_columns() };
    let mut computed = computed.into_iter();
    let column = |value: &gdf_expr::Expr| match column_of(value) {
        Some(position) => table.column(position).cloned(),
        None => computed.next().ok_or_else(|| Error::internal("an expression has no result")),
    };
    Table::try_with_rows(values.iter().map(column).collect::<Result<_>>()?, table.num_rows())
}

fn column_of(value: &gdf_expr::Expr) -> Option<usize> {
    match value.kind() {
        ExprKind::Column(position) => Some(*position),
        _ => None,
    }
}

/// The type of a column that is not computed yet is found by binding its expression.
impl Described for Rows {
    fn width(&self) -> usize {
        self.width()
    }

    fn name(&self, position: usize) -> &str {
        self.name(position)
    }

    fn data_type(&self, position: usize) -> Result<DataType> {
        self.type_of(&self.value(position))
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.position(name)
    }
}
