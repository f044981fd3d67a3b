//! Query 8, national market share: the share of Brazilian suppliers in the purchases of one type of steel in America,
//! by year.
//!
//! ```sql
//! select o_year, sum(case when nation = 'BRAZIL' then volume else 0 end) / sum(volume) as mkt_share from (
//!   select extract(year from o_orderdate) as o_year, l_extendedprice * (1 - l_discount) as volume, n2.n_name as nation
//!   from part, supplier, lineitem, orders, customer, nation n1, nation n2, region
//!   where p_partkey = l_partkey and s_suppkey = l_suppkey and l_orderkey = o_orderkey and o_custkey = c_custkey
//!     and c_nationkey = n1.n_nationkey and n1.n_regionkey = r_regionkey and r_name = 'AMERICA'
//!     and s_nationkey = n2.n_nationkey and o_orderdate between date '1995-01-01' and date '1996-12-31'
//!     and p_type = 'ECONOMY ANODIZED STEEL') as all_nations
//! group by o_year order by o_year;
//! ```

use arrow_array::RecordBatch;
use gdf::expr::{Component, when};
use gdf::groupby::GroupByAggregation::Sum;
use gdf::predicate::Predicate;
use gdf::sorting::Order::Ascending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::{date, ratio};

pub(crate) const QUERY: Query = Query {
    number: 8,
    reads: "p_partkey p_type s_suppkey s_nationkey l_orderkey l_partkey l_suppkey l_extendedprice l_discount \
        o_orderkey o_custkey o_orderdate c_custkey c_nationkey n_nationkey n_name n_regionkey r_regionkey \
        r_name",
    order_by: &["o_year"],
    pipelines: run,
    frames: frames::q08,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let region = db.read(&["r_regionkey", "r_name"])?;
    let region = region.filter(region.col("r_name")?.eq("AMERICA")).all()?;
    let nations = db.read(&["n_nationkey", "n_name", "n_regionkey"])?;
    let american = nations.semi(&region, &["n_regionkey"], &["r_regionkey"])?.select(&["n_nationkey"])?;
    let customers = db.read(&["c_custkey", "c_nationkey"])?;
    let customers = customers.semi(&american, &["c_nationkey"], &["n_nationkey"])?.select(&["c_custkey"])?;
    let orders = db.read(&["o_orderkey", "o_custkey", "o_orderdate"])?;
    let of_years = orders.col("o_orderdate")?.between(date(1995, 1, 1), date(1996, 12, 31));
    let orders = orders.filter(of_years).semi(&customers, &["o_custkey"], &["c_custkey"])?;
    let orders = orders.select(&["o_orderkey", "o_orderdate"])?;
    let parts = db.read(&["p_partkey", "p_type"])?;
    let parts = parts.filter_by(Predicate::eq(parts.column("p_type")?, "ECONOMY ANODIZED STEEL"))?;
    let lines = db.read(&["l_orderkey", "l_partkey", "l_suppkey", "l_extendedprice", "l_discount"])?;
    let of_parts = lines.semi(&parts, &["l_partkey"], &["p_partkey"])?;
    let of_orders = of_parts.semi(&orders, &["l_orderkey"], &["o_orderkey"])?;
    let lines = of_orders.select(&["l_orderkey", "l_suppkey", "l_extendedprice", "l_discount"])?;
    let lines = lines.join(&orders, &["l_orderkey"], &["o_orderkey"])?;
    let suppliers = db.read(&["s_suppkey", "s_nationkey"])?;
    let suppliers = suppliers.join(&nations.select(&["n_nationkey", "n_name"])?, &["s_nationkey"], &["n_nationkey"])?;
    let lines = lines.join(&suppliers, &["l_suppkey"], &["s_suppkey"])?;

    let [day, nation] = lines.cols(["o_orderdate", "n_name"])?;
    let of_brazil = when(nation.eq("BRAZIL"), lines.volume()?).otherwise(0);
    let groups = lines.rows().group(
        [("o_year", day.extract(Component::Year))],
        [("of_brazil", Sum, of_brazil), ("volume", Sum, lines.volume()?)],
    )?;
    let [year, part, all] = groups.cols(["o_year", "of_brazil", "volume"])?;
    let shares = groups.rows().project([("o_year", year), ("mkt_share", ratio(part, all))])?;
    shares.sort(&[("o_year", Ascending)])?.collect_all()
}
