//! Errors about the names of columns, and about expressions over names.

use super::Error;
use super::context::Context;

impl Error {
    /// Makes an [`Error::NameNotFound`]: no column of `names` has the name `name`. The error suggests the most similar
    /// name of a column, if there is a similar name.
    #[cold]
    pub fn name_not_found(
        name: &str,
        nearest: Option<&str>,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Error {
        Error::NameNotFound {
            name: name.into(),
            nearest: nearest.map(Box::from),
            names: names.into_iter().map(|name| name.as_ref().into()).collect(),
            context: Context::EMPTY,
        }
    }

    /// Makes an [`Error::DuplicateName`]: several columns would have the name `name`.
    #[cold]
    pub fn duplicate_name(name: &str) -> Error {
        Error::DuplicateName { name: name.into(), context: Context::EMPTY }
    }

    /// Adds the text of the whole expression to an error whose faulty part was set by
    /// [`in_expression`](Self::in_expression). If the faulty part is smaller than the whole expression, the error text
    /// ends with the whole expression, and marks the faulty part in it.
    #[cold]
    pub fn in_whole_expression(self, text: impl FnOnce() -> String) -> Error {
        self.with(|context| context.set_whole_expression(text))
    }
}
