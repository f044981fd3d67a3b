//! Results that kernels write.

use gdf_core::{Column, ColumnParts, DataType, Error, NullCount, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_kernels::{ColumnOut, KernelType, Out, TableOut, WIDE_OFFSETS};
use gdf_memory::{AccessMut, BUFFER_PADDING, Buffer, MemoryError, ResourceRef};
use smallvec::SmallVec;

use super::memory::Memory;
use crate::Ctx;
use crate::layout::{OutputBuffers, byte_len};
use crate::vouch;

pub fn kernel_type(physical: PhysicalType) -> KernelType {
    match physical {
        PhysicalType::Null | PhysicalType::Union { .. } | PhysicalType::RunEnd => KernelType::Null,
        PhysicalType::Bool => KernelType::Boolean,
        PhysicalType::I8 => KernelType::I8,
        PhysicalType::I16 => KernelType::I16,
        PhysicalType::I32 => KernelType::I32,
        PhysicalType::I64 => KernelType::I64,
        PhysicalType::U8 => KernelType::U8,
        PhysicalType::U16 => KernelType::U16,
        PhysicalType::U32 => KernelType::U32,
        PhysicalType::U64 => KernelType::U64,
        PhysicalType::F16 => KernelType::F16,
        PhysicalType::F32 => KernelType::F32,
        PhysicalType::F64 => KernelType::F64,
        PhysicalType::I128 => KernelType::I128,
        PhysicalType::I256 => KernelType::I256,
        PhysicalType::FixedBinary(_) => KernelType::FixedBinary,
        PhysicalType::String { .. } => KernelType::String,
        PhysicalType::Binary { .. } => KernelType::Binary,
        PhysicalType::List { .. } | PhysicalType::ListView { .. } | PhysicalType::Map => KernelType::List,
        PhysicalType::Struct | PhysicalType::FixedSizeList(_) => KernelType::Structure,
        PhysicalType::Dictionary => KernelType::Dictionary,
        PhysicalType::View { utf8: true } => KernelType::StringView,
        PhysicalType::View { utf8: false } => KernelType::BinaryView,
        PhysicalType::IntervalDayTime => KernelType::IntervalDayTime,
        PhysicalType::IntervalMonthDayNano => KernelType::IntervalMonthDayNano,
        // The type was added to Arrow after this version of gdf. Kernels reject unknown types.
        _ => KernelType::Null,
    }
}

/// Returns the number of bytes of a validity mask of `rows` rows, with padding. The null count is stored in the 8 bytes
/// after the mask, which are not included.
pub(crate) fn mask_bytes(rows: usize) -> usize {
    rows.div_ceil(8).next_multiple_of(BUFFER_PADDING)
}

/// Returns the descriptor of the columns of a launch, or an error if there are more columns than one launch takes.
pub fn one_launch<T>(table: Option<T>) -> Result<T> {
    table.ok_or_else(|| Error::internal("a launch has more columns than its descriptor holds"))
}

pub fn open_outputs<'a>(
    outputs: impl IntoIterator<Item = &'a mut CudaOutput>,
    stream: &Stream,
) -> Result<Vec<OpenOutput<'a>>> {
    outputs.into_iter().map(|output| output.open(stream)).collect()
}

pub fn out_table<'o, const N: usize>(open: &'o [OpenOutput<'_>]) -> Result<TableOut<'o, N>> {
    let descs: Vec<_> = open.iter().map(OpenOutput::desc).collect();
    one_launch(TableOut::new(&descs))
}

/// A result column without children. The values are in one allocation, and the mask and null count are in another
/// allocation.
#[derive(Debug)]
pub struct CudaOutput {
    data_type: DataType,
    len: usize,
    buffers: SmallVec<[Buffer; 2]>,
    validity: Option<Buffer>,
}

#[derive(Debug)]
pub struct OpenOutput<'a> {
    /// The descriptor without addresses, which `desc` fills in.
    shape: ColumnOut<'static>,
    values: Option<AccessMut<'a>>,
    offsets: Option<AccessMut<'a>>,
    validity: Option<AccessMut<'a>>,
}

impl OpenOutput<'_> {
    pub fn desc(&self) -> ColumnOut<'_> {
        let validity: Out<'_, u32> = Out::of_option(self.validity.as_ref());
        ColumnOut {
            data: Out::of_option(self.values.as_ref()),
            offsets: Out::of_option(self.offsets.as_ref()),
            validity,
            null_count: match validity.is_null() {
                true => Out::NULL,
                false => validity.at(mask_bytes(self.shape.length as usize)),
            },
            ..self.shape
        }
    }

    /// Returns the memory of the values, or of the characters of text.
    pub fn values(&self) -> Memory<'_> {
        self.values.as_ref().map_or(Memory::default(), Memory::of)
    }
}

impl CudaOutput {
    /// Allocates a fixed-width or Boolean result of `len` rows.
    pub fn fixed_width(data_type: &DataType, len: usize, ctx: Ctx<'_>) -> Result<Self> {
        let physical = physical_type(data_type);
        let bytes = match physical {
            // Kernels write Booleans in whole 32-bit words.
            PhysicalType::Bool => Some(len.div_ceil(32) * 4),
            _ => physical.width().unwrap_or(0).checked_mul(len),
        };
        Self::with_bytes(data_type, len, bytes, ctx)
    }

    /// Allocates a result of `len` rows of any type, with `bytes` bytes of values. `None` is more than any memory has.
    pub(crate) fn with_bytes(data_type: &DataType, len: usize, bytes: Option<usize>, ctx: Ctx<'_>) -> Result<Self> {
        let bytes = bytes.ok_or(MemoryError::OutOfMemory {
            requested: usize::MAX,
            free: None,
            resource: ctx.mr.output.resource().name(),
        })?;
        let values = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output)?;
        Ok(Self { data_type: data_type.clone(), len, buffers: SmallVec::from_iter([values]), validity: None })
    }

    /// Makes a result of `len` rows without a buffer of values, such as a struct.
    pub(crate) fn without_values(data_type: &DataType, len: usize) -> Self {
        Self { data_type: data_type.clone(), len, buffers: SmallVec::new(), validity: None }
    }

    pub fn mask(len: usize, ctx: Ctx<'_>) -> Result<Self> {
        Self::without_values(&DataType::Null, len).nullable(true, ctx)
    }

    /// Returns the same result, with a mask if `nullable` is true.
    pub fn nullable(mut self, nullable: bool, ctx: Ctx<'_>) -> Result<Self> {
        if nullable {
            self.add_mask(ctx)?;
        }
        Ok(self)
    }

    pub(crate) fn add_mask(&mut self, ctx: Ctx<'_>) -> Result<()> {
        if self.validity.is_none() {
            let bytes = mask_bytes(self.len) + BUFFER_PADDING;
            self.validity = Some(Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output)?);
        }
        Ok(())
    }

    /// Allocates a string or binary result of `len` rows and `chars` bytes. Offsets have 32 bits, or 64 bits for a
    /// large type.
    pub fn strings(data_type: &DataType, len: usize, chars: usize, ctx: Ctx<'_>) -> Result<Self> {
        let mut output = Self::string_sizes(data_type, len, ctx)?;
        output.add_elements(Buffer::uninitialized(chars, ctx.stream, ctx.mr.output)?);
        Ok(output)
    }

    /// Allocates only the offsets of the result that [`strings`](Self::strings) would allocate. Kernels may store
    /// sizes in this memory until [`add_elements`](Self::add_elements) is called.
    pub(crate) fn string_sizes(data_type: &DataType, len: usize, ctx: Ctx<'_>) -> Result<Self> {
        let width = if physical_type(data_type).is_large() { 8 } else { 4 };
        let offsets =
            Buffer::uninitialized(byte_len(len.saturating_add(1), width, ctx.mr)?, ctx.stream, ctx.mr.output)?;
        Ok(Self { data_type: data_type.clone(), len, buffers: SmallVec::from_iter([offsets]), validity: None })
    }

    /// Appends the memory of the elements that the offsets delimit.
    pub(crate) fn add_elements(&mut self, elements: Buffer) {
        self.drop_elements();
        self.buffers.push(elements);
    }

    pub(crate) fn drop_elements(&mut self) {
        self.buffers.truncate(1);
    }

    /// Keeps the first `bytes` bytes of the elements.
    pub(crate) fn keep_elements(&mut self, bytes: usize, mr: Option<ResourceRef<'_>>, stream: &Stream) -> Result<()> {
        if let Some(elements) = self.buffers.get_mut(1) {
            *elements = elements.slice(0, bytes)?;
            if let Some(mr) = mr {
                *elements = elements.deep_copy(stream, mr)?;
            }
        }
        Ok(())
    }

    pub fn open(&mut self, stream: &Stream) -> Result<OpenOutput<'_>> {
        let physical = physical_type(&self.data_type);
        let wide = physical.is_large();
        let mut buffers = self.buffers.iter_mut();
        let mut next = || buffers.next().map(|buffer| buffer.write_on(stream)).transpose();
        let (first, second) = (next()?, next()?);
        let (values, offsets) = match physical {
            PhysicalType::String { .. } | PhysicalType::Binary { .. } => (second, first),
            _ => (first, None),
        };
        let validity = self.validity.as_mut().map(|mask| mask.write_on(stream)).transpose()?;
        let shape = ColumnOut {
            length: self.len as i64,
            data_type: kernel_type(physical) as i32,
            flags: if wide { WIDE_OFFSETS } else { 0 },
            ..ColumnOut::default()
        };
        Ok(OpenOutput { shape, values, offsets, validity })
    }

    /// Makes the column. The kernel that writes the column must already be enqueued.
    pub fn finish(self, stream: &Stream) -> Result<Column> {
        let mut parts = ColumnParts::new(self.data_type.clone(), stream.device(), self.len);
        let OutputBuffers { buffers, validity, null_count, .. } = self.into_buffers()?;
        (parts.buffers, parts.validity, parts.null_count) = (buffers, validity, null_count);
        vouch::result(parts)
    }

    /// Makes a column of the first `len` rows. The kernel that writes the rows must already be enqueued, and must write
    /// the null count of these rows. The column must not have children or offsets.
    pub fn finish_first(self, len: usize, stream: &Stream) -> Result<Column> {
        let bytes = match physical_type(&self.data_type) {
            PhysicalType::Bool => len.div_ceil(8),
            physical => physical.width().unwrap_or(0) * len,
        };
        let mut parts = ColumnParts::new(self.data_type.clone(), stream.device(), len);
        parts.null_count = NullCount::Known(0);
        if let Some(mask) = &self.validity {
            parts.validity = Some(mask.slice(0, len.div_ceil(8))?);
            parts.null_count = NullCount::device(mask.slice(mask_bytes(self.len), 8)?);
        }
        for values in &self.buffers {
            parts.buffers.push(values.slice(0, bytes)?);
        }
        vouch::result(parts)
    }

    /// Returns the buffers. The kernel that writes the buffers must already be enqueued.
    pub fn into_buffers(mut self) -> Result<OutputBuffers> {
        let (validity, null_count) = match self.validity {
            Some(mask) => {
                let word = mask.slice(mask_bytes(self.len), 8)?;
                (Some(mask.slice(0, self.len.div_ceil(8))?), NullCount::device(word))
            }
            None => (None, NullCount::Known(0)),
        };
        if physical_type(&self.data_type) == PhysicalType::Bool {
            for bits in &mut self.buffers {
                *bits = bits.slice(0, self.len.div_ceil(8))?;
            }
        }
        Ok(OutputBuffers { buffers: self.buffers, validity, null_count, elements: None })
    }
}
