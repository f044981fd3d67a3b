//! Checks that the quotes and figures in pages agree with the files to which the pages refer.

use super::{Files, Finding};
use crate::docs::{is_page, written};

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let pages = repository.iter().filter(|(path, _)| is_page(path));
    pages.filter_map(|(path, text)| difference(repository, path, text)).collect()
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
}
