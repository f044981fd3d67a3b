//! Functions that the rules of this module put around expressions.

use std::any::Any;
use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, FieldRef};
use datafusion::common::{exec_err, internal_err};
use datafusion::error::Result;
use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ExpressionPlacement, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility,
};
use datafusion::scalar::ScalarValue;

use super::floats::one_of_each;
use super::nested::{map_leaves, visible};

/// The functions of DataFusion that return fields of structs or entries of maps.
const READING: [&str; 6] = ["get_field", "map_extract", "element_at", "map_keys", "map_values", "map_entries"];

pub(super) static CANONICAL_FLOAT: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| OwnFunction::new(Kind::CanonicalFloat));

pub(super) static CHECKED_DECIMAL: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| OwnFunction::new(Kind::CheckedDecimal));

/// Returns a function of this crate by its name.
pub(crate) fn own_function(name: &str) -> Option<Arc<ScalarUDF>> {
    [&CANONICAL_FLOAT, &CHECKED_DECIMAL].into_iter().find(|function| function.name() == name).map(|of| Arc::clone(of))
}

/// Returns the function that reads the same fields or entries, but not below nulls. Returns `None` for other functions.
pub(super) fn over_visible(function: &Arc<ScalarUDF>) -> Option<Arc<ScalarUDF>> {
    let inner: &dyn Any = function.inner().as_ref();
    let is_reading = READING.contains(&function.name()) && !inner.is::<OverVisible>();
    is_reading.then(|| Arc::new(ScalarUDF::new_from_impl(OverVisible(Arc::clone(function)))))
}

/// A function of DataFusion whose arguments hide nothing below nulls.
#[derive(Debug, PartialEq, Eq, Hash)]
struct OverVisible(Arc<ScalarUDF>);

impl ScalarUDFImpl for OverVisible {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn aliases(&self) -> &[String] {
        self.0.aliases()
    }

    fn display_name(&self, args: &[Expr]) -> Result<String> {
        #[expect(deprecated, reason = "the name that DataFusion shows")]
        self.0.inner().display_name(args)
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.0.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.0.inner().return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.0.return_field_from_args(args)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let shown = |value: ColumnarValue| match value {
            ColumnarValue::Array(array) => Ok(ColumnarValue::Array(visible(&array)?)),
            ColumnarValue::Scalar(value) if value.data_type().is_nested() => {
                let array = visible(&value.to_array()?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
            }
            other => Ok(other),
        };
        let values = args.args.into_iter().map(shown).collect::<Result<_>>()?;
        self.0.invoke_with_args(ScalarFunctionArgs { args: values, ..args })
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        Ok(match self.0.inner().simplify(args, info)? {
            // The rest of a path of fields comes back as a call of DataFusion's function.
            ExprSimplifyResult::Simplified(Expr::ScalarFunction(call)) if call.func.inner().is::<GetFieldFunc>() => {
                let func = over_visible(&call.func).unwrap_or_else(|| Arc::clone(&call.func));
                ExprSimplifyResult::Simplified(Expr::ScalarFunction(ScalarFunction { func, args: call.args }))
            }
            other => other,
        })
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.0.coerce_types(types)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }

    fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
        self.0.inner().placement(args)
    }
}

/// A function of one argument that returns values of the same type. Islands do the same in comparisons and in arithmetic,
/// without the function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct OwnFunction {
    kind: Kind,
    signature: Signature,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// Floats without −0.0, and with a single kind of NaN.
    CanonicalFloat,
    /// Decimals, none of which may have more digits than its type states.
    CheckedDecimal,
}

impl OwnFunction {
    fn new(kind: Kind) -> Arc<ScalarUDF> {
        Arc::new(ScalarUDF::new_from_impl(OwnFunction { kind, signature: Signature::any(1, Volatility::Immutable) }))
    }
}

impl ScalarUDFImpl for OwnFunction {
    fn name(&self) -> &str {
        match self.kind {
            Kind::CanonicalFloat => "gdf_canonical_float",
            Kind::CheckedDecimal => "gdf_checked_decimal",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        match args.arg_fields {
            [field] => Ok(Arc::clone(field)),
            fields => internal_err!("{} has 1 argument, found {}", self.name(), fields.len()),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let of = |array: &ArrayRef| match self.kind {
            Kind::CanonicalFloat => map_leaves(array, &one_of_each),
            Kind::CheckedDecimal => check_digits(array).map(|()| Arc::clone(array)),
        };
        match args.args.as_slice() {
            [ColumnarValue::Array(array)] => Ok(ColumnarValue::Array(of(array)?)),
            [ColumnarValue::Scalar(value)] => {
                let array = of(&value.to_array()?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
            }
            values => exec_err!("{} has 1 argument, found {}", self.name(), values.len()),
        }
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        Ok(inputs.first().map_or(SortProperties::Unordered, |input| input.sort_properties))
    }
}

/// Checks that decimals of 128 or 256 bits have no more digits than their type states.
fn check_digits(array: &ArrayRef) -> Result<(), ArrowError> {
    let fits = match *array.data_type() {
        DataType::Decimal128(precision, scale) => fit::<Decimal128Type>(array, precision, scale),
        DataType::Decimal256(precision, scale) => fit::<Decimal256Type>(array, precision, scale),
        _ => true,
    };
    if fits {
        return Ok(());
    }
    let what = format!("a result does not fit {}; cast the operands to decimals with fewer digits", array.data_type());
    Err(ArrowError::ArithmeticOverflow(what))
}

fn fit<T: DecimalType>(array: &ArrayRef, precision: u8, scale: i8) -> bool {
    let is_valid = |value| T::validate_decimal_precision(value, precision, scale).is_ok();
    array.as_primitive::<T>().iter().flatten().all(is_valid)
}
