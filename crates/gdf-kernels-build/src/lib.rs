#![forbid(unsafe_code)]
//! The code of the build scripts of crates that embed images or sources of kernels. A build script lists the images
//! that `cargo xtask kernels` has compiled. It also lists the sources in the package, and the hashes of the sources.
//! The crate that compiles the kernels reads the sources through the module [`sources`], too. Therefore both crates
//! find the same units and the same hashes.
//!
//! The build scripts compile no device code and search for no toolkit. If there are no images, the list of images is
//! empty. If the environment variable `GDF_KERNELS_EMBED` is 0, the list is also empty. The value 0 is for programs
//! that are shipped with images in separate files.

pub mod sources;

use std::env;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes `images.rs` to the build script's output folder: an array with one element per capability, which has the name
/// and the bytes of the capability's image. The images are the files `images/<capability>.fatbin` of the package. If
/// `wanted` is false, the array is empty.
///
/// # Errors
/// - The caller is not a build script.
/// - `images` cannot be read, or the list cannot be written.
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
            // The script depends on the package's directory, because the directory changes when `images` appears in it.
            // A dependency on `images` is not possible: if the path does not exist, cargo runs the script at every
            // build.
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

/// Writes `sources.rs` to the build script's output folder: an array with the names and texts of the files
/// `kernels/**/*.{cu,cuh}` of the package, ordered by name. If `wanted` is false, the array is empty.
///
/// # Errors
/// - The caller is not a build script.
/// - `kernels` cannot be read or has no sources, or the list cannot be written.
pub fn list_sources(wanted: bool) -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("kernels");
    let mut paths = Vec::new();
    if wanted {
        rerun_if_changed(&root)?;
        walk(&root, &mut paths).map_err(|error| format!("cannot read {}: {error}", root.display()))?;
        if paths.is_empty() {
            return Err(format!("the folder {} has no CUDA sources", root.display()).into());
        }
    }
    paths.sort();
    let mut code = String::from("&[\n");
    for path in paths {
        let name = path.strip_prefix(&root)?.components().map(|part| part.as_os_str().to_string_lossy());
        let name = name.collect::<Vec<_>>().join("/");
        writeln!(code, "    ({name:?}, include_str!({:?})),", path.display().to_string())?;
    }
    code.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("sources.rs"), code)?;
    Ok(())
}

/// Writes `source_hashes.rs` to the build script's output folder: an array with one element per directory in `kernels`
/// of the package, ordered by name. An element has the name of the capability and the hashes of the sources of its
/// units. If `wanted` is false, the array is empty.
///
/// # Errors
/// - The caller is not a build script.
/// - `kernels` cannot be read, or the list cannot be written.
pub fn list_source_hashes(wanted: bool) -> Result<(), Box<dyn Error>> {
    let mut code = String::from("&[\n");
    if wanted {
        let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("kernels");
        rerun_if_changed(&root)?;
        for (capability, units) in sources::capabilities(&root)? {
            let hashes: Vec<u64> = units.iter().map(sources::Unit::hash).collect();
            writeln!(code, "    ({capability:?}, &{hashes:?}),")?;
        }
    }
    code.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("source_hashes.rs"), code)?;
    Ok(())
}

/// Tells cargo that the script depends on all files below a folder. The function resolves symbolic links, because the
/// folder is a symbolic link in the repository, and cargo would only look at the link.
fn rerun_if_changed(folder: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", folder.canonicalize()?.display());
    Ok(())
}

/// Appends the files of device code below a folder to `found`.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh") {
            found.push(path);
        }
    }
    Ok(())
}
