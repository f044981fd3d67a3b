//! Builds the program of a test in the copy of the sources, and runs the test with a time limit.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::Verdict;
use super::patch::Test;
use super::scratch::Scratch;
use crate::bundle::executables;
use crate::test::TestDevice;

/// The time limit of a test without a mutant.
pub(super) const LONGEST: Duration = Duration::from_secs(1_800);

pub(super) struct Programs<'s> {
    pub(super) scratch: &'s Scratch,
    pub(super) jobs: Option<NonZeroUsize>,
}

pub(super) struct Program {
    path: PathBuf,
    /// The working folder of the program: the folder in which cargo would run the program.
    folder: PathBuf,
    log: PathBuf,
}

impl Programs<'_> {
    /// Builds the program of the test.
    pub(super) fn build(&self, test: &Test) -> Result<Option<Program>> {
        let mut command = self.scratch.cargo();
        command.args(["test", "--no-run", "--quiet", "--message-format=json", "--package", &test.package]);
        match test.target.as_str() {
            "lib" => command.arg("--lib"),
            target => command.args(["--test", target]),
        };
        if let Some(jobs) = self.jobs {
            command.args(["--jobs", &jobs.to_string()]);
        }
        // The output of the compiler is discarded, because warnings of a mutant do not matter.
        let output = command.stderr(Stdio::null()).output().context("could not start cargo")?;
        if !output.status.success() {
            return Ok(None);
        }
        let programs = executables(&String::from_utf8_lossy(&output.stdout), "test");
        ensure!(programs.len() == 1, "cargo built {} programs instead of 1 for {test}", programs.len());
        let tests = test.package == "gdf-tests";
        let folder = if tests { "tests".to_owned() } else { format!("crates/{}", test.package) };
        Ok(Some(Program {
            path: programs[0].1.clone(),
            folder: self.scratch.tree().join(folder),
            log: self.scratch.made("log.txt"),
        }))
    }

    pub(super) fn given(&self, path: PathBuf) -> Program {
        Program { path, folder: self.scratch.tree().to_owned(), log: self.scratch.made("log.txt") }
    }
}

/// Runs the test.
pub(super) fn judge(
    program: &Program,
    test: &Test,
    device: TestDevice,
    limit: Duration,
    env: &[(&str, &Path)],
) -> Result<Verdict> {
    let mut command = Command::new(&program.path);
    command.current_dir(&program.folder).args([&test.name, "--exact"]);
    command.env("GDF_TEST_DEVICE", device.to_string());
    command.envs(test.env.iter().map(|(name, value)| (name, value)));
    command.envs(env.iter().copied());
    let log = fs::File::create(&program.log)?;
    command.stdin(Stdio::null()).stderr(log.try_clone()?).stdout(log);
    let begin = Instant::now();
    let mut child = command.spawn().with_context(|| program.path.display().to_string())?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begin.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(Verdict::Killed(format!(": did not end within {} s", limit.as_secs())));
        }
        thread::sleep(Duration::from_millis(20));
    };
    if !status.success() {
        return Ok(Verdict::Killed(String::new()));
    }
    let text = fs::read_to_string(&program.log)?;
    ensure!(text.contains("test result: ok. 1 passed"), "no test has the name of {test}");
    Ok(Verdict::Survived)
}
