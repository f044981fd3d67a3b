//! `binary_operation`, and comparisons of structs, lists and maps in it. Both operands of such a comparison are replaced
//! by plain columns, which the engine compares:
//!
//! * For equality, a struct becomes one boolean per row, which is true where all fields are equal. Nothing is sorted.
//! * Lists, and structs whose order is asked for, become [keys](crate::keys).
//!
//! The comparisons are composed of other operations and have no kernel of their own.

use gdf_core::{Abilities, Column, ColumnView, DataType, Error, Operand, Result, Scalar, StructsView, is_floating};
use gdf_engine::binary::{BinaryOperator as Op, binary, of};
use gdf_engine::elementwise::Inputs;
use gdf_engine::input::Input;
use gdf_engine::mask::null_where_null;
use gdf_engine::nans::is_nan;
use gdf_engine::sequence::constant;
use gdf_expr::types::{decoded_type, natural};

use crate::Ctx;
use crate::keys::{is_replaced, paired_values};
use crate::lists::cast_nested;

const OPERATION: &str = "binary_operation";

/// Computes `lhs op rhs` for each row and returns a column of type `output_type`. A scalar operand stands for every
/// row.
///
/// Implements `gdf_api::binaryop::binary_operation` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn binary_operation(
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    op: Op,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    if ![lhs, rhs].iter().any(|side| is_nested_key(decoded_type(side.data_type()))) {
        return binary(lhs, rhs, op, output_type, ctx);
    }
    nested(lhs, rhs, op, output_type, ctx).map_err(|error| error.in_variant(op.name()))
}

fn is_nested_key(data_type: &DataType) -> bool {
    Abilities::of(data_type).nested && is_replaced(data_type)
}

fn nested(lhs: Operand<'_>, rhs: Operand<'_>, op: Op, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    natural(op, lhs.data_type(), rhs.data_type())?;
    if *output_type != DataType::Boolean {
        return Err(Error::type_mismatch(DataType::Boolean, output_type).in_argument("output_type"));
    }
    let sides = [Side::new(lhs)?, Side::new(rhs)?];
    let inputs = sides.each_ref().map(|side| match side {
        Side::Column(column) => Input::Column(column.view()),
        Side::Scalar(scalar) => Input::Scalar(scalar),
    });
    let rows = Inputs::new(inputs, ctx)?.rows();
    let [lhs, rhs] = sides;
    let sides = [lhs.decoded(ctx.scratch())?, rhs.decoded(ctx.scratch())?];
    compared(&sides, op, rows, ctx)
}

/// An operand, or the plain column or scalar in place of the operand.
enum Side {
    Column(Column),
    Scalar(Scalar),
}

impl Side {
    fn new(operand: Operand<'_>) -> Result<Self> {
        match operand {
            Operand::Column(view) => Ok(Side::Column(view.to_column())),
            Operand::Scalar(scalar) => Ok(Side::Scalar(scalar.clone())),
            Operand::Literal(literal) => Err(Error::unsupported(OPERATION, literal.data_type())),
        }
    }

    fn view(&self) -> ColumnView<'_> {
        match self {
            Side::Column(column) => column.view(),
            Side::Scalar(scalar) => scalar.view(),
        }
    }

    fn operand(&self) -> Operand<'_> {
        match self {
            Side::Column(column) => column.into(),
            Side::Scalar(scalar) => scalar.into(),
        }
    }

    /// Returns `column` as an operand of the same kind. In place of a scalar, the only row of `column` becomes a
    /// scalar.
    fn replaced_by(&self, column: Column) -> Result<Self> {
        match self {
            Side::Column(_) => Ok(Side::Column(column)),
            Side::Scalar(_) => Scalar::from_column(column).map(Side::Scalar),
        }
    }

    /// Returns the operand without the dictionary. Dictionaries within the values stay.
    fn decoded(self, ctx: Ctx<'_>) -> Result<Self> {
        let DataType::Dictionary(..) = self.view().data_type() else { return Ok(self) };
        self.replaced_by(cast_nested(self.view(), decoded_type(self.view().data_type()), ctx)?)
    }

    fn field(&self, position: usize) -> Result<Self> {
        self.replaced_by(StructsView::try_from(self.view())?.child(position)?.to_column())
    }

    /// Returns `values` with the nulls of this operand.
    fn with_nulls(&self, values: Column, ctx: Ctx<'_>) -> Result<Self> {
        let masked = null_where_null(values.view(), &[self.view()], ctx)?;
        self.replaced_by(masked.ok_or_else(|| Error::internal("nulls cannot be added to booleans"))?)
    }
}

/// Compares operands of one type. `rows` is the number of rows of the result.
fn compared(sides: &[Side; 2], op: Op, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let boolean = &DataType::Boolean;
    let [lhs, rhs] = sides;
    let is_equality = matches!(op, Op::Equal | Op::NotEqual | Op::NullEquals | Op::NullNotEquals);
    let keys = match lhs.view().data_type() {
        DataType::Struct(fields) if is_equality => equal_fields(sides, fields.len(), rows, ctx.scratch())?,
        _ => {
            let [left, right] = paired_values(OPERATION, [lhs.view(), rhs.view()], ctx.scratch())?;
            [lhs.replaced_by(left)?, rhs.replaced_by(right)?]
        }
    };
    binary(keys[0].operand(), keys[1].operand(), op, boolean, ctx)
}

/// Returns two boolean operands with the nulls of the structs. The operands are equal where all fields are equal.
fn equal_fields(sides: &[Side; 2], fields: usize, rows: usize, ctx: Ctx<'_>) -> Result<[Side; 2]> {
    let trues = |side: &Side| constant(true.into(), side.view().len(), ctx);
    let mut equal = None;
    for position in 0..fields {
        let fields = [sides[0].field(position)?, sides[1].field(position)?];
        let of_field = equal_values(fields, rows, ctx)?;
        equal = Some(match &equal {
            Some(equal) => of(equal, Op::LogicalAnd, (&of_field).into(), &DataType::Boolean, ctx)?,
            None => of_field,
        });
    }
    let equal = match equal {
        Some(equal) => equal,
        None => constant(true.into(), rows, ctx)?,
    };
    let [lhs, rhs] = sides;
    match lhs {
        Side::Column(_) => Ok([lhs.with_nulls(equal, ctx)?, rhs.with_nulls(trues(rhs)?, ctx)?]),
        Side::Scalar(_) => Ok([lhs.with_nulls(trues(lhs)?, ctx)?, rhs.with_nulls(equal, ctx)?]),
    }
}

/// Returns whether values within structs are equal. Nulls are equal to each other, and so are NaNs.
fn equal_values([lhs, rhs]: [Side; 2], rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let boolean = &DataType::Boolean;
    let [lhs, rhs] = [lhs.decoded(ctx)?, rhs.decoded(ctx)?];
    let data_type = lhs.view().data_type();
    if natural(Op::Equal, data_type, data_type).is_err() || is_nested_key(data_type) {
        return compared(&[lhs, rhs], Op::NullEquals, rows, ctx);
    }
    let equal = binary(lhs.operand(), rhs.operand(), Op::NullEquals, boolean, ctx)?;
    if !is_floating(data_type) {
        return Ok(equal);
    }
    let nans = |side: &Side| side.replaced_by(is_nan(side.view(), ctx)?);
    let [left, right] = [nans(&lhs)?, nans(&rhs)?];
    let both = binary(left.operand(), right.operand(), Op::LogicalAnd, boolean, ctx)?;
    of(&equal, Op::LogicalOr, (&both).into(), boolean, ctx)
}
