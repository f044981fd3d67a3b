//! Opens `cuda:0` and prints the result. The start of the program shows that the program does not link the driver.

use gdf::{Device, DriverError};

fn outcome() -> String {
    match Device::Cuda(0).open() {
        Ok(()) => "cuda:0: open".to_owned(),
        Err(DriverError::NoDriver { reason }) => format!("cuda:0: NoDriver: {reason}"),
        Err(other) => format!("cuda:0: {other:?}"),
    }
}

fn main() {
    println!("{}", outcome());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_twice_says_the_same() {
        assert_eq!(outcome(), outcome());
    }

    #[test]
    fn the_cpu_opens_always() {
        assert!(Device::Cpu.open().is_ok());
    }
}
