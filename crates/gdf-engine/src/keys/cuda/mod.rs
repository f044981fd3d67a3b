//! The key columns of a table in the form that kernels take, with the parameters that pack a row into a word.

mod text_numbers;

use gdf_core::{Error, Result, TableView};
use gdf_driver::Stream;
use gdf_kernels::generated::common::{EXCLUDE_NANS, NO_BIT, RowKeys};
use gdf_kernels::{Arguments, OneKernel};
use gdf_memory::{Buffer, ResourceRef};

pub use self::text_numbers::{NumberedKeys, Numberings, WordBits, common_length};
use crate::Ctx;
use crate::cuda::{CudaColumn, Kernel, Memory, Out};
use crate::keys::{KeySide, Packing};
use crate::layout::{byte_len, characters};
use crate::policy::NullPolicy;

#[derive(Debug)]
pub struct OpenKeys<'a> {
    /// The descriptor of the keys, without the columns.
    shape: RowKeys<'static>,
    columns: Vec<CudaColumn<'a>>,
}

impl<'a> OpenKeys<'a> {
    pub fn of_side(side: &KeySide<'a>, stream: &Stream) -> Result<Self> {
        let mut open = Self::new(&side.keys, side.null_policy, side.packing.as_ref(), stream)?;
        open.shape.exclude |= if side.exclude_nans { EXCLUDE_NANS } else { 0 };
        Ok(open)
    }

    pub fn new(keys: &TableView<'a>, nulls: NullPolicy, packing: Option<&Packing>, stream: &Stream) -> Result<Self> {
        let mut desc = RowKeys::default();
        let mut columns = Vec::with_capacity(keys.num_columns());
        for (index, key) in keys.columns().iter().enumerate() {
            let bytes = desc.rows.bytes.get_mut(index);
            let bytes = bytes.ok_or_else(|| Error::internal("a launch received too many key columns"))?;
            *bytes = characters(*key);
            desc.shift[index] = packing.map_or(0, |packing| packing.shifts[index]);
            if let Some(base) = packing.and_then(|packing| packing.bases.get(index).copied().flatten()) {
                desc.base[index] = base;
                desc.width[index] = packing.map_or(0, |packing| packing.widths[index]);
                desc.ranged |= 1 << index;
            }
            desc.null_bit[index] = packing.and_then(|packing| packing.null_bits[index]).unwrap_or(NO_BIT as u8);
            columns.push(CudaColumn::open(*key, stream)?);
        }
        desc.rows.count = keys.num_columns() as i32;
        desc.exclude = i32::from(nulls == NullPolicy::Exclude);
        desc.special_null = i32::from(packing.is_some_and(|packing| packing.special_null));
        Ok(Self { shape: desc, columns })
    }

    pub fn desc(&self) -> RowKeys<'_> {
        let mut desc = self.shape;
        for (slot, column) in desc.rows.column.iter_mut().zip(&self.columns) {
            *slot = column.desc();
        }
        desc
    }
}

/// Allocates memory of `mr` for a number of `width` bytes for each of `rows` rows. `launch` must write the numbers.
pub fn numbers(
    rows: usize,
    width: usize,
    mr: ResourceRef<'_>,
    ctx: Ctx<'_>,
    launch: impl FnOnce(NumbersLaunch<'_>) -> Result<()>,
) -> Result<Buffer> {
    let mut numbers = Buffer::uninitialized(byte_len(rows, width, ctx.mr)?, ctx.stream, mr)?;
    let access = numbers.write_on(ctx.stream)?;
    launch(NumbersLaunch { stream: ctx.stream, rows, out: Memory::of(&access).rows(rows, width)? })?;
    drop(access);
    Ok(numbers)
}

/// The parameters of a launch that writes a number for each row.
pub struct NumbersLaunch<'a> {
    stream: &'a Stream,
    rows: usize,
    pub out: Out<'a, u8>,
}

impl NumbersLaunch<'_> {
    pub fn run<A: Arguments<Static: OneKernel>>(&self, arguments: &A) -> Result<()> {
        let kernel = Kernel::find(self.stream)?;
        // SAFETY: these kernels read nothing and write one number for each row. The width of a number is an argument
        // or a constant of the kernel. `numbers` has compared the memory with the number of rows and this width. The
        // access is held until the launch is enqueued.
        unsafe { kernel.launch(self.stream, kernel.blocks(self.rows), 1, arguments)? };
        Ok(())
    }
}
