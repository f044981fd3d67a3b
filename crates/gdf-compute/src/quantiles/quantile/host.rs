//! `quantile` on the CPU.

use gdf_core::{
    Column, ColumnView, DataType, Error, I256, NativeType, PhysicalType, Result, dispatch_integer, f16, physical_type,
};
use gdf_engine::host::{FromNumber, HostColumn, HostMask, HostOutput, NumberReader};
use gdf_engine::rounding::{Float, ToDouble};

use super::{InterpolationPoint, OPERATION, RowOf, Shares};
use crate::Ctx;

pub(super) fn quantile(
    shares: &Shares<'_>,
    column: ColumnView<'_>,
    row: RowOf<'_>,
    rows: usize,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let input = HostColumn::open(column, ctx.stream)?;
    let valid = input.validity()?;
    let by = if let RowOf::Named(order) = row { Some(HostColumn::open(order, ctx.stream)?) } else { None };
    let numbers = by.as_ref().map(NumberReader::<i128>::new).transpose()?;
    let named = by.as_ref().map(HostColumn::validity).transpose()?.flatten();
    let row_at = |position: usize| {
        let row = match (&numbers, row) {
            (None, RowOf::Selected(positions)) => positions.binary_search(&position).ok(),
            (None, _) => Some(position),
            (Some(numbers), _) => {
                let mut row = [0];
                numbers.load(position, &mut row);
                let named = named.is_none_or(|named| named.get(position));
                usize::try_from(row[0]).ok().filter(|row| named && *row < input.len())
            }
        };
        row.filter(|row| valid.is_none_or(|valid| valid.get(*row)))
    };
    let point = |q: &f64| {
        let point = InterpolationPoint::new(*q, rows, shares.interpolation);
        Some((row_at(point.low)?, row_at(point.high)?, point))
    };
    let found: Vec<_> = shares.q.iter().map(point).collect();
    let mask = match by.is_some() || column.has_validity() {
        false => HostMask::none(),
        true => HostMask::from_words(found.len(), ctx.stream, ctx.mr.output, |word| {
            let rows = &found[word * 64..found.len().min(word * 64 + 64)];
            rows.iter().enumerate().fold(0, |bits, (bit, row)| bits | u64::from(row.is_some()) << bit)
        })?,
    };
    let select =
        Select { found: &found, output_type: shares.output_type, scale: shares.scale(column.data_type()), ctx };
    match physical_type(column.data_type()) {
        PhysicalType::Bool => {
            let bits = input.bits()?;
            select.doubles(|row| f64::from(u8::from(bits.get(row))), mask)
        }
        PhysicalType::F16 => select.of(input.values::<f16>()?, <f16 as Float>::of_double, mask),
        PhysicalType::F32 => select.of(input.values::<f32>()?, <f32 as Float>::of_double, mask),
        PhysicalType::F64 => select.of(input.values::<f64>()?, |value| value, mask),
        PhysicalType::I128 => select.of(input.values::<i128>()?, <i128 as FromNumber>::of_f64, mask),
        PhysicalType::I256 => select.of(input.values::<I256>()?, <I256 as FromNumber>::of_f64, mask),
        physical => dispatch_integer!(physical, T => {
            select.of(input.values::<T>()?, <T as FromNumber>::of_f64, mask)
        }, else => Err(Error::unsupported(OPERATION, column.data_type()))),
    }
}

/// Computes the rows of the result. `found` has the two input rows of each result row, or `None` if one of them is
/// null.
struct Select<'a> {
    found: &'a [Option<(usize, usize, InterpolationPoint)>],
    output_type: &'a DataType,
    scale: (f64, bool),
    ctx: Ctx<'a>,
}

impl Select<'_> {
    fn of<T: NativeType + ToDouble>(&self, rows: &[T], of: impl Fn(f64) -> T, mask: HostMask) -> Result<Column> {
        if *self.output_type == DataType::Float64 {
            return self.doubles(|row| rows[row].to_double(), mask);
        }
        let value = |(low, high, point): (usize, usize, InterpolationPoint)| match point.low == point.high {
            true => rows[low],
            false => of(point.value(rows[low].to_double(), rows[high].to_double())),
        };
        self.write(|row| row.map_or(T::default(), value), mask)
    }

    fn doubles(&self, row: impl Fn(usize) -> f64, mask: HostMask) -> Result<Column> {
        let (power, divides) = self.scale;
        let value = |(low, high, point): (usize, usize, InterpolationPoint)| {
            let value = point.value(row(low), row(high));
            if divides { value / power } else { value * power }
        };
        self.write(|row| row.map_or(0.0, value), mask)
    }

    fn write<T: NativeType>(
        &self,
        value: impl Fn(Option<(usize, usize, InterpolationPoint)>) -> T,
        mask: HostMask,
    ) -> Result<Column> {
        let mut output = HostOutput::<T>::new(self.found.len(), self.ctx)?;
        for (slot, row) in output.values(self.ctx.stream)?.iter_mut().zip(self.found) {
            *slot = value(*row);
        }
        output.finish(self.output_type, mask)
    }
}
