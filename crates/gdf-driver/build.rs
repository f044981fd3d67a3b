//! Exists because `links = "gdf-driver"` (one copy of the driver table per process) needs a build script.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
