//! `gdf bench`: times a few operations at two sizes on the CPU and on each GPU. The crate `gdf-bench` is the benchmark
//! of the repository, and also runs other libraries.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use gdf::prelude::*;

use crate::operations::{Timed, timed};
use crate::output::{print, table};

const TIME: Duration = Duration::from_millis(300);

/// The maximum number of rows. More rows would exceed the memory of small machines.
const MOST_ROWS: usize = 1 << 30;

#[derive(clap::Args)]
pub(crate) struct BenchArgs {
    /// The numbers of rows to time
    #[arg(long, value_delimiter = ',', default_values_t = [100_000, 10_000_000])]
    rows: Vec<usize>,
    /// Run only on this device: cpu, cuda:0, … [default: the CPU and each GPU that has kernels]
    #[arg(long)]
    device: Option<Device>,
}

pub(crate) fn run(args: BenchArgs) -> Result<ExitCode> {
    ensure!(
        args.rows.iter().all(|rows| (1..=MOST_ROWS).contains(rows)),
        "each number of --rows must be at least 1 and at most {MOST_ROWS}"
    );
    let devices = match args.device {
        Some(device) => {
            device.usable().with_context(|| format!("cannot run on {device}"))?;
            vec![device]
        }
        None => devices(),
    };
    let mut figures = table(&["operation", "device", "rows", "time", "rows/s", "GB/s"], 2);
    for rows in args.rows {
        let mut by_device = Vec::new();
        for &device in &devices {
            let times = scope::with_device(device, || -> Result<_> {
                let stream = Stream::default_for(device)?;
                timed(rows)?.into_iter().map(|timed| Ok((timed.name, timed.bytes, measure(&timed, &stream)?))).collect()
            });
            let times: Vec<(&str, u64, Duration)> =
                times.with_context(|| format!("the measurement of {rows} rows on {device} failed"))?;
            by_device.push((device, times));
        }
        let operations = by_device.first().map_or(0, |(_, times)| times.len());
        for operation in 0..operations {
            for (device, times) in &by_device {
                let (name, bytes, time) = times[operation];
                let per_second = |amount: f64| amount / time.as_secs_f64();
                figures.add_row([
                    name.to_owned(),
                    device.to_string(),
                    rows.to_string(),
                    milliseconds(time),
                    large(per_second(rows as f64)),
                    format!("{:.1}", per_second(bytes as f64) / 1e9),
                ]);
            }
        }
    }
    print(figures)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the CPU, and the GPUs on which operations run.
fn devices() -> Vec<Device> {
    let gpus = (0..Device::cuda_count().unwrap_or(0)).map(Device::Cuda).filter(|device| device.usable().is_ok());
    std::iter::once(Device::Cpu).chain(gpus).collect()
}

/// Returns the median time of several calls, after a call that is not timed.
fn measure(timed: &Timed, stream: &Stream) -> Result<Duration> {
    (timed.run)()?;
    stream.synchronize()?;
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < 3 || (begin.elapsed() < TIME && times.len() < 100) {
        let start = Instant::now();
        (timed.run)()?;
        stream.synchronize()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// Formats a large number: `1.2 G`, `35 M`.
fn large(number: f64) -> String {
    match number {
        n if n >= 1e9 => format!("{:.1} G", n / 1e9),
        n if n >= 1e6 => format!("{:.0} M", n / 1e6),
        n => format!("{:.0} k", n / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!(large(1.23e9), "1.2 G");
        assert_eq!(large(35.4e6), "35 M");
        assert_eq!(large(999.0), "1 k");
        assert_eq!(milliseconds(Duration::from_micros(1500)), "1.500 ms");
    }
}
