//! Runs Miri, sanitizers and fuzzing. All three need the nightly toolchain, which some machines do not have.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::repository::{line, read, root};

/// Makes a command for the nightly toolchain.
pub(crate) fn nightly(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).env("RUSTUP_TOOLCHAIN", "nightly");
    for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTFLAGS"] {
        command.env_remove(variable);
    }
    command
}

/// Returns the reason why there is no nightly toolchain.
pub(crate) fn missing() -> Option<String> {
    let found = read(Command::new("rustup").args(["toolchain", "list"]));
    match found {
        Ok(list) if list.lines().any(|line| line.starts_with("nightly")) => None,
        Ok(_) => Some("no nightly toolchain is installed".into()),
        Err(error) => Some(format!("rustup cannot list the toolchains, so nightly is missing: {error:#}")),
    }
}

pub(crate) fn host() -> Result<String> {
    let version = read(nightly("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` printed no line `host: …`")?.to_owned())
}

/// Runs test programs, shows their output, and returns the number of passed tests.
pub(crate) fn passed(command: &mut Command) -> Result<usize> {
    println!("$ {}", line(command));
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| line(command))?;
    let output = BufReader::new(child.stdout.take().context("the command has no standard output")?);
    let mut passed = 0;
    for text in output.lines() {
        let text = text?;
        println!("{text}");
        passed += passed_in(&text).unwrap_or(0);
    }
    let status = child.wait()?;
    ensure!(status.success(), "`{}` failed: {status}", line(command));
    Ok(passed)
}

/// Returns the number in a line `test result: ok. 7 passed; …`.
fn passed_in(text: &str) -> Option<usize> {
    text.strip_prefix("test result: ok. ")?.split_once(" passed")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_counted() {
        assert_eq!(passed_in("test result: ok. 17 passed; 0 failed; 0 ignored"), Some(17));
        assert_eq!(passed_in("test result: FAILED. 17 passed; 1 failed"), None);
        assert_eq!(passed_in("running 3 tests"), None);
    }
}
