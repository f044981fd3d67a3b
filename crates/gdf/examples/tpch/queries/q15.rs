//! Query 15, top supplier: the supplier with the highest revenue in a quarter.
//!
//! ```sql
//! with revenue as (select l_suppkey as supplier_no, sum(l_extendedprice * (1 - l_discount)) as total_revenue
//!   from lineitem where l_shipdate >= date '1996-01-01' and l_shipdate < date '1996-04-01' group by l_suppkey)
//! select s_suppkey, s_name, s_address, s_phone, total_revenue from supplier, revenue
//! where s_suppkey = supplier_no and total_revenue = (select max(total_revenue) from revenue) order by s_suppkey;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation::Sum;
use gdf::reduction::ReduceAggregation::Max;
use gdf::sorting::Order::Ascending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::{date, within};

pub(crate) const QUERY: Query = Query {
    number: 15,
    reads: "s_suppkey s_name s_address s_phone l_suppkey l_extendedprice l_discount l_shipdate",
    order_by: &["s_suppkey"],
    pipelines: run,
    frames: frames::q15,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines = db.read(&["l_suppkey", "l_extendedprice", "l_discount", "l_shipdate"])?;
    let of_quarter = within(lines.col("l_shipdate")?, date(1996, 1, 1), date(1996, 4, 1));
    let volume = [("total_revenue", Sum, lines.volume()?)];
    let revenue = lines.filter(of_quarter).group([("l_suppkey", lines.col("l_suppkey")?)], volume)?;
    let total = revenue.col("total_revenue")?;
    let most = revenue.rows().reduce([("most", Max, total.clone())])?.value("most")?;
    let best = revenue.filter(total.eq(most)).all()?;
    let suppliers = db.read(&["s_suppkey", "s_name", "s_address", "s_phone"])?;
    let rows = suppliers.join(&best, &["s_suppkey"], &["l_suppkey"])?.sort(&[("s_suppkey", Ascending)])?;
    rows.collect(&["s_suppkey", "s_name", "s_address", "s_phone", "total_revenue"])
}
