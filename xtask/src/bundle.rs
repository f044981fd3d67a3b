//! `cargo xtask bundle`: writes a folder for a GPU machine that has a driver, but no other software. The folder can be
//! copied anywhere.
//!
//! The folder contains the test programs, the TPC-H example, the timing programs, the conformance program
//! with its corpus, the images, and a script that runs the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::repository::{cargo, compile_kernels, images, read, root, run as start};

/// The environment variable that is set to 0, so that programs do not embed the images.
const EMBED: &str = "GDF_KERNELS_EMBED";

const LIMIT_BYTES: u64 = 60_000_000;

/// The packages whose test programs are in the bundle: the tests of several crates, the test kit, and the crates with
/// device tests.
const TESTED: [&str; 13] = [
    "gdf-tests",
    "gdf-test",
    "gdf-driver",
    "gdf-memory",
    "gdf-core",
    "gdf-engine",
    "gdf-compute",
    "gdf-relational",
    "gdf-strings",
    "gdf-decode",
    "gdf-detail",
    "gdf-kernels",
    "gdf-interop",
];

/// The other programs: the package, the target (its kind and its name), and the folder in the bundle.
const PROGRAMS: [(&str, (&str, &str), &str); 4] = [
    ("gdf", ("example", "tpch"), "examples"),
    ("gdf-bench", ("bin", "gdf-bench"), "bench"),
    ("gdf-conformance", ("bin", "gdf-conformance"), "conformance"),
    ("gdf-io", ("example", "time_upload"), "bench"),
];

/// Flags of `cargo xtask bundle`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to write; an earlier bundle there is replaced
    #[arg(long, default_value = ".bundle")]
    out: PathBuf,
    /// Build optimized test programs too; the example and the timing program are always optimized
    #[arg(long)]
    release: bool,
    /// Use the existing images instead of compiling the kernels
    #[arg(long)]
    no_kernels: bool,
}

/// Builds the programs, copies them to the bundle, strips them, and checks the size of the bundle.
pub(crate) fn run(args: Args) -> Result<()> {
    if !args.no_kernels {
        compile_kernels()?;
    }
    let out = root().join(&args.out);
    let tests = test_programs(args.release)?;
    let programs = programs()?;
    replace(&out)?;
    for (name, program) in &tests {
        install(program, &out.join("tests").join(name))?;
    }
    for ((.., folder), program) in PROGRAMS.iter().zip(&programs) {
        install(program, &out.join(folder).join(program.file_name().unwrap_or_default()))?;
    }
    for (path, _) in files(&root().join("crates/gdf-conformance/corpus"))? {
        copy(&path, &out.join("conformance/corpus").join(path.file_name().unwrap_or_default()))?;
    }
    copy_images(&out.join("images"))?;
    write_script(&out.join("run.sh"), include_str!("bundle/run.sh"))?;
    weigh(&out)
}

/// Builds the test programs of the bundle with feature `cuda`.
pub(crate) fn test_programs(release: bool) -> Result<Vec<(String, PathBuf)>> {
    let mut command = cargo();
    command.env(EMBED, "0").args([
        "test",
        "--no-run",
        "--lib",
        "--tests",
        "--message-format=json",
        "--features",
        "cuda",
    ]);
    for package in TESTED {
        command.args(["--package", package]);
    }
    if release {
        command.arg("--release");
    }
    let programs = executables(&read(&mut command)?, "test");
    ensure!(programs.iter().any(|(name, _)| name == "it"), "cargo built no test program named `it`");
    Ok(programs)
}

/// Builds the optimized programs with a single cargo command, because the programs then share their dependencies.
fn programs() -> Result<Vec<PathBuf>> {
    let mut command = cargo();
    command.env(EMBED, "0").args(["build", "--release", "--features", "cuda", "--message-format=json"]);
    for (package, kind, name) in PROGRAMS.map(|(package, (kind, name), _)| (package, kind, name)) {
        command.args(["--package", package, &format!("--{kind}"), name]);
    }
    let messages = read(&mut command)?;
    let path = |(kind, name): (&str, &str)| {
        let found = executables(&messages, kind).into_iter().find(|(found, _)| found == name);
        Ok(found.with_context(|| format!("cargo built no {kind} named `{name}`"))?.1)
    };
    PROGRAMS.iter().map(|(_, target, _)| path(*target)).collect()
}

/// Returns the programs in cargo's messages, by target.
pub(crate) fn executables(messages: &str, wanted: &str) -> Vec<(String, PathBuf)> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs: Vec<(String, PathBuf)> = messages
        .filter_map(|message| {
            let program = message["executable"].as_str()?;
            let name = message["target"]["name"].as_str()?;
            let kind = message["target"]["kind"][0].as_str()?;
            let is_test = message["profile"]["test"].as_bool() == Some(true);
            let chosen = if wanted == "test" { is_test } else { kind == wanted };
            // The library of the package of tests has no code and no tests. Therefore it is left out.
            let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
            let folder = manifest.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            let name = match kind {
                "test" if folder != "tests" => format!("{folder}-{name}"),
                _ => name.to_owned(),
            };
            (chosen && name != "gdf_tests").then(|| (name, PathBuf::from(program)))
        })
        .collect();
    programs.sort();
    programs.dedup_by(|later, first| later.0 == first.0);
    programs
}

/// Empties the folder.
fn replace(out: &Path) -> Result<()> {
    if out.exists() {
        let is_bundle = out.join("run.sh").is_file();
        let is_empty = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_none());
        ensure!(
            is_bundle || is_empty,
            "the folder {} has files but no `run.sh`, so it is no earlier bundle and is not replaced; empty the folder, or \
             pass another one with `--out`",
            out.display()
        );
        fs::remove_dir_all(out).with_context(|| format!("could not remove {}", out.display()))?;
    }
    fs::create_dir_all(out).with_context(|| format!("could not create the folder {}", out.display()))
}

pub(crate) fn install(program: &Path, target: &Path) -> Result<()> {
    copy(program, target)?;
    compress(target)
}

/// Strips the program and compresses it in its place.
pub(crate) fn compress(target: &Path) -> Result<()> {
    if let Err(error) = start(Command::new("strip").arg(target)) {
        println!("a program was not stripped: {error:#}");
    }
    // Compression reduces unoptimized test programs to a quarter of their size.
    start(Command::new("xz").args(["-6", "-T0", "-f"]).arg(target))?;
    Ok(())
}

fn copy_images(target: &Path) -> Result<()> {
    let from = images();
    let entries = fs::read_dir(&from)
        .with_context(|| format!("the folder {} has no images; run `cargo xtask kernels`", from.display()))?;
    let mut count = 0;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".fatbin") || name == "kernels.txt" {
            copy(&path, &target.join(&name))?;
            count += 1;
        }
    }
    ensure!(count > 1, "the folder {} has no images; run `cargo xtask kernels`", from.display());
    Ok(())
}

pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).with_context(|| format!("could not copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

pub(crate) fn write_script(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn weigh(out: &Path) -> Result<()> {
    let mut total = 0;
    for (path, bytes) in files(out)? {
        let path = path.strip_prefix(out).unwrap_or(&path).to_path_buf();
        println!("{:>9.3} MB  {}", bytes as f64 / 1e6, path.display());
        total += bytes;
    }
    println!("{:>9.3} MB  {}", total as f64 / 1e6, out.display());
    if total > LIMIT_BYTES {
        bail!("the bundle has {total} bytes; the limit is {LIMIT_BYTES}");
    }
    Ok(())
}

pub(crate) fn files(folder: &Path) -> Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files(&entry.path())?);
        } else {
            found.push((entry.path(), entry.metadata()?.len()));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = r#"
{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"gdf_memory"},"profile":{"test":true},"executable":"/t/gdf_memory-1"}
{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"gdf_memory"},"profile":{"test":false},"executable":null}
{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"gdf_tests"},"profile":{"test":true},"executable":"/t/gdf_tests-1"}
{"reason":"compiler-artifact","manifest_path":"/r/crates/gdf-kernels/Cargo.toml","target":{"kind":["test"],"name":"null_mask"},"profile":{"test":true},"executable":"/t/null_mask-1"}
{"reason":"compiler-artifact","manifest_path":"/r/tests/Cargo.toml","target":{"kind":["test"],"name":"it"},"profile":{"test":true},"executable":"/t/it-1"}
{"reason":"compiler-artifact","target":{"kind":["example"],"name":"tpch"},"profile":{"test":false},"executable":"/t/tpch"}
not json
{"reason":"build-finished","success":true}"#;

    #[test]
    fn test_programs_are_found_by_their_profile() {
        let found = executables(MESSAGES, "test");
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["gdf-kernels-null_mask", "gdf_memory", "it"]);
    }

    #[test]
    fn examples_are_found_by_their_kind() {
        assert_eq!(executables(MESSAGES, "example"), [("tpch".to_owned(), PathBuf::from("/t/tpch"))]);
    }

    #[test]
    fn a_folder_that_is_no_bundle_is_left_alone() {
        let folder = root().join("target/tmp-bundle-test");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("letter.txt"), "dear").unwrap();
        assert!(replace(&folder).is_err());
        assert!(folder.join("letter.txt").is_file());
        fs::write(folder.join("run.sh"), "").unwrap();
        replace(&folder).unwrap();
        assert!(files(&folder).unwrap().is_empty());
        fs::remove_dir_all(&folder).unwrap();
    }
}
