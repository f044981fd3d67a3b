//! Tests of queries. Each result is compared with the result of DataFusion alone.

mod files;
mod kit;
mod nodes;
mod policies;
mod random;
mod slt;
mod small;
mod stages;
mod tpch;
mod windows;
