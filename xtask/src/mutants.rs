//! `cargo xtask mutants`: applies known faults to the sources. Each fault is a patch, and names a test that must fail.
//!
//! The chore applies a patch of `tests/mutants` to a copy of the sources.

mod cuda;
mod judge;
mod patch;
mod scratch;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use self::judge::{Programs, judge};
use self::patch::{Mutant, Test};
use self::scratch::Scratch;
use crate::repository::root;
use crate::test::TestDevice;

/// Flags of `cargo xtask mutants`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Test the mutants of this device: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: TestDevice,
    /// Test only the mutants of these names
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Print the names of the mutants and their tests, and do nothing else
    #[arg(long)]
    list: bool,
    /// The number of compilers that run at a time [default: the number of cores]
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Build several CPU mutants of different capabilities at a time; the test of each mutant judges the mutant
    #[arg(long)]
    batch: bool,
    /// Add CUDA mutants and the script `mutants.sh`, which compiles and judges the mutants on a machine with nvcc and
    /// git, to a folder that `cargo xtask bundle` has written
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// The test failed or exceeded its time limit.
    Killed(String),
    Survived,
    DoesNotApply(String),
    DoesNotBuild,
}

impl Verdict {
    fn line(&self, name: &str, time: Duration) -> String {
        let text = match self {
            Verdict::Killed(how) => format!("killed{how}"),
            Verdict::Survived => "SURVIVED".into(),
            Verdict::DoesNotApply(why) => format!("DOES NOT APPLY: {why}"),
            Verdict::DoesNotBuild => "DOES NOT BUILD".into(),
        };
        format!("{name:<48} {text} ({:.0} s)", time.as_secs_f64())
    }
}

/// Tests the selected mutants.
pub(crate) fn run(args: Args) -> Result<()> {
    let mutants = chosen(patch::all(&root())?, &args)?;
    if args.list {
        for mutant in &mutants {
            println!("{} ({}): {}\n    killed by {}", mutant.name, mutant.device, mutant.fault, mutant.test);
        }
        return Ok(());
    }
    match (args.device, args.bundle) {
        (TestDevice::Cpu, None) => on_cpu(&mutants, args.jobs, args.batch),
        (TestDevice::Cpu, Some(_)) => bail!("--bundle accepts only CUDA mutants: use --device cuda:0 --bundle DIR"),
        (TestDevice::Cuda(_), Some(bundle)) => cuda::bundle(&mutants, &root().join(bundle)),
        (device, None) => cuda::here(&mutants, device, args.jobs),
    }
}

fn chosen(all: Vec<Mutant>, args: &Args) -> Result<Vec<Mutant>> {
    if let Some(unknown) = args.only.iter().find(|name| all.iter().all(|mutant| mutant.name != **name)) {
        bail!("the mutant `{unknown}` does not exist; `cargo xtask mutants --list` prints all mutants");
    }
    let device = if args.device == TestDevice::Cpu { patch::Kind::Cpu } else { patch::Kind::Cuda };
    let is_chosen =
        |mutant: &Mutant| mutant.device == device && (args.only.is_empty() || args.only.contains(&mutant.name));
    let chosen: Vec<Mutant> = all.into_iter().filter(is_chosen).collect();
    ensure!(!chosen.is_empty(), "the options select no mutant of the device {}", args.device);
    Ok(chosen)
}

/// Prints the summary.
fn conclude(verdicts: &[Verdict]) -> Result<()> {
    let killed = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Killed(_))).count();
    println!("{killed} of {} killed", verdicts.len());
    ensure!(killed == verdicts.len(), "{} mutants were not killed", verdicts.len() - killed);
    Ok(())
}

fn on_cpu(mutants: &[Mutant], jobs: Option<NonZeroUsize>, batch: bool) -> Result<()> {
    let scratch = Scratch::new()?;
    let programs = Programs { scratch: &scratch, jobs };
    let limits = baseline(&programs, mutants)?;
    let mut verdicts = Vec::new();
    for batch in batches(mutants, batch) {
        for (mutant, verdict, time) in judge_batch(&scratch, &programs, &limits, &batch)? {
            println!("{}", verdict.line(&mutant.name, time));
            verdicts.push(verdict);
        }
    }
    conclude(&verdicts)
}

/// Runs each test once without a mutant.
fn baseline<'m>(programs: &Programs<'_>, mutants: &'m [Mutant]) -> Result<BTreeMap<&'m Test, Duration>> {
    let mut limits = BTreeMap::new();
    for test in mutants.iter().map(|mutant| &mutant.test).collect::<BTreeSet<_>>() {
        let program = programs.build(test)?.context("the tests do not compile without a mutant")?;
        let begin = Instant::now();
        let verdict = judge(&program, test, TestDevice::Cpu, judge::LONGEST, &[])?;
        ensure!(verdict == Verdict::Survived, "the test {test} fails without a mutant");
        println!("passes without a mutant: {test} ({:.0} s)", begin.elapsed().as_secs_f64());
        limits.insert(test, Duration::from_secs(60) + 5 * begin.elapsed());
    }
    Ok(limits)
}

/// Returns the groups of mutants that are built together.
fn batches(mutants: &[Mutant], together: bool) -> Vec<Vec<&Mutant>> {
    let (mut batches, mut alone) = (Vec::<Vec<&Mutant>>::new(), Vec::new());
    let mut of_capability = BTreeMap::<&str, usize>::new();
    for mutant in mutants {
        match mutant.capability().filter(|_| together) {
            None => alone.push(vec![mutant]),
            Some(capability) => {
                let index = of_capability.entry(capability).or_default();
                if batches.len() == *index {
                    batches.push(Vec::new());
                }
                batches[*index].push(mutant);
                *index += 1;
            }
        }
    }
    batches.extend(alone);
    batches
}

fn judge_batch<'m>(
    scratch: &Scratch,
    programs: &Programs<'_>,
    limits: &BTreeMap<&Test, Duration>,
    batch: &[&'m Mutant],
) -> Result<Vec<(&'m Mutant, Verdict, Duration)>> {
    let begin = Instant::now();
    let mut results = Vec::new();
    let mut applied = Vec::new();
    for mutant in batch {
        match scratch.apply(mutant) {
            Ok(()) => applied.push(*mutant),
            Err(error) => results.push((*mutant, Verdict::DoesNotApply(format!("{error:#}")), begin.elapsed())),
        }
    }
    for mutant in &applied {
        let verdict = match programs.build(&mutant.test)? {
            Some(program) => judge(&program, &mutant.test, TestDevice::Cpu, limits[&mutant.test], &[])?,
            // It is unknown which of several mutants does not compile. Therefore each mutant is built alone.
            None if applied.len() > 1 => {
                scratch.restore(&applied)?;
                for mutant in applied {
                    results.extend(judge_batch(scratch, programs, limits, &[mutant])?);
                }
                return Ok(results);
            }
            None => Verdict::DoesNotBuild,
        };
        results.push((*mutant, verdict, begin.elapsed()));
    }
    scratch.restore(&applied)?;
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mutants_of_different_capabilities_are_built_together() {
        let patch = |name: &str, path: &str| patch::tests::mutant(name, path);
        let mutants = [
            patch("a", "crates/gdf-compute/src/scan/scan/host/mod.rs"),
            patch("b", "crates/gdf-compute/src/scan/scan/host/chunks.rs"),
            patch("c", "crates/gdf-engine/src/host/bits.rs"),
            patch("d", "crates/gdf-compute/src/unary/cast/host/mod.rs"),
        ];
        let names = |batches: Vec<Vec<&Mutant>>| -> Vec<String> {
            batches.iter().map(|batch| batch.iter().map(|mutant| mutant.name.as_str()).collect()).collect()
        };
        assert_eq!(names(batches(&mutants, true)), ["ad", "b", "c"]);
        assert_eq!(names(batches(&mutants, false)), ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_survivor_is_a_failure() {
        let killed = || Verdict::Killed(String::new());
        assert!(conclude(&[killed(), killed()]).is_ok());
        assert!(conclude(&[killed(), Verdict::Survived]).is_err());
        assert!(conclude(&[Verdict::DoesNotBuild]).is_err());
    }
}
