//! Keys that fit 64 bits.

use gdf_core::{PhysicalType, TableView, physical_type};

use super::NullPolicy;

/// Where the bits of each key column lie in 64, if they all fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Packing {
    /// First bit of each column.
    pub(super) shifts: Vec<u8>,
    /// The bit that is set where the column is null; none where nulls cannot be in a group, or are `special_null`.
    pub(super) null_bits: Vec<Option<u8>>,
    /// The one column takes all bits: its null is a case of its own.
    pub(super) special_null: bool,
}

impl Packing {
    pub(super) fn new(keys: &TableView<'_>, policy: NullPolicy) -> Option<Self> {
        let mut bits = 0;
        let mut place = |width: usize| {
            let shift = bits;
            bits += width;
            (bits <= 64).then_some(shift as u8)
        };
        let columns = keys.columns();
        let mut packing = Packing { shifts: Vec::new(), null_bits: Vec::new(), special_null: false };
        for column in columns {
            let width = match physical_type(column.data_type()) {
                PhysicalType::Bool => 1,
                PhysicalType::IntervalDayTime => 64,
                physical if physical.is_integral() || physical.is_floating() => physical.width()? * 8,
                _ => return None,
            };
            packing.shifts.push(place(width)?);
            let nulls = column.has_validity() && policy == NullPolicy::Include;
            if nulls && width == 64 && columns.len() == 1 {
                packing.special_null = true;
                packing.null_bits.push(None);
            } else if nulls {
                packing.null_bits.push(Some(place(1)?));
            } else {
                packing.null_bits.push(None);
            }
        }
        Some(packing)
    }
}
