//! Query 6, forecasting revenue change: how much higher the revenue of a year would have been without some small
//! discounts.
//!
//! ```sql
//! select sum(l_extendedprice * l_discount) as revenue from lineitem
//! where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
//!   and l_discount between 0.05 and 0.07 and l_quantity < 24
//! ```

use arrow_array::RecordBatch;
use gdf::reduction::ReduceAggregation::Sum;

use crate::frames;
use crate::load::Database;
use crate::query::Query;
use crate::values::{amount, date, within};

pub(crate) const QUERY: Query = Query {
    number: 6,
    reads: "l_shipdate l_discount l_quantity l_extendedprice",
    order_by: &[],
    pipelines: run,
    frames: frames::q06,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let names = ["l_shipdate", "l_discount", "l_quantity", "l_extendedprice"];
    let lines = db.read(&names)?;
    let [day, discount, quantity, price] = lines.cols(names)?;
    let of_year = within(day, date(1994, 1, 1), date(1995, 1, 1));
    let wanted = of_year.and(discount.clone().between(amount(5), amount(7))).and(quantity.lt(amount(2_400)));
    lines.filter(wanted).reduce([("revenue", Sum, price * discount)])?.collect_all()
}
