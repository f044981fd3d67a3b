//! The sources of the kernels, for programs that compile them.

/// The names and texts of all files of device code, sorted by name. Names have `/` between folders:
/// `sorting/pass.cu`.
pub static SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Returns a hash of all sources. Images that were compiled from other sources may behave differently, even if their
/// contract is the same.
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
