//! Conversion between UTC and the local time of a time zone.

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_engine::cuda::CudaColumn;
use gdf_engine::elementwise::{self, Launch, Nulls};
use gdf_kernels::Out;
use gdf_kernels::generated::datetime::{LocalTime, ToUtc, Unit, ZoneConversion};
use gdf_memory::Mailbox;

use super::moment::{by_unit, of_time_unit};
use super::time_zone::{CYCLE, Clock, END, TimeZone};
use crate::Ctx;

/// The result for an ambiguous or a nonexistent local time. An ambiguous time occurs twice on clocks, and a nonexistent
/// time never occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum LocalTimeChoice {
    /// The operation returns an error.
    #[default]
    Error,
    /// The earlier moment.
    Earliest,
    /// The later moment.
    Latest,
    /// The row is null.
    Null,
}

/// The treatment of ambiguous and nonexistent local times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct LocalTimePolicy {
    /// The choice for ambiguous times, which clocks show twice because the clocks are put back.
    pub ambiguous: LocalTimeChoice,
    /// The choice for nonexistent times, which clocks never show because the clocks are put forward.
    pub nonexistent: LocalTimeChoice,
}

impl LocalTimePolicy {
    fn kinds(self, choice: LocalTimeChoice) -> i32 {
        let bit = |chosen, kind: LocalTime| if chosen == choice { kind as i32 } else { 0 };
        bit(self.ambiguous, LocalTime::Ambiguous) | bit(self.nonexistent, LocalTime::Nonexistent)
    }
}

/// Implements `gdf_api::datetime::to_utc` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn to_utc(column: ColumnView<'_>, zone: &TimeZone, policy: LocalTimePolicy, ctx: Ctx<'_>) -> Result<Column> {
    match column.data_type() {
        DataType::Timestamp(unit, None) => {
            let utc = DataType::Timestamp(*unit, Some("UTC".into()));
            convert(column, of_time_unit(*unit), &utc, Clock::Local, zone, policy, ctx)
        }
        other => Err(Error::unsupported("to_utc", other)),
    }
}

/// Implements `gdf_api::datetime::from_utc` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn from_utc(column: ColumnView<'_>, zone: &TimeZone, ctx: Ctx<'_>) -> Result<Column> {
    match column.data_type() {
        DataType::Timestamp(unit, _) => {
            let (local, unit) = (DataType::Timestamp(*unit, None), of_time_unit(*unit));
            convert(column, unit, &local, Clock::Utc, zone, LocalTimePolicy::default(), ctx)
        }
        other => Err(Error::unsupported("from_utc", other)),
    }
}

fn convert(
    column: ColumnView<'_>,
    unit: Unit,
    output_type: &DataType,
    clock: Clock,
    zone: &TimeZone,
    policy: LocalTimePolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let [nulls, reports] = match clock {
        Clock::Utc => [0; 2],
        Clock::Local => [LocalTimeChoice::Null, LocalTimeChoice::Error].map(|choice| policy.kinds(choice)),
    };
    let p = ZoneConversion {
        end: END,
        cycle: CYCLE,
        unit: unit as i32,
        latest: policy.kinds(LocalTimeChoice::Latest),
        nulls,
        reports,
    };
    elementwise::map_column(
        column,
        output_type,
        Nulls::Own { nullable: nulls != 0 || column.has_validity() },
        ctx,
        |rows| {
            let shifted = |ticks, second| shifted(ticks, second, zone, clock, p);
            let (column, reported) = by_unit!(unit, PER_DAY => rows.attempt(nulls, reports, |ticks: i64| shifted(ticks, (PER_DAY / 86_400).max(1)))?);
            verdict(reported)?;
            Ok(column)
        },
        |launch| {
            let Launch { inputs: [input], out, stream, .. } = *launch;
            let table = Column::from_slice_on(zone.rows(clock), stream, ctx.mr.temporary)?;
            let table = CudaColumn::open(table.view(), stream)?;
            let mailbox = (reports != 0).then(|| Mailbox::cleared(stream, 2)).transpose()?;
            let mail = Out::of_option(mailbox.as_ref());
            launch.run_only(&ToUtc { input, table: table.desc(), out, p, mailbox: mail })?;
            let Some(mailbox) = mailbox else { return Ok(()) };
            let [ambiguous, nonexistent, ..] = mailbox.wait()?;
            let kind = |posted: u64, kind: LocalTime| if posted != 0 { kind as i32 } else { 0 };
            verdict(kind(ambiguous, LocalTime::Ambiguous) | kind(nonexistent, LocalTime::Nonexistent))
        },
    )
}

fn verdict(reported: i32) -> Result<()> {
    let error = match reported {
        0 => return Ok(()),
        kinds if kinds & LocalTime::Ambiguous as i32 != 0 => {
            Error::invalid_data("a local time occurs twice in the time zone, because clocks were set back")
        }
        _ => Error::invalid_data("a local time does not occur in the time zone, because clocks were set forward"),
    };
    Err(error.with_remedy("choose a `LocalTimePolicy` that selects a moment or makes the row null"))
}

/// Converts `ticks`.
#[inline(always)]
fn shifted(ticks: i64, second: i64, zone: &TimeZone, clock: Clock, p: ZoneConversion) -> (i64, i32) {
    let changes = zone.changes(clock);
    let mut seconds = ticks.div_euclid(second);
    if seconds >= p.end {
        seconds = p.end - p.cycle + (seconds - p.end) % p.cycle;
    }
    let index = changes.begins.partition_point(|begin| *begin <= seconds);
    let mut shift = changes.shifts[index];
    let mut kind = 0;
    if index > 0 && seconds < changes.ends[index - 1] {
        let before = changes.shifts[index - 1];
        kind = if before < shift { LocalTime::Ambiguous } else { LocalTime::Nonexistent } as i32;
        shift = if p.latest & kind != 0 { before.max(shift) } else { before.min(shift) };
    }
    (ticks.wrapping_add(shift.wrapping_mul(second)), kind)
}
