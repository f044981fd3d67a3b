//! `gdf head`, `tail`, `schema`, `count`, `describe`, `convert`: commands that read files as tables.

mod condition;
mod convert;
mod describe;
mod dialect;
mod format;
mod input;
mod show;
mod signals;

use std::process::ExitCode;

use anyhow::Result;

#[derive(clap::Args)]
pub(crate) struct RowsArgs {
    #[command(flatten)]
    input: input::Input,
    /// The number of rows to print
    #[arg(short, default_value_t = 10)]
    n: usize,
}

#[derive(clap::Args)]
pub(crate) struct FileArgs {
    #[command(flatten)]
    input: input::Input,
}

pub(crate) use convert::ConvertArgs;
#[cfg(feature = "sql")]
pub(crate) use dialect::Dialect;
#[cfg(feature = "sql")]
pub(crate) use signals::{Interrupt, remove_files_at_end};

pub(crate) fn head(args: RowsArgs) -> Result<ExitCode> {
    show::head(&args.input, args.n)
}

pub(crate) fn tail(args: RowsArgs) -> Result<ExitCode> {
    show::tail(&args.input, args.n)
}

pub(crate) fn schema(args: FileArgs) -> Result<ExitCode> {
    show::schema(&args.input)
}

pub(crate) fn count(args: FileArgs) -> Result<ExitCode> {
    show::count(&args.input)
}

pub(crate) fn describe(args: FileArgs) -> Result<ExitCode> {
    describe::run(&args.input)
}

pub(crate) fn convert(args: ConvertArgs) -> Result<ExitCode> {
    convert::run(&args)
}
