//! Tests timestamps with a time zone. A time zone is a name, or an offset from UTC.

use std::fs;
use std::sync::Arc;

use arrow_array::*;
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use gdf_io::{CsvReader, Error, ParquetReader, Predicate, write_csv, write_json, write_parquet};

use crate::{Folder, batch};

/// Makes timestamps at 12:00 and 13:00 UTC on 2000-01-01 and on 2000-06-30.
fn zoned(zone: &str) -> gdf_io::Batch {
    let seconds = [946_728_000, 946_731_600, 962_366_400, 962_370_000];
    let at = TimestampMicrosecondArray::from_iter_values(seconds.map(|second| second * 1_000_000));
    let at: ArrayRef = Arc::new(at.with_timezone(zone));
    batch(&RecordBatch::try_from_iter([("at", at)]).unwrap())
}

#[test]
fn named_zones_are_written_as_text() {
    let folder = Folder::new();
    let (csv, json) = (folder.path("t.csv"), folder.path("t.jsonl"));
    for (zone, first, third) in [
        ("UTC", "2000-01-01T12:00:00Z", "2000-06-30T12:00:00Z"),
        ("Europe/Paris", "2000-01-01T13:00:00+01:00", "2000-06-30T14:00:00+02:00"),
        ("+05:30", "2000-01-01T17:30:00+05:30", "2000-06-30T17:30:00+05:30"),
    ] {
        write_csv(&zoned(zone), &csv).unwrap();
        write_json(&zoned(zone), &json).unwrap();
        for (path, [before, after]) in [(&csv, ["", ""]), (&json, ["{\"at\":\"", "\"}"])] {
            let text = fs::read_to_string(path).unwrap();
            let mut lines = text.lines().skip(usize::from(path == &csv));
            assert_eq!(lines.next().unwrap(), format!("{before}{first}{after}"), "{zone}");
            assert_eq!(lines.nth(1).unwrap(), format!("{before}{third}{after}"), "{zone}");
        }
    }
}

/// RFC 3339 has no seconds in offsets. Paris had the offset 00:09:21 in 1900.
#[test]
fn times_with_seconds_in_their_offset_are_written_in_utc() {
    let folder = Folder::new();
    let (csv, json) = (folder.path("t.csv"), folder.path("t.jsonl"));
    let seconds = [Some(-2_208_988_800), None, Some(946_728_000)];
    let texts = ["1900-01-01T00:00:00Z", "", "2000-01-01T13:00:00+01:00"];
    let at: ArrayRef = Arc::new(TimestampSecondArray::from_iter(seconds).with_timezone("Europe/Paris"));
    let item = Arc::new(Field::new("item", at.data_type().clone(), true));
    let list: ArrayRef = Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([1, 1, 1]), at.clone(), None));
    let coded = DictionaryArray::new(Int8Array::from(vec![0, 1, 2]), at.clone());

    let of = RecordBatch::try_from_iter([("at", at.clone())]).unwrap();
    write_csv(&batch(&of), &csv).unwrap();
    assert_eq!(fs::read_to_string(&csv).unwrap(), format!("at\n{}\n\"\"\n{}\n", texts[0], texts[2]));
    let found = CsvReader::open(&csv).unwrap().schema(of.schema()).read().unwrap().to_arrow().unwrap();
    assert_eq!(found, of);
    let of_codes = RecordBatch::try_from_iter([("at", Arc::new(coded) as ArrayRef), ("more", at.clone())]).unwrap();
    write_csv(&batch(&of_codes), &csv).unwrap();
    let lines = texts.map(|text| format!("{text},{text}\n")).concat();
    assert_eq!(fs::read_to_string(&csv).unwrap(), format!("at,more\n{lines}"));

    write_json(&batch(&RecordBatch::try_from_iter([("at", at), ("list", list)]).unwrap()), &json).unwrap();
    let line = |text: &str| format!("{{\"at\":\"{text}\",\"list\":[\"{text}\"]}}\n");
    let expected = format!("{}{{\"at\":null,\"list\":[null]}}\n{}", line(texts[0]), line(texts[2]));
    assert_eq!(fs::read_to_string(&json).unwrap(), expected);
}

#[test]
fn literals_are_times_with_an_offset_or_of_the_zone() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let count = |predicate: Predicate| {
        ParquetReader::open(&path).unwrap().predicate(predicate).read().map(|found| found.num_rows())
    };
    for zone in ["UTC", "Europe/Paris", "-03:00"] {
        write_parquet(&zoned(zone), &path).unwrap();
        for text in ["2000-01-01T13:00:00Z", "2000-01-01T14:00:00+01:00", "2000-01-01 08:00:00-05:00"] {
            assert_eq!(count(Predicate::eq("at", text)).unwrap(), 1, "{zone} {text}");
            assert_eq!(count(Predicate::gt("at", text)).unwrap(), 2, "{zone} {text}");
        }
    }
    write_parquet(&zoned("Europe/Paris"), &path).unwrap();
    assert_eq!(count(Predicate::eq("at", "2000-01-01T13:00:00")).unwrap(), 1);
    assert_eq!(count(Predicate::lt("at", "2000-06-30T14:00:00.000001")).unwrap(), 3);
    assert_eq!(count(Predicate::gt_eq("at", "2000-06-30")).unwrap(), 2);
    // The first text has too many digits for microseconds.
    for text in ["2000-06-30T14:00:00.0000001Z", "noon", "2000-03-26T02:30:00"] {
        let error = count(Predicate::eq("at", text)).unwrap_err();
        assert!(matches!(&error, Error::Predicate { .. }), "{text}: {error}");
    }
    write_parquet(&zoned("Mars/Olympus"), &path).unwrap();
    let error = count(Predicate::eq("at", "2000-01-01T13:00:00Z")).unwrap_err();
    assert!(error.to_string().contains("the time zone Mars/Olympus is unknown"), "{error}");
}

/// Parquet has no unit of seconds, so writers store milliseconds. arrow-rs then forgets the zone.
#[test]
fn seconds_of_other_writers_keep_their_zone() {
    use arrow_schema::{DataType, TimeUnit};
    use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, encode_arrow_schema};
    use parquet::file::metadata::KeyValue;
    use parquet::file::properties::WriterProperties;

    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let at: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![Some(86_400_000), None]).with_timezone("UTC"));
    let stored = RecordBatch::try_from_iter([("at", at)]).unwrap();
    for unit in [TimeUnit::Second, TimeUnit::Nanosecond] {
        let noted = Field::new("at", DataType::Timestamp(unit, Some("Europe/Berlin".into())), true);
        let note = encode_arrow_schema(&arrow_schema::Schema::new(vec![noted]));
        let note = KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), note);
        let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![note])).build();
        let options = parquet::arrow::arrow_writer::ArrowWriterOptions::new()
            .with_properties(properties)
            .with_skip_arrow_metadata(true);
        let file = fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new_with_options(file, stored.schema(), options).unwrap();
        writer.write(&stored).unwrap();
        writer.close().unwrap();
        let berlin = DataType::Timestamp(TimeUnit::Millisecond, Some("Europe/Berlin".into()));
        let found = gdf_io::read_parquet(&path).unwrap().to_arrow().unwrap();
        assert_eq!(found.schema().field(0).data_type(), &berlin, "{unit:?}");
        assert_eq!(found.column(0).as_ref(), arrow_cast::cast(stored.column(0), &berlin).unwrap().as_ref());
        // A literal is a local time of the zone.
        let midnight = Predicate::eq("at", "1970-01-02T01:00:00");
        assert_eq!(ParquetReader::open(&path).unwrap().predicate(midnight).read().unwrap().num_rows(), 1);
    }
}
