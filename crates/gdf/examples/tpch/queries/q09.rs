//! Query 9, product type profit: the profit from green parts, by nation and year.
//!
//! ```sql
//! select nation, o_year, sum(amount) as sum_profit from (
//!   select n_name as nation, extract(year from o_orderdate) as o_year,
//!     l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount
//!   from part, supplier, lineitem, partsupp, orders, nation
//!   where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey
//!     and o_orderkey = l_orderkey and s_nationkey = n_nationkey and p_name like '%green%') as profit
//! group by nation, o_year order by nation, o_year desc;
//! ```

use arrow_array::RecordBatch;
use gdf::expr::Component;
use gdf::groupby::GroupByAggregation::Sum;
use gdf::sorting::Order::{Ascending, Descending};

use crate::frames;
use crate::load::Database;
use crate::query::Query;

pub(crate) const QUERY: Query = Query {
    number: 9,
    reads: "p_partkey p_name s_suppkey s_nationkey l_orderkey l_partkey l_suppkey l_quantity l_extendedprice \
        l_discount ps_partkey ps_suppkey ps_supplycost o_orderkey o_orderdate n_nationkey n_name",
    order_by: &["nation", "o_year"],
    pipelines: run,
    frames: frames::q09,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let parts = db.read(&["p_partkey", "p_name"])?;
    let parts = parts.filter(parts.col("p_name")?.contains("green")).select(&["p_partkey"])?;
    let lines = db.read(&["l_orderkey", "l_partkey", "l_suppkey", "l_quantity", "l_extendedprice", "l_discount"])?;
    let lines = lines.semi(&parts, &["l_partkey"], &["p_partkey"])?.all()?;
    let offers = db.read(&["ps_partkey", "ps_suppkey", "ps_supplycost"])?;
    let offers = offers.semi(&parts, &["ps_partkey"], &["p_partkey"])?.all()?;
    let lines = lines.join(&offers, &["l_partkey", "l_suppkey"], &["ps_partkey", "ps_suppkey"])?;
    let suppliers = db.read(&["s_suppkey", "s_nationkey"])?;
    let lines = lines.join(&suppliers, &["l_suppkey"], &["s_suppkey"])?;
    let orders = db.read(&["o_orderkey", "o_orderdate"])?;
    let rows = orders.join(&lines, &["o_orderkey"], &["l_orderkey"])?;

    let [nation, day, cost, quantity] = rows.cols(["s_nationkey", "o_orderdate", "ps_supplycost", "l_quantity"])?;
    let groups = rows.rows().group(
        [("s_nationkey", nation), ("o_year", day.extract(Component::Year))],
        [("sum_profit", Sum, rows.volume()? - cost * quantity)],
    )?;
    let groups = groups.join(&db.read(&["n_nationkey", "n_name"])?, &["s_nationkey"], &["n_nationkey"])?;
    let groups = groups.select(&["n_name", "o_year", "sum_profit"])?.named(&["nation", "o_year", "sum_profit"]);
    groups.sort(&[("nation", Ascending), ("o_year", Descending)])?.collect_all()
}
