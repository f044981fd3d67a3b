//! The sources of the kernels, for programs that compile them.

/// The names and texts of all files of device code, sorted by name. A name contains the folders, separated by `/`:
/// `sorting/pass.cu`.
pub static SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Returns a hash of all sources. The hash is needed in addition to the contract, because images from other sources may
/// behave differently even if they have the same contract.
pub fn sources_hash() -> u64 {
    let texts = SOURCES.iter().flat_map(|(name, text)| [*name, "\0", *text, "\0"]);
    texts
        .flat_map(str::bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_capability_has_sources() {
        for image in crate::generated::IMAGES {
            let folder = format!("{}/", image.capability);
            assert!(SOURCES.iter().any(|(name, _)| name.starts_with(&folder) && name.ends_with(".cu")), "{folder}");
        }
        assert!(SOURCES.iter().any(|(name, text)| *name == "include/gdf/cub.cuh" && text.contains("<cub/")));
        assert!(SOURCES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
