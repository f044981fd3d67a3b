//! Query 17, small quantity order revenue: what would be lost without orders of less than a fifth of the usual quantity.
//!
//! ```sql
//! select sum(l_extendedprice) / 7.0 as avg_yearly from lineitem, part
//! where p_partkey = l_partkey and p_brand = 'Brand#23' and p_container = 'MED BOX'
//!   and l_quantity < (select 0.2 * avg(l_quantity) from lineitem where l_partkey = p_partkey);
//! ```

use arrow_array::RecordBatch;
use gdf::binaryop::{div, mul};
use gdf::groupby::GroupByAggregation;
use gdf::predicate::Predicate;
use gdf::reduction::sum;
use gdf::unary::cast;
use gdf::{DataType, Table};

use super::Query;
use super::frame::Frame;
use crate::load::Database;

/// Query 17.
pub(crate) const QUERY: Query = Query {
    number: 17,
    reads: &["l_partkey", "l_quantity", "l_extendedprice", "p_partkey", "p_brand", "p_container"],
    order_by: &[],
    run,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let parts = db.read(&["p_partkey", "p_brand", "p_container"])?;
    let of_brand = Predicate::eq(parts.column("p_brand")?, "Brand#23");
    let wanted = of_brand.and(Predicate::eq(parts.column("p_container")?, "MED BOX"));
    let parts = parts.select(&["p_partkey"])?.filter(wanted)?;
    let lines = db.read(&["l_partkey", "l_quantity", "l_extendedprice"])?;
    let lines = lines.semi(&parts, &["l_partkey"], &["p_partkey"])?;
    let quantity = cast(lines.column("l_quantity")?, &DataType::Float64)?;
    let lines = lines.with("quantity", quantity)?;
    let means = lines.group(&["l_partkey"], &[("mean", GroupByAggregation::Mean, "quantity")])?;
    let lines = lines.join(&means, &["l_partkey"], &["l_partkey"])?;
    let fifth = mul(lines.column("mean")?, 0.2_f64)?;
    let small = Predicate::lt(lines.column("quantity")?, &fifth);
    let total = sum(lines.filter(small)?.column("l_extendedprice")?)?.into_column();
    let mean = div(&cast(&total, &DataType::Float64)?, 7.0_f64)?;
    Frame::new(&["avg_yearly"], Table::try_new(vec![mean])?).collect(&["avg_yearly"])
}
