//! Lists the images that `cargo xtask kernels` made, for the library to embed. Compiles no device code and looks for
//! no toolkit; without the feature `cuda`, or without images, the list is empty. So it is with `GDF_KERNELS_EMBED=0`, for
//! programs that travel beside the images.

use std::env;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=GDF_KERNELS_EMBED");
    let mut images = Vec::new();
    let wanted = env::var_os("GDF_KERNELS_EMBED").is_none_or(|value| value != "0");
    if wanted && env::var_os("CARGO_FEATURE_CUDA").is_some() {
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

    let mut code = String::from("static EMBEDDED: &[(&str, &[u8])] = &[\n");
    for path in images {
        let capability = path.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(code, "    ({capability:?}, include_bytes!({:?})),", path.display().to_string())?;
    }
    code.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("embedded.rs"), code)?;
    Ok(())
}
