//! Tests `gdf sql`: files as tables, the formats of rows, errors and the shell.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::program::{Ran, gdf, ran};

/// Writes two tables in different formats, and a folder of files.
fn tables(folder: &Path) {
    fs::create_dir_all(folder.join("t/sales")).unwrap();
    fs::write(folder.join("t/trips.csv"), "city,day,price\nLyon,2026-01-31,2.5\nNantes,2026-02-01,4\n,2026-02-01,\n")
        .unwrap();
    fs::write(folder.join("t/people.jsonl"), "{\"name\": \"Ada\", \"age\": 36}\n{\"name\": \"Bo\", \"age\": null}\n")
        .unwrap();
    for (number, rows) in [(1, "x\n1\n2\n"), (2, "x\n3\n")] {
        fs::write(folder.join(format!("t/sales/{number}.csv")), rows).unwrap();
    }
}

fn good(folder: &Path, line: &[&str]) -> String {
    let Ran { status, out, err } = ran(folder, [&["sql"], line].concat());
    assert_eq!((status, &*err), (Some(0), ""), "{line:?}");
    out
}

fn bad(folder: &Path, line: &[&str], parts: &[&str]) {
    let Ran { status, out, err } = ran(folder, [&["sql"], line].concat());
    assert_eq!((status, &*out, err.lines().count()), (Some(1), "", 1), "{err}");
    assert!(err.starts_with("gdf: "), "{err}");
    for part in parts {
        assert!(err.contains(part), "{part} is not in {err}");
    }
}

/// Runs `gdf sql` with a text on its standard input.
fn fed(folder: &Path, line: &[&str], input: &str) -> Ran {
    let mut command = gdf(folder);
    command.arg("sql").args(line).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn files_and_folders_are_tables() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    tables(folder);
    let rows = |query: &str| good(folder, &[query, "--tables", "t", "--format", "csv"]);
    assert_eq!(rows("select city, price from trips where price > 3"), "city,price\nNantes,4.0\n");
    assert_eq!(rows("select sum(x) as total from sales"), "total\n6\n");
    assert_eq!(rows("select name from people where age is null"), "name\nBo\n");
    assert_eq!(rows("select count(*) as n from trips join people on age > price"), "n\n2\n");
    let by_path = good(folder, &["select max(x) as m from 't/sales/*.csv'", "--format", "csv"]);
    assert_eq!(by_path, "m\n3\n");
    assert_eq!(
        good(folder, &["select * from 't/people.jsonl' where age > 3", "--format", "csv"]),
        "name,age\nAda,36\n"
    );
    let plan = good(folder, &["explain select sum(x) from 't/sales'"]);
    assert!(plan.contains("GdfExec: device=cpu") && plan.contains("GdfFilesExec"), "{plan}");
}

#[test]
fn rows_are_printed_in_three_formats() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    tables(folder);
    let query = "select city, price, day from trips order by price";
    let table = good(folder, &[query, "--tables", "t"]);
    assert!(table.contains("│ city") && table.contains("Lyon") && table.contains("null"), "{table}");
    let json = good(folder, &[query, "--tables", "t", "--format", "json"]);
    assert_eq!(
        json,
        "{\"city\":\"Lyon\",\"price\":2.5,\"day\":\"2026-01-31\"}\n{\"city\":\"Nantes\",\"price\":4.0,\"day\":\"2026-02-01\"}\n\
         {\"city\":null,\"price\":null,\"day\":\"2026-02-01\"}\n"
    );
    assert_eq!(good(folder, &["select 1 as a where false", "--format", "csv"]), "a\n");
    fs::write(
        folder.join("q.sql"),
        "create view v as select x * 2 as y from 't/sales';\n-- two statements\nselect sum(y) as s from v;",
    )
    .unwrap();
    assert_eq!(good(folder, &["--file", "q.sql", "--format", "csv"]), "s\n12\n");
}

/// 300,000 rows are joined, grouped and sorted with 8 MB.
#[test]
fn queries_with_little_memory_spill() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "SELECT value AS v, value % 1000 AS k FROM generate_series(1, 300000)";
    let query = format!(
        "SELECT k, n, v FROM (SELECT a.k, count(*) AS n, max(b.v) AS v FROM ({rows}) a JOIN ({rows}) b ON a.v = b.v + 1 GROUP BY a.k) \
         ORDER BY v DESC LIMIT 2"
    );
    let expected = good(folder.path(), &[&query]);
    assert!(expected.contains("299999"), "{expected}");
    assert_eq!(good(folder.path(), &["--memory-limit", "8MB", &query]), expected);
}

#[test]
fn rows_that_json_cannot_represent_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let json = |query: &str, parts: &[&str]| bad(folder, &[query, "--format", "json"], parts);
    let twice = "select x.a, y.a from (select 1 as a) x, (select 2 as a) y";
    json(twice, &["cannot be written as JSON", "2 columns named a; rename the columns"]);
    json("select arrow_cast(arrow_cast(2147483647, 'Int32'), 'Date32') as day", &["cannot be written as JSON"]);
}

#[test]
fn a_field_of_a_null_struct_is_null() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("s.json"), "{\"id\":1,\"s\":{\"a\":{\"b\":1}}}\n{\"id\":2,\"s\":null}\n").unwrap();
    let rows = |query: &str| good(folder, &[query, "--format", "csv"]);
    assert_eq!(rows("select id, s['a']['b'] as b from 's.json' order by id"), "id,b\n1,1\n2,\n");
    assert_eq!(rows("select nullif(s, s)['a'] is null as n from 's.json' where id = 1"), "n\ntrue\n");
    let query = "select map_extract(case when id = 2 then map {'k': id} end, 'k') as m from 's.json' where id = 1";
    assert_eq!(good(folder, &[query, "--format", "json"]), "{\"m\":[null]}\n");
}

#[test]
fn long_chains_of_operators_do_not_overflow_the_stack() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("t.csv"), "a\n5\n").unwrap();
    let rows = |query: &str| good(folder, &[query, "--format", "csv"]);
    let numbers: Vec<String> = (0..3_000).map(|number| number.to_string()).collect();
    let list = numbers.join(",");
    assert_eq!(rows(&format!("select count(*) as n from 't.csv' where a in ({list})")), "n\n1\n");
    // An argument of a program has at most 128 KiB.
    let chain = (0..20_000).map(|number| format!("a = {number}")).collect::<Vec<_>>().join(" or ");
    fs::write(folder.join("chain.sql"), format!("select count(*) as n from 't.csv' where {chain}")).unwrap();
    assert_eq!(good(folder, &["--file", "chain.sql", "--format", "csv"]), "n\n1\n");
    let sum = vec!["1"; 3_000].join(" + ");
    assert_eq!(rows(&format!("select {sum} as n")), "n\n3000\n");
    let sum = vec!["1"; 6_000].join(" + ");
    bad(folder, &[&format!("select {sum} as n")], &["5999 operators, and at most 5000 are allowed"]);
}

/// A cell of a megabyte and a cell of many lines would take all memory if each line were padded to the longest one.
#[test]
fn long_cells_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = format!("a,b\n{},\"{}\"\n", "x".repeat(1 << 20), "line\n".repeat(100_000));
    fs::write(folder.join("long.csv"), &text).unwrap();
    let shown = good(folder, &["select * from 'long.csv'"]);
    assert!(shown.len() < 2_000 && shown.contains("xxx…") && shown.contains("Utf8"), "{} bytes", shown.len());
    assert_eq!(shown, ran(folder, ["head", "long.csv"]).out);
    let whole = good(folder, &["select * from 'long.csv'", "--format", "csv"]);
    assert_eq!(whole, text);
    let plan = good(folder, &["explain select sum(length(a)) as total from 'long.csv' where length(b) > 3"]);
    assert!(plan.contains("GdfFilesExec: path=long.csv, format=csv"), "{plan}");
}

#[test]
fn dialects_of_csv_are_arguments_and_options_of_tables() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("t/old")).unwrap();
    fs::write(folder.join("t/trips.csv"), "# trips\nLyon;2,5\nNantes;-\n").unwrap();
    fs::write(folder.join("t/people.jsonl"), "{\"name\": \"Ada\"}\n").unwrap();
    fs::write(folder.join("t/old/1.csv"), "Metz;1\n").unwrap();
    let dialect = [
        "--delimiter",
        ";",
        "--comment",
        "#",
        "--null",
        "-",
        "--no-header",
        "--names",
        "city,price",
        "--decimal-point",
        ",",
    ];
    let rows = |query: &str| good(folder, &[&[query, "--tables", "t", "--format", "csv"], &dialect[..]].concat());
    assert_eq!(rows("select city, price from trips order by city"), "city,price\nLyon,2.5\nNantes,\n");
    assert_eq!(rows("select name from people"), "name\nAda\n");
    assert_eq!(rows("select max(price) as m from 't/trips.csv'"), "m\n2.5\n");
    // A table may have options of its own, and several paths.
    let options = "delimiter ';', comment '#', null '-', has_header false, names 'city, price', decimal_point ','";
    let create =
        |rest: &str| format!("create external table c stored as csv location {rest}; select * from c order by city");
    let made = |rest: &str| good(folder, &[&create(rest), "--format", "csv"]);
    assert_eq!(made(&format!("'t/trips.csv' options ({options})")), "city,price\nLyon,2.5\nNantes,\n");
    let both = format!("('t/trips.csv', 't/old') options ({options})");
    assert_eq!(made(&both), "city,price\nLyon,2.5\nMetz,1.0\nNantes,\n");
    fs::write(folder.join("plain.csv"), "city,day\nLyon,1\n").unwrap();
    let declared =
        "create external table c (city text, day decimal(5,2)) stored as csv location 'plain.csv'; select * from c";
    assert_eq!(good(folder, &[declared, "--format", "csv"]), "city,day\nLyon,1.00\n");
    for (rest, part) in [
        ("'t/trips.csv' options (colour 'red')", "there is no option colour"),
        ("'t/trips.csv' options (delimiter ';;')", "the option delimiter takes an ASCII character"),
        ("'plain.csv' partitioned by (city)", "leave out PARTITIONED BY"),
        ("('plain.csv', 'none.csv')", "none.csv does not exist"),
    ] {
        bad(folder, &[&create(rest)], &[part]);
    }
    bad(folder, &["select 1", "--delimiter", "none"], &["--delimiter cannot be `none`"]);
}

#[test]
fn statements_may_begin_with_a_comment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_eq!(good(folder, &["-- one\nselect 1 as one", "--format", "csv"]), "one\n1\n");
    let wrong = ran(folder, ["sql", "--tabels"]);
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.err.contains("--tabels is neither an option nor a statement"), "{}", wrong.err);
}

#[test]
fn errors_have_no_syntax_trees() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    tables(folder);
    for query in [
        "select city collate \"de\" from trips",
        "select * from trips pivot (sum(price) for city in ('Lyon'))",
        "select sum(city) from trips",
        "select city in (select name from people where name > city order by name limit 3) from trips",
        "select if(price > 1, 1, 2) from trips",
    ] {
        let Ran { status, err, .. } = ran(folder, ["sql", query, "--tables", "t"]);
        assert_eq!((status, err.lines().count()), (Some(1), 1), "{query}: {err}");
        assert!(err.len() < 300 && !err.contains(" {") && !err.contains("Internal"), "{query}: {err}");
    }
}

#[test]
fn floats_that_are_not_finite_are_texts_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let query = "select cast('NaN' as double) as a, 1.5 / 0.0 as b, -1.5 / 0.0 as c, cast(null as double) as d";
    let json = good(folder.path(), &[query, "--format", "json"]);
    assert_eq!(json, "{\"a\":\"NaN\",\"b\":\"Infinity\",\"c\":\"-Infinity\",\"d\":null}\n");
}

#[test]
fn folders_of_values_separated_by_tabs_are_tables() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("t/tabs")).unwrap();
    fs::write(folder.join("t/tabs/a.tsv"), "x\ty\n1\t2\n").unwrap();
    let rows = good(folder, &["select y from tabs", "--tables", "t", "--format", "csv"]);
    assert_eq!(rows, "y\n2\n");
}

#[test]
fn errors_have_a_position_and_near_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    tables(folder);
    fs::write(folder.join("t/Upper.csv"), "Name\nx\n").unwrap();
    let tables = |query: &str, parts: &[&str]| bad(folder, &[query, "--tables", "t"], parts);
    tables("select city,\n  pric from trips", &["line 2, column 3", "there is no column pric", "similar names: price"]);
    tables("select * from tripz", &["line 1, column 15", "there is no table tripz", "similar names: trips"]);
    tables("select * from upper", &["similar names: \"Upper\""]);
    tables("select name from \"Upper\"", &["similar names: \"Name\""]);
    tables("select * frm trips", &["line 1, column 10"]);
    tables("select cast(city as int) from trips", &["Cannot cast string 'Lyon'"]);
    tables("select 1 / 0 from trips", &["Divide by zero"]);
    // Positions count from the start of the text, also behind other statements.
    let failed = fed(folder, &["--tables", "t", "--format", "csv"], "select 1 as one; select é,\n pric from trips;\n");
    assert!(failed.err.contains("there is no column") && failed.err.contains("line 1, column 25"), "{}", failed.err);
    tables("select 1 as one; select * frm trips", &["line 1, column 27"]);
    for nested in [
        format!("select {}1{}", "(".repeat(60), ")".repeat(60)),
        format!("select {}'a'{}", "upper(".repeat(60), ")".repeat(60)),
    ] {
        bad(folder, &[&nested], &["nests more than 50", "WITH"]);
    }
    bad(folder, &["select * from 'none.csv'"], &["none.csv does not exist"]);
    bad(folder, &["--file", "none.sql"], &["cannot read none.sql"]);
    bad(folder, &["select 1", "--tables", "none"], &["none is not a folder"]);
    fs::write(folder.join("t/trips.json"), "{\"a\": 1}").unwrap();
    tables("select * from trips", &["both have the table name trips"]);
    fs::write(folder.join("t/broken.parquet"), "no").unwrap();
    assert!(good(folder, &["select 1 as one", "--tables", "t"]).contains("one"));
    bad(folder, &["select * from broken", "--tables", "t"], &["broken.parquet"]);
    assert_eq!(ran(folder, ["sql", "select 1", "--format", "xls"]).status, Some(2));
    assert_eq!(ran(folder, ["sql", "select 1", "--file", "q.sql"]).status, Some(2));
}

#[test]
fn the_shell_takes_statements_of_several_lines_and_commands() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    tables(folder);
    let shell = |input: &str| fed(folder, &["--tables", "t", "--format", "csv"], input);
    let Ran { status, out, err } = shell("select count(*) as n\nfrom trips;\n\\d\n\\d trips\nselect 2 as two\n");
    assert_eq!((status, &*err), (Some(0), ""));
    assert!(out.starts_with("n\n3\n") && out.ends_with("two\n2\n"), "{out}");
    for part in ["people", "sales", "trips", "price", "Float64", "possible"] {
        assert!(out.contains(part), "{part} is not in {out}");
    }
    let timed = shell("\\timing\nselect 1 as one;\n\\timing\nselect 2 as two; \\q\n");
    assert!(timed.out.contains("one\n1\ntime: ") && !timed.out.contains("two\n2\ntime: "), "{}", timed.out);
    assert_eq!(shell("\\q\nselect 1;").out, "");
    assert!(shell("\\d 't/sales/1.csv'\n").out.contains("Int64"));
    // A repeated query runs with its plan from the cache, even if other statements run in between.
    fs::write(folder.join("t/numbers.csv"), "x\n1\n").unwrap();
    let query = "select sum(x) as s from numbers;\n";
    let repeated = shell(&format!("{query}{query}create view w as select 7 as seven;\nselect * from w;\n{query}"));
    assert_eq!(repeated.out, "s\n1\ns\n1\nseven\n7\ns\n1\n", "{}", repeated.err);
    let analyzed = shell("explain analyze select sum(price) from trips where price > 1;\n").out;
    assert!(analyzed.contains("Pipelines of island 1") && analyzed.contains("aggregate: 1 aggregate"), "{analyzed}");
    let failed = shell("select 1 as one;\nselect nothing from trips;\nselect 3 as three;\n");
    assert_eq!((failed.status, &*failed.out), (Some(1), "one\n1\n"));
    assert!(failed.err.contains("there is no column nothing"), "{}", failed.err);
    assert!(shell("\\x\n").err.contains("is not a command"));
    assert!(shell("\\d nope\n").err.contains("there is no table nope"));
}

#[test]
fn rows_are_copied_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    tables(folder);
    let csv = |query: &str| good(folder, &[query, "--tables", "t", "--format", "csv"]);
    let copied = csv("copy (select city, price * 2 as twice from trips where price > 1) to 'out.parquet'; \
                      copy trips to 't/copy.json'; select * from 'out.parquet' order by twice");
    assert_eq!(copied, "count\n2\ncount\n3\ncity,twice\nLyon,5.0\nNantes,8.0\n");
    assert_eq!(csv("select count(*) as n from 't/copy.json'"), "n\n3\n");
    let options = "stored as csv options (delimiter ';', has_header false)";
    csv(&format!("copy (select name, age from people order by name) to 'people.txt' {options}"));
    assert_eq!(fs::read_to_string(folder.join("people.txt")).unwrap(), "Ada;36\nBo;\n");
    let shell = fed(folder, &["--tables", "t"], "copy people\nto 'people.arrow';\n\\?\n");
    assert!(shell.out.contains("count") && shell.out.contains("copy (select"), "{}{}", shell.out, shell.err);
    assert_eq!(csv("select age from 'people.arrow' where name = 'Ada'"), "age\n36\n");
    for (rest, part) in [
        ("'out.xls'", "the name of the file does not tell the format; use .parquet, .csv"),
        ("'out.csv' stored as xls", "there is no format XLS"),
        (
            "'out.csv' options (codec gzip)",
            "there is no option codec; files of the format csv have the options delimiter",
        ),
        ("'out' stored as parquet partitioned by (city)", "PARTITIONED BY is not supported"),
        ("'none/out.csv'", "none/out.csv"),
    ] {
        bad(folder, &[&format!("copy trips to {rest}"), "--tables", "t"], &[part]);
    }
    // An error leaves the file as it was.
    bad(
        folder,
        &["copy (select 1 / (x - 3) as y from 't/sales/*.csv') to 'people.txt' stored as csv"],
        &["Divide by zero"],
    );
    assert_eq!(fs::read_to_string(folder.join("people.txt")).unwrap(), "Ada;36\nBo;\n");
}

#[test]
fn statements_end_with_their_time_limit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let long = "copy (select value from generate_series(1, 100000000000)) to 'out.csv'";
    bad(folder, &[long, "--timeout", "300ms"], &["the statement was canceled after", "its time limit is 300ms"]);
    assert_eq!(fs::read_dir(folder).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_file()).count(), 0);
    assert_eq!(good(folder, &["select 1 as one", "--timeout", "1min", "--format", "csv"]), "one\n1\n");
    assert_eq!(ran(folder, ["sql", "select 1", "--timeout", "10"]).status, Some(2));
}

/// A signal that ends the command leaves no partly written file.
#[cfg(unix)]
#[test]
fn a_killed_copy_leaves_no_file() {
    use std::time::{Duration, Instant};
    for signal in ["TERM", "INT"] {
        let folder = tempfile::tempdir().unwrap();
        let files = || {
            let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
            names.filter(|name| name.to_string_lossy().contains("gdf-") || name == "out.csv").count()
        };
        let mut command = gdf(folder.path());
        command.args(["sql", "copy (select value from generate_series(1, 100000000000)) to 'out.csv'"]);
        let mut child = command.spawn().unwrap();
        let begin = Instant::now();
        while files() == 0 && begin.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(files(), 1, "it writes");
        let killed = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        assert!(!child.wait().unwrap().success());
        assert_eq!(files(), 0, "{signal}");
    }
}
