//! Copies of columns on the same device or on another device, and `rebind`, which changes the stream on which a
//! column's memory is freed.

use std::sync::Arc;

use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, MemoryError, ResourceRef};
use smallvec::SmallVec;

use super::{Column, offsets_range};
use crate::types::physical_type;
use crate::{NullCount, Result, TextFacts, ValueBounds, enter_span};

impl Column {
    /// Returns a copy that shares no buffers, in memory of `mr` on the same device.
    ///
    /// The function copies whole buffers. If the column is a slice, the rows outside of the slice are copied, too.
    /// There is one exception: the length of a foreign character buffer on a GPU can be unknown. The
    /// function copies only the bytes of such a buffer that the offsets use, and **waits** for the offsets.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn deep_copy<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Column> {
        let mr = mr.into();
        let _span = enter_span("Column::deep_copy", self.device);
        self.copied(stream, self.device, &|buffer| buffer.deep_copy(stream, mr))
    }

    /// Returns a copy that shares no buffers, in memory of `mr` on the same or another device.
    ///
    /// `stream` must belong to the device of `mr`. A copy from one GPU to another does not wait. A copy from a GPU to
    /// the CPU **waits** for the GPU's memory. In all other respects the function does the same as
    /// [`Column::deep_copy`]; see also [`Buffer::copy_to`].
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, Device, Stream};
    ///
    /// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
    /// let column = Column::from_slice(&[1, 2, 3])?;
    /// // With a stream and a resource of a GPU, the copy would be on the GPU.
    /// let copy = column.copy_to(&stream, &mr)?;
    /// assert_eq!((copy.len(), copy.device()), (3, Device::Cpu));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`MemoryError::DeviceMismatch`](gdf_memory::MemoryError::DeviceMismatch): `stream` belongs to a different
    ///   device than `mr`.
    /// - Driver and memory errors.
    pub fn copy_to<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Column> {
        let mr = mr.into();
        let _span = enter_span("Column::copy_to", mr.device());
        self.copied(stream, mr.device(), &|buffer| buffer.copy_to(stream, mr))
    }

    /// Returns a copy of the column on `device`.
    fn copied(
        &self,
        stream: &Stream,
        device: Device,
        copy: &dyn Fn(&Buffer) -> gdf_memory::Result<Buffer>,
    ) -> Result<Column> {
        let own_count = self.own_count();
        let null_count = match (own_count, own_count.known()) {
            (_, Some(count)) => NullCount::Known(count),
            (NullCount::Device { word, .. }, _) => NullCount::device(copy(word)?),
            _ => NullCount::Unknown,
        };
        let is_exposed = self.buffers.iter().chain(&self.validity).any(Buffer::is_exposed);
        Ok(Column {
            data_type: self.data_type.clone(),
            device,
            validity: self.validity.as_ref().map(copy).transpose()?,
            null_count,
            buffers: self.needed_buffers(stream)?.iter().map(copy).collect::<gdf_memory::Result<_>>()?,
            children: self.children.iter().map(|child| child.copied(stream, device, copy)).collect::<Result<_>>()?,
            trust: (!self.own_data_validated()).then(Arc::default),
            // Other code may have changed an exposed buffer after the facts were stored. Therefore the copy gets no
            // facts.
            facts: if is_exposed { TextFacts::of(&self.data_type) } else { self.facts.clone() },
            bounds: if is_exposed { ValueBounds::of(&self.data_type) } else { self.bounds.clone() },
            ..*self
        })
    }

    /// Returns the buffers to copy.
    fn needed_buffers(&self, stream: &Stream) -> Result<SmallVec<[Buffer; 2]>> {
        use crate::PhysicalType as P;
        let mut buffers = self.buffers.clone();
        if let (P::String { large } | P::Binary { large }, [_, text]) = (physical_type(&self.data_type), &mut *buffers)
            && text.foreign_owner().is_some()
            && !self.device.is_cpu()
        {
            let here = stream.device() == self.device;
            let stream = if here { stream.clone() } else { Stream::default_for(self.device)? };
            let (_, end) = offsets_range(self.view(), large, text.len(), &stream)?;
            *text = text.slice(0, end)?;
        }
        Ok(buffers)
    }

    /// Makes `stream` the stream that owns the memory of the column and of its children (libcudf's `rebind_stream`).
    /// Work on `stream` waits, on the device, for all earlier uses of the memory. From then on, the memory is freed in
    /// the order of `stream`. Buffers that other columns share keep their stream. Foreign memory also keeps its stream,
    /// and so does an allocation that holds both values and mask, as in results of some operations on CUDA. No data are
    /// copied.
    ///
    /// # Errors
    /// - Driver errors of ordering the streams.
    pub fn rebind(&mut self, stream: &Stream) -> Result<()> {
        let count = match &mut self.null_count {
            NullCount::Device { word, .. } => Some(word),
            _ => None,
        };
        for buffer in self.buffers.iter_mut().chain(&mut self.validity).chain(count) {
            match buffer.rebind(stream) {
                Ok(()) | Err(MemoryError::Shared) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.children.iter_mut().try_for_each(|child| child.rebind(stream))
    }
}
