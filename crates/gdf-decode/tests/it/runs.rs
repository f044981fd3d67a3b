//! Runs of levels and keys, of which pages have many short ones.

use gdf_core::DataType;
use gdf_decode::{Encoding, Stored};

use crate::check::check;
use crate::encoder::{Encoded, Encoder};
use crate::random::Random;

/// Returns rows in which values and nulls repeat 1 to `longest` times.
fn rows(count: usize, values: usize, longest: usize, random: &mut Random) -> Vec<Option<i128>> {
    let mut rows = Vec::with_capacity(count);
    while rows.len() < count {
        let row = (!random.once_in(3)).then(|| random.below(values) as i128);
        let repeats = (1 + random.below(longest)).min(count - rows.len());
        rows.extend(std::iter::repeat_n(row, repeats));
    }
    rows
}

/// Keys of 1 to 17 bits, and levels. A table of a kernel has 128 runs, and a window of it up to 16.
#[test]
fn pages_with_many_short_runs_come_back() {
    let mut random = Random(5);
    for values in [2, 200, 300, 70_000] {
        for longest in [12, 20, 70, 300] {
            for is_optional in [false, true] {
                let (mut encoded, mut seeds) = (Encoded::default(), Random(random.next()));
                let mut encoder = Encoder::new(&mut seeds, Stored::Int64, DataType::Int64, is_optional);
                let dictionary: Vec<i128> = (0..values as i128).map(|value| value * 7 - 5).collect();
                encoder.begin_chunk(Some(&dictionary), &mut encoded);
                for count in [1, 2_000, 9_000] {
                    let mut rows = rows(count, values, longest, &mut random);
                    if !is_optional {
                        rows.retain(Option::is_some);
                    }
                    encoder.page(&rows, Encoding::Keys, &mut encoded);
                }
                encoder.finish(&mut encoded);
                let what = format!("{values} values, up to {longest} times, optional: {is_optional}");
                assert!(check(&encoded.finish(), &what)[0].is_ok(), "{what}");
            }
        }
    }
}
