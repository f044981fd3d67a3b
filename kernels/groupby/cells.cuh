// Tables of very few groups, in which each thread has an accumulator for each step and group.
//
// Each block has a small table of groups in shared memory. Each thread has an accumulator, called a cell, for each step
// and each group of this table. A thread updates its cells without atomic operations: in shared memory, an atomic
// 64-bit addition would be a compare-and-swap loop. At its end, the block merges the cells of its threads into the
// global accumulators.
#pragma once

#include <gdf/item_bits.cuh>
#include <gdf/ordered.cuh>

#include "accumulate.cuh"

namespace groupby {

struct cell_plan {
  int32_t slots; // a power of two
  int32_t groups;
};

GDF_DEVICE u64 sign_word(u64 word) { return static_cast<u64>(static_cast<int64_t>(word) >> 63); }

template <int threads>
struct cell_table {
  u64* cells;       // per step, group and thread
  u64* word;        // per slot, the packed key
  u64* row;         // per group, a row that has its key
  uint32_t* id;     // per slot and for the two special slots, the group
  uint32_t* global; // per group, its number in the global table
  int32_t slots;
  int32_t groups;

  /// Divides `shared` into the arrays of the table. On the host, `CellTable::new` computes the number of bytes of these
  /// arrays.
  GDF_DEVICE cell_table(u64* shared, const cell_plan& plan, int steps) : slots(plan.slots), groups(plan.groups) {
    cells = shared;
    word = cells + int64_t{steps} * groups * threads;
    row = word + slots;
    id = reinterpret_cast<uint32_t*>(row + groups);
    global = id + slots + 2;
  }

  /// Returns the first word of shared memory behind the table.
  GDF_DEVICE u64* end() const { return reinterpret_cast<u64*>(id + ((slots + 2 + groups + 1) & ~1)); }

  GDF_DEVICE u64* cell(int step, int group) const { return cells + (step * groups + group) * threads; }

  GDF_DEVICE void clear(const steps& steps, uint32_t* count) const {
    for (int s = 0; s < steps.count; s++) {
      u64 const value = identity(steps.step[s].op);
      for (int g = 0; g < groups; g++) { cell(s, g)[threadIdx.x] = value; }
    }
    for (int i = static_cast<int>(threadIdx.x); i < slots + 2; i += threads) {
      if (i < slots) { word[i] = gdf::empty_word; }
      id[i] = gdf::no_id;
    }
    if (threadIdx.x == 0) { *count = 0; }
    __syncthreads();
  }

  GDF_DEVICE int slot_of(u64 packed) const {
    uint32_t const folded = static_cast<uint32_t>(packed ^ packed >> 32);
    return static_cast<int>(folded * 0x9e3779b1u >> 16) & (slots - 1);
  }

  /// [thread] Returns the group of a key. The function examines only the first slot of the key. If that slot has
  /// another key or no group yet, the result is no_id.
  GDF_DEVICE uint32_t find(u64 packed) const {
    int const at = slot_of(packed);
    u64 const found = static_cast<const volatile u64*>(word)[at];
    uint32_t const group = static_cast<const volatile uint32_t*>(id)[at];
    return found == packed ? group : gdf::no_id;
  }
};

/// [thread] Makes the group of a slot that the thread has claimed, and returns the group. The result is lost_id if the
/// table has no place for the group.
template <int threads>
GDF_DEVICE uint32_t publish(const cell_table<threads>& local, int at, int64_t row, uint32_t* count) {
  uint32_t group = atomicAdd(count, 1u);
  if (group < static_cast<uint32_t>(local.groups)) {
    local.row[group] = static_cast<u64>(row);
  } else {
    group = gdf::lost_id;
  }
  atomicExch(local.id + at, group); // other threads may read the number at the same time
  return group;
}

/// [thread] Returns the group of a key, and inserts a group for a new key. The function returns lost_id if the table
/// has no place for the group. The table is passed by value, so that the caller keeps it in registers.
template <int threads>
static __device__ __noinline__ uint32_t find_or_insert(const cell_table<threads> local, u64 packed, int special,
                                                       int64_t row, uint32_t* count) {
  auto const* const ids = static_cast<const volatile uint32_t*>(local.id);
  if (special != 0) {
    int const at = local.slots + special - 1;
    uint32_t found = ids[at];
    if (found == gdf::no_id) {
      found = atomicCAS(local.id + at, gdf::no_id, gdf::claimed_id);
      if (found == gdf::no_id) { return publish(local, at, row, count); }
    }
    while (found == gdf::claimed_id) { found = ids[at]; }
    return found;
  }
  int at = local.slot_of(packed);
  for (int probes = 0; probes < local.slots; probes++) {
    u64 found = static_cast<const volatile u64*>(local.word)[at];
    if (found == gdf::empty_word) {
      found = atomicCAS(local.word + at, gdf::empty_word, packed);
      if (found == gdf::empty_word) { return publish(local, at, row, count); }
    }
    if (found == packed) {
      uint32_t group = gdf::no_id;
      while (group == gdf::no_id) { group = ids[at]; }
      return group;
    }
    at = (at + 1) & (local.slots - 1);
  }
  return gdf::lost_id;
}

/// [thread] Returns the number of the group of a row in the global table. The result is at least lost_id if that table
/// has no place for the group.
GDF_DEVICE uint32_t global_group(const accumulation& in, int64_t row) {
  int64_t const one[1] = {row};
  bool const active[1] = {true};
  gdf::key_probe probe[1];
  gdf::make_probes<true>(in.keys, one, active, probe);
  return gdf::find_or_insert(in.table, probe[0], row, gdf::same_word<true>{in.keys, probe[0], row});
}

GDF_DEVICE void merge_value(const accumulation& in, int s, int64_t row, uint32_t group) {
  step const& step = in.steps.step[s];
  int64_t const one[1] = {row};
  bool active[1] = {true};
  u64 lo[1];
  u64 hi[1];
  load_values(in.values, nullptr, step, one, lo, hi, active);
  if (!active[0]) { return; }
  merge_atomic({in.values, step}, in.acc.words + step.word * in.acc.stride + group, in.acc.stride, lo[0], hi[0]);
}

static __device__ __noinline__ void merge_row(const accumulation& in, int64_t row) {
  uint32_t const group = global_group(in, row);
  if (group >= gdf::lost_id) { return; }
  for (int s = 0; s < in.steps.count; s++) { merge_value(in, s, row, group); }
}

/// [thread] Adds the sum of a cell and the value of a row to the global accumulators, and clears the cell.
static __device__ __noinline__ void merge_wide(const accumulation& in, int s, int64_t row, u64* cell) {
  uint32_t const group = global_group(in, row);
  if (group >= gdf::lost_id) { return; }
  merge_value(in, s, row, group);
  step const& step = in.steps.step[s];
  u64 const sum = *cell;
  merge_atomic({in.values, step}, in.acc.words + step.word * in.acc.stride + group, in.acc.stride, sum, sign_word(sum));
  *cell = 0;
}

/// [thread] Returns item `i`. A subscript that is not a constant would move the array to local memory.
template <class T, int items>
GDF_DEVICE T item_of(const T (&of)[items], int i) {
  T result = of[0];
#pragma unroll
  for (int k = 1; k < items; k++) { result = k == i ? of[k] : result; }
  return result;
}

/// The rows of a thread: item i is the row base + 32 i + lane.
template <int items>
struct tile_rows {
  int64_t base;
  int64_t count;
  bool dense; // whether the values of all rows are loaded: all rows of the warp exist, and enough of them are wanted

  GDF_DEVICE int64_t row(int i) const { return base + 32 * i + gdf::lane(); }

  /// [thread] Loads the values of the `wanted` items. Other items get unspecified values.
  template <class T>
  GDF_DEVICE void load(const gdf::column_in& column, uint32_t wanted, T (&value)[items]) const {
    auto const* const first = static_cast<const T*>(column.data) + column.offset + row(0);
    if (dense) {
#pragma unroll
      for (int i = 0; i < items; i++) { value[i] = gdf::load(first + 32 * i); }
      return;
    }
#pragma unroll
    for (int i = 0; i < items; i++) { value[i] = (wanted >> i & 1) != 0 ? gdf::load(first + 32 * i) : T{}; }
  }
};

/// [thread] Loads the `wanted` values of a column of numbers of up to 64 bits, zero extended. Other items get
/// unspecified values.
template <int items>
GDF_DEVICE void load_raw(const gdf::column_in& column, const tile_rows<items>& rows, uint32_t wanted, u64 (&value)[items]) {
  auto const load = [&]<class T>() {
    T stored[items];
    rows.load(column, wanted, stored);
#pragma unroll
    for (int i = 0; i < items; i++) { value[i] = stored[i]; }
  };
  switch (gdf::width_of(column.type)) {
    case 1: load.template operator()<uint8_t>(); break;
    case 2: load.template operator()<uint16_t>(); break;
    case 4: load.template operator()<uint32_t>(); break;
    default: load.template operator()<u64>(); break;
  }
}

/// [warp] Packs the keys of the `wanted` rows. Rows that take no part are removed from `wanted`.
template <int items>
GDF_DEVICE void pack_keys(const gdf::row_keys& keys, const tile_rows<items>& rows, uint32_t& wanted, uint32_t& nulls,
                          u64 (&packed)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) { packed[i] = 0; }
  for (int c = 0; c < keys.rows.count; c++) {
    gdf::column_in const& column = keys.rows.column[c];
    bool const ranged = (keys.ranged >> c & 1) != 0;
    int const shift = keys.shift[c];
    uint32_t valid = ~0u;
    if (column.validity != nullptr) {
      valid = gdf::valid_items<items>(column, rows.base, rows.count);
      if (keys.exclude != 0) {
        wanted &= valid;
      } else if (keys.special_null) {
        nulls |= ~valid;
      }
    }
    if (column.type == static_cast<int32_t>(gdf::type::boolean)) {
      uint32_t const truth = gdf::boolean_items<items>(column, rows.base, rows.count) & valid;
      u64 const base = ranged ? keys.base[c] : 0;
#pragma unroll
      for (int i = 0; i < items; i++) {
        if ((valid >> i & 1) != 0) { packed[i] |= ((truth >> i & 1) - base) << shift; }
      }
    } else {
      u64 value[items];
      load_raw(column, rows, wanted & valid, value);
      auto const type = static_cast<gdf::type>(column.type);
      if (type == gdf::type::f16 || type == gdf::type::f32 || type == gdf::type::f64) {
#pragma unroll
        for (int i = 0; i < items; i++) {
          u64 bits = gdf::canonical_bits(column.type, value[i]);
          if (ranged) { bits = gdf::order_of_bits(column.type, bits) - keys.base[c]; }
          packed[i] |= (valid >> i & 1) != 0 ? bits << shift : 0;
        }
      } else {
        // The sign bit is 0 if the type is unsigned.
        u64 const sign = ranged ? gdf::order_of_bits(column.type, 0) : 0;
        u64 const base = ranged ? keys.base[c] : 0;
#pragma unroll
        for (int i = 0; i < items; i++) { packed[i] |= (valid >> i & 1) != 0 ? ((value[i] ^ sign) - base) << shift : 0; }
      }
    }
    if (valid != ~0u && keys.exclude == 0 && !keys.special_null && keys.null_bit[c] != gdf::no_bit) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        packed[i] |= static_cast<u64>(~valid >> i & 1) << keys.null_bit[c];
      }
    }
  }
}

/// [thread] Converts numbers of a type of up to 64 bits to the input of a step.
template <int items>
GDF_DEVICE void convert_values(const step& step, int32_t type_code, u64 (&value)[items]) {
  auto const type = static_cast<gdf::type>(type_code);
  auto const each = [&](auto&& f) {
#pragma unroll
    for (int i = 0; i < items; i++) { value[i] = f(value[i]); }
  };
  auto const as_integers = [&] {
    switch (type) {
      case gdf::type::i8: each([](u64 bits) { return static_cast<u64>(int64_t{static_cast<int8_t>(bits)}); }); break;
      case gdf::type::i16: each([](u64 bits) { return static_cast<u64>(int64_t{static_cast<int16_t>(bits)}); }); break;
      case gdf::type::i32: each([](u64 bits) { return static_cast<u64>(int64_t{static_cast<int32_t>(bits)}); }); break;
      default: break; // the numbers have 64 bits, or are unsigned
    }
  };
  auto const as_doubles = [&] {
    switch (type) {
      case gdf::type::f64: break;
      case gdf::type::f32:
        each([](u64 bits) { return bits_of_double(__uint_as_float(static_cast<uint32_t>(bits))); });
        break;
      case gdf::type::u64: each([](u64 bits) { return bits_of_double(static_cast<double>(bits)); }); break;
      default:
        as_integers();
        each([](u64 bits) { return bits_of_double(static_cast<double>(static_cast<int64_t>(bits))); });
        break;
    }
  };
  switch (static_cast<accumulator_input>(step.input)) {
    case integer:
    case groupby::wide: as_integers(); break;
    case integer_square:
      as_integers();
      each([](u64 bits) { return bits * bits; });
      break;
    case number: as_doubles(); break;
    case number_square:
      as_doubles();
      each([](u64 bits) { return bits_of_double(__dmul_rn(double_of_bits(bits), double_of_bits(bits))); });
      break;
    case order: each([&](u64 bits) { return gdf::order_of_bits(type_code, bits); }); break;
    case one:
    case row_number:
    case wide_square:
    default: gdf::unreachable_code(); // steps without a value, and steps that have no cells
  }
}

/// [thread] Loads the values that a step accumulates, as 64 bits, for the `wanted` rows. `wide` gets a bit for each row
/// whose value has more bits.
template <int items>
GDF_DEVICE void load_step(const step& step, const gdf::column_in& column, const tile_rows<items>& rows, uint32_t wanted,
                          u64 (&value)[items], uint32_t& wide) {
  if (column.type == static_cast<int32_t>(gdf::type::i128)) { // only steps of 128-bit sums read such a column
    gdf::i128 stored[items];
    rows.load(column, wanted, stored);
#pragma unroll
    for (int i = 0; i < items; i++) {
      value[i] = static_cast<u64>(stored[i]);
      auto const high = static_cast<u64>(static_cast<gdf::u128>(stored[i]) >> 64);
      wide |= (high != sign_word(value[i]) ? 1u : 0u) << i;
    }
    return;
  }
  load_raw(column, rows, wanted, value);
  convert_values(step, column.type, value);
}

/// [thread] Merges values into the thread's cells. The function returns a bit for each item whose sum needs more than
/// 64 bits. Such an item is not merged.
template <int items>
GDF_DEVICE uint32_t merge_cells(const step& step, u64* first, uint32_t wanted, const uint32_t (&cell)[items],
                                const u64 (&value)[items]) {
  auto const each = [&](auto&& merged) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      if ((wanted >> i & 1) != 0) {
        u64 const old = first[cell[i]];
        first[cell[i]] = merged(old, value[i]);
      }
    }
  };
  uint32_t wide = 0;
  switch (static_cast<combine_op>(step.op)) {
    case add: each([](u64 sum, u64 v) { return sum + v; }); break;
    case add_f64:
      each([](u64 sum, u64 v) { return bits_of_double(double_of_bits(sum) + double_of_bits(v)); });
      break;
    case minimum: each([](u64 low, u64 v) { return v < low ? v : low; }); break;
    case maximum: each([](u64 most, u64 v) { return v > most ? v : most; }); break;
    case add_i128:
#pragma unroll
      for (int i = 0; i < items; i++) {
        if ((wanted >> i & 1) != 0) {
          u64 const sum = first[cell[i]];
          u64 const next = sum + value[i];
          bool const overflows = static_cast<int64_t>((sum ^ next) & (value[i] ^ next)) < 0;
          first[cell[i]] = overflows ? sum : next;
          wide |= (overflows ? 1u : 0u) << i;
        }
      }
      break;
    case multiply:
    case multiply_f64:
    case argmin:
    case argmax:
    default: gdf::unreachable_code(); // `CellTable::new` plans no cells for these operations
  }
  return wide;
}

/// [warp] Finds the cells of the `wanted` rows, which are their positions among the cells of a step. Rows that take no
/// part are removed from `wanted`. Rows whose group has no place in the table move from `wanted` to `lost`.
template <int threads, int items>
GDF_DEVICE void find_cells(const accumulation& in, const cell_table<threads>& local, const tile_rows<items>& rows,
                           uint32_t* count, uint32_t& wanted, uint32_t& lost, uint32_t (&cell)[items]) {
  u64 packed[items];
  uint32_t nulls = 0;
  pack_keys(in.keys, rows, wanted, nulls, packed);
  uint32_t missed = 0;
#pragma unroll
  for (int i = 0; i < items; i++) {
    cell[i] = local.find(packed[i]);
    bool const is_special = (nulls >> i & 1) != 0 || packed[i] == gdf::empty_word;
    missed |= (is_special || cell[i] >= gdf::lost_id ? 1u : 0u) << i;
  }
  missed &= wanted;
  lost = 0;
  while (missed != 0) {
    int const i = __ffs(static_cast<int>(missed)) - 1;
    missed &= missed - 1;
    u64 const key = item_of(packed, i);
    int const special = (nulls >> i & 1) != 0 ? 2 : key == gdf::empty_word ? 1 : 0;
    uint32_t const group = find_or_insert(local, key, special, rows.row(i), count);
#pragma unroll
    for (int k = 0; k < items; k++) { cell[k] = k == i ? group : cell[k]; }
    if (group == gdf::lost_id) { lost |= 1u << i; }
  }
  wanted &= ~lost;
  __syncwarp();
#pragma unroll
  for (int i = 0; i < items; i++) { cell[i] = cell[i] * threads + threadIdx.x; }
}

/// [warp] Merges the values of a column, or a count of rows, into the cells of step `s`.
template <int threads, int items>
GDF_DEVICE void merge_step(const accumulation& in, const cell_table<threads>& local, const tile_rows<items>& rows, int s,
                           uint32_t wanted, const uint32_t (&cell)[items]) {
  step const& step = in.steps.step[s];
  uint32_t here = wanted;
  uint32_t wide = 0;
  u64 value[items];
  if (step.column >= 0 && in.values.column[step.column].validity != nullptr) {
    here &= gdf::valid_items<items>(in.values.column[step.column], rows.base, rows.count);
  }
  if (step.input == one) {
#pragma unroll
    for (int i = 0; i < items; i++) { value[i] = 1; }
  } else {
    load_step(step, in.values.column[step.column], rows, here, value, wide);
  }
  wide |= merge_cells(step, local.cell(s, 0), here & ~wide, cell, value);
  for (uint32_t rest = wide & here; rest != 0; rest &= rest - 1) {
    int const i = __ffs(static_cast<int>(rest)) - 1;
    merge_wide(in, s, rows.row(i), local.cell(s, 0) + item_of(cell, i));
  }
  __syncwarp();
}

template <int threads>
GDF_DEVICE void flush_cells(const accumulation& in, const cell_table<threads>& local, uint32_t count) {
  int const groups = count < static_cast<uint32_t>(local.groups) ? static_cast<int>(count) : local.groups;
  for (int g = static_cast<int>(threadIdx.x); g < groups; g += threads) {
    local.global[g] = global_group(in, static_cast<int64_t>(local.row[g]));
  }
  __syncthreads();
  for (int of = gdf::warp(); of < in.steps.count * groups; of += threads / 32) {
    int const group = of % groups;
    int const s = of / groups;
    step const& step = in.steps.step[s];
    context const at{in.values, step};
    bool const is_wide = step.op == add_i128;
    u64 lo = identity(step.op);
    u64 hi = 0;
    for (int t = gdf::lane(); t < threads; t += 32) {
      u64 const value = local.cell(s, group)[t];
      merge(at, lo, hi, value, is_wide ? sign_word(value) : 0);
    }
    for (int distance = 16; distance > 0; distance >>= 1) {
      u64 const lo2 = __shfl_xor_sync(~0u, lo, distance);
      u64 const hi2 = __shfl_xor_sync(~0u, hi, distance);
      merge(at, lo, hi, lo2, hi2);
    }
    uint32_t const id = local.global[group];
    if (gdf::lane() == 0 && id < gdf::lost_id) {
      merge_atomic(at, in.acc.words + step.word * in.acc.stride + id, in.acc.stride, lo, hi);
    }
  }
}

} // namespace groupby
