//! Writes the list of the images that this crate embeds.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gdf_kernels_build::list_images(true)
}
