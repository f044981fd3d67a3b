//! Queries that join many tables.

use gdf::Result;
use gdf::frame::{Join, LazyFrame, col, when};

use super::{ratio, volume, within};
use crate::generate::TpchTable::{Customer, Lineitem, Nation, Orders, Part, Partsupp, Region, Supplier};
use crate::load::Database;

/// Query 3, shipping priority.
pub(crate) fn q03(db: &Database) -> Result<LazyFrame> {
    let day = "1995-03-15";
    let customers = db.frame(Customer)?.filter(col("c_mktsegment").eq("BUILDING"));
    let orders = db.frame(Orders)?.filter(col("o_orderdate").lt(day));
    let orders = orders.join(customers, Join::semi([("o_custkey", "c_custkey")]));
    let lines = db.frame(Lineitem)?.filter(col("l_shipdate").gt(day));
    let lines = lines.join(orders, Join::inner([("l_orderkey", "o_orderkey")]));
    let keys = ["l_orderkey", "o_orderdate", "o_shippriority"];
    let groups = lines.group_by(keys).agg([volume().sum().alias("revenue")]);
    let best = groups.sort([col("revenue").desc(), col("o_orderdate").asc()]).head(10);
    Ok(best.select(["l_orderkey", "revenue", "o_orderdate", "o_shippriority"]))
}

/// Query 5, local supplier volume.
pub(crate) fn q05(db: &Database) -> Result<LazyFrame> {
    let asia = db.frame(Region)?.filter(col("r_name").eq("ASIA"));
    let nations = db.frame(Nation)?.join(asia, Join::semi([("n_regionkey", "r_regionkey")]));
    let customers = db.frame(Customer)?.join(nations, Join::inner([("c_nationkey", "n_nationkey")]));
    let orders = db.frame(Orders)?.filter(within("o_orderdate", "1994-01-01", "1995-01-01"));
    let orders = orders.join(customers, Join::inner([("o_custkey", "c_custkey")]));
    let lines = db
        .frame(Lineitem)?
        .join(orders, Join::inner([("l_orderkey", "o_orderkey")]))
        .join(db.frame(Supplier)?, Join::semi([("l_suppkey", "s_suppkey"), ("c_nationkey", "s_nationkey")]));
    Ok(lines.group_by(["n_name"]).agg([volume().sum().alias("revenue")]).sort([col("revenue").desc()]))
}

/// Query 7, volume shipping.
pub(crate) fn q07(db: &Database) -> Result<LazyFrame> {
    let nations = db.frame(Nation)?.filter(col("n_name").is_in(["FRANCE", "GERMANY"]));
    let suppliers = db.frame(Supplier)?.join(nations.clone(), Join::inner([("s_nationkey", "n_nationkey")]));
    let customers = db.frame(Customer)?.join(nations, Join::inner([("c_nationkey", "n_nationkey")]));
    let orders = db.frame(Orders)?.join(customers, Join::inner([("o_custkey", "c_custkey")]));
    let lines = db
        .frame(Lineitem)?
        .filter(col("l_shipdate").between("1995-01-01", "1996-12-31"))
        .join(suppliers.rename([("n_name", "supp_nation")]), Join::inner([("l_suppkey", "s_suppkey")]))
        .join(orders.rename([("n_name", "cust_nation")]), Join::inner([("l_orderkey", "o_orderkey")]))
        .filter(col("supp_nation").ne(col("cust_nation")))
        .with([col("l_shipdate").dt().year().alias("l_year")]);
    let keys = ["supp_nation", "cust_nation", "l_year"];
    Ok(lines.group_by(keys).agg([volume().sum().alias("revenue")]).sort(keys))
}

/// Query 8, national market share.
pub(crate) fn q08(db: &Database) -> Result<LazyFrame> {
    let america = db.frame(Region)?.filter(col("r_name").eq("AMERICA"));
    let nations = db.frame(Nation)?.join(america, Join::semi([("n_regionkey", "r_regionkey")]));
    let customers = db.frame(Customer)?.join(nations, Join::semi([("c_nationkey", "n_nationkey")]));
    let orders = db.frame(Orders)?.filter(col("o_orderdate").between("1995-01-01", "1996-12-31"));
    let orders = orders.join(customers, Join::semi([("o_custkey", "c_custkey")]));
    let parts = db.frame(Part)?.filter(col("p_type").eq("ECONOMY ANODIZED STEEL"));
    let suppliers = db.frame(Supplier)?.join(db.frame(Nation)?, Join::inner([("s_nationkey", "n_nationkey")]));
    let lines = db.frame(Lineitem)?.join(parts, Join::semi([("l_partkey", "p_partkey")]));
    let lines = lines.join(orders, Join::inner([("l_orderkey", "o_orderkey")]));
    let lines = lines.join(suppliers, Join::inner([("l_suppkey", "s_suppkey")]));
    let of_brazil = when(col("n_name").eq("BRAZIL")).then(volume()).otherwise(0);
    let years = lines.group_by([col("o_orderdate").dt().year().alias("o_year")]);
    Ok(years.agg([ratio(of_brazil.sum(), volume().sum()).alias("mkt_share")]).sort(["o_year"]))
}

/// Query 9, product type profit.
pub(crate) fn q09(db: &Database) -> Result<LazyFrame> {
    let parts = db.frame(Part)?.filter(col("p_name").str().contains("green")).collect()?.lazy();
    let offers = db.frame(Partsupp)?.join(parts.clone(), Join::semi([("ps_partkey", "p_partkey")]));
    let suppliers = db.frame(Supplier)?.join(db.frame(Nation)?, Join::inner([("s_nationkey", "n_nationkey")]));
    let lines = db
        .frame(Lineitem)?
        .join(parts, Join::semi([("l_partkey", "p_partkey")]))
        .join(offers, Join::inner([("l_partkey", "ps_partkey"), ("l_suppkey", "ps_suppkey")]))
        .join(suppliers, Join::inner([("l_suppkey", "s_suppkey")]));
    let rows = db.frame(Orders)?.join(lines, Join::inner([("o_orderkey", "l_orderkey")]));
    let groups = rows.group_by([col("n_name").alias("nation"), col("o_orderdate").dt().year().alias("o_year")]);
    let profit = volume() - col("ps_supplycost") * col("l_quantity");
    Ok(groups.agg([profit.sum().alias("sum_profit")]).sort([col("nation").asc(), col("o_year").desc()]))
}

/// Query 10, returned item reporting.
pub(crate) fn q10(db: &Database) -> Result<LazyFrame> {
    let orders = db.frame(Orders)?.filter(within("o_orderdate", "1993-10-01", "1994-01-01"));
    let returned = db.frame(Lineitem)?.filter(col("l_returnflag").eq("R"));
    let returned = returned.join(orders, Join::inner([("l_orderkey", "o_orderkey")]));
    let revenue = returned.group_by(["o_custkey"]).agg([volume().sum().alias("revenue")]);
    let best = revenue.sort([col("revenue").desc()]).head(20);
    let rows = db
        .frame(Customer)?
        .join(best, Join::inner([("c_custkey", "o_custkey")]))
        .join(db.frame(Nation)?, Join::inner([("c_nationkey", "n_nationkey")]))
        .sort([col("revenue").desc()]);
    Ok(rows.select(["c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"]))
}
