//! Query 22, global sales opportunity: the customers of seven countries that have an above-average balance and no
//! orders.
//!
//! ```sql
//! select cntrycode, count(*) as numcust, sum(c_acctbal) as totacctbal from (
//!   select substring(c_phone from 1 for 2) as cntrycode, c_acctbal from customer
//!   where substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17')
//!     and c_acctbal > (select avg(c_acctbal) from customer where c_acctbal > 0.00
//!       and substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17'))
//!     and not exists (select * from orders where o_custkey = c_custkey)) as custsale
//! group by cntrycode order by cntrycode;
//! ```

use arrow_array::RecordBatch;
use gdf::DataType::Float64;
use gdf::groupby::GroupByAggregation::{CountAll, Sum};
use gdf::predicate::Predicate;
use gdf::reduction::ReduceAggregation::Mean;
use gdf::sorting::Order::Ascending;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::amount;

pub(crate) const QUERY: Query = Query {
    number: 22,
    reads: "c_custkey c_phone c_acctbal o_custkey",
    order_by: &["cntrycode"],
    pipelines: run,
    frames: frames::q22,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let customers = db.read(&["c_custkey", "c_phone", "c_acctbal"])?;
    let [customer, phone, balance] = customers.cols(["c_custkey", "c_phone", "c_acctbal"])?;
    let outputs = [("c_custkey", customer), ("cntrycode", phone.slice(0, Some(2))), ("c_acctbal", balance.clone())];
    let customers = customers.rows().project(outputs)?;
    let codes = ["13", "31", "23", "29", "30", "18", "17"];
    let customers = customers.filter_by(Predicate::is_in(customers.column("cntrycode")?, codes))?;
    let value = balance.clone().cast(Float64);
    let positive = customers.filter(balance.clone().gt(amount(0)));
    let usual = positive.reduce([("usual", Mean, value.clone())])?.value("usual")?;
    let rich = customers.filter(value.gt(usual)).all()?;
    let orders = db.read(&["o_custkey"])?.semi(&rich, &["o_custkey"], &["c_custkey"])?.all()?;
    let rows = rich.anti(&orders, &["c_custkey"], &["o_custkey"])?;
    let results = [("numcust", CountAll, balance.clone()), ("totacctbal", Sum, balance)];
    let groups = rows.rows().group([("cntrycode", rows.col("cntrycode")?)], results)?;
    groups.sort(&[("cntrycode", Ascending)])?.collect_all()
}
