//! Builds gdf-interop without the crates that hold algorithms.

use gdf_interop as _;

fn main() {
    println!("interop-only: built");
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_but_what_it_needs_is_built() {
        let lock = include_str!("../Cargo.lock");
        for absent in ["gdf-detail", "gdf-kernels", "gdf-api"] {
            assert!(!lock.contains(&format!("name = \"{absent}\"")), "{absent}");
        }
    }
}
