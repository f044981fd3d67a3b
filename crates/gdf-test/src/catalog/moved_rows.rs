//! What the entries that move rows of whole tables share: tables of every type, and what moving them costs.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Fields};
use gdf_core::{Column, Result, Table};

use super::Cost;
use crate::data::{self, NullPattern, random_array};
use crate::value::to_values;

/// Columns that one launch takes.
const LAUNCH: u64 = 32;

/// All types whose rows can be moved.
pub(super) fn types() -> Vec<DataType> {
    let dictionary = |keys, values| DataType::Dictionary(Box::new(keys), Box::new(values));
    let others = vec![
        DataType::Utf8View,
        DataType::BinaryView,
        DataType::FixedSizeBinary(100),
        dictionary(DataType::Int8, DataType::Utf8),
        dictionary(DataType::UInt32, DataType::Int64),
    ];
    [data::fixed_width(), data::strings(), others].concat()
}

/// A few types that stand for all ways of moving, strings last.
pub(super) const FEW: [DataType; 6] = [
    DataType::Int32,
    DataType::Float64,
    DataType::Boolean,
    DataType::Decimal128(38, 10),
    DataType::FixedSizeBinary(5),
    DataType::Utf8,
];

/// A struct of a struct, a string and a boolean.
pub(super) fn nested() -> DataType {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let inner = DataType::Struct(Fields::from(vec![
        field("number", DataType::Int64),
        field("text", DataType::Utf8),
        field("flag", DataType::Boolean),
    ]));
    DataType::Struct(Fields::from(vec![field("inner", inner), field("bytes", DataType::LargeBinary)]))
}

pub(super) fn table(types: &[DataType], rows: usize, nulls: NullPattern, seed: u64) -> Vec<ArrayRef> {
    let columns = types.iter().zip(seed..);
    columns.map(|(data_type, seed)| random_array(data_type, rows, nulls, seed)).collect()
}

/// Some columns as a table, and the one behind them.
pub(super) fn split(inputs: &[Column]) -> Result<(Table, &Column)> {
    let (last, columns) = inputs.split_last().ok_or(gdf_core::Error::ColumnCount { expected: 1, found: 0 })?;
    Ok((Table::try_with_rows(columns.to_vec(), columns.first().map_or(0, Column::len))?, last))
}

/// What is moved of a column or field: see `gdf_detail`'s leaves.
pub(super) struct Leaf {
    array: ArrayRef,
    pub(super) nullable: bool,
}

impl Leaf {
    /// All leaves of some columns.
    pub(super) fn all(columns: &[ArrayRef]) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        columns.iter().for_each(|column| Leaf::flatten(column, false, &mut leaves));
        leaves
    }

    fn flatten(array: &ArrayRef, parent: bool, leaves: &mut Vec<Leaf>) {
        let nullable = parent || array.nulls().is_some();
        leaves.push(Leaf { array: array.clone(), nullable });
        if let Some(fields) = array.as_struct_opt() {
            fields.columns().iter().for_each(|field| Leaf::flatten(field, nullable, leaves));
        }
    }

    pub(super) fn is_string(&self) -> bool {
        data::strings().contains(self.array.data_type())
    }

    fn has_values(&self) -> bool {
        !matches!(self.array.data_type(), DataType::Null | DataType::Struct(_))
    }

    /// Whether something is moved: not for null columns, nor for structs without a mask.
    pub(super) fn has_work(&self, nullable: bool) -> bool {
        self.has_values() || (nullable && *self.array.data_type() != DataType::Null)
    }

    fn bytes(&self) -> usize {
        to_values(&self.array).iter().flatten().filter_map(|value| value.as_bytes()).map(<[u8]>::len).sum()
    }

    /// Whether so many rows of characters fit the room that is given by a guess, if they are `moved`.
    pub(super) fn fits(&self, moved: &Leaf, rows: usize) -> bool {
        let guess = self.bytes() * rows / self.array.len().max(1);
        moved.bytes() <= guess + guess / 4 + 4096
    }

    /// Allocations of a result that has room for what is guessed.
    pub(super) fn allocations_of_guess(&self, rows: usize, nullable: bool) -> u64 {
        self.allocations(self, rows, nullable) + u64::from(self.is_string() && self.bytes() == 0)
    }

    /// Allocations of the result, of which `moved` is what there has to be and which has room for `rows` rows.
    pub(super) fn allocations(&self, moved: &Leaf, rows: usize, nullable: bool) -> u64 {
        let values = match (self.is_string(), self.has_values()) {
            (true, _) => 1 + u64::from(moved.bytes() > 0),
            (_, true) => u64::from(rows > 0),
            _ => 0,
        };
        values + u64::from(nullable && *self.array.data_type() != DataType::Null)
    }
}

/// Launches that move all leaves.
pub(super) fn launches(leaves: &[Leaf]) -> u64 {
    let data = leaves.iter().filter(|leaf| *leaf.array.data_type() != DataType::Null);
    (data.count() as u64).div_ceil(LAUNCH)
}

/// Launches, each with a wait, that measure strings, when `reserved` more things are measured.
pub(super) fn measuring(leaves: &[Leaf], reserved: usize) -> u64 {
    let strings = leaves.iter().filter(|leaf| leaf.is_string());
    ((reserved + strings.count()) as u64).div_ceil(LAUNCH)
}

/// What a table without rows costs: its offsets.
pub(super) fn nothing(leaves: &[Leaf]) -> Cost {
    Cost { allocations: leaves.iter().filter(|leaf| leaf.is_string()).count() as u64, ..Cost::default() }
}
