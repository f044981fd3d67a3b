//! Adds months to dates and timestamps. The result is the same day of another month, or the last day of that month if
//! the month is shorter.

use gdf_core::{Column, ColumnView, Error, Operand, Result, is_integral};
use gdf_engine::check;
use gdf_engine::elementwise::{self, Inputs, Launch, Nulls};
use gdf_engine::host::NUMBER_BLOCK;
use gdf_engine::input::Input;
use gdf_engine::operand::Literals;
use gdf_kernels::generated::datetime::{AddCalendricalMonths, AddCalendricalMonthsKernel, MonthTicks, Unit};

use super::civil::{civil, days_in_month, first_of_month};
use super::moment::{divisor, moment_unit, ticks_per_day};
use crate::Ctx;

/// Implements `gdf_api::datetime::add_calendrical_months` on the stream of `ctx`, with memory from the resources of
/// `ctx`.
pub fn add_calendrical_months(column: ColumnView<'_>, months: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    add_months("add_calendrical_months", column.into(), months, ctx)
}

/// Does the same as [`add_calendrical_months`].
pub(crate) fn add_months(
    operation: &'static str,
    moments: Input<'_>,
    months: Operand<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let data_type = moments.data_type();
    let unit = moment_unit(data_type).ok_or_else(|| Error::unsupported(operation, data_type))?;
    if !is_integral(months.data_type()) {
        return Err(Error::type_mismatch("integers", months.data_type()).in_argument("months"));
    }
    if let (Some(rows), Some(len)) = (moments.len(), months.len()) {
        check::length(rows, len)?;
    }
    let per_day = ticks_per_day(unit);
    let kernel = match unit {
        Unit::Day => AddCalendricalMonthsKernel::Days,
        Unit::Second | Unit::Millisecond | Unit::Microsecond | Unit::Nanosecond => AddCalendricalMonthsKernel::Ticks,
    };
    let literals = Literals::new(&[months], ctx)?;
    let [months] = literals.resolve([months]);
    elementwise::map(
        Inputs::new([moments, months], ctx)?,
        data_type,
        Nulls::Keep,
        ctx,
        |rows| {
            macro_rules! moved {
                ($native:ty) => {
                    rows.blocks::<i64, $native, NUMBER_BLOCK>(
                        || rows.mask(),
                        |_, [moments, months], out| {
                            for (slot, (ticks, months)) in out.iter_mut().zip(moments.iter().zip(months.iter())) {
                                *slot = moved(*ticks, *months, per_day) as $native;
                            }
                        },
                    )
                };
            }
            match kernel {
                AddCalendricalMonthsKernel::Days => moved!(i32),
                AddCalendricalMonthsKernel::Ticks => moved!(i64),
            }
        },
        |launch| {
            let Launch { inputs: [lhs, rhs], out, .. } = *launch;
            let p = MonthTicks { per_day: divisor(per_day) };
            launch.run(kernel, launch.rows, &AddCalendricalMonths { lhs, rhs, out, p })
        },
    )
}

fn moved(ticks: i64, months: i64, per_day: i64) -> i64 {
    let date = civil(ticks.div_euclid(per_day));
    // `index` is the number of months since the year 0.
    let index = date.year.wrapping_mul(12).wrapping_add(months.wrapping_add(date.month - 1));
    let (year, month) = (index.div_euclid(12), index.rem_euclid(12) + 1);
    let day = first_of_month(year, month).wrapping_add(date.day.min(days_in_month(year, month)) - 1);
    day.wrapping_mul(per_day).wrapping_add(ticks.rem_euclid(per_day))
}
