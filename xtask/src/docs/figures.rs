//! Figures of pages. A figure is a constant of a source, a number or the names of files, the names of the chores, the
//! functions whose results share memory with their inputs, README's table of speed, the last measurements of cases in a
//! log of benchmarks, or the drawing of the crates.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};

use super::drawing;
use crate::repository::Files;

const CPU: &str = "docs/benchmarks/log/cpu.md";
const GPU: &str = "docs/benchmarks/log/h200.md";
const CHORES: &str = "xtask/src/main.rs";
const CATALOG: &str = "tests/catalog/";

/// The columns of gdf in the pages of benchmarks.
const CPU_COLUMN: &str = "10⁷: gdf";
const GPU_COLUMN: &str = "10⁸: gdf, ms";

/// The rows of README's table.
const SPEED: [(&str, &str); 8] = [
    ("sum", "reduce.sum_i64"),
    ("`x + y` with nulls", "binaryop.add_i64_nulls"),
    ("filter of two columns, half of the rows", "filter.mask_i64x2_50pct"),
    ("gather by random rows", "gather.random_i64"),
    ("sort", "sort.i64"),
    ("group-by, five aggregations, 10,000 groups", "groupby.multi_agg_g10000"),
    ("inner join, right side a tenth of the left", "join.inner_build10pct"),
    ("group-by of text", "groupby.string_keys"),
];

pub(super) fn figure(files: &Files, what: &str) -> Result<String> {
    match what.split(' ').collect::<Vec<_>>()[..] {
        ["constant", path, name] => Ok(grouped(constant(files, path, name)?)),
        ["constant", path, name, "in", unit] => {
            let divisor = match unit {
                "MB" => 1_000_000,
                "MiB" => 1 << 20,
                _ => bail!("{what}: the unit `{unit}` must be MB or MiB"),
            };
            let value = constant(files, path, name)?;
            if value % divisor != 0 {
                bail!("{what}: {value} bytes are not a whole number of {unit}");
            }
            Ok(grouped(value / divisor))
        }
        ["count", pattern] => matching(files, pattern).map(|names| grouped(names.len() as u64)),
        ["names", pattern] => matching(files, pattern).map(|names| listed(&names)),
        ["chores"] => chores(files),
        ["sharing"] => sharing(files),
        ["speed"] => speed(files),
        ["crates"] => drawing::crates(files),
        ["latest", "cpu", ref cases @ ..] => latest(files, CPU, CPU_COLUMN, cases),
        ["latest", "gpu", ref cases @ ..] => latest(files, GPU, GPU_COLUMN, cases),
        _ => bail!(
            "the figure `{what}` is invalid; write `constant PATH NAME [in UNIT]`, `count PATTERN`, `names PATTERN`, \
             `chores`, `sharing`, `speed`, `crates`, `latest cpu CASE …` or `latest gpu CASE …`"
        ),
    }
}

/// Returns the value of `const NAME: … = …;`.
fn constant(files: &Files, path: &str, name: &str) -> Result<u64> {
    let text = files.get(path).with_context(|| format!("a figure refers to {path}, which does not exist"))?;
    let declaration = format!("const {name}: ");
    let line = text
        .lines()
        .find(|line| line.contains(&declaration))
        .with_context(|| format!("the file {path} has no constant {name}"))?;
    let value = line.split_once('=').and_then(|(_, value)| value.trim().strip_suffix(';'));
    value.and_then(evaluated).with_context(|| format!("{path}: {name} must be a product or shift of integers: {line}"))
}

fn evaluated(expression: &str) -> Option<u64> {
    if let Some((value, bits)) = expression.split_once("<<") {
        return evaluated(value)?.checked_mul(1_u64.checked_shl(evaluated(bits)?.try_into().ok()?)?);
    }
    expression
        .split('*')
        .try_fold(1_u64, |product, factor| product.checked_mul(factor.trim().replace('_', "").parse().ok()?))
}

/// Returns what stands for the `*` of the pattern in the names of files that match the pattern. It has no slash.
fn matching<'t>(files: &'t Files, pattern: &str) -> Result<Vec<&'t str>> {
    let (prefix, suffix) = pattern.split_once('*').with_context(|| format!("the pattern `{pattern}` has no `*`"))?;
    let between = |path: &'t str| path.strip_prefix(prefix)?.strip_suffix(suffix).filter(|name| !name.contains('/'));
    let names: Vec<_> = files.keys().filter_map(|path| between(path)).collect();
    if names.is_empty() {
        bail!("no file matches the pattern `{pattern}`");
    }
    Ok(names)
}

fn listed(names: &[&str]) -> String {
    names.join(", ")
}

/// Returns the names of the chores in the order of `cargo xtask --help`.
fn chores(files: &Files) -> Result<String> {
    let text = files.get(CHORES).with_context(|| format!("the file {CHORES} does not exist"))?;
    let names: Vec<_> = text.lines().filter_map(|line| line.trim().split_once("::Args),")).collect();
    let names: Vec<_> = names.iter().filter_map(|(name, _)| name.split_once('(').map(|(_, chore)| chore)).collect();
    if names.is_empty() {
        bail!("the file {CHORES} has no variant `Chore(chore::Args),`");
    }
    Ok(listed(&names))
}

/// Returns the functions whose entries of the catalog are marked as `sharing_inputs`, by capability.
fn sharing(files: &Files) -> Result<String> {
    let mut functions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| path.starts_with(CATALOG) && path.ends_with(".rs")) {
        for entry in text.split("Entry::new(").skip(1).filter(|entry| entry.contains(".sharing_inputs()")) {
            let name = entry.split('"').nth(1).and_then(|name| name.split_once('.'));
            let (capability, function) =
                name.with_context(|| format!("{path}: an entry has no name `module.function`"))?;
            functions.entry(capability).or_default().insert(function);
        }
    }
    if functions.is_empty() {
        bail!("no entry in {CATALOG} is marked as `sharing_inputs`");
    }
    let of = |(capability, names): (&str, BTreeSet<&str>)| {
        format!("{capability}: {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
    };
    Ok(functions.into_iter().map(of).collect::<Vec<_>>().join("; "))
}

fn speed(files: &Files) -> Result<String> {
    let mut days = Vec::new();
    let mut rows = String::new();
    for (label, case) in SPEED {
        let cpu = measured(files, CPU, CPU_COLUMN, case)?;
        let gpu = measured(files, GPU, GPU_COLUMN, case)?;
        rows += &format!("| {label} | {} | {} | {} | {} | {} |\n", cpu.ours, cpu.peer, gpu.ours, gpu.peer, gpu.day);
        days.push(cpu.day);
    }
    days.sort_unstable();
    days.dedup();
    let days = days.join(", ");
    Ok(format!(
        "| 64-bit integers, unless said otherwise | CPU ({days}): gdf | best of three | H200: gdf | libcudf | H200 measured on |\n|---|---|---|---|---|---|\n{rows}"
    ))
}

/// Returns a table of the last measurements of some cases.
fn latest(files: &Files, page: &str, column: &str, cases: &[&str]) -> Result<String> {
    let mut rows = String::new();
    for case in cases {
        let Measured { ours, peer, day } = measured(files, page, column, case)?;
        rows += &format!("| `{case}` | {ours} | {peer} | {day} |\n");
    }
    Ok(format!("| case | gdf | peer | measured on |\n|---|---|---|---|\n{rows}"))
}

/// What a page has measured of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Measured<'t> {
    ours: &'t str,
    /// The cell to the right of gdf's.
    peer: &'t str,
    /// The first day that the section names, in its heading or above the table.
    day: &'t str,
}

/// Returns what the last table of a page that has the case in the column `column` says of the case.
fn measured<'t>(files: &'t Files, page: &str, column: &str, case: &str) -> Result<Measured<'t>> {
    let text = files.get(page).with_context(|| format!("the page {page} does not exist"))?;
    let name = format!("`{case}`");
    let (mut at, mut today) = (None, None);
    let mut found = None;
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('*')).collect();
        if line.starts_with('#') {
            today = day(line);
        } else if cells.get(1) == Some(&"case") {
            at = cells.iter().position(|cell| *cell == column);
        } else if let (Some(at), Some(true)) = (at, cells.get(1).map(|cell| *cell == name)) {
            let cell = |at: usize| cells.get(at).copied().filter(|cell| !cell.is_empty());
            found = cell(at).zip(cell(at + 1)).map(|(ours, peer)| (ours, peer, today));
        } else if !line.starts_with('|') {
            at = None;
            today = today.or_else(|| day(line));
        }
    }
    let (ours, peer, day) =
        found.with_context(|| format!("{page}: no table has a value for case {case} in column `{column}`"))?;
    let day =
        day.with_context(|| format!("{page}: no day is above the table of case {case}; write it as 2026-01-31"))?;
    Ok(Measured { ours, peer, day })
}

/// Returns the first date in the text, such as 2026-01-31.
fn day(text: &str) -> Option<&str> {
    let pattern = |word: &&str| {
        word.len() == 10
            && word
                .bytes()
                .enumerate()
                .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
    };
    text.split(|c: char| !(c.is_ascii_digit() || c == '-')).find(pattern)
}

/// Formats a number.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_of<const N: usize>(files: [(&str, &str); N]) -> Files {
        files.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
    }

    #[test]
    fn constants_are_evaluated() {
        let files = files_of([(
            "a.rs",
            "pub const A: u64 = 512 << 20;\nconst B: u8 = 60_000_000;\nconst C: u8 = 3 * 7;\nconst D: u8 = A;\n",
        )]);
        let of = |what: &str| figure(&files, what).ok();
        assert_eq!(of("constant a.rs A in MiB").as_deref(), Some("512"));
        assert_eq!(of("constant a.rs A").as_deref(), Some("536,870,912"));
        assert_eq!(of("constant a.rs B in MB").as_deref(), Some("60"));
        assert_eq!(of("constant a.rs C").as_deref(), Some("21"));
        for wrong in [
            "constant a.rs D",
            "constant a.rs E",
            "constant b.rs A",
            "constant a.rs C in MB",
            "constant a.rs A in GB",
            "other",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn files_of_one_folder_are_counted() {
        let files = files_of([("a/x.patch", ""), ("a/y.patch", ""), ("a/y.md", ""), ("a/b/z.patch", "")]);
        assert_eq!(figure(&files, "count a/*.patch").unwrap(), "2");
        assert_eq!(figure(&files, "names a/*.patch").unwrap(), "x, y");
        for wrong in ["count b/*.patch", "names b/*.patch", "names a/x.patch"] {
            assert!(figure(&files, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn chores_are_the_variants_with_arguments() {
        let main = "enum Chore {\n    /// Find\n    Toolkit(toolkit::Args),\n    Ci(ci::Args),\n}\nChore::Ci(args) => ci::run(args),\n";
        assert_eq!(figure(&files_of([(CHORES, main)]), "chores").unwrap(), "toolkit, ci");
        assert!(figure(&files_of([(CHORES, "fn main() {}\n")]), "chores").is_err());
    }

    #[test]
    fn functions_that_share_are_those_of_marked_entries() {
        let catalog = "vec![\n    Entry::new(\"b.f\", Equality::Exact, f).sharing_inputs(),\n\
                       Entry::new(\"b.g\", Equality::Exact, || g(\"x\")),\n\
                       Entry::new(\"a.h\", Equality::Exact, h)\n            .sharing_inputs()\n            .guessing(),\n]\n";
        let files = files_of([("tests/catalog/x.rs", catalog), ("tests/it/x.rs", catalog)]);
        assert_eq!(figure(&files, "sharing").unwrap(), "a: `h`; b: `f`");
        assert!(figure(&files_of([("tests/it/x.rs", catalog)]), "sharing").is_err());
    }

    #[test]
    fn measurements_are_those_of_the_last_table() {
        let page = "# 2026-01-01\n| case | 1: gdf | peer | ratio |\n|---|---|---|---|\n| `a` | 1 | 2 p | 3 |\n| `b` | | | |\n\n\
                    | case | other |\n|---|---|\n| `a` | 9 |\n\n## Later\nOn 2026-01-31 and 2026-02-01:\n\n\
                    | case | 1: gdf | peer |\n|---|---|---|\n| `a` | **4** | 5 p |\n\n| `a` | 6 | 7 |\n\
                    # Undated\n| case | 1: gdf | peer |\n|---|---|---|\n| `c` | 8 | 9 |\n";
        let files = files_of([("p.md", page)]);
        let expected = Measured { ours: "4", peer: "5 p", day: "2026-01-31" };
        assert_eq!(measured(&files, "p.md", "1: gdf", "a").unwrap(), expected);
        for (column, case) in [("1: gdf", "b"), ("2: gdf", "a"), ("1: gdf", "c")] {
            assert!(measured(&files, "p.md", column, case).is_err(), "{column} {case}");
        }
    }

    #[test]
    fn tables_have_the_last_measurements() {
        let log = "# 2026-01-01\n| case | 10⁸: gdf, ms | libcudf |\n|---|---|---|\n| `a` | 1 | 2 |\n| `b` | 3 | 4 |\n\n\
                   # 2026-01-31\n| case | 10⁸: gdf, ms | libcudf |\n|---|---|---|\n| `a` | 5 | 6 |\n";
        let files = files_of([(GPU, log)]);
        let expected = "| case | gdf | peer | measured on |\n|---|---|---|---|\n\
                        | `b` | 3 | 4 | 2026-01-01 |\n| `a` | 5 | 6 | 2026-01-31 |\n";
        assert_eq!(figure(&files, "latest gpu b a").unwrap(), expected);
        for wrong in ["latest gpu c", "latest cpu a", "latest a"] {
            assert!(figure(&files, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn days_are_whole_dates() {
        assert_eq!(day("on 12026-01-31, 2026-1-31 and 2026-01-31: 2026-02-01"), Some("2026-01-31"));
        assert_eq!(day("a-2026"), None);
    }
}
