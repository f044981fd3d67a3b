//! Measures the resources of the CPU with traces of allocations. The same traces measure RMM. `examples/traces.rs`
//! measures the resources of a GPU.
#![allow(missing_docs, reason = "criterion's macro makes a public function")]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gdf_driver::Stream;
use gdf_memory::testing::traces::{Bare, Buffers, churn, pair, shared, threads};
use gdf_memory::{CachingResource, HostResource, PoolResource, Resource};

fn resources() -> [(&'static str, Resource); 3] {
    let host = || Resource::new(HostResource::new());
    [
        ("pool", Resource::new(PoolResource::new(host()))),
        ("caching", Resource::new(CachingResource::new(host()))),
        ("host", host()),
    ]
}

fn time(each: gdf_memory::Result<f64>, rounds: u64) -> Duration {
    each.map_or(Duration::ZERO, |each| Duration::from_nanos((each * rounds as f64) as u64))
}

fn traces(criterion: &mut Criterion) {
    let stream = Stream::cpu();
    for (name, resource) in &resources() {
        let mut group = criterion.benchmark_group(*name);
        group.sample_size(10);
        for bytes in [256, 1 << 20] {
            group.bench_function(BenchmarkId::new("pair", bytes), |bench| {
                bench.iter_custom(|rounds| time(pair(&Bare(resource, &stream), bytes, rounds as usize), rounds));
            });
            group.bench_function(BenchmarkId::new("pair_of_buffers", bytes), |bench| {
                bench.iter_custom(|rounds| time(pair(&Buffers(resource, &stream), bytes, rounds as usize), rounds));
            });
        }
        group.bench_function(BenchmarkId::new("churn", 1000), |bench| {
            let blocks = Bare(resource, &stream);
            bench.iter_custom(|rounds| time(churn(&blocks, rounds as usize, 1000, 7, 16 << 20), rounds));
        });
        group.bench_function(BenchmarkId::new("threads", 2), |bench| {
            bench.iter_custom(|rounds| time(threads(resource, 2, rounds as usize, 8 << 20, false), rounds));
        });
        let streams: Vec<Stream> = (0..8).map(|_| Stream::cpu()).collect();
        group.bench_function(BenchmarkId::new("shared", 8), |bench| {
            bench.iter_custom(|rounds| time(shared(resource, &streams, rounds as usize, 500, 64 << 20), rounds));
        });
    }
}

criterion_group!(benches, traces);
criterion_main!(benches);
