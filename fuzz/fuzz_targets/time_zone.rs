//! Names of time zones, including rules. A name may be refused. For an accepted name, a conversion to local time and
//! back must give the original moment.
#![no_main]

use gdf_api::datetime::{LocalTimeChoice, LocalTimePolicy, TimeZone, from_utc, to_utc};
use gdf_core::{Column, DataType, TimeUnit};
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

fn name(bytes: &mut Unstructured<'_>) -> Result<String> {
    const PARTS: &[&str] = &[
        "EST", "EDT", "<+03>", "5", "-3", ":30", ",", "M3.2.0", "M11.1.0", "/2", "/-1", "J60", "365", "+05:30", "Z",
        "Europe/", "Berlin",
    ];
    if bytes.ratio(1, 8)? {
        return Ok(String::arbitrary(bytes)?.chars().take(20).collect());
    }
    let len = bytes.int_in_range(0..=9)?;
    (0..len).map(|_| bytes.choose(PARTS).copied()).collect()
}

fn run(bytes: &mut Unstructured<'_>) -> Result<()> {
    let Ok(zone) = TimeZone::new(&name(bytes)?) else { return Ok(()) };
    let seconds = DataType::Timestamp(TimeUnit::Second, None);
    let mut moments = <[i64; 6]>::arbitrary(bytes)?;
    moments.iter_mut().skip(2).for_each(|moment| *moment %= 8_000_000_000);
    // Moments at the ends of the range would overflow, so the moments are limited to half of the range.
    let moments: Vec<_> = moments.into_iter().map(|moment| moment.clamp(i64::MIN / 2, i64::MAX / 2)).collect();
    let local = from_utc(&Column::from_slice_typed(&moments, &seconds).unwrap(), &zone).unwrap();
    let back = |ambiguous| {
        let policy = LocalTimePolicy { ambiguous, nonexistent: LocalTimeChoice::Error };
        to_utc(&local, &zone, policy).map(|utc| utc.to_vec::<i64>().unwrap())
    };
    let (earliest, latest) = (back(LocalTimeChoice::Earliest).unwrap(), back(LocalTimeChoice::Latest).unwrap());
    for (row, moment) in moments.iter().enumerate() {
        assert!([earliest[row], latest[row]].contains(&Some(*moment)), "{zone:?} at {moment}");
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let _ = run(&mut Unstructured::new(bytes));
});
