//! Query 20, potential part promotion: the Canadian suppliers whose stock of a forest part exceeds half of the quantity
//! that they sold in a year.
//!
//! ```sql
//! select s_name, s_address from supplier, nation
//! where s_suppkey in (select ps_suppkey from partsupp
//!     where ps_partkey in (select p_partkey from part where p_name like 'forest%')
//!       and ps_availqty > (select 0.5 * sum(l_quantity) from lineitem
//!         where l_partkey = ps_partkey and l_suppkey = ps_suppkey
//!           and l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'))
//!   and s_nationkey = n_nationkey and n_name = 'CANADA' order by s_name;
//! ```

use arrow_array::RecordBatch;
use gdf::DataType::Float64;
use gdf::groupby::GroupByAggregation::Sum;
use gdf::predicate::Predicate;
use gdf::sorting::Order::Ascending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::{date, within};

pub(crate) const QUERY: Query = Query {
    number: 20,
    reads: "s_suppkey s_name s_address s_nationkey n_nationkey n_name ps_partkey ps_suppkey ps_availqty \
        p_partkey p_name l_partkey l_suppkey l_quantity l_shipdate",
    order_by: &["s_name"],
    pipelines: run,
    frames: frames::q20,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let parts = db.read(&["p_partkey", "p_name"])?;
    let forest = Predicate::starts_with(parts.column("p_name")?, "forest");
    let parts = parts.select(&["p_partkey"])?.filter_by(forest)?;
    let lines = db.read(&["l_partkey", "l_suppkey", "l_quantity", "l_shipdate"])?;
    let [part, supplier, quantity, day] = lines.cols(["l_partkey", "l_suppkey", "l_quantity", "l_shipdate"])?;
    let of_parts = lines.semi(&parts, &["l_partkey"], &["p_partkey"])?;
    let of_year = of_parts.filter(within(day, date(1994, 1, 1), date(1995, 1, 1)));
    let sold = of_year.group([("l_partkey", part), ("l_suppkey", supplier)], [("sold", Sum, quantity)])?;
    let offers = db.read(&["ps_partkey", "ps_suppkey", "ps_availqty"])?;
    let offers = offers.join(&sold, &["ps_partkey", "ps_suppkey"], &["l_partkey", "l_suppkey"])?;
    let [available, sold] = offers.cols(["ps_availqty", "sold"])?;
    let offers = offers.filter(available.cast(Float64).gt(sold.cast(Float64) * 0.5)).all()?;

    let nations = db.read(&["n_nationkey", "n_name"])?;
    let nations = nations.filter(nations.col("n_name")?.eq("CANADA")).all()?;
    let suppliers = db.read(&["s_suppkey", "s_name", "s_address", "s_nationkey"])?;
    let suppliers = suppliers.semi(&nations, &["s_nationkey"], &["n_nationkey"])?;
    let suppliers = suppliers.semi(&offers, &["s_suppkey"], &["ps_suppkey"])?.all()?;
    suppliers.sort(&[("s_name", Ascending)])?.collect(&["s_name", "s_address"])
}
