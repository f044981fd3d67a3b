//! Query 13, customer distribution: how many customers have how many orders.
//!
//! ```sql
//! select c_count, count(*) as custdist from (
//!   select c_custkey, count(o_orderkey) as c_count from customer left outer join orders
//!     on c_custkey = o_custkey and o_comment not like '%special%requests%'
//!   group by c_custkey) as c_orders
//! group by c_count order by custdist desc, c_count desc;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation;
use gdf::predicate::Predicate;
use gdf::replace::replace_nulls;
use gdf::sorting::Order;
use gdf::strings::like;

use super::Query;
use super::frame::Frame;
use crate::load::Database;

/// Query 13.
pub(crate) const QUERY: Query = Query {
    number: 13,
    reads: &["c_custkey", "o_orderkey", "o_custkey", "o_comment"],
    order_by: &["custdist", "c_count"],
    run,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let orders = db.read(&["o_orderkey", "o_custkey", "o_comment"])?;
    let special = like(orders.column("o_comment")?, "%special%requests%", None)?;
    let orders = orders.select(&["o_orderkey", "o_custkey"])?.filter(!Predicate::is_true(&special))?;
    let counts = orders.group(&["o_custkey"], &[("orders", GroupByAggregation::CountAll, "o_orderkey")])?;
    let customers = db.read(&["c_custkey"])?.left_join(&counts, &["c_custkey"], &["o_custkey"])?;
    let count = replace_nulls(customers.column("orders")?, 0_i64)?;
    let customers = Frame::new(&["c_count"], gdf::Table::try_new(vec![count])?);
    let groups = customers.group(&["c_count"], &[("custdist", GroupByAggregation::CountAll, "c_count")])?;
    let by = [("custdist", Order::Descending), ("c_count", Order::Descending)];
    groups.sort(&by)?.collect(&["c_count", "custdist"])
}
