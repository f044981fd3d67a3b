//! Groups the rows of parts, and aggregates the groups.

use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::filling::sequence;
use gdf_api::groupby::{AggregationRequest, GroupBy, GroupByAggregation as A, NullPolicy, PartialGroups};
use gdf_api::scope::with_device;
use gdf_api::unary::cast;
use gdf_core::{Device, Error, Result, Table, TableView};

use crate::Budget;
use crate::budget::bytes_of;
use crate::partition::by_keys;

/// The aggregations of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The position of the column.
    pub column: usize,
    /// The aggregations. Each has one result column.
    pub aggregations: Vec<A>,
}

/// Groups the rows of parts by their first `keys` columns, and aggregates the groups.
///
/// The parts of the result have a row for each group: the keys, then the results of all requests in their order. Each
/// group is in exactly one part. The groups are in no particular order. The types of results and the treatment of nulls
/// and NaN are as in [`GroupBy::aggregate`]. Row numbers count the rows of all parts. Sums of floats may differ by
/// rounding.
///
/// If all aggregations have a partial form (see [`GroupBy::aggregate_partial`]), each part is aggregated to partial
/// results, and these are merged. Otherwise the rows are divided by the hashes of the keys.
///
/// ```
/// use gdf::external::{Budget, Request, group_by};
/// use gdf::groupby::{GroupByAggregation, NullPolicy};
/// use gdf::{Column, Table};
///
/// let part = |keys: [i32; 2], values: [f64; 2]| {
///     Table::try_new(vec![Column::from_slice(&keys)?, Column::from_slice(&values)?])
/// };
/// let sum = [Request { column: 1, aggregations: vec![GroupByAggregation::Sum] }];
/// let parts = [part([7, 7], [1.0, 2.0]), part([7, 7], [3.0, 4.0])];
/// let groups = group_by(parts, 1, NullPolicy::Include, &sum, &Budget::unlimited())?;
/// assert_eq!(groups[0].column(1)?.to_vec::<f64>()?, [Some(10.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * The errors of [`GroupBy::aggregate`]; [`InvalidArgument`](Error::InvalidArgument) without parts.
/// * Memory errors, if one row, or all rows of one key, do not fit in memory.
pub fn group_by(
    parts: impl IntoIterator<Item = Result<Table>>,
    keys: usize,
    nulls: NullPolicy,
    requests: &[Request],
    budget: &Budget,
) -> Result<Vec<Table>> {
    let _reserved = budget.reserve()?;
    let mut parts = parts.into_iter();
    let first =
        parts.next().ok_or_else(|| Error::invalid_argument("there are no parts; pass at least one table"))??;
    let grouping = Grouping { keys, nulls, requests };
    // The types alone determine whether the aggregations have a partial form, so that an empty table suffices.
    let has_partial = match grouping.partial(&first.slice(0, 0)?) {
        Ok(_) => true,
        Err(Error::Unsupported { .. }) => false,
        Err(error) => return Err(error),
    };
    let parts = std::iter::once(Ok(first)).chain(parts);
    if has_partial { grouping.by_states(parts, budget) } else { grouping.by_rows(parts, budget) }
}

struct Grouping<'a> {
    keys: usize,
    nulls: NullPolicy,
    requests: &'a [Request],
}

impl Grouping<'_> {
    fn keys_of<'t>(&self, table: &'t Table) -> Result<TableView<'t>> {
        let columns: Vec<usize> = (0..self.keys).collect();
        table.view().select(&columns)
    }

    fn requests_of<'t>(&self, table: &'t Table) -> Result<Vec<AggregationRequest<'t>>> {
        let request = |request: &Request| {
            Ok(AggregationRequest::new(table.column(request.column)?, request.aggregations.clone()))
        };
        self.requests.iter().map(request).collect()
    }

    fn partial(&self, table: &Table) -> Result<PartialGroups> {
        GroupBy::new(self.keys_of(table)?, self.nulls).aggregate_partial(&self.requests_of(table)?)
    }

    /// Aggregates each part to partial results, and merges the partial results.
    fn by_states(&self, parts: impl Iterator<Item = Result<Table>>, budget: &Budget) -> Result<Vec<Table>> {
        let (mut groups, mut is_merging): (Vec<Kept>, bool) = (Vec::new(), true);
        for part in parts {
            let part = part?;
            groups.extend(budget.in_pieces(&part, &mut |piece| Ok(Kept::new(self.partial(piece)?, budget)))?);
            drop(part);
            let bytes: usize = groups.iter().map(Kept::bytes).sum();
            if is_merging && groups.len() > 1 && bytes > budget.build_bytes() / 4 {
                let merged = merged(&groups, budget)?;
                // If merging saves less than half of the bytes, most groups occur in one part only, and early merging
                // ends.
                is_merging = merged.bytes() <= bytes / 2;
                groups = vec![merged];
            }
        }
        let bytes: usize = groups.iter().map(Kept::bytes).sum();
        if bytes <= budget.build_bytes() || groups.len() == 1 {
            return Ok(vec![finished(&merged(&groups, budget)?, budget)?]);
        }
        let requests = groups[0].0.requests().to_vec();
        // The division mixes the states of all parts. Row numbers must therefore count from the first row of the first
        // part.
        let (mut total, mut tables) = (0, Vec::with_capacity(groups.len()));
        for Kept(groups) in groups {
            let rows = groups.num_rows();
            tables
                .push(if self.has_row_numbers() { after(groups, total, budget)? } else { Kept(groups) }.into_table()?);
            total += rows;
        }
        let keys: Vec<usize> = (0..self.keys).collect();
        by_keys(tables, &keys, budget, &mut |tables| {
            let last = tables.len() - 1;
            let groups = tables.into_iter().enumerate().map(|(i, table)| {
                let mut columns = table.into_columns();
                let states = columns.split_off(self.keys);
                let rows = if i == last { total } else { 0 };
                Ok(Kept(PartialGroups::try_new(Table::try_new(columns)?, requests.clone(), states, rows)?))
            });
            let groups = groups.collect::<Result<Vec<_>>>()?;
            finished(&merged(&groups, budget)?, budget).map(Some)
        })
    }

    /// Divides the rows by the hashes of the keys, and aggregates each partition.
    fn by_rows(&self, parts: impl Iterator<Item = Result<Table>>, budget: &Budget) -> Result<Vec<Table>> {
        let mut total = 0;
        let parts = parts.map(|part| {
            let part = part?;
            let rows = part.num_rows();
            let part = if self.has_row_numbers() { with_row_numbers(part, total)? } else { part };
            total += rows;
            Ok(budget.keep(part))
        });
        let parts: Vec<Table> = parts.collect::<Result<_>>()?;
        let mut aggregate = |parts: Vec<Table>| {
            let Some(whole) = budget.whole(&parts)? else { return Ok(None) };
            drop(parts);
            let groups = GroupBy::new(self.keys_of(&whole)?, self.nulls).agg(&self.requests_of(&whole)?)?;
            let groups = if self.has_row_numbers() { self.in_all_rows(groups, &whole, total)? } else { groups };
            Ok(Some(budget.keep(groups)))
        };
        let keys: Vec<usize> = (0..self.keys).collect();
        by_keys(parts, &keys, budget, &mut aggregate)
    }

    fn has_row_numbers(&self) -> bool {
        self.requests.iter().flat_map(|request| &request.aggregations).any(is_row_number)
    }

    /// Replaces row numbers within a partition by row numbers within all parts, which are in the last column of
    /// `partition`.
    fn in_all_rows(&self, groups: Table, partition: &Table, total: usize) -> Result<Table> {
        let numbers = TableView::from(partition.column(partition.num_columns() - 1)?.view());
        let mut columns = groups.into_columns();
        let aggregations = self
            .requests
            .iter()
            .flat_map(|request| request.aggregations.iter().map(|aggregation| (request.column, aggregation)));
        for (column, (values, aggregation)) in columns[self.keys..].iter_mut().zip(aggregations) {
            if is_row_number(aggregation) {
                let found = gather(numbers.clone(), &*column, OutOfBoundsPolicy::Nullify)?;
                let output = aggregation.result_type(partition.column(values)?.data_type(), total)?;
                *column = cast(found.column(0)?, &output)?;
            }
        }
        Table::try_new(columns)
    }
}

fn is_row_number(aggregation: &A) -> bool {
    matches!(aggregation, A::ArgMin | A::ArgMax)
}

fn with_row_numbers(part: Table, before: usize) -> Result<Table> {
    let device = part.device().unwrap_or(Device::Cpu);
    let numbers = with_device(device, || sequence(before as u64, 1_u64, part.num_rows()))?;
    Table::try_new(part.into_columns().into_iter().chain([numbers]).collect())
}

/// Returns groups with row numbers that are larger by `rows`, the number of rows before the rows of `groups`.
fn after(groups: PartialGroups, rows: usize, budget: &Budget) -> Result<Kept> {
    let (none, states) = (groups.keys().slice(0, 0)?, groups.states().iter());
    let states = states.map(|state| state.slice(0, 0)).collect::<Result<_>>()?;
    let before = PartialGroups::try_new(none, groups.requests().to_vec(), states, rows)?;
    Ok(Kept::new(PartialGroups::merge(&[&before, &groups])?, budget))
}

/// Partial results in spillable memory.
struct Kept(PartialGroups);

impl Kept {
    fn new(groups: PartialGroups, budget: &Budget) -> Kept {
        budget.keep(groups.keys().clone());
        if let Ok(states) = Table::try_with_rows(groups.states().to_vec(), groups.keys().num_rows()) {
            budget.keep(states);
        }
        Kept(groups)
    }

    fn bytes(&self) -> usize {
        let states: usize = self.0.states().iter().map(gdf_core::Column::alloc_size).sum();
        bytes_of(self.0.keys()) + states
    }

    fn into_table(self) -> Result<Table> {
        let (keys, _, states, _) = self.0.into_parts();
        Table::try_new(keys.into_columns().into_iter().chain(states).collect())
    }
}

fn merged(groups: &[Kept], budget: &Budget) -> Result<Kept> {
    match groups {
        [only] => Ok(Kept(only.0.clone())),
        groups => {
            let groups: Vec<&PartialGroups> = groups.iter().map(|Kept(groups)| groups).collect();
            Ok(Kept::new(PartialGroups::merge(&groups)?, budget))
        }
    }
}

fn finished(groups: &Kept, budget: &Budget) -> Result<Table> {
    let (keys, results) = groups.0.finalize()?;
    let columns = keys.into_columns().into_iter().chain(results.into_iter().flatten()).collect();
    Ok(budget.keep(Table::try_new(columns)?))
}
