//! Divides a text into statements.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

/// Returns the statements of a text. In each statement, blanks replace the text before it, so that positions in the
/// statement are positions in the text. A text that cannot be divided into tokens is one statement.
pub(super) fn statements(text: &str) -> Vec<String> {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, text).tokenize_with_location() else {
        return vec![text.to_owned()];
    };
    let mut found = Vec::new();
    let mut start = 0;
    let mut has_tokens = false;
    let mut places = Places::new(text);
    for TokenWithSpan { token, span } in tokens {
        match token {
            Token::SemiColon => {
                let end = places.offset(span.end.line, span.end.column);
                if has_tokens {
                    found.push(blanked(text, start, end));
                }
                (start, has_tokens) = (end, false);
            }
            Token::Whitespace(_) | Token::EOF => {}
            _ => has_tokens = true,
        }
    }
    if has_tokens {
        found.push(blanked(text, start, text.len()));
    }
    found
}

fn blanked(text: &str, start: usize, end: usize) -> String {
    let before = text[..start].chars().map(|c| if c == '\n' { '\n' } else { ' ' });
    before.chain(text[start..end].chars()).collect()
}

/// Converts lines and columns, which count characters from 1, to offsets in bytes. The positions must not decrease.
struct Places<'t> {
    rest: std::str::CharIndices<'t>,
    line: u64,
    column: u64,
    len: usize,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Places<'t> {
        Places { rest: text.char_indices(), line: 1, column: 1, len: text.len() }
    }

    fn offset(&mut self, line: u64, column: u64) -> usize {
        while (self.line, self.column) < (line, column) {
            match self.rest.next() {
                None => return self.len,
                Some((_, '\n')) => (self.line, self.column) = (self.line + 1, 1),
                Some(_) => self.column += 1,
            }
        }
        self.rest.offset()
    }
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn a_statement_stays_at_its_place() {
        assert_eq!(statements("select 1"), ["select 1"]);
        assert_eq!(statements("a;\n;b; -- ;\n"), ["a;", "  \n b;"]);
        assert_eq!(statements("é ';';\n日 \"x;\";c"), ["é ';';", "      \n日 \"x;\";", "      \n       c"]);
        assert_eq!(statements("select 'open"), ["select 'open"]);
        assert_eq!(statements(" -- nothing\n;"), [""; 0]);
    }
}
