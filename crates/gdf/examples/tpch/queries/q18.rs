//! Query 18, large volume customer: orders of more than 300 pieces.
//!
//! ```sql
//! select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) as sum_qty
//! from customer, orders, lineitem
//! where o_orderkey in (select l_orderkey from lineitem group by l_orderkey having sum(l_quantity) > 300)
//!   and c_custkey = o_custkey and o_orderkey = l_orderkey
//! group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice order by o_totalprice desc, o_orderdate limit 100;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation;
use gdf::predicate::Predicate;
use gdf::sorting::Order;

use super::{Query, money};
use crate::load::Database;

/// Query 18.
pub(crate) const QUERY: Query = Query {
    number: 18,
    reads: &[
        "c_custkey",
        "c_name",
        "o_orderkey",
        "o_custkey",
        "o_orderdate",
        "o_totalprice",
        "l_orderkey",
        "l_quantity",
    ],
    order_by: &["o_totalprice", "o_orderdate"],
    run,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines = db.read(&["l_orderkey", "l_quantity"])?;
    let orders = lines.group(&["l_orderkey"], &[("sum_qty", GroupByAggregation::Sum, "l_quantity")])?;
    let large = orders.filter(Predicate::gt(orders.column("sum_qty")?, money(30_000)))?;
    let orders = db.read(&["o_orderkey", "o_custkey", "o_orderdate", "o_totalprice"])?;
    let orders = orders.join(&large, &["o_orderkey"], &["l_orderkey"])?;
    let rows = db.read(&["c_custkey", "c_name"])?.join(&orders, &["c_custkey"], &["o_custkey"])?;
    let rows = rows.sort(&[("o_totalprice", Order::Descending), ("o_orderdate", Order::Ascending)])?.head(100);
    rows.collect(&["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "sum_qty"])
}
