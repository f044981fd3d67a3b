//! Joins two tables with a left join, and returns a record batch.

use gdf::join::{JoinKeys, left};
use gdf::prelude::*;

fn main() -> gdf::Result<()> {
    let orders = Table::try_new(vec![Column::from_slice(&[3, 1, 2, 3])?, Column::from_slice(&[9.5, 1.0, 4.0, 2.5])?])?;
    let customers = Table::try_new(vec![Column::from_slice(&[1, 3])?, Column::from_strs(["Ada", "Grace"])?])?;

    let joined = left(&orders, &customers, &JoinKeys::new(&[0], &[0]))?; // no match: a null row
    let batch = joined.to_batch(&["customer", "price", "name"])?;
    println!("{}", joined.display_with_schema(&batch.schema()));
    assert_eq!(batch.num_rows(), 4);
    Ok(())
}
