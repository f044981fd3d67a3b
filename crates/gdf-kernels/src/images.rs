//! Where images come from: embedded by the build script, else a directory named by the environment.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use gdf_driver::{DriverError, Result};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The environment variable naming the directory of images that are not embedded.
pub const KERNELS_DIR: &str = "GDF_KERNELS_DIR";

/// Every kernel there is, as `(capability, name)`, sorted: of the embedded images, else of those in the directory that
/// `GDF_KERNELS_DIR` names. Empty when there are neither.
pub fn all() -> Vec<(String, String)> {
    if !EMBEDDED.is_empty() {
        return parse_manifest(EMBEDDED_MANIFEST);
    }
    let text = directory().and_then(|directory| fs::read_to_string(directory.join("kernels.txt")).ok());
    parse_manifest(&text.unwrap_or_default())
}

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

/// The lines `capability kernel_name`; others are passed over.
fn parse_manifest(text: &str) -> Vec<(String, String)> {
    let mut kernels: Vec<_> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.trim().split_once(' '))
        .filter(|(_, name)| !name.contains(' '))
        .map(|(capability, name)| (capability.to_owned(), name.to_owned()))
        .collect();
    kernels.sort();
    kernels.dedup();
    kernels
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
    fn manifest_lines_are_read() {
        let text = "# made by a tool\nb b_kernel\n\na a_kernel\nb b_kernel\r\nbroken\nthree words here\n";
        let pair = |capability: &str, name: &str| (capability.to_owned(), name.to_owned());
        assert_eq!(parse_manifest(text), [pair("a", "a_kernel"), pair("b", "b_kernel")]);
        assert!(parse_manifest("").is_empty());
    }

    #[test]
    fn every_kernel_of_the_manifest_has_its_image() {
        for (capability, name) in parse_manifest(EMBEDDED_MANIFEST) {
            assert!(EMBEDDED.iter().any(|(image, _)| *image == capability), "{capability} {name}");
        }
    }
}
