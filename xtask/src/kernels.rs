//! `cargo xtask kernels`: compiles `kernels/<capability>/*.cu` to one image per capability.
//!
//! Each `.cu` file is a translation unit of its own, compiled as a whole program: relocatable code that a linker joins would
//! cost optimizations. An image is the fat binaries of its capability's units, one after the other, in the order of
//! their names; the loader takes them apart. Units compile in parallel, and are kept by a hash of all that they are made of.

mod cache;
mod release;
mod resources;
pub(crate) mod sources;

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

use crate::codegen::{self, Contract};
use crate::toolkit::{self, Toolkit};
use cache::{Cache, Compiled};
use sources::Unit;

/// What `--arch` calls all that is shipped.
const RELEASE: &str = "release";

/// Arguments of `cargo xtask kernels`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these capabilities (directories of kernels/); all if none is named
    capabilities: Vec<String>,
    /// Architectures: sm_NN (code), compute_NN (PTX), or `release` for the crates of all that are shipped
    #[arg(long, value_delimiter = ',', default_value = "sm_90")]
    arch: Vec<String>,
    /// Device code for debuggers: not optimized
    #[arg(long)]
    debug: bool,
    /// Source lines for profilers and sanitizers: the same code in images about three times as large
    #[arg(long, conflicts_with = "debug")]
    lineinfo: bool,
    /// Where the images go [default: crates/gdf-kernels/images]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where the sources are [default: kernels]
    #[arg(long, value_name = "DIR", hide = true)]
    sources: Option<PathBuf>,
    /// How many compilers run at a time [default: the number of cores]
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
}

/// Compiles what is out of date and rewrites the images.
pub(crate) fn run(args: Args) -> Result<()> {
    let Some(toolkit) = toolkit::find()? else {
        bail!("no CUDA compiler found; `cargo xtask toolkit` installs one");
    };
    let target = toolkit::workspace_root().join("target");
    let sources = args.sources.clone().unwrap_or_else(|| toolkit::workspace_root().join("kernels"));
    let build = Build {
        contract: codegen::generate(&sources)?,
        compiler: toolkit.identity(),
        capabilities: sources::capabilities(&sources)?,
        cache: Cache::open(&target)?,
        chosen: args.capabilities.iter().cloned().collect(),
        jobs: args.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get),
        work: target.join("kernels"),
        toolkit,
        sources,
    };
    if let Some(unknown) = build.chosen.iter().find(|name| !build.capabilities.contains_key(*name)) {
        bail!("kernels/{unknown} holds no .cu files");
    }
    if args.arch == [RELEASE] {
        ensure!(args.out.is_none() && !args.debug && !args.lineinfo, "what is shipped has its own place and flags");
        for set in release::SETS {
            build.images(&flags(&[set.arch], false, false)?, &set.folder())?;
        }
        build.cache.trim()?;
        return release::weigh();
    }
    let out = match args.out {
        Some(out) => std::path::absolute(out)?,
        None => crate::repository::images(),
    };
    let arch: Vec<&str> = args.arch.iter().map(String::as_str).collect();
    build.images(&flags(&arch, args.debug, args.lineinfo)?, &out)?;
    build.cache.trim()
}

/// Everything that is the same for all images of one run.
struct Build {
    toolkit: Toolkit,
    /// What tells compilers apart.
    compiler: String,
    contract: Contract,
    sources: PathBuf,
    capabilities: BTreeMap<String, Vec<Unit>>,
    /// The capabilities to compile; all if it is empty.
    chosen: BTreeSet<String>,
    cache: Cache,
    work: PathBuf,
    jobs: usize,
}

fn flags(arch: &[&str], debug: bool, lineinfo: bool) -> Result<Vec<String>> {
    let mut flags: Vec<String> =
        ["-fatbin", "-std=c++20", "--expt-relaxed-constexpr", "-Wno-deprecated-gpu-targets", "-Xptxas=-v"]
            .map(String::from)
            .into();
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
            bail!("{arch:?} is no architecture; expected sm_NN, compute_NN, or `{RELEASE}` alone");
        };
        flags.push(format!("-gencode=arch=compute_{number},code={kind}_{number}"));
    }
    Ok(flags)
}

/// Units by the positions of their capability and themselves, with what became of them.
type Outcomes = BTreeMap<(String, usize), Compiled>;

impl Build {
    /// Makes the images of the chosen capabilities in a folder.
    fn images(&self, flags: &[String], out: &Path) -> Result<()> {
        fs::create_dir_all(out)?;
        fs::create_dir_all(&self.work)?;
        let lock = fs::File::create(self.work.join(format!("{:016x}.lock", hash_of(out))))?;
        lock.lock()?;
        let begin = Instant::now();
        let is_chosen = |name: &String| self.chosen.is_empty() || self.chosen.contains(name);
        let chosen: BTreeMap<_, _> = self.capabilities.iter().filter(|(name, _)| is_chosen(name)).collect();
        let (outcomes, compiled, failed) = self.compile(&chosen, flags);
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
        let (units, seconds) = (outcomes.len(), begin.elapsed().as_secs_f64());
        println!("{units} units ({compiled} compiled), {bytes} bytes in {}, {seconds:.1} s", out.display());
        ensure!(failed.is_empty(), "did not compile: {}", failed.join(", "));
        Ok(())
    }

    /// Finds or compiles the units of these capabilities: what they became, how many were compiled, and which failed.
    fn compile(&self, chosen: &BTreeMap<&String, &Vec<Unit>>, flags: &[String]) -> (Outcomes, usize, Vec<String>) {
        let units = chosen.iter().flat_map(|(name, units)| units.iter().enumerate().map(move |unit| (*name, unit)));
        let queue = Mutex::new(units.collect::<VecDeque<_>>());
        let (outcomes, failed) = (Mutex::new(Outcomes::new()), Mutex::new(Vec::new()));
        let compiled = Mutex::new(0);
        let next = || locked(&queue).pop_front(); // a function, so that the lock ends with the call
        thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    while let Some((name, (position, unit))) = next() {
                        match self.unit(name, unit, flags) {
                            Ok((outcome, is_new)) => {
                                *locked(&compiled) += usize::from(is_new);
                                locked(&outcomes).insert((name.clone(), position), outcome);
                            }
                            Err(error) => {
                                eprintln!("{}: {error:#}", unit.file);
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

    /// What a unit is compiled to, and whether it had to be.
    fn unit(&self, capability: &str, unit: &Unit, flags: &[String]) -> Result<(Compiled, bool)> {
        let text = format!("#include \"{}\"\n{}", unit.file, self.contract.unit(capability, unit.texts.keys()));
        let files = unit.texts.iter().flat_map(|(name, text)| [name.as_str(), text.as_str()]);
        let mut parts: Vec<&str> = vec![&self.compiler, &text];
        parts.extend(flags.iter().map(String::as_str).chain(["in"]).chain(files));
        // With source lines, the code names folders.
        let folder = self.sources.to_string_lossy();
        parts.extend(flags.iter().any(|flag| flag == "-lineinfo" || flag == "-G").then_some(&*folder));
        let key = cache::key(parts);
        if let Some(found) = self.cache.find(&key) {
            return Ok((found, false));
        }
        let begin = Instant::now();
        let path = self.work.join(format!("{capability}.{}.{}.{}", unit.name, &key[..16], std::process::id()));
        let outcome = self.nvcc(&unit.file, &text, flags, &path);
        for extension in ["cu", "fatbin"] {
            let _ = fs::remove_file(path.with_added_extension(extension)); // what failed left none
        }
        let (compiled, kernels) = outcome?;
        self.cache.insert(&key, &compiled)?;
        let seconds = begin.elapsed().as_secs_f64();
        println!("{}: {kernels} kernels, {} bytes, {seconds:.1} s", unit.file, compiled.code.len());
        Ok((compiled, true))
    }

    /// Compiles a text to files that begin with `path`; also counts its kernels.
    fn nvcc(&self, file: &str, text: &str, flags: &[String], path: &Path) -> Result<(Compiled, usize)> {
        let (source, made) = (path.with_added_extension("cu"), path.with_added_extension("fatbin"));
        fs::write(&source, text)?;
        let mut command = Command::new(&self.toolkit.nvcc);
        command.args(flags).arg("-I").arg(&self.sources).arg("-I").arg(self.sources.join("include"));
        let output = command.arg("-o").arg(&made).arg(&source).stdin(Stdio::null()).output();
        let output = output.context("cannot run nvcc")?;
        let messages = String::from_utf8_lossy(&output.stderr);
        let remarks = resources::remarks(&messages);
        if !remarks.is_empty() {
            eprintln!("{file}:\n{remarks}");
        }
        ensure!(output.status.success(), "nvcc failed ({})", output.status);
        let resources = resources::resources(&messages);
        resources::warn_of(file, &resources, flags.iter().any(|flag| flag == "-G"));
        let lines = resources.iter().map(|resources| resources.line() + "\n").collect();
        Ok((Compiled { code: fs::read(&made)?, resources: lines }, resources::names(&resources).len()))
    }

    /// Deletes images of capabilities that are gone and writes the manifest and the table of resources; the size of the images.
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

/// What kernels take of a device, beside their images.
const TABLE: &str = "resources.txt";
const HEADER: &str = "# capability kernel arch registers stack spill_stores spill_loads shared\n";

/// The lines of the table in a folder by capability; none where there is no table.
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

/// Leaves the time stamp of an unchanged file alone, so that cargo rebuilds nothing for it.
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
        let made = flags(&["sm_90"], false, false).unwrap();
        assert!(made.contains(&"-gencode=arch=compute_90,code=sm_90".to_owned()));
        assert!(!made.contains(&"-lineinfo".to_owned()));
        assert!(flags(&["sm_90"], false, true).unwrap().contains(&"-lineinfo".to_owned()));
        let made = flags(&["compute_75"], false, false).unwrap();
        assert!(made.contains(&"-gencode=arch=compute_75,code=compute_75".to_owned()));
        assert!(flags(&["sm_90", "volta"], false, false).is_err());
        assert!(flags(&["sm_90", RELEASE], false, false).is_err());
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
