//! Damaged files: a GPU reads from them exactly what the CPU reads, or both refuse them.

use gdf_api::scope::with_resource;
use gdf_memory::{LimitingResource, Resource, current_resource};

use super::*;

/// The numbers of columns by the result of their reads.
#[derive(Debug, Default)]
struct Seen {
    /// The number of files without a footer that can be read.
    unopened: usize,
    read: usize,
    refused: usize,
    /// The number of columns that the CPU refuses, although no value depends on what is damaged.
    unharmed: usize,
}

impl Seen {
    /// Reads each column of a file on the CPU and as a GPU does. A GPU may read a column that the CPU refuses, if the rows
    /// are those of `whole`: arrow-rs also checks claims that no row needs, such as the length of the values of a page of
    /// nulls.
    fn check(&mut self, bytes: &[u8], whole: Option<&RecordBatch>, what: &str) {
        let Ok(file) = ParquetFile::of_source(Path::new("test"), Source::of_bytes(bytes.to_vec().into())) else {
            self.unopened += 1;
            return;
        };
        // An error in one column would end a read of all columns.
        for (number, field) in file.schema().fields().iter().enumerate() {
            let options = Options { columns: Columns::Numbered(vec![number]), ..Options::default() };
            let Ok(plan) = Plan::new(vec![file.clone()], &[], &options) else { continue };
            let expected = read(&plan, Device::Cpu);
            match &expected {
                Ok(_) => self.read += 1,
                Err(_) => self.refused += 1,
            }
            for device in devices() {
                let what = || format!("{what}, {} on {device}", field.name());
                match (read_as_gpu(&plan, device), &expected) {
                    (Ok(found), Ok(expected)) => assert_eq!(&found, expected, "{}", what()),
                    (Err(_), Err(_)) => {}
                    (Ok(found), Err(error)) => {
                        let whole = whole.and_then(|whole| whole.column_by_name(field.name()));
                        assert_eq!(Some(&found), whole, "{}: the CPU refuses what was read: {error}", what());
                        self.unharmed += 1;
                    }
                    (Err(error), Ok(_)) => panic!("{}: the CPU reads what was refused: {error}", what()),
                }
            }
        }
    }
}

fn read(plan: &Plan, device: Device) -> Result<ArrayRef> {
    let batch = Target::run("test", Some(device), |target| plan.read(target))?;
    Ok(batch.to_arrow()?.column(0).clone())
}

/// Reads a column as a GPU does: what the decoder refuses is decoded again on the CPU.
fn read_as_gpu(plan: &Plan, device: Device) -> Result<ArrayRef> {
    if device.is_cuda() || plan.units.is_empty() {
        return read(plan, device);
    }
    let columns: Vec<&PlanColumn> = plan.columns.iter().collect();
    let mut found = Vec::new();
    Target::run("test", Some(device), |target| {
        plan.read_parts(&columns, &[&plan.units], target, &mut |_, columns| {
            found = columns;
            Ok(())
        })
    })?;
    Ok(found[0].to_array()?)
}

/// A file of a few bytes may claim billions of values.
fn within_limit(test: impl FnOnce()) {
    let limiting = LimitingResource::new(current_resource(Device::Cpu).unwrap(), 1 << 30);
    with_resource(&Resource::new(limiting), test);
}

#[test]
fn regressions_of_the_fuzzer_have_one_answer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions/read_parquet");
    let mut seen = Seen::default();
    within_limit(|| {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            seen.check(&std::fs::read(&path).unwrap(), None, &path.display().to_string());
        }
    });
    assert!(seen.read > 0 && seen.refused > 0, "{seen:?}");
}

/// SplitMix64.
struct Random(u64);

impl Random {
    /// Returns a number below `end`, which is positive.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        [0, 0xff, 1, 0x7f, self.below(256) as u8][self.below(5)]
    }
}

/// Flips bits, overwrites a range of bytes, or cuts one out.
fn damaged(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let footer = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize + 8;
    // A damaged footer is seldom a footer still, and mostly not the fault of a decoder.
    let end = if random.below(8) == 0 { whole.len() } else { whole.len() - footer };
    let at = random.below(end);
    let range = at..end.min(at + 1 + random.below(24));
    match random.below(4) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => (0..3).for_each(|_| bytes[random.below(end)] ^= 1 << random.below(8)),
        2 => bytes[range].iter_mut().for_each(|byte| *byte = random.byte()),
        _ => drop(bytes.drain(range)),
    }
    bytes
}

#[test]
fn damaged_files_have_one_answer() {
    // The rows around the first null of many.
    let (flat, nested) = (table().slice(960, 90), nested().slice(0, 60));
    let mut seen = Seen::default();
    within_limit(|| {
        for (seed, layout) in layouts(40, 15, 100).into_iter().enumerate() {
            for (name, table, changes) in [("flat", &flat, 8), ("nested", &nested, 8)] {
                let whole = written(table, layout);
                let what = format!("{name}, {layout:?}");
                let mut undamaged = Seen::default();
                undamaged.check(&whole, None, &what);
                assert_eq!((undamaged.read, undamaged.refused), (table.num_columns(), 0), "{what}");
                let mut random = Random(seed as u64);
                for change in 0..changes {
                    let bytes = damaged(&whole, &mut random);
                    seen.check(&bytes, Some(table), &format!("{what}, change {change}"));
                }
            }
        }
    });
    assert!(seen.read > 1_000 && seen.refused > 100, "{seen:?}");
}
