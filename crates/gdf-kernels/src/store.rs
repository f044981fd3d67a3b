//! The user's cache of images. `gdf kernels install` writes images to the cache, and the loader reads them from it.

use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::architecture::Architecture;
use crate::generated::IMAGES;

/// Returns the folder for images of these kernels in the user's cache directory. The folder need not exist. The result
/// is `None` if there is no home directory, or if neither the feature `cuda` nor the feature `sources` is enabled.
pub fn user_images() -> Option<PathBuf> {
    Some(all_user_images()?.join(format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), sources()?)))
}

/// Returns the folder for images of all versions of the library in the user's cache directory, or `None` if there is no
/// home directory.
pub fn all_user_images() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("gdf/images"))
}

/// Returns a hash of two things: the contracts of all images, and the sources of their units.
fn sources() -> Option<u64> {
    let hashes = IMAGES.iter().flat_map(|image| std::iter::once(&image.contract).chain(image.sources()));
    let bytes = hashes.flat_map(|hash| hash.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    IMAGES.iter().all(|image| !image.sources().is_empty()).then_some(hash)
}

/// Returns the folders in `folder` whose architectures a device of this compute capability can run.
pub(crate) fn suitable(folder: &Path, device: (u32, u32)) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let architecture = |entry: &fs::DirEntry| entry.file_name().to_str().and_then(Architecture::parse);
    let mut found: Vec<_> = entries.filter_map(|entry| Some((architecture(&entry)?, entry.path()))).collect();
    found.retain(|(architecture, _)| architecture.runs_on(device));
    found.sort_by_key(|(architecture, _)| architecture.preference());
    found.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_a_device_runs_are_found_best_first() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["sm_80", "sm_86", "sm_90", "compute_75", "compute_80", "sm_86.new1", "notes", "sm_"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let found = |device| -> Vec<_> {
            let paths = suitable(folder.path(), device);
            paths.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(found((8, 9)), ["sm_86", "sm_80", "compute_80", "compute_75"]);
        assert_eq!(found((8, 0)), ["sm_80", "compute_80", "compute_75"]);
        assert_eq!(found((10, 0)), ["compute_80", "compute_75"]);
        assert_eq!(found((7, 0)), [""; 0]);
        assert!(suitable(&folder.path().join("none"), (9, 0)).is_empty());
    }
}
