#![forbid(unsafe_code)]
//! Chores of the gdf workspace, one module and one subcommand each: `cargo xtask <chore>`.
//!
//! They are Rust and not shell so that a fresh machine with only Rust and git can run them, and so that their flags are typed.

mod asan;
mod bench;
mod bundle;
mod ci;
mod codegen;
mod conformance;
mod costs;
mod count;
mod cust;
mod docs;
mod downstream;
mod examples;
mod floors;
mod fuzz;
mod kernels;
mod modules;
mod mutants;
mod nightly;
mod peers;
mod python;
mod replay;
mod repository;
mod test;
mod text;
mod tidy;
mod toolkit;
mod workflows;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the gdf workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Find the CUDA compiler, or install it without root
    Toolkit(toolkit::Args),
    /// Write what the host knows of kernels, from their sources
    Codegen(codegen::Args),
    /// Compile the kernels to one fat binary per capability
    Kernels(kernels::Args),
    /// Run every test on the chosen device
    Test(test::Args),
    /// Write one relocatable folder for a GPU machine without Rust
    Bundle(bundle::Args),
    /// Time the operations, or compare two files of times
    Bench(bench::Args),
    /// Run a corpus of cases whose answers libcudf gave
    Conformance(conformance::Args),
    /// Write the guide's page of what functions cost
    Costs(costs::Args),
    /// Write the quotes and figures of pages from the files that they speak of
    Docs(docs::Args),
    /// Time memory resources on a log of allocations
    Replay(replay::Args),
    /// Apply known faults to a copy of the sources and see each one's test fail
    Mutants(mutants::Args),
    /// Run tests of foreign memory under AddressSanitizer
    Asan(asan::Args),
    /// Which modules of a crate use which
    Floors(floors::Args),
    /// Run the fuzz targets for some seconds each
    Fuzz(fuzz::Args),
    /// Count what an operation costs in text
    Count(count::Args),
    /// Check the habits of the repository: crate edges, the map, the catalog, files, unsafe
    Tidy(tidy::Args),
    /// Everything that a change must pass, with times
    Ci(ci::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().chore {
        Chore::Toolkit(args) => toolkit::run(args),
        Chore::Codegen(args) => codegen::run(&args),
        Chore::Kernels(args) => kernels::run(args),
        Chore::Test(args) => test::run(args),
        Chore::Bundle(args) => bundle::run(args),
        Chore::Bench(args) => bench::run(args),
        Chore::Conformance(args) => conformance::run(args),
        Chore::Costs(args) => costs::run(args),
        Chore::Docs(args) => docs::run(args),
        Chore::Replay(args) => replay::run(args),
        Chore::Mutants(args) => mutants::run(args),
        Chore::Asan(args) => asan::run(args),
        Chore::Floors(args) => floors::run(&args),
        Chore::Fuzz(args) => fuzz::run(args),
        Chore::Count(args) => count::run(&args),
        Chore::Tidy(args) => tidy::run(args),
        Chore::Ci(args) => ci::run(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
