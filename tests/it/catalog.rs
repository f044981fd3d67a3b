//! Runs all catalog entries on the chosen device. The tests compare the results with the naive oracles and the costs
//! with the committed costs.

use gdf_test::costs::is_blessing;
use gdf_test::device::{cuda_device, test_device};
use gdf_test::runner::{RunnerOptions, coverage_report, run_entries};
use gdf_tests::SNAPSHOTS;

fn run(capability: &str) {
    let (device, options) = (test_device(), RunnerOptions::from_env().compared_with(&SNAPSHOTS));
    let entries = gdf_tests::catalog::all();
    let named = |name: &str| name.split('.').next() == Some(capability);
    assert!(entries.iter().any(|entry| named(entry.name)), "the capability {capability} has no entry");
    assert!(entries.iter().any(|entry| options.wants_entry(entry.name)), "no entry has the name {:?}", options.entries);
    let (mut failures, mut costs, mut bytes, mut wanted, mut cases) = (Vec::new(), Vec::new(), Vec::new(), 0, 0);
    let selected: Vec<_> =
        entries.iter().filter(|entry| named(entry.name) && options.wants_entry(entry.name)).collect();
    for (entry, report) in selected.iter().zip(run_entries(&selected, device, &options)) {
        println!("{report}");
        (wanted, cases) = (wanted + 1, cases + report.cases);
        costs.extend_from_slice(&report.costs);
        bytes.extend_from_slice(&report.bytes);
        // A filter on labels may match no case of this entry, so an entry without cases is no failure if there is a
        // filter.
        if !report.passed() && (report.cases > 0 || options.cases.is_none()) {
            failures.push(entry.name);
        }
    }
    assert!(wanted == 0 || cases > 0, "no case label contains {:?} (capability {capability})", options.cases);
    let blesses = is_blessing();
    if !options.is_narrowed() || (blesses && options.has_all_cases()) {
        let compared = SNAPSHOTS.bless_or_check_use(capability, device, &costs, options.is_narrowed());
        compared.unwrap_or_else(|error| panic!("tests/costs/{capability}.tsv: {error}"));
        let written = SNAPSHOTS.bless_bounds(capability, device, &bytes, options.is_narrowed());
        written.unwrap_or_else(|error| panic!("tests/bounds/{capability}.tsv: {error}"));
    }
    assert!(!blesses || options.has_all_cases(), "costs are written only if all cases run");
    assert!(failures.is_empty(), "failed on {device}: {failures:?}");
}

macro_rules! capabilities {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            run(stringify!($name));
        }
    )*

        #[test]
        fn every_entry_belongs_to_a_test() {
            let known = [$(stringify!($name)),*];
            for entry in gdf_tests::catalog::all() {
                let capability = entry.name.split('.').next().unwrap_or_default();
                assert!(
                    known.contains(&capability),
                    "no test runs {}; add its capability to the list of `capabilities!`",
                    entry.name
                );
            }
        }
    };
}

capabilities! {
    binaryop
    concatenate
    contiguous_split
    copying
    datetime
    dictionary
    filling
    groupby
    hashing
    join
    json
    labeling
    lists
    maps
    merge
    null_mask
    partitioning
    pipeline
    predicate
    quantiles
    reduction
    replace
    reshape
    rolling
    round
    scan
    search
    sorting
    stream_compaction
    strings
    structs
    transform
    unary
    validation
}

#[test]
fn every_kernel_runs() {
    let Some(device) = cuda_device("coverage of the kernels") else { return };
    let mut options = RunnerOptions::from_env().compared_with(&SNAPSHOTS);
    (options.inject, options.slices) = (false, false);
    let entries = gdf_tests::catalog::all();
    let entries: Vec<_> = entries.iter().filter(|entry| options.wants_entry(entry.name)).collect();
    for report in run_entries(&entries, device, &options) {
        assert!(report.passed() || (report.cases == 0 && options.cases.is_some()), "{report}");
    }
    let mut coverage = coverage_report();
    let mut elsewhere = |why: &str, kernel: &dyn Fn(&str, &str) -> bool| {
        coverage.missed.retain(|(capability, name)| {
            let found = kernel(capability, name);
            if found {
                println!("not run here: {capability} {name}: {why}");
            }
            !found
        });
    };
    elsewhere("other tests launch it", &|capability, _| capability == "testing");
    elsewhere("`large` launches it", &|_, name| name.starts_with("scatter_window_"));
    elsewhere("`computed_groups` launches it", &|_, name| name == "aggregate_computed_kernel");
    elsewhere("`joins` launches it", &|_, name| name == "distinct_bits_kernel");
    let of_many_rows = ["split_text_sizes_kernel", "tokens_text_sizes_kernel"];
    elsewhere("`text_estimates` launches it", &|capability, name| {
        let in_place = name.starts_with("to_case_") && name.ends_with("_bytes_kernel");
        capability == "strings" && (in_place || of_many_rows.contains(&name))
    });
    let of_sorting = [
        "sort_encode_runs_k32_kernel",
        "sort_rows_kernel",
        "sort_text_mark_kernel",
        "sort_text_ranks_kernel",
        "sort_text_refine_kernel",
        "sort_text_runs_kernel",
        "sort_ties_sample_kernel",
    ];
    elsewhere("`sorting` launches it", &|capability, name| capability == "sorting" && of_sorting.contains(&name));
    elsewhere("needs 2^32 - 1 rows", &|capability, name| capability == "sorting" && name.ends_with("_wide_kernel"));
    println!("{coverage}");
    assert!(options.is_narrowed() || coverage.is_complete(), "{coverage}");
}

/// Checks the names only. The costs of an entry are compared when the entry runs.
#[test]
fn counted_entries_are_those_of_the_catalog() {
    let compared = SNAPSHOTS.bless_or_check_names(&gdf_tests::catalog::all());
    compared.unwrap_or_else(|error| panic!("tests/counts.tsv: {error}"));
}

#[test]
fn committed_files_are_whole_and_of_the_catalog() {
    assert!(is_blessing() || SNAPSHOTS.check_files(&gdf_tests::catalog::all()) == Ok(()));
}
