//! Returns the first rows in the order of two keys: the first key descending with nulls last, the second key
//! ascending.

use gdf::prelude::*;
use gdf::sorting::{NullOrder, Order, sort};

fn main() -> gdf::Result<()> {
    let points = Column::from_options(&[Some(7), None, Some(9), Some(7)])?;
    let table = Table::try_new(vec![points, Column::from_strs(["d", "c", "b", "a"])?])?;

    // Nulls come before values, and a descending order is reversed as a whole. The nulls therefore come last.
    let nulls = [NullOrder::Before, NullOrder::Before];
    let first = sort(&table, &[Order::Descending, Order::Ascending], &nulls)?.head(3);
    println!("{}", first.display_with(&["points", "name"]));
    assert_eq!(first.column(0)?.to_vec::<i32>()?, [Some(9), Some(7), Some(7)]);
    Ok(())
}
