//! Query 13, customer distribution: the number of customers for each number of orders.
//!
//! ```sql
//! select c_count, count(*) as custdist from (
//!   select c_custkey, count(o_orderkey) as c_count from customer left outer join orders
//!     on c_custkey = o_custkey and o_comment not like '%special%requests%'
//!   group by c_custkey) as c_orders
//! group by c_count order by custdist desc, c_count desc;
//! ```

use arrow_array::RecordBatch;
use gdf::expr::coalesce;
use gdf::groupby::GroupByAggregation::CountAll;
use gdf::sorting::Order::Descending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;

pub(crate) const QUERY: Query = Query {
    number: 13,
    reads: "c_custkey o_orderkey o_custkey o_comment",
    order_by: &["custdist", "c_count"],
    pipelines: run,
    frames: frames::q13,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let orders = db.read(&["o_orderkey", "o_custkey", "o_comment"])?;
    let [key, customer, comment] = orders.cols(["o_orderkey", "o_custkey", "o_comment"])?;
    let usual = orders.filter(!comment.like("%special%requests%"));
    let counts = usual.group([("o_custkey", customer)], [("orders", CountAll, key)])?;
    let customers = db.read(&["c_custkey"])?.left_join(&counts, &["c_custkey"], &["o_custkey"])?;
    let [customer, count] = customers.cols(["c_custkey", "orders"])?;
    let count = coalesce([count, 0_i64.into()]);
    let groups = customers.rows().group([("c_count", count)], [("custdist", CountAll, customer)])?;
    groups.sort(&[("custdist", Descending), ("c_count", Descending)])?.collect_all()
}
