//! Query 6, forecasting revenue change: what would have been earned without small discounts.
//!
//! ```sql
//! select sum(l_extendedprice * l_discount) as revenue from lineitem
//! where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
//!   and l_discount between 0.05 and 0.07 and l_quantity < 24
//! ```

use arrow_array::RecordBatch;
use gdf::binaryop::{and, ge, le, lt, mul};
use gdf::reduction::sum;
use gdf::stream_compaction::apply_boolean_mask;

use super::{Query, date, money};
use crate::generate::TpchTable;
use crate::load::{Database, collect};

/// Query 6.
pub(crate) const QUERY: Query =
    Query { number: 6, reads: &["l_shipdate", "l_discount", "l_quantity", "l_extendedprice"], order_by: &[], run };

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines = db.table(TpchTable::Lineitem)?;
    let (day, discount, quantity) =
        (lines.column("l_shipdate")?, lines.column("l_discount")?, lines.column("l_quantity")?);
    let of_year = and(&ge(day, date(1994, 1, 1))?, &lt(day, date(1995, 1, 1))?)?;
    let small_discount = and(&ge(discount, money(5))?, &le(discount, money(7))?)?;
    let mask = and(&and(&of_year, &small_discount)?, &lt(quantity, money(2_400))?)?;

    let sold = apply_boolean_mask(lines.select(&["l_extendedprice", "l_discount"])?.table(), &mask)?;
    let total = sum(&mul(sold.column(0)?, sold.column(1)?)?)?;
    collect(&["revenue"], vec![total.into_column()])
}
