//! The tables and types of columns, and values of these types, as queries write them.

use chrono::NaiveDate;
use gdf::expr::{Expr, Value, lit};
use gdf::{DataType, Literal};

use crate::generate::TpchTable;

/// Returns the table of a column, by the prefix of its name.
pub(crate) fn table_of(column: &str) -> TpchTable {
    match column.split_once('_').map_or("", |(prefix, _)| prefix) {
        "c" => TpchTable::Customer,
        "l" => TpchTable::Lineitem,
        "n" => TpchTable::Nation,
        "o" => TpchTable::Orders,
        "p" => TpchTable::Part,
        "ps" => TpchTable::Partsupp,
        "r" => TpchTable::Region,
        _ => TpchTable::Supplier,
    }
}

/// The type of amounts of money. Amounts have 15 digits, which fit 64 bits. Sums of amounts are `Decimal128`.
static MONEY: DataType = DataType::Decimal64(15, 2);

/// Returns the type that the queries expect for a column.
pub(crate) fn type_of(column: &str) -> DataType {
    match column {
        "o_shippriority" | "p_size" | "ps_availqty" => DataType::Int32,
        "c_acctbal" | "l_discount" | "l_extendedprice" | "l_quantity" | "l_tax" | "o_totalprice" | "ps_supplycost"
        | "s_acctbal" => MONEY.clone(),
        _ if column.ends_with("key") => DataType::Int64,
        _ if column.ends_with("date") => DataType::Date32,
        _ => DataType::Utf8,
    }
}

pub(crate) fn date(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap_or_default()
}

/// Returns whether the date is in the range, without the end of the range.
pub(crate) fn within(value: Expr, begin: NaiveDate, end: NaiveDate) -> Expr {
    value.clone().ge(begin).and(value.lt(end))
}

pub(crate) fn ratio(part: Expr, all: Expr) -> Expr {
    part.cast(DataType::Float64) / all.cast(DataType::Float64)
}

pub(crate) fn money(cents: i64) -> Literal<'static> {
    Literal::typed(Some(cents), &MONEY).unwrap_or(Literal::null(&MONEY))
}

pub(crate) fn amount(cents: i64) -> Expr {
    lit(Value::new(money(cents)))
}
