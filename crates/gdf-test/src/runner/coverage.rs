//! The kernels of the images that a test run has used.

use std::collections::BTreeSet;
use std::fmt;

/// The kernels of the images, in two lists: the kernels that this process has launched, and the other kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// The capability and the name of each kernel that ran.
    pub ran: Vec<(String, String)>,
    /// The capability and the name of each kernel that did not run. If there is such a kernel after the whole catalog
    /// has run, the test fails.
    pub missed: Vec<(String, String)>,
}

impl Coverage {
    /// Returns whether every kernel ran.
    pub fn is_complete(&self) -> bool {
        self.missed.is_empty()
    }

    fn of(
        all: impl IntoIterator<Item = (String, String)>,
        launched: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let launched: BTreeSet<_> = launched.into_iter().collect();
        let all: BTreeSet<_> = all.into_iter().collect();
        let (ran, missed) = all.into_iter().partition(|kernel| launched.contains(kernel));
        Coverage { ran, missed }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} kernels ran", self.ran.len(), self.ran.len() + self.missed.len())?;
        self.missed.iter().try_for_each(|(capability, name)| write!(f, "\n  never ran: {capability} {name}"))
    }
}

/// Compares the kernels that this process has launched with the kernels of the images. Call this function after the
/// whole catalog has run on a GPU.
pub fn coverage_report() -> Coverage {
    Coverage::of(gdf_kernels::all(), gdf_kernels::launched())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_never_ran_are_named() {
        let kernel = |name: &str| ("copying".to_owned(), name.to_owned());
        let all = [kernel("gather_kernel"), kernel("scatter_kernel")];
        let coverage = Coverage::of(all.clone(), [kernel("gather_kernel")]);
        assert!(!coverage.is_complete());
        assert_eq!(coverage.to_string(), "1 of 2 kernels ran\n  never ran: copying scatter_kernel");
        assert!(Coverage::of(all.clone(), all).is_complete());
    }
}
