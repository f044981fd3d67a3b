//! Adds rows whose group numbers are known to the cells of an accumulator.

use gdf_core::{Error, I256, PhysicalType, Result, dispatch_integer, dispatch_numeric};
use gdf_engine::host::Bits;

use super::by_group::{self, accumulate, for_valid};
use super::cells::{Cells, ValueColumn};
use super::number::HostNumber;
use crate::groupby::aggregate::plan::{Accumulator, AccumulatorInput, CombineOp, identity};

#[derive(Clone, Copy)]
pub(super) struct GroupedRows<'a> {
    pub(super) first: usize,
    pub(super) ids: &'a [u32],
    /// The row numbers, if the rows are not contiguous.
    pub(super) numbers: Option<&'a [u32]>,
}

impl GroupedRows<'_> {
    fn slice<T>(self, values: &[T]) -> &[T] {
        values.get(self.first..self.first + self.ids.len()).unwrap_or_default()
    }
}

/// Adds rows to the cells of an accumulator.
pub(super) fn step_of(
    accumulator: &Accumulator,
    column: Option<&ValueColumn<'_>>,
    rows: GroupedRows<'_>,
    cells: &mut Cells<'_>,
) -> Result<()> {
    let Some(column) = column else {
        if let Cells::Words(words) = cells {
            accumulate(rows.ids, rows.ids, None, words, 0, |_| 1, u64::wrapping_add);
        }
        return Ok(());
    };
    let validity = column.validity.filter(|_| rows.numbers.is_none());
    let validity = validity.map(|bits| bits.slice(rows.first, rows.ids.len()));
    let cells = match cells {
        Cells::Wide(sums) => return add_wide(accumulator.input, column, rows, validity, sums),
        Cells::Words(words) => &mut words[..],
    };
    match accumulator.input {
        AccumulatorInput::One => {
            accumulate(rows.ids, rows.ids, validity, cells, 0, |_| 1, u64::wrapping_add);
            Ok(())
        }
        AccumulatorInput::RowNumber => first_rows(accumulator.op, column, rows, cells),
        _ => dispatch_numeric!(column.physical, T => {
            numbers::<T>(accumulator, column, rows, validity, cells)
        }, else => Err(not_combined())),
    }
}

fn numbers<T: HostNumber>(
    accumulator: &Accumulator,
    column: &ValueColumn<'_>,
    rows: GroupedRows<'_>,
    validity: Option<Bits<'_>>,
    cells: &mut [u64],
) -> Result<()> {
    let values = rows.slice(column.values::<T>()?);
    let add_f64 = |cell: &mut u64, value: f64| *cell = (f64::from_bits(*cell) + value).to_bits();
    let (ids, identity) = (rows.ids, identity(accumulator.op));
    let integer = |value: T| value.integer() as u64;
    let square = |value: T| integer(value).wrapping_mul(integer(value));
    match (accumulator.input, accumulator.op) {
        (AccumulatorInput::Integer, CombineOp::Multiply) => {
            accumulate(values, ids, validity, cells, identity, integer, u64::wrapping_mul);
        }
        (AccumulatorInput::Integer, CombineOp::Add) => {
            accumulate(values, ids, validity, cells, identity, integer, u64::wrapping_add);
        }
        (AccumulatorInput::IntegerSquare, CombineOp::Add) => {
            accumulate(values, ids, validity, cells, identity, square, u64::wrapping_add);
        }
        (AccumulatorInput::Number, CombineOp::MultiplyF64) => for_valid(values, rows.ids, validity, |id, value: T| {
            cells[id] = (f64::from_bits(cells[id]) * value.number()).to_bits();
        }),
        (AccumulatorInput::Number, CombineOp::AddF64) => {
            for_valid(values, rows.ids, validity, |id, value: T| add_f64(&mut cells[id], value.number()));
        }
        (AccumulatorInput::NumberSquare, CombineOp::AddF64) => for_valid(values, rows.ids, validity, |id, value: T| {
            add_f64(&mut cells[id], value.number() * value.number());
        }),
        (AccumulatorInput::Order, CombineOp::Minimum) => {
            accumulate(values, ids, validity, cells, identity, T::order, u64::min);
        }
        (AccumulatorInput::Order, CombineOp::Maximum) => {
            accumulate(values, ids, validity, cells, identity, T::order, u64::max);
        }
        _ => return Err(not_combined()),
    }
    Ok(())
}

pub(super) fn not_combined() -> Error {
    Error::internal("an accumulator does not support the type of its values")
}

fn add_wide(
    input: AccumulatorInput,
    column: &ValueColumn<'_>,
    rows: GroupedRows<'_>,
    validity: Option<Bits<'_>>,
    sums: &mut [i128],
) -> Result<()> {
    fn add<T: by_group::Integer>(
        input: AccumulatorInput,
        values: &[T],
        ids: &[u32],
        validity: Option<Bits<'_>>,
        sums: &mut [i128],
    ) {
        if input == AccumulatorInput::WideSquare {
            let square = |value: T| value.wide().wrapping_mul(value.wide());
            return accumulate(values, ids, validity, sums, 0, square, i128::wrapping_add);
        }
        by_group::add_wide(values, ids, validity, sums);
    }
    match column.physical {
        PhysicalType::I128 => add(input, rows.slice(column.values::<i128>()?), rows.ids, validity, sums),
        physical => dispatch_integer!(physical, T => {
            add(input, rows.slice(column.values::<T>()?), rows.ids, validity, sums);
        }, else => return Err(not_combined())),
    }
    Ok(())
}

type Precedes<'a> = &'a (dyn Fn(usize, usize) -> bool + Sync);

/// Calls `body` with a comparison of two rows.
pub(super) fn with_order<R>(
    op: CombineOp,
    column: &ValueColumn<'_>,
    body: impl FnOnce(Precedes<'_>) -> R,
) -> Result<R> {
    fn by<K: Ord, R>(op: CombineOp, key: impl Fn(usize) -> K + Sync, body: impl FnOnce(Precedes<'_>) -> R) -> R {
        if op == CombineOp::Argmin { body(&|a, b| key(a) < key(b)) } else { body(&|a, b| key(a) > key(b)) }
    }
    Ok(match column.physical {
        PhysicalType::I128 => {
            let values = column.values::<i128>()?;
            by(op, |row| values[row], body)
        }
        PhysicalType::I256 => {
            let values = column.values::<I256>()?;
            by(op, |row| values[row], body)
        }
        PhysicalType::String { .. } | PhysicalType::Binary { .. } => {
            let text = column.text.ok_or_else(|| Error::internal("a buffer of a column is missing"))?;
            by(op, move |row| text.bytes(row), body)
        }
        physical => dispatch_numeric!(physical, T => {
            let values = column.values::<T>()?;
            by(op, |row| values[row].order(), body)
        }, else => body(&|_, _| false)),
    })
}

fn first_rows(op: CombineOp, column: &ValueColumn<'_>, rows: GroupedRows<'_>, cells: &mut [u64]) -> Result<()> {
    with_order(op, column, |precedes| {
        for (at, id) in rows.ids.iter().enumerate() {
            let row = rows.numbers.map_or(rows.first + at, |numbers| numbers[at] as usize);
            if column.validity.is_none_or(|bits| bits.get(row)) {
                let cell = &mut cells[*id as usize];
                if *cell == u64::MAX || precedes(row, *cell as usize) {
                    *cell = row as u64;
                }
            }
        }
    })
}
