//! Lists the images of developers, which `cargo xtask kernels` makes; published are those of the crates of one architecture.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gdf_kernels_build::list_images(std::env::var_os("CARGO_FEATURE_CUDA").is_some())
}
