//! A running sum, and the sum of each row with the two before it.

use gdf::binaryop::sub;
use gdf::copying::shift;
use gdf::prelude::*;
use gdf::scan::{NullPolicy, ScanAggregation, ScanType, scan};

fn main() -> gdf::Result<()> {
    let sales = Column::from_slice(&[4_i64, 1, 7, 2, 9, 3])?;

    let running = scan(&sales, ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude)?;
    let of_three = sub(&running, &shift(&running, 3, 0_i64)?)?; // exact for integers
    assert_eq!(of_three.get(5)?, Some(14_i64));
    let table = Table::try_new(vec![sales, running, of_three])?;
    println!("{}", table.display_with(&["sales", "running", "of three"]));
    Ok(())
}
