//! Query 3, shipping priority: the ten unshipped orders of the greatest value, of one market segment.
//!
//! ```sql
//! select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate, o_shippriority
//! from customer, orders, lineitem
//! where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey
//!   and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15'
//! group by l_orderkey, o_orderdate, o_shippriority order by revenue desc, o_orderdate limit 10
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation::Sum;
use gdf::sorting::Order::{Ascending, Descending};

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::date;

pub(crate) const QUERY: Query = Query {
    number: 3,
    reads: "c_custkey c_mktsegment o_orderkey o_custkey o_orderdate o_shippriority l_orderkey l_extendedprice \
        l_discount l_shipdate",
    order_by: &["revenue", "o_orderdate"],
    pipelines: run,
    frames: frames::q03,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let day = date(1995, 3, 15);
    let customers = db.read(&["c_custkey", "c_mktsegment"])?;
    let customers = customers.filter(customers.col("c_mktsegment")?.eq("BUILDING")).select(&["c_custkey"])?;
    let orders = db.read(&["o_orderkey", "o_custkey", "o_orderdate", "o_shippriority"])?;
    let of_customers = orders.semi(&customers, &["o_custkey"], &["c_custkey"])?;
    let orders = of_customers.filter(orders.col("o_orderdate")?.lt(day));
    let orders = orders.select(&["o_orderkey", "o_orderdate", "o_shippriority"])?.numbered("order")?;

    let lines = db.read(&["l_orderkey", "l_extendedprice", "l_discount", "l_shipdate"])?;
    let of_orders = lines.semi(&orders, &["l_orderkey"], &["o_orderkey"])?;
    let shipped = of_orders.filter(lines.col("l_shipdate")?.gt(day));
    let lines = shipped.select(&["l_orderkey", "l_extendedprice", "l_discount"])?;
    let lines = lines.join(&orders.select(&["o_orderkey", "order"])?, &["l_orderkey"], &["o_orderkey"])?;
    // Order keys are distinct in `orders`, so its row numbers can be the keys of the group-by.
    let revenue = [("revenue", Sum, lines.volume()?)];
    let groups = lines.rows().group([("order", lines.col("order")?)], revenue)?;
    let names = ["order", "revenue", "l_orderkey", "o_orderdate", "o_shippriority"];
    let rows = groups.join(&orders, &["order"], &["order"])?.named(&names);
    let best = rows.top(10, &[("revenue", Descending), ("o_orderdate", Ascending)])?;
    best.collect(&["l_orderkey", "revenue", "o_orderdate", "o_shippriority"])
}
