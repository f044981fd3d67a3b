//! `replace_nans` and `normalize_nans_and_zeros`.

use bytemuck::Pod;
use gdf_core::{Column, ColumnView, Error, Operand, PhysicalType, Result, is_floating, physical_type};
use gdf_engine::check;
use gdf_engine::elementwise::{self, Block, Inputs, Launch, Nulls, Rows};
use gdf_engine::host::test_word;
use gdf_engine::operand::{Literals, of_one_type};
use gdf_kernels::generated::replace::{Nans, NormalizeNansAndZeros};

use crate::Ctx;

/// Implements `gdf_api::replace::replace_nans` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn replace_nans(column: ColumnView<'_>, replacement: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    floats("replace_nans", column)?;
    let operands = of_one_type(column.into(), replacement);
    let literals = Literals::new(&operands, ctx)?;
    let [_, replacement] = literals.resolve(operands);
    check::types(column.data_type(), replacement.data_type()).map_err(|error| error.in_argument("replacement"))?;
    let nullable = column.has_validity() || replacement.has_validity();
    elementwise::map(
        Inputs::new([column.into(), replacement], ctx)?,
        column.data_type(),
        Nulls::Own { nullable },
        ctx,
        |rows| match physical_type(column.data_type()) {
            PhysicalType::F16 => replaced(rows, |bits: u16| bits & 0x7fff > 0x7c00),
            PhysicalType::F32 => replaced(rows, |bits: u32| bits & 0x7fff_ffff > 0x7f80_0000),
            PhysicalType::F64 => replaced(rows, |bits: u64| bits & 0x7fff_ffff_ffff_ffff > 0x7ff0_0000_0000_0000),
            _ => Err(Error::unsupported("replace_nans", column.data_type())),
        },
        |launch| {
            let Launch { inputs: [input, replacement], out, .. } = *launch;
            launch.run_only(&Nans { input, replacement, out })
        },
    )
}

/// Replaces NaNs.
fn replaced<T: Pod + Send + Sync>(rows: &Rows<'_, 2>, is_nan: impl Fn(T) -> bool + Sync) -> Result<Column> {
    let [column, replacement] = rows.columns();
    let (values, others) = (Block::<T>::open(column)?, Block::<T>::open(replacement)?);
    let nans = |row: usize, len: usize| test_word(values.rows(row, len), &is_nan);
    let mask =
        || rows.mask_by(|word, [valid, other]| valid & (other | !nans(word * 64, (rows.len() - word * 64).min(64))));
    rows.filled(mask, |first, out| {
        for (block, out) in out.chunks_mut(64).enumerate() {
            let (row, len) = (first + block * 64, out.len());
            out.copy_from_slice(values.rows(row, len));
            let mut bits = nans(row, len);
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                out[bit] = others.rows(row, len)[bit];
                bits &= bits - 1;
            }
        }
    })
}

/// Implements `gdf_api::replace::normalize_nans_and_zeros` on the stream of `ctx`, with memory from the resources of
/// `ctx`.
pub fn normalize_nans_and_zeros(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    floats("normalize_nans_and_zeros", column)?;
    elementwise::map_column(
        column,
        column.data_type(),
        Nulls::Share,
        ctx,
        |rows| match physical_type(column.data_type()) {
            PhysicalType::F16 => rows.map(|bits: u16| match bits & 0x7fff {
                0 => 0,
                0x7c01.. => 0x7e00,
                _ => bits,
            }),
            PhysicalType::F32 => rows.map(|bits: u32| match bits & 0x7fff_ffff {
                0 => 0,
                0x7f80_0001.. => 0x7fc0_0000,
                _ => bits,
            }),
            PhysicalType::F64 => rows.map(|bits: u64| match bits & 0x7fff_ffff_ffff_ffff {
                0 => 0,
                0x7ff0_0000_0000_0001.. => 0x7ff8_0000_0000_0000,
                _ => bits,
            }),
            _ => Err(Error::unsupported("normalize_nans_and_zeros", column.data_type())),
        },
        |launch| {
            let Launch { inputs: [input], out, .. } = *launch;
            launch.run_only(&NormalizeNansAndZeros { input, out })
        },
    )
}

fn floats(operation: &'static str, column: ColumnView<'_>) -> Result<()> {
    if is_floating(column.data_type()) { Ok(()) } else { Err(Error::unsupported(operation, column.data_type())) }
}
