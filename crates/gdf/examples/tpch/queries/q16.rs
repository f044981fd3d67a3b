//! Query 16, parts and supplier relationship: how many suppliers without complaints offer parts of a kind.
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
use gdf::predicate::Predicate;
use gdf::sorting::Order;
use gdf::strings::like;

use super::Query;
use crate::load::Database;

/// Query 16.
pub(crate) const QUERY: Query = Query {
    number: 16,
    reads: &["p_partkey", "p_brand", "p_type", "p_size", "ps_partkey", "ps_suppkey", "s_suppkey", "s_comment"],
    order_by: &["supplier_cnt", "p_brand", "p_type", "p_size"],
    run,
};

fn run(db: &Database) -> gdf::Result<RecordBatch> {
    let parts = db.read(&["p_partkey", "p_brand", "p_type", "p_size"])?;
    let of_sizes = Predicate::is_in(parts.column("p_size")?, [49, 14, 23, 45, 19, 3, 36, 9]);
    let other_brand = Predicate::ne(parts.column("p_brand")?, "Brand#45");
    let other_type = !Predicate::starts_with(parts.column("p_type")?, "MEDIUM POLISHED");
    let parts = parts.filter(of_sizes.and(other_brand).and(other_type))?;
    let suppliers = db.read(&["s_suppkey", "s_comment"])?;
    let complaints = like(suppliers.column("s_comment")?, "%Customer%Complaints%", None)?;
    let suppliers = suppliers.select(&["s_suppkey"])?.filter(Predicate::is_true(&complaints))?;
    let offers = db.read(&["ps_partkey", "ps_suppkey"])?.join(&parts, &["ps_partkey"], &["p_partkey"])?;
    let offers = offers.anti(&suppliers, &["ps_suppkey"], &["s_suppkey"])?;

    let distinct = GroupByAggregation::Nunique(NullPolicy::Exclude);
    let groups = offers.group(&["p_brand", "p_type", "p_size"], &[("supplier_cnt", distinct, "ps_suppkey")])?;
    let by = ["p_brand", "p_type", "p_size"].map(|name| (name, Order::Ascending));
    let by: Vec<_> = std::iter::once(("supplier_cnt", Order::Descending)).chain(by).collect();
    groups.sort(&by)?.collect(&["p_brand", "p_type", "p_size", "supplier_cnt"])
}
