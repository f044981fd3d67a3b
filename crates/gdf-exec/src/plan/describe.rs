//! Describes the steps of a plan as text.

use super::{Join, JoinKind, Node, Rows};

impl Node {
    /// Returns the nodes whose rows the node reads, in the order in which `EXPLAIN ANALYZE` shows them.
    pub(super) fn children(&self) -> Vec<&Node> {
        match self {
            Node::Input(_) | Node::Resident(_) | Node::Files(_) | Node::NullRow(_) | Node::Empty(_) => Vec::new(),
            Node::Shared(step) => vec![&step.node],
            Node::Rows(rows) => vec![&rows.input],
            Node::Computed(computed) => vec![&computed.rows.input],
            Node::Join(join) => vec![&join.left.input, &join.right.input],
            Node::Aggregate(aggregate) => vec![&aggregate.rows.input],
            Node::Distinct(distinct) => vec![&distinct.input],
            Node::Sort(sort) => vec![&sort.rows.input],
            Node::Window(window) => vec![&window.rows.input],
            Node::Unnest(unnest) => vec![&unnest.input],
            Node::Mapped(mapped) => vec![&mapped.input],
            Node::Limit { input, .. } => vec![&**input],
            Node::Union(nodes) => nodes.iter().collect(),
            Node::Scalars { input, subqueries } => {
                std::iter::once(&**input).chain(subqueries.iter().map(|(subquery, _)| subquery)).collect()
            }
        }
    }

    /// Returns the children, so that they can be replaced. A shared step has none, because several nodes read its
    /// child.
    pub(super) fn children_mut(&mut self) -> Vec<&mut Node> {
        match self {
            Node::Shared(_)
            | Node::Input(_)
            | Node::Resident(_)
            | Node::Files(_)
            | Node::NullRow(_)
            | Node::Empty(_) => Vec::new(),
            Node::Rows(rows) => vec![&mut rows.input],
            Node::Computed(computed) => vec![&mut computed.rows.input],
            Node::Join(join) => vec![&mut join.left.input, &mut join.right.input],
            Node::Aggregate(aggregate) => vec![&mut aggregate.rows.input],
            Node::Distinct(distinct) => vec![&mut distinct.input],
            Node::Sort(sort) => vec![&mut sort.rows.input],
            Node::Window(window) => vec![&mut window.rows.input],
            Node::Unnest(unnest) => vec![&mut unnest.input],
            Node::Mapped(mapped) => vec![&mut mapped.input],
            Node::Limit { input, .. } => vec![&mut **input],
            Node::Union(nodes) => nodes.iter_mut().collect(),
            Node::Scalars { input, subqueries } => {
                std::iter::once(&mut **input).chain(subqueries.iter_mut().map(|(subquery, _)| subquery)).collect()
            }
        }
    }

    /// Returns the conditions and outputs that the node applies to the rows of its children.
    pub(super) fn rows(&self) -> Vec<&Rows> {
        match self {
            Node::Rows(rows) => vec![rows],
            Node::Computed(computed) => vec![&computed.rows],
            Node::Join(join) => vec![&join.left, &join.right],
            Node::Aggregate(aggregate) => vec![&aggregate.rows],
            Node::Sort(sort) => vec![&sort.rows],
            Node::Window(window) => vec![&window.rows],
            _ => Vec::new(),
        }
    }

    /// Returns whether the node computes, reads or copies rows. The other nodes only refer to rows.
    pub(super) fn has_work(&self) -> bool {
        !matches!(self, Node::Shared(_) | Node::Resident(_) | Node::NullRow(_) | Node::Empty(_) | Node::Scalars { .. })
    }

    /// Returns the number of joins.
    pub(super) fn joins(&self) -> usize {
        let below: usize = self.children().into_iter().map(Node::joins).sum();
        below + usize::from(matches!(self, Node::Join(_)))
    }

    /// Returns the number of nodes with work.
    pub(super) fn pipelines(&self) -> u64 {
        let below: u64 = self.children().into_iter().map(Node::pipelines).sum();
        below + u64::from(self.has_work())
    }

    pub(super) fn label(&self) -> String {
        match self {
            Node::Input(number) => format!("copy input {number} to the device"),
            Node::Shared(step) => format!("again: {}", step.node.label()),
            Node::Resident(table) => format!("table of {} rows", table.num_rows()),
            Node::Files(scan) => format!("read {}", scan.text()),
            Node::NullRow(_) => "one row of nulls".to_owned(),
            Node::Empty(_) => "no rows".to_owned(),
            Node::Rows(rows) => format!("rows: {}", of_rows(rows, rows.outputs.len())),
            Node::Computed(computed) => {
                let functions = counted(computed.calls.len(), "function");
                format!("functions of columns: {functions}, {}", of_rows(&computed.rows, computed.rows.outputs.len()))
            }
            Node::Join(join) => of_join(join),
            Node::Aggregate(aggregate) => {
                let what = match (aggregate.groupings.len(), aggregate.keys.len()) {
                    (0, 0) => "aggregate".to_owned(),
                    (0, keys) => match aggregate.determined.len() {
                        0 => format!("group by {}", counted(keys, "key")),
                        others => format!("group by {} ({others} determined)", counted(keys, "key")),
                    },
                    (sets, _) => format!("group by {}", counted(sets, "grouping set")),
                };
                let results = counted(aggregate.calls.len(), "aggregate function");
                format!("{what}: {results}{}", conditions(&aggregate.rows))
            }
            Node::Distinct(distinct) => format!("distinct rows: {}", counted(distinct.keys.len(), "key")),
            Node::Sort(sort) => {
                let what = match sort.fetch {
                    Some(fetch) => format!("top {fetch}"),
                    None => "sort".to_owned(),
                };
                format!("{what}: {}, {}", counted(sort.keys.len(), "key"), of_rows(&sort.rows, sort.width))
            }
            Node::Window(window) => {
                let functions = counted(window.calls.len(), "function");
                format!("window: {functions}, {}", of_rows(&window.rows, window.width))
            }
            Node::Unnest(unnest) => {
                let lists = counted(unnest.lists.len(), "column of lists");
                format!("unnest: {lists}, {}", counted(unnest.structs.len(), "column of structs"))
            }
            Node::Mapped(mapped) => format!("function of rows: {}", mapped.function.name()),
            Node::Limit { skip, fetch, .. } => match fetch {
                Some(fetch) => format!("limit: {fetch} rows from row {skip}"),
                None => format!("limit: all rows from row {skip}"),
            },
            Node::Union(nodes) => format!("union of {} inputs", nodes.len()),
            Node::Scalars { subqueries, .. } => counted(subqueries.len(), "scalar subquery"),
        }
    }
}

fn of_rows(rows: &Rows, outputs: usize) -> String {
    format!("{}{}", counted(outputs, "column"), conditions(rows))
}

fn conditions(rows: &Rows) -> String {
    of_conditions(rows.conditions.len())
}

fn of_conditions(count: usize) -> String {
    match count {
        0 => String::new(),
        conditions => format!(", {}", counted(conditions, "condition")),
    }
}

fn of_join(join: &Join) -> String {
    let kind = match join.kind {
        JoinKind::Inner if join.on.0.is_empty() && join.condition.is_none() => "cross",
        JoinKind::Inner => "inner",
        JoinKind::Left => "left",
        JoinKind::Full => "full",
        JoinKind::Semi => "semi",
        JoinKind::Anti => "anti",
        JoinKind::NullAwareAnti => "not in",
        JoinKind::Mark => "mark",
    };
    let of_sides = join.left.conditions.len() + join.right.conditions.len();
    let conditions = of_conditions(of_sides + usize::from(join.condition.is_some()));
    format!("join ({kind}): {}{conditions}", counted(join.on.0.len(), "key"))
}

fn counted(count: usize, of: &str) -> String {
    let (noun, rest) = of.split_once(' ').map_or((of, String::new()), |(noun, rest)| (noun, format!(" {rest}")));
    match (count, noun, &*rest) {
        (1, ..) => format!("1 {of}"),
        (_, "scalar", _) => format!("{count} scalar subqueries"),
        (_, "aggregate" | "grouping", _) => format!("{count} {of}s"),
        _ => format!("{count} {noun}s{rest}"),
    }
}
