//! Query 2, minimum cost supplier: the European suppliers that sell a part at the lowest price in Europe.
//!
//! ```sql
//! select s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
//! from part, supplier, partsupp, nation, region
//! where p_partkey = ps_partkey and s_suppkey = ps_suppkey and p_size = 15 and p_type like '%BRASS'
//!   and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'EUROPE'
//!   and ps_supplycost = (select min(ps_supplycost) from partsupp, supplier, nation, region
//!     where p_partkey = ps_partkey and s_suppkey = ps_suppkey and s_nationkey = n_nationkey
//!       and n_regionkey = r_regionkey and r_name = 'EUROPE')
//! order by s_acctbal desc, n_name, s_name, p_partkey limit 100;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::GroupByAggregation::Min;
use gdf::sorting::Order::{Ascending, Descending};

use crate::frames;
use crate::load::Database;
use crate::query::Query;

pub(crate) const QUERY: Query = Query {
    number: 2,
    reads: "p_partkey p_mfgr p_type p_size s_suppkey s_name s_address s_nationkey s_phone s_acctbal s_comment \
        ps_partkey ps_suppkey ps_supplycost n_nationkey n_name n_regionkey r_regionkey r_name",
    order_by: &["s_acctbal", "n_name", "s_name", "p_partkey"],
    pipelines: run,
    frames: frames::q02,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let region = db.read(&["r_regionkey", "r_name"])?;
    let region = region.filter(region.col("r_name")?.eq("EUROPE")).all()?;
    let nations = db.read(&["n_nationkey", "n_name", "n_regionkey"])?;
    let nations = nations.semi(&region, &["n_regionkey"], &["r_regionkey"])?.select(&["n_nationkey", "n_name"])?;
    let suppliers =
        db.read(&["s_suppkey", "s_name", "s_address", "s_nationkey", "s_phone", "s_acctbal", "s_comment"])?;
    let suppliers = suppliers.join(&nations, &["s_nationkey"], &["n_nationkey"])?;
    let parts = db.read(&["p_partkey", "p_mfgr", "p_type", "p_size"])?;
    let [kind, size] = parts.cols(["p_type", "p_size"])?;
    let parts = parts.filter(size.eq(15).and(kind.ends_with("BRASS"))).select(&["p_partkey", "p_mfgr"])?;

    let offers = db.read(&["ps_partkey", "ps_suppkey", "ps_supplycost"])?;
    let offers = offers.semi(&suppliers, &["ps_suppkey"], &["s_suppkey"])?;
    let offers = offers.semi(&parts, &["ps_partkey"], &["p_partkey"])?.all()?;
    let [part, cost] = offers.cols(["ps_partkey", "ps_supplycost"])?;
    let best = offers.rows().group([("ps_partkey", part)], [("min_cost", Min, cost)])?;
    let offers = offers.semi(&best, &["ps_partkey", "ps_supplycost"], &["ps_partkey", "min_cost"])?.all()?;
    let offers = offers.join(&parts, &["ps_partkey"], &["p_partkey"])?;
    let rows = offers.join(&suppliers, &["ps_suppkey"], &["s_suppkey"])?;
    let by = [("s_acctbal", Descending), ("n_name", Ascending), ("s_name", Ascending), ("ps_partkey", Ascending)];
    let read = ["s_acctbal", "s_name", "n_name", "ps_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"];
    let names = ["s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"];
    rows.select(&read)?.top(100, &by)?.named(&names).collect(&names)
}
