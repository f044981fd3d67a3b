//! Writes the lists that this crate includes.
//!
//! - The images that `cargo xtask kernels` has compiled in a checkout. The crates of the architectures contain the
//!   published images.
//! - The sources of the kernels, for programs that compile them.
//! - The hashes of the sources. The loader compares these hashes with the hashes in images, and the name of the folder
//!   of the user's images contains a hash of them.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let has = |feature| std::env::var_os(feature).is_some();
    let (cuda, sources) = (has("CARGO_FEATURE_CUDA"), has("CARGO_FEATURE_SOURCES"));
    gdf_kernels_build::list_sources(sources)?;
    gdf_kernels_build::list_source_hashes(cuda || sources)?;
    gdf_kernels_build::list_images(cuda)
}
