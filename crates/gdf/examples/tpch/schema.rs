//! The tables and types of the columns that the queries read.

use gdf::DataType;

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
pub(crate) const MONEY: DataType = DataType::Decimal64(15, 2);

/// Returns the type that the queries expect for a column.
pub(crate) fn type_of(column: &str) -> DataType {
    match column {
        "o_shippriority" | "p_size" | "ps_availqty" => DataType::Int32,
        "c_acctbal" | "l_discount" | "l_extendedprice" | "l_quantity" | "l_tax" | "o_totalprice" | "ps_supplycost"
        | "s_acctbal" => MONEY,
        _ if column.ends_with("key") => DataType::Int64,
        _ if column.ends_with("date") => DataType::Date32,
        _ => DataType::Utf8,
    }
}
