//! Operations on dates and times.

mod add_calendrical_months;
pub mod civil;
mod extract_component;
mod moment;
mod round_datetimes;
mod time_zone;
mod to_utc;

pub use add_calendrical_months::add_calendrical_months;
pub(crate) use add_calendrical_months::add_months;
pub use extract_component::extract_component;
pub(crate) use extract_component::{component_code, component_of, component_unit, extraction};
pub use gdf_expr::Component;
pub(crate) use moment::by_unit;
pub use moment::{moment_unit, of_time_unit, ticks_per_day};
pub use round_datetimes::{DatetimeRounding, Frequency, round_datetimes};
pub use time_zone::TimeZone;
pub use to_utc::{LocalTimeChoice, LocalTimePolicy, from_utc, to_utc};
