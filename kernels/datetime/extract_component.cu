// datetime::extract_component and related functions: extract a number from the civil date or the time of day of each
// row.

#include "component.cuh"

GDF_POLICY(extract_component, 256, 8, 4);

/// Writes components of dates, timestamps and times of day as 16-bit numbers.
GDF_MAP1_EACH(extract_component, extract_component, short, int64_t, int16_t, datetime::extraction,
              { datetime::extract<int16_t>(p, each); });

/// Writes components as 32-bit numbers. The components are years, which wrap around, or days.
GDF_MAP1_EACH(extract_component, extract_component, wide, int64_t, int32_t, datetime::extraction,
              { datetime::extract<int32_t>(p, each); });

/// Writes components as booleans.
GDF_MAP1_EACH(extract_component, extract_component, boolean, int64_t, bool, datetime::extraction,
              { datetime::extract<bool>(p, each); });
