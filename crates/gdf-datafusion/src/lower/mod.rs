//! Lowers physical plans of DataFusion to plans of gdf.

mod aggregate;
mod expressions;
mod join;
mod rows;
mod unnest;
mod window;

use std::sync::Arc;

use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::buffer::BufferExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::execution_plan::Boundedness;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::scalar_subquery::ScalarSubqueryExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::union::{InterleaveExec, UnionExec};
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, InputOrderMode};
use gdf_core::same_type;
use gdf_driver::Device;
use gdf_exec::{Node, Placeholder, Plan, held_types, plain_types, shared};

use crate::error::Refusal;
use crate::exact::Canonical;
use crate::files::GdfFilesExec;
use crate::table::GdfScanExec;
use crate::values::Subquery;

/// A lowered subtree of a physical plan.
#[derive(Debug)]
pub(crate) struct Island {
    pub(crate) plan: Plan,
    /// The nodes directly below the subtree. Their rows are the inputs of `plan`.
    pub(crate) inputs: Vec<Arc<dyn ExecutionPlan>>,
}

/// Lowers a node and its descendants for a device. Descendants that gdf does not support become inputs of the island.
///
/// # Errors
/// * Returns the reason why gdf does not run the node itself.
pub(crate) fn island(node: &Arc<dyn ExecutionPlan>, device: Device) -> Result<Island, Refusal> {
    let mut lowering =
        Lowering { device, inputs: Vec::new(), subqueries: Vec::new(), is_worthwhile: false, cuts_rows: false };
    let root = lowering.node(node)?;
    if matches!(root, Node::Resident(_) | Node::Files(_)) || !lowering.is_worthwhile {
        return Err(Refusal::Idle);
    }
    let Lowering { inputs, subqueries, cuts_rows, .. } = lowering;
    let placeholders = subqueries.into_iter().map(Placeholder::from).collect();
    Ok(Island { plan: Plan { root: shared(root), placeholders, cuts_rows, has_exact_decimals: false }, inputs })
}

/// Returns the reason why DataFusion runs a node outside of islands.
pub(crate) fn refusal(node: &Arc<dyn ExecutionPlan>) -> Refusal {
    let scanned = node.downcast_ref::<GdfScanExec>().and_then(|scan| scan.table().device());
    match island(node, scanned.unwrap_or(Device::Cpu)) {
        Err(Refusal::Node(_)) if node.children().is_empty() => Refusal::Scan,
        Err(refusal) => refusal,
        Ok(_) => match node.output_partitioning().partition_count() {
            1 => Refusal::WasPartitioned,
            partitions => Refusal::Partitions(partitions),
        },
    }
}

#[derive(Debug)]
struct Lowering {
    device: Device,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
    /// The subqueries whose values the island reads. The number of a subquery is the number of its placeholder.
    subqueries: Vec<Subquery>,
    /// Whether gdf computes something, reads files, or reads columns that are already on the device.
    is_worthwhile: bool,
    cuts_rows: bool,
}

impl Lowering {
    /// Lowers a node whose parent is lowered, and whose columns have plain types. A node that gdf does not support
    /// becomes an input of the island.
    fn child(&mut self, node: &Arc<dyn ExecutionPlan>) -> Result<Node, Refusal> {
        plain_types(&node.schema())?;
        self.child_with_any_types(node)
    }

    /// Does the same as [`child`](Lowering::child), but the columns may also be lists and structs.
    fn child_with_any_types(&mut self, node: &Arc<dyn ExecutionPlan>) -> Result<Node, Refusal> {
        let (inputs, is_worthwhile, cuts_rows) = (self.inputs.len(), self.is_worthwhile, self.cuts_rows);
        if let Ok(node) = self.node(node) {
            return Ok(node);
        }
        // DataFusion runs the node and all nodes below it, so inputs found below the node are discarded.
        self.inputs.truncate(inputs);
        (self.is_worthwhile, self.cuts_rows) = (is_worthwhile, cuts_rows);
        held_types(&node.schema())?;
        if matches!(node.boundedness(), Boundedness::Unbounded { .. }) {
            return Err(Refusal::Unbounded);
        }
        self.inputs.push(Arc::clone(node));
        Ok(Node::Input(self.inputs.len() - 1))
    }

    fn node(&mut self, node: &Arc<dyn ExecutionPlan>) -> Result<Node, Refusal> {
        let types = match passes_any_types(node) {
            true => held_types(&node.schema())?,
            false => plain_types(&node.schema())?,
        };
        if let Some(scan) = node.downcast_ref::<GdfScanExec>() {
            // Columns on another device become an input, whose batches are copied.
            return match scan.table().device() {
                Some(device) if device != self.device => Err(Refusal::Device(device)),
                _ => {
                    self.is_worthwhile = true;
                    Ok(Node::Resident(scan.table().clone()))
                }
            };
        }
        if let Some(of) = node.downcast_ref::<GdfFilesExec>() {
            self.is_worthwhile = true;
            return Ok(Node::Files(Arc::new(of.scan().clone())));
        }
        if let Some(of) = node.downcast_ref::<ProjectionExec>() {
            return rows::project(self, of);
        }
        if let Some(of) = node.downcast_ref::<FilterExec>() {
            let filtered = rows::filter(self, of)?;
            return Ok(self.limited(filtered, 0, of.fetch()));
        }
        if let Some(of) = node.downcast_ref::<AggregateExec>() {
            let groups = aggregate::aggregate(self, of)?;
            return match node.output_ordering() {
                // gdf returns the groups in any order. If the keys are sorted, DataFusion returns the groups in that
                // order, and nodes above rely on it.
                Some(order) => rows::sort_node(self, groups, &node.schema(), order, None),
                _ => Ok(groups),
            };
        }
        if let Some(of) = node.downcast_ref::<HashJoinExec>() {
            let joined = join::hash(self, of)?;
            return Ok(self.limited(joined, 0, of.fetch()));
        }
        if let Some(of) = node.downcast_ref::<SortMergeJoinExec>() {
            let joined = join::sort_merge(self, of)?;
            return match node.output_ordering() {
                Some(order) => rows::sort_node(self, joined, &node.schema(), order, None),
                None => Ok(joined),
            };
        }
        if let Some(of) = node.downcast_ref::<NestedLoopJoinExec>() {
            return join::nested_loop(self, of);
        }
        if let Some(of) = node.downcast_ref::<CrossJoinExec>() {
            return join::cross(self, of);
        }
        if let Some(of) = node.downcast_ref::<SortExec>() {
            let partitions = of.input().output_partitioning().partition_count();
            if of.preserve_partitioning() && of.fetch().is_some() && partitions > 1 {
                return Err(Refusal::Partitions(partitions));
            }
            return rows::sort(self, of.input(), of.expr(), of.fetch());
        }
        if let Some(of) = node.downcast_ref::<SortPreservingMergeExec>() {
            return rows::sort(self, unsorted(of), of.expr(), of.fetch());
        }
        if let Some(of) = node.downcast_ref::<WindowAggExec>() {
            return window::window(self, node, of.input(), of.window_expr());
        }
        if let Some(of) = node.downcast_ref::<BoundedWindowAggExec>() {
            if of.input_order_mode != InputOrderMode::Sorted {
                return Err(Refusal::variant(
                    "BoundedWindowAggExec",
                    "input rows that are not sorted by all partition keys",
                ));
            }
            return window::window(self, node, of.input(), of.window_expr());
        }
        if let Some(of) = node.downcast_ref::<UnnestExec>() {
            return unnest::unnest(self, of);
        }
        if let Some(of) = node.downcast_ref::<GlobalLimitExec>() {
            let input = self.child_with_any_types(of.input())?;
            return Ok(self.limited(input, of.skip(), of.fetch()));
        }
        if let Some(of) = node.downcast_ref::<LocalLimitExec>() {
            let partitions = of.input().output_partitioning().partition_count();
            if partitions > 1 {
                return Err(Refusal::Partitions(partitions));
            }
            let input = self.child_with_any_types(of.input())?;
            return Ok(self.limited(input, 0, Some(of.fetch())));
        }
        if let Some(of) = node.downcast_ref::<ScalarSubqueryExec>() {
            return self.scalar_subqueries(of);
        }
        if let Some(of) = node.downcast_ref::<UnionExec>() {
            return self.union(of.inputs(), &types);
        }
        if let Some(of) = node.downcast_ref::<InterleaveExec>() {
            return self.union(of.inputs(), &types);
        }
        if node.is::<EmptyExec>() {
            return Ok(Node::Empty(types));
        }
        if node.is::<PlaceholderRowExec>() {
            return match node.output_partitioning().partition_count() {
                1 => Ok(Node::NullRow(types)),
                partitions => Err(Refusal::Partitions(partitions)),
            };
        }
        if let Some(input) = passed(node) {
            let input = self.child_with_any_types(input)?;
            return Ok(self.limited(input, 0, node.fetch()));
        }
        Err(Refusal::Node(node.name().to_owned()))
    }

    fn limited(&mut self, input: Node, skip: usize, fetch: Option<usize>) -> Node {
        if skip == 0 && fetch.is_none() {
            return input;
        }
        self.cuts_rows = true;
        Node::Limit { input: Box::new(input), skip, fetch }
    }

    fn union(&mut self, nodes: &[Arc<dyn ExecutionPlan>], types: &[arrow_schema::DataType]) -> Result<Node, Refusal> {
        for node in nodes {
            for (found, wanted) in plain_types(&node.schema())?.iter().zip(types) {
                if !same_type(found, wanted) {
                    return Err(Refusal::variant(
                        "UnionExec",
                        format!("an input column of type {found} for an output column of type {wanted}"),
                    ));
                }
            }
        }
        Ok(Node::Union(nodes.iter().map(|node| self.child(node)).collect::<Result<_, _>>()?))
    }

    fn scalar_subqueries(&mut self, of: &ScalarSubqueryExec) -> Result<Node, Refusal> {
        let input = self.child(of.input())?;
        let mut subqueries = Vec::new();
        for link in of.subqueries() {
            let node = self.child(&link.plan)?;
            let is_its = |known: &Subquery| known.index == link.index && known.results == *of.results();
            let places = self.subqueries.iter().enumerate().filter(|(_, known)| is_its(known));
            subqueries.push((node, places.map(|(place, _)| place).collect()));
        }
        // The island replaces the ScalarSubqueryExec of DataFusion, so DataFusion does not compute the values of the
        // subqueries. Therefore no expression in an input of the island may read such a value.
        if self.inputs.iter().any(|input| reads_subqueries(input, of)) {
            return Err(Refusal::variant(
                "ScalarSubqueryExec",
                "a scalar subquery whose value is used in a node that gdf does not support",
            ));
        }
        Ok(Node::Scalars { input: Box::new(input), subqueries })
    }
}

/// Returns the input of a merge of sorted partitions. If the input is a sort, returns the input of the sort, because
/// gdf sorts the rows of the merge itself. A sort with a limit stays, unless the merge has the same limit or a lower
/// limit.
///
/// DataFusion leaves out constant keys, so the keys of the sort may differ from the keys of the merge. Rows that are
/// sorted by the keys of the sort are also sorted by the keys of the merge.
fn unsorted(merge: &SortPreservingMergeExec) -> &Arc<dyn ExecutionPlan> {
    let sort = merge.input().downcast_ref::<SortExec>();
    match sort.map(|sort| (sort.input(), sort.fetch())) {
        Some((input, None)) => input,
        Some((input, Some(kept))) if merge.fetch().is_some_and(|fetch| fetch <= kept) => input,
        _ => merge.input(),
    }
}

/// Returns the input of a node that only moves rows between partitions, batches or tasks, and `None` for other nodes.
fn passed(node: &Arc<dyn ExecutionPlan>) -> Option<&Arc<dyn ExecutionPlan>> {
    let is_passed = node.is::<CoalescePartitionsExec>()
        || node.is::<RepartitionExec>()
        || node.is::<CooperativeExec>()
        || node.is::<BufferExec>()
        || node.is::<Canonical>()
        || node.name() == "CoalesceBatchesExec";
    match node.children().as_slice() {
        [input] if is_passed => Some(input),
        _ => None,
    }
}

/// Returns whether gdf passes columns of lists and structs through the node.
fn passes_any_types(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.is::<GdfScanExec>()
        || node.is::<ProjectionExec>()
        || node.is::<FilterExec>()
        || node.is::<UnnestExec>()
        || node.is::<GlobalLimitExec>()
        || node.is::<LocalLimitExec>()
        || passed(node).is_some()
}

/// Returns whether an expression in or below `plan` reads the value of a subquery of `of`.
fn reads_subqueries(plan: &Arc<dyn ExecutionPlan>, of: &ScalarSubqueryExec) -> bool {
    use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
    use datafusion::physical_expr::scalar_subquery::ScalarSubqueryExpr;
    let mut reads = false;
    let visited = plan.apply_expressions(&mut |root| {
        root.apply(|part| {
            let subquery = part.downcast_ref::<ScalarSubqueryExpr>();
            reads |= subquery.is_some_and(|subquery| subquery.results() == of.results());
            Ok(TreeNodeRecursion::Continue)
        })
    });
    reads || visited.is_err() || plan.children().into_iter().any(|child| reads_subqueries(child, of))
}
