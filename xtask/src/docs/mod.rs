//! `cargo xtask docs`: updates the quotes and figures in pages. The current text comes from the files to which the
//! pages refer.
//!
//! Markdown comments mark quotes and figures. The comment `quote: PATH … FIRST … LAST` precedes a fenced block. The
//! block contains lines of the file PATH. The first line of the block is the line that contains FIRST. The last line of
//! the block is the next line that contains LAST. There is an exception: if a later line with LAST has the same
//! indentation as the first line, the next such line is the last line of the block. Without LAST, the block has one
//! line. Several comments in a row make one block.
//!
//! The comment `figure: KIND …` precedes text that ends with the comment `/figure`. The text is a number, a
//! table or a drawing, as the module `figures` describes. The chore `cargo xtask tidy` compares the pages with the files, and this chore
//! writes the pages.

mod drawing;
mod figures;

use std::fs;

use anyhow::{Context, Result, bail};

use crate::repository::{Files, files, root};

/// Flags of `cargo xtask docs`: none.
#[derive(clap::Args)]
pub(crate) struct Args {}

const QUOTE: &str = "<!-- quote: ";
const FIGURE: &str = "<!-- figure: ";
const FIGURE_END: &str = "<!-- /figure -->";
const END: &str = " -->";
/// The separator between the parts of a quote's comment.
const BETWEEN: &str = " … ";

/// Writes the pages that are out of date.
pub(crate) fn run(_args: Args) -> Result<()> {
    let files = files()?;
    for (path, text) in files.iter().filter(|(path, _)| is_page(path)) {
        let written = written(&files, text).with_context(|| path.clone())?;
        if written != *text {
            println!("{path}");
            fs::write(root().join(path), written).with_context(|| format!("could not write {path}"))?;
        }
    }
    Ok(())
}

/// Returns whether the chore updates the quotes and figures of this file.
pub(crate) fn is_page(path: &str) -> bool {
    path.ends_with(".md")
}

pub(crate) fn written(files: &Files, page: &str) -> Result<String> {
    with_figures(files, &with_quotes(files, page)?)
}

fn with_quotes(files: &Files, page: &str) -> Result<String> {
    let mut out = String::new();
    let mut lines = page.lines();
    let mut quoted = Vec::new();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some(quote) = line.strip_prefix(QUOTE) {
            quoted.push(region(files, quote.strip_suffix(END).context("a quote marker has no ` -->`")?)?);
        } else if !quoted.is_empty() {
            if !line.starts_with("```") {
                bail!("a fenced block must follow a quote marker immediately; found: {line}");
            }
            out.push_str(&quoted.join("\n"));
            quoted.clear();
            let closing = lines.find(|line| line.starts_with("```")).context("a fenced block has no closing fence")?;
            out.push_str(closing);
            out.push('\n');
        }
    }
    if !quoted.is_empty() {
        bail!("the page ends after a quote marker; a fenced block must follow the marker");
    }
    Ok(out)
}

/// Returns the lines of a quote.
fn region(files: &Files, quote: &str) -> Result<String> {
    let parts: Vec<&str> = quote.split(BETWEEN).collect();
    let (path, first, last) = match parts[..] {
        [path, first] => (path, first, None),
        [path, first, last] => (path, first, Some(last)),
        _ => bail!("a quote marker must be `PATH … FIRST` or `PATH … FIRST … LAST`; found: {quote}"),
    };
    let text = files.get(path).with_context(|| format!("a quote marker refers to {path}, which does not exist"))?;
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].contains(first)).collect();
    let [start] = starts[..] else {
        bail!("{path} has {} lines with `{first}`; exactly 1 line must contain the start of a quote", starts.len())
    };
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let depth = indentation(lines[start]);
    let end = match last {
        None => start,
        Some(last) => {
            let mut ends = (start + 1..lines.len()).filter(|&at| lines[at].contains(last));
            let nearest = ends.clone().next();
            let level = ends.find(|&at| indentation(lines[at]) == depth);
            level
                .or(nearest)
                .with_context(|| format!("{path} has no line with `{last}` after the line with `{first}`"))?
        }
    };
    Ok(lines[start..=end].iter().map(|line| line.get(depth..).unwrap_or_default().to_owned() + "\n").collect())
}

fn with_figures(files: &Files, page: &str) -> Result<String> {
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find(FIGURE) {
        let (before, marked) = rest.split_at(at);
        let (marker, after) = marked.split_once(END).context("the marker of a figure has no end")?;
        let (old, after) =
            after.split_once(FIGURE_END).with_context(|| format!("the marker {marker} has no {FIGURE_END}"))?;
        let new = figures::figure(files, &marker[FIGURE.len()..])?;
        // A table must begin and end at a line break.
        let line = if old.starts_with('\n') { "\n" } else { "" };
        for part in [before, marker, END, line, new.trim_end(), line, FIGURE_END] {
            out.push_str(part);
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_of<const N: usize>(files: [(&str, &str); N]) -> Files {
        files.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
    }

    #[test]
    fn quotes_are_the_lines_of_the_file() {
        let files = files_of([("a.rs", "  fn f() {\n    if x {\n    }\n\n  }\nconst A: u8 = 1;\n")]);
        let page =
            "# T\n<!-- quote: a.rs … fn f … } -->\n<!-- quote: a.rs … const A -->\n```rust,ignore\nold\n```\nEnd\n";
        let expected = page.replace("old", "fn f() {\n  if x {\n  }\n\n}\n\nconst A: u8 = 1;");
        assert_eq!(written(&files, page).unwrap(), expected);
        assert_eq!(written(&files, &expected).unwrap(), expected);
    }

    #[test]
    fn a_last_line_may_be_deeper_where_none_is_level() {
        let files = files_of([("a.cu", "F(a,\n  { b });\nc\n")]);
        let page = written(&files, "<!-- quote: a.cu … F( … b -->\n```\n```\n").unwrap();
        assert!(page.ends_with("```\nF(a,\n  { b });\n```\n"), "{page}");
    }

    #[test]
    fn quotes_of_what_is_gone_are_errors() {
        let files = files_of([("a.rs", "let a;\nlet b;\n")]);
        for quote in ["b.rs … let a", "a.rs … let c", "a.rs … let", "a.rs … let a … }", "a.rs"] {
            assert!(written(&files, &format!("<!-- quote: {quote} -->\n```\n```\n")).is_err(), "{quote}");
        }
        for after in ["", "text\n", "```\nopen\n"] {
            assert!(written(&files, &format!("<!-- quote: a.rs … let a -->\n{after}")).is_err(), "{after}");
        }
    }

    #[test]
    fn figures_stand_in_lines_or_on_their_own() {
        let files = files_of([("a.rs", "const A: u8 = 3;\n")]);
        let page = "of <!-- figure: constant a.rs A -->7<!-- /figure --> and\n\
                    <!-- figure: constant a.rs A -->\n8\n<!-- /figure -->\n";
        assert_eq!(written(&files, page).unwrap(), page.replace(['7', '8'], "3"));
        assert!(written(&files, "<!-- figure: constant a.rs A -->7").is_err());
    }
}
