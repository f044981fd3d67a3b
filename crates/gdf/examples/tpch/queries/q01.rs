//! Query 1, pricing summary report: the amounts that were shipped, by return flag and line status.
//!
//! ```sql
//! select l_returnflag, l_linestatus, sum(l_quantity) as sum_qty, sum(l_extendedprice) as sum_base_price,
//!   sum(l_extendedprice * (1 - l_discount)) as sum_disc_price,
//!   sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge,
//!   avg(l_quantity) as avg_qty, avg(l_extendedprice) as avg_price, avg(l_discount) as avg_disc,
//!   count(*) as count_order
//! from lineitem where l_shipdate <= date '1998-12-01' - interval '90' day
//! group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation::{CountAll, Sum};
use gdf::sorting::Order::Ascending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::{amount, date, ratio};

pub(crate) const QUERY: Query = Query {
    number: 1,
    reads: "l_returnflag l_linestatus l_quantity l_extendedprice l_discount l_tax l_shipdate",
    order_by: &["l_returnflag", "l_linestatus"],
    pipelines: run,
    frames: frames::q01,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let names = ["l_returnflag", "l_linestatus", "l_quantity", "l_extendedprice", "l_discount", "l_tax", "l_shipdate"];
    let lines = db.read(&names)?;
    let [flag, status, quantity, price, discount, tax, day] = lines.cols(names)?;
    let (discounted, charged) = (lines.volume()?, lines.volume()? * (amount(100) + tax));
    let groups = lines.filter(day.le(date(1998, 9, 2))).group(
        [("l_returnflag", flag.clone()), ("l_linestatus", status)],
        [
            ("sum_qty", Sum, quantity),
            ("sum_base_price", Sum, price),
            ("sum_disc_price", Sum, discounted),
            ("sum_charge", Sum, charged),
            ("sum_disc", Sum, discount),
            ("count_order", CountAll, flag),
        ],
    )?;
    let groups = groups.sort(&[("l_returnflag", Ascending), ("l_linestatus", Ascending)])?;
    let names = ["sum_qty", "sum_base_price", "sum_disc_price", "sum_charge", "sum_disc", "count_order"];
    let [quantity, price, discounted, charged, discount, count] = groups.cols(names)?;
    let results = groups.rows().project([
        ("l_returnflag", groups.col("l_returnflag")?),
        ("l_linestatus", groups.col("l_linestatus")?),
        ("sum_qty", quantity.clone()),
        ("sum_base_price", price.clone()),
        ("sum_disc_price", discounted),
        ("sum_charge", charged),
        ("avg_qty", ratio(quantity, count.clone())),
        ("avg_price", ratio(price, count.clone())),
        ("avg_disc", ratio(discount, count.clone())),
        ("count_order", count),
    ])?;
    results.collect_all()
}
