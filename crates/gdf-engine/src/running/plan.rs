//! The plan of a scan for both backends. The aggregation and the type determine the plan.

use gdf_core::{
    Abilities, DataType, Error, PhysicalType, Result, has_known_nulls, is_decimal, is_floating, is_integral,
    is_temporal, physical_type,
};

use super::OPERATION;
use super::{ScanAggregation, ScanType};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanPlan {
    /// The sums or products of integers and decimals, which wrap at the width of the type.
    Integers {
        product: bool,
    },
    /// The sums or products of floats, which are combined as doubles.
    Floats {
        product: bool,
    },
    Extreme {
        minimum: bool,
    },
    /// Whether any boolean is true or, if `all` is set, whether all booleans are true.
    Bits {
        all: bool,
    },
    Strings {
        minimum: bool,
    },
    /// The number of valid rows, or of all rows if `all` is set.
    Count {
        all: bool,
    },
}

impl ScanPlan {
    pub(super) fn new(aggregation: ScanAggregation, data_type: &DataType, scan_type: ScanType) -> Result<ScanPlan> {
        Self::of(aggregation, data_type)
            .filter(|plan| scan_type == ScanType::Inclusive || plan.starts_with_nothing(data_type))
            .ok_or_else(|| Error::unsupported(OPERATION, data_type).in_variant(aggregation.name()))
    }

    fn of(aggregation: ScanAggregation, data_type: &DataType) -> Option<ScanPlan> {
        use ScanAggregation as A;
        let physical = physical_type(data_type);
        let (extreme, minimum, product) = match aggregation {
            A::CountAll => return Some(ScanPlan::Count { all: true }),
            A::CountValid => return has_known_nulls(data_type).then_some(ScanPlan::Count { all: false }),
            A::Sum => (false, false, false),
            A::Product => (false, false, true),
            A::Min => (true, true, false),
            A::Max => (true, false, false),
        };
        match physical {
            PhysicalType::Bool => Some(ScanPlan::Bits { all: minimum || product }),
            PhysicalType::String { .. } | PhysicalType::Binary { .. } => {
                extreme.then_some(ScanPlan::Strings { minimum })
            }
            PhysicalType::IntervalDayTime | PhysicalType::IntervalMonthDayNano => None,
            _ if extreme => Abilities::of(data_type).order.map(|_| ScanPlan::Extreme { minimum }),
            _ if is_floating(data_type) => Some(ScanPlan::Floats { product }),
            _ if is_integral(data_type) => Some(ScanPlan::Integers { product }),
            _ if is_decimal(data_type) || matches!(data_type, DataType::Duration(_)) => {
                (!product).then_some(ScanPlan::Integers { product })
            }
            _ => None,
        }
    }

    fn starts_with_nothing(self, data_type: &DataType) -> bool {
        match self {
            ScanPlan::Count { .. } | ScanPlan::Bits { .. } | ScanPlan::Floats { .. } => true,
            ScanPlan::Strings { .. } => false,
            ScanPlan::Integers { .. } | ScanPlan::Extreme { .. } => !is_temporal(data_type),
        }
    }
}

#[cfg(test)]
mod tests {
    use gdf_core::{IntervalUnit, TimeUnit};

    use super::*;
    use DataType::*;
    use ScanAggregation as A;
    use ScanType::{Exclusive, Inclusive};

    #[test]
    fn what_there_is() {
        for (aggregation, input, scan_type, plan) in [
            (A::Sum, Int8, Exclusive, ScanPlan::Integers { product: false }),
            (A::Product, UInt64, Inclusive, ScanPlan::Integers { product: true }),
            (A::Sum, Decimal256(76, 0), Exclusive, ScanPlan::Integers { product: false }),
            (A::Sum, Duration(TimeUnit::Second), Inclusive, ScanPlan::Integers { product: false }),
            (A::Product, Float16, Exclusive, ScanPlan::Floats { product: true }),
            (A::Min, Decimal32(9, 2), Exclusive, ScanPlan::Extreme { minimum: true }),
            (A::Max, Date32, Inclusive, ScanPlan::Extreme { minimum: false }),
            (A::Sum, Boolean, Inclusive, ScanPlan::Bits { all: false }),
            (A::Min, Boolean, Exclusive, ScanPlan::Bits { all: true }),
            (A::Max, LargeBinary, Inclusive, ScanPlan::Strings { minimum: false }),
            (A::CountValid, Null, Exclusive, ScanPlan::Count { all: false }),
        ] {
            assert_eq!(ScanPlan::new(aggregation, &input, scan_type).unwrap(), plan, "{aggregation:?} {input}");
        }
    }

    #[test]
    fn what_there_is_not() {
        let field = |name: &str, data_type: DataType| gdf_core::Field::new(name, data_type, true);
        for (aggregation, input, scan_type) in [
            (A::Sum, Utf8, Inclusive),
            (A::Min, Utf8, Exclusive),
            (A::Product, Decimal64(18, 2), Inclusive),
            (A::Sum, Timestamp(TimeUnit::Second, None), Inclusive),
            (A::Sum, Duration(TimeUnit::Second), Exclusive),
            (A::Max, Time32(TimeUnit::Second), Exclusive),
            (A::Min, Interval(IntervalUnit::DayTime), Inclusive),
            (A::Max, FixedSizeBinary(4), Inclusive),
            (A::Max, Null, Inclusive),
            (A::Sum, Utf8View, Inclusive),
            (A::CountValid, RunEndEncoded(field("run_ends", Int32).into(), field("values", Int64).into()), Inclusive),
        ] {
            let error = ScanPlan::new(aggregation, &input, scan_type).unwrap_err();
            assert!(matches!(error, Error::Unsupported { data_type, .. } if data_type == input), "{aggregation:?}");
        }
    }
}
