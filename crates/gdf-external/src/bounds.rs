//! Upper bounds of the bytes that operations need, from the shapes of their inputs.
//!
//! A bound counts the results and the scratch memory of an operation on one device, at their peak, without the inputs.
//! The [shape](Shape) of a table is its number of rows and of bytes. A bound looks at no data, and costs no launch. It
//! is therefore often far above what is needed: a join may return all pairs of rows. Work whose bound exceeds a
//! reservation is done in parts.
//!
//! ```
//! use gdf::external::bounds::{Shape, sort};
//! use gdf::{Column, Table};
//!
//! let table = Table::try_new(vec![Column::from_slice(&[3_i64, 1, 2])?])?;
//! let input = Shape::of(&table);
//! assert_eq!((input.rows, input.row_bytes), (3, 8));
//! assert!(sort(&input, &input) >= 24);
//! # Ok::<(), gdf::Error>(())
//! ```
//!
//! Tests compare each bound with the peak that a resource has measured, on the CPU and on a GPU.

use gdf_core::{Column, DataType, Table, width};
use gdf_expr::{Graph, NodeId, Operation};

use crate::JoinKind;

/// The bytes of any operation that do not depend on rows: counters of tasks and tiles, and blocks of single rows.
const FIXED: usize = 256 << 10;
/// The bytes of a buffer beside its values: rounding to the alignment, and padding.
const BUFFER: usize = 512;
/// The bytes of work without a bound, for each byte of its input.
const GUESSED: usize = 16;
/// The bytes of a row number or an offset.
const NUMBER: usize = 8;

/// The shape of a table: the largest possible numbers of rows and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The number of rows.
    pub rows: usize,
    /// The number of bytes of one row in the columns of fixed width.
    pub row_bytes: usize,
    /// The bytes of all rows in the other columns.
    pub other_bytes: usize,
    /// The number of columns, with their children.
    pub columns: usize,
}

impl Shape {
    /// Returns the shape of a table. Columns without a fixed width count all bytes of their buffers, which may also
    /// contain other rows.
    pub fn of(table: &Table) -> Shape {
        table.columns().iter().map(Shape::of_column).fold(Shape::of_rows(table.num_rows()), Shape::beside)
    }

    /// Returns the shape of a column.
    pub fn of_column(column: &Column) -> Shape {
        fn nodes(column: &Column) -> usize {
            1 + column.children().iter().map(nodes).sum::<usize>()
        }
        let width = width(column.data_type());
        let other_bytes = if width.is_some() { 0 } else { column.alloc_size() };
        Shape { rows: column.len(), row_bytes: width.unwrap_or(0), other_bytes, columns: nodes(column) }
    }

    /// Returns the shape of rows without columns.
    pub fn of_rows(rows: usize) -> Shape {
        Shape { rows, ..Shape::default() }
    }

    /// Returns the shape of a column of values of a fixed width.
    pub fn of_values(rows: usize, width: usize) -> Shape {
        Shape { rows, row_bytes: width, other_bytes: 0, columns: 1 }
    }

    /// Returns the shape of the columns of both, which have the same rows.
    #[must_use]
    pub fn beside(self, other: Shape) -> Shape {
        Shape {
            rows: self.rows.max(other.rows),
            row_bytes: self.row_bytes.saturating_add(other.row_bytes),
            other_bytes: self.other_bytes.saturating_add(other.other_bytes),
            columns: self.columns + other.columns,
        }
    }

    /// Returns the shape of the rows of both, which have the same columns.
    #[must_use]
    pub fn above(self, other: Shape) -> Shape {
        Shape {
            rows: self.rows.saturating_add(other.rows),
            row_bytes: self.row_bytes.max(other.row_bytes),
            other_bytes: self.other_bytes.saturating_add(other.other_bytes),
            columns: self.columns.max(other.columns),
        }
    }

    /// Returns the shape of a table of `rows` rows that repeats rows of this shape, each at most `times` times.
    fn repeated(self, rows: usize, times: usize) -> Shape {
        Shape { rows, other_bytes: self.other_bytes.saturating_mul(times), ..self }
    }

    /// Returns the bytes of a table of this shape, all of whose columns have nulls.
    pub fn bytes(&self) -> usize {
        let values = self.rows.saturating_mul(self.row_bytes).saturating_add(self.other_bytes);
        let masks = self.rows.div_ceil(8).saturating_mul(self.columns);
        values.saturating_add(masks).saturating_add(self.columns.saturating_mul(3 * BUFFER))
    }

    /// Returns the bytes of `count` numbers for each row.
    fn numbers(&self, count: usize) -> usize {
        self.rows.saturating_mul(count * NUMBER)
    }
}

/// The shapes of expressions over the rows of a table.
///
/// ```
/// use gdf::Column;
/// use gdf::expr::{Graph, Input, col};
/// use gdf::external::bounds::Values;
///
/// let columns = [Column::from_slice(&[3_i32, 1, 2])?];
/// let mut graph = Graph::new(vec![Input::new(columns[0].data_type().clone())]);
/// let root = graph.bind(&(col(0) * 2).lt(5))?;
/// let values = Values::of(&graph, &[root], &columns).unwrap();
/// assert_eq!((values.outputs.row_bytes, values.inner.columns), (1, 2));
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// The shape of the results.
    pub outputs: Shape,
    /// The shape of the values that may become columns: all values of the expressions but columns and literals.
    pub inner: Shape,
}

impl Values {
    /// Returns the shapes of the expressions `roots` of a graph over `columns`.
    ///
    /// Returns `None` if there is no bound: a value has no fixed width, or a function of lists is called, whose scratch
    /// memory depends on the lengths of the lists.
    pub fn of(graph: &Graph, roots: &[NodeId], columns: &[Column]) -> Option<Values> {
        let rows = columns.iter().map(Column::len).max().unwrap_or(0);
        Values::of_nodes(graph, roots, rows, |column| columns.get(column).map(Shape::of_column))
    }

    /// Returns the shapes of the expressions `roots` over `rows` rows, with the shape of each column that they read.
    /// See [`Values::of`].
    pub fn of_nodes(
        graph: &Graph,
        roots: &[NodeId],
        rows: usize,
        column: impl Fn(usize) -> Option<Shape>,
    ) -> Option<Values> {
        let of_node = |id| match graph.column(id) {
            Some(position) => column(position),
            None if matches!(graph.node(id).operation, Operation::Call(function) if function.is_nested()) => None,
            None => match &graph.node(id).data_type {
                // Booleans are counted as bytes.
                DataType::Boolean => Some(Shape::of_values(rows, 1)),
                data_type => width(data_type).map(|width| Shape::of_values(rows, width)),
            },
        };
        let (mut outputs, mut inner) = (Shape::of_rows(rows), Shape::of_rows(rows));
        for root in roots {
            outputs = outputs.beside(of_node(*root)?);
        }
        for id in graph.reachable(roots) {
            if graph.column(id).is_none() && graph.value(id).is_none() {
                inner = inner.beside(of_node(id)?);
            }
        }
        Some(Values { outputs, inner })
    }
}

fn sum(parts: impl IntoIterator<Item = usize>) -> usize {
    parts.into_iter().fold(FIXED, usize::saturating_add)
}

/// Returns the bound of expressions over rows. `outputs` is the shape of the results, and `inner` that of the values
/// within the expressions that become columns.
pub fn project(outputs: &Shape, inner: &Shape) -> usize {
    sum([outputs.bytes(), inner.bytes(), outputs.numbers(1)])
}

/// Returns the bound of a filter. `kept` is the shape of the result if all rows pass. Memory for texts is guessed, and
/// allocated again if the guess was too small.
pub fn filter(kept: &Shape) -> usize {
    sum([kept.bytes().saturating_mul(2), kept.numbers(2)])
}

/// Returns the bound of expressions over the rows for which conditions are true. Without conditions, it is that of
/// [`project`].
pub fn pipeline(conditions: Option<&Values>, values: &Values) -> usize {
    let own = project(&values.outputs, &values.inner);
    match conditions {
        None => own,
        Some(of) => own.saturating_add(filter(&values.outputs)).saturating_add(project(&of.outputs, &of.inner)),
    }
}

/// Returns the bound of a sort of the columns `sorted` by the columns `keys`.
pub fn sort(keys: &Shape, sorted: &Shape) -> usize {
    sum([keys.bytes().saturating_mul(4), keys.numbers(8), sorted.bytes()])
}

/// Returns the bound of a group-by. `values` is the shape of the values that are aggregated, and `aggregations` the
/// number of results.
pub fn group_by(keys: &Shape, values: &Shape, aggregations: usize) -> usize {
    let states = keys.numbers(8).saturating_mul(aggregations);
    sum([keys.bytes().saturating_mul(4), keys.numbers(48), values.bytes().saturating_mul(3), states])
}

/// Returns the bound of the distinct rows of a table.
pub fn distinct(keys: &Shape, rows: &Shape) -> usize {
    // Relative to the number of rows, the hash tables of the partitions of the keys are largest just above 65,536 rows.
    sum([keys.bytes().saturating_mul(4), keys.numbers(192), rows.bytes().saturating_mul(2)])
}

/// Returns the bound of a join of two tables. With `is_unique`, the keys of the right side are distinct, so that a left
/// row has at most one match.
pub fn join(left: &Shape, right: &Shape, kind: JoinKind, is_unique: bool) -> usize {
    let table = right.numbers(24).saturating_add(left.numbers(8)).saturating_add(right.bytes());
    let matches = if is_unique { 1.min(right.rows) } else { right.rows };
    let pairs = left.rows.saturating_mul(matches);
    // The largest number of times that a row of the left side, and one of the right side, is in the result.
    let (of_left, of_right) = (matches.max(1), left.rows.max(1));
    let rows = match kind {
        JoinKind::Semi | JoinKind::Anti => return sum([table, left.bytes().saturating_mul(2)]),
        JoinKind::Inner => pairs,
        JoinKind::Left => pairs.saturating_add(left.rows),
        JoinKind::Full => pairs.saturating_add(left.rows).saturating_add(right.rows),
    };
    let found = left.repeated(rows, of_left).beside(right.repeated(rows, of_right));
    // The row numbers of both sides. Their memory is guessed from the number of rows of the larger side, and doubled as
    // needed.
    let positions = found.numbers(6).saturating_add(left.numbers(4)).saturating_add(right.numbers(4));
    sum([table, positions, found.bytes()])
}

/// The largest number of pairs of rows whose values are gathered at a time to evaluate a condition.
const TILE_PAIRS: usize = 1 << 22;
/// The left rows are divided into groups. A group has at most this number of pairs with equal keys, unless a single
/// left row has more.
const GROUP_PAIRS: usize = TILE_PAIRS * 16;
/// The largest number of bits of a group of left rows. There is a bit for each pair of a left row and a right row.
const GROUP_BITS: usize = TILE_PAIRS * 256;

/// Returns the bound of a join of two tables by a condition, and with `has_keys` also by equal keys. With `is_unique`,
/// the keys of the right side are distinct. `left_read` and `right_read` are the shapes of the columns that the
/// condition reads. `inner` is the shape of the values within the condition that become columns for each pair.
pub fn join_where(
    [left, right]: [&Shape; 2],
    [left_read, right_read, inner]: [&Shape; 3],
    kind: JoinKind,
    (has_keys, is_unique): (bool, bool),
) -> usize {
    let matches = if is_unique { 1.min(right.rows) } else { right.rows };
    let pairs = left.rows.saturating_mul(matches);
    let tile = pairs.min(TILE_PAIRS);
    let read = left_read.repeated(tile, right.rows.clamp(1, tile.max(1)));
    let read = read.beside(right_read.repeated(tile, left.rows.clamp(1, tile.max(1))));
    let values = read.beside(Shape { rows: tile, ..*inner });
    // The row numbers of the pairs of the tile, and of those for which the condition is true.
    let tile = values.bytes().saturating_mul(2).saturating_add(values.numbers(6));
    let group = match has_keys {
        true => Shape::of_rows(pairs.min(GROUP_PAIRS.max(right.rows))).numbers(6),
        false => {
            left.rows.saturating_mul(right.rows.div_ceil(64)).saturating_mul(8).min(GROUP_BITS / 8).saturating_mul(2)
        }
    };
    let rows = left.numbers(16).saturating_add(right.numbers(16));
    sum([join(left, right, kind, is_unique), tile, group, rows])
}

/// Returns the bound of the rows of tables, one after another.
pub fn concatenate(whole: &Shape) -> usize {
    sum([whole.bytes()])
}

/// Returns the bound of all pairs of rows of two tables.
pub fn cross_join(left: &Shape, right: &Shape) -> usize {
    let rows = left.rows.saturating_mul(right.rows);
    let found = left.repeated(rows, right.rows.max(1)).beside(right.repeated(rows, left.rows.max(1)));
    sum([found.bytes(), found.numbers(4)])
}

/// Returns a guess of the bytes of work without a bound, such as functions of text: a multiple of the bytes of the
/// input.
pub fn guess(input: usize) -> usize {
    sum([input.saturating_mul(GUESSED)])
}

/// Returns the bound of a table with a row for each element of a list. `others` is the shape of the other columns, and
/// `elements` that of all elements. A list without elements gives one row.
pub fn explode(others: &Shape, elements: &Shape) -> usize {
    let rows = others.rows.saturating_add(elements.rows);
    let found = others.repeated(rows, elements.rows.max(1)).beside(elements.repeated(rows, 1));
    sum([found.bytes(), found.numbers(4)])
}

/// Returns the bound of window functions. Each row gets a result, which depends on the rows with the same keys.
/// `values` is the shape of the values of all functions.
pub fn window(keys: &Shape, values: &Shape, functions: usize) -> usize {
    let groups = group_by(keys, values, functions);
    let results = values.bytes().saturating_mul(2).saturating_add(values.numbers(4).saturating_mul(functions));
    sum([groups, sort(&keys.beside(*values), values), keys.bytes(), keys.numbers(32), results])
}
