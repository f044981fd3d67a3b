//! The pages of column chunks, by the headers that the CPU parses.

use std::ops::Range;

use gdf_decode::Codec;
use parquet::basic::Compression as FileCodec;
use parquet::file::metadata::ColumnChunkMetaData;

use super::file::ParquetFile;
use super::header::{self, Header, LevelsOf, PageOf};
use super::selected::extend;

/// A page that gdf-decode can decode.
#[derive(Debug)]
pub(super) struct FoundPage {
    /// The position of the page, without its header.
    pub(super) body: Range<usize>,
    /// The number of decompressed bytes that the header claims.
    pub(super) size: usize,
    pub(super) page: PageOf,
}

/// Consecutive pages of a column chunk.
#[derive(Debug, PartialEq)]
pub(super) struct PageRun {
    /// The bytes of the file that have the pages with their headers.
    pub(super) range: Range<u64>,
    /// The sum of the sizes of the pages, by the measure with which the pages were divided.
    pub(super) bytes: usize,
}

/// The pages of a column chunk that are read.
#[derive(Debug)]
pub(super) struct ChunkRuns {
    pub(super) runs: Vec<PageRun>,
    /// The rows of the pages, in ascending order.
    pub(super) rows: Vec<Range<usize>>,
}

/// Which rows of a column chunk are wanted.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// All rows of the row group, whose number is given.
    All(usize),
    /// Rows of a flat column, in ascending order.
    Some(&'a [Range<usize>], LevelsOf),
}

/// Returns the codec of a column chunk whose pages a GPU decompresses.
pub(super) fn codec_of(chunk: &ColumnChunkMetaData) -> Option<Codec> {
    match chunk.compression() {
        FileCodec::SNAPPY => Some(Codec::Snappy),
        FileCodec::LZ4_RAW => Some(Codec::Lz4Raw),
        FileCodec::LZ4 => Some(Codec::Lz4Hadoop),
        // The pages are not aligned in the file, so the GPU copies them.
        FileCodec::UNCOMPRESSED => Some(Codec::Uncompressed),
        FileCodec::GZIP(_) | FileCodec::LZO | FileCodec::BROTLI(_) | FileCodec::ZSTD(_) => None,
    }
}

/// Returns the pages in `bytes`, which are consecutive pages of a column chunk with their headers. If a header is damaged,
/// or describes what gdf-decode cannot decode, the result is `None`, and the CPU says what is wrong.
pub(super) fn pages_in(metadata: &ColumnChunkMetaData, bytes: &[u8], levels: LevelsOf) -> Option<Vec<FoundPage>> {
    let known = header::Chunk::new(metadata);
    let (mut pages, mut next) = (Vec::new(), 0);
    while next < bytes.len() {
        let left = &bytes[next..];
        let header = Header::parse(left).ok()?;
        if header.impossible(left.len() as u64, &known).is_some() {
            return None;
        }
        let [len, size] = header.bytes()?;
        let start = next + header.size;
        next = start + len;
        pages.push(FoundPage { body: start..next, size, page: header.page_of(levels)? });
    }
    Some(pages)
}

impl ParquetFile {
    /// Divides those pages of a column chunk that have wanted rows into runs. The pages of a run have at most `most` bytes by
    /// `measure`, or the run is one page. `measure` gets the number of bytes of a page with its header, and its number of
    /// decompressed bytes.
    ///
    /// Only the headers are read. The result is `None` if a header is damaged, or if each header would be a request to a
    /// store.
    pub(super) fn page_runs(
        &self,
        group: usize,
        leaf: usize,
        wanted: Wanted<'_>,
        most: usize,
        measure: &dyn Fn([usize; 2]) -> usize,
    ) -> Option<ChunkRuns> {
        let headers = self.headers(group, leaf)?;
        let (mut runs, Range { start: mut at, end }) = (Vec::<PageRun>::new(), headers.range());
        let (mut rows, mut row) = (Vec::new(), 0_usize);
        while at < end {
            let header = Header::parse(&headers.read(at).ok()?).ok()?;
            let [stored, size] = header.bytes()?;
            let stored = stored.checked_add(header.size)?;
            let (start, next) = (at, at.checked_add(stored as u64)?);
            at = next;
            if let Wanted::Some(wanted, levels) = wanted
                && let PageOf::Data { header, .. } = header.page_of(levels)?
            {
                let of_page = row..row.checked_add(header.rows)?;
                row = of_page.end;
                let first = wanted.partition_point(|rows| rows.end <= of_page.start);
                if wanted.get(first).is_none_or(|rows| rows.start >= of_page.end) {
                    continue;
                }
                extend(&mut rows, of_page);
            }
            let bytes = measure([stored, size]);
            match runs.last_mut().filter(|run| run.range.end == start && run.bytes.saturating_add(bytes) <= most) {
                Some(run) => {
                    run.range.end = next;
                    run.bytes += bytes;
                }
                None => runs.push(PageRun { range: start..next, bytes }),
            }
        }
        let is_whole = match wanted {
            Wanted::All(all) => {
                rows.push(0..all);
                true
            }
            Wanted::Some(..) => row == self.group_rows(group),
        };
        (at == end && is_whole).then_some(ChunkRuns { runs, rows })
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "the ranges are lists of rows")]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch};
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    use super::*;
    use crate::parquet::Source;

    #[test]
    fn runs_have_all_pages_in_order() {
        let column: ArrayRef = Arc::new((0..10_000).collect::<Int64Array>());
        let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_write_batch_size(100)
            .set_data_page_row_count_limit(100)
            .build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let file = ParquetFile::of_source(Path::new("test"), Source::of_bytes(bytes.clone().into())).unwrap();
        let metadata = file.metadata.metadata().row_group(0).column(0).clone();
        let (start, length) = metadata.byte_range();
        for (most, runs_expected) in [(0, 100), (800, 100), (1599, 100), (1600, 50), (2400, 34), (usize::MAX, 1)] {
            let ChunkRuns { runs, rows } = file.page_runs(0, 0, Wanted::All(10_000), most, &|[_, size]| size).unwrap();
            assert_eq!(rows, [0..10_000], "{most}");
            assert_eq!(runs.len(), runs_expected, "{most}");
            assert_eq!(runs.iter().map(|run| run.bytes).sum::<usize>(), 80_000, "{most}");
            let mut at = start;
            let mut pages = 0;
            for run in &runs {
                assert_eq!(run.range.start, at, "{most}");
                at = run.range.end;
                let bytes = &bytes[run.range.start as usize..run.range.end as usize];
                let found = pages_in(&metadata, bytes, LevelsOf::Flat { is_optional: true }).unwrap();
                assert_eq!(found.iter().map(|page| page.size).sum::<usize>(), run.bytes, "{most}");
                pages += found.len();
            }
            assert_eq!((at, pages), (start + length, 100), "{most}");
        }

        // Pages without wanted rows are left out.
        let levels = LevelsOf::Flat { is_optional: true };
        for (wanted, rows_expected, runs_expected) in [
            (vec![], vec![], 0),
            (vec![0..1], vec![0..100], 1),
            (vec![99..101], vec![0..200], 1),
            (vec![250..251, 299..300, 700..800, 9_999..10_000], vec![200..300, 700..800, 9_900..10_000], 3),
            (vec![0..10_000], vec![0..10_000], 1),
        ] {
            let wanted = Wanted::Some(&wanted, levels);
            let ChunkRuns { runs, rows } = file.page_runs(0, 0, wanted, usize::MAX, &|[_, size]| size).unwrap();
            assert_eq!((rows, runs.len()), (rows_expected, runs_expected));
        }
    }
}
