//! Tests of `Display` for columns, tables and scalars.

use gdf_driver::Device;
use gdf_memory::Buffer;

use super::*;
use crate::ColumnParts;

fn table(rows: i32) -> Table {
    let text = (0..rows).map(|row| (row != 1).then(|| format!("row {row}")));
    Table::try_new(vec![Column::sequence(0, 1, rows as usize).unwrap(), Column::from_strs(text).unwrap()]).unwrap()
}

#[test]
fn all_of_a_small_table() {
    let expected = "\
┌───────┬───────┐
│    id ┆ 1     │
│ Int32 ┆ Utf8  │
╞═══════╪═══════╡
│     0 ┆ row 0 │
│     1 ┆ null  │
└───────┴───────┘
2 rows × 2 columns on cpu";
    assert_eq!(table(2).display_with(&["id"]).to_string(), expected);
    let schema = table(2).schema(&["id"]);
    assert_eq!(table(2).display_with_schema(&schema).to_string(), expected);
    assert_eq!(table(2).view().display_with(&["id"]).to_string(), expected);
}

#[test]
fn ends_of_a_long_table() {
    let expected = "\
┌───────┬────────┐
│     0 ┆ 1      │
│ Int32 ┆ Utf8   │
╞═══════╪════════╡
│     0 ┆ row 0  │
│     1 ┆ null   │
│     2 ┆ row 2  │
│     3 ┆ row 3  │
│     4 ┆ row 4  │
│     … ┆ …      │
│     6 ┆ row 6  │
│     7 ┆ row 7  │
│     8 ┆ row 8  │
│     9 ┆ row 9  │
│    10 ┆ row 10 │
└───────┴────────┘
11 rows × 2 columns on cpu";
    assert_eq!(table(11).to_string(), expected);
    assert_eq!(table(10).to_string().lines().count(), 16);
    assert_eq!(table(100_000).to_string().lines().count(), expected.lines().count());
}

#[test]
fn as_many_rows_and_columns_as_asked_for() {
    let text = table(100).display_with(&["a", "b"]).rows(usize::MAX).columns(usize::MAX).to_string();
    assert_eq!(text.lines().count(), 106);
    assert!(text.contains("row 50") && !text.contains('…'), "{text}");
    let text = table(100).display_with(&["a", "b"]).rows(1).columns(0).to_string();
    assert!(text.lines().nth(1).is_some_and(|line| line.contains('…')) && !text.contains("row 0"), "{text}");
}

/// Tests that a value of many megabytes is formatted only as far as it is shown.
#[test]
fn values_are_read_as_far_as_they_are_shown() {
    let long = "\u{1}é".repeat(8 << 20);
    let column = Column::from_strs(vec![long.as_str(); 10]).unwrap();
    let begin = std::time::Instant::now();
    let text = column.to_string();
    assert!(text.contains("é\\u{1}") && text.contains('…') && text.len() < 2000, "{} bytes", text.len());
    assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
}

#[test]
fn many_columns_and_none() {
    let one = Column::from_slice(&[true]).unwrap();
    let wide = Table::try_new(vec![one; 13]).unwrap().to_string();
    let heading = wide.lines().nth(1).unwrap();
    assert!(heading.contains("┆ 5       ┆ … ┆ 7") && !heading.contains(" 6 "), "{heading}");
    assert!(wide.ends_with("1 row × 13 columns on cpu"));
    assert_eq!(Table::try_with_rows(Vec::new(), 3).unwrap().to_string(), "3 rows × 0 columns");
    assert!(table(0).to_string().ends_with("0 rows × 2 columns on cpu"));
}

#[test]
fn columns_and_scalars() {
    let column = Column::from_options(&[Some(1.5), None]).unwrap();
    let expected = "\
┌─────────┐
│ Float64 │
╞═════════╡
│     1.5 │
│    null │
└─────────┘
2 rows, 1 null on cpu";
    assert_eq!(column.to_string(), expected);
    assert_eq!(column.view().to_string(), expected);
    assert_eq!(Scalar::new(2.5).unwrap().to_string(), "2.5");
    assert_eq!(Scalar::new(None::<i32>).unwrap().to_string(), "null");
    assert_eq!(format!("{:>4}", Scalar::new("ab").unwrap()), "  ab");
}

#[test]
fn long_values_are_cut_and_broken_ones_explained() {
    let long = Column::from_strs(["é".repeat(60)]).unwrap().to_string();
    assert!(long.contains(&format!(" {}… ", "é".repeat(48))), "{long}");
    let buffer = |bytes: &[u8]| {
        let resource = gdf_memory::current_resource(Device::Cpu).unwrap();
        Buffer::from_host(bytes, &gdf_driver::Stream::cpu(), resource.as_ref()).unwrap()
    };
    let parts = ColumnParts::new(DataType::Utf8, Device::Cpu, 1).buffer(buffer(&[0xff; 8])).buffer(buffer(b""));
    let broken = Column::try_from_parts(parts).unwrap();
    let text = broken.to_string();
    assert!(text.contains(" <") && text.ends_with("1 row on cpu"), "{text}");
    assert!(Scalar::from_column(broken).unwrap().to_string().starts_with('<'));
}
