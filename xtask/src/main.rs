#![forbid(unsafe_code)]
//! Chores of the gdf workspace: `cargo xtask <chore>`. Each chore is a module and a subcommand.

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
mod manifests;
mod modules;
mod mutants;
mod nightly;
mod peers;
mod python;
mod replay;
mod repository;
mod sqlite_tests;
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
    /// Find the CUDA compiler, or install the compiler without root rights
    Toolkit(toolkit::Args),
    /// Generate the host declarations of kernels from the kernel sources
    Codegen(codegen::Args),
    /// Compile the kernels to one fat binary per capability
    Kernels(kernels::Args),
    /// Run every test on the chosen device
    Test(test::Args),
    /// Write one relocatable folder for a GPU machine without Rust
    Bundle(bundle::Args),
    /// Time the operations, or compare two files of times
    Bench(bench::Args),
    /// Run a corpus of cases that have recorded answers of libcudf
    Conformance(conformance::Args),
    /// Write the guide's page with the costs of functions
    Costs(costs::Args),
    /// Update the quotes and figures of pages from the files that the pages refer to
    Docs(docs::Args),
    /// Time memory resources on a log of allocations
    Replay(replay::Args),
    /// Apply known faults to a copy of the sources, and check that the test of each fault fails
    Mutants(mutants::Args),
    /// Run tests of foreign memory under AddressSanitizer
    Asan(asan::Args),
    /// Show which modules of a crate use which modules
    Floors(floors::Args),
    /// Run the fuzz targets for some seconds each
    Fuzz(fuzz::Args),
    /// Count the source text per operation
    Count(count::Args),
    /// Check rules of the repository: dependencies of crates, paths in pages, the catalog, files, unsafe
    Tidy(tidy::Args),
    /// Run all checks that a change must pass, with the time of each check
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
