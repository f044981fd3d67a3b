//! Sketches of the number of distinct rows: HyperLogLog over 64-bit hashes (Flajolet, Fusy, Gandouet, Meunier, 2007),
//! with Ertl's estimator (New cardinality estimation algorithms for HyperLogLog sketches, 2017), which needs no tables
//! of corrections for small and large numbers.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::{OutOfBoundsPolicy, scatter};
use gdf_compute::filling::from_scalar;
use gdf_compute::hashing::row_hashes;
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, DataType, Error, Result, TableView};
use gdf_driver::Stream;
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::decoded::DecodedColumns;
use gdf_engine::mask::bitmask_and;
use gdf_engine::null_count::null_count;
use gdf_engine::policy::NullPolicy;

use crate::Ctx;
use crate::groupby::{AggregationRequest, GroupByAggregation, aggregate};

const PRECISIONS: std::ops::RangeInclusive<u8> = 4..=18;

fn check_precision(precision: u8) -> Result<()> {
    if PRECISIONS.contains(&precision) {
        return Ok(());
    }
    let text = "the precision must be in the range from 4 to 18";
    Err(Error::invalid_number(text, precision.into()).in_argument("precision"))
}

/// Returns the registers of the sketch of the rows of `table`: 2^`precision` numbers of type `UInt8`.
///
/// # Errors
/// * The errors of `gdf_api::reduction::DistinctSketch::try_new`.
pub fn distinct_registers(table: &TableView<'_>, nulls: NullPolicy, precision: u8, ctx: Ctx<'_>) -> Result<Column> {
    check_precision(precision)?;
    let (scratch, words, long) = (ctx.scratch(), &DataType::UInt64, &DataType::Int64);
    let decoded = DecodedColumns::new(table, scratch)?;
    let view = decoded.view()?;
    let hashes = row_hashes(&view, scratch)?;
    // The upper bits of a hash choose the register.
    let bits = i64::from(64 - precision);
    let number = |column: &Column, op: Op, operand: u64| of(column, op, operand.into(), words, scratch);
    let register = cast(number(&hashes, Op::ShiftRightUnsigned, bits as u64)?.view(), &DataType::Int32, scratch)?;
    let rest = number(&hashes, Op::BitwiseAnd, (1 << bits) - 1)?;
    // Each bit directly below a set bit is cleared. Therefore, the conversion to `Float64` cannot round the number up
    // to the next power of two.
    let second = of(&rest, Op::BitwiseAnd, (&number(&rest, Op::ShiftRightUnsigned, 1)?).into(), words, scratch)?;
    let highest = of(&rest, Op::Sub, (&second).into(), words, scratch)?;
    let float = cast(highest.view(), &DataType::Float64, scratch)?.bit_cast(DataType::Int64)?;
    let exponent = of(&float, Op::ShiftRightUnsigned, 52_i64.into(), long, scratch)?;
    let value = of(&exponent, Op::Mul, (-1_i64).into(), long, scratch)?;
    let value = of(&value, Op::Add, (bits + 1023).into(), long, scratch)?;
    let value = of(&value, Op::NullMin, (bits + 1).into(), long, scratch)?;
    let value = cast(value.view(), &DataType::UInt8, scratch)?;
    let mut rows = vec![register, value];
    if nulls == NullPolicy::Exclude && view.columns().iter().any(|column| column.has_validity()) {
        let valid = bitmask_and(&view, scratch)?.to_column()?;
        let all = TableView::try_new(rows.iter().map(Column::view).collect())?;
        rows = apply_boolean_mask(all, valid.view(), scratch)?.into_columns();
    }
    let [register, value] = &rows[..] else { return Err(Error::column_count(2, rows.len())) };
    let request = AggregationRequest::new(value, [GroupByAggregation::Max]);
    let keys = TableView::from(register.view());
    let (found, largest) = aggregate(keys, NullPolicy::Exclude, &[request], scratch)?;
    let largest = largest.iter().flatten().next().ok_or_else(|| Error::column_count(1, 0))?;
    let zeros = from_scalar(0_u8.into(), 1 << precision, scratch)?;
    let (source, target) = (TableView::from(largest.view()), TableView::from(zeros.view()));
    let registers = scatter(source, found.column(0)?.view(), target, OutOfBoundsPolicy::Nullify, ctx)?;
    Ok(registers.column(0)?.clone())
}

/// Returns the registers of the sketch of all rows of two sketches.
///
/// # Errors
/// * [`LengthMismatch`](Error::LengthMismatch) for sketches of different precisions; driver and memory errors.
pub fn merge_distinct_registers(left: &Column, right: &Column, ctx: Ctx<'_>) -> Result<Column> {
    check::length(left.len(), right.len()).map_err(|error| error.in_argument("other"))?;
    of(left, Op::NullMax, right.into(), &DataType::UInt8, ctx)
}

/// Checks that the column can be the registers of a sketch. Waits for the stream if the column may have nulls.
///
/// # Errors
/// * [`TypeMismatch`](Error::TypeMismatch), [`InvalidArgument`](Error::InvalidArgument).
pub fn check_registers(registers: &Column, ctx: Ctx<'_>) -> Result<()> {
    let in_registers = |error: Error| error.in_argument("registers");
    check::types(&DataType::UInt8, registers.data_type()).map_err(in_registers)?;
    check::column(registers.view(), ctx).map_err(in_registers)?;
    let lengths = PRECISIONS.map(|precision| 1 << precision);
    if !lengths.clone().any(|length: usize| length == registers.len()) {
        let text = "the number of registers must be a power of two in the range from 2^4 to 2^18";
        return Err(in_registers(Error::invalid_number(text, registers.len() as i128)));
    }
    if null_count(registers.view(), 0, registers.len(), ctx.stream)? > 0 {
        let text = "a register is null; pass the registers of a sketch";
        return Err(in_registers(Error::invalid_argument(text)));
    }
    Ok(())
}

/// Returns the estimate of the number of distinct rows. Waits for the stream.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument) for a register that no sketch has; driver errors.
pub fn estimate_distinct(registers: &Column, stream: &Stream) -> Result<f64> {
    let buffer = registers.buffers()[0].slice(registers.offset(), registers.len())?;
    let registers = buffer.to_host(stream)?;
    let largest = 64 - registers.len().trailing_zeros() as usize + 1;
    let mut counts = vec![0_u32; largest + 1];
    for register in &registers {
        let count = counts.get_mut(usize::from(*register)).ok_or_else(|| {
            let text = "a register is too large for the precision; pass the registers of a sketch";
            Error::invalid_number(text, i128::from(*register)).in_argument("registers")
        })?;
        *count += 1;
    }
    let number = registers.len() as f64;
    let share = |value: usize| f64::from(counts[value]) / number;
    let mut sum = number * tau(1.0 - share(largest));
    for value in (1..largest).rev() {
        sum = 0.5 * (sum + f64::from(counts[value]));
    }
    sum += number * sigma(share(0));
    Ok(number * number / (2.0 * std::f64::consts::LN_2 * sum))
}

/// Returns x + Σ x^(2^k) · 2^(k−1) for k from 1 on.
fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut power, mut sum) = (1.0, x);
    loop {
        x *= x;
        let before = sum;
        sum += x * power;
        power += power;
        if sum <= before {
            return sum;
        }
    }
}

/// Returns (1 − x − Σ (1 − x^(2^−k))² · 2^−k) / 3 for k from 1 on.
fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut power, mut sum) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = sum;
        power *= 0.5;
        sum -= (1.0 - x) * (1.0 - x) * power;
        if sum >= before {
            return sum / 3.0;
        }
    }
}
