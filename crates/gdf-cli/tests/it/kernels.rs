//! Tests `gdf kernels` with a shell script as the compiler.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Ran, gdf, ran, run};

/// Writes a script that prints the version text of an nvcc release, and writes a fat binary without code.
fn nvcc(folder: &Path, release: &str) -> PathBuf {
    let script = format!(
        "#!/bin/sh\n\
         [ \"$1\" = --version ] && {{ echo 'Cuda compilation tools, release {release}, V{release}.1'; exit 0; }}\n\
         [ -n \"$BROKEN\" ] && {{ echo 'error: a bad kernel' >&2; exit 1; }}\n\
         while [ \"$1\" != -o ]; do shift; done\n\
         grep -q gdf_contract \"$3\" || exit 1\n\
         printf '\\120\\355\\125\\272\\001\\000\\020\\000\\000\\000\\000\\000\\000\\000\\000\\000' > \"$2\"\n"
    );
    let path = folder.join("nvcc");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Returns the command `gdf kernels install` with the script as the compiler.
fn install(folder: &Path) -> Command {
    let mut command = gdf(folder);
    // The script needs no host compiler.
    command.args(["kernels", "install", "--jobs", "4", "--nvcc"]).arg(nvcc(folder, "13.0")).env("NVCC_CCBIN", "none");
    command
}

fn listed(folder: &Path) -> Vec<serde_json::Value> {
    let list = ran(folder, ["kernels", "list", "--json"]);
    assert_eq!(list.status, Some(0), "{}", list.err);
    let all: Vec<serde_json::Value> = serde_json::from_str(&list.out).unwrap();
    all.into_iter().filter(|set| set["origin"] != "embedded").collect()
}

#[test]
fn images_are_installed_listed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let installed = run(install(folder).args(["--arch", "9.0,compute_75"]));
    assert_eq!(installed.status, Some(0), "{}", installed.err);
    assert!(installed.out.contains("sm_90: ") && installed.out.contains("gdf doctor"), "{}", installed.out);
    let sets = listed(folder);
    let names: Vec<&str> = sets.iter().map(|set| set["architecture"].as_str().unwrap()).collect();
    assert_eq!(names, ["compute_75", "sm_90"]);
    for set in &sets {
        assert_eq!(set["images"], set["expected"]);
        assert_eq!(set["outdated"], false);
        assert!(set["path"].as_str().unwrap().starts_with(folder.join("cache/gdf/images").to_str().unwrap()));
    }
    let doctor = ran(folder, ["doctor"]);
    assert!(doctor.out.contains("ok       kernels  sm_90: "), "{}", doctor.out);

    let removed = ran(folder, ["kernels", "remove", "--arch", "90"]);
    assert_eq!((removed.status, removed.out.lines().count()), (Some(0), 1), "{}", removed.out);
    assert_eq!(listed(folder).len(), 1);
    assert_eq!(ran(folder, ["kernels", "remove"]).status, Some(0));
    assert!(listed(folder).is_empty());
    assert_eq!(ran(folder, ["kernels", "remove", "--all", "--compiler"]).status, Some(0));
    assert!(!folder.join("cache/gdf/images").exists());
    assert!(ran(folder, ["kernels", "remove", "--all"]).out.contains("nothing"));
}

#[test]
fn a_folder_of_ones_own_serves_several_architectures() {
    let folder = tempfile::tempdir().unwrap();
    let installed = run(install(folder.path()).args(["--arch", "80,90", "--dir", "own"]));
    assert_eq!(installed.status, Some(0), "{}", installed.err);
    assert!(installed.out.contains("GDF_KERNELS_DIR=/"), "{}", installed.out);
    assert!(listed(folder.path()).is_empty());
    let list = run(gdf(folder.path()).args(["kernels", "list"]).env("GDF_KERNELS_DIR", folder.path().join("own")));
    assert!(list.out.contains("sm_80,sm_90") && list.out.contains("complete"), "{}", list.out);
}

fn one_line(ran: &Ran, parts: &[&str]) {
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    let last = ran.err.lines().last().unwrap();
    assert!(last.starts_with("gdf: ") && parts.iter().all(|part| last.contains(part)), "{}", ran.err);
}

#[test]
fn what_goes_wrong_is_said_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    one_line(&run(install(folder).args(["--arch", "90"]).env("BROKEN", "1")), &["did not compile", "sorting/"]);
    assert!(listed(folder).iter().all(|set| set["images"] == 0));

    let named = |path: &Path| {
        let mut command = gdf(folder);
        run(command.args(["kernels", "install", "--arch", "90", "--nvcc"]).arg(path).env("NVCC_CCBIN", "none"))
    };
    one_line(&named(Path::new("/no/nvcc")), &["/no/nvcc", "not a usable compiler"]);
    one_line(&named(&nvcc(folder, "12.4")), &["12.4", "13.0 or newer"]);
    let named_by_variable = run(gdf(folder)
        .args(["kernels", "install", "--arch", "90"])
        .env("NVCC", folder.join("nvcc"))
        .env("NVCC_CCBIN", "none"));
    one_line(&named_by_variable, &["NVCC names cannot be used", "12.4"]);
    // The index is unreachable, so no compiler can be fetched.
    let unreachable = run(gdf(folder)
        .args(["kernels", "install", "--arch", "90"])
        .env("PATH", "/usr/bin:/bin")
        .env("NVCC_CCBIN", "none")
        .env("PIP_INDEX_URL", "http://127.0.0.1:1/simple"));
    if !Path::new("/usr/local/cuda/bin/nvcc").exists() && !Path::new("/usr/bin/nvcc").exists() {
        one_line(&unreachable, &["--nvcc", "http://127.0.0.1:1/simple"]);
    }
    let no_compiler = run(gdf(folder).args(["kernels", "install", "--arch", "90"]).env("PATH", folder));
    one_line(&no_compiler, &["C++ compiler", "apt install g++"]);
    let full = run(install(folder).args(["--arch", "90", "--dir", "/proc/none"]));
    assert_eq!(full.status, Some(1), "{}", full.err);
}
