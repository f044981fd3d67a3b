//! `cargo xtask codegen`: generates the host declarations of kernels from the kernel sources, and the tables of
//! characters from the data of Unicode.
//!
//! The chore reads structs, enums, constants, policies and signatures in kernels/, and writes them as Rust modules to
//! `crates/gdf-kernels/src/generated/`.

mod character_types;
mod letter_case;

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use gdf_nvcc::contract::generate;

use crate::repository::root;
use character_types::CharacterTypes;
use letter_case::CaseTable;

/// Flags of `cargo xtask codegen`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if anything would change
    #[arg(long)]
    check: bool,
}

/// The folder of the generated modules, relative to the repository's root.
const TARGET: &str = "crates/gdf-kernels/src/generated";

/// The folders of the character tables.
const HEADERS: &str = "kernels/include/gdf";
const TABLES: &str = "crates/gdf-strings/src/tables";

const CASES: [&str; 3] = ["lower", "title", "upper"];

/// Writes the modules.
pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = root().join(TARGET);
    let mut changed = Vec::new();
    let files = generate(&root().join("kernels"))?.files;
    for (name, text) in &files {
        let path = folder.join(name);
        let text = formatted(text).with_context(|| format!("cannot format {name}"))?;
        if fs::read_to_string(&path).is_ok_and(|present| present == text) {
            continue;
        }
        changed.push(name.clone());
        if !args.check {
            fs::create_dir_all(&folder)?;
            fs::write(&path, text)?;
        }
    }
    let character_types = CharacterTypes::new();
    let mut tables = vec![
        (format!("{HEADERS}/character_types.cuh"), character_types.cuda().into_bytes()),
        (format!("{TABLES}/character_types.bin"), character_types.bytes()),
    ];
    for name in CASES {
        let table = CaseTable::new(name);
        tables.push((format!("{HEADERS}/{name}_case.cuh"), table.cuda().into_bytes()));
        tables.push((format!("{TABLES}/{name}_case.bin"), table.bytes()));
    }
    for (name, bytes) in tables {
        let path = root().join(&name);
        if fs::read(&path).is_ok_and(|present| present == bytes) {
            continue;
        }
        changed.push(name);
        if !args.check {
            fs::write(&path, bytes)?;
        }
    }
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !files.contains_key(&name) {
            changed.push(name.clone());
            if !args.check {
                fs::remove_file(folder.join(name))?;
            }
        }
    }
    match (args.check, changed.is_empty()) {
        (_, true) => println!("{TARGET} matches kernels/"),
        (true, false) => bail!(
            "generated files are outdated: {} (names without a folder are in {TARGET}); run `cargo xtask codegen`",
            changed.join(", ")
        ),
        (false, false) => println!("wrote {}", changed.join(", ")),
    }
    Ok(())
}

/// Formats numbers as text.
fn lines<'a, T: std::fmt::Display + 'a>(numbers: impl Iterator<Item = &'a T>) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for number in numbers.map(|number| format!("{number},")) {
        if line.len() + number.len() > 124 {
            text += &line;
            text.push('\n');
            line.clear();
        }
        line += &number;
    }
    text + &line + "\n"
}

fn formatted(text: &str) -> Result<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(root().join("rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run rustfmt")?;
    let mut input = child.stdin.take().context("the standard input of rustfmt is missing")?;
    let bytes = text.as_bytes().to_vec();
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| anyhow::anyhow!("the output cannot be written to rustfmt"))??;
    if !output.status.success() {
        bail!("rustfmt: {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}
