//! `partition` on the CPU.

use gdf_core::{ColumnView, Error, Position, Result, TableView, dispatch_integer, physical_type};
use gdf_engine::host::{Bits, HostColumn, for_each_chunk, map_chunks};
use num_traits::ToPrimitive;

use crate::Ctx;
use crate::partitioning::host::{Ids, copy_rows};
use crate::partitioning::plan::{NULL_IN_MAP, Partitioned, out_of_bounds};

pub(super) fn partition(
    table: &TableView<'_>,
    map: ColumnView<'_>,
    partitions: usize,
    ctx: Ctx<'_>,
) -> Result<Partitioned> {
    let column = HostColumn::open(map, ctx.stream)?;
    let mut ids = Ids::new(table.num_rows(), ctx)?;
    dispatch_integer!(
        physical_type(map.data_type()),
        I => read::<I>(column.values()?, column.validity()?, partitions, ids.values(ctx.stream)?)?,
        else => return Err(Error::unsupported("partition", map.data_type()))
    );
    copy_rows(table, ids, partitions, ctx)
}

/// Reads the partition numbers of the map.
fn read<I>(map: &[I], validity: Option<Bits<'_>>, partitions: usize, ids: &mut [u32]) -> Result<()>
where
    I: ToPrimitive + Copy + Sync,
{
    let id = |number: I| number.to_usize().filter(|number| *number < partitions).map(|number| number as u32);
    let valid = |row| validity.is_none_or(|validity| validity.get(row));
    let bad = map_chunks(map.len(), |mut rows| rows.find(|&row| id(map[row]).is_none() || !valid(row)));
    if let Some(row) = bad.into_iter().flatten().next() {
        let index = map[row].to_i128().filter(|_| valid(row));
        let error = index.map_or(NULL_IN_MAP, |index| out_of_bounds(index, partitions));
        return Err(error.in_argument("map").at(Position::Row(row)));
    }
    for_each_chunk(ids, |first, chunk| {
        for (out, number) in chunk.iter_mut().zip(&map[first..]) {
            *out = id(*number).unwrap_or_default();
        }
    });
    Ok(())
}
