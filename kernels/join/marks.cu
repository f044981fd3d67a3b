// join: writes a bit for each row that has a match, in one launch without waits. Rows are independent of each other, so
// that the loads of many rows are in flight together.

#include "key.cuh"

GDF_POLICY(join_marks, 256, 8, 4);
GDF_POLICY(join_set_bits, 256, 8, 4);

namespace join {

/// [thread] Returns a bit for each of the rows `first_row + 32 i` that has a match.
template <int items>
GDF_DEVICE uint32_t matches_of(const lookup& in, const gdf::key_layout& layout, const plain_keys& plain, int64_t first_row,
                               uint32_t used) {
  int64_t row[items];
  bool active[items];
#pragma unroll
  for (int i = 0; i < items; i++) {
    row[i] = first_row + 32 * i;
    active[i] = used >> i & 1;
  }
  uint32_t start[items];
  uint32_t position[items];
  uint32_t found = 0;
  if (plain.data != nullptr) {
    plain.find(row, active, position);
  } else if (layout.entries != 0) {
    find_entries(in.keys, in.table, layout, row, active, position);
  } else {
    uint32_t count[items];
    look_up<true>(in.keys, in.keys.rows, in.table, layout, row, active, start, count);
#pragma unroll
    for (int i = 0; i < items; i++) { found |= static_cast<uint32_t>(active[i] && start[i] != no_match) << i; }
    return found;
  }
  if (layout.marked) {
    drop_absent(in.table.present, position);
#pragma unroll
    for (int i = 0; i < items; i++) { found |= static_cast<uint32_t>(position[i] != gdf::no_position) << i; }
    return found;
  }
  uint32_t count[items];
  look_up_entries(in.table, layout, position, start, count);
#pragma unroll
  for (int i = 0; i < items; i++) { found |= static_cast<uint32_t>(start[i] != no_match) << i; }
  return found;
}

/// [thread] Does the same as matches_of, for keys with a bit for each value.
template <int items>
GDF_DEVICE uint32_t matches_of_bits(const plain_keys& keys, const key_bits& bits, int64_t first_row, uint32_t used) {
  int64_t row[items];
  bool active[items];
  uint32_t position[items];
#pragma unroll
  for (int i = 0; i < items; i++) {
    row[i] = first_row + 32 * i;
    active[i] = used >> i & 1;
  }
  keys.find(row, active, position);
  drop_absent(bits.words, position);
  uint32_t found = 0;
#pragma unroll
  for (int i = 0; i < items; i++) { found |= static_cast<uint32_t>(position[i] != gdf::no_position) << i; }
  return found;
}

} // namespace join

/// Writes for each row whether the row is selected and has a match. For kind `anti`, the kernel writes whether the row
/// is selected and has no match. Keys are packed. `out` is boolean and has a row for each row of the keys.
extern "C" __global__ void GDF_BOUNDS(join_marks)
join_marks_kernel(const __grid_constant__ join::lookup in, const __grid_constant__ join::key_bits bits,
                  const __grid_constant__ join::selected_rows selected, const __grid_constant__ gdf::column_out out) {
  using namespace join;
  constexpr int threads = join_marks_tuning::threads;
  constexpr int items = join_marks_tuning::items;
  constexpr int batch = 4;
  gdf::key_layout const layout(in.table);
  plain_keys const plain(in.keys, in.table, layout);
  plain_keys const of_bits(in.keys, bits.words != nullptr ? in.keys.rows.column[0].type : -1, bits.low, bits.count);
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    uint32_t const used = selected.bits<items>(base, out.length);
    uint32_t found = 0;
    if (of_bits.data != nullptr) {
      found = matches_of_bits<items>(of_bits, bits, base + gdf::lane(), used);
    } else if (plain.data != nullptr) {
      found = matches_of<items>(in, layout, plain, base + gdf::lane(), used);
    } else {
#pragma unroll 1
      for (int b = 0; b < items; b += batch) {
        found |= matches_of<batch>(in, layout, plain, base + gdf::lane() + 32 * b, used >> b & ((1u << batch) - 1)) << b;
      }
    }
    uint32_t const result = in.kind == anti ? used & ~found : found;
    gdf::store_bits<items>(out, base, gdf::collect<items>([&](int i) { return (result >> i & 1) != 0; }));
  });
}

/// Sets a bit for each key that is not null. The number of the bit is the order number of the key minus `low`. Keys
/// without one of the `count` bits are skipped. `bits` is zero before.
extern "C" __global__ void GDF_BOUNDS(join_set_bits)
join_set_bits_kernel(const __grid_constant__ gdf::column_in keys, gdf::u64 low, gdf::u64 count, uint32_t* bits) {
  constexpr int threads = join_set_bits_tuning::threads;
  constexpr int items = join_set_bits_tuning::items;
  gdf::for_each_tile<threads, items>(keys.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first) + gdf::lane();
    int64_t row[items];
    bool active[items];
    gdf::u64 value[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      row[i] = base + 32 * i;
      active[i] = row[i] < keys.length && gdf::is_valid(keys, row[i]);
    }
    gdf::load_bits(keys, row, active, value);
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (!active[i]) { continue; }
      gdf::u64 const at = gdf::order_of_bits(keys.type, value[i]) - low;
      if (at < count) { atomicOr(bits + (at >> 5), 1u << (at & 31)); }
    }
  });
}
