//! The sum of decimals, which is exact or an error. DataFusion's sum wraps.

use std::any::Any;
use std::collections::HashSet;
use std::mem::size_of_val;
use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{Array, ArrayRef, Decimal128Array, Decimal256Array};
use arrow_buffer::i256;
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use datafusion::common::internal_err;
use datafusion::common::utils::SingleRowListArrayBuilder;
use datafusion::error::Result;
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF, SetMonotonicity,
    Signature,
};
use datafusion::scalar::ScalarValue;

pub(super) static EXACT_SUM: LazyLock<Arc<AggregateUDF>> =
    LazyLock::new(|| Arc::new(AggregateUDF::new_from_impl(ExactSum { of: Sum::new() })));

/// Returns the sum that is exact or an error.
#[cfg(feature = "codec")]
pub(crate) fn exact_sum() -> Arc<AggregateUDF> {
    Arc::clone(&EXACT_SUM)
}

/// The number of digits by which the sum of 10¹⁰ values may exceed a value.
const SPARE_DIGITS: u8 = 10;

/// Returns whether a sum of decimals of a type may have too many digits for the type of the sum.
pub(super) fn needs_exact(data_type: &DataType) -> bool {
    match *data_type {
        DataType::Decimal128(precision, _) => precision > 38 - SPARE_DIGITS,
        DataType::Decimal256(precision, _) => precision > 76 - SPARE_DIGITS,
        _ => false,
    }
}

/// Returns whether an aggregate is a sum, of DataFusion or of this crate.
pub(crate) fn is_sum(fun: &dyn Any) -> bool {
    fun.is::<Sum>() || fun.is::<ExactSum>()
}

/// The sum of DataFusion, but decimals are added with 256 bits, and a sum that does not fit its type is an error.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ExactSum {
    of: Sum,
}

impl AggregateUDFImpl for ExactSum {
    fn name(&self) -> &str {
        self.of.name()
    }

    fn signature(&self) -> &Signature {
        self.of.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.of.return_type(types)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let [field] = args.expr_fields else { return internal_err!("sum has 1 argument") };
        match needs_exact(field.data_type()) {
            true => {
                let seen = args.is_distinct.then(HashSet::new);
                Ok(Box::new(ExactSums {
                    sum: i256::ZERO,
                    count: 0,
                    seen,
                    data_type: args.return_field.data_type().clone(),
                }))
            }
            false => self.of.accumulator(args),
        }
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        if args.is_distinct || !args.input_fields.iter().any(|field| needs_exact(field.data_type())) {
            return self.of.state_fields(args);
        }
        let name = format_state_name(args.name, "sum");
        Ok(vec![Arc::new(Field::new(name, args.return_type().clone(), true))])
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        let is_exact = args.expr_fields.iter().any(|field| needs_exact(field.data_type()));
        !is_exact && self.of.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        self.of.create_groups_accumulator(args)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        match args.expr_fields.iter().any(|field| needs_exact(field.data_type())) && !args.is_distinct {
            true => self.accumulator(args),
            false => self.of.create_sliding_accumulator(args),
        }
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.of.set_monotonicity(data_type)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.of.documentation()
    }
}

#[derive(Debug)]
struct ExactSums {
    sum: i256,
    /// The number of values that are in the sum.
    count: u64,
    /// The distinct values so far, if each is added once.
    seen: Option<HashSet<i256>>,
    data_type: DataType,
}

impl ExactSums {
    fn overflow<T>(&self) -> Result<T> {
        let what = format!("the sum of decimals does not fit {}; cast them to fewer digits", self.data_type);
        Err(ArrowError::ArithmeticOverflow(what).into())
    }

    fn add(&mut self, value: i256) -> Result<()> {
        if let Some(seen) = &mut self.seen
            && !seen.insert(value)
        {
            return Ok(());
        }
        self.count += 1;
        match self.sum.checked_add(value) {
            Some(sum) => self.sum = sum,
            None => return self.overflow(),
        }
        Ok(())
    }

    fn array(&self, values: impl Iterator<Item = i256>) -> Result<ArrayRef> {
        match self.data_type {
            DataType::Decimal128(precision, scale) => {
                let values = values.map(|value| value.to_i128().ok_or(())).collect::<Result<Vec<i128>, ()>>();
                let Ok(values) = values else { return self.overflow() };
                Ok(Arc::new(Decimal128Array::from(values).with_precision_and_scale(precision, scale)?))
            }
            DataType::Decimal256(precision, scale) => {
                let values = Decimal256Array::from_iter_values(values);
                Ok(Arc::new(values.with_precision_and_scale(precision, scale)?))
            }
            ref other => internal_err!("the exact sum has the type {other}"),
        }
    }
}

fn for_each(values: &ArrayRef, mut of: impl FnMut(i256) -> Result<()>) -> Result<()> {
    match values.data_type() {
        DataType::Decimal128(..) => {
            let mut values = values.as_primitive::<Decimal128Type>().iter().flatten();
            values.try_for_each(|value| of(i256::from_i128(value)))
        }
        DataType::Decimal256(..) => values.as_primitive::<Decimal256Type>().iter().flatten().try_for_each(of),
        other => internal_err!("the exact sum adds decimals, found {other}"),
    }
}

impl Accumulator for ExactSums {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for_each(&values[0], |value| self.add(value))
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for_each(&values[0], |value| {
            self.count -= 1;
            match self.sum.checked_sub(value) {
                Some(sum) => self.sum = sum,
                None => return self.overflow(),
            }
            Ok(())
        })
    }

    fn supports_retract_batch(&self) -> bool {
        self.seen.is_none()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        if self.seen.is_none() {
            return self.update_batch(states);
        }
        for list in states[0].as_list::<i32>().iter().flatten() {
            for_each(&list, |value| self.add(value))?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        match &self.seen {
            None => Ok(vec![self.evaluate()?]),
            Some(seen) => {
                let values = self.array(seen.iter().copied())?;
                Ok(vec![SingleRowListArrayBuilder::new(values).build_list_scalar()])
            }
        }
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if self.count == 0 {
            return ScalarValue::try_from(&self.data_type);
        }
        let fits = match self.data_type {
            DataType::Decimal128(precision, scale) => self
                .sum
                .to_i128()
                .is_some_and(|sum| Decimal128Type::validate_decimal_precision(sum, precision, scale).is_ok()),
            DataType::Decimal256(precision, scale) => {
                Decimal256Type::validate_decimal_precision(self.sum, precision, scale).is_ok()
            }
            _ => false,
        };
        if !fits {
            return self.overflow();
        }
        ScalarValue::try_from_array(&self.array(std::iter::once(self.sum))?, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.seen.as_ref().map_or(0, |seen| seen.capacity() * size_of_val(&self.sum))
    }
}
