//! Query 16, parts and supplier relationship: the number of suppliers without complaints for each kind of part.
//!
//! ```sql
//! select p_brand, p_type, p_size, count(distinct ps_suppkey) as supplier_cnt from partsupp, part
//! where p_partkey = ps_partkey and p_brand <> 'Brand#45' and p_type not like 'MEDIUM POLISHED%'
//!   and p_size in (49, 14, 23, 45, 19, 3, 36, 9)
//!   and ps_suppkey not in (select s_suppkey from supplier where s_comment like '%Customer%Complaints%')
//! group by p_brand, p_type, p_size order by supplier_cnt desc, p_brand, p_type, p_size;
//! ```

use arrow_array::RecordBatch;
use gdf::groupby::{GroupByAggregation, NullPolicy};
use gdf::sorting::Order::{Ascending, Descending};

use crate::frames;
use crate::load::Database;
use crate::query::Query;

pub(crate) const QUERY: Query = Query {
    number: 16,
    reads: "p_partkey p_brand p_type p_size ps_partkey ps_suppkey s_suppkey s_comment",
    order_by: &["supplier_cnt", "p_brand", "p_type", "p_size"],
    pipelines: run,
    frames: frames::q16,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let parts = db.read(&["p_partkey", "p_brand", "p_type", "p_size"])?;
    let [brand, kind, size] = parts.cols(["p_brand", "p_type", "p_size"])?;
    let other_kind = brand.ne("Brand#45").and(!kind.starts_with("MEDIUM POLISHED"));
    let parts = parts.filter(size.is_in([49, 14, 23, 45, 19, 3, 36, 9]).and(other_kind)).all()?;
    let suppliers = db.read(&["s_suppkey", "s_comment"])?;
    let complaints = suppliers.col("s_comment")?.like("%Customer%Complaints%");
    let suppliers = suppliers.filter(complaints).select(&["s_suppkey"])?;
    let offers = db.read(&["ps_partkey", "ps_suppkey"])?.join(&parts, &["ps_partkey"], &["p_partkey"])?;
    let offers = offers.anti(&suppliers, &["ps_suppkey"], &["s_suppkey"])?;

    let distinct = GroupByAggregation::Nunique(NullPolicy::Exclude);
    let [brand, kind, size, supplier] = offers.cols(["p_brand", "p_type", "p_size", "ps_suppkey"])?;
    let groups = offers
        .rows()
        .group([("p_brand", brand), ("p_type", kind), ("p_size", size)], [("supplier_cnt", distinct, supplier)])?;
    let by = [("supplier_cnt", Descending), ("p_brand", Ascending), ("p_type", Ascending), ("p_size", Ascending)];
    groups.sort(&by)?.collect_all()
}
