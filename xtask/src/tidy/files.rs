//! Checks each file by itself: header, length, whitespace, leftover notes and skipped tests.

use super::{Files, Finding};
use crate::text::code_only;

const LONGEST: usize = 600;

/// The marks of leftover notes.
const NOTES: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("todo", "!("), concat!("unimple", "mented!(")];

const BARE_IGNORE: &str = concat!("#[ig", "nore]");

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    repository.iter().flat_map(|(path, text)| check_file(path, text)).collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let kind = path.rsplit_once('.').map_or("", |(_, kind)| kind);
    let is_code = matches!(kind, "rs" | "cu" | "cuh");
    let is_ours = is_code || matches!(kind, "md" | "toml" | "sh" | "yml") || path == ".ci/run";
    if !is_ours {
        return Vec::new();
    }
    let mut findings = form(path, text);
    if kind != "md" {
        findings.extend(notes(path, text));
    }
    let is_generated = path.contains("/src/generated/");
    if is_code && !is_generated && text.lines().count() > LONGEST {
        let what = format!("the file has {} lines, and the limit is {LONGEST}: split the file", text.lines().count());
        findings.push(Finding::file(path, what));
    }
    if kind == "rs" {
        if !has_header(text) {
            findings.push(Finding::new(path, 1, "must begin with a `//!` comment about its purpose"));
        }
        let code = code_only(text);
        for (line, _) in (1..).zip(code.lines()).filter(|(_, code)| code.contains(BARE_IGNORE)) {
            findings.push(Finding::new(path, line, "a skipped test must have a reason: `#[ignore = \"…\"]`"));
        }
    }
    findings
}

fn form(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        if line.contains('\t') {
            findings.push(Finding::new(path, number, "tab"));
        }
        if line.ends_with([' ', '\t', '\r']) {
            findings.push(Finding::new(path, number, "whitespace at the end of the line"));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        findings.push(Finding::file(path, "no newline at the end"));
    }
    if text.ends_with("\n\n") {
        findings.push(Finding::file(path, "empty lines at the end"));
    }
    findings
}

fn notes(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for note in NOTES.into_iter().filter(|note| line.contains(note)) {
            findings.push(Finding::new(path, number, format!("`{note}`: finish the work, or write an issue")));
        }
    }
    findings
}

/// Returns whether `text` begins with a `//!` comment.
fn has_header(text: &str) -> bool {
    let mut open = 0_isize;
    for line in text.lines() {
        let in_attribute = open > 0;
        if !in_attribute && !line.starts_with("#![") {
            return line.starts_with("//!");
        }
        let brackets = |c| line.matches(c).count() as isize;
        open += brackets('[') - brackets(']');
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(path: &str, text: &str) -> Vec<String> {
        check_file(path, text).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn a_good_file_passes() {
        assert_eq!(whats("a.rs", "//! What for.\nfn f() {}\n"), Vec::<String>::new());
        assert_eq!(whats("a.md", "A page.\n"), Vec::<String>::new());
    }

    #[test]
    fn headers_may_follow_attributes() {
        assert!(has_header("#![forbid(unsafe_code)]\n//! What for.\n"));
        assert!(has_header("#![allow(\n    x,\n)]\n//! What for.\n"));
        assert!(has_header("#![cfg_attr(\n    a,\n    allow(b)\n)]\n//! What for.\n"));
        assert!(!has_header("\n//! What for.\n"));
        assert!(!has_header("use x;\n"));
        assert!(!has_header(""));
    }

    #[test]
    fn whitespace_is_found() {
        assert_eq!(whats("a.md", "x \n"), ["whitespace at the end of the line"]);
        assert_eq!(whats("a.toml", "x\n\ty\n"), ["tab"]);
        assert_eq!(whats("a.sh", "x"), ["no newline at the end"]);
        assert_eq!(whats("a.sh", "x\n\n"), ["empty lines at the end"]);
        assert_eq!(whats("a.sh", "x\r\n"), ["whitespace at the end of the line"]);
        assert_eq!(whats("a.bin", "x"), Vec::<String>::new());
    }

    #[test]
    fn notes_are_found_in_code_and_not_in_pages() {
        let line = format!("// {} later\n", NOTES[0]);
        assert_eq!(whats("kernels/a.cu", &line).len(), 1);
        assert_eq!(whats("a.md", &line).len(), 0);
        let call = format!("//! A.\nfn f() {{ {}) }}\n", NOTES[2]);
        assert_eq!(whats("a.rs", &call).len(), 1);
    }

    #[test]
    fn long_files_are_found() {
        let lines = "x\n".repeat(LONGEST);
        assert_eq!(whats("a.cuh", &lines).len(), 0);
        assert_eq!(whats("a.cuh", &(lines + "x\n")).len(), 1);
    }

    #[test]
    fn a_skip_needs_a_reason() {
        let text = format!("//! A.\n{BARE_IGNORE}\nfn a() {{}}\n");
        assert_eq!(whats("a.rs", &text).len(), 1);
        assert_eq!(whats("a.rs", "//! A.\n#[ignore = \"slow\"]\nfn a() {}\n").len(), 0);
        let comment = format!("//! A.\n// never {BARE_IGNORE}\n");
        assert_eq!(whats("a.rs", &comment).len(), 0);
    }
}
