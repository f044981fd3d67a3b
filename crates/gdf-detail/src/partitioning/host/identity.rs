//! Numbers as their own hashes.

use gdf_core::{Error, PhysicalType, Result, dispatch_floating, dispatch_integer, physical_type};
use num_traits::AsPrimitive;

use crate::engine::row_hash::{Function, Murmur32};
use crate::host::{Bits, HostColumn};

/// The number of a row.
type Number<'a> = Box<dyn Fn(usize) -> u32 + Sync + 'a>;

/// A column of numbers or booleans.
pub(super) struct Identity<'a> {
    number: Number<'a>,
    validity: Option<Bits<'a>>,
}

impl<'a> Identity<'a> {
    pub(super) fn open(column: &'a HostColumn<'_>) -> Result<Self> {
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
                    number as u32 // saturates; 0 of NaN
                })
            }, else => return Err(Error::unsupported("hash_partition", data_type))),
            _ => dispatch_integer!(physical, T => {
                let values = column.values::<T>()?;
                Box::new(move |row| values[row].as_())
            }, else => return Err(Error::unsupported("hash_partition", data_type))),
        };
        Ok(Self { number, validity: column.validity()? })
    }

    /// Goes on with rows `first ..`.
    pub(super) fn add(&self, first: usize, begun: bool, out: &mut [u32]) {
        for (row, out) in (first..).zip(out) {
            let valid = self.validity.is_none_or(|validity| validity.get(row));
            let number = if valid { (self.number)(row) } else { Murmur32::NULL };
            *out = if begun { Murmur32::combine(*out, number) } else { number };
        }
    }
}
