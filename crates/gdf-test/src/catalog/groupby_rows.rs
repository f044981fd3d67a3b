//! Entries of `groupby` whose results have a row for each row.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::GroupBy;
use gdf_core::{Column, ColumnView, Error, Literal, Operand, TableView};
use gdf_detail::Ctx;
use gdf_detail::groupby::{self as detail, NullPolicy};
use gdf_detail::replace::ReplacePolicy;

use super::groupby::{few, key_types};
use super::{Case, Entry, SliceCosts};
use crate::compare::Equality;
use crate::data::{NullPattern, SMALL_BRACKETS, long_texts, random_array};
use crate::naive::groupby as naive;
use crate::value::Value;

/// What is promised: those of sorting rows, of the number of groups and of text.
const WAITS: u64 = 28;

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("groupby.shift", Equality::Exact, shifts),
        Entry::new("groupby.replace_nulls_by_policy", Equality::Exact, fills),
        Entry::new("groupby.groups", Equality::Exact, groups),
    ]
}

/// Keys, values and a policy, of all types and lengths.
pub(super) fn inputs() -> Vec<(String, Vec<ArrayRef>, ArrayRef, NullPolicy)> {
    let policy = |turn: usize| if turn.is_multiple_of(2) { NullPolicy::Exclude } else { NullPolicy::Include };
    let sortable = |key: &DataType| !matches!(key, DataType::Interval(_));
    let mut inputs = Vec::new();
    for (turn, data_type) in key_types().into_iter().enumerate() {
        let seed = turn as u64;
        let values = random_array(&data_type, 65, NullPattern::Some, seed);
        inputs.push((format!("values {data_type}"), vec![few(5, 65, NullPattern::Some, seed)], values, policy(turn)));
        if sortable(&data_type) {
            let key = random_array(&data_type, 100, NullPattern::Some, seed);
            let values = random_array(&DataType::Int32, 100, NullPattern::Some, seed);
            inputs.push((format!("key {data_type}"), vec![key], values, policy(turn)));
        }
    }
    for (turn, len) in SMALL_BRACKETS.iter().copied().chain([1025, 5000]).enumerate() {
        for (at, &nulls) in NullPattern::ALL.iter().enumerate() {
            let keys = vec![few(4, len, nulls, 3), long_texts(len, NullPattern::Some, 4)];
            let values = match at % 2 {
                0 => random_array(&DataType::Float64, len, nulls, 5),
                _ => long_texts(len, nulls, 5),
            };
            let policy = policy(turn + at);
            inputs.push((format!("rows {len}/{nulls:?}/{policy:?}"), keys, values, policy));
        }
    }
    inputs
}

pub(super) fn split(inputs: &[Column], keys: usize) -> gdf_core::Result<(TableView<'_>, &[Column])> {
    let (keys, values) = inputs.split_at_checked(keys).ok_or(Error::invalid_argument("keys and values"))?;
    Ok((TableView::try_new(keys.iter().map(ColumnView::from).collect())?, values))
}

fn shifts() -> Vec<Case> {
    let offsets = [1, -1, 0, 2, -3, i64::MAX, i64::MIN];
    let case = |(turn, (label, keys, values, policy)): (usize, (String, Vec<ArrayRef>, ArrayRef, NullPolicy))| {
        let (count, offset) = (keys.len(), offsets[turn % offsets.len()]);
        let fill = (*values.data_type() == DataType::Int32).then_some(Value::Int(-7));
        let case = Case::new(
            format!("{label}/{offset}"),
            keys.into_iter().chain([values]).collect(),
            move |inputs, ctx| {
                let (keys, values) = split(inputs, count)?;
                let fill = Operand::Literal(fill_of(values[0].data_type()));
                Ok(vec![detail::shift(&keys, policy, values[0].view(), offset, fill, ctx)?])
            },
            move |inputs| Ok(vec![naive::shift(&inputs[..count], &inputs[count], policy, offset, &fill)]),
            WAITS,
        );
        let case = case.with_api(move |inputs| {
            let (keys, values) = split(inputs, count)?;
            let fill = Operand::Literal(fill_of(values[0].data_type()));
            Ok(vec![GroupBy::new(keys, policy).shift(&values[0], offset, fill)?])
        });
        case.with_slice_costs(SliceCosts::Own)
    };
    let mut cases: Vec<_> = inputs().into_iter().enumerate().map(case).collect();
    refused(&mut cases, |keys, values, ctx| {
        detail::shift(keys, NullPolicy::Exclude, values, 1, Operand::from(1_i32), ctx)
    });
    cases
}

/// The fill value of columns of the type: null of all but one.
fn fill_of(data_type: &DataType) -> Literal<'_> {
    if *data_type == DataType::Int32 { Literal::from(-7_i32) } else { Literal::null(data_type) }
}

fn fills() -> Vec<Case> {
    let case = |(turn, (label, keys, values, policy)): (usize, (String, Vec<ArrayRef>, ArrayRef, NullPolicy))| {
        let (count, preceding) = (keys.len(), turn.is_multiple_of(2));
        let side = if preceding { ReplacePolicy::Preceding } else { ReplacePolicy::Following };
        let case = Case::new(
            format!("{label}/{side:?}"),
            keys.into_iter().chain([values]).collect(),
            move |inputs, ctx| {
                let (keys, values) = split(inputs, count)?;
                Ok(vec![detail::replace_group_nulls(&keys, policy, values[0].view(), side, ctx)?])
            },
            move |inputs| Ok(vec![naive::replace_nulls(&inputs[..count], &inputs[count], policy, preceding)]),
            WAITS,
        );
        let case = case.with_api(move |inputs| {
            let (keys, values) = split(inputs, count)?;
            Ok(vec![GroupBy::new(keys, policy).replace_nulls_by_policy(&values[0], side)?])
        });
        case.with_slice_costs(SliceCosts::Own)
    };
    let mut cases: Vec<_> = inputs().into_iter().enumerate().map(case).collect();
    refused(&mut cases, |keys, values, ctx| {
        detail::replace_group_nulls(keys, NullPolicy::Exclude, values, ReplacePolicy::Preceding, ctx)
    });
    cases
}

fn groups() -> Vec<Case> {
    let case = |(label, keys, _, policy): (String, Vec<ArrayRef>, ArrayRef, NullPolicy)| {
        let count = keys.len();
        let case = Case::new(
            label,
            keys,
            move |inputs, ctx| {
                let (rows, offsets) = detail::groups(&split(inputs, count)?.0, policy, ctx)?;
                Ok(vec![rows, offsets])
            },
            move |inputs| Ok(naive::rows_and_offsets(inputs, policy)),
            WAITS,
        );
        let case = case.with_api(move |inputs| {
            let (rows, offsets) = GroupBy::new(split(inputs, count)?.0, policy).groups()?;
            Ok(vec![rows, offsets])
        });
        case.with_slice_costs(SliceCosts::Own)
    };
    inputs().into_iter().filter(|(label, ..)| !label.starts_with("values")).map(case).collect()
}

/// Keys and values of other lengths, and keys that have no order.
fn refused(
    cases: &mut Vec<Case>,
    run: fn(&TableView<'_>, ColumnView<'_>, Ctx<'_>) -> gdf_core::Result<Column>,
) {
    let run = move |inputs: &[Column], ctx: Ctx<'_>| {
        let keys = TableView::try_new(vec![inputs[0].view()])?;
        Ok(vec![run(&keys, inputs[1].view(), ctx)?])
    };
    let ints = |len| random_array(&DataType::Int32, len, NullPattern::None, 1);
    let lengths = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(Case::refused("refused length", vec![ints(3), ints(4)], run, lengths));
    let unsupported = |error: &Error| matches!(error, Error::Unsupported { .. });
    for data_type in [DataType::Null, DataType::Interval(arrow_schema::IntervalUnit::DayTime)] {
        let keys = random_array(&data_type, 3, NullPattern::None, 1);
        cases.push(Case::refused(format!("refused {data_type}"), vec![keys, ints(3)], run, unsupported));
    }
}
