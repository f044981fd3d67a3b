//! `gdf kernels`: manages compiled kernels in the user's cache directory.

mod install;
pub(crate) mod installed;
mod progress;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use gdf_kernels::Architecture;

use crate::output::{print, print_json, short, size, table};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Compile the kernels for the GPUs of this machine, with an nvcc that is found or fetched
    Install(install::InstallArgs),
    /// Show which kernels are found, and in which places
    List(ListArgs),
    /// Delete kernels from the user's cache directory
    Remove(RemoveArgs),
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct RemoveArgs {
    /// Delete only the kernels of these architectures: 90, sm_90, compute_75
    #[arg(long, value_delimiter = ',', value_parser = architecture, value_name = "ARCH")]
    arch: Vec<Architecture>,
    /// Also delete the kernels of other versions of gdf
    #[arg(long, conflicts_with = "arch")]
    all: bool,
    /// Also delete the compiler that `install` fetched
    #[arg(long)]
    compiler: bool,
}

pub(crate) fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Install(args) => install::run(args),
        Command::List(args) => list(&args),
        Command::Remove(args) => remove(&args),
    }
}

/// Parses an architecture: `90`, `9.0` and `sm_90` are code, `compute_75` is PTX.
fn architecture(text: &str) -> Result<Architecture> {
    let plain: String = text.chars().filter(|&letter| letter != '.').collect();
    let name = if plain.starts_with(|letter: char| letter.is_ascii_digit()) { format!("sm_{plain}") } else { plain };
    let Some(architecture) = Architecture::parse(&name) else {
        bail!("{text:?} is not an architecture; name it as 90, sm_90 or compute_75");
    };
    let (Architecture::Code(major, minor) | Architecture::Ptx(major, minor)) = architecture;
    ensure!(
        (major, minor) >= OLDEST,
        "the architecture {text} is too old; name an architecture of compute capability {}.{} or newer",
        OLDEST.0,
        OLDEST.1
    );
    Ok(architecture)
}

/// The oldest compute capability that the kernels support.
pub(crate) const OLDEST: (u32, u32) = (7, 5);

fn list(args: &ListArgs) -> Result<ExitCode> {
    let found = installed::all();
    if args.json {
        print_json(&found)?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        print("no kernels are installed; `gdf kernels install` compiles them for the GPUs of this machine")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = table(&["architecture", "images", "size", "state", "where"], 5);
    for set in found {
        rows.add_row([
            set.architecture.clone().unwrap_or_else(|| "?".to_owned()),
            format!("{} of {}", set.images, set.expected),
            size(set.bytes),
            set.state().to_owned(),
            set.location(),
        ]);
    }
    print(rows)?;
    Ok(ExitCode::SUCCESS)
}

fn remove(args: &RemoveArgs) -> Result<ExitCode> {
    let mut found = false;
    let mut delete = |path: &Path| -> Result<()> {
        if path.is_dir() {
            fs::remove_dir_all(path).with_context(|| format!("cannot remove {}", path.display()))?;
            print(format!("removed {}", short(path)))?;
            found = true;
        }
        Ok(())
    };
    let home = "the cache directory is unknown, because there is no home directory; set HOME";
    if args.all {
        delete(&gdf_kernels::all_user_images().context(home)?)?;
    } else if args.arch.is_empty() {
        delete(&gdf_kernels::user_images().context(home)?)?;
    } else {
        let images = gdf_kernels::user_images().context(home)?;
        args.arch.iter().try_for_each(|architecture| delete(&images.join(architecture.to_string())))?;
    }
    if args.compiler {
        delete(&gdf_nvcc::toolkit::user_site().context(home)?)?;
    }
    if !found {
        print("nothing to remove")?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_are_read_in_several_forms() {
        for text in ["90", "9.0", "sm_90"] {
            assert_eq!(architecture(text).unwrap(), Architecture::Code(9, 0), "{text}");
        }
        assert_eq!(architecture("12.0").unwrap(), Architecture::Code(12, 0));
        assert_eq!(architecture("compute_75").unwrap(), Architecture::Ptx(7, 5));
        for text in ["", "9", "hopper", "sm_", "70", "sm_61", "compute_70", "90a", "../x"] {
            assert!(architecture(text).is_err(), "{text}");
        }
    }
}
