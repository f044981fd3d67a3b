//! Tests that every public function that exchanges or copies columns opens its span.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, Once};

use gdf_core::{Column, Table};
use gdf_driver::{Device, Stream};
use gdf_memory::{DeviceVec, HostResource, Resource};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use crate::*;

/// The spans that were opened.
#[derive(Clone, Default)]
struct Opened(Arc<Mutex<BTreeSet<String>>>);

#[derive(Default)]
struct Fields {
    name: String,
    device: String,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "name" {
            value.clone_into(&mut self.name);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "device" {
            self.device = format!("{value:?}");
        }
    }
}

impl<S: tracing::Subscriber> Layer<S> for Opened {
    fn on_new_span(&self, attributes: &Attributes<'_>, _id: &Id, _context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let metadata = attributes.metadata();
        assert_eq!((metadata.target(), *metadata.level()), ("gdf", tracing::Level::DEBUG), "{}", fields.name);
        self.0.lock().unwrap().insert(format!("{} on {}", fields.name, fields.device));
    }
}

/// Returns whether `call` opens the span `name` on the CPU.
fn opens<R>(name: &str, call: impl FnOnce() -> R) -> bool {
    // If a thread without a subscriber reaches a callsite first, the callsite stays disabled for all threads
    // (tokio-rs/tracing#2874).
    static EVERY_THREAD: Once = Once::new();
    EVERY_THREAD.call_once(|| tracing::subscriber::set_global_default(tracing_subscriber::registry()).unwrap());
    let opened = Opened::default();
    let subscriber = tracing_subscriber::registry().with(opened.clone());
    tracing::subscriber::with_default(subscriber, || drop(call()));
    opened.0.lock().unwrap().contains(&format!("{name} on cpu"))
}

struct Bench {
    stream: Stream,
    resource: Resource,
    column: Column,
    schema: ArrowSchema,
}

impl Bench {
    fn new() -> Self {
        let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
        let column = Column::from_slice_on(&[1_i32, 2, 3], &stream, resource.as_ref()).unwrap();
        let schema = to_arrow_schema(column.data_type()).unwrap();
        Self { stream, resource, column, schema }
    }

    fn table(&self) -> Table {
        Table::try_new(vec![self.column.clone()]).unwrap()
    }

    fn table_schema(&self) -> ArrowSchema {
        to_arrow_schema(&*self.table().schema(&["a"])).unwrap()
    }

    fn device_array(&self) -> ArrowDeviceArray {
        to_arrow_device(&self.column, &self.stream).unwrap()
    }

    fn device_table(&self) -> ArrowDeviceArray {
        to_arrow_device(self.table(), &self.stream).unwrap()
    }

    fn tensor(&self) -> DlpackTensor {
        DlpackTensor::from_column(&self.column, &self.stream).unwrap()
    }

    fn interface(&self) -> CudaArrayInterface {
        let (shape, typestr) = (vec![0], "<i4".to_owned());
        CudaArrayInterface { shape, typestr, data: (0, true), strides: None, stream: None, version: 3, has_mask: false }
    }
}

#[test]
fn exchange_with_arrow_rs_and_copies() {
    let bench @ Bench { stream, resource, column, .. } = &Bench::new();
    let (mr, table) = (resource.as_ref(), bench.table());
    let array = column.to_arrow(stream).unwrap();
    let schema = table.schema(&["a"]);
    let batch = table.to_arrow(&schema, stream).unwrap();
    assert!(opens("Column::from_arrow", || Column::from_arrow(&array, stream, mr)));
    assert!(opens("Column::from_arrow", || Table::from_arrow(&batch, stream, mr)));
    assert!(opens("Column::to_arrow", || column.to_arrow(stream)));
    assert!(opens("Column::to_arrow", || table.to_arrow(&schema, stream)));
    assert!(opens("Column::deep_copy", || column.deep_copy(stream, mr)));
    assert!(opens("Column::copy_to", || column.copy_to(stream, mr)));
    assert!(!opens("Column::to_arrow", || format!("{column:?}")), "`Debug` may run while a log line is written");
}

#[test]
fn exports() {
    let bench @ Bench { stream, column, .. } = &Bench::new();
    assert!(opens("to_arrow_host", || to_arrow_host(column, stream)));
    assert!(opens("to_arrow_device", || to_arrow_device(column, stream)));
    assert!(opens("Exportable::with_null_counts", || Exportable::from(column).with_null_counts(stream)));
    assert!(opens("to_arrow_device", || to_arrow_device(bench.table(), stream)));
}

#[test]
fn imports() {
    let bench @ Bench { stream, resource, schema, .. } = &Bench::new();
    let (mr, table_schema) = (resource.as_ref(), &bench.table_schema());
    let host = |array: ArrowDeviceArray| array.into_array().unwrap();
    let (column, table) = (bench.device_array(), bench.device_table());
    assert!(opens("from_arrow_host", || {
        // SAFETY: gdf exported the array.
        unsafe { from_arrow_host(host(column), schema, stream, mr) }
    }));
    assert!(opens("from_arrow_host_table", || {
        // SAFETY: gdf exported the array.
        unsafe { from_arrow_host_table(host(table), table_schema, stream, mr) }
    }));
    let (column, table) = (bench.device_array(), bench.device_table());
    assert!(opens("from_arrow_device", || {
        // SAFETY: gdf exported the array.
        unsafe { from_arrow_device(column, schema, stream, mr) }
    }));
    assert!(opens("from_arrow_device_table", || {
        // SAFETY: gdf exported the array.
        unsafe { from_arrow_device_table(table, table_schema, stream, mr) }
    }));
    let (column, table) = (bench.device_array(), bench.device_table());
    assert!(opens("view_arrow_device", || {
        // SAFETY: gdf exported the array, and the array outlives the view.
        unsafe { view_arrow_device(&column, schema, stream, mr) }
    }));
    assert!(opens("with_arrow_device", || {
        // SAFETY: gdf exported the array, and the closure keeps no reference to the array.
        unsafe { with_arrow_device(&column, schema, stream, mr, |_| ()) }
    }));
    assert!(opens("with_arrow_device_table", || {
        // SAFETY: gdf exported the array.
        unsafe { with_arrow_device_table(&table, table_schema, stream, mr, |_| ()) }
    }));
}

#[test]
fn streams_of_tables() {
    let bench @ Bench { stream, resource, .. } = &Bench::new();
    let tables = || std::iter::once(Ok::<_, InteropError>(bench.table()));
    let schema = bench.table().schema(&["a"]);
    let exported = to_arrow_device_stream(&schema, Vec::from_iter(tables()).into_iter(), stream);
    assert!(opens("from_arrow_device_stream", || {
        // SAFETY: gdf exported the stream.
        unsafe { from_arrow_device_stream(exported, stream, resource) }
    }));
    let exported = to_arrow_stream(&schema, Vec::from_iter(tables()).into_iter(), stream);
    let mut reader = None;
    assert!(opens("from_arrow_stream", || {
        // SAFETY: gdf exported the stream.
        reader = Some(unsafe { from_arrow_stream(exported, stream, resource) }.unwrap());
    }));
    assert!(opens("TableReader::next", || reader.as_mut().and_then(Iterator::next)));
}

#[test]
fn dlpack() {
    let bench @ Bench { stream, resource, column, .. } = &Bench::new();
    assert!(opens("DlpackTensor::from_column", || DlpackTensor::from_column(column, stream)));
    assert!(opens("DlpackTensor::from_owned_column", || DlpackTensor::from_owned_column(column.clone(), stream)));
    let table = bench.table();
    assert!(opens("DlpackTensor::from_table", || DlpackTensor::from_table(table.view(), stream, resource.as_ref())));
    let (one, other, third) = (bench.tensor(), bench.tensor(), bench.tensor());
    assert!(opens("DlpackTensor::into_column", || one.into_column()));
    assert!(opens("DlpackTensor::into_table", || other.into_table()));
    assert!(opens("DlpackTensor::copy_tensor", || {
        // SAFETY: gdf exported the tensor, and the tensor outlives the copy.
        unsafe { DlpackTensor::copy_tensor(third.tensor(), stream, resource.as_ref()) }
    }));
}

#[test]
fn memory_of_others() {
    let bench @ Bench { stream, resource, column, .. } = &Bench::new();
    type Cai = CudaArrayInterface;
    let mut own = column.deep_copy(stream, resource.as_ref()).unwrap();
    let mut vec = DeviceVec::from_slice(&[1_i32], stream, resource.as_ref()).unwrap();
    assert!(opens("CudaArrayInterface::of_column", || Cai::of_column(column.view(), stream)));
    assert!(opens("CudaArrayInterface::of_column_mut", || Cai::of_column_mut(&mut own, stream)));
    assert!(opens("CudaArrayInterface::of_vec", || Cai::of_vec(&vec, stream)));
    assert!(opens("CudaArrayInterface::of_vec_mut", || Cai::of_vec_mut(&mut vec, stream)));
    assert!(opens("CudaArrayInterface::into_column", || {
        // SAFETY: there are no rows.
        unsafe { bench.interface().into_column(Arc::new(()), stream) }
    }));
    assert!(opens("CudaArrayInterface::into_table", || {
        // SAFETY: gdf exported the array.
        unsafe { bench.interface().into_table(Arc::new(()), stream) }
    }));
    let bytes = Arc::new(vec![1_u8, 2, 3]);
    let address = bytes.as_ptr().expose_provenance() as u64;
    assert!(opens("buffer_from_address", || {
        // SAFETY: the vector has three bytes, which the owner keeps.
        unsafe { buffer_from_address(address, 3, bytes, stream) }
    }));
    assert!(opens("SharedBuffer::new", || SharedBuffer::new(&column.buffers()[0], stream)));
    assert_eq!(stream.device(), Device::Cpu);
}
