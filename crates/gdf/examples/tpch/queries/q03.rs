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
use gdf::Table;
use gdf::binaryop::{eq, gt, lt};
use gdf::copying::{OutOfBoundsPolicy, gather};
use gdf::expr::col;
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{NullEquality, inner_join, left_semi_join};
use gdf::sorting::{Order, sort_by_key};
use gdf::stream_compaction::apply_boolean_mask;
use gdf::transform::compute_column;

use super::{Query, amount, date};
use crate::generate::TpchTable;
use crate::load::{Database, collect};

/// Query 3.
pub(crate) const QUERY: Query = Query {
    number: 3,
    reads: &[
        "c_custkey",
        "c_mktsegment",
        "o_orderkey",
        "o_custkey",
        "o_orderdate",
        "o_shippriority",
        "l_orderkey",
        "l_extendedprice",
        "l_discount",
        "l_shipdate",
    ],
    order_by: &["revenue", "o_orderdate"],
    run,
};

const NAMES: [&str; 4] = ["l_orderkey", "revenue", "o_orderdate", "o_shippriority"];
const ROWS: usize = 10;

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let (customers, orders, lines) =
        (db.table(TpchTable::Customer)?, db.table(TpchTable::Orders)?, db.table(TpchTable::Lineitem)?);
    let day = date(1995, 3, 15);
    let of_segment = eq(customers.column("c_mktsegment")?, "BUILDING")?;
    let customers = apply_boolean_mask(customers.select(&["c_custkey"])?.table(), &of_segment)?;
    let read = ["o_orderkey", "o_custkey", "o_orderdate", "o_shippriority"];
    let orders = apply_boolean_mask(orders.select(&read)?.table(), &lt(orders.column("o_orderdate")?, day)?)?;
    let of_segment = left_semi_join(&orders.select(&[1])?, &customers, NullEquality::Unequal)?;
    let orders = gather(&orders.select(&[0, 2, 3])?, &of_segment, OutOfBoundsPolicy::Error)?;

    let keys = lines.select(&["l_orderkey"])?;
    let (line, order) = inner_join(keys.table(), &orders.select(&[0])?, NullEquality::Unequal)?;
    let read = ["l_extendedprice", "l_discount", "l_shipdate"];
    let lines = gather(lines.select(&read)?.table(), &line, OutOfBoundsPolicy::Error)?;
    let shipped = gt(lines.column(2)?, day)?;
    let discounted = compute_column(&lines, &(col(0) * (amount(100) - col(1))))?;

    // Each order key occurs only once in `orders`, so the row numbers of `orders` can be the keys of the group-by.
    let request = AggregationRequest::new(&discounted, [GroupByAggregation::Sum]);
    let groups = GroupBy::new(&Table::try_new(vec![order])?, NullPolicy::Exclude).agg_where(&shipped, &[request])?;
    let orders = gather(&orders, groups.column(0)?, OutOfBoundsPolicy::Error)?;
    let [key, date, priority] = orders.columns() else {
        return Err(gdf::Error::invalid_data("expected 3 columns of orders"));
    };
    let revenue = groups.column(1)?;
    let rows = Table::try_new(vec![key.clone(), revenue.clone(), date.clone(), priority.clone()])?;
    let best = sort_by_key(&rows, &rows.select(&[1, 2])?, &[Order::Descending, Order::Ascending], &[])?.head(ROWS);
    collect(&NAMES, best.into_columns())
}
