//! Lists the images of developers, which `cargo xtask kernels` makes; published are those of the crates of one architecture.
//! Also lists the sources of the kernels, for those who want them, and their hashes, which the loader and the folder of the user's images
//! go by.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let has = |feature| std::env::var_os(feature).is_some();
    let (cuda, sources) = (has("CARGO_FEATURE_CUDA"), has("CARGO_FEATURE_SOURCES"));
    gdf_kernels_build::list_sources(sources)?;
    gdf_kernels_build::list_source_hashes(cuda || sources)?;
    gdf_kernels_build::list_images(cuda)
}
