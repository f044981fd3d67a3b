//! Allocations that fail, and what a batch costs.

use gdf_core::DataType;
use gdf_decode::{ColumnPages, DecodedColumn, Encoding, Refused, Stored, decode};
use gdf_driver::Device;
use gdf_engine::Ctx;
use gdf_memory::testing::FailingResource;
use gdf_memory::{Buffer, Resource, StatisticsResource};

use crate::check::{compare_all, device};
use crate::compressor::compressed;
use crate::encoder::Encoded;
use crate::naive::is_text;
use crate::nested::NestedBatch;
use crate::prefixes::{column, encode};
use crate::programs::random_batch;
use crate::random::Random;

/// Lets each allocation of a decoding fail once. `check` gets what that decoding returns when no allocation fails any
/// more, and what the decoding after each failure returns. Returns the number of failures.
fn fail_each(encoded: &Encoded, what: &str, check: &dyn Fn(Vec<Result<DecodedColumn, Refused>>)) -> usize {
    let (stream, resource) = device();
    let bytes = Buffer::from_host(&encoded.bytes, &stream, &resource).unwrap();
    for fail_at in 1.. {
        let statistics = StatisticsResource::new(resource.clone());
        let failing = FailingResource::new(Resource::new(statistics.clone()), fail_at);
        let failing_resource = Resource::new(failing.clone());
        let found = decode(&encoded.batch, &bytes, Ctx::new(&stream, &failing_resource));
        let has_failed = failing.has_failed();
        match has_failed {
            true => assert!(found.unwrap_err().is_out_of_memory(), "{what}, allocation {fail_at}"),
            false => check(found.unwrap()),
        }
        stream.synchronize().unwrap();
        assert_eq!(statistics.statistics().allocations.current, 0, "{what}, allocation {fail_at}");
        if !has_failed {
            return fail_at - 1;
        }
        check(decode(&encoded.batch, &bytes, Ctx::new(&stream, &resource)).unwrap());
    }
    unreachable!("a decoding has finitely many allocations")
}

#[test]
fn a_failed_allocation_leaves_nothing() {
    for seed in 0..6 {
        let mut random = Random(77 + seed);
        let plain = random_batch(&mut random, 5, &[1, 40, 3000]);
        let encoded = if seed % 2 == 0 { compressed(&plain, &mut random) } else { plain };
        let what = format!("seed {seed}");
        fail_each(&encoded, &what, &|found| {
            assert!(compare_all(&encoded, found, &what).iter().all(Result::is_ok), "{what}");
        });
    }
}

#[test]
fn a_failed_allocation_of_nested_columns_leaves_nothing() {
    for (seed, chunk_rows) in [&[1][..], &[40, 7], &[300], &[0, 65, 64]].into_iter().enumerate() {
        let batch = NestedBatch::of_all_kinds(chunk_rows, &mut Random(500 + seed as u64));
        let what = format!("seed {seed}");
        let failures = fail_each(&batch.encoded, &what, &|found| drop(batch.check(found, &what)));
        assert!(failures > 20, "{what}: {failures}");
    }
}

#[test]
fn a_failed_allocation_of_texts_with_prefixes_leaves_nothing() {
    for rows in [1, 33, 2_100] {
        let texts: Vec<Vec<u8>> = (0..rows).map(|row| format!("größe {}", row / 3).into_bytes()).collect();
        let mut random = Random(rows as u64);
        let page = encode(&texts, &mut random);
        for nulls in [None, Some(&(|row: usize| row.is_multiple_of(2)) as &dyn Fn(usize) -> bool)] {
            let rows = if nulls.is_some() { 2 * rows } else { rows };
            let plain = column(Stored::ByteArray, DataType::Utf8, &page, rows, nulls);
            for encoded in [compressed(&plain, &mut random), plain] {
                let what = format!("{rows} rows");
                let failures = fail_each(&encoded, &what, &|found| {
                    assert!(compare_all(&encoded, found, &what).iter().all(Result::is_ok), "{what}");
                });
                assert!(failures >= 2, "{what}: {failures}");
            }
        }
    }
}

#[test]
fn a_batch_takes_six_launches_and_one_wait() {
    let (stream, resource) = device();
    let mut seen = [0; 2];
    for seed in 0..20 {
        let mut random = Random(99 + seed);
        let plain = random_batch(&mut random, 6, &[1, 40, 3000]);
        let pages_of = |column: &ColumnPages| column.chunks.clone().into_iter().flat_map(|chunk| chunk.pages);
        let mut pages = plain.batch.columns.iter().flat_map(pages_of);
        // The bytes of texts are counted first if each lacks those that it shares with the one before.
        let mut of_texts = plain.batch.columns.iter().filter(|column| is_text(column)).flat_map(pages_of);
        let is_counted = of_texts.any(|page| page.header.encoding == Encoding::DeltaByteArray);
        seen[usize::from(is_counted)] += 1;
        // Other encodings take a launch more.
        let is_rewritten =
            pages.any(|page| !matches!(page.header.encoding, Encoding::Plain | Encoding::Keys | Encoding::Rle));
        let (encoded, most) = if seed % 2 == 0 { (compressed(&plain, &mut random), 6) } else { (plain, 5) };
        let bytes = Buffer::from_host(&encoded.bytes, &stream, &resource).unwrap();
        stream.synchronize().unwrap();
        let before = stream.counters();
        decode(&encoded.batch, &bytes, Ctx::new(&stream, &resource)).unwrap();
        let after = stream.counters();
        let (launches, waits) = (after.launches - before.launches, after.waits - before.waits);
        match stream.device() {
            Device::Cpu => assert_eq!((launches, waits), (0, 0)),
            Device::Cuda(_) => {
                let most = most + u64::from(is_rewritten) + u64::from(is_counted);
                assert!(launches <= most, "{launches} launches");
                assert!(waits <= 1 + u64::from(is_counted), "{waits} waits");
            }
        }
    }
    assert!(seen.iter().all(|batches| *batches > 0), "{seen:?}");
}

#[test]
fn pages_on_another_device_are_an_error() {
    let (stream, resource) = device();
    if stream.device().is_cpu() {
        return;
    }
    let cpu = gdf_driver::Stream::cpu();
    let bytes = Buffer::zeroed(64, &cpu, &gdf_memory::current_resource(Device::Cpu).unwrap()).unwrap();
    assert!(decode(&gdf_decode::Batch::default(), &bytes, Ctx::new(&stream, &resource)).is_err());
}
