//! Query 10, returned item reporting: the customers with the highest value of returned items in a quarter.
//!
//! ```sql
//! select c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) as revenue, c_acctbal, n_name, c_address, c_phone,
//!   c_comment
//! from customer, orders, lineitem, nation
//! where c_custkey = o_custkey and l_orderkey = o_orderkey and o_orderdate >= date '1993-10-01'
//!   and o_orderdate < date '1994-01-01' and l_returnflag = 'R' and c_nationkey = n_nationkey
//! group by c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment order by revenue desc limit 20;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation::Sum;
use gdf::sorting::Order::Descending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::{date, within};

pub(crate) const QUERY: Query = Query {
    number: 10,
    reads: "c_custkey c_name c_acctbal c_nationkey c_address c_phone c_comment o_orderkey o_custkey o_orderdate \
        l_orderkey l_extendedprice l_discount l_returnflag n_nationkey n_name",
    order_by: &["revenue"],
    pipelines: run,
    frames: frames::q10,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let orders = db.read(&["o_orderkey", "o_custkey", "o_orderdate"])?;
    let of_quarter = within(orders.col("o_orderdate")?, date(1993, 10, 1), date(1994, 1, 1));
    let orders = orders.filter(of_quarter).select(&["o_orderkey", "o_custkey"])?;
    let lines = db.read(&["l_orderkey", "l_extendedprice", "l_discount", "l_returnflag"])?;
    let of_orders = lines.semi(&orders, &["l_orderkey"], &["o_orderkey"])?;
    let returned = of_orders.filter(lines.col("l_returnflag")?.eq("R"));
    let lines = returned.select(&["l_orderkey", "l_extendedprice", "l_discount"])?;
    let lines = lines.join(&orders, &["l_orderkey"], &["o_orderkey"])?;
    let revenue = [("revenue", Sum, lines.volume()?)];
    let groups = lines.rows().group([("o_custkey", lines.col("o_custkey")?)], revenue)?;
    let groups = groups.top(20, &[("revenue", Descending)])?;

    let customers =
        db.read(&["c_custkey", "c_name", "c_acctbal", "c_nationkey", "c_address", "c_phone", "c_comment"])?;
    let rows = customers.join(&groups, &["c_custkey"], &["o_custkey"])?;
    let rows = rows.join(&db.read(&["n_nationkey", "n_name"])?, &["c_nationkey"], &["n_nationkey"])?;
    let names = ["c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"];
    rows.sort(&[("revenue", Descending)])?.collect(&names)
}
