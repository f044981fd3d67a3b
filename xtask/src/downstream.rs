//! Builds small crates that depend on the crates of the workspace, like a user's crate after `cargo add`. Each small
//! crate is a workspace of its own in tests/downstream.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::examples;
use crate::repository::{cargo, read, root, run as start};

const CRATES: [&str; 8] =
    ["default", "cuda", "driver-only", "memory-only", "core-only", "detail-only", "api-only", "interop-only"];

pub(crate) fn run() -> Result<()> {
    let target = root().join("target/downstream");
    for name in CRATES {
        let folder = root().join("tests/downstream").join(name);
        // The lock file of the workspace is copied, because cargo must not look for newer versions. cargo removes the
        // entries that the crate does not need.
        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))
            .with_context(|| format!("Cargo.lock cannot be copied to tests/downstream/{name}"))?;
        start(&mut chore(&folder, &target, "build"))?;
        start(&mut chore(&folder, &target, "test"))?;
        let program = target.join("debug").join(format!("downstream-{name}"));
        let said = read(&mut Command::new(&program))?;
        print!("{said}");
        if name == "cuda" {
            check_cuda(&program, &said)?;
        }
    }
    Ok(())
}

/// Builds and runs every documentation example and every short program.
pub(crate) fn examples() -> Result<()> {
    let target = root().join("target/downstream");
    let folder = cleared("downstream-examples")?;
    let count = examples::write(&folder)?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))
        .context("Cargo.lock cannot be copied to the folder of the examples")?;
    start(chore(&folder, &target, "test").arg("--doc"))?;
    println!("{count} examples of the documentation need nothing but gdf");
    let folder = cleared("downstream-programs")?;
    let names = examples::write_programs(&folder)?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))
        .context("Cargo.lock cannot be copied to the folder of the programs")?;
    for name in &names {
        // This command may use a C compiler, because feature `parquet` builds the C sources of Zstandard.
        let mut run = cargo();
        run.current_dir(&folder).args(["run", "--bin", name]);
        start(run.env("CARGO_TARGET_DIR", &target).env("CARGO_PROFILE_DEV_DEBUG", "false"))?;
    }
    println!("{} programs of crates/gdf/examples need nothing but gdf", names.len());
    Ok(())
}

fn cleared(name: &str) -> Result<PathBuf> {
    let folder = root().join("target").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("could not clear target/{name}"))?;
    }
    Ok(folder)
}

/// Tests crates that use other Arrow types: those of another major version of arrow-rs, and those of polars.
pub(crate) fn foreign() -> Result<()> {
    let mut test = cargo();
    test.current_dir(root().join("tests/foreign")).arg("test").env("CARGO_TARGET_DIR", root().join("target/foreign"));
    start(&mut test)
}

fn chore(folder: &Path, target: &Path, verb: &str) -> Command {
    let mut command = cargo();
    command.current_dir(folder).arg(verb).env("CARGO_TARGET_DIR", target);
    // The build must work without a C compiler and without nvcc. Therefore these variables name programs that fail.
    command.env("CC", "false").env("CXX", "false").env("NVCC", "false").env("CARGO_PROFILE_DEV_DEBUG", "false");
    command
}

/// Checks two properties of a program with feature `cuda`.
fn check_cuda(program: &Path, said: &str) -> Result<()> {
    let dynamic = read(Command::new("readelf").arg("-d").arg(program))?;
    let linked = needed(&dynamic);
    ensure!(!linked.is_empty(), "readelf showed no shared library for {}", program.display());
    for library in &linked {
        ensure!(
            !library.contains("cuda") && !library.contains("nvidia"),
            "the program with feature cuda must not link {library}"
        );
    }
    println!("the cuda build links {}", linked.join(", "));
    match driver() {
        None => {
            ensure!(
                said.contains("cuda:0: NoDriver"),
                "without a driver, cuda:0 must return NoDriver; the program printed: {said}"
            )
        }
        Some(path) => println!("NoDriver is not checked, because this machine has a driver ({})", path.display()),
    }
    Ok(())
}

/// Returns the libraries that the dynamic section of a program lists as needed.
fn needed(dynamic: &str) -> Vec<&str> {
    let lines = dynamic.lines().filter(|line| line.contains("(NEEDED)"));
    lines.filter_map(|line| line.split(['[', ']']).nth(1)).collect()
}

/// Returns the path of the driver's library.
fn driver() -> Option<PathBuf> {
    let cache =
        Command::new("ldconfig").arg("-p").output().or_else(|_| Command::new("/sbin/ldconfig").arg("-p").output());
    let cache = cache.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let cached = cache
        .lines()
        .filter(|line| line.trim_start().starts_with("libcuda.so.1 "))
        .find_map(|line| Some(PathBuf::from(line.rsplit_once("=> ")?.1)));
    let folders = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    cached.or_else(|| {
        std::env::split_paths(&folders).map(|folder| folder.join("libcuda.so.1")).find(|path| path.exists())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_libraries_are_read() {
        let dynamic = "Dynamic section at offset 0x1 contains 2 entries:\n\
                       0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]\n\
                       0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]\n\
                       0x000000000000000c (INIT)               0x1000\n";
        assert_eq!(needed(dynamic), ["libgcc_s.so.1", "libc.so.6"]);
    }

    #[test]
    fn every_crate_is_its_own_workspace() {
        for name in CRATES {
            let manifest = root().join("tests/downstream").join(name).join("Cargo.toml");
            let text = fs::read_to_string(&manifest).unwrap();
            assert!(text.contains("[workspace]"), "{name}");
            assert!(text.contains(&format!("name = \"downstream-{name}\"")), "{name}");
        }
    }
}
