//! The files of Python packages that may be fetched. Each file is pinned by its version and its SHA-256. The version is
//! pinned because the kernels include parts of CUB that may change in any version. The hash is pinned because the
//! fetched files are executed.

/// A file of a Python package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wheel {
    pub(crate) package: &'static str,
    pub(crate) file: &'static str,
    /// The SHA-256 of the file, in hexadecimal.
    pub(crate) sha256: &'static str,
}

const fn wheel(package: &'static str, file: &'static str, sha256: &'static str) -> Wheel {
    Wheel { package, file, sha256 }
}

const LINUX_X86_64: [Wheel; 5] = [
    wheel(
        "nvidia-cuda-nvcc",
        "nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
    ),
    wheel(
        "nvidia-cuda-cccl",
        "nvidia_cuda_cccl-13.0.85-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649",
    ),
    wheel(
        "nvidia-cuda-runtime",
        "nvidia_cuda_runtime-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "422a38f7c739ecbdd3a4b6ec7ed0a1d74db43d8e9bc26685f3d845638922b178",
    ),
    wheel(
        "nvidia-nvvm",
        "nvidia_nvvm-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
        "c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0",
    ),
    wheel(
        "nvidia-cuda-crt",
        "nvidia_cuda_crt-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4",
    ),
];

const LINUX_AARCH64: [Wheel; 5] = [
    wheel(
        "nvidia-cuda-nvcc",
        "nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl",
        "c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f",
    ),
    wheel(
        "nvidia-cuda-cccl",
        "nvidia_cuda_cccl-13.0.85-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl",
        "6f0203e29fed809ee2b7fe9b1344df66ecab990c37d6a2e0e189b26d6c97ed7c",
    ),
    wheel(
        "nvidia-cuda-runtime",
        "nvidia_cuda_runtime-13.0.88-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl",
        "8ba16a33998ee3ee2bf11c8f13e36e3ff86a1d6ad165ffeee863d6eabd0b5f67",
    ),
    wheel(
        "nvidia-nvvm",
        "nvidia_nvvm-13.0.88-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl",
        "c4376a291d72d22a315d9d2f69bdae8f8cd83a627f75bad395cee49a0fe65dc1",
    ),
    wheel(
        "nvidia-cuda-crt",
        "nvidia_cuda_crt-13.0.88-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl",
        "ee2ea2a97073e02ee62bb27841f437332be2c248e3eac013df07997ada39c003",
    ),
];

/// Returns the files of the compiler for a platform. The arguments are names of operating systems and architectures as
/// in [`std::env::consts`].
pub(crate) fn wheels(os: &str, arch: &str) -> Option<&'static [Wheel]> {
    match (os, arch) {
        ("linux", "x86_64") => Some(&LINUX_X86_64),
        ("linux", "aarch64") => Some(&LINUX_AARCH64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both platforms must have the same versions. No two files may have the same hash.
    #[test]
    fn platforms_have_the_same_versions_and_hashes_of_their_own() {
        let (x86, arm) = (wheels("linux", "x86_64").unwrap(), wheels("linux", "aarch64").unwrap());
        let version = |wheel: &Wheel| wheel.file.split("-py3").next().unwrap().to_owned();
        assert!(x86.iter().map(version).eq(arm.iter().map(version)));
        assert!(x86.iter().all(|wheel| wheel.file.ends_with("x86_64.whl")));
        assert!(arm.iter().all(|wheel| wheel.file.ends_with("aarch64.whl")));
        let hashes: std::collections::BTreeSet<_> = x86.iter().chain(arm).map(|wheel| wheel.sha256).collect();
        assert_eq!(hashes.len(), 10);
        assert!(hashes.iter().all(|hash| hash.len() == 64 && hash.bytes().all(|c| c.is_ascii_hexdigit())));
        for wheel in x86.iter().chain(arm) {
            assert!(wheel.file.starts_with(&wheel.package.replace('-', "_")), "{}", wheel.file);
        }
        assert_eq!(wheels("windows", "x86_64"), None);
    }
}
