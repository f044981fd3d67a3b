//! The rules of C++ for finding the declaration of a name, and for the memory layout of types.

use anyhow::{Context, Result, bail};

use super::declarators::{Field, Written};
use super::expression::evaluate;
use super::parse::Declarations;
use super::tokens::Token;

/// A type that the contract can express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// An integer of a given number of bytes.
    Integer {
        bytes: usize,
        signed: bool,
    },
    Float {
        bytes: usize,
    },
    /// A signed integer whose type states the unit that it counts.
    Count {
        of: Unit,
        bytes: usize,
    },
    Bool,
    Void,
    /// A struct. The struct is given by its path and by the values of its template parameters.
    Struct {
        path: Vec<String>,
        arguments: Vec<usize>,
    },
    Enum {
        path: Vec<String>,
    },
    Pointer {
        constant: bool,
        to: Box<Type>,
    },
}

/// The unit that a count counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Rows,
    Tiles,
    Bytes,
}

impl Unit {
    const ALL: [Self; 3] = [Self::Rows, Self::Tiles, Self::Bytes];

    /// Returns two words: the suffix of the names of fields and parameters, and the name of the alias in namespace
    /// `gdf`.
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::Rows => ["rows", "row_count"],
            Self::Tiles => ["tiles", "tile_count"],
            Self::Bytes => ["bytes", "byte_count"],
        }
    }

    /// Returns the unit that a field or parameter of this name counts.
    fn of_name(name: &str) -> Option<Self> {
        let last = name.rsplit('_').next()?;
        Self::ALL.into_iter().find(|unit| unit.words()[0] == last)
    }

    /// Returns the count type that an alias names.
    fn of_alias(path: &[String]) -> Option<Type> {
        let [space, name] = path else { return None };
        let (name, bytes) = name.strip_suffix("32").map_or((name.as_str(), 8), |name| (name, 4));
        let of = Self::ALL.into_iter().find(|unit| space == "gdf" && unit.words()[1] == name)?;
        Some(Type::Count { of, bytes })
    }

    /// Checks that an integer field or parameter whose name ends in a unit has the type for counts of that unit.
    fn check(name: &str, kind: &Type) -> Result<()> {
        let Some(unit) = Self::of_name(name) else { return Ok(()) };
        let counts_other = match kind {
            Type::Integer { .. } => true,
            Type::Count { of, .. } => *of != unit,
            _ => false,
        };
        if counts_other {
            let [units, alias] = unit.words();
            bail!(
                "`{name}` has the name of a number of {units}, but another type: use the type gdf::{alias}, or rename"
            );
        }
        Ok(())
    }
}

/// A field with its type. The length of an array is a number or the name of a template parameter.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) name: Option<String>,
    pub(super) kind: Type,
    pub(super) lengths: Vec<Length>,
    pub(super) doc: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Number(usize),
    Parameter(String),
}

enum Item<'a> {
    Struct(Vec<String>),
    Enum(Vec<String>),
    Count(Type),
    Alias(&'a Written, Vec<String>),
}

impl Declarations {
    /// Returns the paths to which a name in `scope` may refer. The nearest path comes first.
    fn candidates(&self, scope: &[String], name: &[String]) -> Vec<Vec<String>> {
        let mut paths = Vec::new();
        for depth in (0..=scope.len()).rev() {
            let path = [&scope[..depth], name].concat();
            paths.push(path.clone());
            // A namespace may import another namespace. The names of the imported namespace are then also found through
            // the namespace that imports it.
            for end in depth..path.len() {
                let (space, rest) = path.split_at(end);
                for used in self.uses.get(space).into_iter().flatten() {
                    paths.extend((0..=end).rev().map(|inner| [&space[..inner], used, rest].concat()));
                }
            }
        }
        paths
    }

    fn item(&self, scope: &[String], name: &[String]) -> Option<Item<'_>> {
        self.candidates(scope, name).into_iter().find_map(|path| {
            if self.structs.contains_key(&path) {
                return Some(Item::Struct(path));
            }
            if self.enums.contains_key(&path) {
                return Some(Item::Enum(path));
            }
            let found = self.aliases.get(&path)?;
            if let Some(count) = Unit::of_alias(&path) {
                return Some(Item::Count(count));
            }
            let home = path[..path.len() - 1].to_vec();
            // `using gdf::u64` in a namespace declares the alias `u64`. The alias must not resolve to itself.
            (found.path != name || home != scope).then_some(Item::Alias(found, home))
        })
    }

    pub(super) fn resolve(&self, scope: &[String], written: &Written) -> Result<Type> {
        let mut kind = match builtin(&written.path) {
            Some(kind) => kind,
            None => match self.item(scope, &written.path) {
                Some(Item::Struct(path)) => {
                    let numbers = written.arguments.iter().map(|words| {
                        usize::try_from(self.number(scope, words)?)
                            .context("a template argument is negative or too large")
                    });
                    Type::Struct { path, arguments: numbers.collect::<Result<_>>()? }
                }
                Some(Item::Enum(path)) => Type::Enum { path },
                Some(Item::Count(kind)) => kind,
                Some(Item::Alias(found, home)) => self.resolve(&home, found)?,
                None => bail!("the type {} is not declared; include its file", written.path.join("::")),
            },
        };
        for constant in &written.pointers {
            kind = Type::Pointer { constant: *constant, to: Box::new(kind) };
        }
        Ok(kind)
    }

    /// Returns the value of an expression in `scope`.
    pub(super) fn number(&self, scope: &[String], words: &[Token]) -> Result<i128> {
        evaluate(words, &mut |path| self.named(scope, path))
    }

    fn named(&self, scope: &[String], path: &[String]) -> Result<i128> {
        for candidate in self.candidates(scope, path) {
            if let Some(constant) = self.constants.get(&candidate) {
                return self.number(&constant.scope, &constant.value);
            }
            if let Some(value) = self.enumerator(&candidate)? {
                return Ok(value);
            }
        }
        // In `tuning::threads`, `tuning` is an alias of the tuning of a policy.
        let (part, owner) = path.split_last().context("a type or constant has an empty name")?;
        if let Some(owner) = self.policy_of(scope, owner) {
            let [threads, items, blocks] = &self.policies[&owner];
            return match part.as_str() {
                "threads" => self.number(&[], threads),
                "items" => self.number(&[], items),
                "blocks" => self.number(&[], blocks),
                "tile" => Ok(self.number(&[], threads)? * self.number(&[], items)?),
                _ => bail!("a policy has no member {part}; the members are threads, items, blocks and tile"),
            };
        }
        bail!("the constant {} is not declared; include its file", path.join("::"))
    }

    fn policy_of(&self, scope: &[String], name: &[String]) -> Option<String> {
        let last = name.last()?;
        if let Some(policy) = last.strip_suffix("_tuning").filter(|policy| self.policies.contains_key(*policy)) {
            return Some(policy.to_owned());
        }
        match self.item(scope, name)? {
            Item::Alias(found, home) => self.policy_of(&home, &found.path),
            Item::Struct(_) | Item::Enum(_) | Item::Count(_) => None,
        }
    }

    /// Returns the value of an enumerator by its path. The path of an enumerator of an `enum class` includes the name
    /// of the type.
    fn enumerator(&self, path: &[String]) -> Result<Option<i128>> {
        let Some((name, owner)) = path.split_last() else { return Ok(None) };
        for (of, declared) in &self.enums {
            let home = if declared.scoped { of.as_slice() } else { &of[..of.len() - 1] };
            if home == owner && declared.values.iter().any(|(value, ..)| value == name) {
                let values = self.enumerators(of)?;
                return Ok(values.into_iter().find(|(value, _)| value == name).map(|(_, value)| value));
            }
        }
        Ok(None)
    }

    pub(super) fn enumerators(&self, path: &[String]) -> Result<Vec<(String, i128)>> {
        let declared = &self.enums[path];
        let mut next = 0;
        let mut all = Vec::new();
        for (name, value, _) in &declared.values {
            if let Some(words) = value {
                next = self.number(&declared.scope, words)?;
            }
            all.push((name.clone(), next));
            next += 1;
        }
        Ok(all)
    }

    /// Returns the type of a field of a struct, or of a parameter of a kernel.
    pub(super) fn typed(&self, scope: &[String], parameters: &[String], field: &Field) -> Result<Typed> {
        let lengths = field.lengths.iter().map(|words| match &words[..] {
            [Token::Word(name)] if parameters.contains(name) => Ok(Length::Parameter(name.clone())),
            words => Ok(Length::Number(usize::try_from(self.number(scope, words)?)?)),
        });
        let kind = self.resolve(scope, &field.written)?;
        if let Some(name) = &field.name {
            Unit::check(name, &kind)?;
        }
        Ok(Typed { name: field.name.clone(), kind, lengths: lengths.collect::<Result<_>>()?, doc: field.doc.clone() })
    }

    pub(super) fn fields(&self, path: &[String]) -> Result<Vec<Typed>> {
        let declared = &self.structs[path];
        if let Some(trouble) = &declared.trouble {
            bail!("{}: {} cannot be shared with the host: {trouble}", declared.file, path.join("::"));
        }
        let typed = |field| self.typed(&declared.scope, &declared.parameters, field);
        declared.fields.iter().map(typed).collect()
    }

    /// Returns the size and the alignment of a type, in bytes.
    pub(super) fn layout(&self, kind: &Type) -> Result<(usize, usize)> {
        Ok(match kind {
            Type::Integer { bytes, .. } | Type::Float { bytes } | Type::Count { bytes, .. } => (*bytes, *bytes),
            Type::Bool => (1, 1),
            Type::Void => bail!("the type void has no size; use another type"),
            Type::Pointer { .. } => (8, 8),
            Type::Enum { path } => {
                let underlying = &self.enums[path].underlying;
                let kind = builtin(underlying).unwrap_or(Type::Integer { bytes: 4, signed: true });
                self.layout(&kind)?
            }
            Type::Struct { path, arguments } => {
                let (offsets, align) = self.offsets(path, arguments)?;
                (offsets.last().copied().unwrap_or(0), align)
            }
        })
    }

    /// Returns two results. The first result is the byte offset of each field of a struct, followed by the size of the
    /// struct. The second result is the alignment of the struct.
    pub(super) fn offsets(&self, path: &[String], arguments: &[usize]) -> Result<(Vec<usize>, usize)> {
        let parameters = &self.structs[path].parameters;
        if parameters.len() != arguments.len() {
            bail!("the template {} needs {} arguments", path.join("::"), parameters.len());
        }
        let (mut end, mut align, mut offsets) = (0_usize, 1, Vec::new());
        for field in self.fields(path)? {
            let (size, its_align) = self.layout(&field.kind)?;
            let begin = end.next_multiple_of(its_align);
            offsets.push(begin);
            let count: usize = field.lengths.iter().map(|length| number_of(length, parameters, arguments)).product();
            end = begin + size * count;
            align = align.max(its_align);
        }
        offsets.push(end.next_multiple_of(align));
        Ok((offsets, align))
    }

    /// Returns whether a type is plain. A struct is plain if it has no padding, no template parameters and only plain
    /// fields. All other types are plain.
    pub(super) fn is_plain(&self, kind: &Type) -> Result<bool> {
        let Type::Struct { path, arguments } = kind else { return Ok(true) };
        let (mut bytes, mut plain) = (0, arguments.is_empty() && self.structs[path].parameters.is_empty());
        for field in self.fields(path)? {
            let count: usize = field.lengths.iter().map(|length| number_of(length, &[], &[])).product();
            bytes += self.layout(&field.kind)?.0 * count;
            plain &= self.is_plain(&field.kind)?;
        }
        Ok(plain && bytes == self.layout(kind)?.0)
    }
}

fn number_of(length: &Length, parameters: &[String], arguments: &[usize]) -> usize {
    match length {
        Length::Number(number) => *number,
        Length::Parameter(name) => {
            let index = parameters.iter().position(|parameter| parameter == name);
            index.and_then(|index| arguments.get(index)).copied().unwrap_or(0)
        }
    }
}

fn builtin(path: &[String]) -> Option<Type> {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    let integer = |bytes, signed| Some(Type::Integer { bytes, signed });
    match &words[..] {
        ["void"] => Some(Type::Void),
        ["bool"] => Some(Type::Bool),
        ["float"] => Some(Type::Float { bytes: 4 }),
        ["double"] => Some(Type::Float { bytes: 8 }),
        ["int8_t"] | ["signed", "char"] => integer(1, true),
        ["uint8_t"] | ["unsigned", "char"] => integer(1, false),
        ["int16_t"] | ["short"] => integer(2, true),
        ["uint16_t"] | ["unsigned", "short"] => integer(2, false),
        ["int32_t"] | ["int"] => integer(4, true),
        ["uint32_t"] | ["unsigned"] | ["unsigned", "int"] => integer(4, false),
        ["int64_t"] | ["long", "long"] => integer(8, true),
        ["uint64_t"] | ["unsigned", "long", "long"] => integer(8, false),
        ["__int128"] => integer(16, true),
        ["unsigned", "__int128"] => integer(16, false),
        _ => None,
    }
}
