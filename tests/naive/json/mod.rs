//! Oracle of `json`. Well-formed text is parsed to a tree, and the steps of a path are followed by recursion.

pub mod values;

use std::fmt;

use arrow_array::ArrayRef;
use gdf_api::json::JsonObjectOptions;

use gdf_test::value::{Value, from_values, to_values};

/// A step of a path.
#[derive(Clone, Debug)]
pub enum Step {
    /// The step to the element with this name.
    Name(&'static str),
    /// The step to the element with this name, written with brackets.
    Quoted(&'static str),
    /// The step to the element at this position.
    Index(usize),
    /// The step to each element.
    Each,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Name(name) => write!(f, ".{name}"),
            Step::Quoted(name) => write!(f, "['{name}']"),
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Each => f.write_str("[*]"),
        }
    }
}

enum Node<'a> {
    Object(&'a str, Vec<(&'a str, Node<'a>)>),
    Array(&'a str, Vec<Node<'a>>),
    Value(&'a str),
}

/// Parses well-formed JSON.
fn element<'a>(text: &'a str, quotes: &[char]) -> (Node<'a>, &'a str) {
    let text = text.trim_start();
    let until = |rest: &str| &text[..text.len() - rest.len()];
    match text.chars().next() {
        Some('{') => {
            let (mut fields, mut rest) = (Vec::new(), text[1..].trim_start());
            while !rest.starts_with('}') {
                let (name, after) = string(rest, quotes);
                let (node, after) = element(after.trim_start().strip_prefix(':').unwrap_or_default(), quotes);
                fields.push((&name[1..name.len() - 1], node));
                rest = after.trim_start();
                rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            }
            (Node::Object(until(&rest[1..]), fields), &rest[1..])
        }
        Some('[') => {
            let (mut elements, mut rest) = (Vec::new(), text[1..].trim_start());
            while !rest.starts_with(']') {
                let (node, after) = element(rest, quotes);
                elements.push(node);
                rest = after.trim_start();
                rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            }
            (Node::Array(until(&rest[1..]), elements), &rest[1..])
        }
        Some(first) if quotes.contains(&first) => {
            let (value, rest) = string(text, quotes);
            (Node::Value(value), rest)
        }
        _ => {
            let end = text.find([',', ']', '}', ' ', '\n']).unwrap_or(text.len());
            (Node::Value(&text[..end]), &text[end..])
        }
    }
}

fn string<'a>(text: &'a str, quotes: &[char]) -> (&'a str, &'a str) {
    let quote = text.chars().next().filter(|first| quotes.contains(first)).unwrap_or('"');
    let mut escaped = false;
    for (at, one) in text.char_indices().skip(1) {
        match one {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if one == quote => return text.split_at(at + 1),
            _ => {}
        }
    }
    text.split_at(text.len())
}

#[derive(Default)]
struct Selected {
    texts: Vec<String>,
    is_list: bool,
}

/// Follows the steps, and returns `None` if the row is null.
fn follow(node: &Node<'_>, steps: &[Step], options: JsonObjectOptions, listed: bool, to: &mut Selected) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        let (Node::Object(text, _) | Node::Array(text, _) | Node::Value(text)) = node;
        let quoted = matches!(node, Node::Value(text) if text.starts_with(['"', '\'']));
        let strips = quoted && !listed && options.strip_quotes_from_single_strings;
        to.texts.push(if strips { text[1..text.len() - 1].to_owned() } else { (*text).to_owned() });
        return Some(());
    };
    match (step, node) {
        (Step::Each, _) => {
            to.is_list = true;
            let children: Vec<&Node<'_>> = match node {
                Node::Object(_, fields) => fields.iter().map(|(_, node)| node).collect(),
                Node::Array(_, elements) => elements.iter().collect(),
                Node::Value(_) => Vec::new(),
            };
            children.into_iter().try_for_each(|child| follow(child, rest, options, true, to))
        }
        (Step::Name(_) | Step::Quoted(_), Node::Object(_, fields)) if fields.is_empty() => Some(()),
        (Step::Name(key) | Step::Quoted(key), Node::Object(_, fields)) => {
            match fields.iter().find(|(name, _)| name == key) {
                Some((_, node)) => follow(node, rest, options, listed, to),
                None => {
                    to.texts.extend(options.missing_fields_as_nulls.then(|| "null".to_owned()));
                    Some(())
                }
            }
        }
        (Step::Index(_), Node::Array(_, elements)) if elements.is_empty() => Some(()),
        (Step::Index(index), Node::Array(_, elements)) => follow(elements.get(*index)?, rest, options, listed, to),
        _ => None,
    }
}

/// Returns the elements that the path selects in each text.
pub fn get_json_object(column: &ArrayRef, steps: &[Step], options: JsonObjectOptions) -> ArrayRef {
    let quotes: &[char] = if options.allow_single_quotes { &['"', '\''] } else { &['"'] };
    let select = |text: &str| {
        // If a text is a single string, or has no element, the result is null.
        if text.trim_start().is_empty() || text.trim_start().starts_with(quotes) {
            return None;
        }
        let (node, _) = element(text, quotes);
        let mut selected = Selected::default();
        follow(&node, steps, options, false, &mut selected)?;
        match (selected.is_list, selected.texts.len()) {
            (true, _) => Some(format!("[{}]", selected.texts.join(","))),
            (false, 0) => None,
            (false, _) => selected.texts.pop(),
        }
    };
    let rows = to_values(column).into_iter().map(|value| match value {
        Some(Value::Str(text)) => select(&text).map(Value::Str),
        _ => None,
    });
    from_values(column.data_type(), &rows.collect::<Vec<_>>())
}
