//! The architectures of images.

use std::cmp::Reverse;
use std::fmt;

/// The architecture of a set of images. The architecture determines which devices run the images.
///
/// ```
/// use gdf_kernels::Architecture;
/// let hopper = Architecture::parse("sm_90").unwrap();
/// assert_eq!(hopper, Architecture::Code(9, 0));
/// assert!(hopper.runs_on((9, 0)) && !hopper.runs_on((10, 0)));
/// assert!(Architecture::parse("compute_75").unwrap().runs_on((10, 0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Architecture {
    /// Machine code, with the major and the minor version of a compute capability. The code runs on devices of the same
    /// major version with this or a higher minor version.
    Code(u32, u32),
    /// PTX, with the major and the minor version of a compute capability. The driver compiles the PTX for any device
    /// with this or a higher compute capability.
    Ptx(u32, u32),
}

impl Architecture {
    /// Parses the compiler's name of an architecture: `sm_90`, `compute_75`.
    pub fn parse(name: &str) -> Option<Self> {
        let (kind, number) = name.split_once('_')?;
        if !(2..=3).contains(&number.len()) || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let number: u32 = number.parse().ok()?;
        match kind {
            "sm" => Some(Self::Code(number / 10, number % 10)),
            "compute" => Some(Self::Ptx(number / 10, number % 10)),
            _ => None,
        }
    }

    /// Returns whether a device of this compute capability runs images of this architecture.
    pub fn runs_on(self, device: (u32, u32)) -> bool {
        match self {
            Self::Code(major, minor) => device.0 == major && device.1 >= minor,
            Self::Ptx(major, minor) => device >= (major, minor),
        }
    }

    /// Returns a sort key that puts preferred architectures first.
    pub(crate) fn preference(self) -> (bool, Reverse<(u32, u32)>) {
        match self {
            Self::Code(major, minor) => (false, Reverse((major, minor))),
            Self::Ptx(major, minor) => (true, Reverse((major, minor))),
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(major, minor) => write!(f, "sm_{major}{minor}"),
            Self::Ptx(major, minor) => write!(f, "compute_{major}{minor}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in ["sm_75", "sm_90", "sm_100", "compute_75", "compute_120"] {
            assert_eq!(Architecture::parse(name).unwrap().to_string(), name);
        }
        for name in ["", "sm", "sm_", "sm_9", "sm_+90", "sm_90a", "lto_90", "sm_1000", "90"] {
            assert_eq!(Architecture::parse(name), None, "{name}");
        }
    }
}
