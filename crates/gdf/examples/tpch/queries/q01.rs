//! Query 1, pricing summary report: what was shipped, by return flag and line status.
//!
//! ```sql
//! select l_returnflag, l_linestatus, sum(l_quantity) as sum_qty, sum(l_extendedprice) as sum_base_price,
//!   sum(l_extendedprice * (1 - l_discount)) as sum_disc_price,
//!   sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge,
//!   avg(l_quantity) as avg_qty, avg(l_extendedprice) as avg_price, avg(l_discount) as avg_disc, count(*) as count_order
//! from lineitem where l_shipdate <= date '1998-12-01' - interval '90' day
//! group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus
//! ```

use arrow_array::RecordBatch;
use gdf::binaryop::{div, le};
use gdf::expr::col;
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::sorting::sort_by_key;
use gdf::transform::compute_columns;
use gdf::unary::cast;
use gdf::{Column, DataType, Table};

use super::{Query, amount, date};
use crate::generate::TpchTable;
use crate::load::{Database, collect};

/// Query 1.
pub(crate) const QUERY: Query = Query {
    number: 1,
    reads: &["l_returnflag", "l_linestatus", "l_quantity", "l_extendedprice", "l_discount", "l_tax", "l_shipdate"],
    order_by: &["l_returnflag", "l_linestatus"],
    run,
};

const NAMES: [&str; 10] = [
    "l_returnflag",
    "l_linestatus",
    "sum_qty",
    "sum_base_price",
    "sum_disc_price",
    "sum_charge",
    "avg_qty",
    "avg_price",
    "avg_disc",
    "count_order",
];

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let lines = db.table(TpchTable::Lineitem)?;
    let shipped = le(lines.column("l_shipdate")?, date(1998, 9, 2))?;
    let (quantity, price) = (lines.column("l_quantity")?, lines.column("l_extendedprice")?);
    let discount = lines.column("l_discount")?;
    let amounts = lines.select(&["l_extendedprice", "l_discount", "l_tax"])?;
    let discounted = col(0) * (amount(100) - col(1));
    let charged = discounted.clone() * (amount(100) + col(2));
    let amounts = compute_columns(amounts.table(), &[discounted, charged])?;
    let (discounted, charged) = (amounts.column(0)?, amounts.column(1)?);

    let sum = |values| AggregationRequest::new(values, [GroupByAggregation::Sum]);
    let counted = AggregationRequest::new(quantity, [GroupByAggregation::Sum, GroupByAggregation::CountAll]);
    let keys = lines.select(&["l_returnflag", "l_linestatus"])?;
    let groups = GroupBy::new(keys.table(), NullPolicy::Include)
        .agg_where(&shipped, &[counted, sum(price), sum(discounted), sum(charged), sum(discount)])?;
    let [flag, status, quantity, count, price, discounted, charged, discount] = groups.columns() else {
        return Err(gdf::Error::invalid_data("expected 2 columns of keys and 6 of results"));
    };
    let mut columns = [flag, status, quantity, price, discounted, charged].map(Clone::clone).to_vec();
    for total in [quantity, price, discount] {
        columns.push(average(total, count)?);
    }
    columns.push(count.clone());
    let sorted = sort_by_key(&Table::try_new(columns)?, &groups.select(&[0, 1])?, &[], &[])?;
    collect(&NAMES, sorted.into_columns())
}

fn average(total: &Column, count: &Column) -> gdf::Result<Column> {
    let (total, count) = (cast(total, &DataType::Float64)?, cast(count, &DataType::Float64)?);
    div(&total, &count)
}
