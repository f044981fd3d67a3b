//! Ten analyses of sales, as they are written in gdf. `docs/guide/coming_from.md` shows them beside polars, pandas and
//! DuckDB. The first argument is the number of sales: `cargo run --release --example coming_from -- 10000000`. The
//! second argument is the name of the only analysis to run.

use std::time::Instant;

use gdf::frame::{AsofJoin, Frame, Join, col, len};
use gdf::groupby::GroupByAggregation;
use gdf::prelude::*;

const CITIES: [&str; 8] = ["Bern", "Graz", "Lyon", "Nantes", "Oslo", "Porto", "Riga", "Turin"];
const LANDS: [&str; 5] = ["AT", "CH", "FR", "NO", "PT"];

/// The tables: sales, the users who bought, and exchange rates at points in time.
struct Data {
    sales: Frame,
    users: Frame,
    rates: Frame,
}

type Analysis = fn(&Data) -> gdf::Result<Frame>;

const ANALYSES: [(&str, Analysis); 10] = [
    ("filter", filter),
    ("few groups", few_groups),
    ("many groups", many_groups),
    ("join", join),
    ("share", share),
    ("rolling", rolling),
    ("pivot", pivot),
    ("as of", as_of),
    ("months", months),
    ("bins", bins),
];

/// Revenues of expensive sales in one city.
fn filter(of: &Data) -> gdf::Result<Frame> {
    let expensive = of.sales.lazy().filter(col("amount").gt(500).and(col("city").eq("Lyon")));
    expensive.select([(col("amount") * col("units")).alias("revenue")]).collect()
}

/// Statistics of each city.
fn few_groups(of: &Data) -> gdf::Result<Frame> {
    let cities = of.sales.group_by(["city"]);
    cities.agg([len(), col("amount").mean().alias("mean"), col("amount").sum()])?.sort(["city"])
}

/// The ten users who bought the most.
fn many_groups(of: &Data) -> gdf::Result<Frame> {
    let users = of.sales.group_by(["user"]).agg([col("amount").sum()])?;
    users.top_k(10, [col("amount").desc()])
}

/// Sums by the land of the user.
fn join(of: &Data) -> gdf::Result<Frame> {
    let sales = of.sales.lazy().join(of.users.lazy(), Join::inner(["user"]));
    sales.group_by(["land"]).agg([col("amount").sum()]).sort(["land"]).collect()
}

/// Sales that are a large share of what their user bought.
fn share(of: &Data) -> gdf::Result<Frame> {
    let share = col("amount") / col("amount").sum().over(["user"]);
    of.sales.lazy().with([share.alias("share")]).filter(col("share").gt(0.02)).select(["id", "share"]).collect()
}

/// The sum of each sale and the six before.
fn rolling(of: &Data) -> gdf::Result<Frame> {
    of.sales.rolling(7).agg([col("amount").sum()])
}

/// A row for each city, and a column for each weekday.
fn pivot(of: &Data) -> gdf::Result<Frame> {
    let days = of.sales.lazy().with([col("day").dt().weekday().alias("weekday")]);
    days.pivot("city", "weekday", "amount", GroupByAggregation::Sum).sort(["city"]).collect()
}

/// The last exchange rate before each sale.
fn as_of(of: &Data) -> gdf::Result<Frame> {
    of.sales.asof_join(&of.rates, AsofJoin::new("time", "time"))
}

/// Means by year and month.
fn months(of: &Data) -> gdf::Result<Frame> {
    let months = of.sales.lazy().with([col("day").dt().year().alias("year"), col("day").dt().month().alias("month")]);
    months.group_by(["year", "month"]).agg([col("amount").mean()]).sort(["year", "month"]).collect()
}

/// How many sales are of which size. Units that are not known count as none.
fn bins(of: &Data) -> gdf::Result<Frame> {
    let size = col("units").fill_null(0).cut([(0, "none"), (3, "few")], "many");
    of.sales.lazy().select([size.alias("size")]).value_counts("size").collect()
}

/// Returns a number that looks random. `coming_from.py` computes the same number.
fn mix(row: usize) -> u32 {
    let mut word = (row as u32).wrapping_mul(2_654_435_761);
    for _ in 0..2 {
        word = (word ^ word >> 16).wrapping_mul(0x045d_9f3b);
    }
    word ^ word >> 16
}

fn data(rows: usize) -> gdf::Result<Data> {
    let words: Vec<u32> = (0..rows).map(mix).collect();
    let of = |value: &dyn Fn(u32) -> i32| words.iter().map(|word| value(*word)).collect::<Vec<i32>>();
    let units = words.iter().map(|word| (word % 10 > 0).then_some((word % 7) as i32));
    let sales = Frame::try_new([
        ("id", Column::from_slice(&(0..rows as i64).collect::<Vec<_>>())?),
        ("user", Column::from_slice(&of(&|word| (word >> 4) as i32 % 100_000))?),
        ("city", Column::from_strs(words.iter().map(|word| CITIES[(word >> 3) as usize % 8]))?),
        ("day", Column::from_slice_typed(&of(&|word| 19_000 + (word >> 5) as i32 % 1_000), &DataType::Date32)?),
        ("time", Column::from_slice(&words.iter().map(|word| i64::from(*word)).collect::<Vec<_>>())?),
        (
            "amount",
            Column::from_slice(&words.iter().map(|word| f64::from(word % 100_000) / 100.0).collect::<Vec<_>>())?,
        ),
        ("units", Column::from_options(&units.collect::<Vec<_>>())?),
    ])?;
    let users: Vec<i32> = (0..100_000).collect();
    let lands = users.iter().map(|user| LANDS[*user as usize % 5]);
    let users = Frame::try_new([("user", Column::from_slice(&users)?), ("land", Column::from_strs(lands)?)])?;
    let times: Vec<i64> = (0..100_000).map(|at| at * 42_949).collect();
    let rates: Vec<f64> = (0..100_000).map(|at| 1.0 + f64::from(at % 100) / 100.0).collect();
    let rates = Frame::try_new([("time", Column::from_slice(&times)?), ("rate", Column::from_slice(&rates)?)])?;
    Ok(Data { sales, users, rates })
}

fn main() -> gdf::Result<()> {
    let rows = std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(100_000);
    let data = data(rows)?;
    println!("analysis\trows\tsum of the last column\tms");
    let only = std::env::args().nth(2);
    for (name, analysis) in ANALYSES {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let (mut best, mut found) = (f64::INFINITY, analysis(&data)?);
        for _ in 0..3 {
            let start = Instant::now();
            found = analysis(&data)?;
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let last = col(found.names().last().unwrap_or_default());
        let sum = found.select([last.sum().cast(DataType::Float64).alias("sum")])?.column("sum")?.get::<f64>(0)?;
        println!("{name}\t{}\t{:.4}\t{best:.0}", found.num_rows(), sum.unwrap_or_default());
    }
    Ok(())
}
