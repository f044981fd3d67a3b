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
use gdf::binaryop::{add, div, le, mul, sub};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::sorting::sort_by_key;
use gdf::stream_compaction::apply_boolean_mask;
use gdf::unary::cast;
use gdf::{Column, DataType, Table};

use super::{Query, date, money};
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
    let read = ["l_returnflag", "l_linestatus", "l_quantity", "l_extendedprice", "l_discount", "l_tax"];
    let rows = apply_boolean_mask(lines.select(&read)?.table(), &shipped)?;
    let (quantity, price, discount, tax) = (rows.column(2)?, rows.column(3)?, rows.column(4)?, rows.column(5)?);
    let discounted = mul(price, &sub(money(100), discount)?)?;
    let charged = mul(&discounted, &add(money(100), tax)?)?;

    let keys = rows.select(&[0, 1])?;
    let sum = |values| AggregationRequest::new(values, [GroupByAggregation::Sum]);
    let counted = AggregationRequest::new(quantity, [GroupByAggregation::Sum, GroupByAggregation::CountAll]);
    let (groups, results) = GroupBy::new(&keys, NullPolicy::Include).aggregate(&[
        counted,
        sum(price),
        sum(&discounted),
        sum(&charged),
        sum(discount),
    ])?;
    let [quantity, price, discounted, charged, discount] = &results[..] else {
        return Err(gdf::Error::invalid_data("a result per request"));
    };
    let count = &quantity[1];
    let mut columns = groups.columns().to_vec();
    columns.extend([&quantity[0], &price[0], &discounted[0], &charged[0]].map(Clone::clone));
    for total in [&quantity[0], &price[0], &discount[0]] {
        columns.push(average(total, count)?);
    }
    columns.push(count.clone());
    let sorted = sort_by_key(&Table::try_new(columns)?, &groups, &[], &[])?;
    collect(&NAMES, sorted.into_columns())
}

fn average(total: &Column, count: &Column) -> gdf::Result<Column> {
    let (total, count) = (cast(total, &DataType::Float64)?, cast(count, &DataType::Float64)?);
    div(&total, &count)
}
