//! Logs of allocations, read from text. A log must be refused, or must be replayed on a resource with little memory.
//! The resource must be empty again at the end.
#![no_main]

use gdf_driver::Device;
use gdf_memory::testing::SpyingResource;
use gdf_memory::testing::replay::Log;
use gdf_memory::{HostResource, LOG_HEADER, LimitingResource, Resource};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let with_header = format!("{LOG_HEADER}\n{text}");
    for text in [text, &with_header] {
        let Ok(log) = Log::parse(text) else { continue };
        if log.streams() > 8 {
            continue; // each stream has a thread
        }
        let spy = SpyingResource::new(Resource::new(HostResource::new()));
        let limited = Resource::new(LimitingResource::new(Resource::new(spy.clone()), 1 << 20));
        assert_eq!(limited.device(), Device::Cpu);
        let outcome = log.replay(&limited).expect("the replay counts failed allocations");
        assert!(outcome.peak_bytes <= 1 << 20);
        assert!(spy.faults().is_empty(), "{:?}", spy.faults());
        assert_eq!(spy.outstanding(), 0);
    }
});
