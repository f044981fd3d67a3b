//! Timestamps of 96 bits: the nanoseconds of a day, and the Julian number of the day.

use gdf_core::TimeUnit;

use super::converted::Convert;
use crate::batch::Flaw;
use crate::conversion::{INT96_BYTES, per_second};

/// The Julian number of 1970-01-01.
const EPOCH: i64 = 2_440_588;
const SECONDS_OF_DAY: i64 = 86_400;
const NANOSECONDS: i64 = 1_000_000_000;
/// Nanoseconds of 64 bits reach timestamps that are less than this number of seconds from the epoch.
const REACH: i64 = i64::MAX / NANOSECONDS;

/// Makes timestamps of a unit.
pub(super) struct Times(pub(super) TimeUnit);

impl Convert<8> for Times {
    fn stored_width(&self) -> usize {
        INT96_BYTES
    }

    fn convert(&self, page: &[u8], out: &mut [[u8; 8]]) -> Result<(), Flaw> {
        let values = page.as_chunks::<INT96_BYTES>().0.get(..out.len()).ok_or(Flaw::Values)?;
        let per_second = per_second(self.0);
        let mut fits = true;
        for (out, [nanoseconds @ .., a, b, c, d]) in out.iter_mut().zip(values) {
            let day = i64::from(i32::from_le_bytes([*a, *b, *c, *d])) - EPOCH;
            let nanoseconds = i64::from_le_bytes(*nanoseconds);
            let of_day = |per_second: i64| nanoseconds / (NANOSECONDS / per_second);
            let value = day.wrapping_mul(SECONDS_OF_DAY * per_second).wrapping_add(of_day(per_second));
            fits &= (-REACH..REACH).contains(&(day * SECONDS_OF_DAY + of_day(1)));
            *out = value.to_le_bytes();
        }
        if fits || self.0 != TimeUnit::Nanosecond { Ok(()) } else { Err(Flaw::Timestamp) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(day: i32, nanoseconds: i64, unit: TimeUnit) -> Result<i64, Flaw> {
        let page = [&nanoseconds.to_le_bytes()[..], &day.to_le_bytes()].concat();
        let mut out = [[0; 8]];
        Times(unit).convert(&page, &mut out).map(|()| i64::from_le_bytes(out[0]))
    }

    #[test]
    fn each_unit_counts_from_the_epoch() {
        use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};

        for (unit, expected) in [
            (Second, 86_401),
            (Millisecond, 86_401_002),
            (Microsecond, 86_401_002_003),
            (Nanosecond, 86_401_002_003_004),
        ] {
            assert_eq!(converted(2_440_589, 1_002_003_004, unit), Ok(expected));
        }
        assert_eq!(converted(2_440_587, -1_999_999_999, Second), Ok(-86_401), "nanoseconds are truncated");
        assert_eq!(converted(0, 0, Nanosecond), Err(Flaw::Timestamp));
        let most = |nanoseconds| converted(2_440_588 + 106_751, nanoseconds, Nanosecond);
        assert_eq!(most(85_635_999_999_999), Ok(9_223_372_035_999_999_999));
        assert_eq!(most(85_636_000_000_000), Err(Flaw::Timestamp));
        assert_eq!(converted(0, 0, Microsecond), Ok(-2_440_588 * 86_400_000_000));
        assert!(converted(i32::MAX, i64::MAX, Microsecond).is_ok(), "the number wraps around");
    }
}
