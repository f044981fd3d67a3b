//! The build script exists because `links = "gdf-driver"` requires one. `links` ensures that a program has only one
//! copy of the driver table.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
