//! `cargo xtask kernels`: compiles `kernels/<capability>/*.cu` to one fat binary per capability.
//!
//! The sources of a capability are one translation unit (a generated file includes them all), as an
//! image holds one program per architecture and linking relocatable code would cost optimizations.
//! Capabilities compile in parallel; one is skipped while nothing it read last time has changed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::codegen::{self, Contract};
use crate::toolkit::{self, Toolkit};

/// What `--arch release` stands for: code for one architecture of each major version, which runs on those of its later minor
/// versions; code for later devices is compiled from the PTX by the driver.
const RELEASE: [&str; 6] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120", "compute_75"];

/// The images are part of a package that the registry accepts up to 10 MB compressed.
const RELEASE_LIMIT: u64 = 8 << 20;

/// Arguments of `cargo xtask kernels`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these capabilities (directories of kernels/); all if none is named
    capabilities: Vec<String>,
    /// Architectures: sm_NN (code), compute_NN (PTX), or `release` for all that are shipped
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

/// Compiles what is out of date and rewrites the manifest.
pub(crate) fn run(args: Args) -> Result<()> {
    let Some(toolkit) = toolkit::find()? else {
        bail!("no CUDA compiler found; `cargo xtask toolkit` installs one");
    };
    let root = toolkit::workspace_root();
    let out = match args.out {
        Some(out) => std::path::absolute(out)?,
        None => root.join("crates/gdf-kernels/images"),
    };
    let release = args.arch.iter().any(|arch| arch == "release");
    let sources = args.sources.unwrap_or_else(|| root.join("kernels"));
    let build = Build {
        flags: flags(&args.arch, args.debug, args.lineinfo)?,
        contract: codegen::generate(&sources)?,
        sources,
        work: root.join("target/kernels").join(format!("{:016x}", hash_of(&out))),
        toolkit,
        out,
    };
    fs::create_dir_all(&build.work)?;
    fs::create_dir_all(&build.out)?;
    let lock = fs::File::create(build.work.join("lock"))?;
    lock.lock()?;

    let all = capabilities(&build.sources)?;
    if let Some(unknown) = args.capabilities.iter().find(|name| !all.contains_key(*name)) {
        bail!("kernels/{unknown} holds no .cu files");
    }
    let chosen: BTreeMap<_, _> =
        all.iter().filter(|(name, _)| args.capabilities.is_empty() || args.capabilities.contains(name)).collect();
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let failed = build.compile(chosen, jobs);
    let bytes = build.publish(&all)?;
    if !failed.is_empty() {
        bail!("did not compile: {}", failed.join(", "));
    }
    if release && bytes > RELEASE_LIMIT {
        bail!("the images take {bytes} bytes; a package may hold {RELEASE_LIMIT}");
    }
    Ok(())
}

/// Everything that is the same for all capabilities of one run.
struct Build {
    toolkit: Toolkit,
    contract: Contract,
    flags: Vec<String>,
    sources: PathBuf,
    work: PathBuf,
    out: PathBuf,
}

/// What one entry function needs on one architecture, by the assembler's account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Resources {
    kernel: String,
    arch: String,
    registers: u32,
    stack: u32,
    spill_stores: u32,
    spill_loads: u32,
    shared: u32,
}

fn flags(arch: &[String], debug: bool, lineinfo: bool) -> Result<Vec<String>> {
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
    let release = arch.iter().any(|arch| arch == "release");
    let named = arch.iter().map(String::as_str).filter(|arch| *arch != "release");
    let list: BTreeSet<&str> = named.chain(RELEASE.into_iter().filter(|_| release)).collect();
    if !list.iter().any(|arch| arch.starts_with("sm_")) {
        bail!("at least one architecture must be a device's (sm_NN)");
    }
    for arch in list {
        let Some((kind @ ("sm" | "compute"), number)) = arch.split_once('_') else {
            bail!("{arch:?} is no architecture; expected sm_NN, compute_NN or release");
        };
        flags.push(format!("-gencode=arch=compute_{number},code={kind}_{number}"));
    }
    Ok(flags)
}

/// The directories of kernels/ with the names of their sources.
fn capabilities(kernels: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(kernels).context("cannot list kernels/")? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let mut files = Vec::new();
        for file in fs::read_dir(entry.path())? {
            let file = file?.file_name().to_string_lossy().into_owned();
            if file.ends_with(".cu") {
                files.push(file);
            }
        }
        files.sort();
        if name != "include" && !files.is_empty() {
            found.insert(name, files);
        }
    }
    Ok(found)
}

impl Build {
    /// Compiles the capabilities that are out of date; returns those that failed.
    fn compile(&self, chosen: BTreeMap<&String, &Vec<String>>, jobs: usize) -> Vec<String> {
        let queue = Mutex::new(chosen.into_iter().collect::<VecDeque<_>>());
        let failed = Mutex::new(Vec::new());
        let next = || locked(&queue).pop_front(); // a function, so that the lock ends with the call
        thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while let Some((name, files)) = next() {
                        if let Err(error) = self.compile_one(name, files) {
                            eprintln!("{name}: {error:#}");
                            locked(&failed).push(name.clone());
                        }
                    }
                });
            }
        });
        let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.sort();
        failed
    }

    fn compile_one(&self, name: &str, files: &[String]) -> Result<()> {
        let unit = self.work.join(format!("{name}.cu"));
        let dependencies = self.work.join(format!("{name}.d"));
        let stamp = self.work.join(format!("{name}.stamp"));
        let image = self.out.join(format!("{name}.fatbin"));
        let includes: String = files.iter().map(|file| format!("#include \"{name}/{file}\"\n")).collect();
        let text = includes + self.contract.unit(name);

        let before = self.fingerprint(&text, &dependencies);
        let recorded = fs::read_to_string(&stamp).ok();
        let recorded = recorded.as_deref().and_then(|stamp| stamp.lines().next());
        if image.is_file() && before.is_some() && recorded == before.as_deref() {
            return Ok(());
        }

        let start = Instant::now();
        write_if_changed(&unit, text.as_bytes())?;
        let made = self.work.join(format!("{name}.fatbin"));
        let output = Command::new(&self.toolkit.nvcc)
            .args(&self.flags)
            .arg("-I")
            .arg(&self.sources)
            .arg("-I")
            .arg(self.sources.join("include"))
            .arg("-MD")
            .arg("-MF")
            .arg(&dependencies)
            .arg("-o")
            .arg(&made)
            .arg(&unit)
            .stdin(Stdio::null())
            .output()
            .context("cannot run nvcc")?;
        let messages = String::from_utf8_lossy(&output.stderr);
        let remarks = remarks(&messages);
        if !remarks.is_empty() {
            eprintln!("{name}:\n{remarks}");
        }
        if !output.status.success() {
            bail!("nvcc failed ({})", output.status);
        }
        let resources = resources(&messages);
        warn_of(name, &resources, self.flags.iter().any(|flag| flag == "-G"));

        // Taken again: the compiler has now told which headers count.
        let after = self.fingerprint(&text, &dependencies).context("nvcc wrote no list of dependencies")?;
        let bytes = fs::read(&made)?;
        write_if_changed(&image, &bytes)?;
        fs::remove_file(&made)?;
        let mut record = after + "\n";
        for r in &resources {
            record += &format!("{name} {}\n", r.line());
        }
        fs::write(&stamp, record)?;
        println!(
            "{name}: {} kernels, {} bytes, {:.1} s",
            names(&resources).len(),
            bytes.len(),
            start.elapsed().as_secs_f64()
        );
        Ok(())
    }

    /// A hash of all that the image depends on; none when that is not known yet.
    fn fingerprint(&self, unit: &str, dependencies: &Path) -> Option<String> {
        let mut hasher = DefaultHasher::new();
        (unit, &self.flags, &self.toolkit.version).hash(&mut hasher);
        // The toolkit's own headers are covered by its version.
        for file in listed_files(&fs::read_to_string(dependencies).ok()?) {
            if Path::new(&file).starts_with(&self.sources) {
                file.hash(&mut hasher);
                fs::read(&file).ok()?.hash(&mut hasher);
            }
        }
        Some(format!("{:016x}", hasher.finish()))
    }

    /// Deletes images of capabilities that are gone, then writes the manifest and the table of
    /// resources from the records of the others. Returns the size of the images.
    fn publish(&self, all: &BTreeMap<String, Vec<String>>) -> Result<u64> {
        for entry in fs::read_dir(&self.out)? {
            let path = entry?.path();
            let gone = |stem: &str| !all.contains_key(stem);
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            if path.extension().is_some_and(|e| e == "fatbin") && stem.is_some_and(gone) {
                fs::remove_file(&path)?;
                let stamp = self.work.join(stem.unwrap_or_default()).with_extension("stamp");
                let _ = fs::remove_file(stamp); // may never have been written
            }
        }
        let mut manifest = BTreeSet::new();
        let mut table = String::from("# capability kernel arch registers stack spill_stores spill_loads shared\n");
        let mut bytes = 0;
        for name in all.keys() {
            let Ok(image) = fs::metadata(self.out.join(format!("{name}.fatbin"))) else {
                continue;
            };
            bytes += image.len();
            let stamp = self.work.join(format!("{name}.stamp"));
            let Ok(record) = fs::read_to_string(stamp) else { continue };
            for line in record.lines().skip(1) {
                table += line;
                table.push('\n');
                let kernel = line.split(' ').take(2).collect::<Vec<_>>();
                manifest.insert(kernel.join(" "));
            }
        }
        let lines: String = manifest.iter().map(|line| format!("{line}\n")).collect();
        write_if_changed(&self.out.join("kernels.txt"), lines.as_bytes())?;
        write_if_changed(&self.out.join("resources.txt"), table.as_bytes())?;
        println!("{} kernels, {bytes} bytes in {}", manifest.len(), self.out.display());
        Ok(bytes)
    }
}

impl Resources {
    fn line(&self) -> String {
        format!(
            "{} {} {} {} {} {} {}",
            self.kernel, self.arch, self.registers, self.stack, self.spill_stores, self.spill_loads, self.shared
        )
    }
}

fn names(resources: &[Resources]) -> BTreeSet<&str> {
    resources.iter().map(|r| r.kernel.as_str()).collect()
}

fn warn_of(capability: &str, resources: &[Resources], debug: bool) {
    for r in resources.iter().filter(|_| !debug) {
        if r.spill_stores > 0 || r.spill_loads > 0 {
            eprintln!(
                "{capability}: warning: {} spills on {} ({} bytes stored, {} loaded)",
                r.kernel, r.arch, r.spill_stores, r.spill_loads
            );
        }
    }
    for name in names(resources) {
        if !name.ends_with("_kernel") || name.starts_with("_Z") {
            eprintln!("{capability}: warning: {name} is not extern \"C\" …_kernel");
        }
    }
}

/// What the assembler reports with `-v`, by entry function and architecture.
fn resources(messages: &str) -> Vec<Resources> {
    let mut found: Vec<Resources> = Vec::new();
    let mut of_entry = false;
    for line in messages.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let mut quoted = rest.split('\'');
            let kernel = quoted.next().unwrap_or_default().to_owned();
            let arch = quoted.nth(1).unwrap_or_default().to_owned();
            found.push(Resources { kernel, arch, ..Resources::default() });
        }
        let Some(entry) = found.last_mut() else { continue };
        if let Some((_, function)) = line.split_once("Function properties for ") {
            of_entry = function.trim() == entry.kernel;
        } else if of_entry && line.contains("bytes spill stores") {
            entry.stack = number_before(line, " bytes stack frame");
            entry.spill_stores = number_before(line, " bytes spill stores");
            entry.spill_loads = number_before(line, " bytes spill loads");
        } else if line.contains(": Used ") {
            entry.registers = number_before(line, " registers");
            entry.shared = number_before(line, " bytes smem");
        }
    }
    found
}

fn number_before(line: &str, text: &str) -> u32 {
    let number = line.split_once(text).and_then(|(before, _)| before.rsplit([' ', ',']).next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The compiler's messages without the assembler's reports.
fn remarks(messages: &str) -> String {
    let report = |line: &&str| line.starts_with("ptxas info") || line.contains("bytes stack frame") || line.is_empty();
    messages.lines().filter(|line| !report(line)).collect::<Vec<_>>().join("\n")
}

/// The files of a rule in make's syntax: `target : file file \` and so on.
fn listed_files(rule: &str) -> Vec<String> {
    let list = rule.split_once(':').map_or("", |(_, list)| list);
    let mut files = vec![String::new()];
    let mut characters = list.chars();
    while let Some(c) = characters.next() {
        let character = match c {
            '\\' => match characters.next() {
                Some(escaped @ (' ' | '\\' | '#')) => Some(escaped),
                Some('\n') | None => None,
                Some(other) => Some(other),
            },
            ' ' | '\n' | '\t' | '\r' => None,
            other => Some(other),
        };
        match (character, files.last_mut()) {
            (Some(character), Some(file)) => file.push(character),
            _ => files.push(String::new()),
        }
    }
    files.retain(|file| !file.is_empty());
    files
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

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_read() {
        let text = "ptxas info    : 12 bytes gmem\n\
            ptxas info    : Compiling entry function 'a_kernel' for 'sm_90'\n\
            ptxas info    : Function properties for helper\n\
            \x20   8 bytes stack frame, 9 bytes spill stores, 7 bytes spill loads\n\
            ptxas info    : Function properties for a_kernel\n\
            \x20   16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n\
            ptxas info    : Used 45 registers, used 1 barriers, 72 bytes smem\n\
            a.cu(3): warning: something\n";
        let expected = Resources {
            kernel: "a_kernel".into(),
            arch: "sm_90".into(),
            registers: 45,
            stack: 16,
            spill_stores: 4,
            spill_loads: 8,
            shared: 72,
        };
        assert_eq!(resources(text), [expected]);
        assert_eq!(remarks(text), "a.cu(3): warning: something");
    }

    #[test]
    fn rules_are_split() {
        let rule = "x.fatbin : /a/b.cu \\\n    /a\\ b/c.cuh \\\n  d.h\n";
        assert_eq!(listed_files(rule), ["/a/b.cu", "/a b/c.cuh", "d.h"]);
        assert!(listed_files("").is_empty());
    }

    #[test]
    fn architectures_become_flags() {
        let list = |arch: &[&str]| arch.iter().map(|a| a.to_string()).collect::<Vec<_>>();
        let made = flags(&list(&["sm_90"]), false, false).unwrap();
        assert!(made.contains(&"-gencode=arch=compute_90,code=sm_90".to_owned()));
        assert!(!made.contains(&"-lineinfo".to_owned()));
        assert!(flags(&list(&["sm_90"]), false, true).unwrap().contains(&"-lineinfo".to_owned()));
        let made = flags(&list(&["release"]), false, false).unwrap();
        assert!(made.contains(&"-gencode=arch=compute_75,code=compute_75".to_owned()));
        assert!(flags(&list(&["compute_75"]), false, false).is_err());
        assert!(flags(&list(&["sm_90", "volta"]), false, false).is_err());
    }
}
