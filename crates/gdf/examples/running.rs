//! Computes a running sum, and for each row the sum of the row and the two rows before it.

use gdf::scan::{NullPolicy, ScanAggregation, ScanType, scan};
use gdf::{binaryop::sub, copying::shift, prelude::*};

fn main() -> gdf::Result<()> {
    let sales = Column::from_slice(&[4_i64, 1, 7, 2, 9, 3])?;
    let running = scan(&sales, ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude)?;
    let of_three = sub(&running, &shift(&running, 3, 0_i64)?)?; // the difference is exact for integers
    println!("{}", Table::try_new(vec![sales, running, of_three])?.display_with(&["sales", "running", "of three"]));
    Ok(())
}
