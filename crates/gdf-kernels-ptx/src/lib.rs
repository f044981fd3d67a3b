#![no_std]
//! The CUDA images of gdf for devices that no other crate has code for, as PTX: data of `gdf-kernels`, made by `cargo xtask kernels --arch release`.

/// The images by capability; none in a checkout that did not compile them.
pub static IMAGES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/images.rs"));
