//! Query 3, shipping priority: the ten unshipped orders of the greatest value, of one market segment.
//!
//! ```sql
//! select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate, o_shippriority
//! from customer, orders, lineitem
//! where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey
//!   and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15'
//! group by l_orderkey, o_orderdate, o_shippriority order by revenue desc, o_orderdate limit 10
//! ```

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use gdf::binaryop::{BinaryOperator, binary_operation};
use gdf::copying::{OutOfBoundsPolicy, gather};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{NullEquality, inner_join, left_semi_join};
use gdf::sorting::{Order, sorted_order};
use gdf::stream_compaction::apply_boolean_mask;
use gdf::{Scalar, Table};

use super::{Kind, Need, Query, days};
use crate::generate::TpchTable;
use crate::load::Database;

/// Query 3.
pub(crate) const QUERY: Query = Query {
    number: 3,
    needs: &[
        Need { table: TpchTable::Customer, columns: &[("c_custkey", Kind::Key), ("c_mktsegment", Kind::Text)] },
        Need {
            table: TpchTable::Orders,
            columns: &[
                ("o_orderkey", Kind::Key),
                ("o_custkey", Kind::Key),
                ("o_orderdate", Kind::Date),
                ("o_shippriority", Kind::Int),
            ],
        },
        Need {
            table: TpchTable::Lineitem,
            columns: &[
                ("l_orderkey", Kind::Key),
                ("l_extendedprice", Kind::Money),
                ("l_discount", Kind::Money),
                ("l_shipdate", Kind::Date),
            ],
        },
    ],
    order_by: &["revenue", "o_orderdate"],
    run,
};

const NAMES: [&str; 4] = ["l_orderkey", "revenue", "o_orderdate", "o_shippriority"];
const ROWS: usize = 10;

/// One minus a `decimal(15, 2)`, and the price times that.
const FACTOR: DataType = DataType::Decimal128(16, 2);
const DISCOUNTED: DataType = DataType::Decimal128(32, 4);

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    use BinaryOperator::{Equal, Greater, Less, Mul, Sub};
    let day = db.scalar(days(1995, 3, 15), &DataType::Date32)?;

    let segment = db.text("BUILDING")?;
    let customers = selected(db, TpchTable::Customer, &["c_custkey"], "c_mktsegment", Equal, &segment)?;
    let names = ["o_orderkey", "o_custkey", "o_orderdate", "o_shippriority"];
    let orders = selected(db, TpchTable::Orders, &names, "o_orderdate", Less, &day)?;
    let of_segment = left_semi_join(&orders.select(&[1])?, &customers, NullEquality::Unequal)?;
    let orders = gather(&orders.select(&[0, 2, 3])?, &of_segment, OutOfBoundsPolicy::Error)?;

    let names = ["l_orderkey", "l_extendedprice", "l_discount"];
    let lines = selected(db, TpchTable::Lineitem, &names, "l_shipdate", Greater, &day)?;
    let (line, order) = inner_join(&lines.select(&[0])?, &orders.select(&[0])?, NullEquality::Unequal)?;
    let lines = gather(&lines.select(&[1, 2])?, &line, OutOfBoundsPolicy::Error)?;
    let one = db.scalar(100_i128, &Kind::Money.data_type())?;
    let factor = binary_operation(&one, lines.column(1)?, Sub, &FACTOR)?;
    let discounted = binary_operation(lines.column(0)?, &factor, Mul, &DISCOUNTED)?;

    // Orders have their key once: their rows are the groups.
    let order = Table::try_new(vec![order])?;
    let request = AggregationRequest::new(&discounted, [GroupByAggregation::Sum]);
    let (groups, results) = GroupBy::new(&order, NullPolicy::Exclude).aggregate(&[request])?;
    let [[revenue]] = &results.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] else {
        return Err(gdf::Error::invalid_data("a result per request"));
    };
    let orders = gather(&orders, groups.column(0)?, OutOfBoundsPolicy::Error)?;
    let [key, date, priority] = orders.columns() else {
        return Err(gdf::Error::invalid_data("a column per column"));
    };
    let keys = Table::try_new(vec![revenue.clone(), date.clone()])?;
    let best = sorted_order(&keys, &[Order::Descending, Order::Ascending], &[])?;
    let best = best.slice(0, ROWS.min(best.len()))?;
    let rows = Table::try_new(vec![key.clone(), revenue.clone(), date.clone(), priority.clone()])?;
    db.collect(&NAMES, gather(&rows, &best, OutOfBoundsPolicy::Error)?.into_columns())
}

/// Columns of a table where `column` stands so to `value`.
fn selected(
    db: &Database,
    table: TpchTable,
    names: &[&str],
    column: &str,
    operator: BinaryOperator,
    value: &Scalar,
) -> gdf::Result<Table> {
    let mask = binary_operation(db.column(table, column)?, value, operator, &DataType::Boolean)?;
    let columns = names.iter().map(|name| db.column(table, name).cloned()).collect::<gdf::Result<_>>()?;
    apply_boolean_mask(&Table::try_new(columns)?, &mask)
}
