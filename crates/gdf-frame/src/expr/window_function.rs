//! The window functions, and how they are written in SQL.

use std::fmt;

use gdf_api::scan::RankMethod;

use super::{Aggregation, Expr};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WindowFunction {
    /// The aggregation of the partition, for each of its rows.
    Aggregate(Aggregation),
    /// The value of the row that is this number of rows earlier.
    Shift(i64),
    /// The aggregation of the rows from the first row to the current row.
    Scan(Scan),
    /// The value, or the value of the nearest row before or after the row that is not null.
    Fill {
        forward: bool,
    },
    Rank {
        method: RankMethod,
        descending: bool,
    },
    /// The aggregation of the last `rows` rows up to and including the current row.
    Rolling {
        aggregation: Aggregation,
        rows: usize,
        min_rows: usize,
    },
}

/// An aggregation of the rows from the first row to the current row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scan {
    Sum,
    Product,
    Min,
    Max,
}

impl WindowFunction {
    pub(super) fn write(self, f: &mut fmt::Formatter<'_>, values: Option<&Expr>) -> fmt::Result {
        if let WindowFunction::Aggregate(aggregation) = self {
            return aggregation.write(f, values);
        }
        let (name, number) = match self {
            WindowFunction::Shift(rows) => ("LAG", Some(rows)),
            WindowFunction::Scan(scan) => (scan.name(), None),
            WindowFunction::Fill { forward: true } => ("FORWARD_FILL", None),
            WindowFunction::Fill { forward: false } => ("BACKWARD_FILL", None),
            WindowFunction::Rank { method: RankMethod::First, .. } => ("ROW_NUMBER", None),
            WindowFunction::Rank { method: RankMethod::Dense, .. } => ("DENSE_RANK", None),
            WindowFunction::Rank { .. } => ("RANK", None),
            WindowFunction::Rolling { aggregation, rows, .. } => (aggregation.sql_name(), i64::try_from(rows).ok()),
            WindowFunction::Aggregate(aggregation) => (aggregation.sql_name(), None),
        };
        write!(f, "{name}(")?;
        if let Some(values) = values {
            write!(f, "{values}")?;
        }
        match number {
            Some(number) => write!(f, ", {number})"),
            None => f.write_str(")"),
        }
    }
}

impl Scan {
    fn name(self) -> &'static str {
        match self {
            Scan::Sum => "CUM_SUM",
            Scan::Product => "CUM_PROD",
            Scan::Min => "CUM_MIN",
            Scan::Max => "CUM_MAX",
        }
    }
}
