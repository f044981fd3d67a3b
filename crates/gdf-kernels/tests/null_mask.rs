//! Tests the kernels of `null_mask` through the driver layer alone.

use std::ptr::NonNull;

use gdf_driver::test_hooks::cuda_device;
use gdf_driver::{CopyKind, Stream, memory};
use gdf_kernels::generated::null_mask::{Combine, CombineKernel, Copy, Count, Set};
use gdf_kernels::{Arguments, BROADCAST, ColumnIn, ColumnOut, In, Kernel, Out, SCRATCH_ZEROED_BYTES, TableIn};

const LENGTHS: [usize; 15] = [1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 1000, 4096 * 8 + 5, 1_000_003, 40_000_000];
const OFFSETS: [usize; 7] = [0, 1, 7, 8, 31, 33, 129];

/// The stream of a test, and pinned memory for the count that a kernel writes.
struct Bench {
    stream: Stream,
    mailbox: NonNull<u8>,
}

impl Bench {
    fn new(test: &str) -> Option<Bench> {
        let device = cuda_device(test)?;
        let mailbox = memory::host_alloc(device, 64).unwrap();
        Some(Bench { stream: Stream::new(device).unwrap(), mailbox })
    }

    fn upload(&self, bytes: &[u8], misalignment: usize) -> u64 {
        let address = memory::alloc(self.stream.device(), bytes.len() + misalignment).unwrap() + misalignment as u64;
        // SAFETY: the allocation has `bytes.len()` bytes from `address` on. `bytes` lives until the next line has
        // waited for the copy.
        unsafe { self.stream.copy(address, bytes.as_ptr() as u64, bytes.len(), CopyKind::HostToDevice) }.unwrap();
        self.stream.synchronize().unwrap();
        address
    }

    fn download(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut host = vec![0_u8; bytes];
        // SAFETY: callers pass an address of their own memory, which has at least `bytes` bytes. `host` lives until the
        // next line has waited for the copy.
        unsafe { self.stream.copy(host.as_mut_ptr() as u64, address, bytes, CopyKind::DeviceToHost) }.unwrap();
        self.stream.synchronize().unwrap();
        host
    }

    fn free(&self, address: u64, misalignment: usize) {
        // SAFETY: `upload` allocated the memory with this misalignment. The stream is idle, because every download
        // waits for the stream.
        unsafe { memory::free(self.stream.device(), address - misalignment as u64) }.unwrap();
    }

    fn launch<A: Arguments>(&self, kernel: &Kernel<A::Static>, units: usize, arguments: &A) {
        // SAFETY: each test passes memory that lives until the test has waited for the launch.
        unsafe { kernel.launch(&self.stream, kernel.blocks(units), 1, arguments) }.unwrap();
    }

    fn count(&self, mask: u64, begin: usize, end: usize) -> u64 {
        let word = memory::host_device_pointer(self.stream.device(), self.mailbox).unwrap();
        let vectors = (end - begin) / 128 + 1;
        let (begin, end) = (begin as i64, end as i64);
        let arguments = Count { mask: input(mask), begin, end, unset: output(word) };
        self.launch(&Kernel::find(&self.stream).unwrap(), vectors, &arguments);
        self.stream.synchronize().unwrap();
        // SAFETY: the mailbox has 64 bytes of pinned memory. The kernel has written the memory, because the stream is
        // idle.
        unsafe { self.mailbox.cast::<u64>().as_ptr().read_volatile() }
    }

    fn scratch_is_clean(&self) {
        let bytes = self.download(self.stream.scratch().unwrap(), SCRATCH_ZEROED_BYTES);
        assert!(bytes.iter().all(|byte| *byte == 0));
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // SAFETY: `host_alloc` allocated the mailbox on this device. Every launch that writes to the mailbox is
        // complete.
        let _ = unsafe { memory::host_free(self.stream.device(), self.mailbox) };
    }
}

fn input<T>(address: u64) -> In<'static, T> {
    // SAFETY: callers pass addresses of memory that the kernels of the tests expect.
    unsafe { In::danger_from_address(address) }
}

fn output<T>(address: u64) -> Out<'static, T> {
    // SAFETY: callers pass addresses of memory that the kernels of the tests expect.
    unsafe { Out::danger_from_address(address) }
}

fn random_bytes(n: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(next).take(n).collect()
}

fn bit(bytes: &[u8], i: usize) -> bool {
    bytes[i / 8] >> (i % 8) & 1 == 1
}

#[test]
fn counts_any_range() {
    let Some(bench) = Bench::new("counts_any_range") else { return };
    for length in LENGTHS {
        for misalignment in [0, 1, 3, 8, 13] {
            let host = random_bytes((length + 129).div_ceil(8), length as u64);
            let mask = bench.upload(&host, misalignment);
            for offset in OFFSETS {
                let expected = (offset..offset + length).filter(|i| !bit(&host, *i)).count();
                let found = bench.count(mask, offset, offset + length);
                assert_eq!(found, expected as u64, "length {length} offset {offset} at {misalignment}");
            }
            bench.free(mask, misalignment);
            if length > 1 << 20 {
                break;
            }
        }
    }
    bench.scratch_is_clean();
}

/// Combines the masks of columns and compares the results.
fn combines(kernel: Option<CombineKernel>, inputs: usize, merge: fn(bool, bool) -> bool, start: bool) {
    let Some(bench) = Bench::new("combined masks") else { return };
    for length in LENGTHS.into_iter().filter(|length| *length <= 1_000_003) {
        let mut columns = Vec::new();
        let mut hosts = Vec::new();
        for c in 0..inputs {
            let offset = OFFSETS[c % OFFSETS.len()];
            let broadcast = c == 2;
            let rows = if broadcast { 1 } else { length };
            let host = random_bytes((offset + rows).div_ceil(8), (length * 40 + c) as u64);
            let validity = if c == 3 { In::NULL } else { input(bench.upload(&host, c % 5)) };
            let flags = if broadcast { BROADCAST } else { 0 };
            let length = length as i64;
            columns.push(ColumnIn { validity, offset: offset as i64, length, flags, ..ColumnIn::default() });
            hosts.push((host, offset, broadcast));
        }
        let words = length.div_ceil(32);
        // The memory contains the mask, a word that the kernel must not write, and the null count.
        let out = bench.upload(&vec![0xab; words * 4 + 4 + 12], 0);
        let null_count = (out + words as u64 * 4 + 4).next_multiple_of(8);
        let (validity, null_count_out) = (output(out), output(null_count));
        let result = ColumnOut { validity, null_count: null_count_out, length: length as i64, ..ColumnOut::default() };
        if let Some(kernel) = kernel {
            let input = TableIn::new(&columns).unwrap();
            let arguments = Combine { input, inputs: inputs as i32, out: result };
            bench.launch(&Kernel::choose(kernel, &bench.stream).unwrap(), words, &arguments);
        } else {
            let arguments = Copy { input: columns[0], out: result };
            bench.launch(&Kernel::find(&bench.stream).unwrap(), words, &arguments);
        }
        let found = bench.download(out, words * 4 + 4);
        let nulls = u64::from_le_bytes(bench.download(null_count, 8).try_into().unwrap());
        let mut expected_nulls = 0;
        for row in 0..words * 32 {
            let valid = row < length
                && hosts.iter().enumerate().fold(start, |all, (c, (host, offset, broadcast))| {
                    merge(all, c == 3 || bit(host, offset + if *broadcast { 0 } else { row }))
                });
            expected_nulls += u64::from(row < length && !valid);
            assert_eq!(bit(&found, row), valid, "{kernel:?} length {length} row {row}");
        }
        assert_eq!(found[words * 4..][..4], [0xab; 4]);
        assert_eq!(nulls, expected_nulls, "{kernel:?} length {length}");
        for (c, column) in columns.iter().enumerate().filter(|(c, _)| *c != 3) {
            bench.free(column.validity.address(), c % 5);
        }
        bench.free(out, 0);
    }
    bench.scratch_is_clean();
}

#[test]
fn conjunction_of_masks() {
    combines(Some(CombineKernel::And), 2, |a, b| a & b, true);
    combines(Some(CombineKernel::And), 5, |a, b| a & b, true);
    combines(Some(CombineKernel::And), 32, |a, b| a & b, true);
}

#[test]
fn disjunction_of_masks() {
    combines(Some(CombineKernel::Or), 2, |a, b| a | b, false);
    combines(Some(CombineKernel::Or), 3, |a, b| a | b, false);
    combines(Some(CombineKernel::Or), 4, |a, b| a | b, false);
}

#[test]
fn copy_starts_at_bit_0() {
    combines(None, 1, |a, b| a & b, true);
}

#[test]
fn set_leaves_other_bits() {
    let Some(bench) = Bench::new("set_leaves_other_bits") else { return };
    for length in LENGTHS.into_iter().filter(|length| *length <= 1_000_003) {
        for offset in OFFSETS {
            for valid in [false, true] {
                let host = random_bytes((offset + length).div_ceil(32) * 4 + 8, (length + offset) as u64);
                let mask = bench.upload(&host, 0);
                let (begin, end) = (offset as i64, (offset + length) as i64);
                let arguments = Set { words: output(mask), begin, end, valid: i32::from(valid) };
                bench.launch(&Kernel::find(&bench.stream).unwrap(), length / 32 + 2, &arguments);
                let found = bench.download(mask, host.len());
                for i in 0..host.len() * 8 {
                    let expected = if (offset..offset + length).contains(&i) { valid } else { bit(&host, i) };
                    assert_eq!(bit(&found, i), expected, "length {length} offset {offset} bit {i}");
                }
                bench.free(mask, 0);
            }
        }
    }
}

#[test]
fn kernels_used_are_listed() {
    let Some(bench) = Bench::new("kernels_used_are_listed") else { return };
    let mask = bench.upload(&[0b101], 0);
    assert_eq!(bench.count(mask, 0, 3), 1);
    let used = ("null_mask".to_owned(), "null_mask_count_kernel".to_owned());
    assert!(gdf_kernels::launched().contains(&used));
    assert!(gdf_kernels::all().contains(&used));
}
