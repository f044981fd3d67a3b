//! Parses a Rust file. The results are the modules, imports, definitions and paths in the file.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The segments of a path, as the source writes the path.
pub(super) type Words = Vec<String>;

/// An imported path, and its local name.
#[derive(Debug, PartialEq)]
pub(super) struct Import {
    pub(super) path: Words,
    pub(super) name: String,
}

/// A module.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) module: Words,
    pub(super) imports: Vec<Import>,
    pub(super) defines: Vec<String>,
    pub(super) paths: Vec<Words>,
    pub(super) tests: Vec<Words>,
}

/// Returns the modules in a file.
pub(super) fn read(module: Words, text: &str) -> Vec<Source> {
    let mut found = Vec::new();
    if let Ok(tokens) = text.parse::<TokenStream>() {
        items(Source { module, ..Source::default() }, tokens, &mut found);
    }
    found
}

const ITEMS: [&str; 8] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static"];

fn items(mut own: Source, tokens: TokenStream, all: &mut Vec<Source>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let at = all.len();
    all.push(Source::default());
    let mut index = 0;
    let mut in_tests = false;
    while let Some(token) = tokens.get(index) {
        index += 1;
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                in_tests |= tokens.get(index).is_some_and(is_test_attribute);
            }
            TokenTree::Group(group) if group.delimiter() != Delimiter::Bracket || !in_tests => {
                references(&mut own, group);
                in_tests &= group.delimiter() != Delimiter::Brace;
            }
            TokenTree::Punct(mark) if mark.as_char() == ';' => in_tests = false,
            TokenTree::Ident(word) if word == "pub" => {}
            TokenTree::Ident(word) if word == "mod" => {
                let Some(TokenTree::Ident(name)) = tokens.get(index) else { continue };
                let path = [own.module.clone(), vec![name.to_string()]].concat();
                own.defines.push(name.to_string());
                match tokens.get(index + 1) {
                    Some(TokenTree::Group(group)) if !in_tests => {
                        items(Source { module: path, ..Source::default() }, group.stream(), all);
                    }
                    _ if in_tests => own.tests.push(path),
                    _ => {}
                }
                index += 2;
                in_tests = false;
            }
            TokenTree::Ident(_) if in_tests => index = end_of_item(&tokens, index, &mut in_tests),
            TokenTree::Ident(word) if word == "use" => {
                index = import(&mut own, &tokens, index);
            }
            TokenTree::Ident(word) if ITEMS.iter().any(|item| word == item) => {
                if let Some(TokenTree::Ident(name)) = tokens.get(index) {
                    own.defines.push(name.to_string());
                }
            }
            TokenTree::Ident(word) if word == "macro_rules" => {
                if let Some(TokenTree::Ident(name)) = tokens.get(index + 1) {
                    own.defines.push(name.to_string());
                }
            }
            TokenTree::Ident(_) => index = path(&mut own, &tokens, index - 1),
            _ => {}
        }
    }
    all[at] = own;
}

/// Returns whether the tokens in the brackets of an attribute are `cfg(test)` or `cfg(all(test, …))`.
fn is_test_attribute(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let mut tokens = group.stream().into_iter();
    let is_cfg = matches!(tokens.next(), Some(TokenTree::Ident(word)) if word == "cfg");
    let Some(TokenTree::Group(condition)) = tokens.next() else { return false };
    let text = condition.stream().to_string();
    is_cfg && (text == "test" || text.replace(' ', "").starts_with("all(test,"))
}

/// Returns the index after an item.
fn end_of_item(tokens: &[TokenTree], mut index: usize, in_tests: &mut bool) -> usize {
    *in_tests = false;
    while let Some(token) = tokens.get(index) {
        index += 1;
        match token {
            TokenTree::Punct(mark) if mark.as_char() == ';' => break,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
            _ => {}
        }
    }
    index
}

/// Reads the paths within a group.
fn references(own: &mut Source, group: &Group) {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        index = match token {
            TokenTree::Group(inner) => {
                references(own, inner);
                index + 1
            }
            TokenTree::Ident(word) if word == "use" => import(own, &tokens, index + 1),
            TokenTree::Ident(_) => path(own, &tokens, index),
            _ => index + 1,
        };
    }
}

fn path(own: &mut Source, tokens: &[TokenTree], index: usize) -> usize {
    let (words, end) = words(tokens, index);
    if words.len() > 1 {
        own.paths.push(words);
    }
    end.max(index + 1)
}

/// Returns the names of a path, which `::` joins, and the index after the path.
fn words(tokens: &[TokenTree], mut index: usize) -> (Words, usize) {
    let mut words = Words::new();
    while let Some(TokenTree::Ident(word)) = tokens.get(index) {
        words.push(word.to_string());
        index += 1;
        if !is_colons(tokens, index) || !matches!(tokens.get(index + 2), Some(TokenTree::Ident(_))) {
            break;
        }
        index += 2;
    }
    (words, index)
}

fn is_colons(tokens: &[TokenTree], index: usize) -> bool {
    let is_colon = |index: usize| matches!(tokens.get(index), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
    is_colon(index) && is_colon(index + 1)
}

/// Reads an import.
fn import(own: &mut Source, tokens: &[TokenTree], index: usize) -> usize {
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';');
    let end = tokens[index..].iter().position(is_end).map_or(tokens.len(), |length| index + length);
    tree(&mut own.imports, &[], &tokens[index..end]);
    end + 1
}

fn tree(imports: &mut Vec<Import>, prefix: &[String], tokens: &[TokenTree]) {
    let (words, mut index) = words(tokens, 0);
    let path = [prefix, &words].concat();
    if is_colons(tokens, index) {
        index += 2;
    }
    match tokens.get(index) {
        Some(TokenTree::Group(group)) => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
            for part in inner.split(is_comma).filter(|part| !part.is_empty()) {
                tree(imports, &path, part);
            }
        }
        Some(TokenTree::Punct(mark)) if mark.as_char() == '*' => imports.push(Import { path, name: "*".to_owned() }),
        Some(TokenTree::Ident(_)) | None => {
            // The path `a::{self}` means `a`.
            let path = if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
                path[..path.len() - 1].to_vec()
            } else {
                path
            };
            let alias = match (tokens.get(index), tokens.get(index + 1)) {
                (Some(TokenTree::Ident(word)), Some(TokenTree::Ident(name))) if word == "as" => Some(name.to_string()),
                _ => None,
            };
            let Some(name) = alias.or_else(|| path.last().cloned()) else { return };
            imports.push(Import { path, name });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Words {
        text.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn imports_of_all_forms() {
        let text = "pub(crate) use crate::a::{self, b::{C, D as E}, f::*};\nuse super::g;";
        let found = read(vec![], text).remove(0).imports;
        let expected = [
            ("crate::a", "a"),
            ("crate::a::b::C", "C"),
            ("crate::a::b::D", "E"),
            ("crate::a::f", "*"),
            ("super::g", "g"),
        ];
        let expected = expected.map(|(path, name)| Import { path: words_of(path), name: name.to_owned() });
        assert_eq!(found, expected);
    }

    #[test]
    fn paths_in_bodies_types_and_macros() {
        let text = "fn f(a: crate::a::A) -> super::B { m!(crate::c::d(x), $crate::e::F); g::h(); Vec::<u8>::new() }";
        let found = read(vec![], text).remove(0);
        assert_eq!(found.paths, ["crate::a::A", "super::B", "crate::c::d", "crate::e::F", "g::h"].map(words_of));
        assert_eq!(found.defines, ["f"]);
    }

    #[test]
    fn tests_are_left_out() {
        let text = "#[cfg(test)]\nmod tests;\n#[cfg(test)] use crate::a::b;\n#[cfg(test)]\n#[derive(Debug)]\n\
                    struct A(crate::b::C);\n#[cfg(all(test, unix))] mod more { use crate::d::e; }\n\
                    #[cfg(test)] pub(crate) mod open;\nfn g() {}";
        let found = read(vec!["m".to_owned()], text);
        assert_eq!(found.len(), 1);
        assert!(found[0].imports.is_empty() && found[0].paths.is_empty());
        assert_eq!(found[0].tests, ["m::tests", "m::more", "m::open"].map(words_of));
        assert_eq!(found[0].defines, ["tests", "more", "open", "g"]);
    }

    #[test]
    fn modules_with_braces() {
        let found = read(vec![], "mod a { pub fn b() { super::c() } } fn c() {}");
        assert_eq!(found[1].module, ["a"]);
        assert_eq!((&found[1].defines[..], &found[1].paths[..]), (&["b".to_owned()][..], &[words_of("super::c")][..]));
        assert_eq!(found[0].defines, ["a", "c"]);
    }
}
