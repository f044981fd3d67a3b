//! Finds images.

use std::borrow::Cow;
use std::env;
use std::path::PathBuf;

use gdf_driver::{DriverError, Result};

use crate::architecture::Architecture;
use crate::files;
use crate::info::ImageInfo;
use crate::store;

/// The environment variable that names a directory with images.
pub const KERNELS_DIR: &str = "GDF_KERNELS_DIR";

type Images = &'static [(&'static str, &'static [u8])];

/// The images that were compiled in this checkout, for the architectures that the developer chose.
static DEVELOPERS: Images = include!(concat!(env!("OUT_DIR"), "/images.rs"));

/// The sets of images that features have enabled.
static SETS: &[(Architecture, Images)] = &[
    #[cfg(feature = "sm75")]
    (Architecture::Code(7, 5), gdf_kernels_sm75::IMAGES),
    #[cfg(feature = "sm80")]
    (Architecture::Code(8, 0), gdf_kernels_sm80::IMAGES),
    #[cfg(feature = "sm90")]
    (Architecture::Code(9, 0), gdf_kernels_sm90::IMAGES),
    #[cfg(feature = "sm100")]
    (Architecture::Code(10, 0), gdf_kernels_sm100::IMAGES),
    #[cfg(feature = "sm120")]
    (Architecture::Code(12, 0), gdf_kernels_sm120::IMAGES),
    #[cfg(feature = "ptx")]
    (Architecture::Ptx(7, 5), gdf_kernels_ptx::IMAGES),
];

/// The image of a capability.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) bytes: Cow<'static, [u8]>,
    /// The place where the image was found, for logs.
    pub(crate) source: &'static str,
}

pub(crate) fn find(capability: &str, device: (u32, u32)) -> Result<Image> {
    let locations =
        Locations { developers: DEVELOPERS, sets: SETS, directory: directory(), user: store::user_images() };
    locations.find(capability, device)
}

/// The images that this build embeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Embedded {
    /// The number of images that were compiled in a checkout, for the architectures that the developer chose. These
    /// images take precedence over all other images.
    pub developers: usize,
    /// The architectures of published images.
    pub architectures: Vec<Architecture>,
}

/// Returns the images that this build embeds: the images that were compiled in a checkout, and the images of the crates
/// that features have enabled.
pub fn embedded() -> Embedded {
    let sets = SETS.iter().filter(|(_, images)| !images.is_empty()).map(|(architecture, _)| *architecture);
    Embedded { developers: DEVELOPERS.len(), architectures: sets.collect() }
}

fn directory() -> Option<PathBuf> {
    env::var_os(KERNELS_DIR).filter(|directory| !directory.is_empty()).map(PathBuf::from)
}

struct Locations {
    developers: Images,
    sets: &'static [(Architecture, Images)],
    directory: Option<PathBuf>,
    user: Option<PathBuf>,
}

impl Locations {
    fn find(&self, capability: &str, device: (u32, u32)) -> Result<Image> {
        let suitable = self.sets.iter().filter(|(architecture, _)| architecture.runs_on(device));
        for images in std::iter::once(self.developers).chain(suitable.map(|(_, images)| *images)) {
            if let Some((_, bytes)) = images.iter().find(|(name, _)| *name == capability) {
                return Ok(Image { bytes: Cow::Borrowed(bytes), source: "embedded" });
            }
        }
        let user = self.user.as_deref().map(|user| store::suitable(user, device)).unwrap_or_default();
        let named = self.directory.iter().map(|directory| (directory, KERNELS_DIR));
        for (directory, source) in named.chain(user.iter().map(|directory| (directory, "cache"))) {
            if let Some(bytes) = files::read(directory, &format!("{capability}.fatbin"))? {
                return Ok(Image { bytes: Cow::Owned(bytes), source });
            }
        }
        Err(DriverError::KernelsNotBuilt { image: capability.to_owned() })
    }
}

impl ImageInfo {
    /// Returns whether the bytes are a complete image of this capability, with a fat binary for each translation unit.
    /// The function does not check the contract of the image.
    pub fn is_whole(&self, bytes: &[u8]) -> bool {
        let units = self.kernels.iter().map(|kernel| usize::from(kernel.unit) + 1).max().unwrap_or(0);
        units.checked_sub(1).is_none_or(|last| unit(bytes, last).is_some())
    }
}

/// Returns the fat binary of one translation unit of an image, or `None` if the image has fewer units.
pub(crate) fn unit(image: &[u8], position: usize) -> Option<&[u8]> {
    let mut rest = image;
    for _ in 0..position {
        rest = rest.get(length(rest)?..)?;
    }
    rest.get(..length(rest)?)
}

/// Returns the length of the fat binary at the start of the bytes.
fn length(bytes: &[u8]) -> Option<usize> {
    const MAGIC: [u8; 4] = [0x50, 0xed, 0x55, 0xba];
    let (header, _) = bytes.split_first_chunk::<16>()?;
    let [a, b, c, d, _, _, low, high, size @ ..] = *header;
    let length = usize::from(u16::from_le_bytes([low, high])).checked_add(u64::from_le_bytes(size).try_into().ok()?)?;
    ([a, b, c, d] == MAGIC && length > 0).then_some(length)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const HOPPER: (u32, u32) = (9, 0);

    fn bytes(image: Result<Image>) -> Vec<u8> {
        image.unwrap().bytes.into_owned()
    }

    const EMPTY: Locations = Locations { developers: &[], sets: &[], directory: None, user: None };

    #[test]
    fn absent_images_are_a_typed_error() {
        let absent = Err(DriverError::KernelsNotBuilt { image: "sorting".to_owned() });
        assert_eq!(EMPTY.find("sorting", HOPPER), absent);
        let folder = tempfile::tempdir().unwrap();
        let empty = || Some(folder.path().to_owned());
        let locations = Locations { developers: &[("filling", &[1])], directory: empty(), user: empty(), ..EMPTY };
        assert_eq!(locations.find("sorting", HOPPER), absent);
        let others: &[(Architecture, Images)] = &[(Architecture::Code(8, 0), &[("sorting", &[1])])];
        assert_eq!(Locations { sets: others, directory: empty(), ..EMPTY }.find("sorting", HOPPER), absent);
    }

    #[test]
    fn embedded_images_come_first_then_the_directory_then_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, user) = (folder.path().join("directory"), folder.path().join("user"));
        for (path, byte) in [(directory.clone(), 1), (user.join("sm_90"), 2), (user.join("compute_75"), 3)] {
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("sorting.fatbin"), [byte]).unwrap();
        }
        let (directory, user) = (Some(directory), Some(user));
        let find = |locations: Locations, device| bytes(locations.find("sorting", device));
        assert_eq!(find(Locations { user: user.clone(), ..EMPTY }, HOPPER), [2]);
        assert_eq!(find(Locations { user: user.clone(), ..EMPTY }, (10, 0)), [3]);
        assert_eq!(find(Locations { directory: directory.clone(), user: user.clone(), ..EMPTY }, HOPPER), [1]);
        assert_eq!(find(Locations { developers: &[("sorting", &[4])], directory, user, ..EMPTY }, HOPPER), [4]);
    }

    #[test]
    fn devices_get_code_of_their_architecture_or_else_ptx() {
        let sets: &[(Architecture, Images)] = &[
            (Architecture::Code(7, 5), &[("sorting", &[75])]),
            (Architecture::Code(8, 0), &[("sorting", &[80])]),
            (Architecture::Code(10, 0), &[("sorting", &[100])]),
            (Architecture::Ptx(7, 5), &[("sorting", &[1])]),
        ];
        let locations = |developers| Locations { developers, sets, ..EMPTY };
        let expected =
            [((7, 5), 75), ((8, 0), 80), ((8, 9), 80), ((9, 0), 1), ((10, 3), 100), ((11, 0), 1), ((13, 1), 1)];
        for (device, image) in expected {
            assert_eq!(bytes(locations(&[]).find("sorting", device)), [image], "{device:?}");
        }
        assert!(locations(&[]).find("sorting", (7, 0)).is_err());
        // Images that the developer has compiled take precedence.
        assert_eq!(bytes(locations(&[("sorting", &[2])]).find("sorting", (8, 0))), [2]);
    }

    #[test]
    fn images_are_embedded_all_or_none() {
        for images in SETS.iter().map(|(_, images)| *images).chain([DEVELOPERS]) {
            let has = |capability| images.iter().any(|(name, _)| *name == capability);
            let missing = crate::generated::IMAGES.iter().filter(|image| !has(image.capability)).count();
            assert!(missing == 0 || images.is_empty(), "{missing} images are not built");
        }
    }

    #[test]
    fn embedded_images_have_every_unit() {
        for images in SETS.iter().map(|(_, images)| *images).chain([DEVELOPERS]) {
            for (name, bytes) in images {
                let image = crate::generated::IMAGES.iter().find(|image| image.capability == *name).unwrap();
                let units = image.kernels.iter().map(|kernel| usize::from(kernel.unit));
                assert!(units.into_iter().all(|position| unit(bytes, position).is_some()), "{name}");
            }
        }
    }

    #[test]
    fn images_are_taken_apart() {
        let fat = |content: &[u8]| {
            let mut bytes = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
            bytes.extend((content.len() as u64).to_le_bytes());
            bytes.extend(content);
            bytes
        };
        let (first, second) = (fat(&[1, 2, 3]), fat(&[]));
        let image = [first.clone(), second.clone()].concat();
        assert_eq!((unit(&image, 0), unit(&image, 1), unit(&image, 2)), (Some(&first[..]), Some(&second[..]), None));
        for length in 0..first.len() {
            assert_eq!(unit(&image[..length], 0), None);
        }
        assert_eq!(unit(b"no fat binary at all", 0), None);
        let huge = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 255, 255, 255, 255, 255, 255, 255, 255];
        assert_eq!((unit(&huge, 0), unit(&huge, 1)), (None, None));
    }
}
