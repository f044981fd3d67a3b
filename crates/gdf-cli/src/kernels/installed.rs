//! Lists the images that the loader finds, and their locations.

use std::fs;
use std::path::{Path, PathBuf};

use gdf_kernels::{Architecture, KERNELS_DIR, embedded, image_infos, sources_hash, user_images};
use serde::{Deserialize, Serialize};

use crate::output::short;

/// The manifest that `install` writes beside the images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) version: String,
    /// A hash of the sources, in hexadecimal.
    pub(crate) sources: String,
    /// The architectures for which the images were compiled.
    pub(crate) architectures: Vec<String>,
    /// The version text of nvcc.
    pub(crate) compiler: String,
}

/// The command that installs kernels.
pub(crate) const INSTALL: &str = "gdf kernels install";

const MANIFEST: &str = "manifest.json";

impl Manifest {
    pub(crate) fn new(architectures: &[Architecture], compiler: &str) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sources: sources(),
            architectures: architectures.iter().map(Architecture::to_string).collect(),
            compiler: compiler.to_owned(),
        }
    }

    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        Ok(fs::write(folder.join(MANIFEST), serde_json::to_string_pretty(self)? + "\n")?)
    }

    fn read(folder: &Path) -> Option<Self> {
        serde_json::from_str(&fs::read_to_string(folder.join(MANIFEST)).ok()?).ok()
    }
}

fn sources() -> String {
    format!("{:016x}", sources_hash())
}

/// The location of a set of images. The loader searches the locations in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Origin {
    /// In the program.
    Embedded,
    /// In the directory that `GDF_KERNELS_DIR` names.
    Directory,
    Cache,
}

/// A set of images for one architecture, or for several if `install --dir` wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Set {
    pub(crate) origin: Origin,
    pub(crate) path: Option<PathBuf>,
    /// The names of the architectures in the notation of the compiler, separated by commas, if they are known.
    pub(crate) architecture: Option<String>,
    /// The number of images that are present and complete.
    pub(crate) images: usize,
    /// The number of images of a complete set.
    pub(crate) expected: usize,
    pub(crate) bytes: u64,
    /// Whether the images were compiled from other sources than those of this program, if that is known.
    pub(crate) outdated: Option<bool>,
}

impl Set {
    fn read(origin: Origin, folder: &Path, architecture: Option<String>) -> Self {
        let (mut images, mut bytes) = (0, 0);
        for info in image_infos() {
            if let Ok(image) = fs::read(folder.join(format!("{}.fatbin", info.capability))) {
                images += usize::from(info.is_whole(&image));
                bytes += image.len() as u64;
            }
        }
        let manifest = Manifest::read(folder);
        let outdated = manifest.as_ref().map(|manifest| manifest.sources != sources());
        let architecture = architecture.or_else(|| manifest.map(|manifest| manifest.architectures.join(",")));
        let expected = image_infos().len();
        Self { origin, path: Some(folder.to_owned()), architecture, images, expected, bytes, outdated }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.images == self.expected
    }

    /// Returns whether a device of this compute capability can run the images. If the architecture is unknown, the
    /// result is true.
    pub(crate) fn runs_on(&self, device: (u32, u32)) -> bool {
        let names = self.architecture.as_deref().map(|names| names.split(','));
        names.is_none_or(|mut names| {
            names.any(|name| Architecture::parse(name).is_some_and(|architecture| architecture.runs_on(device)))
        })
    }

    pub(crate) fn state(&self) -> &'static str {
        match (self.is_complete(), self.outdated) {
            (false, _) => "incomplete",
            (true, Some(true)) => "outdated",
            (true, _) => "complete",
        }
    }

    /// Returns the location of the set, as text for the user.
    pub(crate) fn location(&self) -> String {
        let path = self.path.as_deref().map(short).unwrap_or_default();
        match self.origin {
            Origin::Embedded => "in this program".to_owned(),
            Origin::Directory => format!("{KERNELS_DIR}={path}"),
            Origin::Cache => path,
        }
    }
}

/// Returns all sets of images that the loader of this program finds.
pub(crate) fn all() -> Vec<Set> {
    let expected = image_infos().len();
    let whole = |architecture| {
        let (origin, path, images, bytes) = (Origin::Embedded, None, expected, 0);
        Set { origin, path, architecture, images, expected, bytes, outdated: Some(false) }
    };
    let embedded = embedded();
    let mut found = Vec::new();
    found.extend((embedded.developers > 0).then(|| Set { images: embedded.developers, ..whole(None) }));
    found.extend(embedded.architectures.iter().map(|architecture| whole(Some(architecture.to_string()))));
    found.extend(directory().map(|folder| Set::read(Origin::Directory, &folder, None)));
    if let Some(user) = user_images() {
        let entries = fs::read_dir(&user).into_iter().flatten().filter_map(Result::ok);
        let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| Architecture::parse(name).is_some());
        names.sort();
        found.extend(names.into_iter().map(|name| Set::read(Origin::Cache, &user.join(&name), Some(name))));
    }
    found
}

/// Returns the directory that the environment variable names.
pub(crate) fn directory() -> Option<PathBuf> {
    std::env::var_os(KERNELS_DIR).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_judged_by_what_they_hold() {
        let folder = tempfile::tempdir().unwrap();
        let set = || Set::read(Origin::Cache, folder.path(), Some("sm_90".to_owned()));
        assert_eq!((set().images, set().state(), set().outdated), (0, "incomplete", None));
        let fat = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for info in image_infos() {
            let units = info.kernels.iter().map(|kernel| usize::from(kernel.unit) + 1).max().unwrap_or(0);
            fs::write(folder.path().join(format!("{}.fatbin", info.capability)), fat.repeat(units)).unwrap();
        }
        assert_eq!((set().state(), set().outdated), ("complete", None));
        let manifest = Manifest::new(&[Architecture::Code(9, 0)], "nvcc");
        manifest.write(folder.path()).unwrap();
        assert_eq!((set().state(), set().outdated), ("complete", Some(false)));
        assert!(set().runs_on((9, 0)) && !set().runs_on((8, 0)));
        Manifest { sources: "0".to_owned(), ..manifest }.write(folder.path()).unwrap();
        assert_eq!(set().state(), "outdated");
        let first = folder.path().join(format!("{}.fatbin", image_infos()[0].capability));
        fs::write(first, &fat[..7]).unwrap();
        assert_eq!((set().state(), set().images), ("incomplete", set().expected - 1));
        let unnamed = Set::read(Origin::Directory, folder.path(), None);
        assert_eq!(unnamed.architecture.as_deref(), Some("sm_90"));
    }
}
