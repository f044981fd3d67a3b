//! Prints columns and tables: the first and last rows, the types, nulls, the shape and the device.

use gdf::prelude::*;
use gdf::reduction::describe;

fn main() -> gdf::Result<()> {
    let table = Table::try_new(vec![Column::sequence(0, 1, 100_000)?, Column::full("text", 100_000)?])?;
    println!("{table}\n{}\n{:?}", table.column(1)?, table.column(0)?);
    println!("{}", table.head(2).display_with(&["number", "word"]));
    let (statistics, schema) = describe(&table.select(&[0])?, &["number"])?;
    println!("{}", statistics.display_with_schema(&schema));
    Ok(())
}
