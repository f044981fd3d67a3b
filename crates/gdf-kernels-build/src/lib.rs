#![forbid(unsafe_code)]
//! What the build scripts of crates that embed images of kernels do: they list the images that `cargo xtask kernels` made.
//!
//! No device code is compiled and no toolkit is looked for. Without images the list is empty. So it is with
//! `GDF_KERNELS_EMBED=0`, for programs that travel beside the images.

use std::env;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Writes `images.rs` to the build script's output folder: an array of capabilities and the bytes of their images, which
/// are the files `images/<capability>.fatbin` of the package; an empty one if `wanted` is false.
///
/// # Errors
/// - Not called from a build script.
/// - `images` cannot be read, or the list not be written.
pub fn list_images(wanted: bool) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=GDF_KERNELS_EMBED");
    let mut images = Vec::new();
    if wanted && env::var_os("GDF_KERNELS_EMBED").is_none_or(|value| value != "0") {
        let directory = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("images");
        if directory.is_dir() {
            println!("cargo:rerun-if-changed=images");
            for entry in fs::read_dir(&directory)? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "fatbin") {
                    images.push(path);
                }
            }
        } else {
            // A path that does not exist would run this script at every build; the package's directory changes when
            // `images` appears in it.
            println!("cargo:rerun-if-changed=.");
        }
    }
    images.sort();

    let mut code = String::from("&[\n");
    for path in images {
        let capability = path.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(code, "    ({capability:?}, include_bytes!({:?})),", path.display().to_string())?;
    }
    code.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("images.rs"), code)?;
    Ok(())
}
