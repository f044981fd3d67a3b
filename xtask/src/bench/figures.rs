//! Reads a file of times.
//!
//! The first line has the names of the library and of the columns. Each further line has the fields `case`, `rows` and
//! `median_ms`, separated by tabs. If a case failed, the line has `ERR …` in place of the median.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

#[derive(Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) library: String,
    /// The times by number of rows and case. The time of a failed case is `None`.
    pub(super) times: BTreeMap<(usize, String), Option<Time>>,
}

/// The times of a case in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Time {
    pub(super) median: f64,
    /// The shortest call. In files without this column it is the median.
    pub(super) min: f64,
}

impl Time {
    /// Takes the smaller median and the smaller shortest call of both.
    fn best(self, other: Time) -> Time {
        Time { median: self.median.min(other.median), min: self.min.min(other.min) }
    }
}

impl Figures {
    pub(super) fn parse(text: &str) -> Result<Figures> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let (_, head) = lines.next().context("the file of times has no lines")?;
        let library = head.split_whitespace().next().unwrap_or_default().to_owned();
        ensure!(!head.contains('\t'), "line 1 must be `library case rows median_ms …` without tabs");
        let mut times = BTreeMap::new();
        // The peers' programs also write a line that begins with `ERR` if inputs could not be created. These lines are
        // ignored.
        for (number, line) in lines.filter(|(_, line)| !line.starts_with("ERR ")) {
            let (key, time) = line_of(line).with_context(|| format!("line {number} is invalid: `{line}`"))?;
            times.insert(key, time);
        }
        Ok(Figures { library, times })
    }

    /// Merges the figures of another run of the same program: each case keeps its best times. A case that failed in one
    /// of the runs has failed.
    pub(super) fn merge(&mut self, other: Figures) {
        for (key, time) in other.times {
            let best = match (self.times.get(&key), time) {
                (Some(before), Some(time)) => before.map(|before| before.best(time)),
                (_, time) => time,
            };
            self.times.insert(key, best);
        }
    }
}

fn line_of(line: &str) -> Result<((usize, String), Option<Time>)> {
    let mut fields = line.split('\t');
    let mut next = |what| fields.next().with_context(|| format!("the field `{what}` is missing"));
    let name = next("case")?.to_owned();
    let rows = next("rows")?.parse().context("the field `rows` is not an integer")?;
    let median = match next("median_ms")? {
        text if text.starts_with("ERR") => return Ok(((rows, name), None)),
        text => number(text, "median_ms")?,
    };
    let min = fields.next().map_or(Ok(median), |text| number(text, "min_ms"))?;
    Ok(((rows, name), Some(Time { median, min })))
}

fn number(text: &str, field: &str) -> Result<f64> {
    let time = text.parse::<f64>().with_context(|| format!("the field `{field}` is neither a number nor `ERR …`"))?;
    ensure!(time.is_finite() && time >= 0.0, "`{field}` must be finite and at least 0");
    // A time that is rounded to zero has no ratio to other times. Therefore such a time is replaced by 0.00005 ms.
    Ok(time.max(0.00005))
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
        let lines: Vec<_> = figures.times.into_iter().collect();
        let time = Time { median: 0.0204, min: 0.0191 };
        assert_eq!(lines, [((100, "a.b".into()), None), ((1000, "a.b".into()), Some(time))]);
    }

    #[test]
    fn our_file_is_read() {
        let text = "gdf case rows median_ms min_ms GB GB/s peak_bytes launches waits\n# gdf on cpu\n\n\
                    a\t10\t0.5\t0.25\t0.000\t0\t64\t1\t0\n# no time left for b\na\t10\t0.0000\t0.0\t0\t0\t64\t1\t0\n";
        let figures = Figures::parse(text).unwrap();
        assert_eq!(figures.times[&(10, "a".to_owned())], Some(Time { median: 0.00005, min: 0.00005 }));
    }

    #[test]
    fn the_best_of_several_runs_is_kept() {
        let run = |text: &str| Figures::parse(&format!("gdf case\n{text}")).unwrap();
        let mut best = run("a\t1\t4.0\t3.0\nb\t1\t4.0\nc\t1\tERR x\n");
        best.merge(run("a\t1\t5.0\t2.0\nb\t1\tERR x\nc\t1\t1.0\nd\t1\t1.0\n"));
        let time = |case: &str| best.times[&(1, case.to_owned())];
        assert_eq!(time("a"), Some(Time { median: 4.0, min: 2.0 }));
        assert_eq!((time("b"), time("c")), (None, None));
        assert_eq!(time("d"), Some(Time { median: 1.0, min: 1.0 }));
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
            "x\na\t1\t1\tfast\n",
        ] {
            assert!(Figures::parse(text).is_err(), "{text:?}");
        }
    }
}
