//! Tests of queries. Each result is compared with the result of DataFusion alone.

mod kit;
mod nodes;
mod policies;
mod random;
mod small;
mod stages;
mod tpch;
