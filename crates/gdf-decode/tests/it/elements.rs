//! Snappy and LZ4 as lists of elements: what streams say, without any trick.

use gdf_decode::Codec;

/// A literal, or the distance and the length of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Literal(Vec<u8>),
    Copy(usize, usize),
}

/// Decompresses a stream, or returns `None` if it is damaged.
pub(crate) fn decompress(codec: Codec, stream: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    match codec {
        Codec::Uncompressed => out.extend_from_slice(stream),
        Codec::Snappy => {
            let size = stream.iter().take_while(|byte| **byte >= 0x80).count() + 1;
            let bytes = stream.get(..size).filter(|_| size <= 5)?;
            let claimed = bytes.iter().rev().fold(0_u64, |number, byte| number << 7 | u64::from(byte & 0x7f));
            let claimed = u32::try_from(claimed).ok()? as usize;
            snappy(&stream[size..], &mut out, claimed)?;
            (out.len() == claimed).then_some(())?;
        }
        Codec::Lz4Raw => lz4(stream, &mut out)?,
        Codec::Lz4Hadoop => {
            let mut rest = stream;
            while !rest.is_empty() {
                let number = |at: usize| Some(u32::from_be_bytes(rest.get(at..at + 4)?.try_into().unwrap()) as usize);
                let (size, compressed) = (number(0)?, number(4)?);
                let mut block = Vec::new();
                lz4(rest.get(8..8 + compressed)?, &mut block)?;
                (block.len() == size).then(|| out.extend_from_slice(&block))?;
                rest = &rest[8 + compressed..];
            }
        }
    }
    Some(out)
}

/// Copies earlier bytes, one after the other.
pub(crate) fn copy(out: &mut Vec<u8>, distance: usize, length: usize) -> Option<()> {
    for _ in 0..length {
        out.push(*out.get(out.len().checked_sub(distance).filter(|at| *at < out.len())?)?);
    }
    Some(())
}

fn snappy(mut stream: &[u8], out: &mut Vec<u8>, most: usize) -> Option<()> {
    while let Some((tag, rest)) = stream.split_first() {
        let high = usize::from(tag >> 2);
        let number = |bytes: usize| {
            let bytes = rest.get(..bytes)?;
            Some(bytes.iter().rev().fold(0_usize, |number, byte| number << 8 | usize::from(*byte)))
        };
        let extra = match tag & 3 {
            0 => {
                let extra = high.saturating_sub(59);
                let length = if extra > 0 { number(extra)? } else { high } + 1;
                out.extend_from_slice(rest.get(extra..extra + length)?);
                extra + length
            }
            1 => {
                let distance = usize::from(tag >> 5) << 8 | number(1)?;
                copy(out, distance, 4 + (high & 7))?;
                1
            }
            2 => {
                copy(out, number(2)?, high + 1)?;
                2
            }
            _ => {
                copy(out, number(4)?, high + 1)?;
                4
            }
        };
        // A damaged stream may have many copies.
        (out.len() <= most).then_some(())?;
        stream = &rest[extra..];
    }
    Some(())
}

fn lz4(mut stream: &[u8], out: &mut Vec<u8>) -> Option<()> {
    fn length(stream: &mut &[u8], nibble: u8) -> Option<usize> {
        let mut length = usize::from(nibble);
        let mut more = nibble == 15;
        while more {
            let (byte, rest) = stream.split_first()?;
            length += usize::from(*byte);
            *stream = rest;
            more = *byte == 255;
        }
        Some(length)
    }

    loop {
        let (token, rest) = stream.split_first()?;
        stream = rest;
        let literal = length(&mut stream, token >> 4)?;
        out.extend_from_slice(stream.get(..literal)?);
        stream = &stream[literal..];
        if stream.is_empty() {
            return Some(());
        }
        let (distance, rest) = stream.split_first_chunk::<2>()?;
        stream = rest;
        let length = length(&mut stream, token & 15)? + 4;
        copy(out, u16::from_le_bytes(*distance).into(), length)?;
    }
}
