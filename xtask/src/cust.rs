//! `cargo xtask toolkit --cust`: makes the files that the build script of `cust` needs. The chore is for machines on
//! which no CUDA toolkit is installed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use gdf_nvcc::toolkit::Toolkit;

use crate::repository::{root, run as start};

/// The environment variable by which `cust`'s build script finds the folder.
pub(crate) const VARIABLE: &str = "CUDA_LIBRARY_PATH";

/// Makes the stub and returns the folder for [`VARIABLE`].
pub(crate) fn make_stub(toolkit: &Toolkit) -> Result<PathBuf> {
    let home = toolkit.nvcc.parent().and_then(|bin| bin.parent()).context("nvcc is not in a `bin` folder")?;
    let header = home.join("include/cuda.h");
    let text = fs::read_to_string(&header).with_context(|| format!("cannot read {}", header.display()))?;
    let names = functions(&text);
    ensure!(
        names.contains("cuLaunchKernel") && names.contains("cuMemAlloc_v2"),
        "{} must declare cuLaunchKernel and cuMemAlloc_v2; install a complete CUDA toolkit",
        header.display()
    );
    let folder = root().join("target/cust");
    let library = folder.join("lib64");
    fs::create_dir_all(&library)?;
    let mut code = String::new();
    for name in names {
        writeln!(code, "void {name}(void) {{}}")?;
    }
    let source = folder.join("libcuda.c");
    fs::write(&source, code)?;
    let mut compile = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    compile.args(["-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libcuda.so.1", "-o"]);
    start(compile.arg(library.join("libcuda.so")).arg(&source))
        .context("the stub of libcuda cannot be built; install a C compiler, or set CC")?;
    Ok(folder)
}

/// Returns the functions of the driver that the header declares or renames.
fn functions(header: &str) -> BTreeSet<&str> {
    let lines = header.lines().filter(|line| line.contains("CUDAAPI") || line.trim_start().starts_with("#define"));
    let words = lines.flat_map(|line| line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'));
    let is_name = |word: &&str| {
        let rest = word.strip_prefix("cu").unwrap_or_default();
        rest.starts_with(|letter: char| letter.is_ascii_uppercase())
    };
    words.filter(is_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_under_all_their_versions() {
        let header = "#define cuMemAlloc    cuMemAlloc_v2\n    #define cuX __CUDA_API_PTSZ(cuX)\n\
            CUresult CUDAAPI cuInit(unsigned int Flags);\n * ::cuNotThis\n#define CU_FLAG 1\nCUresult CUDAAPI custom(int);";
        assert_eq!(functions(header).into_iter().collect::<Vec<_>>(), ["cuInit", "cuMemAlloc", "cuMemAlloc_v2", "cuX"]);
    }
}
