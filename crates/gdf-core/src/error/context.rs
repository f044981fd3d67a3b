//! The context of an error: the public function, the argument, the row or column at fault, and advice for the caller.

use std::fmt;

use arrow_schema::DataType;

/// The call that an [`Error`](crate::Error) came from, and the part of the input that is at fault.
///
/// An empty context allocates no memory. The first field that is set allocates memory. The context is the beginning of
/// the text of an error. For example, the text begins with `binary_operation(Add): rhs: …`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context(Option<Box<Parts>>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Parts {
    operation: Option<&'static str>,
    variant: Option<&'static str>,
    argument: Option<&'static str>,
    position: Option<Position>,
    expression: Option<Box<str>>,
    whole_expression: Option<Box<str>>,
    data_type: Option<DataType>,
    remedy: Option<&'static str>,
}

/// The input, column or row that an error is about. All positions count from 0.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// A row of a column or of a table.
    Row(usize),
    /// A column of a table.
    Column(usize),
    /// A child of a nested column.
    Child(usize),
    /// One of several columns or tables of a call. The number is the position among them.
    Input(usize),
    /// A request of a group-by, by its position.
    Request(usize),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Row(at) => write!(f, "row {at}"),
            Position::Column(at) => write!(f, "column {at}"),
            Position::Child(at) => write!(f, "child {at}"),
            Position::Input(at) => write!(f, "input {at}"),
            Position::Request(at) => write!(f, "request {at}"),
        }
    }
}

impl Context {
    pub(crate) const EMPTY: Self = Self(None);

    fn get<T>(&self, part: impl FnOnce(&Parts) -> Option<T>) -> Option<T> {
        self.0.as_deref().and_then(part)
    }

    /// Returns the public function that was called.
    pub fn operation(&self) -> Option<&'static str> {
        self.get(|parts| parts.operation)
    }

    /// Returns the operator or aggregation with which the public function was called.
    pub fn variant(&self) -> Option<&'static str> {
        self.get(|parts| parts.variant)
    }

    /// Returns the argument at fault.
    pub fn argument(&self) -> Option<&'static str> {
        self.get(|parts| parts.argument)
    }

    /// Returns the row, column or request of the argument that is at fault.
    pub fn position(&self) -> Option<Position> {
        self.get(|parts| parts.position)
    }

    /// Returns the part of an expression that is at fault, as text: `(#0 * #1) + #2`.
    pub fn expression(&self) -> Option<&str> {
        self.0.as_deref()?.expression.as_deref()
    }

    /// Returns the whole expression that [`expression`](Self::expression) is a part of.
    pub fn whole_expression(&self) -> Option<&str> {
        self.0.as_deref()?.whole_expression.as_deref()
    }

    /// Returns the type of the value or column that the error is about.
    pub fn data_type(&self) -> Option<&DataType> {
        self.0.as_deref()?.data_type.as_ref()
    }

    /// Returns advice for the caller.
    pub fn remedy(&self) -> Option<&'static str> {
        self.get(|parts| parts.remedy)
    }

    fn parts(&mut self) -> &mut Parts {
        self.0.get_or_insert_default()
    }

    /// Sets the public function.
    pub(crate) fn set_operation(&mut self, operation: &'static str) {
        self.parts().operation = Some(operation);
    }

    /// Does the same as [`Context::set_operation`], for a function whose name already contains the operator or
    /// aggregation.
    pub(crate) fn set_short_form(&mut self, operation: &'static str) {
        self.set_operation(operation);
        self.parts().variant = None;
    }

    // The setters below set a field only if the field is not set yet.

    pub(crate) fn set_variant(&mut self, variant: &'static str) {
        self.parts().variant.get_or_insert(variant);
    }

    pub(crate) fn set_argument(&mut self, argument: &'static str) {
        self.parts().argument.get_or_insert(argument);
    }

    pub(crate) fn set_position(&mut self, position: Position) {
        self.parts().position.get_or_insert(position);
    }

    pub(crate) fn set_expression(&mut self, text: impl FnOnce() -> String) {
        self.parts().expression.get_or_insert_with(|| text().into_boxed_str());
    }

    pub(crate) fn set_whole_expression(&mut self, text: impl FnOnce() -> String) {
        self.parts().whole_expression.get_or_insert_with(|| text().into_boxed_str());
    }

    pub(crate) fn set_data_type(&mut self, data_type: &DataType) {
        self.parts().data_type.get_or_insert_with(|| data_type.clone());
    }

    pub(crate) fn set_remedy(&mut self, remedy: &'static str) {
        self.parts().remedy.get_or_insert(remedy);
    }

    /// Returns the call without the argument, for error texts that name the argument elsewhere.
    pub(crate) fn call(&self) -> Call<'_> {
        Call(self)
    }

    /// Returns a noun phrase for the argument and the position within the argument, such as `row 2 of the map`.
    pub(crate) fn subject(&self) -> Option<Subject> {
        let subject = Subject { argument: self.argument(), position: self.position() };
        (subject.argument.is_some() || subject.position.is_some()).then_some(subject)
    }

    /// Returns the last part of the text of an error, which follows the message.
    pub(crate) fn end(&self) -> End<'_> {
        End(self)
    }
}

/// Writes the first part of the text of an error: the call, the type and the part of the input at fault.
impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call().fmt(f)?;
        match self.subject() {
            Some(subject) => write!(f, "{subject}: "),
            None => Ok(()),
        }
    }
}

pub(crate) struct Call<'a>(&'a Context);

impl fmt::Display for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.operation(), self.0.variant()) {
            (Some(operation), Some(variant)) => write!(f, "{operation}({variant}): ")?,
            (Some(name), None) | (None, Some(name)) => write!(f, "{name}: ")?,
            (None, None) => {}
        }
        if let Some(expression) = self.0.expression() {
            write!(f, "{expression}: ")?;
        }
        match self.0.data_type() {
            Some(data_type) => write!(f, "{data_type}: "),
            None => Ok(()),
        }
    }
}

pub(crate) struct Subject {
    argument: Option<&'static str>,
    position: Option<Position>,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.position, self.argument) {
            (Some(position), Some(argument)) => write!(f, "{position} of the {argument}"),
            (Some(position), None) => position.fmt(f),
            (None, Some(argument)) => f.write_str(argument),
            (None, None) => Ok(()),
        }
    }
}

pub(crate) struct End<'a>(&'a Context);

impl fmt::Display for End<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(remedy) = self.0.remedy() {
            write!(f, "; {remedy}")?;
        }
        let (Some(part), Some(whole)) = (self.0.expression(), self.0.whole_expression()) else { return Ok(()) };
        match whole.find(part) {
            Some(start) if part != whole => {
                let (before, width) = (whole[..start].chars().count(), part.chars().count());
                write!(f, "\n  {whole}\n  {:before$}{}", "", "^".repeat(width))
            }
            _ => Ok(()),
        }
    }
}

/// The type, or class of types, that [`TypeMismatch`](crate::Error::TypeMismatch) requires.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedType {
    /// Exactly this type.
    Type(DataType),
    /// Any type of a class, such as `an integer type`.
    Class(&'static str),
    /// A type that the operation can combine with this type.
    CompatibleWith(DataType),
    /// A type that stores values of this Rust type.
    Storing(&'static str),
    /// A type whose buffer of values has elements of this Rust type.
    ValuesOf(&'static str),
    /// A type with offsets of this Rust type.
    OffsetsOf(&'static str),
    /// A type of the same kind as this type.
    KindOf(DataType),
    /// A type of this many bytes per row.
    Width(usize),
    /// A type with the same layout as this type.
    LayoutOf(DataType),
}

impl From<&'static str> for ExpectedType {
    fn from(class: &'static str) -> Self {
        Self::Class(class)
    }
}

impl From<DataType> for ExpectedType {
    fn from(data_type: DataType) -> Self {
        Self::Type(data_type)
    }
}

impl From<&DataType> for ExpectedType {
    fn from(data_type: &DataType) -> Self {
        Self::Type(data_type.clone())
    }
}

impl fmt::Display for ExpectedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(data_type) => data_type.fmt(f),
            Self::Class(class) => f.write_str(class),
            Self::CompatibleWith(other) => write!(f, "a type that can be combined with {other}"),
            Self::Storing(name) => write!(f, "a type that stores {name}"),
            Self::ValuesOf(name) => write!(f, "a column of {name}"),
            Self::OffsetsOf(name) => write!(f, "a type with offsets {name}"),
            Self::KindOf(data_type) => write!(f, "a type such as {data_type}"),
            Self::Width(1) => f.write_str("a type of 1 byte"),
            Self::Width(bytes) => write!(f, "a type of {bytes} bytes"),
            Self::LayoutOf(data_type) => write!(f, "a type with the layout of {data_type}"),
        }
    }
}

/// The kind of items that an index of [`OutOfBounds`](crate::Error::OutOfBounds) counts.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counted {
    /// Rows of a column or table.
    Rows,
    /// Columns of a table.
    Columns,
    /// Children of a nested column.
    Children,
    /// Buffers of a column.
    Buffers,
    /// Bytes of a buffer.
    Bytes,
    /// Partitions.
    Partitions,
}

impl Counted {
    /// Returns the noun for `number` items, in the singular or the plural.
    pub(crate) fn word(self, number: usize) -> &'static str {
        let (one, many) = match self {
            Self::Rows => ("row", "rows"),
            Self::Columns => ("column", "columns"),
            Self::Children => ("child", "children"),
            Self::Buffers => ("buffer", "buffers"),
            Self::Bytes => ("byte", "bytes"),
            Self::Partitions => ("partition", "partitions"),
        };
        if number == 1 { one } else { many }
    }
}
