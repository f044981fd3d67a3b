//! Area `hashing`: hashes of rows by published hash functions.

use gdf_api::hashing::{
    md5, murmurhash3_x64_128, murmurhash3_x86_32, sha1, sha224, sha256, sha384, sha512, xxhash_32, xxhash_64,
};

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("murmurhash3_x86_32", run_murmurhash3_x86_32),
    ("murmurhash3_x64_128", |call| Ok(Answer::table(murmurhash3_x64_128(&call.table("input")?, seed(call)?)?))),
    ("xxhash_32", |call| Ok(Answer::column(xxhash_32(&call.table("input")?, narrow(call)?)?)?)),
    ("xxhash_64", |call| Ok(Answer::column(xxhash_64(&call.table("input")?, seed(call)?)?)?)),
    ("md5", |call| Ok(Answer::column(md5(&call.table("input")?)?)?)),
    ("sha1", |call| Ok(Answer::column(sha1(&call.table("input")?)?)?)),
    ("sha224", |call| Ok(Answer::column(sha224(&call.table("input")?)?)?)),
    ("sha256", |call| Ok(Answer::column(sha256(&call.table("input")?)?)?)),
    ("sha384", |call| Ok(Answer::column(sha384(&call.table("input")?)?)?)),
    ("sha512", |call| Ok(Answer::column(sha512(&call.table("input")?)?)?)),
];

pub(super) fn run_murmurhash3_x86_32(call: &Call<'_>) -> Answered {
    Ok(Answer::column(murmurhash3_x86_32(&call.table("input")?, narrow(call)?)?)?)
}

/// Returns the argument `seed`, or 0 if the argument is absent.
pub(super) fn seed(call: &Call<'_>) -> Result<u64, Failure> {
    let unreadable = || call.unreadable("`seed` is not a number".to_owned());
    call.arg("seed").map_or(Ok(0), |seed| seed.as_u64().ok_or_else(unreadable))
}

pub(super) fn narrow(call: &Call<'_>) -> Result<u32, Failure> {
    u32::try_from(seed(call)?).map_err(|_| call.unreadable("`seed` has more than 32 bits".to_owned()))
}
