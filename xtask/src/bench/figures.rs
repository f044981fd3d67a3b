//! Reads a file of times.
//!
//! The first line has the names of the library and of the columns. Each further line has the fields `case`, `rows` and
//! `median_ms`, separated by tabs. If a case failed, the line has `ERR …` in place of the median.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

#[derive(Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) library: String,
    /// The medians by number of rows and case. The median of a failed case is `None`.
    pub(super) median_ms: BTreeMap<(usize, String), Option<f64>>,
}

impl Figures {
    pub(super) fn parse(text: &str) -> Result<Figures> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let (_, head) = lines.next().context("the file of times has no lines")?;
        let library = head.split_whitespace().next().unwrap_or_default().to_owned();
        ensure!(!head.contains('\t'), "line 1 must be `library case rows median_ms …` without tabs");
        let mut median_ms = BTreeMap::new();
        // The peers' programs also write a line that begins with `ERR` if inputs could not be created. These lines are
        // ignored.
        for (number, line) in lines.filter(|(_, line)| !line.starts_with("ERR ")) {
            let (key, time) = line_of(line).with_context(|| format!("line {number} is invalid: `{line}`"))?;
            median_ms.insert(key, time);
        }
        Ok(Figures { library, median_ms })
    }
}

fn line_of(line: &str) -> Result<((usize, String), Option<f64>)> {
    let mut fields = line.split('\t');
    let mut next = |what| fields.next().with_context(|| format!("the field `{what}` is missing"));
    let name = next("case")?.to_owned();
    let rows = next("rows")?.parse().context("the field `rows` is not an integer")?;
    let time = match next("median_ms")? {
        text if text.starts_with("ERR") => None,
        text => Some(text.parse::<f64>().context("the field `median_ms` is neither a number nor `ERR …`")?),
    };
    // A time that is rounded to zero has no ratio to other times. Therefore such a time is replaced by 0.00005 ms.
    ensure!(time.is_none_or(|time| time.is_finite() && time >= 0.0), "`median_ms` must be finite and at least 0");
    Ok(((rows, name), time.map(|time| time.max(0.00005))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peers_file_is_read() {
        let text = "libcudf case rows median_ms min_ms GB GB/s\na.b\t1000\t0.0204\t0.0191\t0.000\t1\nERR write ZSTD no\n\
                    a.b\t100\tERR MemoryError: out\n";
        let figures = Figures::parse(text).unwrap();
        assert_eq!(figures.library, "libcudf");
        let lines: Vec<_> = figures.median_ms.into_iter().collect();
        assert_eq!(lines, [((100, "a.b".into()), None), ((1000, "a.b".into()), Some(0.0204))]);
    }

    #[test]
    fn our_file_is_read() {
        let text = "gdf case rows median_ms min_ms GB GB/s peak_bytes launches waits\n# gdf on cpu\n\n\
                    a\t10\t0.5\t0.25\t0.000\t0\t64\t1\t0\n# no time left for b\na\t10\t0.0000\t0.0\t0\t0\t64\t1\t0\n";
        let figures = Figures::parse(text).unwrap();
        assert_eq!(figures.median_ms[&(10, "a".to_owned())], Some(0.00005));
    }

    #[test]
    fn other_files_are_not() {
        for text in [
            "",
            "# only a remark\n",
            "a\t10\t0.5\n",
            "x case\na\tten\t0.5\n",
            "x\na\t10\n",
            "x\na\t10\tNaN\n",
            "x\na\t1\t-1\n",
        ] {
            assert!(Figures::parse(text).is_err(), "{text:?}");
        }
    }
}
