//! Queries of one or two tables.

use gdf::DataType::Int64;
use gdf::Result;
use gdf::frame::{Join, LazyFrame, col, len, when};

use super::{ratio, volume, within};
use crate::generate::TpchTable::{Customer, Lineitem, Orders, Part};
use crate::load::Database;

/// Query 1, pricing summary report.
pub(crate) fn q01(db: &Database) -> Result<LazyFrame> {
    let shipped = db.frame(Lineitem)?.filter(col("l_shipdate").le("1998-09-02"));
    let groups = shipped.group_by(["l_returnflag", "l_linestatus"]).agg([
        col("l_quantity").sum().alias("sum_qty"),
        col("l_extendedprice").sum().alias("sum_base_price"),
        volume().sum().alias("sum_disc_price"),
        (volume() * (1 + col("l_tax"))).sum().alias("sum_charge"),
        col("l_quantity").mean().alias("avg_qty"),
        col("l_extendedprice").mean().alias("avg_price"),
        col("l_discount").mean().alias("avg_disc"),
        len().alias("count_order"),
    ]);
    Ok(groups.sort(["l_returnflag", "l_linestatus"]))
}

/// Query 6, forecasting revenue change.
pub(crate) fn q06(db: &Database) -> Result<LazyFrame> {
    let lines = db
        .frame(Lineitem)?
        .filter(within("l_shipdate", "1994-01-01", "1995-01-01"))
        .filter(col("l_discount").between(0.05, 0.07).and(col("l_quantity").lt(24)));
    Ok(lines.select([(col("l_extendedprice") * col("l_discount")).sum().alias("revenue")]))
}

/// Query 12, shipping modes and order priority.
pub(crate) fn q12(db: &Database) -> Result<LazyFrame> {
    let late = col("l_commitdate").lt(col("l_receiptdate")).and(col("l_shipdate").lt(col("l_commitdate")));
    let lines = db
        .frame(Lineitem)?
        .filter(within("l_receiptdate", "1994-01-01", "1995-01-01").and(late))
        .filter(col("l_shipmode").is_in(["MAIL", "SHIP"]));
    let rows = db.frame(Orders)?.join(lines, Join::inner([("o_orderkey", "l_orderkey")]));
    let is_high = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"]);
    let groups = rows.group_by(["l_shipmode"]).agg([
        is_high.clone().cast(Int64).sum().alias("high_line_count"),
        (!is_high).cast(Int64).sum().alias("low_line_count"),
    ]);
    Ok(groups.sort(["l_shipmode"]))
}

/// Query 13, customer distribution.
pub(crate) fn q13(db: &Database) -> Result<LazyFrame> {
    let orders = db.frame(Orders)?.filter(!col("o_comment").str().like("%special%requests%"));
    let counts = orders.group_by(["o_custkey"]).agg([len().alias("c_count")]);
    let customers = db.frame(Customer)?.join(counts, Join::left([("c_custkey", "o_custkey")]));
    let groups = customers.group_by([col("c_count").fill_null(0)]).agg([len().alias("custdist")]);
    Ok(groups.sort([col("custdist").desc(), col("c_count").desc()]))
}

/// Query 14, promotion effect.
pub(crate) fn q14(db: &Database) -> Result<LazyFrame> {
    let lines = db.frame(Lineitem)?.filter(within("l_shipdate", "1995-09-01", "1995-10-01"));
    let rows = db.frame(Part)?.join(lines, Join::inner([("p_partkey", "l_partkey")]));
    let promoted = when(col("p_type").str().starts_with("PROMO")).then(volume()).otherwise(0);
    Ok(rows.select([(ratio(promoted.sum(), volume().sum()) * 100.0).alias("promo_revenue")]))
}

/// Query 19, discounted revenue.
pub(crate) fn q19(db: &Database) -> Result<LazyFrame> {
    let kind = |brand: &str, containers: [&str; 4], pieces: i32, largest: i32| {
        let of_kind = col("p_brand").eq(brand).and(col("p_container").is_in(containers));
        of_kind.and(col("l_quantity").between(pieces, pieces + 10)).and(col("p_size").between(1, largest))
    };
    let small = kind("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5);
    let medium = kind("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10);
    let large = kind("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15);
    let by_air = col("l_shipmode").is_in(["AIR", "AIR REG"]).and(col("l_shipinstruct").eq("DELIVER IN PERSON"));
    let parts = db.frame(Part)?.filter(col("p_brand").is_in(["Brand#12", "Brand#23", "Brand#34"]));
    let lines = db.frame(Lineitem)?.filter(by_air).join(parts, Join::inner([("l_partkey", "p_partkey")]));
    Ok(lines.filter(small.or(medium).or(large)).select([volume().sum().alias("revenue")]))
}
