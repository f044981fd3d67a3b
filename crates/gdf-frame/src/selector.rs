//! Selectors, which select columns by names, patterns, positions or types.

use std::fmt;

use gdf_core::{Counted, DataType, Error, Result, is_floating, is_integral, is_numeric, is_string, is_temporal};
use gdf_expr::Value;

use crate::columns::Columns;
use crate::names::Quoted;
use crate::names::unknown_name;

/// Several columns of a frame, chosen by names, patterns, positions or types.
///
/// A selector can be used in place of an expression, for example in `select(all())` or in `numeric().as_expr() * 2`.
/// The expression is then evaluated for each selected column.
///
/// ```
/// use gdf::Column;
/// use gdf::frame::{Frame, all, matching, numeric};
///
/// let frame = Frame::try_new([
///     ("id", Column::from_slice(&[1])?),
///     ("price_net", Column::from_slice(&[2.5])?),
///     ("city", Column::from_strs(["Lyon"])?),
/// ])?;
/// assert_eq!(frame.select([numeric()])?.names().collect::<Vec<_>>(), ["id", "price_net"]);
/// assert_eq!(frame.select([matching("price_*")])?.names().collect::<Vec<_>>(), ["price_net"]);
/// assert_eq!(frame.select([all().except(["id"])])?.names().collect::<Vec<_>>(), ["price_net", "city"]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Selector {
    kind: Kind,
    except: Vec<Box<str>>,
}

#[derive(Clone, Debug)]
enum Kind {
    All,
    Names(Vec<Box<str>>),
    Positions(Vec<usize>),
    Pattern(Box<str>),
    Type(DataType),
    Class(Class),
}

#[derive(Clone, Copy, Debug)]
enum Class {
    Numeric,
    Integer,
    Float,
    Text,
    Temporal,
    Boolean,
}

/// Selects all columns.
pub fn all() -> Selector {
    Kind::All.into()
}

/// Selects the columns of these names, in this order.
pub fn cols<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Selector {
    Kind::Names(names.into_iter().map(|name| name.as_ref().into()).collect()).into()
}

/// Selects the columns at these positions, in this order.
pub fn nth(positions: impl IntoIterator<Item = usize>) -> Selector {
    Kind::Positions(positions.into_iter().collect()).into()
}

/// Selects the columns whose names match a pattern. In the pattern, `*` stands for any number of characters, `?` for
/// one character and `[ab]` for one of several characters.
pub fn matching(pattern: &str) -> Selector {
    Kind::Pattern(pattern.into()).into()
}

/// Selects the columns of this type.
pub fn dtype(data_type: DataType) -> Selector {
    Kind::Type(data_type).into()
}

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $class:ident;)*) => {
        $(
            $(#[$doc])*
            pub fn $name() -> Selector {
                Kind::Class(Class::$class).into()
            }
        )*

        impl Class {
            /// Returns the name of the function that selects the columns of the class.
            fn name(self) -> &'static str {
                match self {
                    $(Class::$class => stringify!($name),)*
                }
            }
        }
    };
}

classes! {
    /// Selects the columns of integers, floats and decimals.
    numeric = Numeric;
    /// Selects the columns of integers.
    integer = Integer;
    /// Selects the columns of floats.
    float = Float;
    /// Selects the columns of text.
    text = Text;
    /// Selects the columns of dates, times, timestamps and durations.
    temporal = Temporal;
    /// Selects the columns of booleans.
    boolean = Boolean;
}

impl From<Kind> for Selector {
    fn from(kind: Kind) -> Selector {
        Selector { kind, except: Vec::new() }
    }
}

impl Class {
    fn has(self, data_type: &DataType) -> bool {
        match self {
            Class::Numeric => is_numeric(data_type),
            Class::Integer => is_integral(data_type),
            Class::Float => is_floating(data_type),
            Class::Text => is_string(data_type),
            Class::Temporal => is_temporal(data_type),
            Class::Boolean => *data_type == DataType::Boolean,
        }
    }
}

impl Selector {
    /// Leaves out the columns of these names. Names that no column has are ignored.
    pub fn except<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Selector {
        self.except.extend(names.into_iter().map(|name| Box::from(name.as_ref())));
        self
    }

    /// Returns the names in the order of the selector, or `None` if the names depend on the columns.
    pub(crate) fn names(&self) -> Option<impl Iterator<Item = &str>> {
        let Kind::Names(names) = &self.kind else { return None };
        Some(names.iter().map(|name| &**name).filter(|name| !self.except.iter().any(|except| **except == **name)))
    }

    pub(crate) fn positions(&self, columns: &impl Described) -> Result<Vec<usize>> {
        let by_name = |test: &dyn Fn(&str) -> bool| (0..columns.width()).filter(|at| test(columns.name(*at))).collect();
        let by_type = |test: &dyn Fn(&DataType) -> bool| {
            let of_type = |at: usize| columns.data_type(at).map(|data_type| test(&data_type).then_some(at));
            (0..columns.width()).map(of_type).filter_map(Result::transpose).collect::<Result<Vec<_>>>()
        };
        let mut positions = match &self.kind {
            Kind::All => (0..columns.width()).collect(),
            Kind::Names(names) => {
                let position = |name: &str| {
                    let all = (0..columns.width()).map(|at| columns.name(at));
                    columns.position(name).ok_or_else(|| unknown_name(name, all))
                };
                names.iter().map(|name| position(name)).collect::<Result<Vec<_>>>()?
            }
            Kind::Positions(positions) => {
                let refused = |at| Error::index_out_of_bounds(Counted::Columns, at, columns.width());
                if let Some(at) = positions.iter().find(|at| **at >= columns.width()) {
                    return Err(refused(*at));
                }
                positions.clone()
            }
            Kind::Pattern(pattern) => {
                let pattern = glob::Pattern::new(pattern)
                    .map_err(|error| Error::invalid_pattern(pattern, Some(error.pos), error.msg))?;
                by_name(&|name| pattern.matches(name))
            }
            Kind::Type(data_type) => by_type(&|of| gdf_core::same_type(of, data_type))?,
            Kind::Class(class) => by_type(&|of| class.has(of))?,
        };
        positions.retain(|at| !self.except.iter().any(|name| **name == *columns.name(*at)));
        Ok(positions)
    }
}

/// Writes the selector as the call that makes it: `all()`, `cols(id, city)`, `numeric().except(id)`.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::All => f.write_str("all()"),
            Kind::Names(names) => write!(f, "cols({})", list(names.iter().map(|name| Quoted(name)))),
            Kind::Positions(positions) => write!(f, "nth({})", list(positions)),
            Kind::Pattern(pattern) => write!(f, "matching({})", Value::from(&**pattern)),
            Kind::Type(data_type) => write!(f, "dtype({data_type})"),
            Kind::Class(class) => write!(f, "{}()", class.name()),
        }?;
        if self.except.is_empty() {
            return Ok(());
        }
        write!(f, ".except({})", list(self.except.iter().map(|name| Quoted(name))))
    }
}

fn list(items: impl IntoIterator<Item = impl fmt::Display>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// Columns with known names and types.
pub(crate) trait Described {
    /// Returns the number of columns.
    fn width(&self) -> usize;

    fn name(&self, position: usize) -> &str;

    fn data_type(&self, position: usize) -> Result<DataType>;

    fn position(&self, name: &str) -> Option<usize>;
}

impl Described for Columns {
    fn width(&self) -> usize {
        self.len()
    }

    fn name(&self, position: usize) -> &str {
        self.field(position).name()
    }

    fn data_type(&self, position: usize) -> Result<DataType> {
        Ok(self.field(position).data_type().clone())
    }

    fn position(&self, name: &str) -> Option<usize> {
        Columns::position(self, name)
    }
}

impl Columns {
    /// Returns the positions of the columns that a selector selects, in the order of the selector.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound): the selector contains a name that no column has.
    pub fn positions_of(&self, selector: &Selector) -> Result<Vec<usize>> {
        selector.positions(self)
    }
}

impl From<&str> for Selector {
    fn from(name: &str) -> Selector {
        cols([name])
    }
}

impl<const N: usize> From<[&str; N]> for Selector {
    fn from(names: [&str; N]) -> Selector {
        cols(names)
    }
}

impl From<&[&str]> for Selector {
    fn from(names: &[&str]) -> Selector {
        cols(names)
    }
}

impl From<Vec<std::sync::Arc<str>>> for Selector {
    fn from(names: Vec<std::sync::Arc<str>>) -> Selector {
        cols(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_shown_as_calls() {
        for (selector, text) in [
            (all(), "all()"),
            (all().except(["id", "unit price"]), "all().except(id, \"unit price\")"),
            ("id".into(), "cols(id)"),
            (cols(["id", "unit price"]), "cols(id, \"unit price\")"),
            (nth([2, 0]), "nth(2, 0)"),
            (matching("it's_*"), "matching('it''s_*')"),
            (dtype(DataType::Int64), "dtype(Int64)"),
            (temporal().except(["day"]), "temporal().except(day)"),
        ] {
            assert_eq!(selector.to_string(), text);
        }
        assert_eq!((numeric().as_expr() * 2).to_string(), "numeric() * 2");
    }
}
