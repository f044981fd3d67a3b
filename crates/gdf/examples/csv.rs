//! Reads a CSV file, keeps the rows that meet a condition, prints the rows, and writes the rows as CSV.

use gdf::io::{CsvReader, Predicate, write_csv};

fn main() -> gdf::io::Result<()> {
    let folder = std::env::temp_dir();
    let (from, to) = (folder.join("gdf-goods.csv"), folder.join("gdf-expensive.csv"));
    std::fs::write(&from, "name,price\ntea,2.5\nrice,4\nwine,10\n").expect("the file can be written");

    let expensive = CsvReader::open(&from)?.predicate(Predicate::gt("price", 3.0)).read()?;
    println!("{expensive}");
    write_csv(&expensive, &to)
}
