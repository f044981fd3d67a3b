//! Queries that compare rows with other rows: subqueries in SQL.

use gdf::DataType::Float64;
use gdf::Result;
use gdf::frame::{Join, LazyFrame, col, len, when};

use super::{volume, within};
use crate::generate::TpchTable::{Customer, Lineitem, Nation, Orders, Part, Partsupp, Region, Supplier};
use crate::load::Database;

/// Query 2, minimum cost supplier.
pub(crate) fn q02(db: &Database) -> Result<LazyFrame> {
    let europe = db.frame(Region)?.filter(col("r_name").eq("EUROPE"));
    let nations = db.frame(Nation)?.join(europe, Join::semi([("n_regionkey", "r_regionkey")]));
    let suppliers = db.frame(Supplier)?.join(nations, Join::inner([("s_nationkey", "n_nationkey")]));
    let parts = db.frame(Part)?.filter(col("p_size").eq(15).and(col("p_type").str().ends_with("BRASS")));
    let offers = db
        .frame(Partsupp)?
        .join(parts, Join::inner([("ps_partkey", "p_partkey")]))
        .join(suppliers, Join::inner([("ps_suppkey", "s_suppkey")]))
        .filter(col("ps_supplycost").eq(col("ps_supplycost").min().over(["ps_partkey"])))
        .rename([("ps_partkey", "p_partkey")])
        .sort([col("s_acctbal").desc(), col("n_name").asc(), col("s_name").asc(), col("p_partkey").asc()])
        .head(100);
    Ok(offers.select(["s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"]))
}

/// Query 4, order priority checking.
pub(crate) fn q04(db: &Database) -> Result<LazyFrame> {
    let late = db.frame(Lineitem)?.filter(col("l_commitdate").lt(col("l_receiptdate")));
    let orders = db.frame(Orders)?.filter(within("o_orderdate", "1993-07-01", "1993-10-01"));
    let orders = orders.join(late, Join::semi([("o_orderkey", "l_orderkey")]));
    Ok(orders.group_by(["o_orderpriority"]).agg([len().alias("order_count")]).sort(["o_orderpriority"]))
}

/// The share of query 11 at scale 1.
const FRACTION: f64 = 0.0001;

/// Query 11, important stock identification.
pub(crate) fn q11(db: &Database) -> Result<LazyFrame> {
    let germany = db.frame(Nation)?.filter(col("n_name").eq("GERMANY"));
    let suppliers = db.frame(Supplier)?.join(germany, Join::semi([("s_nationkey", "n_nationkey")]));
    let offers = db.frame(Partsupp)?.join(suppliers, Join::semi([("ps_suppkey", "s_suppkey")]));
    let value = col("ps_supplycost") * col("ps_availqty");
    let groups = offers.group_by(["ps_partkey"]).agg([value.sum().alias("value")]);
    let threshold = col("value").sum().cast(Float64) * (FRACTION / db.scale());
    Ok(groups.filter(col("value").cast(Float64).gt(threshold)).sort([col("value").desc()]))
}

/// Query 15, top supplier.
pub(crate) fn q15(db: &Database) -> Result<LazyFrame> {
    let lines = db.frame(Lineitem)?.filter(within("l_shipdate", "1996-01-01", "1996-04-01"));
    let revenue = lines.group_by(["l_suppkey"]).agg([volume().sum().alias("total_revenue")]);
    let best = revenue.filter(col("total_revenue").eq(col("total_revenue").max()));
    let suppliers = db.frame(Supplier)?.join(best, Join::inner([("s_suppkey", "l_suppkey")])).sort(["s_suppkey"]);
    Ok(suppliers.select(["s_suppkey", "s_name", "s_address", "s_phone", "total_revenue"]))
}

/// Query 16, parts and supplier relationship.
pub(crate) fn q16(db: &Database) -> Result<LazyFrame> {
    let parts = db
        .frame(Part)?
        .filter(col("p_brand").ne("Brand#45").and(!col("p_type").str().starts_with("MEDIUM POLISHED")))
        .filter(col("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9]));
    let complaints = db.frame(Supplier)?.filter(col("s_comment").str().like("%Customer%Complaints%"));
    let offers = db
        .frame(Partsupp)?
        .join(parts, Join::inner([("ps_partkey", "p_partkey")]))
        .join(complaints, Join::anti([("ps_suppkey", "s_suppkey")]));
    let groups = offers.group_by(["p_brand", "p_type", "p_size"]);
    let counts = groups.agg([col("ps_suppkey").n_unique().alias("supplier_cnt")]);
    Ok(counts.sort([col("supplier_cnt").desc(), col("p_brand").asc(), col("p_type").asc(), col("p_size").asc()]))
}

/// Query 17, small quantity order revenue.
pub(crate) fn q17(db: &Database) -> Result<LazyFrame> {
    let parts = db.frame(Part)?.filter(col("p_brand").eq("Brand#23").and(col("p_container").eq("MED BOX")));
    let lines = db.frame(Lineitem)?.join(parts, Join::semi([("l_partkey", "p_partkey")]));
    let usual = col("l_quantity").mean().over(["l_partkey"]);
    let small = lines.filter(col("l_quantity").cast(Float64).lt(usual * 0.2));
    Ok(small.select([(col("l_extendedprice").sum().cast(Float64) / 7.0).alias("avg_yearly")]))
}

/// Query 18, large volume customer.
pub(crate) fn q18(db: &Database) -> Result<LazyFrame> {
    let quantities = db.frame(Lineitem)?.group_by(["l_orderkey"]).agg([col("l_quantity").sum().alias("sum_qty")]);
    let large = quantities.filter(col("sum_qty").gt(300));
    let orders = db.frame(Orders)?.join(large, Join::inner([("o_orderkey", "l_orderkey")]));
    let rows = db.frame(Customer)?.join(orders, Join::inner([("c_custkey", "o_custkey")]));
    let best = rows.sort([col("o_totalprice").desc(), col("o_orderdate").asc()]).head(100);
    Ok(best.select(["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "sum_qty"]))
}

/// Query 20, potential part promotion.
pub(crate) fn q20(db: &Database) -> Result<LazyFrame> {
    let parts = db.frame(Part)?.filter(col("p_name").str().starts_with("forest"));
    let lines = db.frame(Lineitem)?.filter(within("l_shipdate", "1994-01-01", "1995-01-01"));
    let lines = lines.join(parts, Join::semi([("l_partkey", "p_partkey")]));
    let sold = lines.group_by(["l_partkey", "l_suppkey"]).agg([col("l_quantity").sum().alias("sold")]);
    let offers = db
        .frame(Partsupp)?
        .join(sold, Join::inner([("ps_partkey", "l_partkey"), ("ps_suppkey", "l_suppkey")]))
        .filter((col("ps_availqty") * 2).gt(col("sold")));
    let canada = db.frame(Nation)?.filter(col("n_name").eq("CANADA"));
    let suppliers = db.frame(Supplier)?.join(canada, Join::semi([("s_nationkey", "n_nationkey")]));
    let suppliers = suppliers.join(offers, Join::semi([("s_suppkey", "ps_suppkey")]));
    Ok(suppliers.sort(["s_name"]).select(["s_name", "s_address"]))
}

/// Query 21, suppliers who kept orders waiting.
pub(crate) fn q21(db: &Database) -> Result<LazyFrame> {
    let saudi = db.frame(Nation)?.filter(col("n_name").eq("SAUDI ARABIA"));
    let suppliers = db.frame(Supplier)?.join(saudi, Join::semi([("s_nationkey", "n_nationkey")]));
    let orders = db.frame(Orders)?.filter(col("o_orderstatus").eq("F"));
    let is_late = col("l_receiptdate").gt(col("l_commitdate"));
    let lines = db.frame(Lineitem)?.join(suppliers, Join::inner([("l_suppkey", "s_suppkey")])).filter(is_late.clone());
    let waiting = lines.join(orders, Join::semi([("l_orderkey", "o_orderkey")]));
    let waiting = waiting.select(["l_orderkey", "s_name"]).collect()?.lazy();
    let lines = db.frame(Lineitem)?.join(waiting.clone(), Join::semi(["l_orderkey"]));
    let lines = lines.select(["l_orderkey", "l_suppkey", "l_commitdate", "l_receiptdate"]).collect()?.lazy();
    let suppliers_of = |lines: LazyFrame| lines.group_by(["l_orderkey"]).agg([col("l_suppkey").n_unique()]);
    let several = suppliers_of(lines.clone()).filter(col("l_suppkey").gt(1));
    let alone = suppliers_of(lines.filter(is_late)).filter(col("l_suppkey").eq(1));
    let alone = alone.join(several, Join::semi(["l_orderkey"]));
    let counts = waiting.join(alone, Join::semi(["l_orderkey"])).group_by(["s_name"]).agg([len().alias("numwait")]);
    Ok(counts.sort([col("numwait").desc(), col("s_name").asc()]).head(100))
}

/// Query 22, global sales opportunity.
pub(crate) fn q22(db: &Database) -> Result<LazyFrame> {
    let customers = db
        .frame(Customer)?
        .with([col("c_phone").str().slice(0, Some(2)).alias("cntrycode")])
        .filter(col("cntrycode").is_in(["13", "31", "23", "29", "30", "18", "17"]));
    let usual = when(col("c_acctbal").gt(0)).then(col("c_acctbal")).end().mean();
    let rich = customers.filter(col("c_acctbal").cast(Float64).gt(usual));
    let rich = rich.join(db.frame(Orders)?, Join::anti([("c_custkey", "o_custkey")]));
    let groups = rich.group_by(["cntrycode"]);
    Ok(groups.agg([len().alias("numcust"), col("c_acctbal").sum().alias("totacctbal")]).sort(["cntrycode"]))
}
