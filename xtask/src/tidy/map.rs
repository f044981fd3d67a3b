//! Checks that docs/ARCHITECTURE.md and README.md name every crate, and that every path in a page exists.

use super::{Files, Finding};

/// The pages that must name every crate.
const MAPS: [&str; 2] = ["docs/ARCHITECTURE.md", "README.md"];

/// The paths that builds and chores make.
const MADE: [&str; 5] = ["target/", "crates/gdf-kernels/images", ".bundle", "images/", "run.sh"];

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let mut findings: Vec<Finding> = MAPS
        .iter()
        .flat_map(|path| match repository.get(*path) {
            Some(map) => unnamed_crates(repository, path, map),
            None => vec![Finding::file(path, "the file does not exist, and it must name every crate")],
        })
        .collect();
    let is_page = |path: &str| path == "README.md" || (path.starts_with("docs/") && path.ends_with(".md"));
    for (page, text) in repository.iter().filter(|(path, _)| is_page(path)) {
        for (line, path) in named_paths(text).into_iter().filter(|(_, path)| !exists(repository, page, path)) {
            findings.push(Finding::new(page, line, format!("names `{path}`, which does not exist")));
        }
    }
    findings
}

fn unnamed_crates(repository: &Files, path: &str, map: &str) -> Vec<Finding> {
    let crates = repository.keys().filter_map(|path| path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"));
    let named: Vec<&str> = (0..).zip(map.split('`')).filter(|(at, _)| at % 2 == 1).map(|(_, word)| word).collect();
    crates
        .filter(|name| {
            let folder = format!("crates/{name}");
            !named.iter().any(|word| word == name || word.trim_end_matches('/') == folder)
        })
        .map(|name| Finding::file(path, format!("does not name the crate `{name}`")))
        .collect()
}

/// Returns the words in backticks that look like paths, with their lines.
fn named_paths(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let words = line.split('`').skip(1).step_by(2);
            found.extend(words.filter(|word| looks_like_path(word)).map(|word| (number, word.to_owned())));
        }
    }
    found
}

/// Returns whether a word looks like a path.
fn looks_like_path(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let extension = [".rs", ".cu", ".cuh", ".md", ".toml", ".sh"].iter().any(|end| word.ends_with(end));
    let folder = ["crates/", "kernels/", "xtask/", "docs/", "tests/", ".ci/", ".cargo/"]
        .iter()
        .any(|start| word.starts_with(start));
    let is_bare = word.starts_with('.') && !word.contains('/');
    !word.is_empty() && word.chars().all(plain) && !word.contains("..") && !is_bare && (folder || extension)
}

/// Returns whether a file or folder has this path.
fn exists(repository: &Files, page: &str, path: &str) -> bool {
    if MADE.iter().any(|made| path.starts_with(made)) {
        return true;
    }
    let beside = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    [String::new(), format!("{beside}/"), "crates/".to_owned()].iter().any(|start| {
        let candidate = format!("{start}{path}");
        let file = candidate.trim_end_matches('/').trim_start_matches('/');
        let folder = format!("{file}/");
        repository.contains_key(file) || repository.keys().any(|known| known.starts_with(&folder))
    })
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn paths_are_distinguished_from_other_words() {
        for word in ["crates/gdf/src/lib.rs", "kernels/include", "CHANGELOG.md", ".ci/run", "gdf-core/src/"] {
            assert_eq!(looks_like_path(word), word != "gdf-core/src/", "{word}");
        }
        for word in
            ["copying/<op>.cu", "a::b", "crates/*/src", "", "read_on", "../x.rs", "and/or", ".rs", "cargo xtask tidy"]
        {
            assert!(!looks_like_path(word), "{word}");
        }
    }

    #[test]
    fn fenced_blocks_are_no_claims() {
        assert_eq!(named_paths("a `x.rs` b `y`\n```\n`z.rs`\n```\n`w.md`\n"), [(1, "x.rs".into()), (5, "w.md".into())]);
    }

    #[test]
    fn a_gone_path_and_an_unnamed_crate_are_found() {
        let repository = repository_of([
            (MAPS[0], "`gdf` and `crates/gdf-core` and `docs/gone.md` and `kernels/include/` and `target/x.rs`\n"),
            (MAPS[1], "`gdf`, `gdf-new`\n"),
            ("crates/gdf/Cargo.toml", ""),
            ("crates/gdf-core/Cargo.toml", ""),
            ("crates/gdf-new/Cargo.toml", ""),
            ("kernels/include/a.cuh", ""),
        ]);
        let found: Vec<_> = check(&repository).into_iter().map(|finding| (finding.path, finding.what)).collect();
        let expected = [
            (MAPS[0], "does not name the crate `gdf-new`"),
            (MAPS[1], "does not name the crate `gdf-core`"),
            (MAPS[0], "names `docs/gone.md`, which does not exist"),
        ];
        assert_eq!(found, expected.map(|(path, what)| (path.to_owned(), what.to_owned())));
    }

    #[test]
    fn pages_may_name_their_neighbors() {
        let repository =
            repository_of([("docs/guide/a.md", "see `b.md`\n"), ("docs/guide/b.md", ""), (MAPS[0], ""), (MAPS[1], "")]);
        assert_eq!(check(&repository), []);
    }
}
