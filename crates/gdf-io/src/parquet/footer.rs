//! Handles footers that arrow-rs refuses or reads wrongly.

use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};
use parquet::file::reader::{ChunkReader, Length};

use super::shapes::{ENCRYPTION_ALGORITHM, FOOTER};
use super::source::Source;
use super::thrift::{Flaw, check};

/// The last 4 bytes of a Parquet file.
const MAGIC: [&[u8; 4]; 2] = [b"PARE", b"PAR1"];
/// The largest size in bytes of the header of a dictionary page.
const MOST_OF_A_HEADER: i64 = 100;

/// Returns whether the footer is encrypted, or states that columns are encrypted. arrow-rs would report encrypted
/// columns as damaged.
///
/// # Errors
/// - The footer is damaged in a way that arrow-rs would not detect.
pub(super) fn is_encrypted(source: &Source) -> Result<bool, ParquetError> {
    let len = source.len();
    let Some(end) = len.checked_sub(8) else { return Ok(false) };
    let Ok(tail) = source.get_bytes(end, 8) else { return Ok(false) };
    let (size, magic) = tail.split_at(4);
    if magic == MAGIC[0] {
        return Ok(true);
    }
    let size = size.try_into().map_or(0, u32::from_le_bytes);
    let start = end.checked_sub(u64::from(size)).filter(|_| magic == MAGIC[1]);
    let Some(Ok(footer)) = start.map(|start| source.get_bytes(start, size as usize)) else { return Ok(false) };
    let mut is_encrypted = false;
    let checked = check(&footer, FOOTER, &mut |within, id, _| {
        is_encrypted |= (within, id) == (0, ENCRYPTION_ALGORITHM);
    });
    match checked {
        _ if is_encrypted => Ok(true),
        Ok(_) => Ok(false),
        Err(Flaw::Short) => Err(damaged("the fields of the footer do not end at the end of the footer")),
        Err(Flaw::Wrong(what)) => Err(damaged(what)),
    }
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(format!("the footer is damaged: {what}"))
}

/// Returns the metadata, and corrects known errors of some writers:
///
/// - The offset of a dictionary page is 0, which means that there is no such page.
/// - The size of a column chunk does not include the header of its dictionary page.
pub(super) fn mended(metadata: &Arc<ParquetMetaData>, source: &Source) -> Result<Arc<ParquetMetaData>, ParquetError> {
    let file = metadata.file_metadata();
    let ends = if leaves_out_headers(file.created_by()) { ends_of_chunks(metadata, source) } else { Vec::new() };
    let is_nowhere = |column: &ColumnChunkMetaData| column.dictionary_page_offset().is_some_and(|offset| offset <= 0);
    let is_wrong = |column: &ColumnChunkMetaData| is_nowhere(column) || header_left_out(column, &ends) > 0;
    let mut columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    if !columns.any(is_wrong) {
        return Ok(metadata.clone());
    }
    let mend = |column: &ColumnChunkMetaData| {
        let size = column.compressed_size().saturating_add(header_left_out(column, &ends));
        let dictionary = column.dictionary_page_offset().filter(|_| !is_nowhere(column));
        column.clone().into_builder().set_total_compressed_size(size).set_dictionary_page_offset(dictionary).build()
    };
    let group = |group: &RowGroupMetaData| {
        let columns = group.columns().iter().map(mend).collect::<Result<_, ParquetError>>()?;
        group.clone().into_builder().set_column_metadata(columns).build()
    };
    let groups = metadata.row_groups().iter().map(group).collect::<Result<_, ParquetError>>()?;
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    Ok(Arc::new(ParquetMetaDataBuilder::new(file).set_row_groups(groups).build()))
}

/// Returns whether the writer is a version of parquet-mr before 1.2.9.
fn leaves_out_headers(writer: Option<&str>) -> bool {
    let Some(rest) = writer.and_then(|writer| writer.strip_prefix("parquet-mr")) else { return false };
    let version = rest.trim_start().strip_prefix("version").unwrap_or("").trim_start();
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0_u32));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next()) < (1, 2, 9)
}

/// Returns the sorted start positions of all column chunks, followed by the start position of the footer.
fn ends_of_chunks(metadata: &ParquetMetaData, source: &Source) -> Vec<u64> {
    let columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let mut ends: Vec<_> = columns.filter_map(start_of).collect();
    let footer = |end: u64| source.get_bytes(end, 4).ok()?.first_chunk().map(|size| u32::from_le_bytes(*size));
    let begin = source.len().checked_sub(8).and_then(|end| end.checked_sub(u64::from(footer(end)?)));
    ends.extend(begin);
    ends.sort_unstable();
    ends
}

/// Returns the start position of the column chunk.
fn start_of(column: &ColumnChunkMetaData) -> Option<u64> {
    let dictionary = column.dictionary_page_offset().filter(|offset| *offset > 0);
    u64::try_from(dictionary.unwrap_or(column.data_page_offset())).ok()
}

/// Returns the number of bytes between the claimed end of a column chunk and the start of the next column chunk.
/// Returns 0 if a header cannot have that many bytes.
fn header_left_out(column: &ColumnChunkMetaData, ends: &[u64]) -> i64 {
    let between = || {
        let end = start_of(column)?.checked_add(u64::try_from(column.compressed_size()).ok()?)?;
        let next = ends.get(ends.partition_point(|next| *next < end))?;
        i64::try_from(next - end).ok().filter(|bytes| *bytes <= MOST_OF_A_HEADER)
    };
    between().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_writers_are_known_by_their_version() {
        for writer in
            ["parquet-mr", "parquet-mr version 1.2.8", "parquet-mr version 1.2.8 (build 1)", "parquet-mr version 1.0"]
        {
            assert!(leaves_out_headers(Some(writer)), "{writer}");
        }
        for writer in
            ["parquet-mr version 1.2.9", "parquet-mr version 1.12.0 (build 1)", "parquet-mr version 2", "parquet-rs"]
        {
            assert!(!leaves_out_headers(Some(writer)), "{writer}");
        }
        assert!(!leaves_out_headers(None));
    }
}
