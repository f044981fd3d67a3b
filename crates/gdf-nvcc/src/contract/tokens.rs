//! The tokens of the kernels' sources after preprocessing: includes, conditions and macros.
//!
//! The preprocessor supports only the features that the contract needs. The condition of every `#if` counts as false,
//! so the preprocessor reads the part after `#else`. Macros are expanded only among declarations. Macros of
//! `gdf/policy.cuh` are not expanded, because the parser recognizes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::sources;

/// The macros that the parser recognizes by name.
const PRIMITIVE: [&str; 5] = ["GDF_POLICY", "GDF_BOUNDS", "GDF_VARIANT", "GDF_SHARED", "GDF_DEVICE"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or keyword.
    Word(String),
    /// A number, a character in quotes, or a text in quotes. The text is as in the source.
    Literal(String),
    /// An operator or another punctuation mark. The only marks with two characters are `::`, `<<`, `>>`, `->`, `==`,
    /// `!=`, `<=`, `>=`, `&&`, `||` and `##`. The only mark with three characters is `...`.
    Sign(&'static str),
    /// A line of documentation (`///`).
    Doc(String),
    /// A comment (`//`).
    Comment(String),
    /// The tokens after this token are from the file of this name.
    File(String),
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        match self {
            Token::Word(word) => word == text,
            Token::Sign(sign) => *sign == text,
            _ => false,
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(text) | Token::Literal(text) => write!(out, "`{text}`"),
            Token::Sign(sign) => write!(out, "`{sign}`"),
            Token::Doc(text) => write!(out, "the documentation `{text}`"),
            Token::Comment(text) => write!(out, "the comment `{text}`"),
            Token::File(name) => write!(out, "the start of {name}"),
        }
    }
}

const SIGNS: [&str; 37] = [
    "...", "::", "<<", ">>", "->", "==", "!=", "<=", ">=", "&&", "||", "##", "{", "}", "(", ")", "[", "]", "<", ">",
    ";", ",", ":", "=", "*", "&", "+", "-", "/", "%", "!", "~", "?", "|", "^", ".", "#",
];

#[derive(Clone, Debug)]
struct Macro {
    /// The names of the parameters. `None` if the macro is used without parentheses.
    parameters: Option<Vec<String>>,
    body: Vec<Token>,
}

/// Reads the sources below one folder. Each file is read once.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    kernels: &'a Path,
    seen: BTreeSet<PathBuf>,
    macros: BTreeMap<String, Macro>,
    tokens: Vec<Token>,
}

/// Returns the tokens of these files of a capability, and of all files that they include. The tokens are in the order
/// in which a compiler reads the files.
pub(super) fn read(kernels: &Path, files: &[PathBuf]) -> Result<Vec<Token>> {
    let mut reader = Reader { kernels, seen: BTreeSet::new(), macros: BTreeMap::new(), tokens: Vec::new() };
    for file in files {
        reader.file(file)?;
    }
    Ok(reader.tokens)
}

impl Reader<'_> {
    fn file(&mut self, path: &Path) -> Result<()> {
        if !self.seen.insert(path.to_owned()) {
            return Ok(());
        }
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.strip_prefix(self.kernels).unwrap_or(path).display().to_string();
        self.tokens.push(Token::File(name.clone()));
        // `depth` is the number of open conditions. `skipped` is the depth of the outermost condition whose current
        // branch is skipped.
        let (mut depth, mut skipped) = (0_usize, None);
        let mut pending = Vec::new();
        for line in logical_lines(&text) {
            let trimmed = line.trim_start();
            let Some(directive) = trimmed.strip_prefix('#') else {
                if skipped.is_none() {
                    pending.extend(tokens_of(&line).with_context(|| format!("in {name}"))?);
                }
                continue;
            };
            let directive = directive.trim_start();
            if directive.starts_with("if") {
                depth += 1;
                skipped = skipped.or(Some(depth));
            } else if directive.starts_with("else") {
                match skipped {
                    Some(at) if at == depth => skipped = None,
                    None => skipped = Some(depth),
                    Some(_) => {}
                }
            } else if directive.starts_with("endif") {
                skipped = skipped.filter(|at| *at != depth);
                depth = depth.saturating_sub(1);
            } else if skipped.is_some() {
                continue;
            } else if let Some(rest) = directive.strip_prefix("include") {
                self.flush(&mut pending)?;
                if let Some(included) = sources::included(self.kernels, path, rest.trim()) {
                    self.file(&included)?;
                    self.tokens.push(Token::File(name.clone()));
                }
            } else if let Some(rest) = directive.strip_prefix("define") {
                self.flush(&mut pending)?;
                self.define(rest.trim_start()).with_context(|| format!("in {name}"))?;
            }
        }
        self.flush(&mut pending)
    }

    fn define(&mut self, text: &str) -> Result<()> {
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if PRIMITIVE.contains(&name) {
            return Ok(());
        }
        let (parameters, body) = match rest.strip_prefix('(') {
            None => (None, rest),
            Some(rest) => {
                let (list, body) = rest.split_once(')').context("the parameters of a macro have no closing `)`")?;
                let list = list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
                (Some(list.collect()), body)
            }
        };
        let body = tokens_of(body)?.into_iter().filter(|token| !matches!(token, Token::Comment(_) | Token::Doc(_)));
        self.macros.insert(name.to_owned(), Macro { parameters, body: body.collect() });
        Ok(())
    }

    /// Expands the macros of the pending tokens and appends the result.
    fn flush(&mut self, pending: &mut Vec<Token>) -> Result<()> {
        let expanded = self.expand(std::mem::take(pending), 0)?;
        self.tokens.extend(expanded);
        Ok(())
    }

    fn expand(&self, tokens: Vec<Token>, depth: usize) -> Result<Vec<Token>> {
        if depth > 16 {
            bail!("the expansion of a macro exceeds 16 levels; a macro must not use itself");
        }
        let mut out = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while at < tokens.len() {
            let found = match &tokens[at] {
                Token::Word(word) => self.macros.get(word),
                _ => None,
            };
            match found {
                Some(Macro { parameters: None, body }) => {
                    out.extend(self.expand(body.clone(), depth + 1)?);
                    at += 1;
                }
                Some(Macro { parameters: Some(parameters), body }) if tokens.get(at + 1).is_some_and(|t| t.is("(")) => {
                    let (arguments, end) = arguments(&tokens, at + 1)?;
                    out.extend(self.expand(substitute(parameters, &arguments, body)?, depth + 1)?);
                    at = end;
                }
                _ => {
                    out.push(tokens[at].clone());
                    at += 1;
                }
            }
        }
        Ok(out)
    }
}

/// Returns the arguments in the parentheses at `open`, and the position after the parentheses.
fn arguments(tokens: &[Token], open: usize) -> Result<(Vec<Vec<Token>>, usize)> {
    let (mut list, mut depth) = (vec![Vec::new()], 0);
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign("(" | "{" | "[") => depth += 1,
            Token::Sign(")" | "}" | "]") => depth -= 1,
            Token::Sign(",") if depth == 1 => {
                list.push(Vec::new());
                continue;
            }
            Token::Comment(_) => continue,
            _ => {}
        }
        if depth == 0 {
            return Ok((list, at + 1));
        }
        if at > open {
            list.last_mut().expect("one at least").push(token.clone());
        }
    }
    bail!("the arguments of a macro have no closing `)`; write the closing parenthesis")
}

fn substitute(parameters: &[String], arguments: &[Vec<Token>], body: &[Token]) -> Result<Vec<Token>> {
    let argument = |word: &str| -> Option<Vec<Token>> {
        if word == "__VA_ARGS__" {
            let fixed = parameters.iter().filter(|name| *name != "...").count();
            return Some(arguments.get(fixed..).unwrap_or_default().join(&Token::Sign(",")));
        }
        let index = parameters.iter().position(|name| name == word)?;
        Some(arguments.get(index).cloned().unwrap_or_default())
    };
    let mut out: Vec<Token> = Vec::new();
    let mut paste = false;
    for token in body {
        if token.is("##") {
            paste = true;
            continue;
        }
        let replaced = match token {
            Token::Word(word) => argument(word).unwrap_or_else(|| vec![token.clone()]),
            _ => vec![token.clone()],
        };
        for (i, token) in replaced.into_iter().enumerate() {
            match (paste && i == 0, out.last_mut(), token) {
                (true, Some(Token::Word(before)), Token::Word(after) | Token::Literal(after)) => {
                    before.push_str(&after)
                }
                (true, ..) => bail!("`##` joins a token that is not a name; use `##` with names only"),
                (false, _, token) => out.push(token),
            }
        }
        paste = false;
    }
    Ok(out)
}

/// Returns the lines of a text. A line that ends in a backslash is joined with the next line.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let (line, goes_on) = line.trim_end().strip_suffix('\\').map_or((line, false), |line| (line, true));
        match lines.last_mut() {
            Some(last) if open => {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
        open = goes_on;
    }
    lines
}

fn tokens_of(line: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            // Documentation must be on lines of its own.
            let token = match comment.strip_prefix('/') {
                Some(text) if tokens.is_empty() => Token::Doc(text.strip_prefix(' ').unwrap_or(text).to_owned()),
                _ => Token::Comment(comment.trim().to_owned()),
            };
            tokens.push(token);
            break;
        }
        let end = if first.is_alphabetic() || first == '_' {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else if first.is_ascii_digit() {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '.')).unwrap_or(rest.len())
        } else if first == '"' || first == '\'' {
            rest[1..].find(first).map(|end| end + 2).context("a quoted text has no closing quote on the same line")?
        } else {
            0
        };
        if end > 0 {
            let text = rest[..end].to_owned();
            tokens.push(if first.is_alphabetic() || first == '_' { Token::Word(text) } else { Token::Literal(text) });
            rest = rest[end..].trim_start();
            continue;
        }
        let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
            bail!("the parser of declarations does not support {first:?} in {line:?}");
        };
        tokens.push(Token::Sign(sign));
        rest = rest[sign.len()..].trim_start();
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(tokens: &[Token]) -> String {
        let text = |token: &Token| match token {
            Token::Word(text) | Token::Literal(text) => Some(text.clone()),
            Token::Sign(sign) => Some((*sign).to_owned()),
            _ => None,
        };
        tokens.iter().filter_map(text).collect::<Vec<_>>().join(" ")
    }

    fn read_one(text: &str) -> Result<Vec<Token>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cu");
        fs::write(&path, text).unwrap();
        read(folder.path(), &[path])
    }

    #[test]
    fn macros_paste_names_and_take_any_number_of_arguments() {
        let text = "#define F(name, T, ...) \\\n  T name##_kernel(__VA_ARGS__);\nF(sum, int, a, b<1, 2>)";
        assert_eq!(words(&read_one(text).unwrap()), "int sum_kernel ( a , b < 1 , 2 > ) ;");
    }

    #[test]
    fn of_conditions_the_other_half_counts() {
        let text = "#if defined(__CUDA_ARCH__)\na\n#else\nb\n#endif\nc\n#ifdef X\n#if Y\nd\n#endif\n#endif\ne";
        assert_eq!(words(&read_one(text).unwrap()), "b c e");
    }

    #[test]
    fn documentation_is_kept_apart_from_comments() {
        let tokens = read_one("/// Of it.\nint a; // of a\n").unwrap();
        assert_eq!(tokens[1], Token::Doc("Of it.".into()));
        assert_eq!(tokens.last(), Some(&Token::Comment("of a".into())));
    }

    #[test]
    fn a_macro_without_end_is_an_error() {
        assert!(read_one("#define A() A()\nA()").is_err());
        assert!(read_one("#define A(x) x\nA(1").is_err());
    }
}
