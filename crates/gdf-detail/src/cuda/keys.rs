//! The key columns of a table as kernels take them, bit for bit.

use bytemuck::{Pod, Zeroable};
use gdf_core::{ColumnView, Error, PhysicalType, Result, TableView, physical_type};
use gdf_driver::Stream;
use gdf_kernels::ColumnIn;

use super::CudaColumn;
use crate::keys::{KeySide, MOST_KEYS, Packing};

const NO_BIT: u8 = 255;
/// Of `exclude`; 1 is for nulls.
const EXCLUDE_NANS: i32 = 2;

/// `gdf::row_table`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct KeyRows {
    column: [ColumnIn; MOST_KEYS],
    bytes: [i64; MOST_KEYS],
    count: i32,
    unused: i32,
}

/// `gdf::row_keys`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct KeysIn {
    rows: KeyRows,
    shift: [u8; MOST_KEYS],
    null_bit: [u8; MOST_KEYS],
    exclude: i32,
    special_null: i32,
    base: [u64; MOST_KEYS],
    ranged: u32,
    unused: u32,
}

const _: () = assert!(size_of::<KeysIn>() == 2136);

impl KeysIn {
    /// The columns alone.
    pub(crate) fn rows(&self) -> KeyRows {
        self.rows
    }
}

/// Length of the character buffer of a string or binary column.
pub(crate) fn characters(view: ColumnView<'_>) -> i64 {
    match physical_type(view.data_type()) {
        PhysicalType::String { .. } | PhysicalType::Binary { .. } => {
            view.buffers().get(1).map_or(0, |bytes| bytes.len() as i64)
        }
        _ => 0,
    }
}

/// Key columns, open for kernels. Keep it until the launches are enqueued.
#[derive(Debug)]
pub(crate) struct OpenKeys<'a> {
    pub(crate) desc: KeysIn,
    _columns: Vec<CudaColumn<'a>>,
}

impl<'a> OpenKeys<'a> {
    pub(crate) fn of_side(side: &KeySide<'a>, stream: &Stream) -> Result<Self> {
        let mut open = Self::new(&side.keys, side.exclude_nulls, side.packing.as_ref(), stream)?;
        open.desc.exclude |= if side.exclude_nans { EXCLUDE_NANS } else { 0 };
        Ok(open)
    }

    pub(crate) fn new(
        keys: &TableView<'a>,
        exclude_nulls: bool,
        packing: Option<&Packing>,
        stream: &Stream,
    ) -> Result<Self> {
        let mut desc = KeysIn::zeroed();
        let mut columns = Vec::with_capacity(keys.num_columns());
        for (index, key) in keys.columns().iter().enumerate() {
            let column = CudaColumn::open(*key, stream)?;
            let place =
                desc.rows.column.get_mut(index).ok_or(Error::InvalidArgument { what: "1 to 32 key columns" })?;
            *place = column.desc;
            desc.rows.bytes[index] = characters(*key);
            desc.shift[index] = packing.map_or(0, |packing| packing.shifts[index]);
            if let Some(base) = packing.and_then(|packing| packing.bases.get(index).copied().flatten()) {
                desc.base[index] = base;
                desc.ranged |= 1 << index;
            }
            desc.null_bit[index] = packing.and_then(|packing| packing.null_bits[index]).unwrap_or(NO_BIT);
            columns.push(column);
        }
        desc.rows.count = keys.num_columns() as i32;
        desc.exclude = i32::from(exclude_nulls);
        desc.special_null = i32::from(packing.is_some_and(|packing| packing.special_null));
        Ok(Self { desc, _columns: columns })
    }
}
