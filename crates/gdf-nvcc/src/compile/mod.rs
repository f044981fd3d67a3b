//! Compiles `kernels/<capability>/*.cu` to one image per capability. A capability is a group of operations, such as
//! `sorting`.
//!
//! Each `.cu` file is a translation unit. A unit is compiled as a whole program, because relocatable code would lose
//! optimizations. An image is the concatenation of the fat binaries of its capability's units, in the order of the
//! units' names. The loader splits the image again. Units compile in parallel. Compiled units are cached by a hash of
//! all their inputs.

mod resources;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::cache::{self, Cache, Compiled};
use crate::contract::{self, Contract};
use crate::progress::Progress;
pub use crate::progress::Summary;
use crate::sources::{self, Unit};
use crate::toolkit::Toolkit;

/// Compiler options other than the architectures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether to compile for debuggers, without optimization.
    pub debug: bool,
    /// Whether to add source line numbers for profilers and sanitizers. The machine code does not change, but the
    /// images become about three times as large.
    pub lineinfo: bool,
}

/// The settings that all images of a run share.
pub struct Build {
    toolkit: Toolkit,
    /// The text that identifies the compiler.
    compiler: String,
    contract: Contract,
    /// The units of the sources that [`claiming`](Self::claiming) names. The images carry the hashes of these units.
    /// `None` if the images carry the hashes of the compiled units.
    claimed: Option<BTreeMap<String, Vec<Unit>>>,
    sources: PathBuf,
    capabilities: BTreeMap<String, Vec<Unit>>,
    /// The names of the capabilities to compile. If the set is empty, all capabilities are compiled.
    chosen: BTreeSet<String>,
    cache: Cache,
    work: PathBuf,
    jobs: usize,
}

/// Returns the options of nvcc for these architectures. The name `sm_NN` requests machine code, and the name
/// `compute_NN` requests PTX.
///
/// # Errors
/// An element of `arch` is not a name of this form.
pub fn flags(arch: &[&str], options: Options) -> Result<Vec<String>> {
    let Options { debug, lineinfo } = options;
    let mut flags: Vec<String> =
        ["-fatbin", "-std=c++20", "--expt-relaxed-constexpr", "-Wno-deprecated-gpu-targets", "-Xptxas=-v"]
            .map(String::from)
            .into();
    // Without jump tables in the PTX, ptxas (13.0 to 13.5) makes its own from chains of comparisons. It then omits
    // instructions that end the waits of threads for each other, so that a later barrier of the block traps.
    flags.push("--jump-table-density=50".into());
    if debug {
        flags.extend(["-G", "-DGDF_DEBUG"].map(String::from));
    } else {
        flags.extend(["-O3", "--compress-mode=size"].map(String::from));
    }
    if lineinfo {
        flags.push("-lineinfo".into());
    }
    for arch in BTreeSet::from_iter(arch) {
        let Some((kind @ ("sm" | "compute"), number)) = arch.split_once('_') else {
            bail!("{arch:?} is not an architecture; expected sm_NN or compute_NN");
        };
        ensure!(is_number(number), "{arch:?} is not an architecture; expected sm_NN or compute_NN");
        flags.push(format!("-gencode=arch=compute_{number},code={kind}_{number}"));
    }
    Ok(flags)
}

/// Returns whether the text is a CUDA compute capability without its point, such as `90` or `90a`.
fn is_number(text: &str) -> bool {
    let digits = text.trim_end_matches(['a', 'f']);
    (2..=3).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && text.len() <= digits.len() + 1
}

/// The compiled units. The key is the name of the capability, and the position of the unit in the capability.
type Outcomes = BTreeMap<(String, usize), Compiled>;

impl Build {
    /// Prepares a build of the sources in a folder, with temporary files in `work`. Compiled units are cached in the
    /// user's cache directory, or below `work` if the user has no cache directory.
    ///
    /// # Errors
    /// The sources cannot be read, or the cache cannot be created.
    pub fn new(toolkit: Toolkit, sources: &Path, work: &Path) -> Result<Self> {
        Ok(Self {
            contract: contract::generate(sources)?,
            compiler: toolkit.identity(),
            capabilities: sources::capabilities(sources)?,
            cache: Cache::open(work)?,
            claimed: None,
            chosen: BTreeSet::new(),
            jobs: thread::available_parallelism().map_or(1, NonZeroUsize::get),
            work: work.to_owned(),
            toolkit,
            sources: sources.to_owned(),
        })
    }

    /// Makes images carry the hashes of the sources in another folder. Therefore a library that was built from those
    /// sources loads the images. The tests with mutated kernels use this function.
    ///
    /// # Errors
    /// The sources cannot be read.
    pub fn claiming(mut self, sources: &Path) -> Result<Self> {
        self.contract = contract::generate(sources)?;
        self.claimed = Some(sources::capabilities(sources)?);
        Ok(self)
    }

    /// Restricts the build to these capabilities. If no capability is named, all capabilities are built.
    ///
    /// # Errors
    /// A named capability has no sources.
    pub fn only(mut self, capabilities: impl IntoIterator<Item = String>) -> Result<Self> {
        self.chosen = capabilities.into_iter().collect();
        if let Some(unknown) = self.chosen.iter().find(|name| !self.capabilities.contains_key(*name)) {
            bail!("the folder kernels/{unknown} has no .cu files; name another folder");
        }
        Ok(self)
    }

    /// Sets the number of compilers that run at a time. The default is the number of cores.
    #[must_use]
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.jobs = jobs.get();
        self
    }

    /// Builds the images of the chosen capabilities in a folder.
    ///
    /// # Errors
    /// - A unit does not compile. All other units are still compiled.
    /// - A file cannot be read or written.
    pub fn images(&self, flags: &[String], out: &Path, progress: &dyn Progress) -> Result<Summary> {
        fs::create_dir_all(out)?;
        fs::create_dir_all(&self.work)?;
        let lock = fs::File::create(self.work.join(format!("{:016x}.lock", hash_of(out))))?;
        lock.lock()?;
        let begin = Instant::now();
        let is_chosen = |name: &String| self.chosen.is_empty() || self.chosen.contains(name);
        let chosen: BTreeMap<_, _> = self.capabilities.iter().filter(|(name, _)| is_chosen(name)).collect();
        progress.begin(chosen.values().map(|units| units.len()).sum());
        let (outcomes, compiled, failed) = self.compile(&chosen, flags, progress);
        let mut tables = tables(out);
        tables.retain(|name, _| self.capabilities.contains_key(name));
        for (name, units) in chosen {
            let parts: Option<Vec<_>> = (0..units.len()).map(|unit| outcomes.get(&(name.clone(), unit))).collect();
            let Some(parts) = parts else { continue };
            let image = parts.iter().flat_map(|part| &part.code).copied().collect::<Vec<u8>>();
            write_if_changed(&out.join(format!("{name}.fatbin")), &image)?;
            let lines = parts.iter().flat_map(|part| part.resources.lines());
            tables.insert(name.clone(), lines.map(|line| format!("{name} {line}\n")).collect());
        }
        let bytes = self.publish(out, &tables)?;
        let summary = Summary { units: outcomes.len(), compiled, bytes, time: begin.elapsed() };
        progress.end(&summary, out);
        ensure!(failed.is_empty(), "these units did not compile: {}", failed.join(", "));
        Ok(summary)
    }

    /// Removes the least recently used units from the cache until the remaining units fit the size limit.
    ///
    /// # Errors
    /// The cache cannot be listed.
    pub fn trim(&self) -> Result<()> {
        self.cache.trim()
    }

    /// Takes the units of these capabilities from the cache, or compiles them. Returns the compiled units, the number
    /// of units that were not in the cache, and the files that did not compile.
    fn compile(
        &self,
        chosen: &BTreeMap<&String, &Vec<Unit>>,
        flags: &[String],
        progress: &dyn Progress,
    ) -> (Outcomes, usize, Vec<String>) {
        let units = chosen.iter().flat_map(|(name, units)| units.iter().enumerate().map(move |unit| (*name, unit)));
        let queue = Mutex::new(units.collect::<VecDeque<_>>());
        let (outcomes, failed) = (Mutex::new(Outcomes::new()), Mutex::new(Vec::new()));
        let compiled = Mutex::new(0);
        // The closure ends the lock with each call. In the condition of a loop, the lock would last through the body.
        let next = || locked(&queue).pop_front();
        thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    while let Some((name, (position, unit))) = next() {
                        match self.unit(name, unit, flags, progress) {
                            Ok((outcome, is_new)) => {
                                progress.unit();
                                *locked(&compiled) += usize::from(is_new);
                                locked(&outcomes).insert((name.clone(), position), outcome);
                            }
                            Err(error) => {
                                progress.failed(&unit.file, &error);
                                locked(&failed).push(unit.file.clone());
                            }
                        }
                    }
                });
            }
        });
        let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.sort();
        let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        (outcomes, compiled.into_inner().unwrap_or_else(PoisonError::into_inner), failed)
    }

    /// Returns the compiled unit, and whether the unit was compiled now.
    fn unit(
        &self,
        capability: &str,
        unit: &Unit,
        flags: &[String],
        progress: &dyn Progress,
    ) -> Result<(Compiled, bool)> {
        let claimed = self.claimed.as_ref().and_then(|claimed| claimed.get(capability));
        let claimed = claimed.into_iter().flatten().find(|other| other.name == unit.name);
        let end = self.contract.unit(capability, unit.texts.keys(), claimed.unwrap_or(unit).hash());
        let text = format!("#include \"{}\"\n{end}", unit.file);
        let mut parts: Vec<&str> = vec![&self.compiler, &text];
        parts.extend(flags.iter().map(String::as_str).chain(["in"]));
        // With source line numbers or debug information, the code contains line numbers and the path of the source
        // folder. Therefore comments and the path are parts of the key. In all other builds, a change of comments does
        // not change the code.
        let folder = self.sources.to_string_lossy();
        if flags.iter().any(|flag| flag == "-lineinfo" || flag == "-G") {
            parts.extend(unit.texts.iter().flat_map(|(name, text)| [name.as_str(), text.as_str()]));
            parts.push(&folder);
        } else {
            parts.extend(unit.code());
        }
        let key = cache::key(parts);
        if let Some(found) = self.cache.find(&key) {
            return Ok((found, false));
        }
        let begin = Instant::now();
        let path = self.work.join(format!("{capability}.{}.{}.{}", unit.name, &key[..16], std::process::id()));
        let outcome = self.nvcc(&unit.file, &text, flags, &path, progress);
        for extension in ["cu", "fatbin"] {
            // After a failed compilation, the file may be missing, so errors are ignored.
            let _ = fs::remove_file(path.with_added_extension(extension));
        }
        let (compiled, kernels) = outcome?;
        // The cache may be full, owned by another user, or trimmed by another process at the same time. The compiled
        // unit is usable without the cache.
        if let Err(error) = self.cache.insert(&key, &compiled) {
            progress.remark(&format!("a compiled unit could not be cached: {error:#}"));
        }
        progress.compiled(&unit.file, kernels, compiled.code.len(), begin.elapsed());
        Ok((compiled, true))
    }

    /// Compiles a text to a file whose name begins with `path`. Returns the compiled unit and the number of its
    /// kernels.
    fn nvcc(
        &self,
        file: &str,
        text: &str,
        flags: &[String],
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<(Compiled, usize)> {
        let (source, made) = (path.with_added_extension("cu"), path.with_added_extension("fatbin"));
        fs::write(&source, text)?;
        let mut command = Command::new(&self.toolkit.nvcc);
        command.args(flags).arg("-I").arg(&self.sources).arg("-I").arg(self.sources.join("include"));
        let output = command.arg("-o").arg(&made).arg(&source).stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("cannot run {}", self.toolkit.nvcc.display()))?;
        let messages = String::from_utf8_lossy(&output.stderr);
        let remarks = resources::remarks(&messages);
        if !remarks.is_empty() {
            progress.remark(&format!("{file}:\n{remarks}"));
        }
        ensure!(output.status.success(), "nvcc failed ({})", output.status);
        let resources = resources::resources(&messages);
        let is_debug = flags.iter().any(|flag| flag == "-G");
        resources::warnings(file, &resources, is_debug).iter().for_each(|warning| progress.remark(warning));
        let lines = resources.iter().map(|resources| resources.line() + "\n").collect();
        Ok((Compiled { code: fs::read(&made)?, resources: lines }, resources::names(&resources).len()))
    }

    /// Deletes the images of capabilities that no longer exist. Writes the manifest and the table of resources. Returns
    /// the size of the images in bytes.
    fn publish(&self, out: &Path, tables: &BTreeMap<String, String>) -> Result<u64> {
        let mut bytes = 0;
        for entry in fs::read_dir(out)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "fatbin") {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                if self.capabilities.contains_key(&stem) {
                    bytes += fs::metadata(&path)?.len();
                } else {
                    fs::remove_file(&path)?;
                }
            }
        }
        let all: String = tables.values().map(String::as_str).collect();
        let kernels: BTreeSet<String> =
            all.lines().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
        let kernels: String = kernels.iter().map(|kernel| format!("{kernel}\n")).collect();
        write_if_changed(&out.join("kernels.txt"), kernels.as_bytes())?;
        write_if_changed(&out.join(TABLE), (HEADER.to_owned() + &all).as_bytes())?;
        Ok(bytes)
    }
}

/// The file beside the images that lists the device resources of kernels.
const TABLE: &str = "resources.txt";
const HEADER: &str = "# capability kernel arch registers stack spill_stores spill_loads shared\n";

/// Returns the lines of the table in a folder, by capability. If the folder has no table, the result is empty.
fn tables(folder: &Path) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let text = fs::read_to_string(folder.join(TABLE)).unwrap_or_default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let lines = found.entry(line.split(' ').next().unwrap_or_default().to_owned()).or_default();
        lines.push_str(line);
        lines.push('\n');
    }
    found
}

/// Writes a file only if the contents change. If the contents do not change, the file keeps its time stamp, so cargo
/// does not rebuild the crate.
fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let fresh = path.with_extension("new");
    fs::write(&fresh, bytes).with_context(|| format!("cannot write {}", fresh.display()))?;
    fs::rename(&fresh, path)?;
    Ok(())
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_become_flags() {
        let made = flags(&["sm_90"], Options::default()).unwrap();
        assert!(made.contains(&"-gencode=arch=compute_90,code=sm_90".to_owned()));
        assert!(!made.contains(&"-lineinfo".to_owned()));
        assert!(
            flags(&["sm_90"], Options { lineinfo: true, ..Options::default() })
                .unwrap()
                .contains(&"-lineinfo".to_owned())
        );
        let made = flags(&["compute_75"], Options::default()).unwrap();
        assert!(made.contains(&"-gencode=arch=compute_75,code=compute_75".to_owned()));
        for wrong in ["volta", "release", "sm_", "sm_9", "sm_90;rm", "sm_1000", "sm_90aa", "90"] {
            assert!(flags(&["sm_90", wrong], Options::default()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn tables_are_read_by_capability() {
        let folder = tempfile::tempdir().unwrap();
        assert!(tables(folder.path()).is_empty());
        fs::write(
            folder.path().join(TABLE),
            format!("{HEADER}a x_kernel sm_90 8\na y_kernel sm_90 8\nb z_kernel sm_90 8\n"),
        )
        .unwrap();
        let tables = tables(folder.path());
        assert_eq!(tables["a"], "a x_kernel sm_90 8\na y_kernel sm_90 8\n");
        assert_eq!(tables["b"], "b z_kernel sm_90 8\n");
    }
}
