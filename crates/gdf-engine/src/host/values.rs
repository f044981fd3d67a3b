//! The stored rows of a column by type. CPU code matches on the type once, and then reads the rows without further
//! checks.

use gdf_core::{I256, PhysicalType, Result, f16, physical_type};

use super::{Bits, HostColumn};

/// The stored rows of a column of fixed-width values, strings or bytes.
#[derive(Clone, Copy, Debug)]
pub enum HostValues<'a> {
    Bool(Bits<'a>),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F16(&'a [f16]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    I128(&'a [i128]),
    I256(&'a [I256]),
    Text32(&'a [i32], &'a [u8]),
    Text64(&'a [i64], &'a [u8]),
}

impl<'a> HostValues<'a> {
    /// Opens the rows.
    pub fn open(column: &'a HostColumn<'_>) -> Result<Option<Self>> {
        Ok(Some(match physical_type(column.view().data_type()) {
            PhysicalType::Bool => Self::Bool(column.bits()?),
            PhysicalType::I8 => Self::I8(column.values()?),
            PhysicalType::I16 => Self::I16(column.values()?),
            PhysicalType::I32 => Self::I32(column.values()?),
            PhysicalType::I64 => Self::I64(column.values()?),
            PhysicalType::U8 => Self::U8(column.values()?),
            PhysicalType::U16 => Self::U16(column.values()?),
            PhysicalType::U32 => Self::U32(column.values()?),
            PhysicalType::U64 => Self::U64(column.values()?),
            PhysicalType::F16 => Self::F16(column.values()?),
            PhysicalType::F32 => Self::F32(column.values()?),
            PhysicalType::F64 => Self::F64(column.values()?),
            PhysicalType::I128 => Self::I128(column.values()?),
            PhysicalType::I256 => Self::I256(column.values()?),
            PhysicalType::String { large: false } | PhysicalType::Binary { large: false } => {
                Self::Text32(column.offsets()?, column.chars()?)
            }
            PhysicalType::String { large: true } | PhysicalType::Binary { large: true } => {
                Self::Text64(column.offsets()?, column.chars()?)
            }
            _ => return Ok(None),
        }))
    }
}
