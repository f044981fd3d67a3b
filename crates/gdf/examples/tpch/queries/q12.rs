//! Query 12, shipping modes and order priority: the late lines of two shipping modes, with urgent and other orders
//! counted separately.
//!
//! ```sql
//! select l_shipmode,
//!   sum(case when o_orderpriority = '1-URGENT' or o_orderpriority = '2-HIGH' then 1 else 0 end) as high_line_count,
//!   sum(case when o_orderpriority <> '1-URGENT' and o_orderpriority <> '2-HIGH' then 1 else 0 end) as low_line_count
//! from orders, lineitem
//! where o_orderkey = l_orderkey and l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate
//!   and l_shipdate < l_commitdate and l_receiptdate >= date '1994-01-01' and l_receiptdate < date '1995-01-01'
//! group by l_shipmode order by l_shipmode;
//! ```

use arrow_array::RecordBatch;
use gdf::DataType::Int64;
use gdf::groupby::GroupByAggregation::Sum;
use gdf::predicate::Predicate;
use gdf::sorting::Order::Ascending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::date;

pub(crate) const QUERY: Query = Query {
    number: 12,
    reads: "o_orderkey o_orderpriority l_orderkey l_shipmode l_shipdate l_commitdate l_receiptdate",
    order_by: &["l_shipmode"],
    pipelines: run,
    frames: frames::q12,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines = db.read(&["l_orderkey", "l_shipmode", "l_shipdate", "l_commitdate", "l_receiptdate"])?;
    let [shipped, due, received] = ["l_shipdate", "l_commitdate", "l_receiptdate"].map(|name| lines.column(name));
    let (shipped, due, received) = (shipped?, due?, received?);
    let of_year = Predicate::ge(received, date(1994, 1, 1)).and(Predicate::lt(received, date(1995, 1, 1)));
    let late = Predicate::lt(due, received).and(Predicate::lt(shipped, due));
    let lines = lines.select(&["l_orderkey", "l_shipmode"])?.filter_by(of_year.and(late))?;
    let lines = lines.filter_by(Predicate::is_in(lines.column("l_shipmode")?, ["MAIL", "SHIP"]))?;
    let rows = db.read(&["o_orderkey", "o_orderpriority"])?.join(&lines, &["o_orderkey"], &["l_orderkey"])?;

    let priority = rows.col("o_orderpriority")?;
    let high = priority.clone().eq("1-URGENT").or(priority.eq("2-HIGH"));
    let groups = rows.rows().group(
        [("l_shipmode", rows.col("l_shipmode")?)],
        [("high_line_count", Sum, high.clone().cast(Int64)), ("low_line_count", Sum, (!high).cast(Int64))],
    )?;
    groups.sort(&[("l_shipmode", Ascending)])?.collect_all()
}
