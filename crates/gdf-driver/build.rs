//! The manifest sets `links = "gdf-driver"`, and cargo requires a build script for `links`. `links` ensures that a
//! program contains only one copy of the table of driver functions.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
