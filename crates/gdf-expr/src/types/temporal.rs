//! Rules for dates, times, timestamps and durations, which are stored as integers that count ticks.

use gdf_core::{DataType, Operand, TimeUnit};

use crate::BinaryOperator;

/// The meaning of a count of ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Days or milliseconds since 1970-01-01, without time zone.
    Date,
    /// The local time, as the time since 1970-01-01 00:00 local time.
    Local,
    /// The time since 1970-01-01 in UTC. The time zone of the type only affects the display.
    Instant,
    /// The time since midnight.
    Time,
    /// The time between two moments.
    Duration,
}

/// A temporal type.
#[derive(Clone, Copy, Debug)]
pub struct Temporal {
    /// The kind of the values: a date, a point in time, a time of day, or a duration.
    pub kind: Kind,
    /// The number of nanoseconds per tick. For any two types, the longer tick is a multiple of the shorter tick.
    pub tick: i128,
}

/// The number of nanoseconds of a day.
pub(super) const DAY: u64 = 86_400_000_000_000;

pub(super) fn tick(unit: TimeUnit) -> u64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

impl Temporal {
    /// Returns the kind and the tick of a temporal type, or `None` for other types.
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
        Some(Temporal { kind, tick: tick.into() })
    }

    /// Returns whether values of both types can be compared: those of one kind, and dates with local timestamps.
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

/// Returns a comparison with the same result whose literal does not lie between two ticks of its type, together with the
/// operands. For an operand outside of the years 1677 to 2262, `=` and `<>` still compare with the tick before the
/// literal.
pub fn exact_comparison<'a>(op: BinaryOperator, [lhs, rhs]: [Operand<'a>; 2]) -> (BinaryOperator, [Operand<'a>; 2]) {
    use BinaryOperator::{Greater, GreaterEqual, Less, LessEqual};
    let between = |operand| match operand {
        Operand::Literal(literal) if literal.nanoseconds_beyond() > 0 => Some(literal),
        _ => None,
    };
    let (literal, other, mirrored) = match (between(lhs), between(rhs)) {
        (_, Some(literal)) => (literal, lhs, false),
        (Some(literal), None) => (literal, rhs, true),
        (None, None) => return (op, [lhs, rhs]),
    };
    let ordered = if mirrored { op.mirrored().unwrap_or(op) } else { op };
    let is_fine = Temporal::of(other.data_type()).is_some_and(|of| of.tick == 1);
    let (ordered, literal) = match (ordered, literal.in_nanoseconds()) {
        (_, Some(exact)) if is_fine => (ordered, exact),
        // No value of the other operand lies between the literal and the tick before it.
        (Less | LessEqual, _) => (LessEqual, literal),
        (Greater | GreaterEqual, _) => (Greater, literal),
        (_, Some(exact)) => (ordered, exact),
        (_, None) => (ordered, literal),
    };
    match mirrored {
        true => (ordered.mirrored().unwrap_or(ordered), [Operand::Literal(literal), other]),
        false => (ordered, [other, Operand::Literal(literal)]),
    }
}

/// Returns the default type of the result, in the finer unit of the operands, or `None` if the operator does not
/// support the types.
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
