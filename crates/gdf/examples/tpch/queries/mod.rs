//! The queries: what each one reads, how its rows are ordered, and the function that runs it.

pub(crate) mod q01;
pub(crate) mod q03;
pub(crate) mod q06;

use arrow_array::RecordBatch;
use chrono::NaiveDate;
use gdf::{DataType, Literal};

use crate::generate::TpchTable;
use crate::load::Database;

/// One TPC-H query.
#[derive(Debug)]
pub(crate) struct Query {
    /// Its number in the specification.
    pub(crate) number: u32,
    /// The columns it reads, by table.
    pub(crate) needs: &'static [Need],
    /// The result columns that fix the order of rows; rows of equal keys may come in any order.
    pub(crate) order_by: &'static [&'static str],
    /// Runs it; the result is on the host when this returns.
    pub(crate) run: fn(&Database) -> gdf::Result<RecordBatch>,
}

/// The columns that a query reads of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) table: TpchTable,
    pub(crate) columns: &'static [(&'static str, Kind)],
}

/// The type that a query expects of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `Date32`.
    Date,
    /// `Int32`.
    Int,
    /// `Int64`.
    Key,
    /// `Decimal128(15, 2)`.
    Money,
    /// `Utf8`.
    Text,
}

impl Kind {
    /// The Arrow type.
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Kind::Date => DataType::Date32,
            Kind::Int => DataType::Int32,
            Kind::Key => DataType::Int64,
            Kind::Money => DataType::Decimal128(15, 2),
            Kind::Text => DataType::Utf8,
        }
    }
}

/// All supported queries, by number.
pub(crate) const ALL: &[Query] = &[q01::QUERY, q03::QUERY, q06::QUERY];

/// The query of this number, if it is supported.
pub(crate) fn find(number: u32) -> Option<&'static Query> {
    ALL.iter().find(|query| query.number == number)
}

/// The union of what `queries` read: each table once, each of its columns once.
pub(crate) fn needs_of(queries: &[&Query]) -> Vec<(TpchTable, Vec<(&'static str, Kind)>)> {
    let mut union: Vec<(TpchTable, Vec<(&'static str, Kind)>)> = Vec::new();
    for need in queries.iter().flat_map(|query| query.needs) {
        let at = union.iter().position(|(table, _)| *table == need.table).unwrap_or_else(|| {
            union.push((need.table, Vec::new()));
            union.len() - 1
        });
        for column in need.columns {
            if !union[at].1.contains(column) {
                union[at].1.push(*column);
            }
        }
    }
    union
}

/// A day as a literal.
pub(crate) fn date(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap_or_default()
}

/// An amount of cents as a literal of the type [`Kind::Money`].
pub(crate) fn money(cents: i128) -> Literal<'static> {
    static MONEY: DataType = DataType::Decimal128(15, 2);
    Literal::typed(Some(cents), &MONEY).unwrap_or(Literal::null(&MONEY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_united() {
        let twice = needs_of(&[&q06::QUERY, &q06::QUERY]);
        assert_eq!(twice, needs_of(&[&q06::QUERY]));
        assert_eq!(twice[0].1.len(), 4);
        assert!(needs_of(&[]).is_empty());
    }
}
