// Columns with lists, for operations that copy rows.
//
// A *level* is a space of row numbers. Level 0 has the rows of the columns. Each list column and each text column has a
// level of its own, whose rows are the elements of all its lists, or the bytes of all its texts. A range of rows of one
// level is also one range of rows of each level below it, because the elements of neighboring lists are neighbors. The
// first kernel finds these ranges at every level at once (nested_ranges.cu), and the second kernel copies the ranges of
// all columns at once (copy_nested.cu). A list of a fixed size has no level: its elements are `scale` rows per row.
#pragma once

#include <gdf/index.cuh>
#include <gdf/policy.cuh>

namespace nested {

/// The begin of a range is the number of its table above these bits, and a row of the level in these bits. A range
/// without rows of any table has a negative begin.
constexpr int table_shift = 48;
constexpr int64_t no_rows = -1;

GDF_DEVICE int table_of(int64_t begin) { return static_cast<int>(begin >> table_shift); }
GDF_DEVICE int64_t row_in_table(int64_t begin) { return begin & ((int64_t{1} << table_shift) - 1); }
GDF_DEVICE int64_t begin_of(int table, int64_t row) { return int64_t{table} << table_shift | row; }

/// A level below the level of the rows.
struct level {
  int32_t node;   // the list column or text column whose elements or bytes are the rows of the level
  int32_t above;  // the level of the lists or texts
  int64_t scale;  // the number of lists or texts per row of the level above
  int32_t masked; // whether each range above is one row, and null rows have no elements
  int32_t sizes;  // the number of the array of the sizes of the ranges, or 0 if there is no level below
};
GDF_SHARED(level);

/// What a block copies. A positive number is the width of the values in bytes: 1, 2, 4 or 8.
enum part_kind : int32_t {
  bits = 0,          // the values of a boolean node
  validity = -1,     // the mask of a node
  row_validity = -2, // the mask of a node of level 0, with the nulls of the structs around it
  offsets = -3,      // the offsets of a node
};

/// A part of a node that one column of the grid copies.
struct part {
  int64_t count; // the number of values, of bits, or of offsets without the first one
  int64_t scale; // the number of them per row of the level
  int32_t node;
  int32_t kind;
  int32_t level;
  int32_t below; // offsets: the level of the elements; values: the number of values per row of the node, 0 for bytes
};
GDF_SHARED(part);

/// The ranges of all levels, in arrays of `count` numbers. Level 0 has an array of begins, and each other level has an
/// array of begins and an array of ends. The end of a range is the number of rows that the result has at the level up
/// to and including the range. Arrays of sizes follow.
struct level_ranges {
  long long* numbers;
  int64_t count;

  GDF_DEVICE long long* begins(int level) const { return numbers + (level == 0 ? 0 : 2 * level - 1) * count; }
  GDF_DEVICE long long* ends(int level) const { return numbers + 2 * level * count; }
  GDF_DEVICE long long* array(int array) const { return numbers + array * count; }
};

/// The nodes of the columns. A node is a column, a field of a struct, or the elements of lists. Node n of table t is
/// in[t * count + n]. The `length` of a node with a level is the number of its elements or bytes. parent[n] is the node
/// of the struct around node n of level 0, or -1.
struct nodes {
  const gdf::column_in* in;
  const int32_t* parent;
  int64_t count;

  GDF_DEVICE const gdf::column_in& at(int table, int node) const { return in[table * count + node]; }
};

/// [thread] Returns whether a row of level 0 is valid in a node and in all structs around the node.
GDF_DEVICE bool is_row_valid(const nodes& all, int table, int node, int64_t row) {
  for (int n = node; n >= 0; n = __ldg(all.parent + n)) {
    if (!gdf::is_valid(all.at(table, n), row)) { return false; }
  }
  return true;
}

} // namespace nested
