//! The entries `groupby.scan` and `groupby.rank`. Both return one value for each row.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupBy, NullPolicy, RankOrder};
use gdf_api::scan::ScanAggregation::{self, CountAll, CountValid, Max, Min, Product, Sum};
use gdf_api::scan::ScanType::{self, Exclusive, Inclusive};
use gdf_api::scan::{RankMethod, RankPercentage};
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::{Column, Error, Result, is_floating};

use super::rows::{case, inputs};
use super::{few, key_types, with_two_groups};
use crate::catalog::reduction::gentle;
use crate::catalog::shared::refusals::public_refusals;
use crate::catalog::shared::tables::{few_nested, nested_key_waits};
use crate::catalog::sorting::rank::{METHODS, PERCENTAGES};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::documented_types::group_type;
use crate::naive::groupby::scan as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, random_array};

/// The largest number of waits.
const WAITS: u64 = 48;

pub(crate) fn entries() -> Vec<Entry> {
    // The operation gathers text in the order of groups.
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
    let label = format!("{label}/{aggregation:?}/{scan_type:?}");
    let run = move |groups: GroupBy<'_>, values: &Column| groups.scan(values, aggregation, scan_type);
    let oracle = move |keys: &[ArrayRef], values: &ArrayRef| naive::scan(keys, values, policy, aggregation, scan_type);
    case(label, [keys, std::slice::from_ref(values)], policy, run, oracle, WAITS)
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
                    _ => random_array(&data_type, 129, nulls, turn as u64 + 100),
                };
                let label = format!("{data_type}/{nulls:?}");
                cases.push(scan(&label, &[keys], &values, NullPolicy::Include, (aggregation, scan_type)));
            }
        }
    }
    for (turn, (label, keys, values, policy)) in inputs().into_iter().enumerate() {
        let aggregation = match values.data_type() {
            DataType::Int32 => AGGREGATIONS[(turn / 2 + turn / 12) % 6],
            _ => [Min, Max][turn / 4 % 2],
        };
        if is_documented(aggregation, values.data_type()) {
            cases.push(scan(&label, &keys, &values, policy, (aggregation, Inclusive)));
        }
    }
    for (turn, data_type) in data::nested_keys().into_iter().enumerate() {
        let keys = few(5, 90, NullPattern::Some, turn as u64);
        let values = few_nested(&data_type, 90, 40, NullPattern::Some, turn as u64);
        let how = ([Min, Max][turn % 2], Inclusive);
        let label = format!("nested {data_type}");
        let mut case = scan(&label, &[keys], &values, NullPolicy::Include, how).with_slice_costs(SliceCosts::Own);
        case.waits = WAITS + nested_key_waits(&[values]);
        cases.push(case);
    }
    // There are several tiles, and groups begin and end at any position.
    for (turn, groups) in [1, 3, 700, 40_000].into_iter().enumerate() {
        for how in [(Sum, Inclusive), (Product, Exclusive), (Max, Inclusive), (CountValid, Exclusive)] {
            let keys = few(groups, 9001, NullPattern::Some, 1);
            let values = random_array(&DataType::UInt64, 9001, NullPattern::Some, turn as u64 + 100);
            cases.push(scan(&format!("groups {groups}"), &[keys], &values, NullPolicy::Exclude, how));
        }
        let keys = few(groups, 9001, NullPattern::None, 1);
        let values = gentle(&DataType::Float64, 9001, NullPattern::Some, false);
        cases.push(scan(&format!("floats {groups}"), &[keys], &values, NullPolicy::Exclude, (Sum, Inclusive)));
    }
    let run = |aggregation, scan_type, inputs: &[Column]| -> Result<Vec<Column>> {
        with_two_groups(inputs[0].device(), |groups, _| Ok(vec![groups.scan(&inputs[0], aggregation, scan_type)?]))
    };
    cases.extend(public_refusals(&AGGREGATIONS, is_documented, move |of, inputs| run(of, Inclusive, inputs)));
    let input = random_array(&DataType::Int32, 3, NullPattern::None, 1);
    let exclusive = move |inputs: &[Column]| run(Min, Exclusive, inputs);
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
    let label = format!("{label}/{method:?}/{percentage:?}/{order:?}");
    let run = move |groups: GroupBy<'_>, values: &Column| groups.rank(values, method, percentage, order);
    let oracle =
        move |keys: &[ArrayRef], values: &ArrayRef| naive::rank(keys, values, policy, (method, percentage), order);
    case(label, [keys, std::slice::from_ref(values)], policy, run, oracle, WAITS)
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
    for (turn, (label, keys, values, policy)) in
        inputs().into_iter().enumerate().filter(|(_, of)| sortable(of.2.data_type()))
    {
        let how = (METHODS[turn % 5], PERCENTAGES[turn / 5 % 3]);
        cases.push(ranked(&label, &keys, &values, policy, how, orders[(turn / 2 + turn / 16) % 8]));
    }
    let union = random_array(&gdf_test::data::unions()[0], 3, NullPattern::None, 1);
    let run = |inputs: &[Column]| {
        let (method, percentage, order) = (RankMethod::Min, RankPercentage::None, RankOrder::default());
        with_two_groups(inputs[0].device(), |groups, _| Ok(vec![groups.rank(&inputs[0], method, percentage, order)?]))
    };
    let unsupported = |error: &Error| matches!(error, Error::Unsupported { .. });
    cases.push(Case::refused("refused union", vec![union], run, unsupported));
    cases
}
