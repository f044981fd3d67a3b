//! Reports the devices, their properties and their memory, and runs operations with known answers on each device.

use std::time::Instant;

use anyhow::Error;
use gdf::driver::DriverError;
use gdf::memory::MemoryError;
use gdf::prelude::*;
use serde::Serialize;

use super::{Finding, counted, driver, remedy};
use crate::kernels::installed::{INSTALL, Set};
use crate::operations::CHECKS;
use crate::output::size;

/// The number of free bytes below which the report mentions low memory.
const LITTLE: u64 = 1 << 30;

/// The properties of a device, for programs that read the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Summary {
    pub(super) device: String,
    pub(super) name: String,
    pub(super) compute_capability: Option<(u32, u32)>,
    pub(super) free_bytes: u64,
    pub(super) total_bytes: u64,
    #[serde(skip)]
    pub(super) ordinal: Option<u32>,
}

impl Summary {
    /// Returns the compute capability of a GPU.
    pub(super) fn capability(&self) -> Option<(u32, u32)> {
        self.compute_capability
    }

    fn device(&self) -> Device {
        self.ordinal.map_or(Device::Cpu, Device::Cuda)
    }
}

/// Returns the summaries of the CPU and of each GPU that opens, and adds a finding for each device.
pub(super) fn summaries(gpus: u32, findings: &mut Vec<Finding>) -> Vec<Summary> {
    let mut found = Vec::new();
    for device in std::iter::once(Device::Cpu).chain((0..gpus).map(Device::Cuda)) {
        match summary(device) {
            Ok((summary, text)) => {
                findings.push(judge(&summary, text));
                found.push(summary);
            }
            Err(error) => findings.push(failed(device.to_string(), &error)),
        }
    }
    found
}

fn summary(device: Device) -> Result<(Summary, String), DriverError> {
    let properties = device.properties()?;
    let memory = device.memory_info()?;
    let ordinal = match device {
        Device::Cpu => None,
        Device::Cuda(ordinal) => Some(ordinal),
    };
    let summary = Summary {
        device: device.to_string(),
        name: properties.name.clone(),
        compute_capability: ordinal.map(|_| properties.compute_capability),
        free_bytes: memory.free,
        total_bytes: memory.total,
        ordinal,
    };
    let (major, minor) = properties.compute_capability;
    let text = match device {
        Device::Cpu => counted(properties.multiprocessors as usize, "thread"),
        Device::Cuda(_) => format!(
            "{}, compute capability {major}.{minor}, CUDA {}",
            properties.name,
            driver::version(properties.driver_version)
        ),
    };
    Ok((summary, text))
}

fn judge(summary: &Summary, text: String) -> Finding {
    let subject = &*summary.device;
    let text = match summary.total_bytes {
        0 => text,
        total => format!("{text}, {} of {} free", size(summary.free_bytes), size(total)),
    };
    match summary.compute_capability {
        Some(capability) if capability < crate::kernels::OLDEST => {
            let (major, minor) = crate::kernels::OLDEST;
            Finding::problem(subject, format!("{text}: the compute capability is too old")).remedy(format!(
                "gdf needs compute capability {major}.{minor} or newer; hide the device with CUDA_VISIBLE_DEVICES"
            ))
        }
        Some(_) if summary.free_bytes < LITTLE => Finding::note(subject, format!("{text}: little memory is free"))
            .remedy("other programs use memory of the device; `nvidia-smi` lists them"),
        _ => Finding::ok(subject, text),
    }
}

/// Looks for kernels for the device, runs operations with known answers, and reports the memory resource of the device.
pub(super) fn check(summary: &Summary, sets: &[Set], findings: &mut Vec<Finding>) {
    let (device, subject) = (summary.device(), &*summary.device);
    if let Some((major, minor)) = summary.capability() {
        if let Err(error) = device.usable() {
            let needed = gdf_kernels::Architecture::Code(major, minor);
            let finding = Finding::problem(subject, format!("{error}"));
            let others: Vec<&str> = sets.iter().filter_map(|set| set.architecture.as_deref()).collect();
            let what = if others.is_empty() {
                String::new()
            } else {
                format!(" (only kernels of {} are installed)", others.join(", "))
            };
            findings.push(match remedy_of(&error) {
                Some(remedy) if remedy == INSTALL => finding.remedy(format!("{remedy} --arch {needed}{what}")),
                Some(remedy) => finding.remedy(remedy),
                None => finding,
            });
            return;
        }
        if let Some(set) = sets.iter().find(|set| set.runs_on((major, minor))) {
            findings.push(Finding::ok(subject, format!("has kernels: {}", set.location())));
        }
    }
    let begin = Instant::now();
    let results: Vec<_> =
        CHECKS.iter().map(|check| (check.name, scope::with_device(device, || (check.run)()))).collect();
    let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
    let failures = failures(&results);
    if failures.is_empty() {
        let text =
            format!("self-test: {} with right answers, {milliseconds:.0} ms", counted(results.len(), "operation"));
        findings.push(Finding::ok(subject, text));
    }
    findings.extend(failures.into_iter().map(|(names, error)| {
        let remedy = error.downcast_ref::<gdf::Error>().and_then(remedy_of);
        let remedy = remedy.unwrap_or("please report it with this output: https://github.com/gdf-rs/gdf/issues");
        Finding::problem(subject, format!("self-test, {}: {error:#}", names.join(", "))).remedy(remedy)
    }));
    match gdf::memory::current_resource(device) {
        Ok(resource) => findings.push(Finding::ok(subject, format!("memory comes from {resource:?}"))),
        Err(error) => {
            findings.push(Finding::problem(subject, format!("the memory resource cannot be opened: {error}")))
        }
    }
}

/// Returns each distinct error, with the names of the operations that failed with it.
fn failures<'a>(results: &'a [(&'a str, Result<(), Error>)]) -> Vec<(Vec<&'a str>, &'a Error)> {
    let mut found: Vec<(Vec<&str>, &Error)> = Vec::new();
    for (name, result) in results {
        let Err(error) = result else { continue };
        match found.iter_mut().find(|(_, known)| known.to_string() == error.to_string()) {
            Some((names, _)) => names.push(name),
            None => found.push((vec![name], error)),
        }
    }
    found
}

fn remedy_of(error: &gdf::Error) -> Option<&'static str> {
    match error {
        gdf::Error::Driver(error) | gdf::Error::Memory(MemoryError::Driver(error)) => remedy(error),
        _ => None,
    }
}

fn failed(subject: String, error: &DriverError) -> Finding {
    let finding = Finding::problem(subject, error.to_string());
    match remedy(error) {
        Some(remedy) => finding.remedy(remedy),
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    #[test]
    fn devices_are_judged() {
        let gpu = |capability, free_bytes| Summary {
            device: "cuda:0".to_owned(),
            compute_capability: Some(capability),
            free_bytes,
            total_bytes: 80 << 30,
            ..Summary::default()
        };
        let judged = |summary| judge(&summary, "GPU".to_owned());
        assert_eq!(judged(gpu((9, 0), 70 << 30)), Finding::ok("cuda:0", "GPU, 70.0 GiB of 80.0 GiB free"));
        assert_eq!(judged(gpu((9, 0), 1 << 20)).status, Status::Note);
        let old = judged(gpu((7, 0), 70 << 30));
        assert_eq!(old.status, Status::Problem);
        assert!(old.remedy.unwrap().contains("7.5"));
    }

    #[test]
    fn errors_are_named_once() {
        let error = |text: &'static str| Err(Error::msg(text));
        let results = [("add", error("x")), ("sum", Ok(())), ("sort", error("y")), ("join", error("x"))];
        let found: Vec<_> = failures(&results).into_iter().map(|(names, error)| (names, error.to_string())).collect();
        assert_eq!(found, [(vec!["add", "join"], "x".to_owned()), (vec!["sort"], "y".to_owned())]);
    }

    #[test]
    fn errors_of_the_driver_keep_their_remedy_within_others() {
        let error = DriverError::KernelsNotBuilt { image: "sorting".to_owned() };
        assert_eq!(remedy_of(&gdf::Error::from(error.clone())), Some(INSTALL));
        assert_eq!(remedy_of(&MemoryError::Driver(error).into()), Some(INSTALL));
    }
}
