//! Texts that may be numbers. A number must be unchanged after a round trip, and the tests of text must accept
//! exactly the numbers.
#![no_main]

use gdf_api::strings::{
    from_fixed_point, from_integers, hex_to_integers, ipv4_to_integers, is_fixed_point, is_hex, is_integer, is_ipv4,
    to_fixed_point, to_integers,
};
use gdf_core::{Column, DataType};
use gdf_fuzz::texts::{column, map};
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

fn number(bytes: &mut Unstructured<'_>) -> Result<String> {
    const PARTS: &[&str] =
        &["+", "-", "0", "1", "9", "127", "128", "18446744073709551615", "0x", "F", "a", ".", "e", "E-", " ", "256"];
    if bytes.ratio(1, 8)? {
        return Ok(String::arbitrary(bytes)?.chars().take(20).collect());
    }
    let len = bytes.int_in_range(0..=7)?;
    (0..len).map(|_| bytes.choose(PARTS).copied()).collect()
}

/// Asserts that exactly the rows for which `is` is true are valid in `numbers`.
fn agree(numbers: &Column, is: &Column) {
    let valid = gdf_api::unary::is_valid(numbers).unwrap().to_vec::<bool>().unwrap();
    assert_eq!(valid, is.to_vec::<bool>().unwrap());
}

fn run(bytes: &mut Unstructured<'_>) -> Result<()> {
    let len = bytes.int_in_range(0..=9)?;
    let rows = (0..len).map(|_| number(bytes).map(Some)).collect::<Result<Vec<_>>>()?;
    let text = column(&rows);
    let numbers = to_integers(&text, &DataType::Int64).unwrap();
    let parsed: Vec<Option<i64>> = map(&rows, |text| text.parse().ok()).into_iter().map(Option::flatten).collect();
    assert_eq!(numbers.to_vec::<i64>().unwrap(), parsed);
    agree(&numbers, &is_integer(&text, Some(&DataType::Int64)).unwrap());
    let again = to_integers(&from_integers(&numbers).unwrap(), &DataType::Int64).unwrap();
    assert_eq!(again.to_vec::<i64>().unwrap(), numbers.to_vec::<i64>().unwrap());
    for data_type in [DataType::UInt8, DataType::Int8, DataType::UInt64] {
        agree(&to_integers(&text, &data_type).unwrap(), &is_integer(&text, Some(&data_type)).unwrap());
        hex_to_integers(&text, &data_type).unwrap();
    }
    is_hex(&text).unwrap();
    agree(&ipv4_to_integers(&text).unwrap(), &is_ipv4(&text).unwrap());
    for data_type in [DataType::Decimal32(9, 2), DataType::Decimal128(38, -3), DataType::Decimal256(76, 40)] {
        let decimals = to_fixed_point(&text, &data_type).unwrap();
        agree(&decimals, &is_fixed_point(&text, &data_type).unwrap());
        let printed = from_fixed_point(&decimals).unwrap();
        let again = from_fixed_point(&to_fixed_point(&printed, &data_type).unwrap()).unwrap();
        assert_eq!(again.to_strings().unwrap(), printed.to_strings().unwrap());
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let _ = run(&mut Unstructured::new(bytes));
});
