//! Compiled device code: modules, and the functions in them.

use std::ffi::{CString, c_int, c_void};
use std::fmt;
use std::sync::{Arc, Mutex};

use crate::context::{self, DeviceState};
use crate::lock::lock;
use crate::raw::{self, Handle, Pointer};
use crate::{Device, DriverError, Result, Status, poison, table};

/// The number of bytes of shared memory that every kernel may use without a call of `set_max_dynamic_shared`.
const DEFAULT_SHARED_BYTES: u32 = 48 << 10;

/// Device code loaded on a device. A clone refers to the same module.
///
/// A module stays loaded for the rest of the process unless [`Module::unload`] is called. Dropping the last clone
/// does not unload the module, because its kernels may still be running.
#[derive(Clone)]
pub struct Module(Arc<LoadedModule>);

struct LoadedModule {
    state: &'static DeviceState,
    raw: Handle,
}

/// A kernel of a [`Module`]. The kernel keeps the module alive. A clone refers to the same kernel.
#[derive(Clone)]
pub struct Function(Arc<LoadedFunction>);

struct LoadedFunction {
    module: Module,
    raw: Handle,
    name: String,
    /// The number of bytes of dynamic shared memory that launches may currently use.
    shared: Mutex<Option<u32>>,
}

impl Module {
    /// Loads an image (PTX text, a cubin or a fat binary) on `device`. Opens the device.
    ///
    /// # Errors
    /// - the image is cut short, is not device code, or has no code for this device
    /// - `device` is not a CUDA device, cannot be opened, or is poisoned
    pub fn load(device: Device, image: &[u8]) -> Result<Module> {
        let state = context::open(device)?;
        let refused = |status| DriverError::Call { call: "cuModuleLoadData", status, device: Some(device) };
        if !is_whole(image) {
            return Err(refused(Status::INVALID_IMAGE));
        }
        // The driver requires that binary images are aligned, and that PTX text ends with a NUL.
        let mut words: Vec<u64> = Vec::new();
        words.try_reserve_exact(image.len() / 8 + 1).map_err(|_| refused(Status::OUT_OF_MEMORY))?;
        words.extend(image.chunks(8).map(|chunk| {
            let mut word = [0u8; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        }));
        words.push(0);
        let _entered = state.enter()?;
        let mut raw: Pointer = std::ptr::null_mut();
        // SAFETY: the image is aligned, terminated, and as long as its header says. The driver copies the image
        // before the call returns. The device's context is current.
        unsafe { table::cuModuleLoadData(&mut raw, words.as_ptr().cast::<c_void>()) }?.on(device)?;
        Ok(Module(Arc::new(LoadedModule { state, raw: Handle(raw) })))
    }

    /// Returns the device that the module is loaded on.
    pub fn device(&self) -> Device {
        self.0.state.device
    }

    /// Returns the kernel with this name.
    ///
    /// # Errors
    /// - [`DriverError::FunctionMissing`]: the module has no kernel with this name
    /// - the driver cannot load the kernel; the device is poisoned
    pub fn function(&self, name: &str) -> Result<Function> {
        let device = self.device();
        poison::check(device)?;
        let missing = || DriverError::FunctionMissing(name.to_owned());
        let symbol = CString::new(name).map_err(|_| missing())?;
        let _entered = self.0.state.enter()?;
        let mut raw: Pointer = std::ptr::null_mut();
        // SAFETY: the module is loaded, `raw` is writable and the name is terminated.
        let outcome = unsafe { table::cuModuleGetFunction(&mut raw, self.0.raw.0, symbol.as_ptr()) }?;
        if outcome.status == Status::NOT_FOUND {
            return Err(missing());
        }
        outcome.on(device)?;
        let (name, shared) = (name.to_owned(), Mutex::default());
        Ok(Function(Arc::new(LoadedFunction { module: self.clone(), raw: Handle(raw), name, shared })))
    }

    /// Copies the first bytes of the variable with this name to `out`. The function waits for the copy.
    ///
    /// # Errors
    /// - [`DriverError::FunctionMissing`]: the module has no variable with this name
    /// - `out` is longer than the variable; the device is poisoned
    pub fn read_global(&self, name: &str, out: &mut [u8]) -> Result<()> {
        let device = self.device();
        poison::check(device)?;
        let missing = || DriverError::FunctionMissing(name.to_owned());
        let symbol = CString::new(name).map_err(|_| missing())?;
        let _entered = self.0.state.enter()?;
        let (mut address, mut size) = (0u64, 0usize);
        // SAFETY: the module is loaded, `address` and `size` are writable, and the name is terminated.
        let outcome = unsafe { table::cuModuleGetGlobal_v2(&mut address, &mut size, self.0.raw.0, symbol.as_ptr()) }?;
        if outcome.status == Status::NOT_FOUND {
            return Err(missing());
        }
        outcome.on(device)?;
        if out.len() > size {
            let call = "cuModuleGetGlobal_v2";
            return Err(DriverError::Call { call, status: Status::INVALID_VALUE, device: Some(device) });
        }
        if out.is_empty() {
            return Ok(());
        }
        // SAFETY: `out` is writable for its length and the variable is at least as long.
        unsafe { table::cuMemcpyDtoH_v2(out.as_mut_ptr().cast::<c_void>(), address, out.len()) }?.on(device)
    }

    /// Unloads the module, unless another clone or a function still refers to it. Returns whether the module was
    /// unloaded.
    ///
    /// # Safety
    /// - no kernel of the module is running or enqueued
    ///
    /// # Errors
    /// - the driver cannot unload the module; the device is poisoned
    pub unsafe fn unload(self) -> Result<bool> {
        let Some(LoadedModule { state, raw }) = Arc::into_inner(self.0) else { return Ok(false) };
        poison::check(state.device)?;
        let _entered = state.enter()?;
        // SAFETY: this value was the last reference to the module. The caller promises that no kernel of the module
        // runs.
        unsafe { table::cuModuleUnload(raw.0) }?.on(state.device)?;
        Ok(true)
    }
}

impl Function {
    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the device that the kernel is loaded on.
    pub fn device(&self) -> Device {
        self.0.module.device()
    }

    pub(crate) fn raw(&self) -> Pointer {
        self.0.raw.0
    }

    /// Loads the kernel's code on the device. Without this call, the driver loads the code at the first launch.
    ///
    /// # Errors
    /// - the driver cannot load the code; the device is poisoned
    pub fn load(&self) -> Result<()> {
        let state = self.healthy()?;
        let _entered = state.enter()?;
        // SAFETY: the function stays loaded while `self` exists.
        unsafe { table::cuFuncLoad(self.raw()) }?.on(state.device)
    }

    /// Allows launches with up to `bytes` of dynamic shared memory.
    ///
    /// Before the first call of this function, a launch may use 48 KiB minus the static shared memory of the kernel.
    /// The limit never decreases. If `bytes` are already allowed, the function does not call the driver.
    ///
    /// # Errors
    /// - the device has less shared memory; the device is poisoned
    pub fn set_max_dynamic_shared(&self, bytes: u32) -> Result<()> {
        let state = self.healthy()?;
        let mut shared = lock(&self.0.shared);
        let allowed = match *shared {
            Some(allowed) => allowed,
            None => {
                let own = self.static_shared_bytes()?;
                *shared.insert(DEFAULT_SHARED_BYTES.saturating_sub(own))
            }
        };
        if bytes <= allowed {
            return Ok(());
        }
        let attribute = raw::FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let value = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        let _entered = state.enter()?;
        // SAFETY: the function stays loaded while `self` exists.
        unsafe { table::cuFuncSetAttribute(self.raw(), attribute, value) }?.on(state.device)?;
        *shared = Some(bytes);
        Ok(())
    }

    /// Returns how many blocks a multiprocessor can run at the same time. Each block has `threads` threads and
    /// `shared_bytes` bytes of dynamic shared memory.
    ///
    /// # Errors
    /// - no block of this shape can run; the device is poisoned
    pub fn max_active_blocks(&self, threads: u32, shared_bytes: u32) -> Result<u32> {
        let state = self.healthy()?;
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        let _entered = state.enter()?;
        let mut blocks: c_int = 0;
        // SAFETY: `blocks` is writable, and the function stays loaded while `self` exists.
        let outcome = unsafe {
            table::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.raw(), threads, shared_bytes as usize)
        };
        outcome?.on(state.device)?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// Returns the number of registers per thread.
    ///
    /// # Errors
    /// - the device is poisoned
    pub fn registers(&self) -> Result<u32> {
        self.attribute(raw::FUNCTION_NUM_REGS)
    }

    /// Returns the number of bytes of static shared memory per block.
    ///
    /// # Errors
    /// - the device is poisoned
    pub fn static_shared_bytes(&self) -> Result<u32> {
        self.attribute(raw::FUNCTION_SHARED_SIZE_BYTES)
    }

    /// Returns the number of bytes of local memory per thread. The compiler spills registers to local memory.
    ///
    /// # Errors
    /// - the device is poisoned
    pub fn local_bytes(&self) -> Result<u32> {
        self.attribute(raw::FUNCTION_LOCAL_SIZE_BYTES)
    }

    /// Returns the largest number of threads that a block of this kernel can have.
    ///
    /// # Errors
    /// - the device is poisoned
    pub fn max_threads_per_block(&self) -> Result<u32> {
        self.attribute(raw::FUNCTION_MAX_THREADS_PER_BLOCK)
    }

    fn healthy(&self) -> Result<&'static DeviceState> {
        poison::check(self.device())?;
        Ok(self.0.module.0.state)
    }

    fn attribute(&self, attribute: c_int) -> Result<u32> {
        let state = self.healthy()?;
        let _entered = state.enter()?;
        let mut value: c_int = 0;
        // SAFETY: `value` is writable, and the function stays loaded while `self` exists.
        unsafe { table::cuFuncGetAttribute(&mut value, attribute, self.raw()) }?.on(state.device)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({})", self.device())
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({}, {})", self.name(), self.device())
    }
}

/// Returns whether the image is at least as long as its header states. PTX text has no header, and must be UTF-8 and
/// not empty.
fn is_whole(image: &[u8]) -> bool {
    const FAT_BINARY: &[u8] = &[0x50, 0xed, 0x55, 0xba];
    const ELF: &[u8] = b"\x7fELF";
    let number = |at: usize, bytes: usize| -> Option<usize> {
        let field = image.get(at..at.checked_add(bytes)?)?;
        let mut word = [0u8; 8];
        word.get_mut(..bytes)?.copy_from_slice(field);
        usize::try_from(u64::from_le_bytes(word)).ok()
    };
    let end = if image.starts_with(FAT_BINARY) {
        // The header consists of the magic number, the version (2 bytes), the size of the header (2 bytes), and the
        // size of the data after the header (8 bytes).
        number(6, 2).zip(number(8, 8)).and_then(|(header, content)| header.checked_add(content))
    } else if image.starts_with(ELF) {
        // The file ends with the table of section headers or with the table of program headers.
        let table = |offset: usize, size: usize, count: usize| {
            number(offset, 8)?.checked_add(number(size, 2)?.checked_mul(number(count, 2)?)?)
        };
        table(40, 58, 60).zip(table(32, 54, 56)).map(|(sections, programs)| sections.max(programs))
    } else {
        // The image is PTX text.
        return !image.is_empty() && std::str::from_utf8(image).is_ok();
    };
    end.is_some_and(|end| end <= image.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_cut_short_are_refused() {
        assert!(!is_whole(b""));
        assert!(!is_whole(b"\x7fELF") && !is_whole(b"\xff\xfe"));
        assert!(is_whole(b".version 8.0\n"));
        let mut fat = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 32, 0, 0, 0, 0, 0, 0, 0];
        assert!(!is_whole(&fat));
        fat.resize(47, 0);
        assert!(!is_whole(&fat));
        fat.push(0);
        assert!(is_whole(&fat));
        let huge = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 255, 255, 255, 255, 255, 255, 255, 255];
        assert!(!is_whole(&huge));
    }
}
