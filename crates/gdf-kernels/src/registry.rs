//! Loaded images and the kernels taken from them, once per device and capability.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};

use gdf_driver::{Device, DriverError, Function, Module, Result};

use crate::Policy;
use crate::images;

/// What is known of one image on one device. A lookup that fails leaves nothing behind, so that it may be tried again.
#[derive(Default)]
struct Slot {
    module: Mutex<Option<Module>>,
    functions: RwLock<HashMap<String, Function>>,
    policies: RwLock<HashMap<String, Policy>>,
}

type Slots = HashMap<(Device, &'static str), Arc<Slot>>;

static SLOTS: LazyLock<RwLock<Slots>> = LazyLock::new(RwLock::default);

/// A kernel of a capability's image, loaded on `device` if need be. Later calls find it in memory.
///
/// # Errors
/// * [`DriverError::KernelsNotBuilt`] when the image is neither embedded nor found.
/// * [`DriverError::FunctionMissing`] when the image has no kernel of that name.
/// * [`DriverError::DeviceMismatch`] when `device` is the CPU.
/// * Any other error of the driver while it loads the image.
pub fn function(device: Device, capability: &'static str, name: &str) -> Result<Function> {
    let slot = slot(device, capability)?;
    if let Some(function) = read(&slot.functions).get(name) {
        return Ok(function.clone());
    }
    let function = slot.module(device, capability)?.function(name)?;
    write(&slot.functions).insert(name.to_owned(), function.clone());
    Ok(function)
}

/// The tuning that a capability's image holds for the operation `name` (the stem, without `_policy`).
///
/// # Errors
/// As [`function`]; [`DriverError::FunctionMissing`] also when the values make no sense.
pub fn policy(device: Device, capability: &'static str, name: &str) -> Result<Policy> {
    let slot = slot(device, capability)?;
    if let Some(policy) = read(&slot.policies).get(name) {
        return Ok(*policy);
    }
    let symbol = format!("{name}_policy");
    let mut words = [0_i32; 3];
    slot.module(device, capability)?.read_global(&symbol, bytemuck::cast_slice_mut(&mut words))?;
    let policy = Policy::from_words(words).ok_or(DriverError::FunctionMissing(symbol))?;
    write(&slot.policies).insert(name.to_owned(), policy);
    Ok(policy)
}

/// The kernels handed out so far by this process, as `(capability, name)`, sorted: with [`all`](crate::all), what a
/// test run has not touched.
pub fn launched() -> Vec<(String, String)> {
    let mut kernels = BTreeSet::new();
    for ((_, capability), slot) in read(&SLOTS).iter() {
        for name in read(&slot.functions).keys() {
            kernels.insert((capability.to_string(), name.clone()));
        }
    }
    kernels.into_iter().collect()
}

fn slot(device: Device, capability: &'static str) -> Result<Arc<Slot>> {
    if device.is_cpu() {
        return Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: device });
    }
    if let Some(slot) = read(&SLOTS).get(&(device, capability)) {
        return Ok(slot.clone());
    }
    Ok(write(&SLOTS).entry((device, capability)).or_default().clone())
}

impl Slot {
    /// The image's module; other threads that want the same one wait meanwhile, those that want another do not.
    fn module(&self, device: Device, capability: &str) -> Result<Module> {
        let mut module = self.module.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*module {
            return Ok(module.clone());
        }
        let image = images::image(capability)?;
        let loaded = Module::load(device, &image)?;
        let source = if matches!(image, Cow::Borrowed(_)) { "embedded" } else { images::KERNELS_DIR };
        tracing::info!(%device, capability, bytes = image.len(), source, "kernels loaded");
        *module = Some(loaded.clone());
        Ok(loaded)
    }
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_image_is_a_typed_error() {
        let expected = DriverError::KernelsNotBuilt { image: "no_such_capability".to_owned() };
        for _ in 0..2 {
            assert_eq!(function(Device::Cuda(0), "no_such_capability", "x_kernel").err(), Some(expected.clone()));
            assert_eq!(policy(Device::Cuda(0), "no_such_capability", "x").err(), Some(expected.clone()));
        }
        assert!(!launched().iter().any(|(capability, _)| capability == "no_such_capability"));
    }

    #[test]
    fn the_cpu_has_no_kernels() {
        let expected = DriverError::DeviceMismatch { expected: Device::Cuda(0), found: Device::Cpu };
        assert_eq!(function(Device::Cpu, "null_mask", "null_mask_and_kernel").err(), Some(expected));
    }
}
