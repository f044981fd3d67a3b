//! A left join of two tables.

use gdf::join::{JoinKeys, left};
use gdf::prelude::*;

fn main() -> gdf::Result<()> {
    let orders = Table::try_new(vec![Column::from_slice(&[3, 1, 2, 3])?, Column::from_slice(&[9.5, 1.0, 4.0, 2.5])?])?;
    let customers = Table::try_new(vec![Column::from_slice(&[1, 3])?, Column::from_strs(["Ada", "Grace"])?])?;

    let joined = left(&orders, &customers, &JoinKeys::new(&[0], &[0]))?; // no match: a null row
    println!("{}", joined.display_with(&["customer", "price", "name"]));
    assert_eq!(joined.num_rows(), 4);
    Ok(())
}
