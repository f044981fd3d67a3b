//! The number of values, their mean, and the sum of the squared differences from the mean. Partial results are merged
//! without cancellation (Chan, Golub, LeVeque: Algorithms for computing the sample variance, 1983).

use super::host::Bools;

#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// The row that replaces a null. A row consists of a number and a weight. The weight is 1 for a valid row and 0 for
    /// a null.
    pub const NEUTRAL: [f64; 2] = [0.0, 0.0];

    pub fn add_block(self, rows: &[[f64; 2]]) -> Self {
        let (sum, count) = rows.iter().fold((0.0, 0.0), |(sum, count), [row, weight]| (sum + row, count + weight));
        let mean = if f64::is_finite(sum) {
            sum / count
        } else {
            // Each row is divided by the count before the addition, because the sum of large numbers may overflow
            // although their mean does not.
            rows.iter().map(|[row, weight]| row * (weight / count)).sum()
        };
        let distance = |[row, weight]: &[f64; 2]| weight * (row - mean) * (row - mean);
        self.merge(Self { count, mean, squares: rows.iter().map(distance).sum() })
    }

    pub fn of_bools(bools: Bools) -> Self {
        let count = (bools.ones + bools.zeros) as f64;
        let mean = bools.ones as f64 / count;
        Self { count, mean, squares: mean * bools.zeros as f64 }
    }

    pub fn merge(self, other: Self) -> Self {
        if other.count == 0.0 {
            return self;
        }
        if self.count == 0.0 {
            return other;
        }
        let count = self.count + other.count;
        let distance = other.mean - self.mean;
        let share = other.count / count;
        // The distance of two large means may have no finite value, although their mean has one.
        let mean = match distance.is_finite() {
            true => self.mean + distance * share,
            false => self.mean * (self.count / count) + other.mean * share,
        };
        Self { count, mean, squares: self.squares + other.squares + distance * distance * (self.count * share) }
    }

    /// Returns the variance: the sum of squared differences divided by the number of rows minus `ddof`. The result is 0
    /// if this divisor is not positive.
    pub fn variance(self, ddof: u32) -> f64 {
        let degrees = self.count - f64::from(ddof);
        if degrees > 0.0 { self.squares / degrees } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_not_lost_beside_a_large_mean() {
        let rows: Vec<[f64; 2]> = (0..6400).map(|row| [1e9 + f64::from(row % 4), 1.0]).collect();
        let moments = rows.chunks(64).fold(Moments::default(), |all, rows| all.add_block(rows));
        assert_eq!(moments.variance(0), 1.25);
        assert_eq!(moments.variance(6400), 0.0);
        assert_eq!(Moments::default().add_block(&[[f64::MAX, 1.0]; 2]).variance(1), 0.0);
        let large = Moments::default().add_block(&[[1e308, 1.0]]).add_block(&[[-1e308, 1.0]]);
        assert_eq!((large.mean, large.variance(1)), (0.0, f64::INFINITY));
        let bools = Moments::of_bools(Bools { ones: 3, zeros: 1 });
        assert_eq!(bools.variance(1), 0.25);
        // The two parts have different sizes and different means, so that the merge must weight them.
        let parts = Moments::default().add_block(&[[0.0, 1.0]; 3]).add_block(&[[4.0, 1.0]]);
        assert_eq!(parts.variance(0), 3.0);
        assert_eq!(Moments::default().merge(bools).merge(Moments::default()).variance(0), 0.1875);
    }
}
