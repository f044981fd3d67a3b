//! Query 21, suppliers who kept orders waiting: those in Saudi Arabia who alone were late for an order of several suppliers.
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
use gdf::binaryop::gt;
use gdf::groupby::GroupByAggregation;
use gdf::predicate::Predicate;
use gdf::sorting::Order;

use super::Query;
use super::frame::Frame;
use crate::load::Database;

/// Query 21.
pub(crate) const QUERY: Query = Query {
    number: 21,
    reads: &[
        "s_suppkey",
        "s_name",
        "s_nationkey",
        "l_orderkey",
        "l_suppkey",
        "l_commitdate",
        "l_receiptdate",
        "o_orderkey",
        "o_orderstatus",
        "n_nationkey",
        "n_name",
    ],
    order_by: &["numwait", "s_name"],
    run,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let nations = db.read(&["n_nationkey", "n_name"])?;
    let nations = nations.filter(Predicate::eq(nations.column("n_name")?, "SAUDI ARABIA"))?;
    let suppliers = db.read(&["s_suppkey", "s_name", "s_nationkey"])?;
    let suppliers = suppliers.semi(&nations, &["s_nationkey"], &["n_nationkey"])?.select(&["s_suppkey", "s_name"])?;
    let orders = db.read(&["o_orderkey", "o_orderstatus"])?;
    let orders = orders.select(&["o_orderkey"])?.filter(Predicate::eq(orders.column("o_orderstatus")?, "F"))?;
    let lines = db.read(&["l_orderkey", "l_suppkey", "l_commitdate", "l_receiptdate"])?;
    let late = gt(lines.column("l_receiptdate")?, lines.column("l_commitdate")?)?;
    let lines = lines.select(&["l_orderkey", "l_suppkey"])?.with("is_late", late)?;
    let of_suppliers = lines.semi(&suppliers, &["l_suppkey"], &["s_suppkey"])?;
    let of_suppliers = of_suppliers.filter(Predicate::is_true(of_suppliers.column("is_late")?))?;
    let of_suppliers = of_suppliers.semi(&orders, &["l_orderkey"], &["o_orderkey"])?;

    // Their orders of several suppliers of which one was late.
    let lines = lines.semi(&of_suppliers, &["l_orderkey"], &["l_orderkey"])?;
    let suppliers_of = |lines: &Frame| {
        let [min, max] = [GroupByAggregation::Min, GroupByAggregation::Max];
        lines.group(&["l_orderkey"], &[("first", min, "l_suppkey"), ("last", max, "l_suppkey")])
    };
    let several = suppliers_of(&lines)?;
    let several = several.filter(Predicate::ne(several.column("first")?, several.column("last")?))?;
    let alone = suppliers_of(&lines.filter(Predicate::is_true(lines.column("is_late")?))?)?;
    let alone = alone.filter(Predicate::eq(alone.column("first")?, alone.column("last")?))?;
    let orders = alone.semi(&several, &["l_orderkey"], &["l_orderkey"])?;
    let waiting = of_suppliers.semi(&orders, &["l_orderkey"], &["l_orderkey"])?;

    let waiting = waiting.join(&suppliers, &["l_suppkey"], &["s_suppkey"])?;
    let groups = waiting.group(&["s_name"], &[("numwait", GroupByAggregation::CountAll, "l_orderkey")])?;
    let by = [("numwait", Order::Descending), ("s_name", Order::Ascending)];
    groups.sort(&by)?.head(100).collect(&["s_name", "numwait"])
}
