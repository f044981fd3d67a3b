//! Frames: reads a file, refers to columns by name, and joins and groups the rows, in one chain of verbs.

use gdf::frame::{Frame, Join, col, len, when};
use gdf::io::{read_csv, write_parquet};

fn main() -> gdf::io::Result<()> {
    let folder = std::env::temp_dir();
    let (trips, cities) = (folder.join("gdf-trips.csv"), folder.join("gdf-cities.csv"));
    std::fs::write(&trips, "city,day,km\nLyon,2024-01-05,2.5\nOslo,2024-02-01,40\nLyon,2024-02-03,71.5\n")
        .expect("the file can be written");
    std::fs::write(&cities, "name,land\nLyon,FR\nOslo,NO\n").expect("the file can be written");
    let (trips, cities) = (Frame::try_from(read_csv(&trips)?)?, Frame::try_from(read_csv(&cities)?)?);

    let kind = when(col("km").gt(30)).then("far").otherwise("near").alias("kind");
    let sums = trips
        .lazy()
        .with([kind, col("day").dt().month().alias("month")])
        .join(cities.lazy(), Join::left([("city", "name")]))
        .group_by(["land", "kind"])
        .agg([col("km").sum(), col("month").max(), len().alias("trips")])
        .sort([col("km").desc()]);
    println!("{}", sums.explain());
    let sums = sums.collect()?;
    println!("{sums}");
    write_parquet(&sums.to_batch()?, folder.join("gdf-sums.parquet"))
}
