//! Paths into JSON text: a subset of JSONPath.

use gdf_core::{Error, Result};
use gdf_kernels::generated::strings::JSON_MOST_WILDCARDS;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    Name(&'a str),
    Index(u32),
    /// The wildcard: the step to each element of an object or array.
    Each,
}

/// Parses a path.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument).
pub(super) fn parse(path: &str) -> Result<Option<Vec<Step<'_>>>> {
    let mut rest = path.trim_start();
    if rest.is_empty() {
        return Ok(None);
    }
    rest = rest.strip_prefix('$').unwrap_or(rest);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let step;
        (step, rest) = one(rest).map_err(|what| Error::invalid_argument(what).in_argument("path"))?;
        steps.push(step);
    }
    let wildcards = steps.iter().filter(|step| **step == Step::Each).count();
    if wildcards > JSON_MOST_WILDCARDS {
        let error =
            Error::beyond_limit("the number of wildcards in a path", wildcards as i128, JSON_MOST_WILDCARDS as i128);
        return Err(error.in_argument("path"));
    }
    Ok(Some(steps))
}

/// Parses the first step of a path.
fn one(path: &str) -> std::result::Result<(Step<'_>, &str), &'static str> {
    if let Some(rest) = path.strip_prefix('.') {
        if let Some(rest) = rest.strip_prefix('*') {
            return Ok((Step::Each, rest));
        }
        let (name, rest) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
        return if name.is_empty() {
            Err("each dot of the path must be followed by a name")
        } else {
            Ok((Step::Name(name), rest))
        };
    }
    let Some(inside) = path.strip_prefix('[') else {
        return Err("each step of the path must be .name, ['name'], [number], .* or [*]");
    };
    if let Some(quoted) = inside.strip_prefix('\'') {
        let (name, rest) = quoted.split_once("']").ok_or("the path has [' without ']")?;
        return match name {
            "" => Err("each name in the path must have at least 1 character"),
            "*" => Ok((Step::Each, rest)),
            _ => Ok((Step::Name(name), rest)),
        };
    }
    let (inside, rest) = inside.split_once(']').ok_or("the path has [ without ]")?;
    match inside {
        "*" => Ok((Step::Each, rest)),
        _ => inside
            .parse()
            .map(|index| (Step::Index(index), rest))
            .map_err(|_| "brackets in the path must contain 0 to 4294967295, a name in single quotes, or *"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_in_both_notations() {
        let path = parse("$.store['a.b'].*[3][*].c d").unwrap().unwrap();
        let expected =
            [Step::Name("store"), Step::Name("a.b"), Step::Each, Step::Index(3), Step::Each, Step::Name("c d")];
        assert_eq!(path, expected);
        assert_eq!(parse(".a").unwrap(), parse("$.a").unwrap());
        assert_eq!(parse("$").unwrap(), Some(Vec::new()));
        assert_eq!(parse("").unwrap(), None);
    }

    #[test]
    fn other_paths_are_refused() {
        for path in ["$..a", "a", "$.", "$[", "$['a'", "$['']", "$[a]", "$[-1]", "$[]", "$$", "$[99999999999]"] {
            let error = parse(path).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{path}: {error}");
        }
        assert!(parse(&"[*]".repeat(7)).is_ok());
        assert!(parse(&"[*]".repeat(8)).is_err());
    }
}
