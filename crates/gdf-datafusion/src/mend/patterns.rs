//! `SIMILAR TO`, and `LIKE` with another escape character than a backslash.
//!
//! DataFusion takes the pattern of `SIMILAR TO` for a regular expression that may match a part of the text. It has no
//! other escape character.

use datafusion::common::tree_node::Transformed;
use datafusion::common::{ScalarValue, not_impl_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::expr::Like;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, lit};

pub(super) fn mended(expr: Expr) -> Result<Transformed<Expr>> {
    match expr {
        Expr::SimilarTo(like) => similar_to(like),
        Expr::Like(like) if like.escape_char.is_some_and(|escape| escape != '\\') => with_backslash(like),
        expr => Ok(Transformed::no(expr)),
    }
}

/// Returns the text of a literal pattern: `None` if it is no literal, `Some(None)` if it is null.
fn literal(pattern: &Expr) -> Option<Option<&str>> {
    match pattern {
        Expr::Literal(ScalarValue::Null, _) => Some(None),
        Expr::Literal(value, _) => value.try_as_str(),
        _ => None,
    }
}

fn similar_to(like: Like) -> Result<Transformed<Expr>> {
    let pattern = match literal(&like.pattern) {
        None => {
            return not_impl_err!(
                "SIMILAR TO with a pattern that is no literal: `{}`; write the pattern as a literal, or use `~` with a \
                 regular expression",
                like.pattern
            );
        }
        Some(None) => lit(ScalarValue::Utf8(None)),
        Some(Some(pattern)) => lit(regular_expression(pattern, like.escape_char.unwrap_or('\\'))?),
    };
    let op = if like.negated { Operator::RegexNotMatch } else { Operator::RegexMatch };
    Ok(Transformed::yes(Expr::BinaryExpr(BinaryExpr::new(like.expr, op, Box::new(pattern)))))
}

/// Returns the regular expression that matches the texts that a pattern of `SIMILAR TO` matches as a whole.
fn regular_expression(pattern: &str, escape: char) -> Result<String> {
    let mut found = String::from("(?s)^(?:");
    let mut chars = pattern.chars();
    let mut in_set = false;
    let push_literal = |found: &mut String, of: char| {
        if of.is_ascii_punctuation() {
            found.push('\\');
        }
        found.push(of);
    };
    while let Some(of) = chars.next() {
        match of {
            of if of == escape => match chars.next() {
                Some(next) => push_literal(&mut found, next),
                None => return plan_err!("SIMILAR TO: the pattern '{pattern}' ends with its escape character"),
            },
            ']' if in_set => {
                in_set = false;
                found.push(of);
            }
            '&' | '~' | '\\' if in_set => push_literal(&mut found, of),
            // The set of a class such as `[[:alpha:]]` ends with the second bracket.
            '[' if in_set && chars.as_str().starts_with(':') => {
                let Some(end) = chars.as_str().find(":]") else {
                    return plan_err!("SIMILAR TO: the pattern '{pattern}' has a class of characters without an end");
                };
                found.push('[');
                found.push_str(&chars.as_str()[..end + 2]);
                chars = chars.as_str()[end + 2..].chars();
            }
            '[' if in_set => push_literal(&mut found, of),
            of if in_set => found.push(of),
            '[' => {
                in_set = true;
                found.push(of);
            }
            '%' => found.push_str(".*"),
            '_' => found.push('.'),
            '|' | '*' | '+' | '?' | '{' | '}' | '(' | ')' => found.push(of),
            of => push_literal(&mut found, of),
        }
    }
    found.push_str(")$");
    Ok(found)
}

fn with_backslash(like: Like) -> Result<Transformed<Expr>> {
    let escape = like.escape_char.unwrap_or('\\');
    let Some(pattern) = literal(&like.pattern) else {
        return not_impl_err!(
            "LIKE with a pattern that is no literal and the escape character '{escape}': `{}`; write the pattern as a \
             literal, or escape with a backslash",
            like.pattern
        );
    };
    let mut found = String::new();
    let text = pattern.unwrap_or_default();
    let mut chars = text.chars();
    while let Some(of) = chars.next() {
        let (of, is_escaped) = match of == escape {
            false => (of, of == '\\'),
            true => match chars.next() {
                Some(next) => (next, matches!(next, '%' | '_' | '\\')),
                None => return plan_err!("LIKE: the pattern '{text}' ends with its escape character '{escape}'"),
            },
        };
        if is_escaped {
            found.push('\\');
        }
        found.push(of);
    }
    let pattern = lit(ScalarValue::Utf8(pattern.map(|_| found)));
    Ok(Transformed::yes(Expr::Like(Like { pattern: Box::new(pattern), escape_char: None, ..like })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_regular_expressions() {
        for (pattern, expected) in [
            ("b", "(?s)^(?:b)$"),
            ("%b_", "(?s)^(?:.*b.)$"),
            ("(a|b)+", "(?s)^(?:(a|b)+)$"),
            ("a.c$", r"(?s)^(?:a\.c\$)$"),
            ("[^a-c&]", r"(?s)^(?:[^a-c\&])$"),
            ("[[:alpha:]]%", "(?s)^(?:[[:alpha:]].*)$"),
            (r"a\%", r"(?s)^(?:a\%)$"),
        ] {
            assert_eq!(regular_expression(pattern, '\\').unwrap(), expected);
        }
        assert!(regular_expression("a!", '!').is_err());
    }
}
