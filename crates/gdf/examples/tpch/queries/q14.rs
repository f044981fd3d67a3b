//! Query 14, promotion effect: the share of promoted parts in the revenue of a month.
//!
//! ```sql
//! select 100.00 * sum(case when p_type like 'PROMO%' then l_extendedprice * (1 - l_discount) else 0 end)
//!   / sum(l_extendedprice * (1 - l_discount)) as promo_revenue
//! from lineitem, part
//! where l_partkey = p_partkey and l_shipdate >= date '1995-09-01' and l_shipdate < date '1995-10-01';
//! ```

use arrow_array::RecordBatch;
use gdf::DataType::Float64;
use gdf::predicate::Predicate;
use gdf::reduction::ReduceAggregation::Sum;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::date;

pub(crate) const QUERY: Query = Query {
    number: 14,
    reads: "l_partkey l_extendedprice l_discount l_shipdate p_partkey p_type",
    order_by: &[],
    pipelines: run,
    frames: frames::q14,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines = db.read(&["l_partkey", "l_extendedprice", "l_discount", "l_shipdate"])?;
    let day = lines.column("l_shipdate")?;
    let of_month = Predicate::ge(day, date(1995, 9, 1)).and(Predicate::lt(day, date(1995, 10, 1)));
    let lines = lines.select(&["l_partkey", "l_extendedprice", "l_discount"])?.filter_by(of_month)?;
    let parts = db.read(&["p_partkey", "p_type"])?;
    let promoted = Predicate::starts_with(parts.column("p_type")?, "PROMO");
    let parts = parts.select(&["p_partkey"])?.filter_by(promoted)?;
    let promoted = lines.semi(&parts, &["l_partkey"], &["p_partkey"])?;
    let promoted = promoted.reduce([("promoted", Sum, lines.volume()?)])?;
    let totals = promoted.with(lines.rows().reduce([("all", Sum, lines.volume()?)])?)?;
    let [promoted, all] = totals.cols(["promoted", "all"])?;
    totals.rows().project([("promo_revenue", promoted.cast(Float64) * 100.0 / all.cast(Float64))])?.collect_all()
}
