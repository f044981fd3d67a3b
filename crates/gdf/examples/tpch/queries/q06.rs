//! Query 6, forecasting revenue change: what would have been earned without small discounts.
//!
//! ```sql
//! select sum(l_extendedprice * l_discount) as revenue from lineitem
//! where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
//!   and l_discount between 0.05 and 0.07 and l_quantity < 24
//! ```

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use gdf::binaryop::{BinaryOperator, binary_operation};
use gdf::reduction::{ReduceAggregation, reduce};
use gdf::stream_compaction::apply_boolean_mask;
use gdf::{Column, Scalar, Table};

use super::{Kind, Need, Query, days};
use crate::generate::TpchTable;
use crate::load::Database;

/// Query 6.
pub(crate) const QUERY: Query = Query {
    number: 6,
    needs: &[Need {
        table: TpchTable::Lineitem,
        columns: &[
            ("l_shipdate", Kind::Date),
            ("l_discount", Kind::Money),
            ("l_quantity", Kind::Money),
            ("l_extendedprice", Kind::Money),
        ],
    }],
    order_by: &[],
    run,
};

/// The product of two `decimal(15, 2)`.
const PRODUCT: DataType = DataType::Decimal128(31, 4);
const REVENUE: DataType = DataType::Decimal128(38, 4);

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let column = |name| db.column(TpchTable::Lineitem, name);
    let date = |days: i32| db.scalar(days, &Kind::Date.data_type());
    let money = |cents: i128| db.scalar(cents, &Kind::Money.data_type());

    let (shipdate, discount, price) = (column("l_shipdate")?, column("l_discount")?, column("l_extendedprice")?);
    let conditions = [
        compare(shipdate, BinaryOperator::GreaterEqual, &date(days(1994, 1, 1))?)?,
        compare(shipdate, BinaryOperator::Less, &date(days(1995, 1, 1))?)?,
        compare(discount, BinaryOperator::GreaterEqual, &money(5)?)?,
        compare(discount, BinaryOperator::LessEqual, &money(7)?)?,
        compare(column("l_quantity")?, BinaryOperator::Less, &money(2_400)?)?,
    ];
    let [first, others @ ..] = &conditions;
    let mut mask = first.clone();
    for other in others {
        mask = binary_operation(&mask, other, BinaryOperator::NullLogicalAnd, &DataType::Boolean)?;
    }

    let sold = apply_boolean_mask(&Table::try_new(vec![price.clone(), discount.clone()])?, &mask)?;
    let revenue = binary_operation(sold.column(0)?, sold.column(1)?, BinaryOperator::Mul, &PRODUCT)?;
    let total = reduce(&revenue, ReduceAggregation::Sum, &REVENUE)?;
    db.collect(&["revenue"], vec![total.into_column()])
}

fn compare(column: &Column, operator: BinaryOperator, value: &Scalar) -> gdf::Result<Column> {
    binary_operation(column, value, operator, &DataType::Boolean)
}
