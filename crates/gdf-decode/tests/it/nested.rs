//! Nested columns: random lists and structs are divided into levels and values, and come back.

use std::sync::Arc;

use gdf_core::{Column, DataType, Field, bitmask};
use gdf_decode::{DecodedColumn, Encoding, Nesting, Node, Refused, Stored, assemble};
use gdf_driver::Stream;
use gdf_engine::test_device::on_host;

use crate::check::{decoded, device};
use crate::compressor::compressed;
use crate::encoder::{Encoded, Encoder, text_of};
use crate::random::Random;

/// A type of nested columns.
#[derive(Clone, Debug)]
enum Shape {
    Leaf { stored: Stored, data_type: DataType, is_optional: bool },
    List { is_optional: bool, is_large: bool, item: Box<Shape> },
    Struct { is_optional: bool, fields: Vec<Shape> },
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Null,
    Number(i128),
    List(Vec<Value>),
    Struct(Vec<Value>),
}

/// What a leaf has of rows.
#[derive(Default)]
struct Leaf {
    levels: Vec<(u8, u8)>,
    /// For each level, whether a value belongs to it.
    values: Vec<Option<i128>>,
}

fn leaf_shape(random: &mut Random) -> Shape {
    let is_optional = !random.once_in(3);
    let (stored, data_type) = random.of(&[
        (Stored::Int64, DataType::Int64),
        (Stored::Int32, DataType::Int8),
        (Stored::Boolean, DataType::Boolean),
        (Stored::ByteArray, DataType::Utf8),
        (Stored::ByteArray, DataType::LargeBinary),
        (Stored::FixedLenByteArray(5), DataType::FixedSizeBinary(5)),
        (Stored::FixedLenByteArray(7), DataType::Decimal128(15, 2)),
    ]);
    Shape::Leaf { stored, data_type, is_optional }
}

fn shape(random: &mut Random, depth: usize) -> Shape {
    let is_optional = random.once_in(2);
    match random.below(if depth == 0 { 1 } else { 4 }) {
        0 => leaf_shape(random),
        1 | 2 => Shape::List { is_optional, is_large: random.once_in(3), item: Box::new(shape(random, depth - 1)) },
        _ => {
            let fields = (0..1 + random.below(3)).map(|_| shape(random, depth - 1)).collect();
            Shape::Struct { is_optional, fields }
        }
    }
}

impl Shape {
    fn is_optional(&self) -> bool {
        match self {
            Shape::Leaf { is_optional, .. } | Shape::List { is_optional, .. } | Shape::Struct { is_optional, .. } => {
                *is_optional
            }
        }
    }

    /// Returns whether a list of these values is a map.
    fn is_pair(&self) -> bool {
        matches!(self, Shape::Struct { is_optional: false, fields } if fields.len() == 2 && !fields[0].is_optional())
    }

    fn data_type(&self) -> DataType {
        let field = |shape: &Shape| Arc::new(Field::new("item", shape.data_type(), shape.is_optional()));
        match self {
            Shape::Leaf { data_type, .. } => data_type.clone(),
            Shape::List { is_large: true, item, .. } => DataType::LargeList(field(item)),
            Shape::List { item, .. } if item.is_pair() => DataType::Map(field(item), false),
            Shape::List { item, .. } => DataType::List(field(item)),
            Shape::Struct { fields, .. } => DataType::Struct(fields.iter().map(field).collect()),
        }
    }

    fn value(&self, random: &mut Random) -> Value {
        match self {
            Shape::Leaf { is_optional: true, .. }
            | Shape::List { is_optional: true, .. }
            | Shape::Struct { is_optional: true, .. }
                if random.once_in(5) =>
            {
                Value::Null
            }
            Shape::Leaf { stored, .. } => Value::Number(match stored {
                Stored::Boolean => random.below(2) as i128,
                Stored::ByteArray => random.below(1 << 20) as i128,
                _ => random.below(100_000) as i128 - 50_000,
            }),
            Shape::List { item, .. } => {
                let count = random.of(&[0, 0, 1, 1, 2, 3, 5, 40]);
                Value::List((0..count).map(|_| item.value(random)).collect())
            }
            Shape::Struct { fields, .. } => Value::Struct(fields.iter().map(|field| field.value(random)).collect()),
        }
    }

    /// Appends the leaves, with what is above each.
    fn leaves(&self, above: &[Node], leaves: &mut Vec<(Vec<Node>, Shape)>) {
        let with = |node: Node| [above, &[node]].concat();
        match self {
            Shape::Leaf { .. } => leaves.push((above.to_vec(), self.clone())),
            Shape::List { is_optional, is_large, item } => {
                item.leaves(&with(Node::List { is_optional: *is_optional, is_large: *is_large }), leaves);
            }
            Shape::Struct { is_optional, fields } => {
                let above = with(Node::Struct { is_optional: *is_optional });
                fields.iter().for_each(|field| field.leaves(&above, leaves));
            }
        }
    }

    /// Divides a value into levels, as in the Dremel paper. A missing value is one of a list without elements, or is below
    /// something that is null.
    fn shred(&self, value: Option<&Value>, (repetition, definition): (u8, u8), depth: u8, leaves: &mut [Leaf]) {
        let is_null = matches!(value, None | Some(Value::Null));
        match self {
            Shape::Leaf { is_optional, .. } => {
                let is_present = !is_null;
                let definition = definition + u8::from(is_present && *is_optional);
                leaves[0].levels.push((repetition, definition));
                leaves[0].values.push(match value {
                    Some(Value::Number(number)) => Some(*number),
                    _ => None,
                });
            }
            Shape::List { is_optional, item, .. } => {
                let definition = definition + u8::from(!is_null && *is_optional);
                match value {
                    Some(Value::List(items)) if !items.is_empty() => {
                        for (index, value) in items.iter().enumerate() {
                            let repetition = if index > 0 { depth + 1 } else { repetition };
                            item.shred(Some(value), (repetition, definition + 1), depth + 1, leaves);
                        }
                    }
                    _ => item.shred(None, (repetition, definition), depth + 1, leaves),
                }
            }
            Shape::Struct { is_optional, fields } => {
                let definition = definition + u8::from(!is_null && *is_optional);
                let mut first = 0;
                for (index, field) in fields.iter().enumerate() {
                    let value = match value {
                        Some(Value::Struct(values)) => Some(&values[index]),
                        _ => None,
                    };
                    let mut of_field = Vec::new();
                    field.leaves(&[], &mut of_field);
                    let end = first + of_field.len();
                    field.shred(value, (repetition, definition), depth, &mut leaves[first..end]);
                    first = end;
                }
            }
        }
    }
}

/// Returns the rows of a column in memory of the CPU.
fn rows_of(column: &Column, shape: &Shape) -> Vec<Value> {
    let stream = Stream::cpu();
    let mask = column.validity().map(|mask| mask.read_on(&stream).unwrap());
    let nulls =
        mask.as_ref().map_or(0, |mask| bitmask::count_zeros_in_range(mask.as_slice().unwrap(), 0, column.len()));
    assert_eq!(column.known_null_count(), Some(nulls));
    assert_eq!(mask.is_some(), nulls > 0, "without nulls, there is no mask");
    assert!(shape.is_optional() || nulls == 0, "required values have no mask");
    let is_valid = |row: usize| mask.as_ref().is_none_or(|mask| bitmask::get_bit(mask.as_slice().unwrap(), row));
    let buffers: Vec<Vec<u8>> = column.buffers().iter().map(|buffer| buffer.to_host(&stream).unwrap()).collect();
    let offsets = buffers.first().cloned().unwrap_or_default();
    let offset = move |row: usize, is_large: bool| match is_large {
        true => i64::from_le_bytes(offsets[row * 8..row * 8 + 8].try_into().unwrap()) as usize,
        false => i32::from_le_bytes(offsets[row * 4..row * 4 + 4].try_into().unwrap()) as usize,
    };
    let value: Box<dyn Fn(usize) -> Value> = match shape {
        Shape::List { is_large, item, .. } => {
            let (items, is_large) = (rows_of(&column.children()[0], item), *is_large);
            assert_eq!((offset(0, is_large), offset(column.len(), is_large)), (0, items.len()));
            Box::new(move |row| Value::List(items[offset(row, is_large)..offset(row + 1, is_large)].to_vec()))
        }
        Shape::Struct { fields, .. } => {
            let fields: Vec<_> =
                column.children().iter().zip(fields).map(|(child, field)| rows_of(child, field)).collect();
            assert!(fields.iter().all(|field| field.len() == column.len()));
            Box::new(move |row| Value::Struct(fields.iter().map(|field| field[row].clone()).collect()))
        }
        Shape::Leaf { data_type, .. } => Box::new(move |row| {
            let text = |is_large| {
                let text = &buffers[1][offset(row, is_large)..offset(row + 1, is_large)];
                Value::Number(
                    text.iter().fold(text.len() as i128, |hash, byte| hash * 31 % (1 << 60) + i128::from(*byte)),
                )
            };
            let little = |width: usize| {
                let mut bytes = [0; 16];
                bytes[..width].copy_from_slice(&buffers[0][row * width..(row + 1) * width]);
                let shift = 128 - 8 * width as u32;
                Value::Number(i128::from_le_bytes(bytes) << shift >> shift)
            };
            match data_type {
                DataType::Boolean => Value::Number(i128::from(bitmask::get_bit(&buffers[0], row))),
                DataType::Utf8 => text(false),
                DataType::LargeBinary => text(true),
                DataType::Int8 => little(1),
                DataType::Int64 => little(8),
                DataType::Decimal128(..) => little(16),
                _ => {
                    let mut bytes = buffers[0][row * 5..row * 5 + 5].to_vec();
                    bytes.reverse();
                    bytes.resize(16, 0);
                    Value::Number(i128::from_le_bytes(bytes.try_into().unwrap()) << 88 >> 88)
                }
            }
        }),
    };
    (0..column.len()).map(|row| if is_valid(row) { value(row) } else { Value::Null }).collect()
}

/// Returns a value as [`rows_of`] returns it.
fn expected(shape: &Shape, value: &Value) -> Value {
    match (shape, value) {
        (Shape::Leaf { data_type: DataType::Utf8 | DataType::LargeBinary, .. }, Value::Number(number)) => {
            let text = text_of(*number);
            Value::Number(text.iter().fold(text.len() as i128, |hash, byte| hash * 31 % (1 << 60) + i128::from(*byte)))
        }
        (Shape::Leaf { data_type: DataType::Int8, .. }, Value::Number(number)) => Value::Number((*number as i8).into()),
        (Shape::List { item, .. }, Value::List(items)) => {
            Value::List(items.iter().map(|value| expected(item, value)).collect())
        }
        (Shape::Struct { fields, .. }, Value::Struct(values)) => {
            Value::Struct(fields.iter().zip(values).map(|(field, value)| expected(field, value)).collect())
        }
        (_, value) => value.clone(),
    }
}

/// Appends the leaves of rows, whose chunks have `chunk_rows` rows. Pages may begin within a row.
fn push_leaves(shape: &Shape, rows: &[Value], chunk_rows: &[usize], random: &mut Random, encoded: &mut Encoded) {
    let mut leaves = Vec::new();
    shape.leaves(&[], &mut leaves);
    for (index, (nodes, leaf)) in leaves.iter().enumerate() {
        let Shape::Leaf { stored, data_type, is_optional } = leaf else { unreachable!("it is a leaf") };
        let most = nodes.iter().fold((0, u8::from(*is_optional)), |(repetition, definition), node| match node {
            Node::List { is_optional, .. } => (repetition + 1, definition + 1 + u8::from(*is_optional)),
            Node::Struct { is_optional } => (repetition, definition + u8::from(*is_optional)),
        });
        let mut encoder = Encoder::new(random, *stored, data_type.clone(), *is_optional);
        encoder.column.nesting = Some(Nesting { nodes: nodes.clone(), chunk_rows: chunk_rows.to_vec() });
        let (mut row, sizes) = (0, [1, 30, 33, 500, 2048, 5000]);
        for count in chunk_rows {
            let mut of_leaves: Vec<Leaf> = leaves.iter().map(|_| Leaf::default()).collect();
            for value in &rows[row..row + count] {
                shape.shred(Some(value), (0, 0), 0, &mut of_leaves);
            }
            row += count;
            let leaf = &of_leaves[index];
            let keys: Option<Vec<i128>> =
                encoder.random.once_in(3).then(|| leaf.values.iter().flatten().copied().collect());
            let keys = keys.filter(|_| *stored != Stored::Boolean);
            encoder.begin_chunk(keys.as_deref(), encoded);
            let (mut at, mut key) = (0, 0);
            while at < leaf.levels.len() || encoder.column.chunks.last().unwrap().pages.is_empty() {
                let end = leaf.levels.len().min(at + encoder.random.of(&sizes));
                let values: Vec<i128> = leaf.values[at..end].iter().flatten().copied().collect();
                let encoding = match (stored, encoder.random.below(3)) {
                    (Stored::Boolean, 0) => Encoding::Rle,
                    (Stored::ByteArray, 0) => Encoding::DeltaLengthByteArray,
                    (Stored::Int32 | Stored::Int64, 0) => Encoding::DeltaBinaryPacked,
                    (Stored::FixedLenByteArray(_), 0) => Encoding::ByteStreamSplit,
                    _ => Encoding::Plain,
                };
                match keys.is_some() {
                    true => {
                        let keys: Vec<i128> = (key..key + values.len()).map(|key| key as i128).collect();
                        encoder.nested_page(&leaf.levels[at..end], most, &keys, Encoding::Keys, encoded);
                    }
                    false => encoder.nested_page(&leaf.levels[at..end], most, &values, encoding, encoded),
                }
                (at, key) = (end, key + values.len());
                if encoder.random.once_in(20) {
                    encoder.nested_page(&[], most, &[], Encoding::Plain, encoded);
                }
            }
        }
        encoder.finish(encoded);
    }
}

/// Columns, and the rows that they were made of.
#[derive(Default)]
pub(crate) struct NestedBatch {
    pub(crate) encoded: Encoded,
    /// For each column its type, its rows, and the number of its leaves.
    columns: Vec<(Shape, Vec<Value>, usize)>,
}

impl NestedBatch {
    fn push(&mut self, shape: Shape, chunk_rows: &[usize], random: &mut Random) {
        let rows: Vec<Value> = (0..chunk_rows.iter().sum()).map(|_| shape.value(random)).collect();
        let before = self.encoded.batch.columns.len();
        push_leaves(&shape, &rows, chunk_rows, random, &mut self.encoded);
        self.columns.push((shape, rows, self.encoded.batch.columns.len() - before));
    }

    fn finish(mut self, random: &mut Random) -> NestedBatch {
        self.encoded = self.encoded.finish();
        if random.once_in(2) {
            self.encoded = compressed(&self.encoded, random);
        }
        self
    }

    /// Returns a list of structs, a struct with a list of text, a map of lists, and a list of lists.
    pub(crate) fn of_all_kinds(chunk_rows: &[usize], random: &mut Random) -> NestedBatch {
        let leaf = |stored, data_type, is_optional| Shape::Leaf { stored, data_type, is_optional };
        let list = |item| Shape::List { is_optional: true, is_large: false, item: Box::new(item) };
        let structs = |is_optional, fields| Shape::Struct { is_optional, fields };
        let text = |is_optional| leaf(Stored::ByteArray, DataType::Utf8, is_optional);
        let number = || leaf(Stored::Int64, DataType::Int64, true);
        let flag = || leaf(Stored::Boolean, DataType::Boolean, true);
        let mut batch = NestedBatch::default();
        for shape in [
            list(structs(true, vec![text(true), number()])),
            structs(true, vec![list(text(true)), flag()]),
            list(structs(false, vec![text(false), list(number())])),
            Shape::List { is_optional: false, is_large: true, item: Box::new(list(flag())) },
        ] {
            batch.push(shape, chunk_rows, random);
        }
        batch.finish(random)
    }

    /// Assembles the columns, and compares them with the rows. Returns the types of the columns.
    pub(crate) fn check(&self, leaves: Vec<Result<DecodedColumn, Refused>>, what: &str) -> Vec<DataType> {
        let mut leaves = leaves.into_iter();
        let check = |(shape, rows, count): &(Shape, Vec<Value>, usize)| {
            let leaves: Result<Vec<DecodedColumn>, _> = leaves.by_ref().take(*count).collect();
            let leaves = leaves.unwrap_or_else(|refused| panic!("{what}: {refused}: {shape:?}"));
            let column = assemble(&shape.data_type(), device().0.device(), leaves).unwrap();
            let column = column.unwrap_or_else(|| panic!("{what}: the leaves disagree: {shape:?}"));
            let expected: Vec<Value> = rows.iter().map(|value| expected(shape, value)).collect();
            let found = rows_of(&on_host(&column), shape);
            assert_eq!(found.len(), expected.len(), "{what}: {shape:?}");
            for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found, expected, "{what}, row {row}: {shape:?}");
            }
            shape.data_type()
        };
        self.columns.iter().map(check).collect()
    }
}

#[test]
fn nested_rows_come_back() {
    let mut maps = 0;
    for seed in 0..150 {
        let mut random = Random(4_000 + seed);
        let mut batch = NestedBatch::default();
        for _ in 0..1 + random.below(2) {
            let depth = 1 + random.below(4);
            let shape = loop {
                let shape = shape(&mut random, depth);
                if !matches!(shape, Shape::Leaf { .. }) {
                    break shape;
                }
            };
            let chunk_rows: Vec<usize> = (0..random.below(4))
                .map(|_| random.of(&[0, 1, 7, 64, 300, if seed % 16 == 0 { 3000 } else { 2 }]))
                .collect();
            batch.push(shape, &chunk_rows, &mut random);
        }
        let batch = batch.finish(&mut random);
        let types = batch.check(decoded(&batch.encoded), &format!("seed {seed}"));
        maps += types.iter().filter(|data_type| data_type.to_string().contains("Map(")).count();
    }
    assert!(maps > 0, "no column has maps");
}

#[test]
fn damaged_levels_are_refused_or_decoded() {
    for seed in 0..300 {
        let mut random = Random(9_000 + seed);
        let shape = Shape::List { is_optional: true, is_large: false, item: Box::new(shape(&mut random, 2)) };
        let chunk_rows = [50, 3];
        let rows: Vec<Value> = (0..53).map(|_| shape.value(&mut random)).collect();
        let mut encoded = Encoded::default();
        push_leaves(&shape, &rows, &chunk_rows, &mut random, &mut encoded);
        let mut encoded = encoded.finish();
        for _ in 0..1 + random.below(4) {
            let column = random.below(encoded.batch.columns.len());
            let chunk = &encoded.batch.columns[column].chunks[random.below(2)];
            let page = &chunk.pages[random.below(chunk.pages.len())];
            let at = page.at + random.below(page.len.clamp(1, 40));
            if let Some(byte) = encoded.bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        let leaves: Result<Vec<DecodedColumn>, _> = decoded(&encoded).into_iter().collect();
        let Ok(leaves) = leaves else { continue };
        if let Some(column) = assemble(&shape.data_type(), device().0.device(), leaves).unwrap() {
            // The lists that are read are within their elements.
            assert_eq!(rows_of(&on_host(&column), &shape).len(), 53);
        }
    }
}
