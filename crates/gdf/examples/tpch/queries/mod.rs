//! The 22 queries as lazy frames. Their SQL is in `crates/gdf-datafusion/tests/tpch`.

mod joins;
mod scans;
mod subqueries;

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::RecordBatch;
use gdf::DataType::Float64;
use gdf::frame::{Expr, LazyFrame, col};

use crate::generate::TpchTable;
use crate::load::Database;
use crate::schema::table_of;

#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) number: u32,
    /// The columns that the query reads, with spaces between. The prefix of a column's name identifies its table.
    pub(crate) reads: &'static str,
    /// The result columns that determine the order of rows. Rows that are equal in these columns may be in any order.
    pub(crate) order_by: &'static [&'static str],
    pub(crate) plan: fn(&Database) -> gdf::Result<LazyFrame>,
}

impl Query {
    /// Runs the query. When the function returns, the result is on the host.
    pub(crate) fn run(&self, db: &Database) -> gdf::Result<RecordBatch> {
        (self.plan)(db)?.collect()?.to_arrow()
    }
}

pub(crate) const ALL: &[Query] = &[
    Query {
        number: 1,
        reads: "l_returnflag l_linestatus l_quantity l_extendedprice l_discount l_tax l_shipdate",
        order_by: &["l_returnflag", "l_linestatus"],
        plan: scans::q01,
    },
    Query {
        number: 2,
        reads: "p_partkey p_mfgr p_type p_size s_suppkey s_name s_address s_nationkey s_phone s_acctbal s_comment \
            ps_partkey ps_suppkey ps_supplycost n_nationkey n_name n_regionkey r_regionkey r_name",
        order_by: &["s_acctbal", "n_name", "s_name", "p_partkey"],
        plan: subqueries::q02,
    },
    Query {
        number: 3,
        reads: "c_custkey c_mktsegment o_orderkey o_custkey o_orderdate o_shippriority l_orderkey l_extendedprice \
            l_discount l_shipdate",
        order_by: &["revenue", "o_orderdate"],
        plan: joins::q03,
    },
    Query {
        number: 4,
        reads: "o_orderkey o_orderdate o_orderpriority l_orderkey l_commitdate l_receiptdate",
        order_by: &["o_orderpriority"],
        plan: subqueries::q04,
    },
    Query {
        number: 5,
        reads: "c_custkey c_nationkey o_orderkey o_custkey o_orderdate l_orderkey l_suppkey l_extendedprice \
            l_discount s_suppkey s_nationkey n_nationkey n_name n_regionkey r_regionkey r_name",
        order_by: &["revenue"],
        plan: joins::q05,
    },
    Query { number: 6, reads: "l_shipdate l_discount l_quantity l_extendedprice", order_by: &[], plan: scans::q06 },
    Query {
        number: 7,
        reads: "s_suppkey s_nationkey l_orderkey l_suppkey l_extendedprice l_discount l_shipdate o_orderkey \
            o_custkey c_custkey c_nationkey n_nationkey n_name",
        order_by: &["supp_nation", "cust_nation", "l_year"],
        plan: joins::q07,
    },
    Query {
        number: 8,
        reads: "p_partkey p_type s_suppkey s_nationkey l_orderkey l_partkey l_suppkey l_extendedprice l_discount \
            o_orderkey o_custkey o_orderdate c_custkey c_nationkey n_nationkey n_name n_regionkey r_regionkey \
            r_name",
        order_by: &["o_year"],
        plan: joins::q08,
    },
    Query {
        number: 9,
        reads: "p_partkey p_name s_suppkey s_nationkey l_orderkey l_partkey l_suppkey l_quantity l_extendedprice \
            l_discount ps_partkey ps_suppkey ps_supplycost o_orderkey o_orderdate n_nationkey n_name",
        order_by: &["nation", "o_year"],
        plan: joins::q09,
    },
    Query {
        number: 10,
        reads: "c_custkey c_name c_acctbal c_nationkey c_address c_phone c_comment o_orderkey o_custkey o_orderdate \
            l_orderkey l_extendedprice l_discount l_returnflag n_nationkey n_name",
        order_by: &["revenue"],
        plan: joins::q10,
    },
    Query {
        number: 11,
        reads: "ps_partkey ps_suppkey ps_supplycost ps_availqty s_suppkey s_nationkey n_nationkey n_name",
        order_by: &["value"],
        plan: subqueries::q11,
    },
    Query {
        number: 12,
        reads: "o_orderkey o_orderpriority l_orderkey l_shipmode l_shipdate l_commitdate l_receiptdate",
        order_by: &["l_shipmode"],
        plan: scans::q12,
    },
    Query {
        number: 13,
        reads: "c_custkey o_orderkey o_custkey o_comment",
        order_by: &["custdist", "c_count"],
        plan: scans::q13,
    },
    Query {
        number: 14,
        reads: "l_partkey l_extendedprice l_discount l_shipdate p_partkey p_type",
        order_by: &[],
        plan: scans::q14,
    },
    Query {
        number: 15,
        reads: "s_suppkey s_name s_address s_phone l_suppkey l_extendedprice l_discount l_shipdate",
        order_by: &["s_suppkey"],
        plan: subqueries::q15,
    },
    Query {
        number: 16,
        reads: "p_partkey p_brand p_type p_size ps_partkey ps_suppkey s_suppkey s_comment",
        order_by: &["supplier_cnt", "p_brand", "p_type", "p_size"],
        plan: subqueries::q16,
    },
    Query {
        number: 17,
        reads: "l_partkey l_quantity l_extendedprice p_partkey p_brand p_container",
        order_by: &[],
        plan: subqueries::q17,
    },
    Query {
        number: 18,
        reads: "c_custkey c_name o_orderkey o_custkey o_orderdate o_totalprice l_orderkey l_quantity",
        order_by: &["o_totalprice", "o_orderdate"],
        plan: subqueries::q18,
    },
    Query {
        number: 19,
        reads: "l_partkey l_quantity l_extendedprice l_discount l_shipinstruct l_shipmode p_partkey p_brand p_size \
            p_container",
        order_by: &[],
        plan: scans::q19,
    },
    Query {
        number: 20,
        reads: "s_suppkey s_name s_address s_nationkey n_nationkey n_name ps_partkey ps_suppkey ps_availqty \
            p_partkey p_name l_partkey l_suppkey l_quantity l_shipdate",
        order_by: &["s_name"],
        plan: subqueries::q20,
    },
    Query {
        number: 21,
        reads: "s_suppkey s_name s_nationkey l_orderkey l_suppkey l_commitdate l_receiptdate o_orderkey \
            o_orderstatus n_nationkey n_name",
        order_by: &["numwait", "s_name"],
        plan: subqueries::q21,
    },
    Query {
        number: 22,
        reads: "c_custkey c_phone c_acctbal o_custkey",
        order_by: &["cntrycode"],
        plan: subqueries::q22,
    },
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

/// Returns `l_extendedprice * (1 - l_discount)`.
fn volume() -> Expr {
    col("l_extendedprice") * (1 - col("l_discount"))
}

fn ratio(part: Expr, all: Expr) -> Expr {
    part.cast(Float64) / all.cast(Float64)
}

/// Returns whether the date is in the range, without the end of the range.
fn within(date: &str, begin: &'static str, end: &'static str) -> Expr {
    col(date).ge(begin).and(col(date).lt(end))
}

#[cfg(test)]
mod tests {
    use gdf::Device;
    use gdf::memory::{SpillManager, SpillOptions, SpillStatisticsLevel, current_resource};
    use gdf::scope::with_resource;

    use super::*;
    use crate::answers;
    use crate::check::{Verdict, check};

    /// The smallest scale with built-in answers.
    const SCALE: f64 = 0.01;

    fn all_reads() -> BTreeMap<TpchTable, BTreeSet<&'static str>> {
        reads_of(&ALL.iter().collect::<Vec<_>>())
    }

    fn fill(db: &mut Database, part_rows: Option<u64>) {
        for (table, columns) in all_reads() {
            db.make(table, &columns, part_rows).unwrap();
        }
    }

    fn check_all(db: &Database) {
        for query in ALL {
            let answer = answers::find(None, SCALE, query.number).unwrap().unwrap();
            let result = query.run(db).unwrap();
            assert_eq!(check(&result, &answer, query.order_by).unwrap(), Verdict::Ok, "query {}", query.number);
        }
    }

    #[test]
    fn queries_give_the_answers() {
        let mut db = Database::new(Device::Cpu, SCALE, usize::MAX);
        fill(&mut db, None);
        check_all(&db);
    }

    #[test]
    fn queries_give_the_answers_below_a_limit_of_memory() {
        let limits = SpillOptions::new().with_hard_limit(3 << 20).with_statistics(SpillStatisticsLevel::Transfers);
        let manager = SpillManager::new(current_resource(Device::Cpu).unwrap(), limits);
        let mut db = Database::spillable(Device::Cpu, SCALE, usize::MAX, manager.clone());
        fill(&mut db, Some(5_000));
        assert!(db.bytes() > 2 * (3 << 20));
        with_resource(&manager.resource(), || check_all(&db));
        assert!(manager.peak_bytes() <= 3 << 20 && manager.statistics().device_to_disk.bytes > 0);
        check_all(&db.on_cpu(all_reads()).unwrap());
    }

    #[test]
    fn reads_are_united() {
        let query = find(6).unwrap();
        let twice = reads_of(&[query, query]);
        assert_eq!(twice, reads_of(&[query]));
        assert_eq!(twice[&TpchTable::Lineitem].len(), 4);
        assert!(reads_of(&[]).is_empty());
    }

    #[test]
    fn every_query_is_there_once() {
        assert!(ALL.iter().map(|query| query.number).eq(1..=22));
    }
}
