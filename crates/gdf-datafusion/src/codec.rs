//! Serializes islands and scans of files, for engines that send plans to other processes.

mod options;

use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::Schema;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{internal_err, plan_datafusion_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions, SendableRecordBatchStream,
};
use datafusion_proto::logical_plan::DefaultLogicalExtensionCodec;
use datafusion_proto::logical_plan::from_proto::parse_exprs;
use datafusion_proto::logical_plan::to_proto::serialize_exprs;
use datafusion_proto::physical_plan::{
    PhysicalExtensionCodec, PhysicalPlanDecodeContext, PhysicalProtoConverterExtension,
};
use datafusion_proto::protobuf;
use prost::Message;

use self::options::OptionsMessage;
use crate::exact::{Canonical, exact_sum, own_function, total_order};
use crate::exec::{GdfExec, replaced};
use crate::files::{FileFormat, FileOptions, FileScan, GdfFilesExec, Selection};
use crate::islands::GdfIslands;
use crate::options::{Fallback, GdfOptions};

/// The version of the messages. A change of the meaning of a field increments the version.
const VERSION: u32 = 2;

/// The name of [`exact_sum`] in messages. This sum fails where the result is not exact.
const EXACT_SUM: &[u8] = b"gdf exact sum";
/// The name of the minimum and maximum that follow the total order of floats, in messages.
const TOTAL_ORDER: &[u8] = b"gdf total order";

/// The largest number of partitions of a scan that a message may state. A plan holds something for each partition.
const MOST_PARTITIONS: usize = 1 << 16;

/// The largest number of rows of files that a message may state.
const MOST_ROWS: usize = 1 << 56;

/// Serializes the plan nodes of this crate for engines that send plans to other processes.
///
/// A [`GdfExec`] travels as the nodes of DataFusion that it replaces, with its options for fallbacks and verification.
/// The receiver lowers the nodes again, for its own device and with its own memory limit. DataFusion runs the nodes
/// that the receiver cannot lower. If these include the top node of the island, the fallback option must allow this.
///
/// A scan of [`GdfFiles`](crate::GdfFiles) travels as its path, which must name the same files on all machines. A
/// [`GdfTable`](crate::GdfTable) is in the memory of one process, and is refused.
///
/// Each message contains a version. A receiver refuses messages of another version.
///
/// ```
/// use datafusion::prelude::SessionContext;
/// use datafusion_proto::bytes::{
///     physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
/// };
/// use gdf_datafusion::{GdfCodec, GdfExec, GdfOptions, GdfSession};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// let ctx = SessionContext::new().with_gdf(GdfOptions::default());
/// let plan = ctx.sql("SELECT sum(x) FROM (VALUES (1), (2)) AS t (x) WHERE x > 1").await?.create_physical_plan().await?;
/// let codec = GdfCodec::new(GdfOptions::default());
/// let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec)?;
/// let received = physical_plan_from_bytes_with_extension_codec(&bytes, &ctx.task_ctx(), &codec)?;
/// assert!(received.is::<GdfExec>());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GdfCodec {
    options: GdfOptions,
    /// The decoded inputs of the island that is being decoded.
    inputs: Vec<Arc<dyn ExecutionPlan>>,
}

impl GdfCodec {
    /// Makes a codec. `options` has the device, the memory limit and the counts of decoded islands.
    pub fn new(options: GdfOptions) -> GdfCodec {
        GdfCodec { options, inputs: Vec::new() }
    }

    fn island(
        &self,
        message: IslandMessage,
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let fallback = message.fallback()?;
        let original = message.original.as_ref().ok_or_else(|| missing("the nodes of the island"))?;
        let codec = GdfCodec { options: self.options.clone(), inputs: inputs.to_vec() };
        let context = PhysicalPlanDecodeContext::new(context, &codec);
        let original = converter.proto_to_execution_plan(original, &context)?;
        let options = self.options.clone().with_fallback(fallback).with_verify(message.verify);
        GdfIslands::new(options).lowered_again(original)
    }
}

#[derive(Clone, PartialEq, Message)]
struct NodeMessage {
    #[prost(uint32, tag = "1")]
    version: u32,
    #[prost(oneof = "NodeKind", tags = "2, 3, 4, 5")]
    node: Option<NodeKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum NodeKind {
    #[prost(message, boxed, tag = "2")]
    Island(Box<IslandMessage>),
    /// The number of an input of the island.
    #[prost(uint32, tag = "3")]
    Input(u32),
    #[prost(message, boxed, tag = "4")]
    Files(Box<FilesMessage>),
    /// The node that makes the values of its input canonical.
    #[prost(bool, tag = "5")]
    Canonical(bool),
}

#[derive(Clone, PartialEq, Message)]
struct IslandMessage {
    /// The nodes that the island replaces, with numbered inputs.
    #[prost(message, optional, tag = "1")]
    original: Option<protobuf::PhysicalPlanNode>,
    #[prost(string, tag = "2")]
    fallback: String,
    #[prost(bool, tag = "3")]
    verify: bool,
}

impl IslandMessage {
    fn fallback(&self) -> Result<Fallback> {
        let all = [Fallback::Forbidden, Fallback::Allowed, Fallback::Warned];
        let known = all.into_iter().find(|fallback| format!("{fallback:?}") == self.fallback);
        known.ok_or_else(|| plan_datafusion_err!("GdfCodec: the fallback policy `{}` is not known", self.fallback))
    }
}

#[derive(Clone, PartialEq, Message)]
struct FilesMessage {
    #[prost(string, repeated, tag = "1")]
    paths: Vec<String>,
    #[prost(string, tag = "2")]
    format: String,
    /// The schema of the files, with all columns.
    #[prost(message, optional, tag = "3")]
    schema: Option<protobuf::Schema>,
    #[prost(uint64, repeated, tag = "4")]
    columns: Vec<u64>,
    #[prost(message, repeated, tag = "5")]
    filters: Vec<protobuf::LogicalExprNode>,
    #[prost(uint64, optional, tag = "6")]
    limit: Option<u64>,
    #[prost(message, optional, tag = "7")]
    rows: Option<RowsMessage>,
    #[prost(uint64, optional, tag = "8")]
    known_rows: Option<u64>,
    #[prost(uint64, tag = "9")]
    partitions: u64,
    #[prost(message, optional, tag = "10")]
    options: Option<OptionsMessage>,
    #[prost(uint64, optional, tag = "11")]
    text_bytes: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct RowsMessage {
    #[prost(uint64, tag = "1")]
    start: u64,
    #[prost(uint64, tag = "2")]
    end: u64,
}

impl FilesMessage {
    fn of(node: &GdfFilesExec) -> Result<FilesMessage> {
        let Selection { paths, format, options, table, columns, filters, limit, rows } = node.scan().selection();
        let text = |path: &PathBuf| match path.to_str() {
            Some(path) => Ok(path.to_owned()),
            None => plan_err!("GdfCodec: the path {} is not UTF-8; rename the file", path.display()),
        };
        Ok(FilesMessage {
            paths: paths.iter().map(text).collect::<Result<_>>()?,
            format: format.name().to_owned(),
            options: Some(OptionsMessage::of(options)?),
            schema: Some(table.as_ref().try_into()?),
            columns: columns.iter().map(|column| *column as u64).collect(),
            filters: serialize_exprs(filters, &DefaultLogicalExtensionCodec {}).map_err(of_message)?,
            limit: limit.map(|limit| limit as u64),
            rows: rows.as_ref().map(|rows| RowsMessage { start: rows.start as u64, end: rows.end as u64 }),
            known_rows: node.known_rows().map(|rows| rows as u64),
            text_bytes: node.scan().text_bytes,
            partitions: node.properties().partitioning.partition_count() as u64,
        })
    }

    fn decoded(&self, context: &TaskContext) -> Result<GdfFilesExec> {
        let schema: Schema = self.schema.as_ref().ok_or_else(|| missing("the schema of the files"))?.try_into()?;
        let format = FileFormat::of_name(&self.format)
            .ok_or_else(|| plan_datafusion_err!("GdfCodec: the file format `{}` is not known", self.format))?;
        let selection = Selection {
            paths: self.paths.iter().map(PathBuf::from).collect(),
            format,
            options: self.options.as_ref().map_or_else(|| Ok(FileOptions::new()), OptionsMessage::decoded)?,
            table: Arc::new(schema),
            columns: self.columns.iter().map(|column| size(*column)).collect::<Result<_>>()?,
            filters: parse_exprs(&self.filters, context, &DefaultLogicalExtensionCodec {}).map_err(of_message)?,
            limit: self.limit.map(size).transpose()?,
            rows: self
                .rows
                .as_ref()
                .map(|rows| Ok::<_, DataFusionError>(size(rows.start)?..size(rows.end)?))
                .transpose()?,
        };
        if selection.paths.is_empty() {
            return Err(missing("the paths of the files"));
        }
        let partitions = size(self.partitions)?;
        if !(1..=MOST_PARTITIONS).contains(&partitions) {
            return plan_err!("GdfCodec: a scan has 1 to {MOST_PARTITIONS} partitions, found {partitions}");
        }
        if let Some(rows) = selection.rows.as_ref().filter(|rows| rows.start > rows.end) {
            return plan_err!("GdfCodec: the rows {} to {} of a scan end before they start", rows.start, rows.end);
        }
        let known_rows = self.known_rows.map(size).transpose()?;
        if let Some(rows) = known_rows.filter(|rows| *rows > MOST_ROWS) {
            return plan_err!("GdfCodec: files have at most {MOST_ROWS} rows, found {rows}");
        }
        let mut scan = FileScan::new(selection)?;
        scan.text_bytes = self.text_bytes;
        Ok(GdfFilesExec::new(scan, known_rows, partitions))
    }
}

fn size(number: u64) -> Result<usize> {
    usize::try_from(number).map_err(|_| plan_datafusion_err!("GdfCodec: the number {number} is too large"))
}

fn missing(what: &str) -> DataFusionError {
    plan_datafusion_err!("GdfCodec: a message does not contain {what}; the message is damaged")
}

fn of_message(error: impl std::fmt::Display) -> DataFusionError {
    plan_datafusion_err!("GdfCodec: a message cannot be converted: {error}")
}

impl PhysicalExtensionCodec for GdfCodec {
    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buffer: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let kind = if let Some(island) = node.downcast_ref::<GdfExec>() {
            let inputs: Vec<_> = island.children().into_iter().cloned().collect();
            let numbered: Vec<_> = inputs.iter().enumerate().map(|(at, input)| NumberedInput::of(at, input)).collect();
            let original = replaced(island.original(), &inputs, &numbered)?;
            NodeKind::Island(Box::new(IslandMessage {
                original: Some(converter.execution_plan_to_proto(&original, self)?),
                fallback: format!("{:?}", island.options().fallback()),
                verify: island.options().verify(),
            }))
        } else if let Some(input) = node.downcast_ref::<NumberedInput>() {
            NodeKind::Input(input.number)
        } else if node.is::<Canonical>() {
            NodeKind::Canonical(true)
        } else if let Some(files) = node.downcast_ref::<GdfFilesExec>() {
            NodeKind::Files(Box::new(FilesMessage::of(files)?))
        } else {
            return plan_err!(
                "GdfCodec::try_encode: {} cannot be sent to another process; use GdfFiles for tables of distributed \
                 queries",
                node.name()
            );
        };
        NodeMessage { version: VERSION, node: Some(kind) }.encode(buffer).map_err(of_message)
    }

    fn try_decode(
        &self,
        buffer: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let NodeMessage { version, node } = NodeMessage::decode(buffer).map_err(of_message)?;
        if version != VERSION {
            return plan_err!(
                "GdfCodec::try_decode: the plan has version {version}, but this process reads version {VERSION}; run \
                 the same release of gdf-datafusion on all machines"
            );
        }
        match node.ok_or_else(|| missing("a node"))? {
            NodeKind::Island(message) => self.island(*message, inputs, context, converter),
            NodeKind::Files(message) => Ok(Arc::new(message.decoded(context)?)),
            NodeKind::Canonical(_) => match inputs {
                [input] => Ok(Canonical::of(Arc::clone(input))),
                inputs => plan_err!("GdfCodec::try_decode: a node has 1 input, but the message has {}", inputs.len()),
            },
            NodeKind::Input(number) => match self.inputs.get(number as usize) {
                Some(input) => Ok(Arc::clone(input)),
                None => plan_err!(
                    "GdfCodec::try_decode: an island has no input {number}; it has {} inputs",
                    self.inputs.len()
                ),
            },
        }
    }

    /// Finds a function of this crate, which a session without gdf does not have.
    fn try_decode_udf(&self, name: &str, _message: &[u8]) -> Result<Arc<ScalarUDF>> {
        own_function(name)
            .ok_or_else(|| plan_datafusion_err!("GdfCodec: the function `{name}` is not registered in this session"))
    }

    /// Writes the marks of the aggregates of this crate, whose names are the names of those of DataFusion.
    fn try_encode_udaf(&self, node: &AggregateUDF, message: &mut Vec<u8>) -> Result<()> {
        if node == exact_sum().as_ref() {
            message.extend_from_slice(EXACT_SUM);
        } else if total_order(node.name()).is_some_and(|total| node == total.as_ref()) {
            message.extend_from_slice(TOTAL_ORDER);
        }
        Ok(())
    }

    fn try_decode_udaf(&self, name: &str, message: &[u8]) -> Result<Arc<AggregateUDF>> {
        let unknown = || plan_datafusion_err!("GdfCodec: the aggregate `{name}` is not registered in this session");
        match message {
            EXACT_SUM => Ok(exact_sum()),
            TOTAL_ORDER => total_order(name).ok_or_else(unknown),
            _ => Err(unknown()),
        }
    }
}

/// Stands for an input of an island in a message.
#[derive(Debug)]
struct NumberedInput {
    number: u32,
    properties: Arc<PlanProperties>,
}

impl NumberedInput {
    fn of(number: usize, input: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        Arc::new(NumberedInput { number: number as u32, properties: Arc::clone(input.properties()) })
    }
}

impl DisplayAs for NumberedInput {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NumberedInput: {}", self.number)
    }
}

impl ExecutionPlan for NumberedInput {
    fn name(&self) -> &str {
        "NumberedInput"
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

    fn execute(&self, _partition: usize, _context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        internal_err!("NumberedInput is a part of a message and has no rows")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(partitions: u64, known_rows: u64) -> FilesMessage {
        FilesMessage {
            paths: vec!["none.parquet".to_owned()],
            format: "parquet".to_owned(),
            schema: Some((&Schema::empty()).try_into().unwrap()),
            known_rows: Some(known_rows),
            partitions,
            ..FilesMessage::default()
        }
    }

    #[test]
    fn sizes_in_messages_are_bounded() {
        let context = TaskContext::default();
        assert!(message(3, 100).decoded(&context).is_ok());
        for (partitions, rows) in [(1 << 60, 1), (0, 1), (1, 1 << 60)] {
            assert!(message(partitions, rows).decoded(&context).is_err());
        }
        let rows = Some(RowsMessage { start: 9, end: 3 });
        assert!(FilesMessage { rows, ..message(1, 10) }.decoded(&context).is_err());
    }

    #[test]
    fn options_of_files_travel() {
        let options =
            FileOptions::new().format(FileFormat::Csv).delimiter(b';').quote(None).escape(b'\\').comment(b'#');
        let options = options.null("-").null("?").true_value("ja").false_value("nein").has_header(false);
        let mut options =
            options.names(["a", "b"]).skip_lines(2).decimal_point(b',').parse_dates(false).infer_records(5);
        options.declared = Some(Arc::new(Schema::empty()));
        for options in [options, FileOptions::new(), FileOptions::new().quote(b'\'')] {
            let message = OptionsMessage::of(&options).unwrap().encode_to_vec();
            assert_eq!(OptionsMessage::decode(&*message).unwrap().decoded().unwrap(), options);
        }
        let none = FilesMessage { paths: Vec::new(), ..message(1, 1) };
        assert!(none.decoded(&TaskContext::default()).is_err());
    }

    #[test]
    fn functions_of_this_crate_travel() {
        let codec = GdfCodec::new(GdfOptions::default());
        let mut bytes = Vec::new();
        codec.try_encode_udaf(&exact_sum(), &mut bytes).unwrap();
        assert_eq!(codec.try_decode_udaf("sum", &bytes).unwrap(), exact_sum());
        for name in ["min", "max"] {
            let mut bytes = Vec::new();
            let total = total_order(name).unwrap();
            codec.try_encode_udaf(&total, &mut bytes).unwrap();
            assert_eq!(codec.try_decode_udaf(name, &bytes).unwrap(), total);
        }
        assert!(codec.try_decode_udaf("sum", TOTAL_ORDER).is_err());
        assert!(codec.try_decode_udaf("sum", &[]).is_err());
        assert!(codec.try_decode_udf("gdf_canonical_float", &[]).is_ok());
        assert!(codec.try_decode_udf("none", &[]).is_err());
    }
}
