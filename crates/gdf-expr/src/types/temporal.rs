//! Rules for dates, times, timestamps and durations, which are stored as integers that count ticks.

use gdf_core::{DataType, TimeUnit};

use crate::BinaryOperator;

/// The meaning of a number of ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Days or milliseconds since 1970, without zone.
    Date,
    /// The time since 1970-01-01, in local time.
    Local,
    /// The time since 1970-01-01 in UTC, whatever time zone the type names for display.
    Instant,
    /// The time since midnight.
    Time,
    /// The time between two moments.
    Duration,
}

/// A temporal type.
#[derive(Clone, Copy, Debug)]
pub struct Temporal {
    /// The kind of moments or durations that are counted.
    pub kind: Kind,
    /// Nanoseconds of a tick; of any two types one is a multiple of the other.
    pub tick: i128,
}

const DAY: i128 = 86_400_000_000_000;

fn tick(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

impl Temporal {
    /// The date, time or duration of this type. `None` for other types.
    pub fn of(data_type: &DataType) -> Option<Temporal> {
        let (kind, tick) = match data_type {
            DataType::Date32 => (Kind::Date, DAY),
            DataType::Date64 => (Kind::Date, tick(TimeUnit::Millisecond)),
            DataType::Time32(unit) | DataType::Time64(unit) => (Kind::Time, tick(*unit)),
            DataType::Timestamp(unit, None) => (Kind::Local, tick(*unit)),
            DataType::Timestamp(unit, Some(_)) => (Kind::Instant, tick(*unit)),
            DataType::Duration(unit) => (Kind::Duration, tick(*unit)),
            _ => return None,
        };
        Some(Temporal { kind, tick })
    }

    /// Whether the two lie on one scale, so that they can be compared.
    pub fn comparable(self, other: Temporal) -> bool {
        let dated = |kind| matches!(kind, Kind::Date | Kind::Local);
        self.kind == other.kind || (dated(self.kind) && dated(other.kind))
    }

    fn unit(self) -> TimeUnit {
        match self.tick {
            1 => TimeUnit::Nanosecond,
            1_000 => TimeUnit::Microsecond,
            1_000_000 => TimeUnit::Millisecond,
            _ => TimeUnit::Second,
        }
    }
}

/// The type of a result, with the finer unit of the operands, or `None` where there is none.
pub fn output_type(op: BinaryOperator, lhs: &DataType, rhs: &DataType) -> Option<DataType> {
    use BinaryOperator::*;
    let (left, right) = (Temporal::of(lhs), Temporal::of(rhs));
    let (Some(left), Some(right)) = (left, right) else {
        // Only one operand is temporal. An operator then needs a duration and an integer.
        let duration = |side: &Option<Temporal>| side.is_some_and(|side| side.kind == Kind::Duration);
        return match op {
            Mul if duration(&left) && gdf_core::is_integral(rhs) => Some(lhs.clone()),
            Mul if duration(&right) && gdf_core::is_integral(lhs) => Some(rhs.clone()),
            Div | FloorDiv if duration(&left) && gdf_core::is_integral(rhs) => Some(lhs.clone()),
            _ => None,
        };
    };
    let finer = if left.tick <= right.tick { left } else { right };
    let moment = |kind| matches!(kind, Kind::Local | Kind::Instant);
    let timestamp = |of: &DataType| match of {
        DataType::Timestamp(_, zone) => Some(DataType::Timestamp(finer.unit(), zone.clone())),
        _ => None,
    };
    match op {
        Add | Sub if moment(left.kind) && right.kind == Kind::Duration => timestamp(lhs),
        Add if moment(right.kind) && left.kind == Kind::Duration => timestamp(rhs),
        Sub if left.kind == right.kind && (moment(left.kind) || left.kind == Kind::Date) => {
            Some(DataType::Duration(finer.unit()))
        }
        Add | Sub | Mod | PMod | PyMod if left.kind == Kind::Duration && right.kind == Kind::Duration => {
            Some(DataType::Duration(finer.unit()))
        }
        Div | FloorDiv if left.kind == Kind::Duration && right.kind == Kind::Duration => Some(DataType::Int64),
        NullMax | NullMin if left.kind == right.kind => {
            Some(if left.tick <= right.tick { lhs.clone() } else { rhs.clone() })
        }
        _ => None,
    }
}
