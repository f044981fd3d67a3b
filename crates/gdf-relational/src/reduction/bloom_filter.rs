//! Bloom filters of rows (Bloom, Space/time trade-offs in hash coding with allowable errors, 1970).

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::{OutOfBoundsPolicy, scatter_scalars};
use gdf_compute::filling::from_scalar;
use gdf_compute::hashing::row_hashes;
use gdf_core::{Column, DataType, Error, Literal, Result, TableView};
use gdf_engine::check;
use gdf_engine::decoded::DecodedColumns;
use gdf_engine::null_count::null_count;

use crate::Ctx;
use crate::vouch::gather_column;

const BITS: std::ops::RangeInclusive<u32> = 6..=32;
const MAX_HASHES: u8 = 32;

/// Returns the number of bits and the number of hashes of a filter for `rows` rows. The share of other rows that the
/// filter contains is about `rate` at most.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument).
pub fn bloom_size(rows: usize, rate: f64) -> Result<(usize, u8)> {
    if !(rate > 0.0 && rate < 1.0) {
        let text = "the rate must be greater than 0 and less than 1; pass the share of wrong answers, such as 0.01";
        return Err(Error::invalid_argument(text).in_argument("rate"));
    }
    let hashes = (-rate.log2()).ceil().clamp(1.0, MAX_HASHES.into());
    let bits = (rows.max(1) as f64 * -rate.ln() / std::f64::consts::LN_2.powi(2)).log2().ceil();
    if bits > f64::from(*BITS.end()) {
        let most = (2_f64.powi(*BITS.end() as i32) * std::f64::consts::LN_2.powi(2) / -rate.ln()) as i128;
        return Err(Error::beyond_limit("the number of rows of a Bloom filter", rows as i128, most).in_argument("rows"));
    }
    Ok((1 << (bits as u32).max(*BITS.start()), hashes as u8))
}

/// Returns the bits of the filter of the rows of `table`, as booleans.
///
/// # Errors
/// * The errors of `gdf_api::reduction::BloomFilter::insert`.
pub fn bloom_bits(table: &TableView<'_>, bits: usize, hashes: u8, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let mut filter = from_scalar(false.into(), bits, scratch)?;
    let mut places = Places::of(table, bits, scratch)?;
    for hash in 1..=hashes {
        let ctx = if hash == hashes { ctx } else { scratch };
        let (map, target) = (places.next(scratch)?, TableView::from(filter.view()));
        let filled = scatter_scalars(&[true.into()], map.view(), target, OutOfBoundsPolicy::Nullify, ctx)?;
        filter = filled.column(0)?.clone();
    }
    Ok(filter)
}

/// Returns for each row of `table` whether the filter contains the row.
///
/// # Errors
/// * The errors of `gdf_api::reduction::BloomFilter::contains`.
pub fn bloom_contains(filter: &Column, hashes: u8, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let mut places = Places::of(table, filter.len(), scratch)?;
    let mut found: Option<Column> = None;
    for hash in 1..=hashes {
        let ctx = if hash == hashes { ctx } else { scratch };
        let map = places.next(scratch)?;
        found = Some(match found {
            None => gather_column(filter.view(), map.view(), ctx)?,
            Some(found) => {
                let also = gather_column(filter.view(), map.view(), scratch)?;
                of(&found, Op::BitwiseAnd, (&also).into(), &DataType::Boolean, ctx)?
            }
        });
    }
    found.ok_or_else(|| Error::internal("a Bloom filter has no hashes"))
}

/// Checks that two filters have the same number of hashes.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument).
pub fn check_same_hashes(own: u8, other: u8) -> Result<()> {
    if own == other {
        return Ok(());
    }
    let text = "the numbers of hashes differ; make both filters with the same rate";
    Err(Error::invalid_number(text, other.into()).in_argument("other"))
}

/// Returns the bits of the filter that contains the rows of both filters.
///
/// # Errors
/// * [`LengthMismatch`](Error::LengthMismatch) for filters of different sizes; driver and memory errors.
pub fn merge_bloom_bits(left: &Column, right: &Column, ctx: Ctx<'_>) -> Result<Column> {
    check::length(left.len(), right.len()).map_err(|error| error.in_argument("other"))?;
    of(left, Op::BitwiseOr, right.into(), &DataType::Boolean, ctx)
}

/// Checks that the column and the number can be the bits and the number of hashes of a filter. Waits for the stream if
/// the column may have nulls.
///
/// # Errors
/// * [`TypeMismatch`](Error::TypeMismatch), [`InvalidArgument`](Error::InvalidArgument).
pub fn check_bloom_bits(bits: &Column, hashes: u8, ctx: Ctx<'_>) -> Result<()> {
    let in_bits = |error: Error| error.in_argument("bits");
    check::types(&DataType::Boolean, bits.data_type()).map_err(in_bits)?;
    check::column(bits.view(), ctx).map_err(in_bits)?;
    if !bits.len().is_power_of_two() || !BITS.contains(&bits.len().trailing_zeros()) {
        let text = "the number of bits must be a power of two in the range from 2^6 to 2^32";
        return Err(in_bits(Error::invalid_number(text, bits.len() as i128)));
    }
    if !(1..=MAX_HASHES).contains(&hashes) {
        let text = "the number of hashes must be in the range from 1 to 32";
        return Err(Error::invalid_number(text, hashes.into()).in_argument("hashes"));
    }
    if null_count(bits.view(), 0, bits.len(), ctx.stream)? > 0 {
        return Err(in_bits(Error::invalid_argument("a bit is null; pass the bits of a filter")));
    }
    Ok(())
}

struct Places {
    /// The sum of the first half of the hash and a multiple of the second half.
    sum: Column,
    step: Column,
    mask: u64,
}

impl Places {
    fn of(table: &TableView<'_>, bits: usize, ctx: Ctx<'_>) -> Result<Self> {
        let decoded = DecodedColumns::new(table, ctx)?;
        let hashes = row_hashes(&decoded.view()?, ctx)?;
        let number = |column: &Column, op: Op, operand: u64| {
            of(column, op, Literal::from(operand).into(), &DataType::UInt64, ctx)
        };
        let sum = number(&hashes, Op::ShiftRightUnsigned, 32)?;
        let step = number(&number(&hashes, Op::BitwiseAnd, u64::from(u32::MAX))?, Op::BitwiseOr, 1)?;
        Ok(Self { sum, step, mask: bits as u64 - 1 })
    }

    fn next(&mut self, ctx: Ctx<'_>) -> Result<Column> {
        let words = &DataType::UInt64;
        let places = of(&self.sum, Op::BitwiseAnd, Literal::from(self.mask).into(), words, ctx)?;
        self.sum = of(&self.sum, Op::Add, (&self.step).into(), words, ctx)?;
        Ok(places)
    }
}
