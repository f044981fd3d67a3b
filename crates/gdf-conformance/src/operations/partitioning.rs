//! Area `partitioning`: orders rows by their partition.

use gdf_api::partitioning::{HashFunction, hash_partition, partition, round_robin_partition};
use gdf_core::Table;

use super::{Operation, hashing};
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("hash_partition", run_hash_partition),
    ("partition", run_partition),
    ("round_robin_partition", run_round_robin_partition),
];

fn answer((table, offsets): (Table, Vec<usize>)) -> Answered {
    Ok(Answer { value: Some(offsets.into()), ..Answer::table(table) })
}

fn run_hash_partition(call: &Call<'_>) -> Answered {
    let functions = [("HASH_MURMUR3", HashFunction::Murmur3), ("HASH_IDENTITY", HashFunction::Identity)];
    let keys: Result<Vec<usize>, _> = call.integers("keys")?.into_iter().map(usize::try_from).collect();
    let keys = keys.map_err(|_| Failure::Unsupported("columns counted from the end".to_owned()))?;
    let (function, seed) = (call.choice("hash", &functions)?, hashing::narrow(call)?);
    answer(hash_partition(&call.table("input")?, &keys, call.count("n")?, function, seed)?)
}

fn run_partition(call: &Call<'_>) -> Answered {
    answer(partition(&call.table("input")?, &call.column("map")?, call.count("n")?)?)
}

fn run_round_robin_partition(call: &Call<'_>) -> Answered {
    answer(round_robin_partition(&call.table("input")?, call.count("n")?, call.count("start")?)?)
}
