//! Converts elements to keys for the engines that compare rows.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::unary::is_valid;
use gdf_core::{Abilities, Column, ColumnView, DataType, Error, PhysicalType, Result, StructsView, physical_type};
use gdf_engine::mask::{null_unless_selected, null_unless_true};

use crate::Ctx;

/// Returns key columns for elements.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported): a type, or the type of a field, does not have the ability that `can` tests.
pub(super) fn key_columns(
    operation: &'static str,
    elements: ColumnView<'_>,
    can: fn(Abilities) -> bool,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let mut keys = Vec::new();
    let mut open = vec![(elements, None::<Column>)];
    while let Some((view, around)) = open.pop() {
        let boolean = &DataType::Boolean;
        if physical_type(view.data_type()) != PhysicalType::Struct {
            if !can(Abilities::of(view.data_type())) {
                return Err(Error::unsupported(operation, view.data_type()).in_type(elements.data_type()));
            }
            let masked = around.map(|valid| null_unless_selected(view, valid.view(), ctx)).transpose()?;
            keys.push(masked.flatten().unwrap_or_else(|| view.to_column()));
            continue;
        }
        let valid = if view.has_validity() { Some(is_valid(view, ctx)?) } else { None };
        let valid = match (valid, around) {
            (Some(valid), Some(around)) => Some(of(&valid, Op::LogicalAnd, (&around).into(), boolean, ctx)?),
            (valid, around) => valid.or(around),
        };
        if let Some(valid) = &valid {
            keys.push(null_unless_true(valid.view(), ctx)?);
        }
        let fields = StructsView::try_from(view)?;
        for i in (0..fields.num_children()).rev() {
            open.push((fields.child(i)?, valid.clone()));
        }
    }
    Ok(keys)
}
