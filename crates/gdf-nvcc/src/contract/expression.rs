//! Evaluation of integer constant expressions in the sources.

use anyhow::{Context, Result, bail};

use super::tokens::Token;

/// Evaluates a constant expression. `lookup` returns the values of names.
pub(super) fn evaluate(tokens: &[Token], lookup: &mut dyn FnMut(&[String]) -> Result<i128>) -> Result<i128> {
    let mut parser = Parser { tokens, at: 0, lookup };
    let value = parser.ternary()?;
    match parser.peek() {
        None => Ok(value),
        Some(token) => bail!("{token} follows the end of an expression; remove it, or write an operator before it"),
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    lookup: &'a mut dyn FnMut(&[String]) -> Result<i128>,
}

/// The binary operators by precedence. The operators that bind least come first.
const LEVELS: [&[&str]; 9] =
    [&["||"], &["&&"], &["|"], &["^"], &["&"], &["==", "!="], &["<", ">", "<=", ">="], &["<<", ">>"], &["+", "-"]];

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is(sign));
        self.at += usize::from(found);
        found
    }

    fn ternary(&mut self) -> Result<i128> {
        let condition = self.binary(0)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let yes = self.ternary()?;
        if !self.takes(":") {
            bail!("a `?` has no matching `:`");
        }
        let no = self.ternary()?;
        Ok(if condition != 0 { yes } else { no })
    }

    fn binary(&mut self, level: usize) -> Result<i128> {
        let Some(signs) = LEVELS.get(level) else { return self.product() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.peek().is_some_and(|token| token.is(sign))) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            let shift = |right: i128| {
                u32::try_from(right)
                    .ok()
                    .filter(|bits| *bits < 127)
                    .context("the number of bits of a shift is not in the range from 0 to 126")
            };
            left = match *sign {
                "||" => i128::from(left != 0 || right != 0),
                "&&" => i128::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i128::from(left == right),
                "!=" => i128::from(left != right),
                "<" => i128::from(left < right),
                ">" => i128::from(left > right),
                "<=" => i128::from(left <= right),
                ">=" => i128::from(left >= right),
                "<<" => left << shift(right)?,
                ">>" => left >> shift(right)?,
                "+" => left.checked_add(right).context("the result of an addition or subtraction is too large")?,
                _ => left.checked_sub(right).context("the result of an addition or subtraction is too large")?,
            };
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<i128> {
        let mut left = self.unary()?;
        while let Some(sign) = ["*", "/", "%"].into_iter().find(|sign| self.peek().is_some_and(|t| t.is(sign))) {
            self.at += 1;
            let right = self.unary()?;
            let result = match sign {
                "*" => left.checked_mul(right),
                "/" => left.checked_div(right),
                _ => left.checked_rem(right),
            };
            left = result.context("the result of a multiplication or division is too large, or a divisor is zero")?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i128> {
        if self.takes("-") {
            return Ok(-self.unary()?);
        }
        if self.takes("(") {
            let value = self.ternary()?;
            if !self.takes(")") {
                bail!("a `(` has no matching `)`");
            }
            return Ok(value);
        }
        match self.peek().cloned() {
            Some(Token::Literal(text)) => {
                self.at += 1;
                number(&text).with_context(|| format!("{text} is not a decimal or hexadecimal integer"))
            }
            Some(Token::Word(word)) => {
                let mut path = vec![word];
                self.at += 1;
                while self.takes("::") {
                    let Some(Token::Word(word)) = self.peek().cloned() else { bail!("expected a name after `::`") };
                    path.push(word);
                    self.at += 1;
                }
                (self.lookup)(&path)
            }
            Some(other) => bail!("expected a number, a name or `(`, found {other}"),
            None => bail!("the expression ends too early; complete the expression"),
        }
    }
}

fn number(text: &str) -> Option<i128> {
    let digits: String = text.chars().filter(|c| *c != '\'').collect();
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16).ok(),
        // In C, a number that begins with 0 is octal.
        None if digits.len() > 1 && digits.starts_with('0') => None,
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<i128> {
        let sign = |word: &'static str| Token::Sign(word);
        let tokens: Vec<Token> = text
            .split(' ')
            .map(|word| match word {
                "(" => sign("("),
                ")" => sign(")"),
                "+" => sign("+"),
                "-" => sign("-"),
                "*" => sign("*"),
                "/" => sign("/"),
                "<<" => sign("<<"),
                "?" => sign("?"),
                ":" => sign(":"),
                "<" => sign("<"),
                "==" => sign("=="),
                "::" => sign("::"),
                word if word.starts_with(|c: char| c.is_ascii_digit()) => Token::Literal(word.into()),
                word => Token::Word(word.into()),
            })
            .collect();
        evaluate(&tokens, &mut |path| if path == ["a", "b"] { Ok(7) } else { bail!("unknown") })
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(value("1 + 2 * 3 << 1").unwrap(), 14);
        assert_eq!(value("( 1 + 2 ) * - 3").unwrap(), -9);
        assert_eq!(value("a :: b < 8 ? 0x10u : 1'000").unwrap(), 16);
        assert_eq!(value("2 == 1 < 3").unwrap(), 0);
        assert!(value("c").is_err() && value("1 / 0").is_err() && value("1 2").is_err());
        assert_eq!(value("0u").unwrap(), 0);
        assert!(value("010").is_err());
    }

    #[test]
    fn errors_show_the_text_of_the_source() {
        assert!(format!("{:#}", value("1 2").unwrap_err()).starts_with("`2` follows"));
        assert!(format!("{:#}", value("1 + )").unwrap_err()).ends_with("found `)`"));
    }
}
