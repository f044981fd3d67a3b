//! Query 5, local supplier volume: the revenue of Asian suppliers from customers of the same nation.
//!
//! ```sql
//! select n_name, sum(l_extendedprice * (1 - l_discount)) as revenue
//! from customer, orders, lineitem, supplier, nation, region
//! where c_custkey = o_custkey and l_orderkey = o_orderkey and l_suppkey = s_suppkey and c_nationkey = s_nationkey
//!   and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'ASIA'
//!   and o_orderdate >= date '1994-01-01' and o_orderdate < date '1995-01-01'
//! group by n_name order by revenue desc;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation::Sum;
use gdf::sorting::Order::Descending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::{date, within};

pub(crate) const QUERY: Query = Query {
    number: 5,
    reads: "c_custkey c_nationkey o_orderkey o_custkey o_orderdate l_orderkey l_suppkey l_extendedprice \
        l_discount s_suppkey s_nationkey n_nationkey n_name n_regionkey r_regionkey r_name",
    order_by: &["revenue"],
    pipelines: run,
    frames: frames::q05,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let region = db.read(&["r_regionkey", "r_name"])?;
    let region = region.filter(region.col("r_name")?.eq("ASIA")).all()?;
    let nations = db.read(&["n_nationkey", "n_name", "n_regionkey"])?;
    let nations = nations.semi(&region, &["n_regionkey"], &["r_regionkey"])?.select(&["n_nationkey", "n_name"])?;
    let customers = db.read(&["c_custkey", "c_nationkey"])?;
    let customers = customers.semi(&nations, &["c_nationkey"], &["n_nationkey"])?.all()?;
    let orders = db.read(&["o_orderkey", "o_custkey", "o_orderdate"])?;
    let of_year = within(orders.col("o_orderdate")?, date(1994, 1, 1), date(1995, 1, 1));
    let orders = orders.filter(of_year).select(&["o_orderkey", "o_custkey"])?;
    let orders = orders.join(&customers, &["o_custkey"], &["c_custkey"])?.select(&["o_orderkey", "c_nationkey"])?;
    let lines = db.read(&["l_orderkey", "l_suppkey", "l_extendedprice", "l_discount"])?;
    let lines = lines.join(&orders, &["l_orderkey"], &["o_orderkey"])?;
    let suppliers = db.read(&["s_suppkey", "s_nationkey"])?;
    let revenue = [("revenue", Sum, lines.volume()?)];
    let of_suppliers = lines.semi(&suppliers, &["l_suppkey", "c_nationkey"], &["s_suppkey", "s_nationkey"])?;
    let groups = of_suppliers.group([("c_nationkey", lines.col("c_nationkey")?)], revenue)?;
    let groups = groups.join(&nations, &["c_nationkey"], &["n_nationkey"])?;
    groups.sort(&[("revenue", Descending)])?.collect(&["n_name", "revenue"])
}
