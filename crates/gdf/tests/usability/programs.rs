//! Tests of the programs of `docs/usability.md`. Each file in the folder `programs` is a program that gets its inputs
//! as arguments.

mod conditional;
mod csv;
mod dates;
mod join;
mod like;
mod lists;
mod parquet;
mod running;
mod sort;

use gdf::core::make_lists_column;
use gdf::frame::Frame;
use gdf::prelude::*;

fn texts(frame: &Frame, name: &str) -> Vec<String> {
    frame.column(name).unwrap().to_strings().unwrap().into_iter().map(|text| text.unwrap_or("null".into())).collect()
}

fn integers(frame: &Frame, name: &str) -> Vec<Option<i64>> {
    gdf::unary::cast(frame.column(name).unwrap(), &DataType::Int64).unwrap().to_vec::<i64>().unwrap()
}

/// Makes a file with this text, and with this name in a folder of its own.
fn file(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn program_01_parquet() {
    let (folder, csv) = file("sales.csv", "city,price\nLyon,2.5\nNantes,4\nLyon,10\nNantes,0.5\n");
    let sales = folder.path().join("sales.parquet");
    gdf::io::write_parquet(&gdf::io::read_csv(csv).unwrap(), &sales).unwrap();
    let found = parquet::main(&sales).unwrap();
    assert_eq!(
        (texts(&found, "city"), integers(&found, "len")),
        (vec!["Lyon".into(), "Nantes".into()], vec![Some(2), Some(1)])
    );
    assert_eq!(found.column("mean").unwrap().to_vec::<f64>().unwrap(), [Some(6.25), Some(4.0)]);
}

#[test]
fn program_02_csv() {
    let (_folder, goods) = file("goods.csv", "name,price\ntea,2.5\nrice,4\nwine,10\n");
    assert_eq!(texts(&csv::main(&goods).unwrap(), "name"), ["rice", "wine"]);
}

#[test]
fn program_03_join() {
    use gdf::arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
    let batch = |name, column: ArrayRef| {
        let cities: ArrayRef = std::sync::Arc::new(StringArray::from(vec!["Lyon", "Oslo"]));
        RecordBatch::try_from_iter([("city", cities), (name, column)]).unwrap()
    };
    let (trips, lands) = (Int32Array::from(vec![1, 2]), StringArray::from(vec!["FR", "NO"]));
    let lands = batch("land", std::sync::Arc::new(lands)).slice(0, 1);
    let found = join::main(&batch("km", std::sync::Arc::new(trips)), &lands).unwrap().sort(["km"]).unwrap();
    assert_eq!(
        (found.names().collect::<Vec<_>>(), texts(&found, "land")),
        (vec!["city", "km", "land"], vec!["FR".into(), "null".into()])
    );
}

#[test]
fn program_04_sort() {
    let prices = Column::from_options(&[Some(1), None, Some(3), Some(3)]).unwrap();
    let cities = Column::from_strs(["d", "c", "b", "a"]).unwrap();
    let found = sort::main(&Frame::try_new([("price", prices), ("city", cities)]).unwrap()).unwrap();
    assert_eq!(texts(&found, "city"), ["a", "b", "d", "c"]);
}

#[test]
fn program_05_conditional() {
    let column = |values: &[Option<i32>]| Column::from_options(values).unwrap();
    let a = column(&[Some(2), Some(5), None, Some(4)]);
    let (b, c) = (column(&[Some(3), Some(2), Some(5), None]), column(&[1, 2, 3, 4].map(Some)));
    let found = conditional::main(&Frame::try_new([("a", a), ("b", b), ("c", c)]).unwrap()).unwrap();
    assert_eq!(integers(&found, "a"), [-1, 5, -1, -1].map(Some));
}

#[test]
fn program_06_like() {
    let goods = Frame::try_new([("name", Column::from_strs(["tea", "rice", "pea"]).unwrap())]).unwrap();
    assert_eq!(texts(&like::main(&goods).unwrap(), "name"), ["tea", "pea"]);
}

#[test]
fn program_07_dates() {
    let (ordered, shipped) = (Column::from_slice(&[20_000, 20_030]), Column::from_slice(&[20_003, 20_061]));
    let orders = Frame::try_new([("ordered", ordered.unwrap()), ("shipped", shipped.unwrap())]).unwrap();
    let found = dates::main(&orders).unwrap();
    assert_eq!((integers(&found, "days"), integers(&found, "year")), (vec![Some(3), Some(31)], vec![Some(2024); 2]));
}

#[test]
fn program_08_running() {
    let sales = Frame::try_new([("sold", Column::from_slice(&[4_i64, 1, 7, 2]).unwrap())]).unwrap();
    let found = running::main(&sales).unwrap();
    assert_eq!(integers(&found, "running"), [4, 5, 12, 14].map(Some));
    assert_eq!(integers(&found, "of three"), [4, 5, 12, 10].map(Some));
}

#[test]
fn program_12_lists() {
    let tags = Column::from_strs(["new", "red", "old"]).unwrap();
    let tags = make_lists_column(&Column::from_slice(&[0, 2, 2, 3]).unwrap(), tags, None).unwrap();
    let goods = Frame::try_new([("id", Column::from_slice(&[1, 2, 3]).unwrap()), ("tags", tags)]).unwrap();
    let found = lists::main(&goods).unwrap().sort(["id", "tags"]).unwrap();
    assert_eq!(integers(&found, "id"), [1, 1, 2, 2, 3, 3].map(Some));
    assert_eq!(texts(&found, "tags"), ["new", "red", "null", "null", "old", "old"]);
}

fn lines(file: &std::path::Path) -> usize {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// Tests that the table of programs in `docs/usability.md` has the numbers of lines of the files.
#[test]
fn the_page_has_the_lines_of_the_programs() {
    let package = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(page) = std::fs::read_to_string(package.join("../../docs/usability.md")) else { return };
    let rows = page.split("## The programs").nth(1).unwrap().lines().filter(|line| line.starts_with("| "));
    let (mut examples, mut frames) = (0, 0);
    for row in rows.skip(1) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        for (name, count, of_frames) in [(cells[3], cells[5], false), (cells[6], cells[7], true)] {
            let Some(name) = name.strip_prefix('`').and_then(|name| name.strip_suffix('`')) else { continue };
            if name.contains('/') {
                continue;
            }
            let folder = if of_frames { "tests/usability/programs" } else { "examples" };
            let file = package.join(folder).join(format!("{name}.rs"));
            assert_eq!(lines(&file).to_string(), count, "{row}");
            *(if of_frames { &mut frames } else { &mut examples }) += lines(&file);
        }
    }
    assert!(
        page.contains(&format!("| {examples} |")) && page.contains(&format!("| {frames} |")),
        "{examples} {frames}"
    );
}
