//! `cargo xtask toolkit`: finds the CUDA compiler, or installs it without root from Python packages.
//!
//! The versions are pinned: the kernels include parts of CUB that promise no stability.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::cust;

/// The oldest compiler that the kernels are written for.
const OLDEST: (u32, u32) = (13, 0);

/// What `--target` installs; `--no-deps`, so this is all of it.
const PACKAGES: [&str; 5] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-cccl==13.0.85",
    "nvidia-cuda-runtime==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-crt==13.0.88",
];

/// Arguments of `cargo xtask toolkit`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Install the pinned packages under target/toolkit even when a compiler is found elsewhere
    #[arg(long)]
    install: bool,
    /// Make what the feature `cust` of gdf-interop needs to link, and print the variable to set
    #[arg(long)]
    cust: bool,
}

/// A usable CUDA compiler.
#[derive(Clone, Debug)]
pub(crate) struct Toolkit {
    /// The path of nvcc.
    pub(crate) nvcc: PathBuf,
    /// What `nvcc --version` says of its build: changes whenever the compiler does.
    pub(crate) version: String,
}

impl Toolkit {
    /// What two toolkits that may compile differently do not share: the compiler's build, and the version of CUB.
    pub(crate) fn identity(&self) -> String {
        let above = self.nvcc.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        let headers = ["include/cccl/cub/version.cuh", "include/cub/version.cuh"];
        let cub = headers.iter().find_map(|header| std::fs::read_to_string(above.join(header)).ok());
        format!("{}\n{}", self.version, cub.unwrap_or_default())
    }
}

/// Finds or installs the compiler and prints where it is.
pub(crate) fn run(args: Args) -> Result<()> {
    let found = if args.install { None } else { find()? };
    let toolkit = match found {
        Some(toolkit) => toolkit,
        None => install()?,
    };
    println!("{}", toolkit.nvcc.display());
    println!("{}", toolkit.version);
    if args.cust {
        println!("export {}={}", cust::VARIABLE, cust::make_stub(&toolkit)?.display());
    }
    Ok(())
}

/// The compiler that `cargo xtask kernels` uses: the first of recent enough version among `NVCC`,
/// `CUDA_HOME`, target/toolkit, `PATH`, /usr/local/cuda. One named by a variable must be usable.
pub(crate) fn find() -> Result<Option<Toolkit>> {
    if let Some(nvcc) = env::var_os("NVCC") {
        return probe(Path::new(&nvcc)).context("NVCC names no usable compiler").map(Some);
    }
    if let Some(home) = env::var_os("CUDA_HOME") {
        let nvcc = Path::new(&home).join("bin/nvcc");
        return probe(&nvcc).context("CUDA_HOME holds no usable compiler").map(Some);
    }
    let on_path: Vec<_> = env::var_os("PATH")
        .map(|path| env::split_paths(&path).map(|dir| dir.join("nvcc")).collect())
        .unwrap_or_default();
    let candidates =
        std::iter::once(installed_nvcc()).chain(on_path).chain([PathBuf::from("/usr/local/cuda/bin/nvcc")]);
    for nvcc in candidates.filter(|nvcc| nvcc.is_file()) {
        match probe(&nvcc) {
            Ok(toolkit) => return Ok(Some(toolkit)),
            Err(error) => eprintln!("skipped {}: {error:#}", nvcc.display()),
        }
    }
    Ok(None)
}

/// The root of the workspace.
pub(crate) fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

fn site_directory() -> PathBuf {
    workspace_root().join("target/toolkit/site")
}

fn installed_nvcc() -> PathBuf {
    site_directory().join("nvidia/cu13/bin/nvcc")
}

fn probe(nvcc: &Path) -> Result<Toolkit> {
    let output = Command::new(nvcc)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", nvcc.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some((major, minor)) = release(&text) else {
        bail!("{} --version names no release", nvcc.display());
    };
    if (major, minor) < OLDEST {
        bail!("its release is {major}.{minor}; {}.{} or newer is needed", OLDEST.0, OLDEST.1);
    }
    let version = text.lines().skip_while(|line| !line.contains("release")).collect::<Vec<_>>();
    Ok(Toolkit { nvcc: nvcc.to_path_buf(), version: version.join("; ") })
}

/// The release in the output of `nvcc --version`: `… release 13.0, V13.0.88`.
fn release(text: &str) -> Option<(u32, u32)> {
    let (_, rest) = text.split_once("release ")?;
    let (release, _) = rest.split_once(',')?;
    let (major, minor) = release.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Installs the pinned packages under target/toolkit.
pub(crate) fn install() -> Result<Toolkit> {
    let python = python_with_pip()?;
    let site = site_directory();
    eprintln!("installing {} into {}", PACKAGES.join(" "), site.display());
    let status = Command::new(python)
        .args(["-m", "pip", "install", "--no-deps", "--upgrade", "--quiet"])
        .args(["--disable-pip-version-check", "--target"])
        .arg(&site)
        .args(PACKAGES)
        .stdin(Stdio::null())
        .status()?;
    if !status.success() {
        bail!("pip could not install the CUDA compiler ({status}); its message is above");
    }
    let nvcc = installed_nvcc();
    let tools = nvcc.parent().context("nvcc lies in a directory")?.to_path_buf();
    for directory in [tools, site.join("nvidia/cu13/nvvm/bin")] {
        make_executable(&directory)?;
    }
    probe(&nvcc).context("the installed compiler does not work")
}

fn python_with_pip() -> Result<&'static str> {
    for python in ["python3", "python"] {
        let pip = Command::new(python)
            .args(["-m", "pip", "--version"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if pip.is_ok_and(|status| status.success()) {
            return Ok(python);
        }
    }
    bail!(
        "no CUDA compiler of release {}.{} or newer (looked at NVCC, CUDA_HOME, PATH, \
         /usr/local/cuda), and no python3 with pip to install one. Install either, or set NVCC",
        OLDEST.0,
        OLDEST.1
    )
}

/// Some versions of pip drop the mode bits of files that are no entry points.
#[cfg(unix)]
fn make_executable(directory: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let entries = std::fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() && metadata.permissions().mode() & 0o111 == 0 {
            let mut permissions = metadata.permissions();
            permissions.set_mode(permissions.mode() | 0o755);
            std::fs::set_permissions(entry.path(), permissions)?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_executable(_directory: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_is_read() {
        let text = "Copyright\nCuda compilation tools, release 13.0, V13.0.88\nBuild x";
        assert_eq!(release(text), Some((13, 0)));
        assert_eq!(release("release 9, "), None);
        assert_eq!(release(""), None);
    }
}
