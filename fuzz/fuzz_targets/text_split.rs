//! Splits of text from both ends. The pieces must be the pieces of the standard library, and must give the same text
//! when they are joined.
#![no_main]

use gdf_api::strings::{
    JoinOptions, find, join_list_elements, partition, replace, rfind, rpartition, rsplit, rsplit_record, split,
    split_part, split_record,
};
use gdf_fuzz::texts::{column, map, rows, text};
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

fn run(bytes: &mut Unstructured<'_>) -> Result<()> {
    let max = if bool::arbitrary(bytes)? { None } else { Some(bytes.int_in_range(0..=3)?) };
    let index = bytes.int_in_range(-3..=3)?;
    let (delimiter, rows) = (text(bytes, 3)?, rows(bytes)?);
    let (column, by) = (column(&rows), delimiter.as_str());
    let (lists, from_right) = (split_record(&column, by, max).unwrap(), rsplit_record(&column, by, max).unwrap());
    split_part(&column, by, index).unwrap();
    let (parts, from_end) = (partition(&column, by).unwrap(), rpartition(&column, by).unwrap());
    if by.is_empty() {
        return Ok(());
    }
    for lists in [lists, from_right] {
        let joined = join_list_elements(&lists, by, JoinOptions::default()).unwrap();
        assert_eq!(joined.to_strings().unwrap(), rows, "{by:?} {max:?}");
    }
    let pieces = max.filter(|max| *max > 0).map_or(usize::MAX, |max| max + 1);
    let first = map(&rows, |text| text.splitn(pieces, by).next().unwrap_or_default().to_owned());
    assert_eq!(split(&column, by, max).unwrap().column(0).unwrap().to_strings().unwrap(), first, "{by:?} {max:?}");
    // The pieces of a split from the right are in the order of the text.
    let first = map(&rows, |text| text.rsplitn(pieces, by).last().unwrap_or_default().to_owned());
    assert_eq!(rsplit(&column, by, max).unwrap().column(0).unwrap().to_strings().unwrap(), first, "{by:?} {max:?}");
    let before = map(&rows, |text| text.split_once(by).map_or(text, |(before, _)| before).to_owned());
    assert_eq!(parts.column(0).unwrap().to_strings().unwrap(), before, "{by:?}");
    let behind = map(&rows, |text| text.rsplit_once(by).map_or(text, |(_, behind)| behind).to_owned());
    assert_eq!(from_end.column(2).unwrap().to_strings().unwrap(), behind, "{by:?}");
    let place = |text: &str, at: Option<usize>| at.map_or(-1, |at| text[..at].chars().count() as i32);
    let places = map(&rows, |text| place(text, text.find(by)));
    assert_eq!(find(&column, by, 0, None).unwrap().to_vec::<i32>().unwrap(), places, "{by:?}");
    let places = map(&rows, |text| place(text, text.rfind(by)));
    assert_eq!(rfind(&column, by, 0, None).unwrap().to_vec::<i32>().unwrap(), places, "{by:?}");
    let replaced = map(&rows, |text| text.replace(by, "é-"));
    assert_eq!(replace(&column, by, "é-", None).unwrap().to_strings().unwrap(), replaced, "{by:?}");
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let _ = run(&mut Unstructured::new(bytes));
});
