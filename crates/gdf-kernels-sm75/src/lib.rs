#![no_std]
//! The CUDA images of gdf for compute capability 7.5: data of `gdf-kernels`, made by `cargo xtask kernels --arch release`.

/// The images by capability; none in a checkout that did not compile them.
pub static IMAGES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/images.rs"));
