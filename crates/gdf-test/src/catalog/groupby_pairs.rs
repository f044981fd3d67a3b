//! The entries `groupby.covariance` and `groupby.correlation`. Pairs lie near a line, so that nothing cancels in their sums.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::GroupBy;
use gdf_core::{Column, Error, Result, Table, TableView};
use gdf_detail::groupby::{self as detail, NullPolicy};

use super::groupby_rows::{inputs, split};
use super::groupby_values::small;
use super::refusals::refusals;
use super::{Case, Entry, SliceCosts};
use crate::compare::Equality;
use crate::data::{self, NullPattern};
use crate::naive::groupby as naive;
use crate::value::{Value, from_values, to_values};

/// What is promised: those of sorted rows, of segmented reductions and of text.
const WAITS: u64 = 48;

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("groupby.correlation", Equality::Ulp(256), || cases(true)).guessing(),
        Entry::new("groupby.covariance", Equality::Ulp(256), || cases(false)).guessing(),
    ]
}

fn joined((keys, result): (Table, Column)) -> Vec<Column> {
    keys.into_columns().into_iter().chain([result]).collect()
}

/// A line over `x`, with a little beside it.
fn near(x: &ArrayRef, nulls: NullPattern) -> ArrayRef {
    let number = |value: &Value| value.as_f64().or_else(|| Some(value.as_i128()? as f64)).unwrap_or_default();
    let valid = nulls.validity(x.len(), 3);
    let values = to_values(x).into_iter().enumerate().map(|(row, x)| {
        let y = x.as_ref().map_or(7.0, |x| 2.0 * number(x) + (row % 3) as f64 * 0.125);
        valid.as_ref().is_none_or(|valid| valid.is_valid(row)).then_some(Value::F64(y))
    });
    from_values(&DataType::Float64, &values.collect::<Vec<_>>())
}

fn case(
    label: String,
    keys: &[ArrayRef],
    x: ArrayRef,
    nulls: NullPattern,
    policy: NullPolicy,
    (ddof, min_periods): (u32, usize),
    correlation: bool,
) -> Case {
    let (count, y) = (keys.len(), near(&x, nulls));
    let ddof = if correlation { 1 } else { ddof };
    let case = Case::new(
        format!("{label}/{ddof}/{min_periods}"),
        keys.iter().cloned().chain([x, y]).collect(),
        move |inputs, ctx| {
            let (keys, values) = split(inputs, count)?;
            let pairs = [values[0].view(), values[1].view()];
            Ok(joined(match correlation {
                true => detail::correlation(&keys, policy, pairs, min_periods, ctx)?,
                false => detail::covariance(&keys, policy, pairs, ddof, min_periods, ctx)?,
            }))
        },
        move |inputs| {
            let (keys, pairs) = (&inputs[..count], [&inputs[count], &inputs[count + 1]]);
            Ok(naive::of_pairs(keys, pairs, policy, (ddof as usize, min_periods), correlation))
        },
        WAITS,
    );
    let case = case.with_api(move |inputs| {
        let (keys, values) = split(inputs, count)?;
        let groups = GroupBy::new(keys, policy);
        Ok(joined(match correlation {
            true => groups.correlation(&values[0], &values[1], min_periods)?,
            false => groups.covariance(&values[0], &values[1], ddof, min_periods)?,
        }))
    });
    case.with_slice_costs(SliceCosts::Own)
}

fn types() -> Vec<DataType> {
    [data::numeric(), vec![DataType::Boolean]].concat()
}

fn cases(correlation: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    let periods = [(1, 1), (0, 0), (1, 5), (3, 2)];
    for (turn, (label, keys, values, policy)) in inputs().into_iter().enumerate() {
        if !matches!(keys[0].data_type(), DataType::Interval(_)) {
            let nulls = [NullPattern::Some, NullPattern::None, NullPattern::Every(3)][turn % 3];
            let x = small(&DataType::Float64, values.len(), NullPattern::Some, turn as u64);
            cases.push(case(label, &keys, x, nulls, policy, periods[turn % 4], correlation));
        }
    }
    for (turn, data_type) in types().into_iter().enumerate() {
        let keys = small(&DataType::Int32, 200, NullPattern::Every(9), 1);
        let x = small(&data_type, 200, NullPattern::Some, turn as u64);
        let label = format!("pairs of {data_type}");
        cases.push(case(label, &[keys], x, NullPattern::Some, NullPolicy::Include, periods[turn % 4], correlation));
    }
    let documented = |_, data_type: &DataType| types().contains(data_type);
    cases.extend(refusals(&["x", "y"], documented, move |of, inputs, ctx| {
        let numbers = Column::from_slice_on(&[1, 2, 1], ctx.stream, ctx.mr.temporary)?;
        let keys = TableView::try_new(vec![numbers.view()])?;
        let pairs = if of == "x" { [inputs[0].view(), numbers.view()] } else { [numbers.view(), inputs[0].view()] };
        let found: Result<_> = match correlation {
            true => detail::correlation(&keys, NullPolicy::Exclude, pairs, 1, ctx),
            false => detail::covariance(&keys, NullPolicy::Exclude, pairs, 1, 1, ctx),
        };
        Ok(joined(found?))
    }));
    let uneven = [small(&DataType::Int32, 3, NullPattern::None, 1), small(&DataType::Int32, 4, NullPattern::None, 1)];
    let run = move |inputs: &[Column], ctx: gdf_detail::Ctx<'_>| {
        let keys = TableView::try_new(vec![inputs[0].view()])?;
        let pairs = [inputs[0].view(), inputs[1].view()];
        Ok(joined(detail::covariance(&keys, NullPolicy::Exclude, pairs, 1, 1, ctx)?))
    };
    cases.push(Case::refused("refused length", uneven.to_vec(), run, |error| matches!(error, Error::LengthMismatch { .. })));
    cases
}
