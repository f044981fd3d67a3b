//! Query 11, important stock identification: the parts that are a large share of the stock of German suppliers.
//!
//! ```sql
//! select ps_partkey, sum(ps_supplycost * ps_availqty) as value from partsupp, supplier, nation
//! where ps_suppkey = s_suppkey and s_nationkey = n_nationkey and n_name = 'GERMANY'
//! group by ps_partkey having sum(ps_supplycost * ps_availqty) > (
//!   select sum(ps_supplycost * ps_availqty) * {FRACTION} from partsupp, supplier, nation
//!   where ps_suppkey = s_suppkey and s_nationkey = n_nationkey and n_name = 'GERMANY')
//! order by value desc;
//! ```

use arrow_array::RecordBatch;
use gdf::DataType::{Decimal64, Float64};
use gdf::groupby::GroupByAggregation;
use gdf::reduction::ReduceAggregation;
use gdf::sorting::Order::Descending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;

pub(crate) const QUERY: Query = Query {
    number: 11,
    reads: "ps_partkey ps_suppkey ps_supplycost ps_availqty s_suppkey s_nationkey n_nationkey n_name",
    order_by: &["value"],
    pipelines: run,
    frames: frames::q11,
};

/// The share at scale 1, which is divided by the scale.
const FRACTION: f64 = 0.0001;

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let nations = db.read(&["n_nationkey", "n_name"])?;
    let nations = nations.filter(nations.col("n_name")?.eq("GERMANY")).all()?;
    let suppliers = db.read(&["s_suppkey", "s_nationkey"])?;
    let suppliers = suppliers.semi(&nations, &["s_nationkey"], &["n_nationkey"])?.select(&["s_suppkey"])?;
    let offers = db.read(&["ps_partkey", "ps_suppkey", "ps_supplycost", "ps_availqty"])?;
    let [part, cost, quantity] = offers.cols(["ps_partkey", "ps_supplycost", "ps_availqty"])?;
    let value = cost * quantity.cast(Decimal64(10, 0));
    let offers = offers.semi(&suppliers, &["ps_suppkey"], &["s_suppkey"])?;
    let groups = offers.group([("ps_partkey", part)], [("value", GroupByAggregation::Sum, value)])?;

    // The sum over all rows is computed as the sum of the groups.
    let total = groups.rows().reduce([("total", ReduceAggregation::Sum, groups.col("value")?)])?;
    let total = total.rows().project([("total", total.col("total")?.cast(Float64))])?;
    let threshold = total.float("total")?.unwrap_or_default() * FRACTION / db.scale();
    let large = groups.filter(groups.col("value")?.cast(Float64).gt(threshold)).all()?;
    large.sort(&[("value", Descending)])?.collect_all()
}
