//! `cargo xtask asan`: tests of memory that others laid out, under AddressSanitizer.
//!
//! The sanitizer comes with nightly. Everything is built once more, for a target folder of its own, and a little
//! optimized: the tests of malformed columns run through every operation.

use anyhow::{Context, Result, bail, ensure};

use crate::nightly::{self, nightly};
use crate::repository::root;

/// Programs of tests, each with parts of the names of its tests (nothing: all) and with the tests to leave out.
const TESTED: [Tested; 4] = [
    Tested { package: "gdf-core", target: &["--lib"], chosen: &[], skipped: &[] },
    // The sanitizer's own allocator ends the program where more memory is asked for than there is, unless told
    // otherwise.
    Tested { package: "gdf-memory", target: &["--lib"], chosen: &[], skipped: &["conformance::"] },
    Tested { package: "gdf-interop", target: &["--lib"], chosen: &[], skipped: &[] },
    Tested { package: "gdf-tests", target: &["--test", "it"], chosen: &["malformed"], skipped: &[] },
];

struct Tested {
    package: &'static str,
    target: &'static [&'static str],
    chosen: &'static [&'static str],
    skipped: &'static [&'static str],
}

/// Flags of `cargo xtask asan`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these packages
    #[arg(long, value_delimiter = ',')]
    package: Vec<String>,
    /// Only tests whose names contain one of these, instead of the usual ones
    filters: Vec<String>,
}

/// Runs the tests; an access outside of memory ends its program with a report.
pub(crate) fn run(args: Args) -> Result<()> {
    if let Some(why) = nightly::missing() {
        bail!("{why}");
    }
    if let Some(name) = args.package.iter().find(|name| TESTED.iter().all(|tested| tested.package != **name)) {
        bail!("{name} has no tests to run under AddressSanitizer");
    }
    let host = nightly::host()?;
    for tested in
        TESTED.iter().filter(|tested| args.package.is_empty() || args.package.iter().any(|name| name == tested.package))
    {
        let mut command = nightly("cargo");
        command.args(["test", "--package", tested.package]).args(tested.target).args(["--target", &host, "--"]);
        if args.filters.is_empty() {
            command.args(tested.chosen);
        } else {
            command.args(&args.filters);
        }
        for test in tested.skipped {
            command.args(["--skip", test]);
        }
        command.env("RUSTFLAGS", "-Zsanitizer=address").env("CARGO_TARGET_DIR", root().join("target/asan"));
        command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1").env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
        // What lives as long as the process is no leak, and a request for too much memory is refused as elsewhere.
        command.env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1");
        let passed =
            nightly::passed(&mut command).with_context(|| format!("{} under AddressSanitizer", tested.package))?;
        ensure!(passed > 0 || !args.filters.is_empty(), "{} ran no test {:?}", tested.package, tested.chosen);
    }
    Ok(())
}
