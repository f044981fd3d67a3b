//! Time zones: tables of the changes of UTC offsets, made from the IANA database that `jiff` bundles.

use std::fmt;
use std::sync::Arc;

use gdf_core::{Error, Result};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZoneDatabase;

/// The number of seconds of 400 years, after which the calendar and the rules of time zones repeat.
pub(super) const CYCLE: i64 = 146_097 * 86_400;

/// The time 2500-01-01, in seconds since 1970-01-01.
pub(super) const END: i64 = 16_725_225_600;

/// A time zone, which defines when the clocks of a region change. A time zone is either a zone of the IANA database or
/// a fixed offset. A zone of the database is given by its name or by an alias.
#[derive(Clone)]
pub struct TimeZone(Arc<Zone>);

/// A time zone as tables.
struct Zone {
    name: String,
    tables: [Vec<i64>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    Utc,
    Local,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Changes<'a> {
    pub(super) begins: &'a [i64],
    pub(super) ends: &'a [i64],
    pub(super) shifts: &'a [i64],
}

impl TimeZone {
    /// Returns the time zone of a name such as `Europe/Berlin`, of a fixed offset such as `+05:30`, or of a POSIX rule
    /// such as `EST5EDT,M3.2.0,M11.1.0`.
    ///
    /// ```
    /// # mod gdf { pub use gdf_core::{self as core, *}; pub use gdf_compute::*; }
    /// use gdf::datetime::TimeZone;
    ///
    /// assert_eq!(TimeZone::new("europe/berlin")?.name(), "Europe/Berlin");
    /// assert!(TimeZone::new("Europe/Atlantis").is_err());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) when there is no such time zone.
    pub fn new(name: &str) -> Result<Self> {
        let unknown = || {
            Error::invalid_argument(
                "there is no such time zone; pass an IANA name such as `Europe/Berlin`, a UTC offset or a POSIX rule",
            )
            .in_argument("name")
        };
        let parser = DateTimeParser::new();
        let zone = parser.parse_time_zone_with(&TimeZoneDatabase::bundled(), name).map_err(|_| unknown())?;
        let mut offsets = vec![i64::from(zone.to_offset(Timestamp::MIN).seconds())];
        let mut moments = Vec::new();
        for change in zone.following(Timestamp::MIN) {
            let (moment, offset) = (change.timestamp().as_second(), i64::from(change.offset().seconds()));
            // Moments up to `END` are looked up. The table ends one year later.
            if moment > END + 366 * 86_400 {
                break;
            }
            if offsets.last() != Some(&offset) {
                moments.push(moment);
                offsets.push(offset);
            }
        }
        let local = |edge: fn(i64, i64) -> i64| {
            let changes = moments.iter().zip(offsets.windows(2));
            changes.map(move |(moment, offsets)| moment + edge(offsets[0], offsets[1]))
        };
        let by_utc = moments.iter().chain(&moments).chain(&offsets).copied().collect();
        let by_local = local(i64::min).chain(local(i64::max)).chain(offsets.iter().map(|offset| -offset)).collect();
        let name = zone.iana_name().unwrap_or(name).to_owned();
        Ok(Self(Arc::new(Zone { name, tables: [by_utc, by_local] })))
    }

    /// Returns the name, as the database spells it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    pub(super) fn changes(&self, clock: Clock) -> Changes<'_> {
        let rows = self.rows(clock);
        let (begins, rest) = rows.split_at((rows.len() - 1) / 3);
        let (ends, shifts) = rest.split_at(begins.len());
        Changes { begins, ends, shifts }
    }

    pub(super) fn rows(&self, clock: Clock) -> &[i64] {
        &self.0.tables[clock as usize]
    }
}

impl fmt::Debug for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TimeZone").field(&self.name()).finish()
    }
}

impl std::str::FromStr for TimeZone {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the changes of a clock do not overlap.
    #[test]
    fn changes_ascend_in_every_zone() {
        let mut zones = 0;
        for name in TimeZoneDatabase::bundled().available() {
            let zone = TimeZone::new(name.as_str()).unwrap();
            for clock in [Clock::Utc, Clock::Local] {
                let Changes { begins, ends, shifts } = zone.changes(clock);
                assert_eq!((begins.len(), begins.len() + 1), (ends.len(), shifts.len()));
                assert!(begins.is_sorted_by(|a, b| a < b), "{zone:?}");
                let apart = begins.iter().skip(1).zip(ends).all(|(begin, end)| end <= begin);
                assert!(apart, "{zone:?} by {clock:?}");
            }
            zones += 1;
        }
        assert!(zones > 400);
    }

    /// Checks that the UTC offsets of the 400 years before `END` are also the UTC offsets of later cycles of 400 years.
    #[test]
    fn the_last_400_years_repeat() {
        for name in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Europe/Dublin"] {
            let zone = TimeZoneDatabase::bundled().get(name).unwrap();
            let offset = |second: i64| zone.to_offset(Timestamp::from_second(second).unwrap()).seconds();
            for day in 0..146_097 / 3 {
                let second = END - CYCLE + day * 3 * 86_400 + 3_600;
                assert_eq!(offset(second), offset(second + CYCLE), "{name} {second}");
                assert_eq!(offset(second), offset(second + 3 * CYCLE), "{name} {second}");
            }
        }
    }
}
