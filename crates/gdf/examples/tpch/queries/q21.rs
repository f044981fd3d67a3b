//! Query 21, suppliers who kept orders waiting: the suppliers in Saudi Arabia that were the only late suppliers of an
//! order of several suppliers.
//!
//! ```sql
//! select s_name, count(*) as numwait from supplier, lineitem l1, orders, nation
//! where s_suppkey = l1.l_suppkey and o_orderkey = l1.l_orderkey and o_orderstatus = 'F'
//!   and l1.l_receiptdate > l1.l_commitdate
//!   and exists (select * from lineitem l2 where l2.l_orderkey = l1.l_orderkey and l2.l_suppkey <> l1.l_suppkey)
//!   and not exists (select * from lineitem l3 where l3.l_orderkey = l1.l_orderkey and l3.l_suppkey <> l1.l_suppkey
//!     and l3.l_receiptdate > l3.l_commitdate)
//!   and s_nationkey = n_nationkey and n_name = 'SAUDI ARABIA'
//! group by s_name order by numwait desc, s_name limit 100;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation::{CountAll, Max, Min};
use gdf::sorting::Order::{Ascending, Descending};

use super::frame::Rows;
use crate::frames;
use crate::load::Database;
use crate::query::Query;

pub(crate) const QUERY: Query = Query {
    number: 21,
    reads: "s_suppkey s_name s_nationkey l_orderkey l_suppkey l_commitdate l_receiptdate o_orderkey \
        o_orderstatus n_nationkey n_name",
    order_by: &["numwait", "s_name"],
    pipelines: run,
    frames: frames::q21,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let nations = db.read(&["n_nationkey", "n_name"])?;
    let nations = nations.filter(nations.col("n_name")?.eq("SAUDI ARABIA")).all()?;
    let suppliers = db.read(&["s_suppkey", "s_name", "s_nationkey"])?;
    let suppliers = suppliers.semi(&nations, &["s_nationkey"], &["n_nationkey"])?.select(&["s_suppkey", "s_name"])?;
    let orders = db.read(&["o_orderkey", "o_orderstatus"])?;
    let orders = orders.filter(orders.col("o_orderstatus")?.eq("F")).select(&["o_orderkey"])?;
    let lines = db.read(&["l_orderkey", "l_suppkey", "l_commitdate", "l_receiptdate"])?;
    let [order, supplier, due, received] = lines.cols(["l_orderkey", "l_suppkey", "l_commitdate", "l_receiptdate"])?;
    let is_late = received.gt(due);
    let of_suppliers = lines.semi(&suppliers, &["l_suppkey"], &["s_suppkey"])?.filter(is_late.clone());
    let of_suppliers = of_suppliers.semi(&orders, &["l_orderkey"], &["o_orderkey"])?.all()?;

    // The lines of all orders for which one of these suppliers was late.
    let lines = lines.semi(&of_suppliers, &["l_orderkey"], &["l_orderkey"])?.all()?;
    let suppliers_of = |lines: Rows<'_>| {
        let ends = [("first", Min, supplier.clone()), ("last", Max, supplier.clone())];
        lines.group([("l_orderkey", order.clone())], ends)
    };
    let (several, alone) = (suppliers_of(lines.rows())?, suppliers_of(lines.filter(is_late))?);
    let several = several.filter(several.col("first")?.ne(several.col("last")?)).all()?;
    let alone = alone.filter(alone.col("first")?.eq(alone.col("last")?)).all()?;
    let orders = alone.semi(&several, &["l_orderkey"], &["l_orderkey"])?.all()?;
    let waiting = of_suppliers.semi(&orders, &["l_orderkey"], &["l_orderkey"])?.all()?;

    let waiting = waiting.join(&suppliers, &["l_suppkey"], &["s_suppkey"])?;
    let groups = waiting.rows().group([("s_name", waiting.col("s_name")?)], [("numwait", CountAll, order)])?;
    groups.top(100, &[("numwait", Descending), ("s_name", Ascending)])?.collect_all()
}
