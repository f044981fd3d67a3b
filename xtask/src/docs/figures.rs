//! Figures of pages. A figure is a constant of a source, a number of files, or README's table of speed.

use anyhow::{Context, Result, bail};

use crate::repository::Files;

const CPU: &str = "docs/benchmarks/cpu.md";
const GPU: &str = "docs/benchmarks/h200.md";

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
        ["count", pattern] => count(files, pattern).map(grouped),
        ["speed"] => speed(files),
        _ => bail!("the figure `{what}` is invalid; write `constant PATH NAME [in UNIT]`, `count PATTERN` or `speed`"),
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

/// Returns the number of files in one folder whose names match the pattern.
fn count(files: &Files, pattern: &str) -> Result<u64> {
    let (prefix, suffix) = pattern.split_once('*').with_context(|| format!("the pattern `{pattern}` has no `*`"))?;
    let between = |path: &str| Some(path.strip_prefix(prefix)?.strip_suffix(suffix)?.contains('/'));
    match files.keys().filter(|path| between(path) == Some(false)).count() {
        0 => bail!("no file matches the pattern `{pattern}`"),
        count => Ok(count as u64),
    }
}

fn speed(files: &Files) -> Result<String> {
    let mut table = "| 64-bit integers, unless said otherwise | CPU: gdf | best of three | H200: gdf | libcudf |\n|---|---|---|---|---|\n".to_owned();
    for (label, case) in SPEED {
        let (cpu, peer) = measured(files, CPU, CPU_COLUMN, case)?;
        let (gpu, libcudf) = measured(files, GPU, GPU_COLUMN, case)?;
        table += &format!("| {label} | {cpu} | {peer} | {gpu} | {libcudf} |\n");
    }
    Ok(table)
}

/// Returns the cell of a case in the column `column` of a page's tables, and the cell to its right.
fn measured<'t>(files: &'t Files, page: &str, column: &str, case: &str) -> Result<(&'t str, &'t str)> {
    let text = files.get(page).with_context(|| format!("the page {page} does not exist"))?;
    let name = format!("`{case}`");
    let mut at = None;
    let mut found = None;
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.get(1) == Some(&"case") {
            at = cells.iter().position(|cell| *cell == column);
        } else if let (Some(at), Some(true)) = (at, cells.get(1).map(|cell| *cell == name)) {
            found = cells.get(at).copied().zip(cells.get(at + 1).copied()).or(found);
        } else if !line.starts_with('|') {
            at = None;
        }
    }
    found
        .filter(|(ours, peer)| !ours.is_empty() && !peer.is_empty())
        .with_context(|| format!("{page}: no table has a value for case {case} in column `{column}`"))
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
        assert!(figure(&files, "count b/*.patch").is_err());
    }

    #[test]
    fn measurements_are_those_of_the_last_table() {
        let page = "| case | 1: gdf | peer | ratio |\n|---|---|---|---|\n| `a` | 1 | 2 p | 3 |\n| `b` | | | |\n\n\
                    | case | other |\n|---|---|\n| `a` | 9 |\n\n| case | 1: gdf | peer |\n|---|---|\n| `a` | 4 | 5 p |\n\n| `a` | 6 | 7 |\n";
        let files = files_of([("p.md", page)]);
        assert_eq!(measured(&files, "p.md", "1: gdf", "a").unwrap(), ("4", "5 p"));
        assert!(measured(&files, "p.md", "1: gdf", "b").is_err());
        assert!(measured(&files, "p.md", "2: gdf", "a").is_err());
    }
}
