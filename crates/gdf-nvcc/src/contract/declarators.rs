//! Parsing of the types and names of fields and parameters.

use anyhow::{Context, Result, bail};

use super::tokens::Token;

/// A type as the source writes the type: a name with template arguments, followed by any number of `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// The words of a built-in type, or the path of a declared type.
    pub(super) path: Vec<String>,
    /// The template arguments. Each argument is the tokens of an expression.
    pub(super) arguments: Vec<Vec<Token>>,
    /// One element per pointer, from the innermost pointer on: whether the memory at the pointer is constant.
    pub(super) pointers: Vec<bool>,
}

/// A field of a struct or a parameter of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Option<String>,
    pub(super) written: Written,
    /// The lengths of the array dimensions. The outermost dimension comes first.
    pub(super) lengths: Vec<Vec<Token>>,
    pub(super) doc: Vec<String>,
}

/// Parses `type name[n], other` as fields. A field may have no name.
pub(super) fn fields(words: &[Token]) -> Result<Vec<Field>> {
    let words: Vec<Token> = words.iter().filter(|t| !matches!(t, Token::Comment(_) | Token::Doc(_))).cloned().collect();
    let mut ends: Vec<&[Token]> = Vec::new();
    let (mut depth, mut from) = (0, 0);
    for (at, token) in words.iter().enumerate() {
        match token {
            Token::Sign("<" | "[") => depth += 1,
            Token::Sign(">" | "]") => depth -= 1,
            Token::Sign(",") if depth == 0 => {
                ends.push(&words[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    ends.push(&words[from..]);
    let mut made: Vec<Field> = Vec::new();
    for part in ends {
        let bracket = part.iter().position(|word| word.is("[") || word.is("=")).unwrap_or(part.len());
        let (head, tail) = part.split_at(bracket);
        let mut lengths = Vec::new();
        let mut open = None;
        for (at, word) in tail.iter().enumerate() {
            if word.is("=") {
                break;
            }
            if word.is("[") {
                open = Some(at + 1);
            } else if word.is("]") {
                let from = open.context("a `]` has no matching `[`")?;
                lengths.push(tail[from..at].to_vec());
            }
        }
        if let Some(first) = made.first() {
            let [Token::Word(name)] = head else {
                bail!("the second declarator of a declaration is not a plain name; use one declaration per field")
            };
            let written = first.written.clone();
            made.push(Field { name: Some(name.clone()), written, lengths, doc: Vec::new() });
            continue;
        }
        // The last word is either the name of the field or a part of its type.
        let (name, kind) = match head.split_last() {
            Some((Token::Word(last), kind)) if names_a_type(kind) && !is_builtin(last) => (Some(last.clone()), kind),
            _ => (None, head),
        };
        made.push(Field { name, written: written(kind)?, lengths, doc: Vec::new() });
    }
    Ok(made)
}

const QUALIFIERS: [&str; 6] = ["const", "volatile", "__grid_constant__", "__restrict__", "typename", "struct"];
const BUILTIN: [&str; 10] =
    ["unsigned", "signed", "long", "int", "short", "char", "bool", "float", "double", "__int128"];

fn is_builtin(word: &str) -> bool {
    BUILTIN.contains(&word) || QUALIFIERS.contains(&word)
}

/// Returns whether the words are a complete type. If the words are a complete type, a further word is a name.
fn names_a_type(words: &[Token]) -> bool {
    let qualifier = |word: &Token| matches!(word, Token::Word(word) if QUALIFIERS.contains(&word.as_str()));
    words.iter().any(|word| !qualifier(word)) && !words.last().is_some_and(|word| word.is("::"))
}

pub(super) fn written(words: &[Token]) -> Result<Written> {
    let mut made = Written { path: Vec::new(), arguments: Vec::new(), pointers: Vec::new() };
    let mut constant = false;
    let mut at = 0;
    while at < words.len() {
        match &words[at] {
            Token::Word(word) if word == "const" => constant = true,
            Token::Word(word) if QUALIFIERS.contains(&word.as_str()) => {}
            Token::Word(word) => made.path.push(word.clone()),
            Token::Sign("::") => {}
            Token::Sign("*") => {
                made.pointers.push(constant);
                constant = false;
            }
            Token::Sign("<") => {
                let (mut depth, from) = (1, at + 1);
                at += 1;
                while at < words.len() && depth > 0 {
                    depth += i32::from(words[at].is("<")) - i32::from(words[at].is(">"));
                    at += 1;
                }
                let inside = &words[from..at - 1];
                made.arguments = inside.split(|word| word.is(",")).map(<[Token]>::to_vec).collect();
                continue;
            }
            other => bail!("a type must consist of names, template arguments and `*`, found {other}"),
        }
        at += 1;
    }
    if made.path.is_empty() {
        bail!("the declaration has no type; write a type before the name");
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Token {
        match text {
            "*" => Token::Sign("*"),
            "[" => Token::Sign("["),
            "]" => Token::Sign("]"),
            "," => Token::Sign(","),
            "::" => Token::Sign("::"),
            "<" => Token::Sign("<"),
            ">" => Token::Sign(">"),
            text if text.starts_with(|c: char| c.is_ascii_digit()) => Token::Literal(text.into()),
            text => Token::Word(text.into()),
        }
    }

    fn read(text: &str) -> Result<Vec<Field>> {
        fields(&text.split(' ').map(word).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_distinguished_from_types() {
        let [field] = &read("const unsigned long long * __restrict__ words").unwrap()[..] else { panic!("one field") };
        assert_eq!(field.name.as_deref(), Some("words"));
        assert_eq!(
            (field.written.path.join(" "), &field.written.pointers[..]),
            ("unsigned long long".into(), &[true][..])
        );
        let [unnamed] = &read("gdf :: scratch *").unwrap()[..] else { panic!("one field") };
        assert_eq!((&unnamed.name, unnamed.written.path.join("::")), (&None, "gdf::scratch".into()));
        assert_eq!(read("int64_t").unwrap()[0].name, None);
    }

    #[test]
    fn one_type_may_have_several_names() {
        let fields = read("int a [ 2 ] [ n ] , b").unwrap();
        assert_eq!(fields.iter().map(|field| field.lengths.len()).collect::<Vec<_>>(), [2, 0]);
        assert_eq!(fields[1].name.as_deref(), Some("b"));
    }

    #[test]
    fn templates_keep_their_arguments() {
        let fields = read("const gdf :: table < 32 , n > all").unwrap();
        assert_eq!((fields[0].written.arguments.len(), fields[0].name.as_deref()), (2, Some("all")));
    }
}
