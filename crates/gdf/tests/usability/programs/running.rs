//! A running sum, and the sum of each row and the two before.

use gdf::frame::{Aggregation, Frame, col};

pub(crate) fn main(sales: &Frame) -> gdf::Result<Frame> {
    let of_three = col("sold").rolling(Aggregation::Sum, 3, 1).alias("of three");
    let sums = sales.select([col("sold").cum_sum().alias("running"), of_three])?;
    println!("{sums}");
    Ok(sums)
}
