//! Cross-crate tests of gdf; the tests are in `it/`.
