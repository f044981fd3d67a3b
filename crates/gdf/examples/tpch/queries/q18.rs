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
use gdf::groupby::GroupByAggregation::Sum;
use gdf::sorting::Order::{Ascending, Descending};

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::amount;

pub(crate) const QUERY: Query = Query {
    number: 18,
    reads: "c_custkey c_name o_orderkey o_custkey o_orderdate o_totalprice l_orderkey l_quantity",
    order_by: &["o_totalprice", "o_orderdate"],
    pipelines: run,
    frames: frames::q18,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines = db.read(&["l_orderkey", "l_quantity"])?;
    let [key, quantity] = lines.cols(["l_orderkey", "l_quantity"])?;
    let orders = lines.rows().group([("l_orderkey", key)], [("sum_qty", Sum, quantity)])?;
    let large = orders.filter(orders.col("sum_qty")?.gt(amount(30_000))).all()?;
    let orders = db.read(&["o_orderkey", "o_custkey", "o_orderdate", "o_totalprice"])?;
    let orders = orders.join(&large, &["o_orderkey"], &["l_orderkey"])?;
    let rows = db.read(&["c_custkey", "c_name"])?.join(&orders, &["c_custkey"], &["o_custkey"])?;
    let rows = rows.top(100, &[("o_totalprice", Descending), ("o_orderdate", Ascending)])?;
    rows.collect(&["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "sum_qty"])
}
