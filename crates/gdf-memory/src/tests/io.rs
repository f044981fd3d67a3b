//! Tests of `BufferReader` and `BufferWriter`, and of copies between devices. The tests run on the CPU and on the
//! device that `GDF_TEST_DEVICE` names.

use std::io::{BufRead, Read, Seek, SeekFrom, Write};

use gdf_driver::{Device, Stream};

use crate::{Buffer, BufferReader, BufferWriter, CudaResource, HostResource, MemoryError, Resource};

fn setup() -> (Stream, Resource) {
    match gdf_driver::test_hooks::test_device() {
        Device::Cpu => (Stream::cpu(), Resource::new(HostResource::new())),
        device => (Stream::new(device).unwrap(), Resource::new(CudaResource::new(device).unwrap())),
    }
}

/// Returns bytes in which neighboring positions differ.
fn pattern() -> Vec<u8> {
    let len = if cfg!(miri) { 1000 } else { 9_000_001u32 };
    (0..len).map(|i| (i ^ (i >> 8) ^ (i >> 16)) as u8).collect()
}

#[test]
fn what_is_written_is_read() {
    let (stream, mr) = setup();
    let bytes = pattern();
    let mut writer = BufferWriter::growing(&stream, mr.as_ref()).unwrap();
    for part in bytes.chunks(bytes.len() / 7) {
        writer.write_all(part).unwrap();
    }
    let buffer = writer.into_buffer().unwrap();
    assert_eq!(buffer.len(), bytes.len());
    let mut reader = BufferReader::new(buffer, &stream);
    let mut all = Vec::new();
    reader.read_to_end(&mut all).unwrap();
    assert!(all == bytes);
    for at in [0, 1, bytes.len() / 2, bytes.len() - 3, bytes.len(), bytes.len() + 10] {
        reader.seek(SeekFrom::Start(at as u64)).unwrap();
        let expected = bytes.get(at..).unwrap_or_default();
        let mut three = [0; 3];
        let got = reader.read(&mut three).unwrap();
        assert_eq!(&three[..got], &expected[..got.min(expected.len())]);
        assert_eq!(got, expected.len().min(3));
        let ahead = reader.fill_buf().unwrap();
        assert!(expected[got..].starts_with(ahead) && (ahead.is_empty() == expected[got..].is_empty()));
    }
    reader.seek(SeekFrom::End(-2)).unwrap();
    assert_eq!(reader.rest().unwrap().to_host(&stream).unwrap(), bytes[bytes.len() - 2..]);
    assert!(reader.seek(SeekFrom::End(i64::MIN)).is_err());
}

#[test]
fn writers_seek_and_end() {
    let (stream, mr) = setup();
    let mut writer = BufferWriter::growing(&stream, mr.as_ref()).unwrap();
    writer.write_all(b"abc").unwrap();
    writer.seek(SeekFrom::Start(100)).unwrap();
    assert_eq!(writer.seek(SeekFrom::End(-1)).unwrap(), 2);
    writer.seek(SeekFrom::Start(6)).unwrap();
    writer.write_all(b"xyz").unwrap();
    writer.seek(SeekFrom::Start(1)).unwrap();
    writer.write_all(b"B").unwrap();
    assert_eq!(writer.seek(SeekFrom::End(0)).unwrap(), 9);
    assert_eq!(writer.into_buffer().unwrap().to_host(&stream).unwrap(), b"aBc\0\0\0xyz");

    let buffer = Buffer::from_host(b"0123456789", &stream, mr.as_ref()).unwrap();
    let mut writer = BufferWriter::fixed(buffer, &stream);
    writer.seek(SeekFrom::Start(7)).unwrap();
    assert_eq!(writer.write(b"abcdef").unwrap(), 3);
    assert_eq!(writer.write(b"g").unwrap(), 0);
    writer.flush().unwrap();
    let buffer = writer.into_buffer().unwrap();
    assert_eq!(buffer.to_host(&stream).unwrap(), b"0123456abc");
    let _shared = buffer.clone();
    let mut writer = BufferWriter::fixed(buffer, &stream);
    writer.write_all(b"x").unwrap();
    assert!(writer.flush().is_err());
}

#[test]
fn bytes_go_from_and_into_memory_that_is_there() {
    let (stream, mr) = setup();
    let bytes = pattern();
    let (cpu, host) = (Stream::cpu(), Resource::new(HostResource::new()));
    let on_cpu = Buffer::from_host(&bytes, &cpu, host.as_ref()).unwrap();
    let mut there = on_cpu.copy_to(&stream, mr.as_ref()).unwrap();
    there.write_from(3, b"three", &stream).unwrap();
    assert!(matches!(there.write_from(bytes.len() - 1, b"xy", &stream), Err(MemoryError::OutOfRange { .. })));
    let back = there.slice(2, 100).unwrap().copy_to(&cpu, host.as_ref()).unwrap();
    let access = back.read_on(&cpu).unwrap();
    let got = access.as_slice::<u8>().unwrap();
    assert_eq!((&got[1..6], &got[6..]), (&b"three"[..], &bytes[8..102]));
    let mut wrong = [0; 5];
    assert!(there.read_into(&mut wrong, &stream).is_err());
    there.slice(3, 5).unwrap().read_into(&mut wrong, &stream).unwrap();
    assert_eq!(&wrong, b"three");
}
