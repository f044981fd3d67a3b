//! `index_of_first_set_bit`, which takes one launch and one wait on CUDA.

use gdf_core::{ColumnView, DataType, Result};
use gdf_driver::{Device, Stream};
use gdf_kernels::generated::null_mask::First;
use gdf_memory::{Buffer, Mailbox};

use crate::cuda::{In, Kernel, Out};
use crate::host::{Bits, map_chunks};
use crate::null_count::{range, run};

/// Implements `gdf_api::null_mask::index_of_first_set_bit` on the given stream.
pub fn index_of_first_set_bit(column: ColumnView<'_>, start: usize, stop: usize, stream: &Stream) -> Result<usize> {
    let rows = range(column, start, stop, stream)?;
    match rows.validity() {
        _ if *rows.data_type() == DataType::Null => Ok(rows.len()),
        Some(_) if rows.known_null_count() == Some(rows.len()) => Ok(rows.len()),
        Some(mask) if rows.known_null_count() != Some(0) => match stream.device() {
            Device::Cpu => on_host(mask, rows.offset(), rows.len(), stream),
            Device::Cuda(_) => on_cuda(mask, rows.offset(), rows.len(), stream),
        },
        _ => Ok(0),
    }
}

fn on_host(mask: &Buffer, begin: usize, rows: usize, stream: &Stream) -> Result<usize> {
    let access = mask.read_on(stream)?;
    let bits = Bits::new(access.as_slice()?, begin, rows);
    let first = map_chunks(rows, |rows| {
        let own = bits.slice(rows.start, rows.len());
        let mut words = (0..own.words()).map(|index| (index, own.word(index)));
        let (index, word) = words.find(|(_, word)| *word != 0)?;
        Some(rows.start + index * 64 + word.trailing_zeros() as usize)
    });
    Ok(first.into_iter().flatten().next().unwrap_or(rows))
}

fn on_cuda(mask: &Buffer, begin: usize, rows: usize, stream: &Stream) -> Result<usize> {
    let kernel = Kernel::find(stream)?;
    let mailbox = Mailbox::new(stream, 1)?;
    let access = mask.read_on(stream)?;
    let (mask, begin, end) = (In::of(&access), begin as i64, (begin + rows) as i64);
    let arguments = First { mask, begin, end, position: Out::of(&mailbox) };
    run(&kernel, rows.div_ceil(32), &arguments, stream)?;
    drop(access);
    Ok(mailbox.wait()?[0] as usize)
}
