//! Replaces lists by their elements, and structs by their fields.

use arrow_schema::DataType;
use gdf_api::copying::{OutOfBoundsPolicy, gather, purge_nonempty_nulls};
use gdf_api::filling::{repeat, sequence};
use gdf_api::lists::{count_elements, explode, explode_outer};
use gdf_api::pipeline::Pipeline;
use gdf_api::scan::{NullPolicy, ScanAggregation, ScanType, scan};
use gdf_core::{Column, StructsView, Table};
use gdf_expr::{Expr, Value, coalesce, col, lit, when};

use super::{Node, Run};
use crate::error::Result;

/// A column of lists, and how many levels of it are replaced by elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListColumn {
    /// The position of the column.
    pub column: usize,
    /// The number of levels.
    pub depth: usize,
}

/// The lists without elements that give one row with a null element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsOf {
    /// None.
    Elements,
    /// Null lists.
    ElementsAndNullLists,
    /// Null lists and empty lists.
    ElementsAndAllLists,
}

/// The rows of a node with lists replaced by their elements. A row is repeated as often as its longest list has
/// elements, and shorter lists are continued with nulls.
#[derive(Clone, Debug)]
pub struct Unnest {
    /// The node.
    pub input: Node,
    /// No two entries are equal. A column has an entry for each depth whose elements are in the result.
    pub lists: Vec<ListColumn>,
    /// The columns that are replaced by their fields, by their positions after the lists were replaced.
    pub structs: Vec<usize>,
    /// The lists without elements that give a row.
    pub rows_of: RowsOf,
}

impl Unnest {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Table> {
        self.of(run.node(&self.input)?.into_table()?, run)
    }

    /// Returns the result for rows of the input.
    pub(super) fn of(&self, table: Table, run: &Run<'_>) -> Result<Table> {
        let mut rows = table.num_rows();
        let mut columns: Vec<Option<Column>> = table.into_columns().into_iter().map(Some).collect();
        let mut elements: Vec<Option<Column>> = vec![None; self.lists.len()];
        let deepest = self.lists.iter().map(|list| list.depth).max().unwrap_or(0);
        for level in (1..=deepest).rev() {
            run.check_canceled()?;
            let active: Vec<usize> = (0..self.lists.len()).filter(|at| self.lists[*at].depth >= level).collect();
            let lists = active.iter().map(|at| match self.lists[*at] {
                ListColumn { column, depth } if depth == level => columns[column].clone(),
                _ => elements[*at].take(),
            });
            let lists: Vec<Column> = lists.flatten().collect();
            let is_read = |column: usize| {
                let mut of_column = self.lists.iter().filter(|list| list.column == column).peekable();
                of_column.peek().is_none() || of_column.any(|list| list.depth < level)
            };
            let kept: Vec<usize> = (0..columns.len()).filter(|column| is_read(*column)).collect();
            let others = kept.iter().filter_map(|column| columns[*column].take()).collect();
            let (others, found) = self.expanded(&Table::try_with_rows(others, rows)?, &lists)?;
            rows = others.num_rows();
            columns.fill(None);
            for (column, values) in kept.into_iter().zip(others.into_columns()) {
                columns[column] = Some(values);
            }
            for (at, values) in active.into_iter().zip(found) {
                elements[at] = Some(values);
            }
        }
        let unnested = |column: usize| (0..self.lists.len()).filter(move |at| self.lists[*at].column == column);
        let mut outputs = Vec::with_capacity(columns.len());
        for (column, values) in columns.into_iter().enumerate() {
            outputs.extend(values);
            outputs.extend(unnested(column).filter_map(|at| elements[at].take()));
        }
        let mut fields = Vec::with_capacity(outputs.len());
        for (at, output) in outputs.into_iter().enumerate() {
            match self.structs.contains(&at) {
                true => fields.extend(fields_of(output)?),
                false => fields.push(output),
            }
        }
        Ok(Table::try_with_rows(fields, rows)?)
    }

    /// Returns the repeated rows of `others`, and the elements of each column of `lists`.
    fn expanded(&self, others: &Table, lists: &[Column]) -> Result<(Table, Vec<Column>)> {
        if let ([list], RowsOf::Elements | RowsOf::ElementsAndAllLists) = (lists, self.rows_of) {
            let (width, mut columns) = (others.num_columns(), others.columns().to_vec());
            columns.push(list.clone());
            let table = Table::try_new(columns)?;
            let is_outer = self.rows_of == RowsOf::ElementsAndAllLists;
            let rows = if is_outer { explode_outer(&table, width)? } else { explode(&table, width)? };
            let (count, mut columns) = (rows.num_rows(), rows.into_columns());
            let elements = columns.split_off(width);
            return Ok((Table::try_with_rows(columns, count)?, elements));
        }
        let Lengths { of_lists, of_rows } = self.lengths(lists)?;
        // An input row becomes several rows. The first column of `places` has the number of the first of these rows.
        // After it, each list has two columns: the number of its elements, and the place of its first element.
        let mut places = vec![starts(&of_rows)?];
        for lengths in &of_lists {
            places.extend([lengths.clone(), starts(lengths)?]);
        }
        let (width, mut columns) = (others.num_columns(), others.columns().to_vec());
        columns.extend(places);
        let repeated = repeat(&Table::try_new(columns)?, &of_rows)?;
        let (rows, mut columns) = (repeated.num_rows(), repeated.into_columns());
        let mut places = columns.split_off(width);
        places.push(sequence(0_i64, 1_i64, rows)?);
        let number = col(places.len() - 1);
        let places = Table::try_new(places)?;
        let mut found = Vec::with_capacity(lists.len());
        for (at, list) in lists.iter().enumerate() {
            let elements = explode(&Table::try_new(vec![list.clone()])?, 0)?;
            let (length, start) = (col(1 + 2 * at), col(2 + 2 * at));
            let position = number.clone() - col(0);
            let place = when(position.clone().lt(length), start + position).end();
            let map = Pipeline::new(&places).project(&[place])?;
            let elements = gather(&elements, map.column(0)?, OutOfBoundsPolicy::Nullify)?;
            found.extend(elements.into_columns());
        }
        Ok((Table::try_with_rows(columns, rows)?, found))
    }

    fn lengths(&self, lists: &[Column]) -> Result<Lengths> {
        let counts = lists.iter().map(count_elements).collect::<gdf_core::Result<Vec<_>>>()?;
        let counts = Table::try_new(counts)?;
        let number = |value: i64| lit(Value::from(value));
        let length = |at: usize| coalesce([col(at).cast(DataType::Int64), number(0)]);
        let rows_of_list = |at: usize| match self.rows_of {
            RowsOf::Elements => length(at),
            RowsOf::ElementsAndNullLists => coalesce([col(at).cast(DataType::Int64), number(1)]),
            RowsOf::ElementsAndAllLists => when(length(at).gt(number(0)), length(at)).otherwise(number(1)),
        };
        let longer = |left: Expr, right: Expr| when(left.clone().ge(right.clone()), left).otherwise(right);
        let longest = (0..lists.len()).map(rows_of_list).reduce(longer).unwrap_or_else(|| number(1));
        let outputs: Vec<Expr> = (0..lists.len()).map(length).chain([longest]).collect();
        let mut of_lists = Pipeline::new(&counts).project(&outputs)?.into_columns();
        let of_rows = of_lists.swap_remove(lists.len());
        Ok(Lengths { of_lists, of_rows })
    }
}

struct Lengths {
    /// For each column of lists, the number of elements of each list. A null list has 0 elements.
    of_lists: Vec<Column>,
    /// How often each row is repeated.
    of_rows: Column,
}

fn starts(lengths: &Column) -> Result<Column> {
    Ok(scan(lengths, ScanAggregation::Sum, ScanType::Exclusive, NullPolicy::Exclude)?)
}

fn fields_of(structs: Column) -> Result<Vec<Column>> {
    // The fields of a null struct may have values.
    let structs = if structs.has_validity() { purge_nonempty_nulls(&structs)? } else { structs };
    let fields = structs.children().len();
    let structs = StructsView::try_from(structs.view())?;
    Ok((0..fields).map(|field| Ok(structs.child(field)?.to_column())).collect::<gdf_core::Result<_>>()?)
}
