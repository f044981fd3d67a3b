//! Positions between two rows, and the values at such positions.

use gdf_engine::policy::Interpolation;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InterpolationPoint {
    pub(super) low: usize,
    pub(super) high: usize,
    fraction: f64,
}

impl InterpolationPoint {
    /// Returns the position for the share `q` of `rows` rows.
    pub(super) fn new(q: f64, rows: usize, interpolation: Interpolation) -> Self {
        let at = q.clamp(0.0, 1.0) * (rows - 1) as f64;
        let (low, high) = (at.floor() as usize, at.ceil() as usize);
        let row = |row| Self { low: row, high: row, fraction: 0.0 };
        match interpolation {
            Interpolation::Linear => Self { low, high, fraction: at - at.floor() },
            Interpolation::Lower => row(low),
            Interpolation::Higher => row(high),
            Interpolation::Midpoint => Self { low, high, fraction: 0.5 },
            Interpolation::Nearest => row(at.round_ties_even() as usize),
        }
    }

    pub(super) fn value(self, a: f64, b: f64) -> f64 {
        if self.low == self.high { a } else { (1.0 - self.fraction) * a + self.fraction * b }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_between_rows() {
        let at = |q, interpolation| InterpolationPoint::new(q, 4, interpolation);
        let rows = |point: InterpolationPoint| (point.low, point.high);
        assert_eq!(rows(at(0.5, Interpolation::Linear)), (1, 2));
        assert_eq!(rows(at(0.5, Interpolation::Lower)), (1, 1));
        assert_eq!(rows(at(0.4, Interpolation::Higher)), (2, 2));
        assert_eq!(rows(at(0.5, Interpolation::Nearest)), (2, 2));
        assert_eq!(rows(at(7.0, Interpolation::Linear)), (3, 3));
        assert_eq!(rows(at(-1.0, Interpolation::Midpoint)), (0, 0));
        assert_eq!(at(0.5, Interpolation::Linear).value(2.0, 4.0), 3.0);
        assert_eq!(at(1.0, Interpolation::Linear).value(f64::INFINITY, 1.0), f64::INFINITY);
        assert_eq!(at(0.1, Interpolation::Midpoint).value(-2.0, 4.0), 1.0);
        assert!(gdf_engine::check::shares(&[0.0, f64::NAN]).is_err());
    }
}
