//! The argument of `--where`: comparisons of columns with literals, joined by `and` and `or`.

use std::iter::Peekable;
use std::vec::IntoIter;

use anyhow::{Context, Result, bail, ensure};
use gdf::io::{Literal, Predicate};

/// The maximum number of levels of nested parentheses.
const DEEPEST: usize = 100;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name without quotes, or a keyword.
    Word(String),
    Name(String),
    Literal(Literal),
    Sign(&'static str),
}

/// The operators. An operator comes before its own prefixes, because the first match is taken.
const SIGNS: [&str; 10] = ["<=", ">=", "<>", "!=", "==", "=", "<", ">", "(", ")"];

/// Parses a condition such as `price > 3 and (city = 'Lyon' or city is null)`.
pub(crate) fn parse(text: &str) -> Result<Predicate> {
    let mut parser = Parser { tokens: tokens(text)?.into_iter().peekable(), depth: 0 };
    let predicate = parser.either()?;
    match parser.tokens.next() {
        None => Ok(predicate),
        Some(token) => bail!("{} follows a complete condition; combine conditions with `and` or `or`", shown(&token)),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' => {
                let (content, length) = quoted(rest, first)
                    .with_context(|| format!("the quote {first} is not closed; add a closing {first}"))?;
                tokens.push(if first == '"' { Token::Name(content) } else { Token::Literal(Literal::Text(content)) });
                length
            }
            _ if is_word(first) || first == '-' => {
                // A token that begins with a digit or with `-` is a number. A sign after `e` belongs to the exponent:
                // `1e-3`.
                let mut before = first;
                let inside = |letter: char| {
                    let is_exponent =
                        matches!(before, 'e' | 'E') && rest.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                    let is_part = is_word(letter) || letter == '.' || (is_exponent && matches!(letter, '-' | '+'));
                    before = letter;
                    is_part
                };
                let mut inside = inside;
                let length = rest[first.len_utf8()..].find(|letter| !inside(letter));
                let length = length.map_or(rest.len(), |length| length + first.len_utf8());
                tokens.push(word(&rest[..length])?);
                length
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
                let sign = sign.with_context(|| {
                    format!("a condition cannot contain {first:?} outside of quotes; put text in quotes")
                })?;
                tokens.push(Token::Sign(sign));
                sign.len()
            }
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the text between quotes, and the number of bytes of this text with both quotes. Two quotes in the text stand
/// for one.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter != quote {
            content.push(letter);
        } else if letters.next_if(|(_, next)| *next == quote).is_some() {
            content.push(quote);
        } else {
            return Some((content, at + 1));
        }
    }
    None
}

fn word(text: &str) -> Result<Token> {
    if !text.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-') {
        return Ok(match text.to_ascii_lowercase().as_str() {
            "true" => Token::Literal(Literal::Bool(true)),
            "false" => Token::Literal(Literal::Bool(false)),
            _ => Token::Word(text.to_owned()),
        });
    }
    let integer = text.parse::<i64>().map(Literal::Int).or_else(|_| text.parse::<u64>().map(Literal::UInt));
    if let Ok(integer) = integer {
        return Ok(Token::Literal(integer));
    }
    // The digits are kept, because a float would round them. `-inf` parses as a float, but has no digits.
    let is_number = text.contains(|letter: char| letter.is_ascii_digit()) && text.parse::<f64>().is_ok();
    ensure!(is_number, "{text} is not a number; put text in single quotes");
    Ok(Token::Literal(Literal::Number(text.to_owned())))
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    fn either(&mut self) -> Result<Predicate> {
        let mut all = self.both()?;
        while self.keyword("or") {
            all = all.or(self.both()?);
        }
        Ok(all)
    }

    fn both(&mut self) -> Result<Predicate> {
        let mut all = self.one()?;
        while self.keyword("and") {
            all = all.and(self.one()?);
        }
        Ok(all)
    }

    fn one(&mut self) -> Result<Predicate> {
        if self.tokens.next_if_eq(&Token::Sign("(")).is_some() {
            self.depth += 1;
            ensure!(self.depth <= DEEPEST, "parentheses can be nested at most {DEEPEST} levels deep; use fewer levels");
            let inside = self.either()?;
            ensure!(
                self.tokens.next_if_eq(&Token::Sign(")")).is_some(),
                "a closing parenthesis is missing; add a ) for each ("
            );
            self.depth -= 1;
            return Ok(inside);
        }
        let column = match self.tokens.next() {
            Some(Token::Word(name) | Token::Name(name)) => name,
            Some(token) => {
                bail!("expected the name of a column, found {}; begin a comparison with a column", shown(&token))
            }
            None => bail!("the text ends where a condition is expected; add a condition such as price > 3"),
        };
        if self.keyword("is") {
            let is_not = self.keyword("not");
            ensure!(self.keyword("null"), "`is` after the column {column} must be followed by null or not null");
            return Ok(if is_not { Predicate::is_not_null(column) } else { Predicate::is_null(column) });
        }
        let Some(Token::Sign(sign)) = self.tokens.next() else {
            bail!("the column {column} must be followed by =, !=, <, <=, >, >= or `is null`");
        };
        let literal = match self.tokens.next() {
            Some(Token::Literal(literal)) => literal,
            Some(token) => {
                bail!("{column} {sign} must be followed by a number, 'text', true or false, found {}", shown(&token))
            }
            None => bail!("{column} {sign} must be followed by a number, 'text', true or false"),
        };
        Ok(match sign {
            "=" | "==" => Predicate::eq(column, literal),
            "!=" | "<>" => Predicate::neq(column, literal),
            "<" => Predicate::lt(column, literal),
            "<=" => Predicate::lt_eq(column, literal),
            ">" => Predicate::gt(column, literal),
            ">=" => Predicate::gt_eq(column, literal),
            _ => bail!("the column {column} must be followed by =, !=, <, <=, >, >= or `is null`"),
        })
    }

    fn keyword(&mut self, word: &str) -> bool {
        self.tokens.next_if(|token| matches!(token, Token::Word(found) if found.eq_ignore_ascii_case(word))).is_some()
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Name(name) => format!("\"{name}\""),
        Token::Literal(Literal::Text(text)) => format!("'{text}'"),
        Token::Literal(literal) => literal.to_string(),
        Token::Sign(sign) => (*sign).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let number = |text: &str| Literal::Number(text.to_owned());
        let cases = [
            ("price>3", Predicate::gt("price", 3)),
            ("a = 1e-3", Predicate::eq("a", number("1e-3"))),
            ("a <= -2.5", Predicate::lt_eq("a", number("-2.5"))),
            ("a > 9007199254740993", Predicate::gt("a", 9_007_199_254_740_993_i64)),
            ("a != 18446744073709551615", Predicate::neq("a", u64::MAX)),
            ("a = 12345678901234567.89", Predicate::eq("a", number("12345678901234567.89"))),
            ("a < 99999999999999999999", Predicate::lt("a", number("99999999999999999999"))),
            ("\"a b\" <> 'it''s'", Predicate::neq("a b", "it's")),
            ("größe >= 'é'", Predicate::gt_eq("größe", "é")),
            ("x IS NOT null", Predicate::is_not_null("x")),
            ("ok == TRUE", Predicate::eq("ok", true)),
            ("\"true\" < 1", Predicate::lt("true", 1)),
            ("a=1 and b=2 or c=3", Predicate::eq("a", 1).and(Predicate::eq("b", 2)).or(Predicate::eq("c", 3))),
            (
                "a=1 and (b=2 or c is null)",
                Predicate::eq("a", 1).and(Predicate::eq("b", 2).or(Predicate::is_null("c"))),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        let cases = [
            ("", "a condition is expected"),
            ("price", "price must be followed by"),
            ("price >", "followed by a number"),
            ("price > x", "found x"),
            ("3 < price", "expected the name of a column, found 3;"),
            ("a = -inf", "is not a number"),
            ("a = 'x", "not closed"),
            ("a = 1 b = 2", "b follows a complete condition"),
            ("(a = 1", "parenthesis is missing"),
            ("a = 1)", ") follows a complete condition"),
            ("a is 3", "null or not null"),
            ("a = 1.2.3", "is not a number"),
            ("a = -", "is not a number"),
            ("a ; b", "cannot contain ';'"),
            ("a ( 3", "a must be followed by"),
            ("a = 1 and", "a condition is expected"),
        ];
        for (text, part) in cases {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(parse(&"(".repeat(100_000)).is_err());
    }
}
