//! Arguments of kernels that users write.

use std::ffi::c_void;

use bytemuck::Pod;
use gdf_core::{Column, ColumnView, DataType, Error, ExpectedType, NativeType, Result, enter_span};
use gdf_driver::{Function, LaunchConfig, Stream};
use gdf_memory::{Access, AccessMut, Buffer, DeviceVec};
use smallvec::SmallVec;

/// The arguments of a kernel in the order of its parameters, for one launch on one stream.
///
/// Adding a column or buffer makes the stream wait, on the device, for the last writer of the memory. The column or
/// buffer stays borrowed until the launch is enqueued. The memory outlives the kernel, even if the column is dropped
/// directly after the launch. `Arguments` checks the types of columns. `Arguments` cannot check whether the kernel has
/// the parameters that were added.
///
/// | added with | the kernel's parameter |
/// |---|---|
/// | [`scalar`](Self::scalar) | the value: `int`, `double`, a `struct` |
/// | [`column`](Self::column) | `const T*` to the first row's value |
/// | [`column_mut`](Self::column_mut) | `T*` to the first row's value |
/// | [`validity`](Self::validity) | two: `const uint8_t*` to the mask, null if there is none, and `uint64_t`, the first row's bit index |
/// | [`bits`](Self::bits), of a boolean column | two: `const uint8_t*` to the bits, and `uint64_t`, the first row's bit index |
/// | [`buffer`](Self::buffer), [`vec`](Self::vec) | `const T*` |
/// | [`buffer_mut`](Self::buffer_mut), [`vec_mut`](Self::vec_mut) | `T*` |
///
/// Bits are counted from the least significant bit of each byte. A row is null if its validity bit is 0.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::Column;
/// use gdf::{Device, driver::LaunchConfig, driver::Module, Stream};
/// use gdf::interop::Arguments;
///
/// # const PTX: &[u8] = b"";
/// fn add_one(column: &mut gdf::Column, stream: &Stream) -> gdf::Result<()> {
///     // PTX text, a cubin or a fat binary, with `void add_one(int* values, unsigned count)`
///     let kernel = Module::load(stream.device(), PTX)?.function("add_one")?;
///     let count = column.len() as u32;
///     let arguments = Arguments::on(stream).column_mut::<i32>(column)?.scalar(count);
///     // SAFETY: the kernel has these two parameters, and writes `count` values at the first.
///     unsafe { arguments.launch(&kernel, LaunchConfig::linear(count.div_ceil(256), 256)) }
/// }
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let mut column = Column::from_slice_on(&[1i32, 2, 3], &stream, mr.as_ref())?;
/// assert!(add_one(&mut column, &stream).is_err(), "kernels run on GPUs");
/// # Ok::<(), gdf_core::Error>(())
/// ```
///
/// The example `user_kernel` of this crate runs a kernel. No library can check what a kernel does. Therefore a launch
/// is `unsafe`. The borrow checker checks how columns are used. A column cannot be dropped or written while arguments
/// hold the column, and the same launch cannot both read and write a column.
///
/// ```compile_fail,E0133
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// # use gdf_driver::{Function, LaunchConfig};
/// fn run(arguments: gdf::interop::Arguments<'_>, kernel: &Function) -> gdf::Result<()> {
///     arguments.launch(kernel, LaunchConfig::linear(1, 32))
/// }
/// ```
///
/// ```compile_fail,E0505
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// # use gdf_interop::Arguments;
/// fn drop_too_early(column: gdf::Column, stream: &gdf::Stream) {
///     let arguments = Arguments::on(stream).column::<i32>(column.view()).unwrap();
///     drop(column);
///     assert_eq!(arguments.len(), 1);
/// }
/// ```
///
/// ```compile_fail,E0502
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// # use gdf_interop::Arguments;
/// fn read_and_write(column: &mut gdf::Column, stream: &gdf::Stream) {
///     let arguments = Arguments::on(stream).column_mut::<i32>(column).unwrap();
///     let arguments = arguments.column::<i32>(column.view()).unwrap();
///     assert_eq!(arguments.len(), 2);
/// }
/// ```
#[derive(Debug)]
pub struct Arguments<'a> {
    stream: Stream,
    values: SmallVec<[Value; 8]>,
    reads: SmallVec<[Access<'a>; 4]>,
    writes: SmallVec<[AccessMut<'a>; 4]>,
}

/// The bytes of one parameter. The alignment of 16 bytes is sufficient for every type.
type Value = SmallVec<[u128; 1]>;

impl<'a> Arguments<'a> {
    /// Creates an empty list of arguments for a launch on `stream`.
    pub fn on(stream: &Stream) -> Arguments<'a> {
        Arguments { stream: stream.clone(), values: SmallVec::new(), reads: SmallVec::new(), writes: SmallVec::new() }
    }

    /// Returns the number of parameters that were added.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether no parameter was added.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Adds a value: a number, or a `repr(C)` struct whose layout the kernel expects.
    #[must_use]
    pub fn scalar<T: Pod>(mut self, value: T) -> Arguments<'a> {
        let mut words: Value = SmallVec::from_elem(0, size_of::<T>().div_ceil(size_of::<u128>()).max(1));
        let bytes = bytemuck::bytes_of(&value);
        bytemuck::cast_slice_mut::<u128, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        self.values.push(words);
        self
    }

    /// Adds the address of the first row's value, for reading.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the column does not store values of type `T`.
    /// - [`Error::DeviceMismatch`]: the column is on another device than the stream.
    /// - Driver errors while ordering the streams.
    pub fn column<T: NativeType>(mut self, column: ColumnView<'a>) -> Result<Arguments<'a>> {
        check::<T>(column)?;
        let access = column.buffer(0)?.read_on(self.on_device(column.device())?)?;
        let address = access.address() + (column.offset() * size_of::<T>()) as u64;
        self.reads.push(access);
        Ok(self.scalar(address))
    }

    /// Adds the address of the first row's value, for writing. The validity mask stays unchanged.
    ///
    /// # Errors
    /// - The errors of [`column`](Self::column) and [`Column::write_values_on`].
    pub fn column_mut<T: NativeType>(mut self, column: &'a mut Column) -> Result<Arguments<'a>> {
        check::<T>(column.view())?;
        self.on_device(column.device())?;
        let access = column.write_values_on(&self.stream)?;
        let address = access.address();
        self.writes.push(access);
        Ok(self.scalar(address))
    }

    /// Adds two parameters for reading: the address of the validity mask, or 0 if the column has no mask, and the bit
    /// index of the first row.
    ///
    /// # Errors
    /// - [`Error::DeviceMismatch`]: the column is on another device than the stream.
    /// - Driver errors while ordering the streams.
    pub fn validity(mut self, column: ColumnView<'a>) -> Result<Arguments<'a>> {
        let stream = self.on_device(column.device())?;
        let access = column.validity().map(|mask| mask.read_on(stream)).transpose()?;
        let address = access.as_ref().map_or(0, Access::address);
        self.reads.extend(access);
        Ok(self.scalar(address).scalar(column.offset() as u64))
    }

    /// Adds two parameters for reading a boolean column: the address of the bits, and the bit index of the first row.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the column is not boolean.
    /// - The errors of [`validity`](Self::validity).
    pub fn bits(mut self, column: ColumnView<'a>) -> Result<Arguments<'a>> {
        if *column.data_type() != DataType::Boolean {
            return Err(Error::type_mismatch(DataType::Boolean, column.data_type()));
        }
        let access = column.buffer(0)?.read_on(self.on_device(column.device())?)?;
        let address = access.address();
        self.reads.push(access);
        Ok(self.scalar(address).scalar(column.offset() as u64))
    }

    /// Adds the address of a buffer's first byte, for reading.
    ///
    /// # Errors
    /// - [`Error::DeviceMismatch`]: the buffer is on another device than the stream.
    /// - Driver errors while ordering the streams.
    pub fn buffer(mut self, buffer: &'a Buffer) -> Result<Arguments<'a>> {
        let access = buffer.read_on(self.on_device(buffer.device())?)?;
        let address = access.address();
        self.reads.push(access);
        Ok(self.scalar(address))
    }

    /// Adds the address of a buffer's first byte, for writing.
    ///
    /// # Errors
    /// - [`MemoryError::Shared`](gdf_memory::MemoryError::Shared): another reference to the buffer's memory exists.
    /// - The errors of [`buffer`](Self::buffer).
    pub fn buffer_mut(mut self, buffer: &'a mut Buffer) -> Result<Arguments<'a>> {
        self.on_device(buffer.device())?;
        let access = buffer.write_on(&self.stream)?;
        let address = access.address();
        self.writes.push(access);
        Ok(self.scalar(address))
    }

    /// Adds the address of a vector's first value, for reading.
    ///
    /// # Errors
    /// - The errors of [`buffer`](Self::buffer).
    pub fn vec<T: Pod>(mut self, vec: &'a DeviceVec<T>) -> Result<Arguments<'a>> {
        let access = vec.read_on(self.on_device(vec.device())?)?;
        let address = access.address();
        self.reads.push(access);
        Ok(self.scalar(address))
    }

    /// Adds the address of a vector's first value, for writing.
    ///
    /// # Errors
    /// - The errors of [`buffer`](Self::buffer).
    pub fn vec_mut<T: Pod>(mut self, vec: &'a mut DeviceVec<T>) -> Result<Arguments<'a>> {
        self.on_device(vec.device())?;
        let access = vec.write_on(&self.stream)?;
        let address = access.address();
        self.writes.push(access);
        Ok(self.scalar(address))
    }

    /// Launches the kernel. The call returns when the launch is enqueued. If the kernel itself fails, a later call
    /// reports the error. If the grid is empty, nothing is launched.
    ///
    /// # Safety
    /// - The kernel's parameters match the added parameters in order, number and size.
    /// - The kernel accesses only memory that was added. For each column, the kernel accesses only the `len` values
    ///   from the address on.
    /// - The kernel does not write to memory that was added for reading. Memory that the kernel writes was added only
    ///   once. (The borrow checker ensures the last rule for columns, but not for addresses that are passed as
    ///   scalars.)
    /// - The kernel terminates. All values that the kernel writes are valid values of the column's type. For numeric
    ///   types, every bit pattern is valid.
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`](gdf_driver::DriverError::DeviceMismatch): the function is not loaded on the
    ///   device of the stream, or the stream is a stream of the CPU.
    /// - [`DriverError::InvalidLaunch`](gdf_driver::DriverError::InvalidLaunch): the configuration is invalid for every
    ///   device.
    /// - Driver errors of the launch.
    pub unsafe fn launch(self, kernel: &Function, config: LaunchConfig) -> Result<()> {
        let _span = enter_span("Arguments::launch", self.stream.device());
        let (stream, mut pointers) = (&self.stream, self.pointers());
        // SAFETY: the caller promises that the parameters match and that the kernel obeys the rules above. `self`
        // holds the accesses until the launch is enqueued.
        Ok(unsafe { stream.launch(kernel, config, &mut pointers) }?)
    }

    /// Launches the kernel cooperatively: all blocks run at the same time and may wait for each other. In all other
    /// respects the function does the same as [`launch`](Self::launch).
    ///
    /// # Safety
    /// The conditions of [`launch`](Self::launch).
    ///
    /// # Errors
    /// - The errors of [`launch`](Self::launch). The driver also refuses a grid of more blocks than the device can
    ///   hold at once.
    pub unsafe fn launch_cooperative(self, kernel: &Function, config: LaunchConfig) -> Result<()> {
        let _span = enter_span("Arguments::launch_cooperative", self.stream.device());
        let (stream, mut pointers) = (&self.stream, self.pointers());
        // SAFETY: the conditions and the proof are those of `launch`.
        Ok(unsafe { stream.launch_cooperative(kernel, config, &mut pointers) }?)
    }

    /// Passes the stream and the addresses of the parameters to `enqueue`, which launches the kernel. Use this function
    /// for launches that [`launch`](Self::launch) cannot make, such as a launch through another library, or a launch
    /// with attributes that [`LaunchConfig`] does not have.
    pub fn with_pointers<R>(self, enqueue: impl FnOnce(&Stream, &mut [*mut c_void]) -> R) -> R {
        let mut pointers = self.pointers();
        enqueue(&self.stream, &mut pointers)
    }

    fn pointers(&self) -> SmallVec<[*mut c_void; 8]> {
        self.values.iter().map(|value| value.as_ptr().cast_mut().cast::<c_void>()).collect()
    }

    fn on_device(&self, found: gdf_driver::Device) -> Result<&Stream> {
        let expected = self.stream.device();
        if expected == found { Ok(&self.stream) } else { Err(Error::device_mismatch(expected, found)) }
    }
}

fn check<T: NativeType>(column: ColumnView<'_>) -> Result<()> {
    if gdf_core::types::physical_type(column.data_type()) == T::PHYSICAL {
        return Ok(());
    }
    Err(Error::type_mismatch(ExpectedType::ValuesOf(T::NAME), column.data_type()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdf_core::Column;
    use gdf_memory::{HostResource, MemoryError, Resource};

    #[test]
    fn parameters_are_where_the_pointers_say() {
        let (stream, mr) = (Stream::cpu(), Resource::new(HostResource::new()));
        let column = Column::from_options_on(&[Some(1i64), None, Some(3)], &stream, mr.as_ref()).unwrap();
        let tail = column.slice(1, 2).unwrap();
        let mut out = Column::from_slice_on(&[0f32; 2], &stream, mr.as_ref()).unwrap();
        let vec = DeviceVec::from_slice(&[7u8], &stream, mr.as_ref()).unwrap();
        let arguments = Arguments::on(&stream).column::<i64>(tail.view()).unwrap().validity(tail.view()).unwrap();
        let arguments =
            arguments.column_mut::<f32>(&mut out).unwrap().vec(&vec).unwrap().scalar(0.5f64).scalar([1u64; 5]);
        assert_eq!(arguments.len(), 7);
        arguments.with_pointers(|_, pointers| {
            // SAFETY: each pointer leads to a parameter of the type read here, and the addresses in the parameters
            // belong to live columns.
            unsafe {
                let values = *pointers[0].cast::<u64>() as usize;
                assert_eq!(*std::ptr::with_exposed_provenance::<i64>(values + 8), 3);
                let mask = *pointers[1].cast::<u64>() as usize;
                assert_eq!(*std::ptr::with_exposed_provenance::<u8>(mask) & 0b111, 0b101);
                assert_eq!(*pointers[2].cast::<u64>(), 1);
                let target = *pointers[3].cast::<u64>() as usize;
                std::ptr::with_exposed_provenance_mut::<f32>(target).write(2.5);
                let byte = *pointers[4].cast::<u64>() as usize;
                assert_eq!(*std::ptr::with_exposed_provenance::<u8>(byte), 7);
                assert_eq!(*pointers[5].cast::<f64>(), 0.5);
                assert_eq!(*pointers[6].cast::<[u64; 5]>(), [1; 5]);
            }
        });
        let access = out.buffers()[0].read_on(&stream).unwrap();
        assert_eq!(out.view().values::<f32>(&access).unwrap(), [2.5, 0.0]);
    }

    #[test]
    fn types_and_sharing_are_checked() {
        let (stream, mr) = (Stream::cpu(), Resource::new(HostResource::new()));
        let mut column = Column::from_slice_on(&[1i32, 2], &stream, mr.as_ref()).unwrap();
        let dates = column.bit_cast(gdf_core::DataType::Date32).unwrap();
        assert!(matches!(Arguments::on(&stream).column::<u32>(column.view()), Err(Error::TypeMismatch { .. })));
        assert!(Arguments::on(&stream).column::<i32>(dates.view()).is_ok());
        let shared = Arguments::on(&stream).column_mut::<i32>(&mut column);
        assert!(matches!(shared, Err(Error::Memory(MemoryError::Shared))));
        drop((shared, dates));
        assert!(Arguments::on(&stream).column_mut::<i32>(&mut column).is_ok());
        let mut text = gdf_core::Column::from_strs_on(&[Some("a")], &stream, mr.as_ref()).unwrap();
        assert!(Arguments::on(&stream).column_mut::<i32>(&mut text).is_err());
        let bools = gdf_core::Column::from_slice_on(&[true, false], &stream, mr.as_ref()).unwrap();
        assert_eq!(Arguments::on(&stream).bits(bools.view()).unwrap().len(), 2);
        assert!(matches!(Arguments::on(&stream).bits(text.view()), Err(Error::TypeMismatch { .. })));
    }
}
