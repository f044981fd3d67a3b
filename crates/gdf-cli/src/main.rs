#![forbid(unsafe_code)]
//! The command `gdf`.
fn main() {}
