//! Tests timestamps with a time zone. A time zone is a name, or an offset from UTC.

use std::fs;
use std::sync::Arc;

use arrow_array::*;
use gdf_io::{Error, ParquetReader, Predicate, write_csv, write_json, write_parquet};

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
