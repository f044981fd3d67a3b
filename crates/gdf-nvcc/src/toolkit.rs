//! Finds the CUDA compiler on the machine, or fetches it without root.

use std::env;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use etcetera::BaseStrategy;

use crate::progress::Progress;
use crate::{fetch, pins, trust};

/// The oldest compiler release that the kernels support.
const OLDEST: (u32, u32) = (13, 0);

/// The path of nvcc in a folder that [`fetch`](fetch()) has filled.
const FETCHED: &str = "nvidia/cu13/bin/nvcc";

/// A usable CUDA compiler.
#[derive(Clone, Debug)]
pub struct Toolkit {
    /// The path of nvcc.
    pub nvcc: PathBuf,
    /// The output of `nvcc --version`, from the line that states the release to the end. The text differs between any
    /// two builds of the compiler.
    pub version: String,
}

impl Toolkit {
    /// Returns the compiler at this path.
    ///
    /// # Errors
    /// The compiler does not run, or its release is too old.
    pub fn at(nvcc: &Path) -> Result<Self> {
        let output = Command::new(nvcc)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot run {}", nvcc.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let Some((major, minor)) = release(&text) else {
            bail!("the output of {} --version does not contain a release; name the path of nvcc", nvcc.display());
        };
        if (major, minor) < OLDEST {
            bail!("the compiler's release is {major}.{minor}; {}.{} or newer is needed", OLDEST.0, OLDEST.1);
        }
        let version = text.lines().skip_while(|line| !line.contains("release")).collect::<Vec<_>>();
        Ok(Toolkit { nvcc: nvcc.to_path_buf(), version: version.join("; ") })
    }

    /// Returns the compiler's build and the version of CUB. Toolkits with equal texts compile the same code.
    pub fn identity(&self) -> String {
        let above = self.nvcc.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        let headers = ["include/cccl/cub/version.cuh", "include/cub/version.cuh"];
        let cub = headers.iter().find_map(|header| fs::read_to_string(above.join(header)).ok());
        format!("{}\n{}", self.version, cub.unwrap_or_default())
    }
}

/// Finds a compiler of a recent enough release. The search order is `NVCC`, `CUDA_HOME`, the compiler that was fetched
/// to `site`, `PATH`, and `/usr/local/cuda`. If a compiler does not run or is too old, and neither `NVCC` nor
/// `CUDA_HOME` names it, the function calls `skipped` and continues the search.
///
/// # Errors
/// A compiler that an environment variable names is not usable.
pub fn find(site: Option<&Path>, skipped: &mut dyn FnMut(&Path, anyhow::Error)) -> Result<Option<Toolkit>> {
    if let Some(nvcc) = env::var_os("NVCC") {
        return Toolkit::at(Path::new(&nvcc))
            .context("the compiler that the environment variable NVCC names cannot be used")
            .map(Some);
    }
    if let Some(home) = env::var_os("CUDA_HOME") {
        let nvcc = Path::new(&home).join("bin/nvcc");
        return Toolkit::at(&nvcc)
            .context("the folder that the environment variable CUDA_HOME names has no usable compiler")
            .map(Some);
    }
    let on_path: Vec<_> = env::var_os("PATH")
        .map(|path| env::split_paths(&path).map(|dir| dir.join("nvcc")).collect())
        .unwrap_or_default();
    let fetched = site.map(|site| site.join(FETCHED));
    let candidates = fetched.clone().into_iter().chain(on_path).chain([PathBuf::from("/usr/local/cuda/bin/nvcc")]);
    for nvcc in candidates.filter(|nvcc| nvcc.is_file()) {
        // Only the fetched compiler is in a folder that gdf chose.
        let trusted = if fetched.as_ref() == Some(&nvcc) { trust::check(&nvcc) } else { Ok(()) };
        match trusted.and_then(|()| Toolkit::at(&nvcc)) {
            Ok(toolkit) => return Ok(Some(toolkit)),
            Err(error) => skipped(&nvcc, error),
        }
    }
    Ok(None)
}

/// Returns the folder in the user's cache directory to which programs [`fetch`](fetch()) the compiler. `None` if there
/// is no home directory.
pub fn user_site() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("gdf/toolkit"))
}

/// Fetches the pinned compiler and its headers to a folder, without root and without Python. The files are files of
/// NVIDIA's Python packages. The packages come from PyPI, or from the index that `PIP_INDEX_URL`, `UV_DEFAULT_INDEX` or
/// `UV_INDEX_URL` names. The SHA-256 of each file must be the pinned hash. If the folder already has a compiler, the
/// new files replace it once all of them are complete. If another process is fetching to the same folder, the function
/// waits and returns the compiler that the other process has fetched.
///
/// # Errors
/// - There is no compiler for this platform.
/// - A file cannot be fetched, or the hash of a file is not the pinned hash.
/// - The folder cannot be written.
pub fn fetch(site: &Path, progress: &dyn Progress) -> Result<Toolkit> {
    let (os, arch) = (env::consts::OS, env::consts::ARCH);
    let Some(wheels) = pins::wheels(os, arch) else {
        bail!(
            "gdf cannot download a CUDA compiler for {os} on {arch}; install CUDA 13, or set the environment variable \
             NVCC to the path of its nvcc"
        );
    };
    let nvcc = site.join(FETCHED);
    let Turn::Own(_turn) = turn(site)? else {
        return Toolkit::at(&nvcc).context("the compiler that another process has fetched does not work");
    };
    fetch::wheels(wheels, &fetch::index(), site, progress)?;
    let tools = nvcc.parent().context("the path of nvcc has no folder")?.to_path_buf();
    for directory in [tools, site.join("nvidia/cu13/nvvm/bin")] {
        make_executable(&directory)?;
    }
    Toolkit::at(&nvcc).context("the fetched compiler does not work; install CUDA 13, or set NVCC")
}

/// The process that fetches to a folder, as [`turn`] determines.
#[derive(Debug)]
enum Turn {
    /// This process fetches. It holds the lock until the file is closed.
    Own(File),
    /// Another process has just finished fetching.
    Others,
}

/// Waits until no other process fetches to `site`.
fn turn(site: &Path) -> Result<Turn> {
    let path = site.with_added_extension("lock");
    let cannot = || format!("cannot write {}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).with_context(cannot)?;
    let file = File::create(&path).with_context(cannot)?;
    let has_waited = match file.try_lock() {
        Ok(()) => false,
        Err(TryLockError::WouldBlock) => {
            file.lock().with_context(cannot)?;
            true
        }
        Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
    };
    // If the other process failed, the folder has no usable compiler. In this case, this process fetches the compiler.
    Ok(if has_waited && Toolkit::at(&site.join(FETCHED)).is_ok() { Turn::Others } else { Turn::Own(file) })
}

/// Checks that a C++ compiler is installed, because nvcc needs a C++ compiler to preprocess the sources. The function
/// checks nothing on Windows, or if the environment variable `NVCC_CCBIN` is set.
///
/// # Errors
/// No C++ compiler is found.
pub fn check_host_compiler() -> Result<()> {
    if env::var_os("NVCC_CCBIN").is_some() || cfg!(windows) {
        return Ok(());
    }
    let has = |name: &str| {
        env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|directory| directory.join(name).is_file()))
    };
    ensure!(
        has("g++") || has("c++"),
        "nvcc needs a C++ compiler and found no g++: install it (Debian and Ubuntu: apt install g++), or set NVCC_CCBIN"
    );
    Ok(())
}

/// Returns the release in the output of `nvcc --version`: `… release 13.0, V13.0.88`.
fn release(text: &str) -> Option<(u32, u32)> {
    let (_, rest) = text.split_once("release ")?;
    let (release, _) = rest.split_once(',')?;
    let (major, minor) = release.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Makes programs executable, because some tools that write wheels do not mark programs as executable.
#[cfg(unix)]
fn make_executable(directory: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let entries = fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() && metadata.permissions().mode() & 0o111 == 0 {
            let mut permissions = metadata.permissions();
            permissions.set_mode(permissions.mode() | 0o755);
            fs::set_permissions(entry.path(), permissions)?;
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

    #[cfg(unix)]
    #[test]
    fn one_process_fetches_and_others_take_its_compiler() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("deep/toolkit");
        let Turn::Own(first) = turn(&site).unwrap() else { panic!("nobody else is there") };
        std::thread::scope(|scope| {
            let second = scope.spawn(|| turn(&site).unwrap());
            let nvcc = site.join(FETCHED);
            fs::create_dir_all(nvcc.parent().unwrap()).unwrap();
            fs::write(&nvcc, "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.1'\n").unwrap();
            fs::set_permissions(&nvcc, fs::Permissions::from_mode(0o755)).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(500));
            assert!(!second.is_finished(), "it waits");
            drop(first);
            assert!(matches!(second.join().unwrap(), Turn::Others));
        });
        // No other process is fetching now. Therefore this process replaces the existing compiler.
        assert!(matches!(turn(&site).unwrap(), Turn::Own(_)));
    }

    #[test]
    fn release_is_read() {
        let text = "Copyright\nCuda compilation tools, release 13.0, V13.0.88\nBuild x";
        assert_eq!(release(text), Some((13, 0)));
        assert_eq!(release("release 9, "), None);
        assert_eq!(release(""), None);
    }

    #[cfg(unix)]
    #[test]
    fn old_and_broken_compilers_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let nvcc = folder.path().join("nvcc");
        let write = |text: &str| {
            fs::write(&nvcc, format!("#!/bin/sh\necho '{text}'\n")).unwrap();
            fs::set_permissions(&nvcc, fs::Permissions::from_mode(0o755)).unwrap();
            Toolkit::at(&nvcc)
        };
        assert!(write("Cuda compilation tools, release 13.1, V13.1.2").is_ok());
        let old = write("Cuda compilation tools, release 12.9, V12.9.1").unwrap_err().to_string();
        assert!(old.contains("12.9; 13.0 or newer"), "{old}");
        assert!(write("hello").is_err());
        assert!(Toolkit::at(&folder.path().join("none")).is_err());
    }
}
