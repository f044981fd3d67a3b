//! The queries on [`gdf::Frame`], with verbs and with expressions that refer to columns by name.
//!
//! Each function is a second implementation of a query of the module [`queries`](crate::queries), and must give the
//! same result. The module `queries` contains the SQL text of each query.

mod joins;
mod scans;
mod subqueries;

use chrono::NaiveDate;
use gdf::DataType::Float64;
use gdf::frame::{Expr, Value, col, lit};

pub(crate) use self::joins::*;
pub(crate) use self::scans::*;
pub(crate) use self::subqueries::*;
use crate::values;

/// Returns `l_extendedprice * (1 - l_discount)`.
fn volume() -> Expr {
    col("l_extendedprice") * (1 - col("l_discount"))
}

/// Returns cents as a value of the type of money in the tables.
fn money(cents: i64) -> Expr {
    lit(Value::new(values::money(cents)))
}

fn ratio(part: Expr, all: Expr) -> Expr {
    part.cast(Float64) / all.cast(Float64)
}

/// Returns whether the date is in the range, without the end of the range.
fn within(date: &str, begin: NaiveDate, end: NaiveDate) -> Expr {
    col(date).ge(begin).and(col(date).lt(end))
}

#[cfg(test)]
mod tests {
    use gdf::Device;
    use gdf::memory::{SpillManager, SpillOptions, SpillStatisticsLevel, current_resource};
    use gdf::scope::with_resource;

    use crate::check::{Verdict, check};
    use crate::load::Database;
    use crate::query::{Api, reads_of};
    use crate::{answers, queries};

    /// The smallest scale with built-in answers.
    const SCALE: f64 = 0.01;

    #[test]
    fn frames_give_the_answers_below_a_limit_of_memory() {
        let all: Vec<_> = queries::ALL.iter().collect();
        let limits = SpillOptions::new().with_hard_limit(3 << 20).with_statistics(SpillStatisticsLevel::Transfers);
        let manager = SpillManager::new(current_resource(Device::Cpu).unwrap(), limits);
        let mut db = Database::spillable(Device::Cpu, SCALE, usize::MAX, manager.clone());
        for (table, columns) in reads_of(&all) {
            db.make(table, &columns, Some(5_000)).unwrap();
        }
        assert!(db.bytes() > 2 * (3 << 20));
        for query in all {
            let answer = answers::find(None, SCALE, query.number).unwrap().unwrap();
            let result = with_resource(&manager.resource(), || query.run(Api::Frames, &db)).unwrap();
            assert_eq!(check(&result, &answer, query.order_by).unwrap(), Verdict::Ok, "query {}", query.number);
        }
        assert!(manager.peak_bytes() <= 3 << 20 && manager.statistics().device_to_disk.bytes > 0);
    }

    #[test]
    fn both_apis_give_the_answers() {
        let all: Vec<_> = queries::ALL.iter().collect();
        let mut db = Database::new(Device::Cpu, SCALE, usize::MAX);
        for (table, columns) in reads_of(&all) {
            db.make(table, &columns, None).unwrap();
        }
        for query in all {
            let answer = answers::find(None, SCALE, query.number).unwrap().unwrap();
            for api in [Api::Pipelines, Api::Frames] {
                let result = query.run(api, &db).unwrap();
                let verdict = check(&result, &answer, query.order_by).unwrap();
                assert_eq!(verdict, Verdict::Ok, "query {} on {api}", query.number);
            }
        }
    }
}
