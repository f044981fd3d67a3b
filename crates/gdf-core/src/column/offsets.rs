//! The range of child rows or bytes to which the rows of a column with offsets refer.

use gdf_driver::{CopyKind, Stream};
use gdf_memory::{Access, Buffer, current_resource};

use super::check_range;
use crate::{ColumnView, Error, Result};

/// Returns the first and the last offset of the rows. If there are no rows, both are 0.
pub(crate) fn offsets_range(
    view: ColumnView<'_>,
    large: bool,
    limit: usize,
    stream: &Stream,
) -> Result<(usize, usize)> {
    // Validation does not read the offset of a column without rows.
    if view.is_empty() {
        return Ok((0, 0));
    }
    let width = if large { 8 } else { 4 };
    let offsets = view.buffer(0)?;
    let first = offsets.slice(view.offset() * width, width)?;
    let last = offsets.slice((view.offset() + view.len()) * width, width)?;
    let bytes = if view.device().is_cpu() {
        [first.to_host(stream)?, last.to_host(stream)?].concat()
    } else {
        // The two offsets are first copied next to each other on the device. One download with one wait then brings
        // both to the CPU.
        let resource = current_resource(view.device())?;
        let mut both = Buffer::uninitialized(2 * width, stream, resource.as_ref())?;
        let (first, last) = (first.read_on(stream)?, last.read_on(stream)?);
        let target = both.write_on(stream)?;
        copy_within_device(&first, target.address(), width, stream)?;
        copy_within_device(&last, target.address() + width as u64, width, stream)?;
        drop(target);
        both.to_host(stream)?
    };
    let read = |bytes: &[u8]| match large {
        true => bytes.try_into().ok().map(i64::from_ne_bytes),
        false => bytes.try_into().ok().map(|b| i64::from(i32::from_ne_bytes(b))),
    };
    let invalid = Error::invalid_data("the offsets descend, or an offset points outside of the values of the column");
    let ends = bytes.split_at_checked(width).and_then(|(first, last)| Some((read(first)?, read(last)?)));
    match ends.map(|(first, last)| (usize::try_from(first), usize::try_from(last))) {
        Some((Ok(first), Ok(last))) if first <= last && check_range(first, last - first, limit).is_ok() => {
            Ok((first, last))
        }
        _ => Err(invalid),
    }
}

fn copy_within_device(source: &Access<'_>, target: u64, bytes: usize, stream: &Stream) -> Result<()> {
    // SAFETY: the caller holds a write access to the target and passes an address with room for `bytes` bytes. The
    // source has at least `bytes` bytes, and the caller holds a read access to the source. Both accesses were taken
    // for this stream and are held until the copy is enqueued.
    unsafe { stream.copy(target, source.address(), bytes, CopyKind::DeviceToDevice)? };
    Ok(())
}
