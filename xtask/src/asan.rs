//! `cargo xtask asan`: runs tests under AddressSanitizer. The tests use memory that other libraries allocate.

use anyhow::{Context, Result, bail, ensure};

use crate::nightly::{self, nightly};
use crate::repository::root;

/// The test programs.
const TESTED: [Tested; 4] = [
    Tested { package: "gdf-core", target: &["--lib"], chosen: &[], skipped: &[] },
    // By default, the allocator of the sanitizer ends the program if a request exceeds the available memory.
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
    /// Test only these packages
    #[arg(long, value_delimiter = ',')]
    package: Vec<String>,
    /// Run only tests whose names contain one of these texts, instead of the usual tests
    filters: Vec<String>,
}

/// Runs the tests.
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
        // Memory that is kept until the end of the process is not a leak. A request for too much memory must return
        // null, as with other allocators.
        command.env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1");
        let passed = nightly::passed(&mut command)
            .with_context(|| format!("the tests of {} failed under AddressSanitizer", tested.package))?;
        ensure!(
            passed > 0 || !args.filters.is_empty(),
            "the package {} has no test that matches {:?}",
            tested.package,
            tested.chosen
        );
    }
    Ok(())
}
