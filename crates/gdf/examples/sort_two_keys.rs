//! Sorts by two keys and prints the first rows. The first key is in descending order with nulls last, and the second
//! key is in ascending order.

use gdf::prelude::*;
use gdf::sorting::{NullOrder, Order, sort};

fn main() -> gdf::Result<()> {
    let points = Column::from_options(&[Some(7), None, Some(9), Some(7)])?;
    let table = Table::try_new(vec![points, Column::from_strs(["d", "c", "b", "a"])?])?;

    // `Before` makes nulls smaller than values. In descending order, nulls are therefore last.
    let nulls = [NullOrder::Before, NullOrder::Before];
    let first = sort(&table, &[Order::Descending, Order::Ascending], &nulls)?.head(3);
    println!("{}", first.display_with(&["points", "name"]));
    assert_eq!(first.column(0)?.to_vec::<i32>()?, [Some(9), Some(7), Some(7)]);
    Ok(())
}
