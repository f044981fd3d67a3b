//! Query 17, small quantity order revenue: the yearly revenue from orders of less than a fifth of the average quantity.
//!
//! ```sql
//! select sum(l_extendedprice) / 7.0 as avg_yearly from lineitem, part
//! where p_partkey = l_partkey and p_brand = 'Brand#23' and p_container = 'MED BOX'
//!   and l_quantity < (select 0.2 * avg(l_quantity) from lineitem where l_partkey = p_partkey);
//! ```

use arrow_array::RecordBatch;
use gdf::DataType::Float64;
use gdf::groupby::GroupByAggregation::Mean;
use gdf::reduction::ReduceAggregation::Sum;

use crate::frames;
use crate::load::Database;
use crate::query::Query;

pub(crate) const QUERY: Query = Query {
    number: 17,
    reads: "l_partkey l_quantity l_extendedprice p_partkey p_brand p_container",
    order_by: &[],
    pipelines: run,
    frames: frames::q17,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let parts = db.read(&["p_partkey", "p_brand", "p_container"])?;
    let [brand, container] = parts.cols(["p_brand", "p_container"])?;
    let parts = parts.filter(brand.eq("Brand#23").and(container.eq("MED BOX"))).select(&["p_partkey"])?;
    let lines = db.read(&["l_partkey", "l_quantity", "l_extendedprice"])?;
    let lines = lines.semi(&parts, &["l_partkey"], &["p_partkey"])?.all()?;
    let [part, quantity] = lines.cols(["l_partkey", "l_quantity"])?;
    let means = lines.rows().group([("l_partkey", part)], [("mean", Mean, quantity.cast(Float64))])?;
    let lines = lines.join(&means, &["l_partkey"], &["l_partkey"])?;
    let [quantity, price, mean] = lines.cols(["l_quantity", "l_extendedprice", "mean"])?;
    let total = lines.filter(quantity.cast(Float64).lt(mean * 0.2)).reduce([("total", Sum, price)])?;
    total.rows().project([("avg_yearly", total.col("total")?.cast(Float64) / 7.0)])?.collect_all()
}
