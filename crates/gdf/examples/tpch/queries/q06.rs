//! Query 6, forecasting revenue change: how much higher the revenue of a year would have been without some small
//! discounts.
//!
//! ```sql
//! select sum(l_extendedprice * l_discount) as revenue from lineitem
//! where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
//!   and l_discount between 0.05 and 0.07 and l_quantity < 24
//! ```

use arrow_array::RecordBatch;
use gdf::Table;
use gdf::binaryop::mul;
use gdf::predicate::{Predicate, evaluate_predicate};
use gdf::reduction::sum;
use gdf::stream_compaction::apply_boolean_mask;

use super::{Query, date, money};
use crate::frames;
use crate::generate::TpchTable;
use crate::load::Database;

pub(crate) const QUERY: Query = Query {
    number: 6,
    reads: "l_shipdate l_discount l_quantity l_extendedprice",
    order_by: &[],
    pipelines: run,
    frames: frames::q06,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines = db.table(TpchTable::Lineitem)?;
    let (day, discount, quantity) =
        (lines.column("l_shipdate")?, lines.column("l_discount")?, lines.column("l_quantity")?);
    let of_year = Predicate::ge(day, date(1994, 1, 1)).and(Predicate::lt(day, date(1995, 1, 1)));
    let wanted =
        of_year.and(Predicate::between(discount, money(5), money(7))).and(Predicate::lt(quantity, money(2_400)));

    let sold = lines.select(&["l_extendedprice", "l_discount"])?;
    let sold = apply_boolean_mask(sold.table(), &evaluate_predicate(&wanted)?)?;
    let total = sum(&mul(sold.column(0)?, sold.column(1)?)?)?;
    Table::try_new(vec![total.into_column()])?.to_batch(&["revenue"])
}
