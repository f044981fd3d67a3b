//! Checks that the quotes and figures in pages agree with the files to which the pages refer, that the changelog has
//! all its headings, that the page about memory names all resources, each of which the test suite of resources has
//! as a subject, as the page says, and that pages about benchmarks outside of the log are short.

use super::{Files, Finding};
use crate::docs::{is_page, written};

const CHANGELOG: &str = "CHANGELOG.md";

/// The headings of each version in the changelog, as the first lines of the changelog and
/// `docs/guide/deprecation.md` promise.
const HEADINGS: [&str; 5] = ["Added", "Breaking", "Changed", "Fixed", "Deprecated"];

const MEMORY: &str = "docs/guide/memory.md";

/// The test suite of which the page about memory says that all resources pass it.
const CONFORMANCE: &str = "crates/gdf-memory/src/tests/conformance/mod.rs";

/// The file that makes the resources public.
const RESOURCES: &str = "crates/gdf-memory/src/lib.rs";

/// The pages about the figures of today. The log, a folder in it, has every measurement.
const BENCHMARKS: &str = "docs/benchmarks/";

/// The largest number of words of a page about the figures of today.
const BENCHMARK_WORDS: usize = 1500;

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let pages = repository.iter().filter(|(path, _)| is_page(path));
    let mut findings: Vec<Finding> = pages.filter_map(|(path, text)| difference(repository, path, text)).collect();
    findings.extend(repository.get(CHANGELOG).into_iter().flat_map(|text| headings(text)));
    findings.extend(repository.iter().filter_map(|(path, text)| long_benchmark(path, text)));
    let public = repository.get(RESOURCES).map_or("", String::as_str);
    let text = |path: &str| repository.get(path).map_or("", String::as_str);
    for name in resources(public) {
        if !text(MEMORY).contains(&format!("`{name}`")) {
            findings.push(Finding::file(MEMORY, format!("does not name the resource `{name}`")));
        }
        if !text(CONFORMANCE).contains(&format!("{name}::")) {
            findings.push(Finding::file(CONFORMANCE, format!("has no subject of the type `{name}`")));
        }
    }
    findings
}

/// Returns a finding if the page is about the figures of today, and is longer than such a page may be.
fn long_benchmark(path: &str, text: &str) -> Option<Finding> {
    let is_of_today = path.strip_prefix(BENCHMARKS).is_some_and(|name| is_page(name) && !name.contains('/'));
    let words = text.split_whitespace().count();
    (is_of_today && words > BENCHMARK_WORDS).then(|| {
        let what =
            format!("has {words} words, at most {BENCHMARK_WORDS} are allowed; move what is not of today to log/");
        Finding::file(path, what)
    })
}

/// Returns a finding for each version of the changelog that has other headings.
fn headings(changelog: &str) -> Vec<Finding> {
    let versions = changelog.split("\n## ").skip(1);
    let wrong = versions.filter(|version| !version.lines().filter_map(|line| line.strip_prefix("### ")).eq(HEADINGS));
    let names = wrong.filter_map(|version| version.lines().next());
    names
        .map(|name| Finding::file(CHANGELOG, format!("the headings of `{name}` must be {}", HEADINGS.join(", "))))
        .collect()
}

/// Returns the names of the public resources.
fn resources(public: &str) -> impl Iterator<Item = &str> {
    let uses = public.split("\npub use ").skip(1).filter_map(|rest| rest.split_once(';'));
    let names = uses.flat_map(|(items, _)| items.split(|c: char| !c.is_alphanumeric()));
    names.filter(|name| name.ends_with("Resource") && !matches!(*name, "Resource" | "MemoryResource"))
}

fn difference(repository: &Files, path: &str, text: &str) -> Option<Finding> {
    let written = match written(repository, text) {
        Ok(written) => written,
        Err(error) => return Some(Finding::file(path, format!("{error:#}"))),
    };
    let line = (1..).zip(text.lines().zip(written.lines())).find(|(_, (is, said))| is != said).map(|(line, _)| line);
    (written != text).then(|| {
        Finding::new(
            path,
            line.unwrap_or_default(),
            "differs from the file that it quotes or counts: run `cargo xtask docs`",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn pages_that_fell_behind_are_found() {
        let page = "a\n<!-- figure: count b/*.rs -->2<!-- /figure -->\n";
        let gone = "<!-- quote: c.rs … fn f -->\n```\n```\n";
        let repository = repository_of([("x.md", page), ("y.md", gone), ("b/a.rs", ""), ("z.rs", page)]);
        let found: Vec<_> = check(&repository).into_iter().map(|finding| (finding.path, finding.line)).collect();
        assert_eq!(found, [("x.md".to_owned(), 2), ("y.md".to_owned(), 0)]);
        assert_eq!(check(&repository_of([("x.md", page), ("b/a.rs", ""), ("b/b.rs", "")])), []);
    }

    #[test]
    fn long_pages_about_benchmarks_are_found() {
        let [short, long] = [BENCHMARK_WORDS, BENCHMARK_WORDS + 1].map(|words| "word ".repeat(words) + "\n");
        let long = long.as_str();
        let repository = repository_of([
            ("docs/benchmarks/a.md", short.as_str()),
            ("docs/benchmarks/b.md", long),
            ("docs/benchmarks/log/b.md", long),
            ("docs/guide/b.md", long),
        ]);
        let found: Vec<_> = check(&repository).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["docs/benchmarks/b.md"]);
    }

    #[test]
    fn versions_have_all_headings() {
        let all = HEADINGS.map(|heading| format!("### {heading}\n\n- x\n")).concat();
        let changelog = format!("# Changelog\n\n## 2\n\n{all}\n## 1\n\n{all}\n");
        assert_eq!(check(&repository_of([(CHANGELOG, &changelog)])), []);
        let without = changelog.replacen("### Breaking", "#### Breaking", 1);
        let expected =
            Finding::file(CHANGELOG, "the headings of `2` must be Added, Breaking, Changed, Fixed, Deprecated");
        assert_eq!(check(&repository_of([(CHANGELOG, &without)])), [expected]);
    }

    #[test]
    fn resources_that_the_page_forgets_are_found() {
        let public = "mod a;\npub use a::{ArenaResource, MemoryResource, Resource};\npub use b::PoolResource;\n";
        let suite = "use crate::PoolResource;\nconform! { arena: ArenaResource::new(); }\n";
        let repository = repository_of([(MEMORY, "`PoolResource`\n"), (RESOURCES, public), (CONFORMANCE, suite)]);
        let expected = [
            Finding::file(MEMORY, "does not name the resource `ArenaResource`"),
            Finding::file(CONFORMANCE, "has no subject of the type `PoolResource`"),
        ];
        assert_eq!(check(&repository), expected);
    }
}
