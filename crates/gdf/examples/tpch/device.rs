//! Which device the queries run on, and why.

use std::fmt;
use std::str::FromStr;

use arrow_schema::DataType;
use gdf::binaryop::{BinaryOperator, binary_operation};
use gdf::scope::current_stream;
use gdf::{Column, Device, Scalar};

/// What `--device` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceChoice {
    /// `cuda:0` when it works, else the CPU.
    Best,
    /// This device or none.
    Exactly(Device),
}

impl FromStr for DeviceChoice {
    type Err = <Device as FromStr>::Err;

    fn from_str(text: &str) -> Result<DeviceChoice, Self::Err> {
        match text {
            "best" => Ok(DeviceChoice::Best),
            other => other.parse().map(DeviceChoice::Exactly),
        }
    }
}

/// A device that works, and the reason for taking it.
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
    /// Opens the device.
    ///
    /// # Errors
    /// - the device that was asked for does not work.
    pub(crate) fn open(self) -> gdf::Result<Chosen> {
        match self {
            DeviceChoice::Exactly(device) => {
                prove(device)?;
                Ok(Chosen { device, reason: describe(device, "asked for") })
            }
            DeviceChoice::Best => {
                let first = Device::Cuda(0);
                Ok(match prove(first) {
                    Ok(()) => Chosen { device: first, reason: describe(first, "the best that works") },
                    Err(error) => Chosen {
                        device: Device::Cpu,
                        reason: format!("{first} does not work: {:#}", anyhow::Error::new(error)),
                    },
                })
            }
        }
    }
}

/// Runs the smallest operation: a device that opens but has no kernels for it must not be taken.
fn prove(device: Device) -> gdf::Result<()> {
    device.open()?;
    let stream = current_stream(device)?;
    let resource = gdf::memory::current_resource(device)?;
    let one = Scalar::typed_on(Some(1_i64), &DataType::Int64, &stream, resource.as_ref())?;
    let column: Column = one.clone().into_column();
    binary_operation(&column, &one, BinaryOperator::Add, &DataType::Int64)?;
    Ok(stream.synchronize()?)
}

fn describe(device: Device, why: &str) -> String {
    match device.properties() {
        Ok(properties) => format!("{}, {why}", properties.name),
        Err(_) => why.to_owned(),
    }
}
