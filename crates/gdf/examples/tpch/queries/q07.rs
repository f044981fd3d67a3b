//! Query 7, volume shipping: the trade between France and Germany, by year.
//!
//! ```sql
//! select supp_nation, cust_nation, l_year, sum(volume) as revenue from (
//!   select n1.n_name as supp_nation, n2.n_name as cust_nation, extract(year from l_shipdate) as l_year,
//!     l_extendedprice * (1 - l_discount) as volume
//!   from supplier, lineitem, orders, customer, nation n1, nation n2
//!   where s_suppkey = l_suppkey and o_orderkey = l_orderkey and c_custkey = o_custkey
//!     and s_nationkey = n1.n_nationkey and c_nationkey = n2.n_nationkey
//!     and ((n1.n_name = 'FRANCE' and n2.n_name = 'GERMANY') or (n1.n_name = 'GERMANY' and n2.n_name = 'FRANCE'))
//!     and l_shipdate between date '1995-01-01' and date '1996-12-31') as shipping
//! group by supp_nation, cust_nation, l_year order by supp_nation, cust_nation, l_year;
//! ```

use arrow_array::RecordBatch;
use gdf::expr::Component;
use gdf::groupby::GroupByAggregation::Sum;
use gdf::sorting::Order::Ascending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::date;

pub(crate) const QUERY: Query = Query {
    number: 7,
    reads: "s_suppkey s_nationkey l_orderkey l_suppkey l_extendedprice l_discount l_shipdate o_orderkey \
        o_custkey c_custkey c_nationkey n_nationkey n_name",
    order_by: &["supp_nation", "cust_nation", "l_year"],
    pipelines: run,
    frames: frames::q07,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let nations = db.read(&["n_nationkey", "n_name"])?;
    let nations = nations.filter(nations.col("n_name")?.is_in(["FRANCE", "GERMANY"])).all()?;
    let suppliers = db.read(&["s_suppkey", "s_nationkey"])?.join(&nations, &["s_nationkey"], &["n_nationkey"])?;
    let suppliers = suppliers.select(&["s_suppkey", "n_name"])?.named(&["s_suppkey", "supp_nation"]);
    let customers = db.read(&["c_custkey", "c_nationkey"])?.join(&nations, &["c_nationkey"], &["n_nationkey"])?;
    let customers = customers.select(&["c_custkey", "n_name"])?.named(&["c_custkey", "cust_nation"]);
    let orders = db.read(&["o_orderkey", "o_custkey"])?.join(&customers, &["o_custkey"], &["c_custkey"])?;

    let lines = db.read(&["l_orderkey", "l_suppkey", "l_extendedprice", "l_discount", "l_shipdate"])?;
    let of_years = lines.col("l_shipdate")?.between(date(1995, 1, 1), date(1996, 12, 31));
    let of_suppliers = lines.semi(&suppliers, &["l_suppkey"], &["s_suppkey"])?.filter(of_years);
    let lines = of_suppliers.semi(&orders, &["l_orderkey"], &["o_orderkey"])?.all()?;
    let lines = lines.join(&suppliers, &["l_suppkey"], &["s_suppkey"])?;
    let lines = lines.join(&orders, &["l_orderkey"], &["o_orderkey"])?;
    let [of_supplier, of_customer, day] = lines.cols(["supp_nation", "cust_nation", "l_shipdate"])?;
    let groups = lines.filter(of_supplier.clone().ne(of_customer.clone())).group(
        [("supp_nation", of_supplier), ("cust_nation", of_customer), ("l_year", day.extract(Component::Year))],
        [("revenue", Sum, lines.volume()?)],
    )?;
    groups.sort(&["supp_nation", "cust_nation", "l_year"].map(|key| (key, Ascending)))?.collect_all()
}
