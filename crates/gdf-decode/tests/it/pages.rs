//! The decoder that takes one page after the other, on the CPU.

use gdf_core::DataType;
use gdf_decode::{Encoding, Flaw, Levels, PageDecoder, PageHeader, Slot, Stored};

fn header(rows: usize, encoding: Encoding, levels: Levels) -> PageHeader {
    PageHeader { rows, encoding, levels, nulls: None }
}

fn texts(texts: &[&str]) -> Vec<u8> {
    texts.iter().flat_map(|text| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()).collect()
}

#[test]
fn text_is_decoded_with_its_offsets() {
    let (mut ends, mut bytes) = (vec![0; 6 * 4], vec![0; 9]);
    let slot = Slot::Text { ends: &mut ends, bytes: &mut bytes, first: 100 };
    let mut decoder = PageDecoder::new(Stored::ByteArray, &DataType::Utf8, true, 6, slot).unwrap();
    decoder.set_dictionary(&texts(&["ab", "c"]), 2).unwrap();
    // Rows 1 and 3 are valid. The first row ends where the rows before the chunk do.
    let keys = [3, 0b1010, 1, 3, 0b01].as_slice();
    decoder.decode(keys, &header(4, Encoding::Keys, Levels::Sized(2))).unwrap();
    let plain = [&[2, 0, 0, 0, 4, 1][..], &texts(&["de", "fghi"])].concat();
    decoder.decode(&plain, &header(2, Encoding::Plain, Levels::Prefixed)).unwrap();
    let validity = decoder.finish().unwrap();
    assert_eq!((validity.rows(), validity.null_count()), (6, 2));
    let ends: Vec<i32> = ends.as_chunks().0.iter().map(|end| i32::from_le_bytes(*end)).collect();
    assert_eq!(ends, [100, 101, 101, 103, 105, 109]);
    assert_eq!(bytes, b"cabdefghi");
}

#[test]
fn chunks_have_the_stated_size() {
    let mut memory = [0; 8];
    let mut decoder = |rows, slot: &[u8]| {
        PageDecoder::new(Stored::Int32, &DataType::Int32, false, rows, Slot::Values(&mut memory[..slot.len()]))
            .is_some()
    };
    assert!(decoder(2, &[0; 8]) && decoder(0, &[]) && !decoder(2, &[0; 7]) && !decoder(usize::MAX, &[0; 8]));
    let plain = |rows| header(rows, Encoding::Plain, Levels::None);
    let mut decoder = PageDecoder::new(Stored::Int32, &DataType::Int32, false, 2, Slot::Values(&mut memory)).unwrap();
    assert_eq!(decoder.decode(&[1; 12], &plain(3)), Err(Flaw::Rows));
    decoder.decode(&[1; 4], &plain(1)).unwrap();
    assert_eq!(decoder.decode(&[1; 8], &plain(2)), Err(Flaw::Rows));
    decoder.set_dictionary(&[0; 4], 1).unwrap();
    assert_eq!(decoder.set_dictionary(&[0; 4], 1), Err(Flaw::Dictionary));
    assert_eq!(decoder.finish().err(), Some(Flaw::Rows));
}

#[test]
fn text_has_the_stated_bytes() {
    for (size, flaw) in [(3, None), (4, Some(Flaw::Values)), (2, Some(Flaw::Values))] {
        let (mut ends, mut bytes) = (vec![0; 8], vec![0; size]);
        let slot = Slot::Text { ends: &mut ends, bytes: &mut bytes, first: 0 };
        let mut decoder = PageDecoder::new(Stored::ByteArray, &DataType::LargeBinary, false, 1, slot).unwrap();
        let found = decoder.decode(&texts(&["abc"]), &header(1, Encoding::Plain, Levels::None));
        let found = found.and_then(|()| decoder.finish().map(|_| ()));
        assert_eq!(found.err(), flaw, "{size}");
    }
    let slot = Slot::Text { ends: &mut [], bytes: &mut [], first: 0 };
    assert!(PageDecoder::new(Stored::Int32, &DataType::Utf8, false, 0, slot).is_none());
}
