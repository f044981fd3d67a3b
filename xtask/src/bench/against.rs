//! `cargo xtask bench --against COMMIT`: the program of an earlier commit and the one of today run by turns, and the
//! cases that have become slower are printed.
//!
//! The earlier commit is a worktree in `target/against`, which builds its own program and kernels. Both programs read
//! their images from a folder, so that the two of them can be carried to a machine that has a GPU and no Rust.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::compare::geometric_mean;
use super::figures::Figures;
use super::{Args, commit as commit_of_today, flags, load};
use crate::bundle::{compress, copy, executables, write_script};
use crate::repository::{read, root, run as start};
use crate::test::TestDevice;

/// A case counts as slower if the earlier program takes less than this share of its time.
const SLOWER: f64 = 0.95;

/// The two programs, and the names of their folders and files of times.
const BEFORE: &str = "before";
const NOW: &str = "now";

/// Builds, runs and compares, or does the part of these that the flags name.
pub(super) fn run(args: &Args, commit: &str) -> Result<()> {
    ensure!(args.suite.as_deref() != Some("tpch"), "`--suite tpch` cannot be combined with `--against`");
    let commit = short(commit)?;
    if let Some(folder) = &args.figures {
        return report(args, &commit, folder);
    }
    let folder = match &args.bundle {
        Some(folder) => std::path::absolute(folder)?,
        None => root().join("target/against/run"),
    };
    let needs_kernels = args.bundle.is_some() || args.device != TestDevice::Cpu;
    for (name, tree) in [(BEFORE, worktree(&commit)?), (NOW, root())] {
        build(&tree, needs_kernels, args.no_kernels, &folder.join(name))?;
    }
    let commands = commands(args, &commit)?;
    if args.bundle.is_some() {
        for name in [BEFORE, NOW] {
            compress(&folder.join(name).join(PROGRAM))?;
        }
        return write_script(&folder.join("run.sh"), &script(&commands));
    }
    for command in commands {
        let mut program = Command::new(folder.join(command.program).join(PROGRAM));
        program.current_dir(&folder).env(IMAGES, folder.join(command.program).join("images")).args(&command.flags);
        start(&mut program)?;
    }
    report(args, &commit, &folder)
}

const PROGRAM: &str = "gdf-bench";

/// The environment variable that names the folder of the images.
const IMAGES: &str = "GDF_KERNELS_DIR";

/// Returns the commit in the short form of git.
fn short(commit: &str) -> Result<String> {
    let mut git = Command::new("git");
    git.current_dir(root()).args(["rev-parse", "--verify", "--short=8", &format!("{commit}^{{commit}}")]);
    Ok(read(&mut git).with_context(|| format!("git does not know the commit `{commit}`"))?.trim().to_owned())
}

/// Returns the folder with the files of the commit.
fn worktree(commit: &str) -> Result<PathBuf> {
    let folder = root().join("target/against").join(commit);
    if !folder.join("Cargo.toml").is_file() {
        start(Command::new("git").current_dir(root()).args(["worktree", "prune"]))?;
        let mut git = Command::new("git");
        start(git.current_dir(root()).args(["worktree", "add", "--detach", "--force"]).arg(&folder).arg(commit))?;
    }
    Ok(folder)
}

/// Builds the program and its images in the tree, and copies both to the folder.
fn build(tree: &Path, needs_kernels: bool, keep_kernels: bool, folder: &Path) -> Result<()> {
    let cargo = || {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(tree).env_remove("CARGO_TARGET_DIR").env("GDF_KERNELS_EMBED", "0");
        cargo
    };
    if needs_kernels && !keep_kernels {
        for chore in ["toolkit", "kernels"] {
            start(cargo().args(["run", "--quiet", "--package", "xtask", "--", chore]))?;
        }
    }
    let mut build = cargo();
    build.args(["build", "--release", "--package", PROGRAM, "--bin", PROGRAM, "--message-format=json"]);
    if needs_kernels {
        build.args(["--features", "cuda"]);
    }
    let programs = executables(&read(&mut build)?, "bin");
    let Some((_, program)) = programs.first() else { bail!("cargo built no program in {}", tree.display()) };
    copy(program, &folder.join(PROGRAM))?;
    if needs_kernels {
        let images = tree.join("crates/gdf-kernels/images");
        for entry in fs::read_dir(&images).with_context(|| format!("{} has no images", images.display()))? {
            let path = entry?.path();
            copy(&path, &folder.join("images").join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

/// A run of one of the programs.
struct Run {
    program: &'static str,
    flags: Vec<String>,
}

/// Returns the runs in their order. The program that begins changes from round to round.
fn commands(args: &Args, commit: &str) -> Result<Vec<Run>> {
    let now = commit_of_today().unwrap_or_else(|| "unknown".into());
    let mut runs = Vec::new();
    for round in 1..=args.rounds.max(1) {
        let mut pair = [(BEFORE, commit), (NOW, now.as_str())];
        if round % 2 == 0 {
            pair.reverse();
        }
        for (program, commit) in pair {
            let mut flags = flags(args, None, Some(commit))?;
            // The path is relative, because the script runs on another machine.
            flags.extend(["--out".into(), file(program, round)]);
            runs.push(Run { program, flags });
        }
    }
    Ok(runs)
}

fn file(program: &str, round: u32) -> String {
    format!("{program}.{round}.tsv")
}

/// Returns the script that runs both programs on a machine without Rust. Its argument is the folder for the times.
fn script(runs: &[Run]) -> String {
    let mut text = format!(
        "#!/bin/sh\n# Runs both programs by turns: ./run.sh [FOLDER]. The files of times are written to the folder.\n\
         set -eu\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\nout=$(cd \"${{1:-.}}\" && pwd)\n\
         for packed in \"$here\"/*/{PROGRAM}.xz; do if [ -e \"$packed\" ]; then xz -d -f \"$packed\"; fi; done\n\
         cd \"$out\"\n"
    );
    for Run { program, flags } in runs {
        let flags: Vec<String> = flags.iter().map(|flag| format!("'{flag}'")).collect();
        let line = format!(
            "{IMAGES}=\"$here/{program}/images\" \"$here/{program}/{PROGRAM}\" {} > /dev/null",
            flags.join(" ")
        );
        writeln!(text, "{line}").expect("a String takes every text");
    }
    text
}

/// Reads the times of all rounds, prints the comparison, and writes the page.
fn report(args: &Args, commit: &str, folder: &Path) -> Result<()> {
    let best = |program: &str| -> Result<Figures> {
        let mut rounds = (1..).map(|round| folder.join(file(program, round))).take_while(|path| path.is_file());
        let first = rounds.next().with_context(|| {
            format!("{} has no file {}; run the script of `--bundle` first", folder.display(), file(program, 1))
        })?;
        rounds.try_fold(load(&first)?, |mut best, path| {
            best.merge(load(&path)?);
            Ok(best)
        })
    };
    let text = page(&best(BEFORE)?, &best(NOW)?, args.filter.as_deref().unwrap_or_default());
    let remarks = remarks(&fs::read_to_string(folder.join(file(NOW, 1)))?);
    let page = format!("`cargo xtask bench --against {commit}`. {remarks}\n\n{text}");
    if let Some(path) = &args.page {
        fs::write(path, &page).with_context(|| format!("could not write {}", path.display()))?;
    }
    print!("{page}");
    Ok(())
}

/// Returns the remarks at the head of a file of times: the device and the commit.
fn remarks(text: &str) -> String {
    let remarks: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).take(2).collect();
    remarks.join("; ")
}

/// Returns a table with a line per number of rows, and a table of the cases that are slower now.
fn page(before: &Figures, now: &Figures, filter: &str) -> String {
    let mut sizes: std::collections::BTreeMap<usize, Vec<(&str, f64, f64)>> = Default::default();
    for (key @ (rows, case), time) in &before.times {
        let (Some(before), Some(Some(now))) = (time, now.times.get(key)) else { continue };
        if case.contains(filter) {
            sizes.entry(*rows).or_default().push((case, before.min / now.min, before.median / now.median));
        }
    }
    let mean = |ratios: Vec<f64>| geometric_mean(&ratios).map_or_else(String::new, |mean| format!("{mean:.3}"));
    let mut text = "Ratios are the earlier time divided by the time now; above 1 the program of now is faster.\n\n\
                    | rows | cases | geometric mean, best calls | medians | slower cases |\n|---|---|---|---|---|\n"
        .to_owned();
    let mut slow = String::new();
    for (rows, lines) in &sizes {
        let slower: Vec<_> = lines.iter().filter(|(_, best, _)| *best < SLOWER).collect();
        let (best, medians) = (lines.iter().map(|line| line.1), lines.iter().map(|line| line.2));
        writeln!(
            text,
            "| {rows} | {} | {} | {} | {} |",
            lines.len(),
            mean(best.collect()),
            mean(medians.collect()),
            slower.len()
        )
        .expect("a String takes every text");
        for (case, best, median) in slower {
            writeln!(slow, "| `{case}` | {rows} | {best:.3} | {median:.3} |").expect("a String takes every text");
        }
    }
    if slow.is_empty() {
        writeln!(text, "\nNo case is below {SLOWER} by its best call.").expect("a String takes every text");
    } else {
        write!(text, "\n| below {SLOWER} | rows | best calls | medians |\n|---|---|---|---|\n{slow}")
            .expect("a String takes every text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slower_cases_are_listed() {
        let before =
            Figures::parse("gdf case\na\t10\t4.0\t2.0\nb\t10\t1.0\t0.9\nc\t10\tERR x\nd\t20\t1.0\t1.0\n").unwrap();
        let now =
            Figures::parse("gdf case\na\t10\t2.0\t1.0\nb\t10\t1.0\t1.0\nc\t10\t1.0\t1.0\nd\t20\t1.0\t1.0\n").unwrap();
        let text = page(&before, &now, "");
        assert!(text.contains("| 10 | 2 | 1.342 | 1.414 | 1 |\n| 20 | 1 | 1.000 | 1.000 | 0 |\n"), "{text}");
        assert!(text.ends_with("| `b` | 10 | 0.900 | 1.000 |\n"), "{text}");
        let text = page(&before, &now, "a");
        assert!(text.contains("| 10 | 1 | 2.000 | 2.000 | 0 |\n\nNo case is below 0.95"), "{text}");
    }

    #[test]
    fn programs_take_turns_to_begin() {
        use clap::Parser;
        #[derive(Parser)]
        struct Cli {
            #[command(flatten)]
            args: Args,
        }
        let words = ["bench", "--against", "HEAD", "--rounds", "2", "--rows", "10", "--bundle", "dir"];
        let args = Cli::parse_from(words).args;
        let runs = commands(&args, "abc").unwrap();
        assert_eq!(runs.iter().map(|run| run.program).collect::<Vec<_>>(), [BEFORE, NOW, NOW, BEFORE]);
        assert!(
            runs[0].flags.join(" ").ends_with("--rows 10 --note commit abc --out before.1.tsv"),
            "{:?}",
            runs[0].flags
        );
        let script = script(&runs);
        assert!(script.contains("\"$here/now/gdf-bench\" '--device' 'cpu' '--rows' '10'"), "{script}");
    }
}
