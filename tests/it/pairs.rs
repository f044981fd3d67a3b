//! Tests joins by conditions with very many pairs. The left rows form several groups, and a warp on CUDA visits several
//! left rows, one after the other.

use std::collections::HashMap;

use gdf::expr::col;
use gdf::join::{conditional_inner_join, conditional_left_anti_join, conditional_left_join_size};
use gdf::prelude::*;
use gdf_detail::limits::{HostLimits, SmallLimits};
use gdf_test::device::test_device;

/// Joins tables with these numbers of rows.
fn check(left_rows: u32, right_rows: u32) -> gdf::Result<()> {
    // The right rows have different keys, because 7919 is a prime.
    let key = |row: u32| row.wrapping_mul(7919) % (right_rows + 10);
    let keys = |rows: u32| Table::try_new(vec![Column::from_slice(&(0..rows).map(key).collect::<Vec<_>>())?]);
    let (left, right) = (keys(left_rows)?, keys(right_rows)?);
    let condition = col(0).eq(col(1));
    let of_key: HashMap<u32, u32> = (0..right_rows).map(|row| (key(row), row)).collect();
    let pairs = (0..left_rows).filter_map(|row| Some((Some(row), Some(*of_key.get(&key(row))?))));
    let pairs: Vec<_> = pairs.collect();
    let (lefts, rights) = conditional_inner_join(&left, &right, &condition)?;
    let found: Vec<_> = lefts.to_vec::<u32>()?.into_iter().zip(rights.to_vec::<u32>()?).collect();
    assert!(found == pairs, "{} pairs, expected {}", found.len(), pairs.len());
    let unmatched = left_rows as usize - pairs.len();
    assert_eq!(conditional_left_anti_join(&left, &right, &condition)?.len(), unmatched);
    assert_eq!(conditional_left_join_size(&left, &right, &condition)?, left_rows as usize);
    Ok(())
}

#[test]
fn groups_of_left_rows_have_all_their_pairs() {
    let work = || scope::with_device(test_device(), || check(3000, 300));
    SmallLimits::new(HostLimits::small(64)).expect("threads can be started").run(work).unwrap();
}

#[test]
fn warps_visit_all_left_rows() {
    let (left_rows, right_rows) = if test_device().is_cpu() { (3000, 300) } else { (100_001, 2001) };
    scope::with_device(test_device(), || check(left_rows, right_rows)).unwrap();
}
