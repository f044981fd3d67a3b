//! `gdf sql`: runs SQL over files and prints the rows, or starts a shell.

mod errors;
mod print;
mod progress;
mod session;
mod shell;
mod statements;
mod tables;

use std::io::{IsTerminal, Read, stdin};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bytesize::ByteSize;
use gdf::Device;
use tokio::runtime::{Builder, Runtime};

use self::print::ResultFormat;
use self::session::Session;
use crate::files::{Dialect, Interrupt, remove_files_at_end};

#[derive(clap::Args)]
pub(crate) struct SqlArgs {
    /// Statements, separated by ;. Without this argument, statements are read from the standard input or in a shell
    #[arg(allow_hyphen_values = true, value_parser = statement)]
    query: Option<String>,
    /// Run the statements of a file
    #[arg(long, value_name = "FILE", conflicts_with = "query")]
    file: Option<PathBuf>,
    /// Make each file in this folder a table with the name of the file; a subfolder becomes a table of its files
    #[arg(long, value_name = "FOLDER")]
    tables: Option<PathBuf>,
    /// The format in which rows are printed
    #[arg(long, default_value = "table")]
    format: ResultFormat,
    /// The device on which queries run: cpu, cuda:0, …
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// The most memory of the device that a query takes, such as 300MB or 16GiB; above it, the query works on parts of
    /// its rows, and spills what waits
    #[arg(long, value_name = "BYTES")]
    memory_limit: Option<ByteSize>,
    /// The longest time for which a statement may run, such as 500ms, 10s or 5m
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    timeout: Option<Duration>,
    #[command(flatten)]
    dialect: Dialect,
}

/// Takes a text for statements, which may begin with a comment. A single word that begins with a hyphen is a misspelled
/// option.
fn statement(text: &str) -> Result<String> {
    ensure!(
        !text.starts_with('-') || text.contains(char::is_whitespace),
        "{text} is neither an option nor a statement; `gdf sql --help` lists the options"
    );
    Ok(text.to_owned())
}

/// The size of the stacks of threads. DataFusion visits long chains of operators recursively. Memory is used only where a
/// stack grows.
const STACK: usize = 128 << 20;

pub(crate) fn run(args: SqlArgs) -> Result<ExitCode> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || run_on_stack(args));
    let thread = thread.context("cannot start the thread that plans queries")?;
    match thread.join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn run_on_stack(args: SqlArgs) -> Result<ExitCode> {
    let runtime = Builder::new_multi_thread().thread_stack_size(STACK).enable_all().build();
    let runtime = runtime.context("cannot start the threads that run queries")?;
    let done = run_on(&runtime, args);
    // The command does not wait for work of canceled statements, which may be writing files.
    runtime.shutdown_background();
    gdf::io::remove_unfinished_files();
    done
}

fn run_on(runtime: &Runtime, args: SqlArgs) -> Result<ExitCode> {
    let options = args.dialect.options()?;
    let limit = args.memory_limit.map(|limit| usize::try_from(limit.as_u64())).transpose();
    let limit = limit.context("the memory limit is too large for this machine")?;
    let session = Session::new(args.device, limit, args.timeout, options.clone())?;
    if let Some(folder) = &args.tables {
        tables::register(&session, folder, options)?;
    }
    let is_shell = args.query.is_none() && args.file.is_none() && stdin().is_terminal();
    remove_files_at_end(if is_shell { Interrupt::CancelsStatement } else { Interrupt::EndsCommand })?;
    let text = match (args.query, &args.file) {
        (Some(query), _) => query,
        (None, Some(file)) => {
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?
        }
        (None, None) if is_shell => return shell::interactive(runtime, session, args.format),
        (None, None) => {
            let mut text = String::new();
            stdin().read_to_string(&mut text).context("cannot read the standard input")?;
            return shell::piped(runtime, session, args.format, &text);
        }
    };
    runtime.block_on(session.run(&text, args.format))?;
    Ok(ExitCode::SUCCESS)
}
