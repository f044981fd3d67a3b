//! Operations on dates and times.

mod add_calendrical_months;
mod civil;
mod extract_component;
mod moment;
mod round_datetimes;

pub use add_calendrical_months::add_calendrical_months;
pub(crate) use add_calendrical_months::add_months;
pub use extract_component::{Component, extract_component};
pub use round_datetimes::{DatetimeRounding, Frequency, round_datetimes};
