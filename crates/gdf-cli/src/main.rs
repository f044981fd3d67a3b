#![forbid(unsafe_code)]
//! The command `gdf`: reads files, checks the machine, compiles kernels for its GPU, and times operations.

mod bench;
mod doctor;
mod files;
mod kernels;
mod operations;
mod output;
#[cfg(feature = "sql")]
mod sql;

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Columnar data processing on CPUs and GPUs
#[derive(Parser)]
#[command(name = "gdf", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check driver, devices, kernels and memory, run a few operations, and say what to do next
    Doctor(doctor::DoctorArgs),
    /// Compile, list and remove the kernels that GPUs need
    #[command(subcommand)]
    Kernels(kernels::Command),
    /// Time a few operations on the CPU and on each GPU
    Bench(bench::BenchArgs),
    /// Print the first rows of files
    Head(files::RowsArgs),
    /// Print the last rows of files
    Tail(files::RowsArgs),
    /// Print names and types of columns
    Schema(files::FileArgs),
    /// Print the number of rows
    Count(files::FileArgs),
    /// Print statistics of the columns
    Describe(files::FileArgs),
    /// Write files to one file of another format
    Convert(files::ConvertArgs),
    /// Run SQL over files, or start a shell
    #[cfg(feature = "sql")]
    Sql(sql::SqlArgs),
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    match log().and_then(|()| run(command)) {
        Ok(code) => code,
        // The reader of the output has closed the pipe: `gdf kernels list | head -1`. This is not an error.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gdf: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Enables the logs that `GDF_LOG` selects. Without `GDF_LOG`, nothing is logged.
fn log() -> Result<()> {
    if std::env::var_os("GDF_LOG").is_some() {
        gdf::log::init_from_env()?;
    }
    Ok(())
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Doctor(args) => doctor::run(args),
        Command::Kernels(command) => kernels::run(command),
        Command::Bench(args) => bench::run(args),
        Command::Head(args) => files::head(args),
        Command::Tail(args) => files::tail(args),
        Command::Schema(args) => files::schema(args),
        Command::Count(args) => files::count(args),
        Command::Describe(args) => files::describe(args),
        Command::Convert(args) => files::convert(args),
        #[cfg(feature = "sql")]
        Command::Sql(args) => sql::run(args),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_pipe))
}
