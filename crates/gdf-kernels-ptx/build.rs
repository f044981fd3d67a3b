//! Lists the images.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gdf_kernels_build::list_images(true)
}
