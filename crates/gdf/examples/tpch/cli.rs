//! The command line: flags and their checks.
//!
//! A value that is out of range is refused during parsing. A bad flag therefore ends the program with exit status 2
//! before any table is generated or read.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Parser;

use crate::device::DeviceChoice;
use crate::queries::{self, Query};

/// The smallest scale at which every table has a row for every key that the generator refers to.
const SMALLEST_SCALE: f64 = 0.001;
/// The largest scale for which TPC-H defines a database (100 TB).
const LARGEST_SCALE: f64 = 100_000.0;

/// Runs TPC-H queries on Parquet files through gdf and checks the answers.
///
/// Exit status: 0 when every query ran and no answer differs, 1 on a difference or an error,
/// 2 on a bad flag.
#[derive(Debug, Parser)]
#[command(name = "tpch")]
pub(crate) struct Options {
    /// Scale factor of the tables; 1 is about 1 GB of text
    #[arg(long, value_name = "F", default_value = "0.1", value_parser = parse_scale, allow_negative_numbers = true)]
    pub(crate) scale: f64,

    /// The device to run on: cpu, cuda:N, or best (cuda:0 when it works, else cpu)
    #[arg(long, value_name = "DEVICE", default_value = "best")]
    pub(crate) device: DeviceChoice,

    /// Numbers of the queries to run, separated by commas; all by default. Only the columns that these queries read
    /// are loaded
    #[arg(long, value_name = "N[,N]", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=22))]
    pub(crate) queries: Vec<u32>,

    /// Folder with <table>.parquet files to read, instead of making them under target/tpch
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Make the tables in memory, by all threads, instead of reading files
    #[arg(long, conflicts_with = "data")]
    pub(crate) in_memory: bool,

    /// Number of rows in each part of a table in memory; by default at most 2,000,000
    #[arg(long, value_name = "N", requires = "in_memory", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) part_rows: Option<u64>,

    /// Columns with more bytes of text than N get 64-bit offsets; by default N is the limit of 32-bit offsets
    #[arg(long, value_name = "N")]
    pub(crate) text_limit: Option<usize>,

    /// Bytes of memory of the device that tables and queries may use. Tables and intermediate rows that do not fit are
    /// spilled: from a GPU to memory of the CPU, from the CPU to a file
    #[arg(long, value_name = "N", value_parser = parse_bytes)]
    pub(crate) memory_limit: Option<usize>,

    /// Bytes of pinned memory for spilled tables and rows of a GPU; further bytes are spilled to a file
    #[arg(long, value_name = "N", requires = "memory_limit", value_parser = parse_bytes)]
    pub(crate) host_limit: Option<usize>,

    /// Folder with the right answers as qNN.csv (built in for scales 0.01 and 0.1)
    #[arg(long, value_name = "DIR")]
    pub(crate) answers: Option<PathBuf>,

    /// If no answer is known, compare with the result on the CPU without a limit of memory. The CPU gets a copy of the
    /// columns that the query reads
    #[arg(long)]
    pub(crate) check_on_cpu: bool,

    /// Folder to write the results to, as qNN.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// The number of timed runs of each query
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,

    /// Number of runs of each query before the timed runs; memory, launches and waits are counted in the last of
    /// these runs
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) warm_up: u32,

    /// Print the operations of each query with their pipelines, strategies, launches, waits, copied bytes and peak
    /// memory, as measured in the last run before the timed runs. With this flag, there is at least one such run
    #[arg(long)]
    pub(crate) explain: bool,

    /// File with the launches and waits of the queries, which are compared with those counted; the file is written if
    /// it does not exist. With this flag, there are at least two runs before the timed runs
    #[arg(long, value_name = "FILE")]
    pub(crate) costs: Option<PathBuf>,

    /// File to write device, scale, times and statuses to, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

impl Options {
    pub(crate) fn untimed_runs(&self) -> u32 {
        let of_costs = if self.costs.is_some() { 2 } else { 0 };
        self.warm_up.max(u32::from(self.explain)).max(of_costs)
    }

    /// Returns the chosen queries in the given order, each query once.
    pub(crate) fn chosen_queries(&self) -> Vec<&'static Query> {
        if self.queries.is_empty() {
            return queries::ALL.iter().collect();
        }
        let mut chosen: Vec<&'static Query> = Vec::new();
        for query in self.queries.iter().filter_map(|&n| queries::find(n)) {
            if !chosen.iter().any(|c| c.number == query.number) {
                chosen.push(query);
            }
        }
        chosen
    }
}

fn parse_scale(text: &str) -> anyhow::Result<f64> {
    let scale: f64 = text.trim().parse()?;
    // NaN is outside, too.
    let is_inside = (SMALLEST_SCALE..=LARGEST_SCALE).contains(&scale);
    ensure!(is_inside, "the scale must be at least {SMALLEST_SCALE} and at most {LARGEST_SCALE}, found {scale}");
    Ok(scale)
}

/// Parses a number of bytes, which may end with K, M or G.
fn parse_bytes(text: &str) -> anyhow::Result<usize> {
    let units = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];
    let found = units.iter().find_map(|(letter, unit)| Some((text.strip_suffix(*letter)?, *unit)));
    let (digits, unit) = found.unwrap_or((text, 1));
    let bytes = digits.parse::<usize>()?.checked_mul(unit);
    bytes.filter(|bytes| *bytes > 0).context("the number of bytes is 0 or too large")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(flags: &[&str]) -> Result<Options, clap::Error> {
        Options::try_parse_from(std::iter::once(&"tpch").chain(flags))
    }

    #[test]
    fn defaults() {
        let options = parse(&[]).unwrap();
        assert_eq!((options.scale, options.repeat, options.chosen_queries().len()), (0.1, 1, 22));
        assert_eq!(options.device, DeviceChoice::Best);
        assert!(!options.in_memory && !options.check_on_cpu && options.warm_up == 0);
        assert!(options.data.is_none() && options.answers.is_none() && options.out.is_none() && options.json.is_none());
    }

    #[test]
    fn scales_outside_the_range_are_refused() {
        for bad in ["0", "-0.0", "-1", "NaN", "inf", "-inf", "1e9", "1000000000", "1e-9", "100000.1"] {
            assert_eq!(parse(&["--scale", bad]).unwrap_err().exit_code(), 2, "{bad}");
            let error = parse_scale(bad).unwrap_err().to_string();
            assert!(error.contains("the scale must be at least 0.001"), "{bad}: {error}");
        }
        for bad in ["", "ten", "0,1", "0x1"] {
            assert!(parse_scale(bad).is_err(), "{bad}");
        }
        for good in ["0.001", "0.1", "1", "10", "100000"] {
            assert!(parse(&["--scale", good]).is_ok(), "{good}");
        }
    }

    #[test]
    fn unknown_queries_are_refused() {
        assert_eq!(parse(&["--queries", "1,22"]).unwrap().queries, [1, 22]);
        for bad in ["0", "23", "", "six", "6,", "-6", "6.0", "99999999999"] {
            assert_eq!(parse(&[&format!("--queries={bad}")]).unwrap_err().exit_code(), 2, "{bad}");
        }
    }

    #[test]
    fn bytes_have_units() {
        assert_eq!([parse_bytes("7").unwrap(), parse_bytes("3M").unwrap()], [7, 3 << 20]);
        for bad in ["", "0", "0G", "M", "1T", "-1", "99999999999999G"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn explanations_and_costs_take_runs_before_the_timed_runs() {
        let untimed = |flags: &[&str]| parse(flags).unwrap().untimed_runs();
        assert_eq!((untimed(&[]), untimed(&["--explain"]), untimed(&["--explain", "--warm-up", "3"])), (0, 1, 3));
        assert_eq!((untimed(&["--costs", "a"]), untimed(&["--costs", "a", "--warm-up", "3"])), (2, 3));
    }

    #[test]
    fn a_query_given_twice_runs_once() {
        let options = parse(&["--queries", "6,6"]).unwrap();
        assert_eq!(options.chosen_queries().iter().map(|q| q.number).collect::<Vec<_>>(), [6]);
    }

    #[test]
    fn other_bad_flags_are_usage_errors() {
        for bad in [
            &["--repeat", "0"][..],
            &["--repeat", "-1"],
            &["--device", "gpu"],
            &["--device", "cuda:x"],
            &["--device", ""],
            &["--fast"],
            &["extra"],
            &["--in-memory", "--data", "folder"],
            &["--part-rows", "1000"],
            &["--in-memory", "--part-rows", "0"],
            &["--warm-up", "-1"],
        ] {
            assert_eq!(parse(bad).unwrap_err().exit_code(), 2, "{bad:?}");
        }
    }
}
