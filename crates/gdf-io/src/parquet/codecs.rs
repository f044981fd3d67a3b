//! Codecs whose pages the CPU decompresses for a GPU.

use std::io::Read;

use brotli::Decompressor as BrotliDecoder;
use flate2::read::MultiGzDecoder;
use parquet::basic::Compression as FileCodec;

/// The number of bytes that the decoder of Brotli reads at once.
const BROTLI_BUFFER: usize = 4 << 10;

/// Decompresses pages into memory that is there.
pub(super) enum Decompressor {
    Zstd(zstd::bulk::Decompressor<'static>),
    Gzip,
    Brotli,
}

impl Decompressor {
    /// Returns the decompressor of a codec, or `None` if the CPU does not decompress pages of this codec for a GPU.
    pub(super) fn of(codec: FileCodec) -> Option<Decompressor> {
        match codec {
            FileCodec::ZSTD(_) => zstd::bulk::Decompressor::new().ok().map(Decompressor::Zstd),
            FileCodec::GZIP(_) => Some(Decompressor::Gzip),
            FileCodec::BROTLI(_) => Some(Decompressor::Brotli),
            FileCodec::UNCOMPRESSED | FileCodec::SNAPPY | FileCodec::LZO | FileCodec::LZ4 | FileCodec::LZ4_RAW => None,
        }
    }

    /// Decompresses a page, which must have exactly as many bytes as `into`.
    pub(super) fn decompress(&mut self, page: &[u8], into: &mut [u8]) -> Option<()> {
        // Without decompressed bytes, there may be no compressed bytes, or any.
        if into.is_empty() {
            return Some(());
        }
        match self {
            Decompressor::Zstd(zstd) => {
                let written = zstd.decompress_to_buffer(page, into).ok()?;
                (written == into.len()).then_some(())
            }
            Decompressor::Gzip => fill(MultiGzDecoder::new(page), into),
            Decompressor::Brotli => fill(BrotliDecoder::new(page, BROTLI_BUFFER), into),
        }
    }
}

/// Reads exactly as many bytes as `into` has.
fn fill(mut reader: impl Read, into: &mut [u8]) -> Option<()> {
    reader.read_exact(into).ok()?;
    (reader.read(&mut [0]).ok()? == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Returns the same bytes, compressed by each codec.
    fn compressed(bytes: &[u8]) -> [(FileCodec, Vec<u8>); 3] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).unwrap();
        let mut brotli = Vec::new();
        let mut writer = brotli::CompressorWriter::new(&mut brotli, 4096, 3, 20);
        writer.write_all(bytes).unwrap();
        drop(writer);
        [
            (FileCodec::ZSTD(Default::default()), zstd::bulk::compress(bytes, 1).unwrap()),
            (FileCodec::GZIP(Default::default()), gzip.finish().unwrap()),
            (FileCodec::BROTLI(Default::default()), brotli),
        ]
    }

    #[test]
    fn pages_have_exactly_the_claimed_size() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|index| (index.wrapping_mul(index) >> 7) as u8).collect();
        for (codec, page) in compressed(&bytes) {
            let mut codec_of = Decompressor::of(codec).unwrap();
            for (size, is_right) in [(bytes.len(), true), (bytes.len() - 1, false), (bytes.len() + 1, false), (0, true)]
            {
                let mut into = vec![0; size];
                assert_eq!(codec_of.decompress(&page, &mut into).is_some(), is_right, "{codec:?} {size}");
                assert!(!is_right || into == bytes[..size], "{codec:?} {size}");
            }
            assert!(codec_of.decompress(&page[..page.len() / 2], &mut vec![0; bytes.len()]).is_none(), "{codec:?}");
            assert!(codec_of.decompress(&bytes, &mut vec![0; bytes.len()]).is_none(), "{codec:?}");
            // An error leaves nothing behind.
            let mut into = vec![0; bytes.len()];
            assert!(codec_of.decompress(&page, &mut into).is_some() && into == bytes, "{codec:?}");
        }
    }
}
