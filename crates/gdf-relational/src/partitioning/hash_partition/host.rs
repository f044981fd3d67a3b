//! `hash_partition` on the CPU.

use gdf_core::{Error, PhysicalType, Result, TableView, dispatch_floating, dispatch_integer, physical_type};
use gdf_engine::host::{Bits, HostColumn, for_each_chunk};
use gdf_engine::row_hash::{Function, HashedColumn, Murmur32, OpenColumns};
use num_traits::AsPrimitive;

use crate::Ctx;
use crate::partitioning::host::{Ids, copy_rows};
use crate::partitioning::plan::{HashFunction, Partitioned};

pub(super) fn hash_partition(
    table: &TableView<'_>,
    keys: &[HashedColumn<'_>],
    partitions: usize,
    function: HashFunction,
    seed: u32,
    ctx: Ctx<'_>,
) -> Result<Partitioned> {
    let mut ids = Ids::new(table.num_rows(), ctx)?;
    let count = partitions as u32;
    // If the number of partitions is a power of two, a bit mask replaces the division, because a division would take
    // longer than the hash.
    let reduce = |ids: &mut [u32]| {
        if count.is_power_of_two() {
            ids.iter_mut().for_each(|id| *id &= count - 1);
        } else {
            ids.iter_mut().for_each(|id| *id %= count);
        }
    };
    let open = OpenColumns::open(keys, ctx.stream)?;
    match function {
        HashFunction::Murmur3 => {
            let rows = open.rows()?;
            for_each_chunk(ids.values(ctx.stream)?, |first, chunk| {
                rows.hash_into::<Murmur32>(first, seed, chunk);
                reduce(chunk);
            });
        }
        HashFunction::Identity => {
            let columns = open.columns().map(Identity::open).collect::<Result<Vec<_>>>()?;
            for_each_chunk(ids.values(ctx.stream)?, |first, chunk| {
                for (index, column) in columns.iter().enumerate() {
                    column.add(first, index > 0, chunk);
                }
                reduce(chunk);
            });
        }
    }
    copy_rows(table, ids, partitions, ctx)
}

type Number<'a> = Box<dyn Fn(usize) -> u32 + Sync + 'a>;

/// A column of numbers or booleans, which are their own hashes.
struct Identity<'a> {
    number: Number<'a>,
    validity: Option<Bits<'a>>,
}

impl<'a> Identity<'a> {
    fn open(column: &'a HostColumn<'_>) -> Result<Self> {
        let data_type = column.view().data_type();
        let physical = physical_type(data_type);
        let number: Number<'a> = match physical {
            PhysicalType::Bool => {
                let bits = column.bits()?;
                Box::new(move |row| u32::from(bits.get(row)))
            }
            PhysicalType::F16 | PhysicalType::F32 | PhysicalType::F64 => dispatch_floating!(physical, T => {
                let values = column.values::<T>()?;
                Box::new(move |row| {
                    let number: f64 = values[row].as_();
                    number as u32 // The conversion saturates, and NaN becomes 0.
                })
            }, else => return Err(Error::unsupported("hash_partition", data_type))),
            _ => dispatch_integer!(physical, T => {
                let values = column.values::<T>()?;
                Box::new(move |row| values[row].as_())
            }, else => return Err(Error::unsupported("hash_partition", data_type))),
        };
        Ok(Self { number, validity: column.validity()? })
    }

    /// Combines the hashes of the rows from `first` on with the values of this column.
    fn add(&self, first: usize, begun: bool, out: &mut [u32]) {
        for (row, out) in (first..).zip(out) {
            let valid = self.validity.is_none_or(|validity| validity.get(row));
            let number = if valid { (self.number)(row) } else { Murmur32::NULL };
            *out = if begun { Murmur32::combine(*out, number) } else { number };
        }
    }
}
