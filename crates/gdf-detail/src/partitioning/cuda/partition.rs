//! Rows by partition: ids, then rows. The host waits last of all, for where the partitions begin.

use gdf_core::{ColumnParts, ColumnView, DataType, Error, NullCount, Result, TableView};
use gdf_driver::Stream;
use gdf_memory::Resources;

use super::super::hash_partition::HashFunction;
use super::super::partition::NULL_IN_MAP;
use super::super::rows::{Partitioned, offsets, rows_in_order};
use super::CAPABILITY;
use super::ids::{Ids, Source, find_ids};
use super::move_rows::move_rows;
use crate::cuda::{CudaColumn, Kernel, args};
use crate::hashing::HashedColumn;
use crate::sorting;
use crate::vouch;

pub(in super::super) fn hash_partition(
    table: &TableView<'_>,
    keys: &[HashedColumn<'_>],
    partitions: i32,
    function: HashFunction,
    seed: u32,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Partitioned> {
    partitioned(table, Source::Hash { keys, function, seed }, partitions, stream, mr)
}

pub(in super::super) fn partition(
    table: &TableView<'_>,
    map: ColumnView<'_>,
    partitions: i32,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Partitioned> {
    partitioned(table, Source::Map(map), partitions, stream, mr)
}

fn partitioned(
    table: &TableView<'_>,
    source: Source<'_, '_>,
    partitions: i32,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Partitioned> {
    let (rows, count) = (table.num_rows(), partitions as usize);
    let Ids { ids, counts, mut words } = find_ids(source, rows, partitions, stream, mr)?;
    let moved = match counts {
        Some(counts) => move_rows(table, &ids, &counts, partitions, stream, mr)?,
        None => {
            let mut parts = ColumnParts::new(DataType::UInt32, stream.device(), rows).buffer(ids);
            parts.null_count = NullCount::Known(0);
            let ids = vouch::result(parts)?;
            let by_ids = TableView::try_new(vec![ids.view()])?;
            let order = sorting::stable_sorted_order(by_ids, &[], &[], stream, mr.scratch())?;
            let (ids_in, order_in) = (CudaColumn::open(ids.view(), stream)?, CudaColumn::open(order.view(), stream)?);
            let kernel = Kernel::find(stream, CAPABILITY, "partition_begins_kernel", "partition_order")?;
            let ids_at = ids_in.desc.data;
            words.write(stream, |words| {
                // SAFETY: the parameters are (ids*, column_in order, int partitions, words*), passed in this order and
                // type. The order names each of the `rows` rows, whose ids, all below `partitions`, it sorts; there is
                // a word for each partition but the first. Accesses are held until the launch is enqueued on their
                // stream.
                unsafe {
                    kernel.launch(stream, kernel.blocks(rows + 1), 1, args![ids_at, order_in.desc, partitions, words])
                }
            })?;
            drop((ids_in, order_in));
            rows_in_order(table, &order, stream, mr)?
        }
    };
    let words = words.wait(stream)?;
    if let Source::Map(map) = source {
        verdict(words.get(count - 1..).unwrap_or_default(), map, count)?;
    }
    let begins = words.iter().map(|begin| usize::try_from(*begin).unwrap_or(usize::MAX));
    Ok((moved, offsets(count, rows, begins)?))
}

/// The error of the first element of a map that is no partition.
fn verdict(words: &[u64], map: ColumnView<'_>, partitions: usize) -> Result<()> {
    match *words {
        [row, number, null, ..] if row != 0 => {
            let unsigned = *map.data_type() == DataType::UInt64;
            let index = if unsigned { i128::from(number) } else { i128::from(number as i64) };
            Err(if null != 0 { NULL_IN_MAP } else { Error::OutOfBounds { index, len: partitions } })
        }
        _ => Ok(()),
    }
}
