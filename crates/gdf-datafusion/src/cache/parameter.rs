//! Parameters in plans. A parameter is a scalar subquery that reads the value from the context of the run.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Spans, Statistics, plan_datafusion_err, plan_err};
use datafusion::datasource::provider_as_source;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::functions::math::round::RoundFunc;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Subquery, TableType};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions, SendableRecordBatchStream,
};
use datafusion::scalar::ScalarValue;

/// The values of the parameters of a run, as an extension of its configuration.
#[derive(Debug)]
pub(super) struct Bound(pub(super) Vec<ScalarValue>);

/// Returns the number of a parameter such as `$2`, counted from 0.
fn number(id: &str) -> Result<usize> {
    let number = id.strip_prefix('$').and_then(|digits| digits.parse::<usize>().ok());
    number.and_then(|number| number.checked_sub(1)).ok_or_else(|| {
        plan_datafusion_err!("PlanCache: the parameter `{id}` has no number; number the parameters as $1, $2 and so on")
    })
}

fn missing<T>(id: &str, values: usize) -> Result<T> {
    plan_err!("PlanCache: the query has the parameter {id}, but {values} values were passed; pass a value for each")
}

/// Returns the types of the parameters of a query. A parameter has the type that it has in the query, if that type has
/// each value of the type of its value. Else it keeps the type of its value, so that no value is rounded.
pub(super) fn bound_types(plan: &LogicalPlan, values: &[ScalarValue]) -> Result<Vec<DataType>> {
    let mut types: Vec<DataType> = values.iter().map(ScalarValue::data_type).collect();
    // If the query uses a parameter with several types, all parameters have the types of their values.
    let Ok(inferred) = plan.get_parameter_types() else { return Ok(types) };
    let mut count = 0;
    for (id, data_type) in inferred {
        let number = number(&id)?;
        let Some(known) = types.get_mut(number) else {
            return missing(&id, values.len());
        };
        count = count.max(number + 1);
        if let Some(data_type) = data_type.filter(|wanted| has_all_values(wanted, known)) {
            *known = data_type;
        }
    }
    types.truncate(count);
    Ok(types)
}

/// Returns whether `wanted` has all values of the type `found`.
fn has_all_values(wanted: &DataType, found: &DataType) -> bool {
    use DataType::*;
    let digits_of_integer = |data_type: &DataType| match data_type {
        Int8 | UInt8 => Some(3),
        Int16 | UInt16 => Some(5),
        Int32 | UInt32 => Some(10),
        Int64 => Some(19),
        UInt64 => Some(20),
        _ => None,
    };
    let is_text = |data_type: &DataType| matches!(data_type, Utf8 | LargeUtf8 | Utf8View);
    let is_binary = |data_type: &DataType| matches!(data_type, Binary | LargeBinary | BinaryView);
    if wanted == found
        || *found == Null
        || (is_text(wanted) && is_text(found))
        || (is_binary(wanted) && is_binary(found))
    {
        return true;
    }
    if let (Some((_, precision, scale)), Some((_, of_precision, of_scale))) =
        (gdf_core::decimal_parts(wanted), gdf_core::decimal_parts(found))
    {
        let whole = |precision: u8, scale: i8| i16::from(precision) - i16::from(scale);
        return scale >= of_scale && whole(precision, scale) >= whole(of_precision, of_scale);
    }
    if let (Some((_, precision, scale)), Some(digits)) = (gdf_core::decimal_parts(wanted), digits_of_integer(found)) {
        return scale >= 0 && i16::from(precision) - i16::from(scale) >= digits;
    }
    match wanted {
        Int16 => matches!(found, Int8 | UInt8),
        Int32 => matches!(found, Int8 | Int16 | UInt8 | UInt16),
        Int64 => matches!(found, Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32),
        UInt16 => matches!(found, UInt8),
        UInt32 => matches!(found, UInt8 | UInt16),
        UInt64 => matches!(found, UInt8 | UInt16 | UInt32),
        Float32 => matches!(found, Float16 | Int8 | Int16 | UInt8 | UInt16),
        Float64 => matches!(found, Float16 | Float32 | Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32),
        _ => false,
    }
}

/// Replaces the parameters by scalar subqueries. Returns `None` if a parameter is in a place where a subquery is not
/// allowed, or determines the type of a result.
pub(super) fn with_subqueries(plan: &LogicalPlan, types: &[DataType]) -> Result<Option<LogicalPlan>> {
    let mut is_possible = true;
    let replaced = plan.clone().transform_up_with_subqueries(|node| {
        let takes_literals = matches!(
            node,
            LogicalPlan::Limit(_) | LogicalPlan::Values(_) | LogicalPlan::Aggregate(_) | LogicalPlan::Window(_)
        );
        let names = NamePreserver::new(&node);
        let schema = Arc::clone(node.schema());
        let node = node.map_expressions(|expr| {
            let (expr, has_parameter) = expr.infer_placeholder_types(&schema)?;
            if !has_parameter {
                return Ok(Transformed::no(expr));
            }
            is_possible &= !takes_literals && !is_number_of_digits(&expr)?;
            let name = names.save(&expr);
            let expr = expr.transform_up(|part| match part {
                Expr::Placeholder(of) => {
                    let number = number(&of.id)?;
                    let Some(data_type) = types.get(number) else { return missing(&of.id, types.len()) };
                    Ok(Transformed::yes(subquery(number, data_type)?))
                }
                other => Ok(Transformed::no(other)),
            })?;
            Ok(expr.update_data(|expr| name.restore(expr)))
        })?;
        node.map_data(LogicalPlan::recompute_schema)
    })?;
    Ok(is_possible.then_some(replaced.data))
}

/// Returns whether a call of `round` in `expr` has a parameter as its number of digits. The scale of a rounded decimal
/// is the number of digits if that is a literal.
fn is_number_of_digits(expr: &Expr) -> Result<bool> {
    let has_parameter = |digits: &Expr| digits.exists(|part| Ok(matches!(part, Expr::Placeholder(_))));
    expr.exists(|part| {
        let Expr::ScalarFunction(call) = part else { return Ok(false) };
        let function: &dyn Any = call.func.inner().as_ref();
        match call.args.get(1) {
            Some(digits) if function.is::<RoundFunc>() => has_parameter(digits),
            _ => Ok(false),
        }
    })
}

fn subquery(number: usize, data_type: &DataType) -> Result<Expr> {
    let schema = Arc::new(Schema::new(vec![Field::new("value", data_type.clone(), true)]));
    let source = provider_as_source(Arc::new(ParameterTable { number, schema }));
    let scan = LogicalPlanBuilder::scan(format!("gdf_parameter_{}", number + 1), source, None)?.build()?;
    let subquery = Arc::new(scan);
    Ok(Expr::ScalarSubquery(Subquery { subquery, outer_ref_columns: Vec::new(), spans: Spans::new() }))
}

/// A table of one row with the value of a parameter.
#[derive(Debug)]
struct ParameterTable {
    number: usize,
    schema: SchemaRef,
}

#[async_trait]
impl TableProvider for ParameterTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let is_read = projection.is_none_or(|columns| !columns.is_empty());
        let schema = if is_read { self.schema.clone() } else { Arc::new(Schema::empty()) };
        Ok(Arc::new(ParameterExec::new(self.number, schema)))
    }
}

#[derive(Debug)]
struct ParameterExec {
    number: usize,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl ParameterExec {
    fn new(number: usize, schema: SchemaRef) -> ParameterExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema.clone()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        ParameterExec { number, schema, properties: Arc::new(properties) }
    }
}

impl DisplayAs for ParameterExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParameterExec: ${}", self.number + 1)
    }
}

impl ExecutionPlan for ParameterExec {
    fn name(&self) -> &str {
        "ParameterExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(self: Arc<Self>, _children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, _partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let bound = context.session_config().get_extension::<Bound>();
        let Some(value) = bound.as_ref().and_then(|bound| bound.0.get(self.number)) else {
            return plan_err!("the parameter ${} has no value; run the plan through its PlanCache", self.number + 1);
        };
        let batch = match self.schema.fields().is_empty() {
            true => RecordBatch::try_new_with_options(
                self.schema.clone(),
                Vec::new(),
                &arrow_array::RecordBatchOptions::new().with_row_count(Some(1)),
            )?,
            false => RecordBatch::try_new(self.schema.clone(), vec![value.to_array_of_size(1)?])?,
        };
        let batches = futures::stream::once(async { Ok(batch) });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches)))
    }

    fn partition_statistics(&self, _partition: Option<usize>) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema);
        statistics.num_rows = Precision::Exact(1);
        Ok(Arc::new(statistics))
    }
}
