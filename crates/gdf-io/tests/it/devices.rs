//! Tests devices and memory.

use gdf_api::scope::with_resources;
use gdf_driver::Device;
use gdf_io::{CsvReader, Error, IpcReader, JsonReader, ParquetReader, ParquetWriter, read_parquet, write_ipc};
use gdf_io::{write_csv, write_json};
use gdf_memory::{Fault, FaultInjectionResource, LimitingResource, Resource, current_resource};

use crate::all_types::{batch_of, fixed_width, for_parquet, nested, text_and_binary};
use crate::{Folder, batch};

#[test]
fn all_memory_that_stays_is_the_resource_s() {
    let folder = Folder::new();
    let of = batch(&for_parquet(5000));
    let path = folder.path("t.parquet");
    let mut writer = ParquetWriter::new(&path, of.schema()).row_group_rows(1000);
    writer.write(&of).unwrap();
    writer.finish().unwrap();
    let limiting = LimitingResource::new(current_resource(Device::Cpu).unwrap(), usize::MAX);
    let resource = Resource::new(limiting.clone());
    let found = with_resources(&resource, &resource, || read_parquet(&path).unwrap()).unwrap();
    assert!(limiting.allocated_bytes() >= found.table().alloc_size());
    drop(found);
    assert_eq!(limiting.allocated_bytes(), 0);
}

#[test]
fn each_allocation_may_fail() {
    let folder = Folder::new();
    let of = batch(&batch_of([fixed_width(300), text_and_binary(300), nested(300)].concat()));
    let simple = of.select(&["i64", "utf8"]).unwrap();
    let (parquet, csv) = (folder.path("t.parquet"), folder.path("t.csv"));
    let (json, ipc) = (folder.path("t.jsonl"), folder.path("t.arrow"));
    let mut writer = ParquetWriter::new(&parquet, of.schema()).row_group_rows(100);
    writer.write(&of).unwrap();
    writer.finish().unwrap();
    write_csv(&simple, &csv).unwrap();
    write_json(&simple, &json).unwrap();
    write_ipc(&of, &ipc).unwrap();
    let upstream = current_resource(Device::Cpu).unwrap();
    let reads: [&dyn Fn() -> gdf_io::Result<gdf_io::Batch>; 4] = [
        &|| ParquetReader::open(&parquet)?.read(),
        &|| CsvReader::open(&csv)?.read(),
        &|| JsonReader::open(&json)?.read(),
        &|| IpcReader::open(&ipc)?.read(),
    ];
    for read in reads {
        let mut failed = 0;
        for number in 1.. {
            let limiting = LimitingResource::new(upstream.clone(), usize::MAX);
            let failing = FaultInjectionResource::new(Resource::new(limiting.clone()), [Fault::Nth(number)]);
            let resource = Resource::new(failing.clone());
            let found = with_resources(&resource, &resource, read).unwrap();
            if failing.refused() == 0 {
                found.unwrap();
                break;
            }
            assert!(found.unwrap_err().is_out_of_memory());
            assert_eq!(limiting.allocated_bytes(), 0, "after allocation {number} failed");
            failed += 1;
        }
        assert!(failed >= 3, "{failed}");
    }
}

#[test]
fn absent_devices_are_errors() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    gdf_io::write_parquet(&gdf_io::example_batch().unwrap(), &path).unwrap();
    let error = ParquetReader::open(&path).unwrap().on(Device::Cuda(99)).read().unwrap_err();
    assert!(matches!(error, Error::Gdf(gdf_core::Error::Driver(_))), "{error}");
    let scan = ParquetReader::open(&path).unwrap().on(Device::Cuda(99)).scan().unwrap();
    assert!(scan.take(5).any(|batch| batch.is_err()));
}
