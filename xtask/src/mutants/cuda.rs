//! CUDA mutants. Each mutant has an image, and an unmodified test program loads the image.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::judge::{self, Programs, judge};
use super::patch::{Mutant, Test};
use super::scratch::Scratch;
use super::{Verdict, conclude};
use crate::bundle::{copy, files, install, test_programs, write_script};
use crate::repository::{compile_kernels, images, xtask};
use crate::test::TestDevice;

/// Compiles the image of a mutant.
fn image(scratch: &Scratch, mutant: &Mutant, jobs: Option<NonZeroUsize>) -> Result<Result<PathBuf, Verdict>> {
    let capability = mutant.image.as_deref().context("a CUDA mutant must have the field `Image` in its header")?;
    if let Err(error) = scratch.apply(mutant) {
        return Ok(Err(Verdict::DoesNotApply(format!("{error:#}"))));
    }
    let out = scratch.made("images").join(&mutant.name);
    let (sources, out_text) = (scratch.tree().join("kernels"), out.to_string_lossy().into_owned());
    let sources = sources.to_string_lossy().into_owned();
    let jobs = jobs.map(|jobs| format!("--jobs={jobs}"));
    let mut words = vec!["kernels", capability, "--sources", &sources, "--out", &out_text];
    words.extend(jobs.as_deref());
    let compiled = xtask(&words);
    scratch.restore(&[mutant])?;
    let path = out.join(format!("{capability}.fatbin"));
    if compiled.is_err() {
        return Ok(Err(Verdict::DoesNotBuild));
    }
    ensure!(path.is_file(), "no image {}", path.display());
    Ok(Ok(path))
}

#[derive(Default)]
struct Images<'m> {
    made: Vec<(&'m Mutant, PathBuf)>,
    verdicts: Vec<Verdict>,
}

impl<'m> Images<'m> {
    fn new(scratch: &Scratch, mutants: &'m [Mutant], jobs: Option<NonZeroUsize>) -> Result<Self> {
        compile_kernels()?;
        let mut images = Images::default();
        for mutant in mutants {
            let begin = Instant::now();
            match image(scratch, mutant, jobs)? {
                Ok(path) => images.made.push((mutant, path)),
                Err(verdict) => {
                    println!("{}", verdict.line(&mutant.name, begin.elapsed()));
                    images.verdicts.push(verdict);
                }
            }
        }
        Ok(images)
    }
}

/// Adds the kernels, the patches, the program that compiles kernels and the script `mutants.sh` to a bundle.
pub(super) fn bundle(mutants: &[Mutant], bundle: &Path) -> Result<()> {
    ensure!(
        bundle.join("images/kernels.txt").is_file(),
        "the folder {} is not a bundle; write a bundle with `cargo xtask bundle`",
        bundle.display()
    );
    let folder = bundle.join("mutants");
    for old in [&folder, &bundle.join("kernels")] {
        if old.exists() {
            fs::remove_dir_all(old)?;
        }
    }
    let scratch = Scratch::new()?;
    for (file, _) in files(&scratch.tree().join("kernels"))? {
        copy(&file, &bundle.join(file.strip_prefix(scratch.tree())?))?;
    }
    for mutant in mutants {
        copy(&mutant.path, &folder.join(mutant.path.file_name().unwrap_or_default()))?;
    }
    install(&env::current_exe().context("the path of this program is unknown")?, &bundle.join("xtask"))?;
    let (baselines, lines) = lists(mutants)?;
    fs::write(folder.join("baselines.txt"), baselines)?;
    fs::write(folder.join("mutants.txt"), lines)?;
    write_script(&bundle.join("mutants.sh"), include_str!("mutants.sh"))?;
    println!("{} mutants in {}; run mutants.sh there", mutants.len(), folder.display());
    Ok(())
}

/// Returns the tests, and the mutants with their tests, a line for each.
fn lists(mutants: &[Mutant]) -> Result<(String, String)> {
    let (mut baselines, mut lines) = (String::new(), String::new());
    for test in mutants.iter().map(|mutant| &mutant.test).collect::<BTreeSet<_>>() {
        writeln!(baselines, "{}", words(test)?)?;
    }
    for mutant in mutants {
        writeln!(lines, "{} {} {}", mutant.name, mutant.image.as_deref().unwrap_or_default(), words(&mutant.test)?)?;
    }
    Ok((baselines, lines))
}

/// Returns the words of a shell command: the environment variables, the program and the test.
fn words(test: &Test) -> Result<String> {
    ensure!(test.target == "it", "{test}: the target of the test must be `it`, the only program of a bundle");
    let env: Vec<String> = test.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let words = [vec![test.target.clone(), test.name.clone()], env].concat();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.:=-".contains(c);
    ensure!(words.iter().all(|word| word.chars().all(plain)), "{test} has special characters of the shell");
    Ok(words.join(" "))
}

pub(super) fn here(mutants: &[Mutant], device: TestDevice, jobs: Option<NonZeroUsize>) -> Result<()> {
    let scratch = Scratch::new()?;
    let Images { made, mut verdicts } = Images::new(&scratch, mutants, jobs)?;
    let programs = Programs { scratch: &scratch, jobs };
    let built = test_programs(false)?;
    let find = |test: &Test| {
        let found = built.iter().find(|(name, _)| *name == test.target);
        found.map(|(_, path)| programs.given(path.clone())).with_context(|| {
            format!(
                "{test}: cargo built no test program named `{}`; correct the field `Target` of the patch",
                test.target
            )
        })
    };
    let mut limits = Vec::new();
    for test in mutants.iter().map(|mutant| &mutant.test).collect::<BTreeSet<_>>() {
        let begin = Instant::now();
        let folder = images();
        let verdict = judge(&find(test)?, test, device, judge::LONGEST, &[("GDF_KERNELS_DIR", folder.as_path())])?;
        ensure!(verdict == Verdict::Survived, "the test {test} fails without a mutant");
        limits.push((test, judge::LONGEST.min(5 * begin.elapsed() + std::time::Duration::from_secs(60))));
    }
    for (mutant, path) in &made {
        let begin = Instant::now();
        let folder = scratch.made("load");
        fs::create_dir_all(&folder)?;
        for entry in fs::read_dir(images())? {
            let entry = entry?;
            fs::copy(entry.path(), folder.join(entry.file_name()))?;
        }
        fs::copy(path, folder.join(path.file_name().unwrap_or_default()))?;
        let limit = limits.iter().find(|(test, _)| **test == mutant.test).map_or(judge::LONGEST, |(_, limit)| *limit);
        let env = [("GDF_KERNELS_DIR", folder.as_path())];
        let verdict = judge(&find(&mutant.test)?, &mutant.test, device, limit, &env)?;
        println!("{}", verdict.line(&mutant.name, begin.elapsed()));
        verdicts.push(verdict);
    }
    conclude(&verdicts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::patch;

    #[test]
    fn the_lists_have_a_line_per_mutant_and_per_test() {
        let mutants =
            [patch::tests::mutant("a", "kernels/scan/scan.cu"), patch::tests::mutant("b", "kernels/scan/scan.cu")];
        let (baselines, lines) = lists(&mutants).unwrap();
        assert_eq!(baselines, "it catalog::scan GDF_TEST_ENTRY=scan.scan\n");
        assert_eq!(lines.lines().count(), 2);
        assert!(lines.lines().all(|line| line.ends_with(" it catalog::scan GDF_TEST_ENTRY=scan.scan")), "{lines}");
        let mut odd = mutants;
        odd[0].test.name = "a;b".into();
        assert!(lists(&odd).is_err());
    }
}
