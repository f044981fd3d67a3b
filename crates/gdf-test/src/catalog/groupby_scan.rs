//! The entries `groupby.scan` and `groupby.rank`: a value for each row, of the rows of its group.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::GroupBy;
use gdf_core::{Error, TableView, is_floating};
use gdf_detail::groupby::{self as detail, NullPolicy, RankOrder};
use gdf_detail::scan::ScanAggregation::{self, CountAll, CountValid, Max, Min, Product, Sum};
use gdf_detail::scan::ScanType::{self, Exclusive, Inclusive};
use gdf_detail::scan::{RankMethod, RankPercentage};
use gdf_detail::sorting::{NullOrder, Order};

use super::groupby::{few, key_types};
use super::groupby_rows::{inputs, split};
use super::rank::{METHODS, PERCENTAGES};
use super::reduction::gentle;
use super::refusals::refusals;
use super::{Case, Entry, SliceCosts};
use crate::compare::Equality;
use crate::data::{NullPattern, random_array};
use crate::documented_types::group_type;
use crate::naive::groupby_scan as naive;

/// What is promised: those of sorting rows by keys and values, of the number of distinct ones and of text.
const WAITS: u64 = 48;

pub(super) fn entries() -> Vec<Entry> {
    // Text in the order of groups is gathered, which guesses its size.
    vec![
        Entry::new("groupby.rank", Equality::Exact, ranks).guessing(),
        Entry::new("groupby.scan", Equality::Exact, scans).guessing(),
    ]
}

const AGGREGATIONS: [ScanAggregation; 6] = [Sum, Product, Min, Max, CountValid, CountAll];

fn is_documented(aggregation: ScanAggregation, data_type: &DataType) -> bool {
    group_type(naive::aggregation_of(aggregation), data_type).is_some()
}

fn scan(
    label: &str,
    keys: &[ArrayRef],
    values: &ArrayRef,
    policy: NullPolicy,
    (aggregation, scan_type): (ScanAggregation, ScanType),
) -> Case {
    let count = keys.len();
    let case = Case::new(
        format!("{label}/{aggregation:?}/{scan_type:?}"),
        keys.iter().chain([values]).cloned().collect(),
        move |inputs, ctx| {
            let (keys, values) = split(inputs, count)?;
            Ok(vec![detail::scan(&keys, policy, values[0].view(), aggregation, scan_type, ctx)?])
        },
        move |inputs| naive::scan(&inputs[..count], &inputs[count], policy, aggregation, scan_type),
        WAITS,
    );
    let case = case.with_api(move |inputs| {
        let (keys, values) = split(inputs, count)?;
        Ok(vec![GroupBy::new(keys, policy).scan(&values[0], aggregation, scan_type)?])
    });
    case.with_slice_costs(SliceCosts::Own)
}

fn scans() -> Vec<Case> {
    let mut cases = Vec::new();
    for (turn, data_type) in key_types().into_iter().enumerate() {
        for aggregation in AGGREGATIONS.into_iter().filter(|of| is_documented(*of, &data_type)) {
            for (at, nulls) in [NullPattern::Some, NullPattern::None].into_iter().enumerate() {
                let extreme = matches!(aggregation, Min | Max);
                let scan_type = if (at + turn).is_multiple_of(2) && !extreme { Exclusive } else { Inclusive };
                let keys = few(5, 129, nulls, turn as u64);
                let values = match aggregation {
                    Sum | Product if is_floating(&data_type) => gentle(&data_type, 129, nulls, aggregation == Product),
                    _ => random_array(&data_type, 129, nulls, turn as u64),
                };
                let label = format!("{data_type}/{nulls:?}");
                cases.push(scan(&label, &[keys], &values, NullPolicy::Include, (aggregation, scan_type)));
            }
        }
    }
    for (turn, (label, keys, values, policy)) in inputs().into_iter().enumerate() {
        let aggregation = if *values.data_type() == DataType::Int32 { AGGREGATIONS[turn % 6] } else { [Min, Max][turn % 2] };
        if is_documented(aggregation, values.data_type()) {
            cases.push(scan(&label, &keys, &values, policy, (aggregation, Inclusive)));
        }
    }
    // Several tiles, with groups that begin and end anywhere.
    for (turn, groups) in [1, 3, 700, 40_000].into_iter().enumerate() {
        for (aggregation, scan_type) in [(Sum, Inclusive), (Product, Exclusive), (Max, Inclusive), (CountValid, Exclusive)] {
            let (keys, values) =
                (few(groups, 9001, NullPattern::Some, 1), random_array(&DataType::UInt64, 9001, NullPattern::Some, turn as u64));
            cases.push(scan(&format!("groups {groups}"), &[keys], &values, NullPolicy::Exclude, (aggregation, scan_type)));
        }
        let values = gentle(&DataType::Float64, 9001, NullPattern::Some, false);
        cases.push(scan(&format!("floats {groups}"), &[few(groups, 9001, NullPattern::None, 1)], &values, NullPolicy::Exclude, (Sum, Inclusive)));
    }
    let key = |ctx: gdf_detail::Ctx<'_>| gdf_core::Column::from_slice_on(&[1, 2, 1], ctx.stream, ctx.mr.temporary);
    cases.extend(refusals(&AGGREGATIONS, is_documented, move |aggregation, inputs, ctx| {
        let keys = key(ctx)?;
        let keys = TableView::try_new(vec![keys.view()])?;
        Ok(vec![detail::scan(&keys, NullPolicy::Exclude, inputs[0].view(), aggregation, Inclusive, ctx)?])
    }));
    let exclusive = move |inputs: &[gdf_core::Column], ctx: gdf_detail::Ctx<'_>| {
        let keys = key(ctx)?;
        let keys = TableView::try_new(vec![keys.view()])?;
        Ok(vec![detail::scan(&keys, NullPolicy::Exclude, inputs[0].view(), Min, Exclusive, ctx)?])
    };
    let input = random_array(&DataType::Int32, 3, NullPattern::None, 1);
    cases.push(Case::refused("refused exclusive", vec![input], exclusive, |error| {
        matches!(error, Error::InvalidArgument { .. })
    }));
    cases
}

fn ranked(
    label: &str,
    keys: &[ArrayRef],
    values: &ArrayRef,
    policy: NullPolicy,
    (method, percentage): (RankMethod, RankPercentage),
    order: RankOrder,
) -> Case {
    let count = keys.len();
    let case = Case::new(
        format!("{label}/{method:?}/{percentage:?}/{order:?}"),
        keys.iter().chain([values]).cloned().collect(),
        move |inputs, ctx| {
            let (keys, values) = split(inputs, count)?;
            Ok(vec![detail::rank(&keys, policy, values[0].view(), method, percentage, order, ctx)?])
        },
        move |inputs| naive::rank(&inputs[..count], &inputs[count], policy, (method, percentage), order),
        WAITS,
    );
    let case = case.with_api(move |inputs| {
        let (keys, values) = split(inputs, count)?;
        Ok(vec![GroupBy::new(keys, policy).rank(&values[0], method, percentage, order)?])
    });
    case.with_slice_costs(SliceCosts::Own)
}

fn ranks() -> Vec<Case> {
    let mut cases = Vec::new();
    let orders: Vec<_> = [Order::Ascending, Order::Descending]
        .into_iter()
        .flat_map(|order| [NullOrder::Before, NullOrder::After].map(|null_order| (order, null_order)))
        .flat_map(|(order, null_order)| {
            [NullPolicy::Exclude, NullPolicy::Include].map(|null_policy| RankOrder { order, null_order, null_policy })
        })
        .collect();
    for (turn, &order) in orders.iter().enumerate() {
        for method in METHODS {
            for percentage in PERCENTAGES {
                let keys = few(7, 65, NullPattern::Some, turn as u64);
                let values = few(4, 65, NullPattern::Some, 1 + turn as u64);
                cases.push(ranked("65", &[keys], &values, NullPolicy::Exclude, (method, percentage), order));
            }
        }
    }
    let sortable = |values: &DataType| !matches!(values, DataType::Interval(_));
    for (turn, (label, keys, values, policy)) in inputs().into_iter().enumerate().filter(|(_, of)| sortable(of.2.data_type())) {
        let how = (METHODS[turn % 5], PERCENTAGES[turn / 5 % 3]);
        cases.push(ranked(&label, &keys, &values, policy, how, orders[turn % 8]));
    }
    let nested = random_array(&crate::data::nested()[0], 3, NullPattern::None, 1);
    let run = |inputs: &[gdf_core::Column], ctx: gdf_detail::Ctx<'_>| {
        let keys = gdf_core::Column::from_slice_on(&[1, 2, 1], ctx.stream, ctx.mr.temporary)?;
        let keys = TableView::try_new(vec![keys.view()])?;
        let (method, percentage, order) = (RankMethod::Min, RankPercentage::None, RankOrder::default());
        Ok(vec![detail::rank(&keys, NullPolicy::Exclude, inputs[0].view(), method, percentage, order, ctx)?])
    };
    cases.push(Case::refused("refused list", vec![nested], run, |error| matches!(error, Error::Unsupported { .. })));
    cases
}
