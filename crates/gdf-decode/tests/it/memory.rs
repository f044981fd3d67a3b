//! Allocations that fail, and what a batch costs.

use gdf_decode::{ColumnPages, Encoding, decode};
use gdf_driver::Device;
use gdf_engine::Ctx;
use gdf_memory::testing::FailingResource;
use gdf_memory::{Buffer, Resource, StatisticsResource};

use crate::check::device;
use crate::compressor::compressed;
use crate::naive::is_text;
use crate::programs::random_batch;
use crate::random::Random;

#[test]
fn a_failed_allocation_leaves_nothing() {
    let (stream, resource) = device();
    for seed in 0..6 {
        let mut random = Random(77 + seed);
        let plain = random_batch(&mut random, 5, &[1, 40, 3000]);
        let encoded = if seed % 2 == 0 { compressed(&plain, &mut random) } else { plain };
        let bytes = Buffer::from_host(&encoded.bytes, &stream, &resource).unwrap();
        for fail_at in 1.. {
            let statistics = StatisticsResource::new(resource.clone());
            let failing = FailingResource::new(Resource::new(statistics.clone()), fail_at);
            let failing_resource = Resource::new(failing.clone());
            let found = decode(&encoded.batch, &bytes, Ctx::new(&stream, &failing_resource));
            if !failing.has_failed() {
                assert!(found.unwrap().iter().all(Result::is_ok));
                break;
            }
            assert!(found.unwrap_err().is_out_of_memory());
            stream.synchronize().unwrap();
            assert_eq!(statistics.statistics().allocations.current, 0, "seed {seed}, allocation {fail_at}");
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
