//! Evaluates functions of lists and structs in a frame: filters the elements of lists, and sums an expression of them.

use gdf::Column;
use gdf::core::make_lists_column;
use gdf::frame::{Aggregation, Frame, col, element};

fn main() -> gdf::Result<()> {
    let prices = make_lists_column(&Column::from_slice(&[0, 2, 2, 4])?, Column::from_slice(&[10, 25, 30, 5])?, None)?;
    let orders = Frame::try_new([
        ("customer", Column::from_strs(["Ada", "Ben", "Cy"])?),
        ("discount", Column::from_slice(&[1, 0, 2])?),
        ("prices", prices),
    ])?;
    let prices = || col("prices").list();
    let sums = orders
        .lazy()
        .filter(prices().len().gt(0))
        .with([prices().aggregate(element() - col("discount"), Aggregation::Sum).alias("sum")])
        .with([prices().filter(element().gt(col("sum") / 2)).alias("high")])
        .sort([col("sum").desc()])
        .collect()?;
    println!("{sums}");
    let customers = gdf::structs::from_columns(sums.select(["customer", "sum"])?.table(), &["name", "sum"])?;
    let customers = Frame::try_new([("customer", customers)])?;
    let name = col("customer").struct_().field("name").str().to_upper();
    println!("{}", customers.with([name.alias("name")])?);
    Ok(())
}
