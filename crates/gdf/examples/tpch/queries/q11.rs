//! Query 11, important stock identification: parts that are a large share of what German suppliers offer.
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
use gdf::DataType;
use gdf::binaryop::mul;
use gdf::groupby::GroupByAggregation;
use gdf::predicate::Predicate;
use gdf::reduction::sum;
use gdf::sorting::Order;
use gdf::unary::cast;

use super::Query;
use crate::load::Database;

/// Query 11.
pub(crate) const QUERY: Query = Query {
    number: 11,
    reads: &[
        "ps_partkey",
        "ps_suppkey",
        "ps_supplycost",
        "ps_availqty",
        "s_suppkey",
        "s_nationkey",
        "n_nationkey",
        "n_name",
    ],
    order_by: &["value"],
    run,
};

/// The share at scale 1. The share is divided by the scale, because the number of parts grows with the scale.
const FRACTION: f64 = 0.0001;

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let nations = db.read(&["n_nationkey", "n_name"])?;
    let nations = nations.filter(Predicate::eq(nations.column("n_name")?, "GERMANY"))?;
    let suppliers = db.read(&["s_suppkey", "s_nationkey"])?.semi(&nations, &["s_nationkey"], &["n_nationkey"])?;
    let offers = db.read(&["ps_partkey", "ps_suppkey", "ps_supplycost", "ps_availqty"])?;
    let offers = offers.semi(&suppliers, &["ps_suppkey"], &["s_suppkey"])?;
    let quantity = cast(offers.column("ps_availqty")?, &DataType::Decimal64(10, 0))?;
    let value = mul(offers.column("ps_supplycost")?, &quantity)?;
    let offers = offers.with("value", value)?;
    let groups = offers.group(&["ps_partkey"], &[("value", GroupByAggregation::Sum, "value")])?;

    let total = cast(&sum(offers.column("value")?)?.into_column(), &DataType::Float64)?;
    let threshold = total.get::<f64>(0)?.unwrap_or_default() * FRACTION / db.scale();
    let value = cast(groups.column("value")?, &DataType::Float64)?;
    groups
        .filter(Predicate::gt(&value, threshold))?
        .sort(&[("value", Order::Descending)])?
        .collect(&["ps_partkey", "value"])
}
