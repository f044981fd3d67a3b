//! Tests of the stream, the resources and the device that functions see.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use gdf_core::{Column, Error};
use gdf_driver::{Device, Stream};
use gdf_memory::{HostResource, Resource, StatisticsResource};

use super::*;

const GPU: Device = Device::Cuda(7);

fn stream() -> Stream {
    Stream::new(Device::Cpu).unwrap()
}

fn current() -> Stream {
    current_stream(Device::Cpu).unwrap()
}

/// Returns a resource that counts its allocations, and the counters.
fn counted() -> (Resource, StatisticsResource) {
    let statistics = StatisticsResource::new(Resource::new(HostResource::new()));
    (Resource::new(statistics.clone()), statistics)
}

fn served(statistics: &StatisticsResource) -> i64 {
    statistics.statistics().allocations.total
}

fn kept(statistics: &StatisticsResource) -> i64 {
    statistics.statistics().allocations.current
}

/// Runs an operation that allocates its result and its scratch memory from the resources of the scope.
fn operate() {
    let host = Resource::new(HostResource::new());
    let values = Column::from_slice_on(&[3_i32, 1, 2], &Stream::cpu(), host.as_ref()).unwrap();
    let table = gdf_core::TableView::try_new(vec![values.view()]).unwrap();
    let order = crate::sorting::sorted_order(table, &[], &[]).unwrap();
    assert_eq!(order.len(), 3);
}

#[test]
fn nothing_set_means_defaults() {
    assert_eq!(current(), Stream::default_for(Device::Cpu).unwrap());
    assert_eq!(current_device(), Device::Cpu);
}

#[test]
fn streams_nest_and_the_one_before_comes_back() {
    let (before, outer, inner) = (current(), stream(), stream());
    let answer = with_stream(&outer, || {
        assert_eq!(current(), outer);
        with_stream(&inner, || assert_eq!(current(), inner));
        assert_eq!(current(), outer);
        5
    });
    assert_eq!((answer, current()), (5, before));
}

#[test]
fn guards_end_with_their_block() {
    let (before, first, second) = (current(), stream(), stream());
    {
        let _first = enter_stream(&first);
        assert_eq!(current(), first);
        let _second = enter_stream(&second);
        assert_eq!(current(), second);
    }
    assert_eq!(current(), before);
}

#[test]
fn devices_nest_and_come_back() {
    with_device(GPU, || {
        assert_eq!(current_device(), GPU);
        with_device(Device::Cpu, || assert_eq!(current_device(), Device::Cpu));
        let _entered = enter_device(Device::Cpu);
        assert_eq!(current_device(), Device::Cpu);
    });
    assert_eq!(current_device(), Device::Cpu);
}

#[test]
fn without_inputs_the_device_of_the_scope_decides() {
    let refused = with_device(GPU, || Scope::for_inputs("nothing", &[]).map(|scope| scope.stream().device()));
    assert!(!matches!(refused, Ok(Device::Cpu)), "{refused:?}");
    assert_eq!(Scope::for_inputs("nothing", &[]).unwrap().stream().device(), Device::Cpu);
}

#[test]
fn one_resource_serves_results_and_scratch() {
    let (resource, statistics) = counted();
    with_resource(&resource, operate);
    let inside = served(&statistics);
    assert!(inside > 0);
    operate();
    assert_eq!(served(&statistics), inside, "out of the scope another resource serves");
}

#[test]
fn two_resources_serve_one_each() {
    let ((output, results), (temporary, scratch)) = (counted(), counted());
    with_resources(&output, &temporary, || {
        let scope = Scope::on("test", Device::Cpu).unwrap();
        let stream = scope.stream().clone();
        let first = gdf_memory::Buffer::zeroed(10, &stream, scope.resources().output).unwrap();
        assert_eq!((kept(&results), kept(&scratch)), (1, 0));
        let second = gdf_memory::Buffer::zeroed(10, &stream, scope.resources().temporary).unwrap();
        assert_eq!((kept(&results), kept(&scratch)), (1, 1));
        drop((first, second));
    })
    .unwrap();
    assert_eq!(kept(&results), 0);
}

#[test]
fn inner_resources_hide_outer_ones_and_leave_the_stream() {
    let ((outer, outer_counts), (inner, inner_counts)) = (counted(), counted());
    let own = stream();
    with_stream(&own, || {
        with_resource(&outer, || {
            with_resource(&inner, || {
                operate();
                assert_eq!(current(), own);
            });
            assert_eq!(served(&outer_counts), 0);
            assert!(served(&inner_counts) > 0);
            operate();
            assert!(served(&outer_counts) > 0);
        });
    });
}

#[test]
fn a_panic_leaves_what_was_set_before() {
    let (before, outer, inner) = (current(), stream(), stream());
    let (resource, statistics) = counted();
    with_stream(&outer, || {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            with_resource(&resource, || with_stream(&inner, || with_device(GPU, || panic!("on purpose"))))
        }));
        assert!(panicked.is_err());
        assert_eq!((current(), current_device()), (outer.clone(), Device::Cpu));
        operate();
        assert_eq!(served(&statistics), 0);
    });
    assert_eq!(current(), before);
}

#[test]
fn a_handle_carries_the_settings_to_another_thread() {
    let own = stream();
    let (resource, statistics) = counted();
    let handle = with_stream(&own, || with_device(GPU, || with_resource(&resource, ScopeHandle::capture)));
    assert_ne!(current(), own, "a capture sets nothing");
    thread::scope(|threads| {
        threads.spawn(|| {
            let before = current();
            assert_ne!(before, own);
            let answer = handle.run(|| {
                assert_eq!((current(), current_device()), (own.clone(), GPU));
                operate();
                7
            });
            assert_eq!((answer, current(), current_device()), (7, before, Device::Cpu));
        });
    });
    assert!(served(&statistics) > 0);
}

#[test]
fn a_handle_replaces_all_settings_and_puts_them_back() {
    let (captured, other) = (stream(), stream());
    let handle = with_stream(&captured, ScopeHandle::capture);
    with_stream(&other, || {
        with_device(GPU, || {
            handle.run(|| assert_eq!((current(), current_device()), (captured.clone(), Device::Cpu)));
            let panicked = catch_unwind(AssertUnwindSafe(|| handle.run(|| panic!("on purpose"))));
            assert!(panicked.is_err());
            assert_eq!((current(), current_device()), (other.clone(), GPU));
        });
    });
}

/// A future that is ready at the second poll, and that records the current stream at each poll.
struct TwoPolls(Vec<Stream>);

impl Future for TwoPolls {
    type Output = Vec<Stream>;

    fn poll(mut self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Vec<Stream>> {
        self.0.push(current());
        if self.0.len() < 2 { Poll::Pending } else { Poll::Ready(std::mem::take(&mut self.0)) }
    }
}

struct NoWaker;

impl Wake for NoWaker {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_future_has_its_settings_on_every_thread_that_polls_it() {
    let own = stream();
    let mut future = with_stream(&own, ScopeHandle::capture).in_scope(TwoPolls(Vec::new()));
    let waker = Waker::from(Arc::new(NoWaker));
    assert!(Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_pending());
    assert_ne!(current(), own, "between polls the thread is as it was");
    let polled = thread::spawn(move || {
        let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
        (polled, current())
    });
    let (polled, after) = polled.join().unwrap();
    assert_eq!(polled, Poll::Ready(vec![own.clone(), own.clone()]));
    assert_ne!(after, own);
}

/// An input that reports the given device.
struct At(Device);

impl Input for At {
    fn input_device(&self) -> Option<Device> {
        Some(self.0)
    }
}

#[test]
fn inputs_must_agree_on_the_device() {
    let (here, there) = (At(Device::Cpu), At(GPU));
    let refused = Scope::for_inputs("nothing", &[&here, &there, &here]).unwrap_err();
    assert!(matches!(refused, Error::DeviceMismatch { expected: Device::Cpu, found: GPU, .. }), "{refused:?}");
    assert!(Scope::for_inputs("nothing", &[&here, &here]).is_ok());
}
