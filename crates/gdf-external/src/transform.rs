//! Computes rows from the rows with equal keys.

use gdf_api::join::{JoinKeys, NullEquality};
use gdf_api::scope::with_device;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::{Column, Device, Error, Result, Table};

use crate::partition::divide_until_small;
use crate::{Budget, JoinKind, Keys, sort};

/// Calls `run` with partitions of the rows of parts, and returns the results in the order of the rows. All rows that
/// are equal in the columns `keys` are in the same partition, in the order of the parts. Nulls are equal to each other.
/// `run` gets the columns of the parts, and returns a table with a row for each row of the partition.
///
/// Window functions are computed this way. The rows of a single key cannot be divided, and must fit in memory.
///
/// ```
/// use gdf::external::{Budget, transform};
/// use gdf::groupby::{GroupBy, NullPolicy};
/// use gdf::scan::{ScanAggregation, ScanType};
/// use gdf::{Column, Table};
///
/// let part = |keys: &[i32], values: &[i64]| {
///     Table::try_new(vec![Column::from_slice(keys)?, Column::from_slice(values)?])
/// };
/// let parts = [part(&[1, 2], &[5, 6]), part(&[1], &[7])];
/// let sums = transform(parts, &[0], &Budget::unlimited(), &mut |partition| {
///     let keys = partition.select(&[0])?;
///     let groups = GroupBy::new(&keys, NullPolicy::Include);
///     let sums = groups.scan(partition.column(1)?, ScanAggregation::Sum, ScanType::Inclusive)?;
///     Table::try_new(vec![sums])
/// })?;
/// assert_eq!(sums[0].column(0)?.to_vec::<i64>()?, [5, 6, 12].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * The errors of `run`; [`InvalidArgument`](Error::InvalidArgument) without parts or keys.
/// * [`LengthMismatch`](Error::LengthMismatch): a result of `run` has another number of rows than the partition.
pub fn transform(
    parts: impl IntoIterator<Item = Result<Table>>,
    keys: &[usize],
    budget: &Budget,
    run: &mut dyn FnMut(&Table) -> Result<Table>,
) -> Result<Vec<Table>> {
    if keys.is_empty() {
        return Err(Error::invalid_argument("there are no keys; pass at least one column"));
    }
    let _reserved = budget.reserve()?;
    let mut first = 0;
    let numbered = budget.kept(parts.into_iter().map(|part| {
        let part = part?;
        let rows = part.num_rows();
        let numbered = with_numbers(part, first);
        first += rows as u64;
        numbered
    }))?;
    if numbered.is_empty() {
        return Err(Error::invalid_argument("there are no parts; pass at least one table"));
    }
    let mut results = Vec::new();
    // Window functions also need memory for the order of the rows, and for the rows in that order.
    divide_until_small(numbered, keys, 0, (budget.part_bytes() / 2, budget), &mut |parts| {
        let Some(whole) = budget.whole(&parts)? else { return Ok(()) };
        drop(parts);
        let mut columns = whole.into_columns();
        let numbers = columns.pop().ok_or_else(|| Error::internal("a partition has no row numbers"))?;
        let found = run(&Table::try_with_rows(columns, numbers.len())?)?;
        if found.num_rows() != numbers.len() {
            return Err(Error::length_mismatch(numbers.len(), found.num_rows()));
        }
        let columns = found.into_columns().into_iter().chain([numbers]).collect();
        results.push(budget.keep(Table::try_new(columns)?));
        Ok(())
    })?;
    // The rows of a partition are in their order already.
    let sorted = if results.len() > 1 { in_order(results, budget)? } else { results };
    sorted.into_iter().map(without_numbers).collect()
}

fn with_numbers(table: Table, first: u64) -> Result<Table> {
    let rows = table.num_rows();
    let numbers = with_device(table.device().unwrap_or(Device::Cpu), || Column::sequence(first, 1, rows))?;
    Table::try_with_rows(table.into_columns().into_iter().chain([numbers]).collect(), rows)
}

fn without_numbers(table: Table) -> Result<Table> {
    let rows = table.num_rows();
    let mut columns = table.into_columns();
    columns.pop();
    Table::try_with_rows(columns, rows)
}

fn in_order(tables: Vec<Table>, budget: &Budget) -> Result<Vec<Table>> {
    let last = tables[0].num_columns() - 1;
    let by_number = Keys { columns: vec![last], orders: vec![Order::Ascending], null_orders: vec![NullOrder::After] };
    sort(tables.into_iter().map(Ok), &by_number, budget)
}

/// Returns for each row of parts the columns of its group, without keys, in the order of the rows. The rows and the
/// groups begin with `keys` columns of keys. Each row belongs to exactly one group. Nulls are equal to each other.
///
/// Aggregations of partitions are found for each row this way. In contrast to [`transform`], the rows of a key need not
/// fit in memory.
///
/// ```
/// use gdf::external::{Budget, broadcast};
/// use gdf::{Column, Table};
///
/// let table = |columns: [&[i32]; 2]| Table::try_new(columns.map(Column::from_slice).into_iter().collect::<Result<_, _>>()?);
/// let (rows, groups) = (table([&[7, 8, 7], &[1, 2, 3]]), table([&[8, 7], &[80, 70]])?);
/// let found = broadcast([rows], vec![groups], 1, &Budget::unlimited())?;
/// assert_eq!(found[0].column(0)?.to_vec::<i32>()?, [70, 80, 70].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * The errors of [`join`](crate::join()) and [`sort`](crate::sort()).
/// * [`LengthMismatch`](Error::LengthMismatch): a row belongs to no group, or to several groups.
pub fn broadcast(
    parts: impl IntoIterator<Item = Result<Table>>,
    groups: Vec<Table>,
    keys: usize,
    budget: &Budget,
) -> Result<Vec<Table>> {
    let _reserved = budget.reserve()?;
    let on: Vec<usize> = (0..keys).collect();
    let mut rows = 0;
    let numbered = parts.into_iter().map(|part| {
        let part = part?;
        let first = rows as u64;
        rows += part.num_rows();
        with_numbers(part.select(&on)?, first).map(|part| budget.keep(part))
    });
    let join_keys = JoinKeys::new(&on, &on).with_nulls(NullEquality::Equal);
    let joined = crate::join(numbered, groups, &join_keys, JoinKind::Inner, budget)?;
    let found: usize = joined.iter().map(Table::num_rows).sum();
    if found != rows {
        return Err(Error::length_mismatch(rows, found));
    }
    // A joined row has the keys, the row number, and the other columns of its group.
    let last = |table: Table| {
        let order: Vec<usize> = (keys + 1..table.num_columns()).chain([keys]).collect();
        table.select(&order)
    };
    let joined = joined.into_iter().map(last).collect::<Result<Vec<_>>>()?;
    in_order(joined, budget)?.into_iter().map(without_numbers).collect()
}
