//! Lists the images of developers, which `cargo xtask kernels` makes; published are those of the crates of one architecture.
//! Also lists the sources of the kernels, for those who want them.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gdf_kernels_build::list_sources(std::env::var_os("CARGO_FEATURE_SOURCES").is_some())?;
    gdf_kernels_build::list_images(std::env::var_os("CARGO_FEATURE_CUDA").is_some())
}
