//! Replacement of the matches of a regular expression.

use gdf_core::{Column, ColumnView, Error, Result};
use gdf_engine::regex::{Regex, Template, TemplatePart, replace};

use crate::Ctx;

/// Replaces the first `limit` matches of each row, or all matches, by a text. Implements
/// `gdf_api::strings::replace_re`, and returns the same errors.
pub fn replace_re(
    column: ColumnView<'_>,
    regex: &Regex,
    replacement: &str,
    limit: Option<usize>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let template = Template { text: replacement, parts: vec![TemplatePart::Text(0..replacement.len())] };
    replace("replace_re", column, regex, &template, limit, ctx)
}

/// Replaces each match by a template with groups. Implements `gdf_api::strings::replace_with_backrefs`, and returns the
/// same errors.
pub fn replace_with_backrefs(column: ColumnView<'_>, regex: &Regex, template: &str, ctx: Ctx<'_>) -> Result<Column> {
    let template = parse(template, regex.groups()).map_err(|error| error.in_argument("template"))?;
    replace("replace_with_backrefs", column, regex, &template, None, ctx)
}

/// Parses a template.
fn parse(text: &str, groups: usize) -> Result<Template<'_>> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < text.len() {
        let Some((group, len)) = reference(&text.as_bytes()[at..]) else {
            at += 1;
            continue;
        };
        if group > groups {
            return Err(Error::invalid_pattern(text, Some(at), format!("the regular expression has no group {group}")));
        }
        parts.extend([TemplatePart::Text(begin..at), TemplatePart::Group(group)]);
        at += len;
        begin = at;
    }
    parts.push(TemplatePart::Text(begin..text.len()));
    parts.retain(|part| !matches!(part, TemplatePart::Text(range) if range.is_empty()));
    Ok(Template { text, parts })
}

/// Returns the group of the reference with which a text begins, and the number of bytes of the reference.
fn reference(text: &[u8]) -> Option<(usize, usize)> {
    let (digits, end) = match text {
        [b'\\', digits @ ..] => (digits, 0),
        [b'$', b'{', digits @ ..] => (digits, 1),
        _ => return None,
    };
    let count = digits.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
    let number = digits.iter().take(count).fold(0, |number, digit| number * 10 + usize::from(digit - b'0'));
    let is_closed = end == 0 || digits.get(count) == Some(&b'}');
    (count > 0 && is_closed).then_some((number, 1 + end + count + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_text_and_groups() {
        let parts = |text| parse(text, 12).unwrap().parts;
        assert_eq!(parts(""), []);
        assert_eq!(parts("a$b\\"), [TemplatePart::Text(0..4)]);
        assert_eq!(parts(r"\1"), [TemplatePart::Group(1)]);
        assert_eq!(
            parts(r"é\0${12}${3"),
            [TemplatePart::Text(0..2), TemplatePart::Group(0), TemplatePart::Group(12), TemplatePart::Text(9..12)]
        );
        assert_eq!(parts(r"\123"), [TemplatePart::Group(12), TemplatePart::Text(3..4)]);
        let error = parse(r"ab\3", 2).unwrap_err();
        assert_eq!(error.to_string(), r"invalid pattern `ab\3` at byte 2: the regular expression has no group 3");
    }
}
