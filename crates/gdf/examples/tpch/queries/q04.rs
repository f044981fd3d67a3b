//! Query 4, order priority checking: orders of a quarter with a line that came late.
//!
//! ```sql
//! select o_orderpriority, count(*) as order_count from orders
//! where o_orderdate >= date '1993-07-01' and o_orderdate < date '1993-10-01'
//!   and exists (select * from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate)
//! group by o_orderpriority order by o_orderpriority;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation;
use gdf::predicate::Predicate;
use gdf::sorting::Order;

use super::{Query, date};
use crate::load::Database;

/// Query 4.
pub(crate) const QUERY: Query = Query {
    number: 4,
    reads: &["o_orderkey", "o_orderdate", "o_orderpriority", "l_orderkey", "l_commitdate", "l_receiptdate"],
    order_by: &["o_orderpriority"],
    run,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let orders = db.read(&["o_orderkey", "o_orderdate", "o_orderpriority"])?;
    let day = orders.column("o_orderdate")?;
    let of_quarter = Predicate::ge(day, date(1993, 7, 1)).and(Predicate::lt(day, date(1993, 10, 1)));
    let orders = orders.select(&["o_orderkey", "o_orderpriority"])?.filter(of_quarter)?;
    let lines = db.read(&["l_orderkey", "l_commitdate", "l_receiptdate"])?;
    let lines = lines.semi(&orders, &["l_orderkey"], &["o_orderkey"])?;
    let late = Predicate::lt(lines.column("l_commitdate")?, lines.column("l_receiptdate")?);
    let orders = orders.semi(&lines.select(&["l_orderkey"])?.filter(late)?, &["o_orderkey"], &["l_orderkey"])?;
    let groups = orders.group(&["o_orderpriority"], &[("order_count", GroupByAggregation::CountAll, "o_orderkey")])?;
    groups.sort(&[("o_orderpriority", Order::Ascending)])?.collect(&["o_orderpriority", "order_count"])
}
