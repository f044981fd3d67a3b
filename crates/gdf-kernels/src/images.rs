//! Where images come from: embedded by the build script, else a directory named by the environment.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use gdf_driver::{DriverError, Result};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The environment variable naming the directory of images that are not embedded.
pub const KERNELS_DIR: &str = "GDF_KERNELS_DIR";

/// The fat binary of a capability.
pub(crate) fn image(capability: &str) -> Result<Cow<'static, [u8]>> {
    find(EMBEDDED, directory().as_deref(), capability)
}

fn directory() -> Option<PathBuf> {
    env::var_os(KERNELS_DIR).filter(|directory| !directory.is_empty()).map(PathBuf::from)
}

fn find(
    embedded: &'static [(&'static str, &'static [u8])],
    directory: Option<&Path>,
    capability: &str,
) -> Result<Cow<'static, [u8]>> {
    if let Some((_, image)) = embedded.iter().find(|(name, _)| *name == capability) {
        return Ok(Cow::Borrowed(image));
    }
    if let Some(directory) = directory {
        let path = directory.join(format!("{capability}.fatbin"));
        match fs::read(&path) {
            Ok(image) => return Ok(Cow::Owned(image)),
            Err(error) => tracing::debug!(path = %path.display(), %error, "image not read"),
        }
    }
    Err(DriverError::KernelsNotBuilt { image: capability.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_images_are_a_typed_error() {
        let absent = Err(DriverError::KernelsNotBuilt { image: "sorting".to_owned() });
        assert_eq!(find(&[], None, "sorting"), absent);
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(find(&[("filling", &[1])], Some(directory.path()), "sorting"), absent);
    }

    #[test]
    fn embedded_images_come_before_the_directory() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("sorting.fatbin"), [1, 2]).unwrap();
        assert_eq!(find(&[], Some(directory.path()), "sorting").unwrap().as_ref(), [1, 2]);
        assert_eq!(find(&[("sorting", &[3])], Some(directory.path()), "sorting").unwrap().as_ref(), [3]);
    }

    #[test]
    fn images_are_embedded_all_or_none() {
        let missing =
            crate::generated::IMAGES.iter().filter(|image| !EMBEDDED.iter().any(|(name, _)| *name == image.capability));
        let missing = missing.count();
        assert!(missing == 0 || EMBEDDED.is_empty(), "{missing} images are not built");
    }
}
