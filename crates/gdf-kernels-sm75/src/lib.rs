#![no_std]
//! The CUDA images of gdf for compute capability 7.5. The crate `gdf-kernels` embeds the images. The command `cargo
//! xtask kernels --arch release` compiles the images.

/// The images, each with the name of its capability. The list is empty in a checkout in which the images were not
/// compiled.
pub static IMAGES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/images.rs"));
