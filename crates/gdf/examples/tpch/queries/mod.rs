//! The queries: the columns that each query reads, the order of its rows, and the two functions that run the query.
//! The functions in this module use pipelines and operations. The functions in [`frames`](crate::frames) use frames.

pub(crate) mod frame;
mod q01;
mod q02;
mod q03;
mod q04;
mod q05;
mod q06;
mod q07;
mod q08;
mod q09;
mod q10;
mod q11;
mod q12;
mod q13;
mod q14;
mod q15;
mod q16;
mod q17;
mod q18;
mod q19;
mod q20;
mod q21;
mod q22;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use arrow_array::RecordBatch;
use chrono::NaiveDate;
use gdf::expr::{Expr, Value, lit};
use gdf::frame::LazyFrame;
use gdf::{DataType, Literal};

use crate::generate::TpchTable;
use crate::load::Database;

#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) number: u32,
    /// The columns that the query reads, with spaces between. The prefix of a column's name identifies its table.
    pub(crate) reads: &'static str,
    /// The result columns that determine the order of rows. Rows that are equal in these columns may be in any order.
    pub(crate) order_by: &'static [&'static str],
    /// Runs the query on pipelines. When the function returns, the result is on the host.
    pub(crate) pipelines: fn(&Database) -> gdf::Result<RecordBatch>,
    pub(crate) frames: fn(&Database) -> gdf::Result<LazyFrame>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    Pipelines,
    Frames,
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Api::Pipelines => "pipelines",
            Api::Frames => "frames",
        })
    }
}

impl Query {
    /// Runs the query. When the function returns, the result is on the host.
    pub(crate) fn run(&self, api: Api, db: &Database) -> gdf::Result<RecordBatch> {
        match api {
            Api::Pipelines => (self.pipelines)(db),
            Api::Frames => (self.frames)(db)?.collect()?.to_arrow(),
        }
    }
}

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

pub(crate) const ALL: &[Query] = &[
    q01::QUERY,
    q02::QUERY,
    q03::QUERY,
    q04::QUERY,
    q05::QUERY,
    q06::QUERY,
    q07::QUERY,
    q08::QUERY,
    q09::QUERY,
    q10::QUERY,
    q11::QUERY,
    q12::QUERY,
    q13::QUERY,
    q14::QUERY,
    q15::QUERY,
    q16::QUERY,
    q17::QUERY,
    q18::QUERY,
    q19::QUERY,
    q20::QUERY,
    q21::QUERY,
    q22::QUERY,
];

pub(crate) fn find(number: u32) -> Option<&'static Query> {
    ALL.iter().find(|query| query.number == number)
}

pub(crate) fn reads_of(queries: &[&Query]) -> BTreeMap<TpchTable, BTreeSet<&'static str>> {
    let mut union = BTreeMap::<_, BTreeSet<_>>::new();
    for column in queries.iter().flat_map(|query| query.reads.split_whitespace()) {
        union.entry(table_of(column)).or_default().insert(column);
    }
    union
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_united() {
        let twice = reads_of(&[&q06::QUERY, &q06::QUERY]);
        assert_eq!(twice, reads_of(&[&q06::QUERY]));
        assert_eq!(twice[&TpchTable::Lineitem].len(), 4);
        assert!(reads_of(&[]).is_empty());
    }

    #[test]
    fn every_query_is_there_once() {
        assert!(ALL.iter().map(|query| query.number).eq(1..=22));
    }
}
