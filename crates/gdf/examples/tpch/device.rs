//! The choice of the device that runs the queries.

use std::fmt;
use std::str::FromStr;

use gdf::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceChoice {
    /// `cuda:0` if that device works, otherwise the CPU.
    Best,
    /// The given device. No other device is tried.
    Exactly(Device),
}

impl FromStr for DeviceChoice {
    type Err = <Device as FromStr>::Err;

    fn from_str(text: &str) -> Result<DeviceChoice, Self::Err> {
        if text == "best" { Ok(DeviceChoice::Best) } else { text.parse().map(DeviceChoice::Exactly) }
    }
}

#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) device: Device,
    reason: String,
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.device, self.reason)
    }
}

impl DeviceChoice {
    /// Opens the device, and loads its kernels before the first query needs them. Fails if the requested device does
    /// not work.
    pub(crate) fn open(self) -> gdf::Result<Chosen> {
        let name =
            |device: Device| device.properties().map(|properties| format!("{}, ", properties.name)).unwrap_or_default();
        let (device, why) = match self {
            DeviceChoice::Exactly(device) => (device, device.usable().map(|()| "asked for".to_owned())?),
            DeviceChoice::Best => {
                let (best, first) = (Device::best(), Device::Cuda(0));
                match first.usable() {
                    Err(error) if best.is_cpu() => {
                        (best, format!("the device {first} does not work: {:#}", anyhow::Error::new(error)))
                    }
                    _ => (best, "the best that works".to_owned()),
                }
            }
        };
        device.warm_up()?;
        Ok(Chosen { device, reason: format!("{}{why}", if device.is_cpu() { String::new() } else { name(device) }) })
    }
}
