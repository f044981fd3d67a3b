//! Tests of queries. Each result is compared with the result of DataFusion alone.

mod cache;
mod copy;
mod decimals;
mod deep;
mod duckdb;
mod exact;
mod files;
mod groups;
mod join_order;
mod key_filters;
mod kit;
mod late_keys;
mod memory;
mod nodes;
mod policies;
mod random;
mod semantics;
mod slt;
mod small;
mod sqlite;
mod stages;
mod tpch;
mod unnest;
mod windows;
