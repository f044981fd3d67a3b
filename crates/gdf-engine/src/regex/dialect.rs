//! The syntax of patterns. Two kinds of constructs are rewritten, and regex-syntax parses the result.

use gdf_core::{Error, Result};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSetItem, ErrorKind, Visitor};
use regex_syntax::hir::Hir;
use regex_syntax::hir::translate::TranslatorBuilder;

use super::RegexFlags;

/// Parses a pattern to its intermediate representation.
///
/// # Errors
/// * [`InvalidPattern`](Error::InvalidPattern) with the byte offset at which the error begins.
pub(super) fn parse(pattern: &str, flags: RegexFlags) -> Result<Hir> {
    let (mut text, mut ast) = read(pattern)?;
    if flags.ascii {
        let classes = AsciiClasses { replacements: Vec::new() };
        let Ok(replacements) = ast::visit(&ast, classes);
        for (start, end, replacement) in replacements.into_iter().rev() {
            text.replace_range(start..end, replacement);
        }
        (text, ast) = read(&text)?;
    }
    let translated = TranslatorBuilder::new()
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.multiline)
        .dot_matches_new_line(flags.dot_all)
        .build()
        .translate(&text, &ast);
    translated.map_err(|error| {
        // The parser reports positions in the rewritten text. If the lengths differ, these are not positions in the
        // original pattern.
        let offset = (text.len() == pattern.len()).then(|| error.span().start.offset);
        Error::invalid_pattern(pattern, offset, error.kind().to_string())
    })
}

/// Replaces `\Z`, which is Python's syntax, by `\z`, and parses the pattern.
fn read(pattern: &str) -> Result<(String, Ast)> {
    let mut text = pattern.to_owned();
    loop {
        let error = match Parser::new().parse(&text) {
            Ok(ast) => return Ok((text, ast)),
            Err(error) => error,
        };
        let range = error.span().start.offset..error.span().end.offset;
        if *error.kind() != ErrorKind::EscapeUnrecognized || text.get(range.clone()) != Some("\\Z") {
            return Err(Error::invalid_pattern(pattern, Some(range.start), error.kind().to_string()));
        }
        text.replace_range(range, "\\z");
    }
}

/// Finds `\d`, `\s`, `\w`, `\b` and their negations, and the ASCII classes that replace them.
struct AsciiClasses {
    /// The ranges of the pattern's text to be replaced, and their replacements, in ascending order.
    replacements: Vec<(usize, usize, &'static str)>,
}

impl AsciiClasses {
    fn replace(&mut self, span: &ast::Span, replacement: &'static str) {
        self.replacements.push((span.start.offset, span.end.offset, replacement));
    }

    fn class(&mut self, class: &ClassPerl) {
        // Without letter case, a bracketed class also contains characters outside of ASCII that fold to its letters. A
        // group cannot change this within brackets.
        let replacement = match (&class.kind, class.negated) {
            (ClassPerlKind::Word, false) => "(?-i:[0-9A-Za-z_])",
            (ClassPerlKind::Word, true) => "(?-i:[^0-9A-Za-z_])",
            _ => bracketed(class),
        };
        self.replace(&class.span, replacement);
    }
}

/// Returns the characters of a class as a class in brackets. The blank is escaped, because blanks are skipped in
/// verbose patterns.
fn bracketed(class: &ClassPerl) -> &'static str {
    match (&class.kind, class.negated) {
        (ClassPerlKind::Digit, false) => "[0-9]",
        (ClassPerlKind::Digit, true) => "[^0-9]",
        (ClassPerlKind::Space, false) => r"[\t\n\v\f\r\x20]",
        (ClassPerlKind::Space, true) => r"[^\t\n\v\f\r\x20]",
        (ClassPerlKind::Word, false) => "[0-9A-Za-z_]",
        (ClassPerlKind::Word, true) => "[^0-9A-Za-z_]",
    }
}

impl Visitor for AsciiClasses {
    type Output = Vec<(usize, usize, &'static str)>;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Self::Output, Self::Err> {
        Ok(self.replacements)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        match ast {
            Ast::ClassPerl(class) => self.class(class),
            Ast::Assertion(assertion) => match assertion.kind {
                AssertionKind::WordBoundary => self.replace(&assertion.span, r"(?-u:\b)"),
                AssertionKind::NotWordBoundary => self.replace(&assertion.span, r"(?-u:\B)"),
                AssertionKind::WordBoundaryStart | AssertionKind::WordBoundaryStartAngle => {
                    self.replace(&assertion.span, r"(?-u:\b{start})");
                }
                AssertionKind::WordBoundaryEnd | AssertionKind::WordBoundaryEndAngle => {
                    self.replace(&assertion.span, r"(?-u:\b{end})");
                }
                AssertionKind::WordBoundaryStartHalf => self.replace(&assertion.span, r"(?-u:\b{start-half})"),
                AssertionKind::WordBoundaryEndHalf => self.replace(&assertion.span, r"(?-u:\b{end-half})"),
                AssertionKind::StartLine
                | AssertionKind::EndLine
                | AssertionKind::StartText
                | AssertionKind::EndText => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        if let ClassSetItem::Perl(class) = item {
            self.replace(&class.span, bracketed(class));
        }
        Ok(())
    }
}
