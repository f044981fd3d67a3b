//! Query 15, top supplier: who earned the most in a quarter.
//!
//! ```sql
//! with revenue as (select l_suppkey as supplier_no, sum(l_extendedprice * (1 - l_discount)) as total_revenue
//!   from lineitem where l_shipdate >= date '1996-01-01' and l_shipdate < date '1996-04-01' group by l_suppkey)
//! select s_suppkey, s_name, s_address, s_phone, total_revenue from supplier, revenue
//! where s_suppkey = supplier_no and total_revenue = (select max(total_revenue) from revenue) order by s_suppkey;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation;
use gdf::predicate::Predicate;
use gdf::reduction::max;
use gdf::sorting::Order;

use super::{Query, date};
use crate::load::Database;

/// Query 15.
pub(crate) const QUERY: Query = Query {
    number: 15,
    reads: &["s_suppkey", "s_name", "s_address", "s_phone", "l_suppkey", "l_extendedprice", "l_discount", "l_shipdate"],
    order_by: &["s_suppkey"],
    run,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines = db.read(&["l_suppkey", "l_extendedprice", "l_discount", "l_shipdate"])?;
    let day = lines.column("l_shipdate")?;
    let of_quarter = Predicate::ge(day, date(1996, 1, 1)).and(Predicate::lt(day, date(1996, 4, 1)));
    let lines = lines.select(&["l_suppkey", "l_extendedprice", "l_discount"])?.filter(of_quarter)?;
    let volume = lines.volume()?;
    let lines = lines.compute(&[("volume", volume)])?;
    let revenue = lines.group(&["l_suppkey"], &[("total_revenue", GroupByAggregation::Sum, "volume")])?;
    let total = revenue.column("total_revenue")?;
    let best = revenue.filter(Predicate::eq(total, &max(total)?))?;
    let suppliers = db.read(&["s_suppkey", "s_name", "s_address", "s_phone"])?;
    let rows = suppliers.join(&best, &["s_suppkey"], &["l_suppkey"])?.sort(&[("s_suppkey", Order::Ascending)])?;
    rows.collect(&["s_suppkey", "s_name", "s_address", "s_phone", "total_revenue"])
}
