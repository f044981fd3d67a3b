//! Query 4, order priority checking: the orders of a quarter with at least one late line, by priority.
//!
//! ```sql
//! select o_orderpriority, count(*) as order_count from orders
//! where o_orderdate >= date '1993-07-01' and o_orderdate < date '1993-10-01'
//!   and exists (select * from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate)
//! group by o_orderpriority order by o_orderpriority;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation::CountAll;
use gdf::sorting::Order::Ascending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::{date, within};

pub(crate) const QUERY: Query = Query {
    number: 4,
    reads: "o_orderkey o_orderdate o_orderpriority l_orderkey l_commitdate l_receiptdate",
    order_by: &["o_orderpriority"],
    pipelines: run,
    frames: frames::q04,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let orders = db.read(&["o_orderkey", "o_orderdate", "o_orderpriority"])?;
    let of_quarter = within(orders.col("o_orderdate")?, date(1993, 7, 1), date(1993, 10, 1));
    let orders = orders.filter(of_quarter).select(&["o_orderkey", "o_orderpriority"])?;
    let lines = db.read(&["l_orderkey", "l_commitdate", "l_receiptdate"])?;
    let [due, received] = lines.cols(["l_commitdate", "l_receiptdate"])?;
    let of_orders = lines.semi(&orders, &["l_orderkey"], &["o_orderkey"])?;
    let late = of_orders.filter(due.lt(received)).select(&["l_orderkey"])?;
    let [key, priority] = orders.cols(["o_orderkey", "o_orderpriority"])?;
    let groups = orders
        .semi(&late, &["o_orderkey"], &["l_orderkey"])?
        .group([("o_orderpriority", priority)], [("order_count", CountAll, key)])?;
    groups.sort(&[("o_orderpriority", Ascending)])?.collect(&["o_orderpriority", "order_count"])
}
