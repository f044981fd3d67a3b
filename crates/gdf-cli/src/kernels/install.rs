//! `gdf kernels install`: compiles the sources in this program to images in the user's cache directory.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use gdf::Device;
use gdf_kernels::{Architecture, KERNELS_DIR, SOURCES, user_images};
use gdf_nvcc::compile::{Build, Options, flags};
use gdf_nvcc::toolkit::{self, Toolkit};

use super::installed::Manifest;
use super::progress::Bars;
use super::{OLDEST, architecture};
use crate::output::{print, short, size};

#[derive(clap::Args)]
pub(crate) struct InstallArgs {
    /// Architectures: 90 or sm_90 (code for compute capability 9.0), compute_75 (PTX) [default: those of this
    /// machine's GPUs]
    #[arg(long, value_delimiter = ',', value_parser = architecture, value_name = "ARCH")]
    arch: Vec<Architecture>,
    /// Write the images to this directory, for use with GDF_KERNELS_DIR, and not to the user's cache directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The compiler [default: NVCC, CUDA_HOME, a compiler fetched earlier, PATH, /usr/local/cuda; else fetched from
    /// PyPI]
    #[arg(long, value_name = "PATH")]
    nvcc: Option<PathBuf>,
    /// The number of compilers that run at a time [default: the number of cores]
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
}

pub(crate) fn run(args: InstallArgs) -> Result<ExitCode> {
    let mut architectures = if args.arch.is_empty() { of_this_machine()? } else { args.arch };
    architectures.sort_by_key(Architecture::to_string);
    architectures.dedup();
    toolkit::check_host_compiler()?;
    let bars = Bars::default();
    let toolkit = compiler(args.nvcc.as_deref(), &bars)?;
    eprintln!("compiling with {} ({})", short(&toolkit.nvcc), toolkit.version);

    let work = tempfile::tempdir().context("cannot create a temporary folder for the sources")?;
    let sources = work.path().join("kernels");
    write_sources(&sources).with_context(|| format!("cannot write the sources to {}", sources.display()))?;
    let version = toolkit.version.clone();
    // All processes of a user share the build folder. Its lock lets one process write at a time.
    let shared = toolkit::user_site().map(|site| site.with_file_name("build"));
    let mut build = Build::new(toolkit, &sources, &shared.unwrap_or_else(|| work.path().join("build")))?;
    if let Some(jobs) = args.jobs {
        build = build.jobs(jobs);
    }
    let compile = |architectures: &[Architecture], folder: &Path| -> Result<()> {
        let names: Vec<String> = architectures.iter().map(Architecture::to_string).collect();
        let flags = flags(&names.iter().map(String::as_str).collect::<Vec<_>>(), Options::default())?;
        let made =
            build.images(&flags, folder, &bars).with_context(|| format!("cannot write to {}", folder.display()))?;
        Manifest::new(architectures, &version).write(folder)?;
        let seconds = made.time.as_secs_f64();
        print(format!("{}: {} of kernels in {}, {seconds:.0} s", names.join(", "), size(made.bytes), short(folder)))
    };
    match &args.dir {
        Some(folder) => {
            let folder = std::path::absolute(folder)?;
            compile(&architectures, &folder)?;
            build.trim()?;
            print(format!("programs find them with {KERNELS_DIR}={}", folder.display()))?;
        }
        None => {
            let user =
                user_images().context("there is no home directory for the cache; name a directory with --dir")?;
            for architecture in &architectures {
                compile(std::slice::from_ref(architecture), &user.join(architecture.to_string()))?;
            }
            build.trim()?;
            print("programs find them there; `gdf doctor` tries them")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the compiler that the user names, or one that is found or fetched.
fn compiler(named: Option<&Path>, bars: &Bars) -> Result<Toolkit> {
    if let Some(nvcc) = named {
        return Toolkit::at(nvcc).with_context(|| format!("{} is not a usable compiler", nvcc.display()));
    }
    let site = toolkit::user_site();
    let mut skipped = |nvcc: &Path, error: anyhow::Error| eprintln!("skipped {}: {error:#}", nvcc.display());
    if let Some(found) = toolkit::find(site.as_deref(), &mut skipped)? {
        return Ok(found);
    }
    let site = site
        .context("the cache directory is unknown, because there is no home directory; name a compiler with --nvcc")?;
    eprintln!("no nvcc of CUDA 13 was found; fetching nvcc into {}", short(&site));
    let fetched = toolkit::fetch(&site, bars);
    bars.clear();
    fetched.context(
        "install CUDA 13 and name its compiler with --nvcc, or let gdf reach PyPI (PIP_INDEX_URL, HTTPS_PROXY)",
    )
}

fn write_sources(folder: &Path) -> std::io::Result<()> {
    for (name, text) in SOURCES {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)?;
    }
    Ok(())
}

fn of_this_machine() -> Result<Vec<Architecture>> {
    const NAME_ONE: &str = "name architectures, for example --arch 90";
    let found = match Device::cuda_count() {
        Ok(count) => (0..count)
            .map(|ordinal| Ok(Device::Cuda(ordinal).properties()?.compute_capability))
            .collect::<Result<Vec<_>>>()?,
        // Even if gdf cannot use the GPUs, nvidia-smi may know them. The cause may be a build without the feature
        // `cuda`, or a driver that is too old for gdf.
        Err(error) => of_nvidia_smi().with_context(|| match cfg!(feature = "cuda") {
            true => format!("the GPUs of this machine are unknown: {error}; {NAME_ONE}"),
            false => {
                format!(
                    "the GPUs of this machine are unknown: gdf was built without the feature cuda, and \
                        nvidia-smi shows no GPU; {NAME_ONE}"
                )
            }
        })?,
    };
    if found.is_empty() {
        bail!("this machine has no CUDA device; {NAME_ONE}");
    }
    if let Some((major, minor)) = found.iter().find(|capability| **capability < OLDEST) {
        bail!(
            "a GPU of this machine has compute capability {major}.{minor}, but gdf needs {}.{} or newer; {NAME_ONE}",
            OLDEST.0,
            OLDEST.1
        );
    }
    Ok(found.into_iter().map(|(major, minor)| Architecture::Code(major, minor)).collect())
}

fn of_nvidia_smi() -> Option<Vec<(u32, u32)>> {
    let mut command = Command::new("nvidia-smi");
    command.args(["--query-gpu=compute_cap", "--format=csv,noheader"]).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    let found = capabilities(&String::from_utf8_lossy(&output.stdout));
    (!found.is_empty()).then_some(found)
}

fn capabilities(text: &str) -> Vec<(u32, u32)> {
    let pairs = text.lines().filter_map(|line| line.trim().split_once('.'));
    pairs.filter_map(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_read() {
        assert_eq!(capabilities("9.0\n12.0\n"), [(9, 0), (12, 0)]);
        assert_eq!(capabilities("No devices were found\n"), []);
    }

    #[test]
    fn the_sources_are_those_of_the_library() {
        let folder = tempfile::tempdir().unwrap();
        write_sources(folder.path()).unwrap();
        let contract = gdf_nvcc::contract::generate(folder.path()).unwrap();
        for image in gdf_kernels::image_infos() {
            assert_eq!(contract.hashes.get(image.capability), Some(&image.contract), "{}", image.capability);
        }
        assert_eq!(contract.hashes.len(), gdf_kernels::image_infos().len());
        let units = gdf_nvcc::sources::capabilities(folder.path()).unwrap();
        for image in gdf_kernels::image_infos() {
            let hashes: Vec<u64> = units[image.capability].iter().map(gdf_nvcc::sources::Unit::hash).collect();
            assert_eq!(hashes, image.sources(), "{}", image.capability);
        }
    }
}
