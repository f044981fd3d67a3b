//! Tables of DataFusion whose columns are on a device.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, FieldRef, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{ColumnStatistics, Statistics};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions, SendableRecordBatchStream,
};
use datafusion::scalar::ScalarValue;
use futures::TryStreamExt;
use gdf_api::groupby::NullPolicy;
use gdf_api::reduction::{StoredRange, ValueRange};
use gdf_api::stream_compaction::{NanPolicy, distinct_count};
use gdf_core::{Column, Scalar, Table, decimal_parts, is_decimal, is_integral, scope};
use gdf_driver::Device;
use gdf_exec::{held_schema, held_types, most_digits};

use crate::edge::{download, narrowed, upload};
use crate::error::{Failure, IslandError, Refusal};
use crate::schema::table_schema;
use crate::slices::sliced;

/// A table of DataFusion whose columns are gdf columns on a device.
///
/// Islands on the same device read the columns without a copy. The table has exact statistics: its number of rows, and
/// for each column the number of nulls. For integers, decimals, dates and timestamps, the statistics have the smallest
/// and the largest value. For integers without nulls whose range has at least as many values as there are rows, they
/// also have the number of distinct values. Text views and dictionaries are stored as text with offsets, and decimals
/// of 128 bits with at most 18 digits are stored with 64 bits. Scans convert them to the declared type.
///
/// The schema of the table differs from the schema of its batches in three points. Fields of nullable structs are
/// nullable, because a field of a null struct is null. Dictionaries have keys of at least 32 bits, and dictionaries of
/// booleans are columns of booleans. Of several columns with one name, the later ones get a number, as in `a_1`.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Int32Array, RecordBatch};
/// use datafusion::prelude::SessionContext;
/// use gdf_datafusion::{GdfOptions, GdfSession, GdfTable};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// let options = GdfOptions::default();
/// let ctx = SessionContext::new().with_gdf(options.clone());
/// let days = RecordBatch::try_from_iter([("day", Arc::new(Int32Array::from(vec![3, 1, 2])) as _)])?;
/// ctx.register_table("days", Arc::new(GdfTable::from_batches(&[days], options.device())?))?;
/// let last = ctx.sql("SELECT max(day) AS last FROM days WHERE day < 3").await?.collect().await?;
/// assert_eq!(last[0].column(0).as_ref(), &Int32Array::from(vec![2]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct GdfTable {
    schema: SchemaRef,
    table: Table,
    statistics: Statistics,
}

impl GdfTable {
    /// Copies record batches to a device. A single batch on the CPU shares its memory with the columns.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: there is no batch to take the schema from, the names or the types of the columns of
    ///   a batch differ from those of the first batch, or islands hold no columns of a type.
    /// * [`DataFusionError::ArrowError`]: the first schema declares a column without nulls that has nulls, or a decimal
    ///   has more digits than its type states.
    /// * [`DataFusionError::External`] with an [`IslandError`]: a call of the device failed, or the device has no
    ///   memory left.
    pub fn from_batches(batches: &[RecordBatch], device: Device) -> Result<GdfTable> {
        let first = batches.first().ok_or_else(|| {
            DataFusionError::Plan("GdfTable::from_batches: `batches` is empty; pass at least 1 batch".to_owned())
        })?;
        let schema = first.schema();
        held_schema(&schema)
            .map_err(|error| DataFusionError::Plan(format!("GdfTable::from_batches: {}", Refusal::from(error))))?;
        for (number, batch) in batches.iter().enumerate() {
            let other = batch.schema();
            let is_same = |(a, b): (&FieldRef, &FieldRef)| a.name() == b.name() && a.data_type() == b.data_type();
            let fields = (schema.fields(), other.fields());
            if fields.0.len() != fields.1.len() || !fields.0.iter().zip(fields.1).all(is_same) {
                return Err(DataFusionError::Plan(format!(
                    "GdfTable::from_batches: batch {number} of `batches` has other names or types of columns than \
                     batch 0; rename or cast the columns"
                )));
            }
        }
        let table = scope::with_device(device, || upload(&schema, batches)).map_err(Failure::from)?;
        Self::described(schema, table)
    }

    /// Makes a table of columns that are already on a device. Decimals of 128 bits with at most 18 digits are copied,
    /// and all other columns are shared.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: the number or the types of the fields do not match the columns, or islands hold
    ///   no columns of a type.
    /// * [`DataFusionError::External`] with an [`IslandError`]: a call of the device failed, or a decimal has more
    ///   digits than its type states.
    pub fn try_new(schema: SchemaRef, table: Table) -> Result<GdfTable> {
        let plan_error = |what: String| DataFusionError::Plan(format!("GdfTable::try_new: {what}"));
        if schema.fields().len() != table.num_columns() {
            let (fields, columns) = (schema.fields().len(), table.num_columns());
            return Err(plan_error(format!("`schema` has {fields} fields, but `table` has {columns} columns")));
        }
        let types = held_types(&schema).map_err(|error| plan_error(Refusal::from(error).to_string()))?;
        let narrow = |device| scope::with_device(device, || narrowed(&table, &types));
        let narrow = table.device().map_or(Ok(None), narrow).map_err(Failure::from)?;
        let table = narrow.unwrap_or(table);
        for (field, (wanted, found)) in schema.fields().iter().zip(types.iter().zip(table.data_types())) {
            if wanted != found {
                let name = field.name();
                return Err(plan_error(format!(
                    "column `{name}` has type {found}, but `schema` needs {wanted}; cast the column"
                )));
            }
        }
        Self::described(schema, table)
    }

    fn described(schema: SchemaRef, table: Table) -> Result<GdfTable> {
        let schema = table_schema(&schema);
        let columns = table.columns().iter().zip(schema.fields());
        let columns = columns.map(|(column, field)| describe(column, field.data_type()));
        let column_statistics = columns.collect::<Result<_, Failure>>()?;
        let statistics = Statistics {
            num_rows: Precision::Exact(table.num_rows()),
            total_byte_size: Precision::Inexact(table.alloc_size()),
            column_statistics,
        };
        Ok(GdfTable { schema, table, statistics })
    }

    /// Returns the columns.
    pub fn table(&self) -> &Table {
        &self.table
    }
}

fn describe(column: &Column, data_type: &DataType) -> Result<ColumnStatistics, Failure> {
    let null_count = column.null_count()?;
    let is_ordered = is_integral(data_type)
        || is_decimal(data_type)
        || matches!(data_type, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..));
    let mut described = ColumnStatistics::new_unknown();
    described.null_count = Precision::Exact(null_count);
    if is_ordered && null_count < column.len() {
        let ValueRange { min, max, numbers } = column.value_range()?;
        if let Some((min, max)) = numbers {
            check_digits(column.data_type(), min, max)?;
            // Other columns cannot have distinct values. `distinct_count` stores with the column that its values are
            // distinct, so that islands know that a key finds at most one row.
            let may_be_unique = null_count == 0 && max.abs_diff(min) >= column.len() as u128 - 1;
            if may_be_unique && is_integral(data_type) {
                match distinct_count(column, NullPolicy::Include, NanPolicy::IsValid) {
                    Ok(count) => described.distinct_count = Precision::Exact(count),
                    // Queries do not need the number of distinct values, so it is left out if memory runs out.
                    Err(error) if error.is_out_of_memory() => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let value = |of: Scalar| {
            let array = of.into_column().to_array()?;
            Ok::<_, Failure>(ScalarValue::try_from_array(&array, 0)?.cast_to(data_type)?)
        };
        described.min_value = Precision::Exact(value(min)?);
        described.max_value = Precision::Exact(value(max)?);
    }
    Ok(described)
}

/// Checks that decimals have no more digits than their type states. Arithmetic in islands relies on this.
fn check_digits(data_type: &DataType, min: i128, max: i128) -> Result<(), Failure> {
    let Some((_, precision, _)) = decimal_parts(data_type).filter(|(width, ..)| *width <= 16) else { return Ok(()) };
    match min.unsigned_abs().max(max.unsigned_abs()) < most_digits(precision) {
        true => Ok(()),
        false => {
            let what = format!("a value has more digits than its type {data_type} states; declare more digits");
            Err(ArrowError::InvalidArgumentError(what).into())
        }
    }
}

impl fmt::Debug for GdfTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GdfTable").field("schema", &self.schema).field("rows", &self.table.num_rows()).finish()
    }
}

#[async_trait]
impl TableProvider for GdfTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn statistics(&self) -> Option<Statistics> {
        Some(self.statistics.clone())
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (schema, table, statistics) = match projection {
            None => (self.schema.clone(), self.table.clone(), self.statistics.clone()),
            Some(kept) => {
                let table = self.table.select(kept).map_err(IslandError::from)?;
                (Arc::new(self.schema.project(kept)?), table, self.statistics.clone().project(Some(kept)))
            }
        };
        let (table, statistics) = match limit {
            Some(limit) if limit < table.num_rows() => {
                let statistics = Statistics { num_rows: Precision::Exact(limit), ..statistics.to_inexact() };
                (table.head(limit), statistics)
            }
            _ => (table, statistics),
        };
        Ok(Arc::new(GdfScanExec::new(schema, table, statistics)))
    }
}

#[derive(Debug)]
pub(crate) struct GdfScanExec {
    schema: SchemaRef,
    table: Table,
    statistics: Arc<Statistics>,
    properties: Arc<PlanProperties>,
}

impl GdfScanExec {
    fn new(schema: SchemaRef, table: Table, statistics: Statistics) -> GdfScanExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema.clone()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        GdfScanExec { schema, table, statistics: Arc::new(statistics), properties: Arc::new(properties) }
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }
}

impl DisplayAs for GdfScanExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        let device = self.table.device().unwrap_or(Device::Cpu);
        write!(f, "GdfScanExec: device={device}, rows={}, columns=[{}]", self.table.num_rows(), columns.join(", "))
    }
}

impl ExecutionPlan for GdfScanExec {
    fn name(&self) -> &str {
        "GdfScanExec"
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

    /// Copies the columns to the host, for nodes outside of islands and for fallbacks.
    fn execute(&self, _partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (table, schema) = (self.table.clone(), self.schema.clone());
        let rows = context.session_config().batch_size();
        let batches = async move {
            let task = SpawnedTask::spawn_blocking(move || download(&table, &schema));
            let batch = task.join().await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?;
            let batch = batch.map_err(Failure::from)?;
            Ok::<_, DataFusionError>(sliced(batch.schema(), vec![batch], rows))
        };
        let batches = futures::stream::once(batches).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches)))
    }

    fn partition_statistics(&self, _partition: Option<usize>) -> Result<Arc<Statistics>> {
        Ok(self.statistics.clone())
    }
}
