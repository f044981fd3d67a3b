//! Extracts a component of the date or of the time of day from each row.

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_engine::elementwise::{self, Launch, Nulls};
use gdf_expr::Component;
use gdf_expr::component::Part;
use gdf_kernels::generated::datetime::{
    Component as Code, ExtractComponent, ExtractComponentKernel as Kernel, Extraction, Unit,
};

use super::civil::{self, civil};
use super::moment::{by_unit, divisor, moment_unit, ticks_per_day, time_unit};
use crate::Ctx;

/// The code that kernels have for each component, in the order of the components.
const CODES: [(Component, Code); Component::ALL.len()] = [
    (Component::Year, Code::Year),
    (Component::Month, Code::Month),
    (Component::Day, Code::Day),
    (Component::Weekday, Code::Weekday),
    (Component::Hour, Code::Hour),
    (Component::Minute, Code::Minute),
    (Component::Second, Code::Second),
    (Component::Millisecond, Code::Millisecond),
    (Component::Microsecond, Code::Microsecond),
    (Component::Nanosecond, Code::Nanosecond),
    (Component::DayOfYear, Code::DayOfYear),
    (Component::Quarter, Code::Quarter),
    (Component::DaysInMonth, Code::DaysInMonth),
    (Component::IsoWeek, Code::IsoWeek),
    (Component::IsoYear, Code::IsoYear),
    (Component::IsLeapYear, Code::IsLeapYear),
    (Component::LastDayOfMonth, Code::LastDayOfMonth),
];

const _: () = {
    let mut row = 0;
    while row < CODES.len() {
        assert!(CODES[row].0 as usize == row, "the rows are not in the order of the components");
        row += 1;
    }
};

pub(crate) fn component_code(component: Component) -> Code {
    CODES[component as usize].1
}

/// Returns the component of a moment of `ticks` ticks.
#[inline(always)]
pub(crate) fn component_of(component: Code, ticks: i64, per_day: i64) -> i64 {
    let (days, of_day) = (ticks.div_euclid(per_day), ticks.rem_euclid(per_day));
    let date = || civil(days);
    let second = (per_day / 86_400).max(1);
    // Divides a period of `parts` ticks into thousandths. Returns how many whole thousandths of the current period have
    // passed.
    let thousandth = |parts: i64| if parts < 1000 { 0 } else { of_day % parts / (parts / 1000) };
    match component {
        Code::Year => date().year,
        Code::Month => date().month,
        Code::Day => date().day,
        Code::Weekday => civil::iso_weekday(days),
        Code::Hour => of_day / (second * 3600),
        Code::Minute => of_day / (second * 60) % 60,
        Code::Second => of_day / second % 60,
        Code::Millisecond => thousandth(second),
        Code::Microsecond => thousandth(second / 1000),
        Code::Nanosecond => thousandth(second / 1_000_000),
        Code::DayOfYear => days - civil::first_of_month(date().year, 1) + 1,
        Code::Quarter => (date().month + 2) / 3,
        Code::DaysInMonth => days_in_month(date()),
        Code::IsoWeek => {
            let thursday = civil::iso_thursday(days);
            (thursday - civil::first_of_month(civil(thursday).year, 1)) / 7 + 1
        }
        Code::IsoYear => civil(civil::iso_thursday(days)).year,
        Code::IsLeapYear => i64::from(civil::is_leap(date().year)),
        Code::LastDayOfMonth => days - date().day + days_in_month(date()),
    }
}

/// Returns the unit in which rows of `data_type` count time, or `None` if such rows do not have the component.
pub(crate) fn component_unit(component: Component, data_type: &DataType) -> Option<Unit> {
    let of_time = || time_unit(data_type).filter(|_| component.part() == Part::Time);
    moment_unit(data_type).or_else(of_time)
}

fn days_in_month(date: civil::CivilDate) -> i64 {
    civil::days_in_month(date.year, date.month)
}

/// Returns the arguments of the kernels that extract a component from rows that count in `unit`.
pub(crate) fn extraction(component: Code, unit: Unit) -> Extraction {
    let ticks = ticks_per_day(unit);
    let second = (ticks / 86_400).max(1);
    Extraction {
        per_day: divisor(ticks),
        per_second: divisor(second),
        nanoseconds: 1_000_000_000 / second,
        component: component as i64,
    }
}

/// Implements `gdf_api::datetime::extract_component` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn extract_component(column: ColumnView<'_>, component: Component, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = column.data_type();
    let unit =
        component_unit(component, data_type).ok_or_else(|| Error::unsupported("extract_component", data_type))?;
    let (result, code) = (component.data_type(), component_code(component));
    let kernel = match result {
        DataType::Boolean => Kernel::Boolean,
        DataType::Int16 => Kernel::Short,
        DataType::Int32 | DataType::Date32 => Kernel::Wide,
        _ => return Err(Error::internal("no kernel can write the type of the component")),
    };
    elementwise::map_column(
        column,
        &result,
        Nulls::Keep,
        ctx,
        |rows| {
            by_unit!(unit, PER_DAY => match kernel {
                Kernel::Boolean => rows.test_numbers(|ticks: i64| component_of(code, ticks, PER_DAY) != 0),
                Kernel::Short => rows.convert(|ticks: i64| component_of(code, ticks, PER_DAY) as i16),
                Kernel::Wide => rows.convert(|ticks: i64| component_of(code, ticks, PER_DAY) as i32),
            })
        },
        |launch| {
            let Launch { inputs: [input], out, .. } = *launch;
            let p = extraction(code, unit);
            launch.run(kernel, launch.rows, &ExtractComponent { input, out, p })
        },
    )
}
