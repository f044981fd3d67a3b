//! Columns that share the buffers of a column but have another type.

use std::sync::Arc;

use arrow_schema::DataType;

use crate::layout::{child_types, is_required};
use crate::types::physical_type;
use crate::{Column, ColumnParts, Error, ExpectedType, Result};

impl Column {
    /// Returns a column with the same bytes, interpreted as another fixed-width type. Both types must have the same
    /// width.
    ///
    /// # Errors
    /// - [`Error::Unsupported`]: the type of the column or `data_type` has no fixed width.
    /// - [`Error::TypeMismatch`]: the widths differ.
    /// - [`Error::BufferMisaligned`]: the address of the bytes is not aligned as `data_type` requires.
    pub fn bit_cast(&self, data_type: DataType) -> Result<Column> {
        let width = |t: &DataType| crate::width(t).ok_or_else(|| Error::unsupported("bit_cast", t));
        let expected = width(&self.data_type)?;
        if width(&data_type)? != expected {
            return Err(Error::type_mismatch(ExpectedType::Width(expected), &data_type));
        }
        // Every bit pattern is a valid value of a fixed-width type, so only the null count could be wrong.
        let column = Self::assemble(ColumnParts { data_type, ..self.clone().into_parts() }, true)?;
        Ok(Column { trust: self.trust.clone(), ..column })
    }

    /// Returns the same rows as a column of another type. Both types must have the same layout. The stored values stay
    /// unchanged, so the types may differ in names, nullability, metadata, precision, scale, unit and time zone. For
    /// example, `Int32` may become `Date32`, and text may become bytes or the reverse.
    ///
    /// The new type may have rules on its data that the old type does not have. For example, text must be UTF-8, and a
    /// field that is declared without nulls must have no nulls. In that case the result is unvalidated, and the first
    /// operation on the result validates the data.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the layouts differ.
    pub fn with_type(&self, data_type: DataType) -> Result<Column> {
        if self.data_type == data_type {
            return Ok(self.clone());
        }
        let mismatch = || Error::type_mismatch(ExpectedType::LayoutOf(self.data_type.clone()), &data_type);
        if !same_layout(&self.data_type, &data_type) {
            return Err(mismatch());
        }
        let types = child_types(&data_type);
        if types.len() != self.children.len() {
            return Err(mismatch());
        }
        let children =
            self.children.iter().zip(types).map(|(child, t)| child.with_type(t.clone())).collect::<Result<_>>()?;
        // A change of field names adds no rules on data.
        let keeps = |a, b| keeps_rules(a, b, &self.children);
        let (there, back) = (keeps(&self.data_type, &data_type), keeps(&data_type, &self.data_type));
        let trust = match &self.trust {
            _ if there && self.own_data_validated() => None,
            trust if there && back => trust.clone(),
            _ => Some(Arc::default()),
        };
        let sanitized = self.sanitized;
        let parts = ColumnParts { data_type, children, ..self.clone().into_parts() };
        Ok(Column { trust, sanitized, ..Self::assemble(parts, true)? })
    }
}

/// Returns whether a column of type `b` has the same own buffers as a column of type `a`.
fn same_layout(a: &DataType, b: &DataType) -> bool {
    use crate::PhysicalType as P;
    match (a, b) {
        (DataType::Dictionary(a, _), DataType::Dictionary(b, _)) => physical_type(a) == physical_type(b),
        _ => match (physical_type(a), physical_type(b)) {
            (P::String { large: a } | P::Binary { large: a }, P::String { large: b } | P::Binary { large: b }) => {
                a == b
            }
            (P::View { .. }, P::View { .. }) => true,
            (P::Map, P::List { large: false }) | (P::List { large: false }, P::Map) => true,
            (a, b) => a == b,
        },
    }
}

/// Returns whether data that follow the rules of `a` also follow the rules of `b`.
fn keeps_rules(a: &DataType, b: &DataType, children: &[Column]) -> bool {
    let is_new = |i: usize| is_required(b, i) && !is_required(a, i);
    if children.iter().enumerate().any(|(i, child)| is_new(i) && child.may_have_nulls()) {
        return false;
    }
    match (a, b) {
        (DataType::Union(a, _), DataType::Union(b, _)) => a.iter().map(|(id, _)| id).eq(b.iter().map(|(id, _)| id)),
        _ => !crate::is_string(b) || crate::is_string(a),
    }
}
