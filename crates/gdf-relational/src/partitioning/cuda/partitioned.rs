//! Partitions rows on CUDA.

use gdf_compute::sorting;
use gdf_core::{ColumnView, DataType, Error, Position, Result, Table, TableView};
use gdf_engine::cuda::{CudaColumn, Kernel};
use gdf_kernels::generated::partitioning::PartitionBegins;

use super::copy_rows::copy_rows;
use super::ids::{Form, Ids, Source, find_ids};
use crate::Ctx;
use crate::partitioning::plan::{NULL_IN_MAP, Partitioned, offsets, out_of_bounds};
use crate::vouch;
use crate::vouch::gather_trusted;

/// Returns the rows of a table, ordered by the partitions of `source`.
pub(in crate::partitioning) fn partitioned(
    table: &TableView<'_>,
    source: Source<'_, '_>,
    partitions: i32,
    ctx: Ctx<'_>,
) -> Result<Partitioned> {
    let (rows, count) = (table.num_rows(), partitions as usize);
    let form = Form::of(partitions, table.columns());
    let Ids { ids, upper, counts, mut words } = find_ids(source, rows, partitions, form, ctx)?;
    let table = match (counts, form, upper) {
        (Some(counts), Form::Digits(bits), Some(upper)) => {
            let upper = vouch::numbers(DataType::UInt8, upper, rows, ctx.stream)?;
            let mut columns = table.columns().to_vec();
            columns.push(upper.view());
            let with_upper = TableView::try_new(columns)?;
            let lower = copy_rows(&with_upper, &ids, &counts, 1 << bits, ctx.scratch())?;
            drop((ids, counts, upper));
            by_upper(&lower.view(), ((partitions - 1) >> bits) + 1, ctx)?
        }
        (Some(counts), ..) => copy_rows(table, &ids, &counts, partitions, ctx)?,
        (None, ..) => {
            let ids = vouch::numbers(DataType::UInt32, ids, rows, ctx.stream)?;
            let by_ids = TableView::try_new(vec![ids.view()])?;
            let order = sorting::sorted_order(by_ids, &[], &[], ctx.scratch())?;
            let (ids_in, order_in) =
                (CudaColumn::open(ids.view(), ctx.stream)?, CudaColumn::open(order.view(), ctx.stream)?);
            let kernel = Kernel::find(ctx.stream)?;
            words.write(ctx.stream, |words| {
                let arguments =
                    PartitionBegins { ids: ids_in.desc().data.cast(), order: order_in.desc(), partitions, words };
                // SAFETY: The kernel reads ids in the order of `order`, and writes `words`. `order` contains each of
                // the `rows` row numbers once, sorted by id. All ids are less than `partitions`. `words` has a word
                // for each partition but the first. All memory is held until the launch is enqueued.
                unsafe { kernel.launch(ctx.stream, kernel.blocks(rows + 1), 1, &arguments)? };
                Ok(())
            })?;
            drop((ids_in, order_in));
            gather_trusted(table, order.view(), ctx)?
        }
    };
    let words = words.wait(ctx.stream)?;
    if let Source::Map(map) = source {
        verdict(words.get(count - 1..).unwrap_or_default(), map, count)?;
    }
    let begins = words.iter().map(|begin| usize::try_from(*begin).unwrap_or(usize::MAX));
    Ok((table, offsets(count, rows, begins)?))
}

/// Returns the rows of `table`, ordered by the partition numbers in the last column.
fn by_upper(table: &TableView<'_>, partitions: i32, ctx: Ctx<'_>) -> Result<Table> {
    let last = table.num_columns() - 1;
    let upper = Source::Ids(table.column(last)?);
    let Ids { ids, counts, .. } = find_ids(upper, table.num_rows(), partitions, Form::Bytes, ctx)?;
    let counts = counts.ok_or_else(|| Error::internal("the counts of the partitions are missing"))?;
    let columns = TableView::try_with_rows(table.columns()[..last].to_vec(), table.num_rows())?;
    copy_rows(&columns, &ids, &counts, partitions, ctx)
}

fn verdict(words: &[u64], map: ColumnView<'_>, partitions: usize) -> Result<()> {
    match *words {
        [bad, number, null, ..] if bad != 0 => {
            let unsigned = *map.data_type() == DataType::UInt64;
            let index = if unsigned { i128::from(number) } else { i128::from(number as i64) };
            let error = if null != 0 { NULL_IN_MAP } else { out_of_bounds(index, partitions) };
            // The kernel reports the complement of the row, because 0 means that no row is bad.
            let row = usize::try_from(!bad).unwrap_or(usize::MAX);
            Err(error.in_argument("map").at(Position::Row(row)))
        }
        _ => Ok(()),
    }
}
