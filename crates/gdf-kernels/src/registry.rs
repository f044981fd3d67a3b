//! The images and kernels that are loaded. Each image is loaded once per device.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError, RwLock};
use std::{iter, thread};

use gdf_driver::{Device, DeviceProperties, DriverError, Function, Module, Result};

use crate::generated::IMAGES;
use crate::images::{self, Image};
use crate::info::{ImageInfo, KernelId, KernelInfo};

/// Returns static information about each image.
pub fn image_infos() -> &'static [&'static ImageInfo] {
    IMAGES
}

impl KernelId {
    /// Returns static information about the kernel.
    pub fn info(self) -> &'static KernelInfo {
        &self.image().kernels[usize::from(self.kernel)]
    }

    fn image(self) -> &'static ImageInfo {
        IMAGES[usize::from(self.image)]
    }
}

/// An image on a device.
struct Slot {
    image: OnceLock<Image>,
    /// The loaded module of each translation unit.
    modules: Box<[Mutex<Option<Module>>]>,
    functions: Box<[OnceLock<Function>]>,
}

/// All images and kernels loaded on one device.
struct Loaded {
    multiprocessors: u32,
    compute_capability: (u32, u32),
    slots: Box<[Slot]>,
}

/// The largest number of threads that load modules. The driver serializes a part of the work.
const LOADING_THREADS: usize = 8;

/// The loaded images of each device, indexed by the ordinal of the device.
static DEVICES: LazyLock<RwLock<Vec<Option<&'static Loaded>>>> = LazyLock::new(RwLock::default);

/// Returns a kernel on `device`, and the number of multiprocessors of the device.
pub(crate) fn function(device: Device, id: KernelId) -> Result<(&'static Function, u32)> {
    let loaded = loaded(device)?;
    let slot = &loaded.slots[usize::from(id.image)];
    let cell = &slot.functions[usize::from(id.kernel)];
    if let Some(function) = cell.get() {
        return Ok((function, loaded.multiprocessors));
    }
    let function = slot.module(device, loaded.compute_capability, id)?.function(id.info().symbol)?;
    Ok((cell.get_or_init(|| function), loaded.multiprocessors))
}

/// Checks that images of all kernels are found for `device`. The function opens the device, but does not load the
/// images.
///
/// # Errors
/// - Errors of opening the device.
/// - [`DriverError::KernelsNotBuilt`] if an image is missing.
/// - [`DriverError::DeviceMismatch`] for the CPU.
pub fn available(device: Device) -> Result<()> {
    if device.is_cpu() {
        return Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: device });
    }
    let capability = device.properties()?.compute_capability;
    IMAGES.iter().try_for_each(|image| images::find(image.capability, capability).map(drop))
}

/// Loads all kernels on `device`, on up to eight threads, and returns their number. The function opens the device.
/// Kernels that are already loaded are not loaded again.
///
/// # Errors
/// - Errors of opening the device.
/// - [`DriverError::KernelsNotBuilt`] or [`DriverError::KernelsOutdated`] if an image is missing or outdated.
/// - [`DriverError::KernelsWritable`] or [`DriverError::KernelsTooLarge`] if the file of an image is refused.
/// - [`DriverError::DeviceMismatch`] for the CPU.
pub fn load_all(device: Device) -> Result<usize> {
    let loaded = loaded(device)?;
    let units: Vec<(u16, usize)> = (0..)
        .zip(&loaded.slots)
        .flat_map(|(image, slot)| iter::zip(iter::repeat(image), 0..slot.modules.len()))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || -> Result<usize> {
        let mut count = 0;
        while let Some(&(image, unit)) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
            count += loaded.load_unit(device, image, unit)?;
        }
        Ok(count)
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(LOADING_THREADS).min(units.len());
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let first = work();
        let join = |other: thread::ScopedJoinHandle<'_, Result<usize>>| {
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        others.into_iter().map(join).fold(first, |sum, count| Ok(sum? + count?))
    })
}

/// Returns all kernels of the library as sorted pairs of capability and symbol.
pub fn all() -> Vec<(String, String)> {
    let of = |image: &&'static ImageInfo| image.kernels.iter().map(|kernel| name(image, kernel));
    let mut all: Vec<_> = IMAGES.iter().flat_map(of).collect();
    all.sort();
    all
}

/// Returns the kernels that this process has used so far, as sorted pairs of capability and symbol. A kernel of [`all`]
/// that is not in the result has not been used.
pub fn launched() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for loaded in read(&DEVICES).iter().flatten() {
        for (image, slot) in IMAGES.iter().zip(&loaded.slots) {
            for (kernel, cell) in image.kernels.iter().zip(&slot.functions) {
                found.extend(cell.get().map(|_| name(image, kernel)));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn name(image: &ImageInfo, kernel: &KernelInfo) -> (String, String) {
    (image.capability.to_owned(), kernel.symbol.to_owned())
}

fn loaded(device: Device) -> Result<&'static Loaded> {
    let Device::Cuda(ordinal) = device else {
        return Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: device });
    };
    let ordinal = ordinal as usize;
    if let Some(Some(loaded)) = read(&DEVICES).get(ordinal) {
        return Ok(loaded);
    }
    let properties = device.properties()?;
    let mut devices = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
    if devices.len() <= ordinal {
        devices.resize(ordinal + 1, None);
    }
    Ok(devices[ordinal].get_or_insert_with(|| Box::leak(Box::new(Loaded::new(properties)))))
}

impl Loaded {
    /// Loads all kernels of one translation unit, and returns their number. The kernels do not count as
    /// [`launched`].
    fn load_unit(&self, device: Device, image: u16, unit: usize) -> Result<usize> {
        let kernels = (0..).zip(IMAGES[usize::from(image)].kernels);
        let of_unit = kernels.filter(|(_, kernel)| usize::from(kernel.unit) == unit);
        let mut count = 0;
        for (position, kernel) in of_unit {
            let module = self.slots[usize::from(image)].module(
                device,
                self.compute_capability,
                KernelId::new(image, position),
            )?;
            module.function(kernel.symbol)?.load()?;
            count += 1;
        }
        Ok(count)
    }

    fn new(properties: &DeviceProperties) -> Self {
        let slot = |image: &&ImageInfo| {
            let units = image.kernels.iter().map(|kernel| kernel.unit + 1).max().unwrap_or(0);
            Slot {
                image: OnceLock::new(),
                modules: (0..units).map(|_| Mutex::default()).collect(),
                functions: image.kernels.iter().map(|_| OnceLock::new()).collect(),
            }
        };
        let DeviceProperties { multiprocessors, compute_capability, .. } = *properties;
        Self { multiprocessors, compute_capability, slots: IMAGES.iter().map(slot).collect() }
    }
}

impl Slot {
    /// Returns the bytes of the image. They are kept because each translation unit is loaded by a call of its own.
    fn image(&self, capability: &str, compute_capability: (u32, u32)) -> Result<&Image> {
        if let Some(image) = self.image.get() {
            return Ok(image);
        }
        let image = images::find(capability, compute_capability)?;
        Ok(self.image.get_or_init(|| image))
    }

    /// Returns the module of the kernel's translation unit.
    fn module(&self, device: Device, compute_capability: (u32, u32), id: KernelId) -> Result<Module> {
        let unit = usize::from(id.info().unit);
        let mut module = self.modules[unit].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*module {
            return Ok(module.clone());
        }
        let ImageInfo { capability, contract, .. } = *id.image();
        let outdated = || DriverError::KernelsOutdated { image: capability.to_owned() };
        let Image { bytes, source } = self.image(capability, compute_capability)?;
        let bytes = images::unit(bytes, unit).ok_or_else(outdated)?;
        let loaded = Module::load(device, bytes)?;
        let read = |name| -> Result<Option<u64>> {
            let mut found = [0_u64];
            match loaded.read_global(name, bytemuck::cast_slice_mut(&mut found)) {
                Ok(()) => Ok(Some(found[0])),
                // An image of an older version does not have the variable.
                Err(DriverError::FunctionMissing(_)) => Ok(None),
                Err(error) => Err(error),
            }
        };
        let sources = id.image().sources().get(unit).copied();
        if read("gdf_contract")? != Some(contract) || sources.is_none() || read("gdf_sources")? != sources {
            return Err(outdated());
        }
        tracing::info!(%device, capability, unit, bytes = bytes.len(), source, "kernels loaded");
        *module = Some(loaded.clone());
        Ok(loaded)
    }
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_has_no_kernels() {
        let expected = DriverError::DeviceMismatch { expected: Device::Cuda(0), found: Device::Cpu };
        assert_eq!(function(Device::Cpu, KernelId::new(0, 0)).err(), Some(expected));
    }

    #[cfg(any(feature = "cuda", feature = "sources"))]
    #[test]
    fn each_unit_has_a_hash_of_its_sources() {
        for image in IMAGES {
            let units = image.kernels.iter().map(|kernel| usize::from(kernel.unit) + 1).max();
            assert_eq!(Some(image.sources().len()), units, "{}", image.capability);
        }
    }

    #[test]
    fn kernels_are_named_once() {
        let all = all();
        assert!(all.len() > 100);
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(all.iter().all(|(_, symbol)| symbol.ends_with("_kernel")));
    }
}
