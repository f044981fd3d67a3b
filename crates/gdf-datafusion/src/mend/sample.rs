//! `TABLESAMPLE`, which DataFusion parses and drops.

use arrow_schema::DataType;
use datafusion::common::ScalarValue;
use datafusion::common::{DFSchema, not_impl_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::planner::{PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning};
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, lit};
use datafusion::sql::sqlparser::ast::{TableFactor, TableSample, TableSampleKind, TableSampleUnit};

/// Plans a sample as a filter of random rows, or as the first of randomly ordered rows.
#[derive(Debug)]
pub(super) struct SamplePlanner;

impl RelationPlanner for SamplePlanner {
    fn plan_relation(
        &self,
        mut relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let (sample, alias) = match &mut relation {
            TableFactor::Table { sample, alias, .. } | TableFactor::Derived { sample, alias, .. }
                if sample.is_some() =>
            {
                (sample.take(), alias.take())
            }
            _ => return Ok(RelationPlanning::Original(Box::new(relation))),
        };
        let Some(TableSampleKind::BeforeTableAlias(sample) | TableSampleKind::AfterTableAlias(sample)) = sample else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let size = size(&sample, context)?;
        let Some(random) = context.context_provider().get_function_meta("random") else {
            return not_impl_err!("`{sample}`: the session has no function `random`; register it");
        };
        let random = Expr::ScalarFunction(ScalarFunction::new_udf(random, Vec::new()));
        let rows = LogicalPlanBuilder::from(context.plan(relation)?);
        let rows = match size {
            Size::Share(share) => rows.filter(random.lt(lit(share)))?,
            Size::Rows(count) => rows.sort([random.sort(true, false)])?.limit(0, Some(count))?,
        };
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(rows.build()?, alias))))
    }
}

enum Size {
    /// A share of the rows, from 0 to 1.
    Share(f64),
    Rows(usize),
}

fn size(sample: &TableSample, context: &mut dyn RelationPlannerContext) -> Result<Size> {
    if sample.seed.is_some() || sample.bucket.is_some() || sample.offset.is_some() {
        return not_impl_err!(
            "`{sample}`: samples have no seed, bucket or offset; write TABLESAMPLE BERNOULLI (10) or TABLESAMPLE (100 ROWS)"
        );
    }
    let Some(quantity) = &sample.quantity else {
        return plan_err!("`{sample}` has no size; write TABLESAMPLE BERNOULLI (10) or TABLESAMPLE (100 ROWS)");
    };
    let value = context.sql_to_expr(quantity.value.clone(), &DFSchema::empty())?;
    let number = |to: &DataType| match &value {
        Expr::Literal(value, _) => value.cast_to(to).ok(),
        _ => None,
    };
    if matches!(quantity.unit, Some(TableSampleUnit::Rows)) {
        return match number(&DataType::Int64) {
            Some(ScalarValue::Int64(Some(count))) if count >= 0 => Ok(Size::Rows(count.unsigned_abs() as usize)),
            _ => plan_err!("`{sample}`: the number of rows is `{}`, expected an integer from 0 on", quantity.value),
        };
    }
    match number(&DataType::Float64) {
        Some(ScalarValue::Float64(Some(percent))) if (0.0..=100.0).contains(&percent) => {
            Ok(Size::Share(percent / 100.0))
        }
        _ => plan_err!("`{sample}`: the percentage is `{}`, expected a number from 0 to 100", quantity.value),
    }
}
