//! Query 22, global sales opportunity: customers of seven countries with money and without orders.
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
use gdf::DataType;
use gdf::groupby::GroupByAggregation;
use gdf::predicate::Predicate;
use gdf::reduction::mean;
use gdf::sorting::Order;
use gdf::strings::slice;
use gdf::unary::cast;

use super::{Query, money};
use crate::load::Database;

/// Query 22.
pub(crate) const QUERY: Query =
    Query { number: 22, reads: &["c_custkey", "c_phone", "c_acctbal", "o_custkey"], order_by: &["cntrycode"], run };

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let customers = db.read(&["c_custkey", "c_phone", "c_acctbal"])?;
    let code = slice(customers.column("c_phone")?, 0, 2, 1)?;
    let customers = customers.select(&["c_custkey", "c_acctbal"])?.with("cntrycode", code)?;
    let codes = ["13", "31", "23", "29", "30", "18", "17"];
    let customers = customers.filter(Predicate::is_in(customers.column("cntrycode")?, codes))?;
    let balance = cast(customers.column("c_acctbal")?, &DataType::Float64)?;
    let positive = customers.filter(Predicate::gt(customers.column("c_acctbal")?, money(0)))?;
    let usual = mean(&cast(positive.column("c_acctbal")?, &DataType::Float64)?)?;
    let rich = customers.filter(Predicate::gt(&balance, &usual))?;
    let orders = db.read(&["o_custkey"])?.semi(&rich, &["o_custkey"], &["c_custkey"])?;
    let rows = rich.anti(&orders, &["c_custkey"], &["o_custkey"])?;
    let results =
        [("numcust", GroupByAggregation::CountAll, "c_acctbal"), ("totacctbal", GroupByAggregation::Sum, "c_acctbal")];
    let groups = rows.group(&["cntrycode"], &results)?;
    groups.sort(&[("cntrycode", Order::Ascending)])?.collect(&["cntrycode", "numcust", "totacctbal"])
}
