// The accumulators of a group-by: their operations, their values as bits, and the functions that merge two
// accumulators, within a thread or between threads.
#pragma once

#include <gdf/grid.cuh>
#include <gdf/group_table.cuh>
#include <gdf/half.cuh>
#include <gdf/invalid_code.cuh>
#include <gdf/last_block.cuh>
#include <gdf/move_strings.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

GDF_POLICY(aggregate, 512, 2, 2);
GDF_POLICY(aggregate_few, 256, 1, 4);
GDF_POLICY(aggregate_many, 256, 2, 4);
GDF_POLICY(aggregate_parts, 256, 4, 3);
GDF_POLICY(aggregate_init, 256, 8, 8);
GDF_POLICY(aggregate_finish, 256, 8, 3);

namespace groupby {

using gdf::u64;

using tuning = aggregate_tuning;
constexpr int threads = tuning::threads;
constexpr int items = tuning::items;
constexpr int value_columns = 16;
constexpr int max_steps = 32;
constexpr int max_partitioned_values = 8;

/// The operation that merges two accumulators.
enum combine_op : int32_t {
  add = 0,       // 64-bit integers, wrapping
  add_f64 = 1,
  add_i128 = 2,  // two words, the lower first
  minimum = 3, // 64-bit unsigned integers
  maximum = 4,
  multiply = 5,  // 64-bit integers, wrapping
  multiply_f64 = 6,
  argmin = 7,    // row numbers: the row with the smallest value, the first of several such rows
  argmax = 8,
};

enum accumulator_input : int16_t {
  one = 0,
  integer = 1,      // 64 bits, sign-extended if the type is signed
  number = 2,       // f64
  order = 3, // the order number (order_of_bits)
  wide = 4,         // i128, sign extended
  integer_square = 5,
  number_square = 6,
  row_number = 7,
  wide_square = 8,  // i128, wrapping
};

/// A step of an accumulation. It merges the values of a column that are not null into a word of the accumulators. If
/// the step reads no column, `column` is -1.
struct step {
  int32_t op;
  int16_t column;
  int16_t input;
  int32_t word;  // word of the global accumulators
  int32_t local; // word of the accumulators in shared memory
};
static_assert(sizeof(step) == 16);

struct steps {
  step step[max_steps];
  int32_t count;
  int32_t local_words;
};

/// The sizes of the hash table that a block keeps in shared memory.
struct local_plan {
  int32_t slots;  // a power of two
  int32_t groups;
  int32_t copies; // copies of the accumulators, a power of two up to 32
  int32_t keep;   // not 0: a few groups have most rows, so the block keeps its table even if there are more groups
};

struct accumulators {
  unsigned long long* words; // word w of group g is words[w * stride + g]
  int64_t stride;
  const uint32_t* keys; // of dense keys: the key of each group, whose words are words[w * stride + key]; otherwise null
};

struct accumulation {
  gdf::row_keys keys;
  gdf::row_table<value_columns> values;
  groupby::steps steps;
  gdf::row_count rows;
  gdf::group_table table;
  accumulators acc;
};

/// Values that partition.cu has ordered by partition. Kernels read them instead of the columns.
struct partitioned_values {
  const void* data[max_partitioned_values];
  const uint8_t* valid; // per row, a validity bit for each column; if the pointer is null, all values are valid
};

/// [thread] Computes the probes of packed keys. The code branches on the type of a key column only once for all rows.
template <int items>
GDF_DEVICE void packed_probes(const gdf::row_keys& keys, const int64_t (&row)[items],
                              const bool (&active)[items], gdf::key_probe (&probe)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) { probe[i] = {0, 0, 0, active[i]}; }
  for (int c = 0; c < keys.rows.count; c++) {
    gdf::column_in const& column = keys.rows.column[c];
    u64 bits[items];
    gdf::load_bits(column, row, active, bits);
    auto const type = static_cast<gdf::type>(column.type);
    bool const ranged = keys.ranged >> c & 1;
    if (type == gdf::type::f16 || type == gdf::type::f32 || type == gdf::type::f64) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        bits[i] = gdf::canonical_bits(column.type, bits[i]);
        if (ranged) { bits[i] = gdf::order_of_bits(column.type, bits[i]) - keys.base[c]; }
      }
    } else if (ranged) {
      u64 const sign = gdf::order_of_bits(column.type, 0); // the sign bit, or 0 if the type is unsigned
#pragma unroll
      for (int i = 0; i < items; i++) { bits[i] = (bits[i] ^ sign) - keys.base[c]; }
    }
    if (column.validity == nullptr) {
#pragma unroll
      for (int i = 0; i < items; i++) { probe[i].word |= bits[i] << keys.shift[c]; }
      continue;
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (!active[i] || gdf::is_valid(column, row[i])) {
        probe[i].word |= bits[i] << keys.shift[c];
      } else if (keys.exclude != 0) {
        probe[i].used = false;
      } else if (keys.special_null) {
        probe[i].special = 2;
      } else if (keys.null_bit[c] != gdf::no_bit) {
        probe[i].word |= 1ull << keys.null_bit[c];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < items; i++) {
    if (probe[i].word == gdf::empty_word) { probe[i].special = 1; }
    probe[i].hash = gdf::mix64(probe[i].word);
  }
}

/// [thread] Does the same as gdf::make_probes, but packs keys by packed_probes.
template <bool packed, int items>
GDF_DEVICE void key_probes(const gdf::row_keys& keys, const int64_t (&row)[items],
                            const bool (&active)[items], gdf::key_probe (&probe)[items]) {
  if constexpr (!packed) {
    gdf::make_probes<packed>(keys, row, active, probe);
  } else {
    packed_probes(keys, row, active, probe);
  }
}

/// [thread] Loads the packed keys of rows of integer columns. All of these keys are below 2^32. Rows with an excluded
/// null become inactive.
template <int items>
GDF_DEVICE void dense_keys(const gdf::row_keys& keys, const int64_t (&row)[items], bool (&wanted)[items],
                           uint32_t (&key)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) { key[i] = 0; }
  for (int c = 0; c < keys.rows.count; c++) {
    gdf::column_in const& column = keys.rows.column[c];
    u64 bits[items];
    gdf::load_bits(column, row, wanted, bits);
    // The keys are computed as in packed_probes, but in 32 bits.
    auto const sign = static_cast<uint32_t>(gdf::order_of_bits(column.type, 0));
    auto const base = static_cast<uint32_t>(keys.base[c]);
    if (column.validity == nullptr) {
#pragma unroll
      for (int i = 0; i < items; i++) { key[i] |= ((static_cast<uint32_t>(bits[i]) ^ sign) - base) << keys.shift[c]; }
      continue;
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (!wanted[i] || gdf::is_valid(column, row[i])) {
        key[i] |= ((static_cast<uint32_t>(bits[i]) ^ sign) - base) << keys.shift[c];
      } else if (keys.exclude != 0) {
        wanted[i] = false;
      } else {
        key[i] |= 1u << keys.null_bit[c];
      }
    }
  }
}

GDF_DEVICE int64_t as_integer(int32_t number, u64 bits) {
  switch (static_cast<gdf::type>(number)) {
    case gdf::type::i8: return static_cast<int8_t>(bits);
    case gdf::type::i16: return static_cast<int16_t>(bits);
    case gdf::type::i32: return static_cast<int32_t>(bits);
    default: return static_cast<int64_t>(bits);
  }
}

GDF_DEVICE double as_double(int32_t number, u64 bits) {
  switch (static_cast<gdf::type>(number)) {
    case gdf::type::f16:
      return __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
    case gdf::type::f32: return __uint_as_float(static_cast<uint32_t>(bits));
    case gdf::type::f64: return __longlong_as_double(static_cast<long long>(bits));
    case gdf::type::u64: return static_cast<double>(bits);
    default: return static_cast<double>(as_integer(number, bits));
  }
}

GDF_DEVICE u64 bits_of_double(double value) {
  return static_cast<u64>(__double_as_longlong(value));
}

GDF_DEVICE double double_of_bits(u64 bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

GDF_DEVICE u64 identity(int32_t op) {
  switch (op) {
    case minimum:
    case argmin:
    case argmax: return ~0ull; // the value no_row
    case multiply: return 1;
    case multiply_f64: return 0x3ff0000000000000ull;
    case add:
    case add_f64:
    case add_i128:
    case maximum: return 0;
    default: return gdf::invalid_code<u64>();
  }
}

/// [thread] Returns whether row `a` comes before row `b` in the order of argmin or argmax.
static __device__ __noinline__ bool comes_first(const gdf::column_in& column, int64_t bytes, bool smallest,
                                                u64 a, u64 b) {
  if (b == gdf::no_row) { return a != gdf::no_row; }
  if (a == gdf::no_row) { return false; }
  int const order =
    gdf::compare_values(column, static_cast<int64_t>(a), static_cast<int64_t>(b), bytes);
  return order == 0 ? a < b : (order < 0) == smallest;
}

/// The step, and all columns of values.
struct context {
  gdf::row_table<value_columns> const& values;
  step const& step;

  GDF_DEVICE bool prefers(u64 a, u64 b) const {
    return comes_first(values.column[step.column], values.bytes[step.column],
                       step.op == argmin, a, b);
  }
};

template <int32_t op>
GDF_DEVICE void merge_by(const context& at, u64& lo, u64& hi, u64 lo2, u64 hi2) {
  if constexpr (op == add) {
    lo += lo2;
  } else if constexpr (op == add_f64) {
    lo = bits_of_double(double_of_bits(lo) + double_of_bits(lo2));
  } else if constexpr (op == add_i128) {
    lo += lo2;
    hi += hi2 + (lo < lo2 ? 1 : 0);
  } else if constexpr (op == minimum) {
    lo = lo2 < lo ? lo2 : lo;
  } else if constexpr (op == maximum) {
    lo = lo2 > lo ? lo2 : lo;
  } else if constexpr (op == multiply) {
    lo *= lo2;
  } else if constexpr (op == multiply_f64) {
    lo = bits_of_double(double_of_bits(lo) * double_of_bits(lo2));
  } else {
    static_assert(op == argmin || op == argmax);
    if (at.prefers(lo2, lo)) { lo = lo2; }
  }
}

GDF_DEVICE void merge(const context& at, u64& lo, u64& hi, u64 lo2, u64 hi2) {
  switch (static_cast<combine_op>(at.step.op)) {
    case add: merge_by<add>(at, lo, hi, lo2, hi2); break;
    case add_f64: merge_by<add_f64>(at, lo, hi, lo2, hi2); break;
    case add_i128: merge_by<add_i128>(at, lo, hi, lo2, hi2); break;
    case minimum: merge_by<minimum>(at, lo, hi, lo2, hi2); break;
    case maximum: merge_by<maximum>(at, lo, hi, lo2, hi2); break;
    case multiply: merge_by<multiply>(at, lo, hi, lo2, hi2); break;
    case multiply_f64: merge_by<multiply_f64>(at, lo, hi, lo2, hi2); break;
    case argmin: merge_by<argmin>(at, lo, hi, lo2, hi2); break;
    case argmax: merge_by<argmax>(at, lo, hi, lo2, hi2); break;
    default: gdf::unreachable_code();
  }
}

/// [thread] Merges (lo2, hi2) atomically into an accumulator that other threads may update at the same time. The upper
/// word of an i128 is at cell + above.
GDF_DEVICE void merge_atomic(const context& at, unsigned long long* cell, int64_t above, u64 lo2,
                             u64 hi2) {
  switch (at.step.op) {
    case add:
      if (lo2 != 0) { atomicAdd(cell, lo2); }
      break;
    case add_f64: atomicAdd(reinterpret_cast<double*>(cell), double_of_bits(lo2)); break;
    case add_i128: {
      // The order of the additions does not matter: the total number of carries from the lower word is the same in any
      // order.
      u64 const before = atomicAdd(cell, lo2);
      u64 const upper = hi2 + (before + lo2 < before ? 1 : 0);
      if (upper != 0) { atomicAdd(cell + above, upper); }
      break;
    }
    case minimum: atomicMin(cell, lo2); break;
    case maximum: atomicMax(cell, lo2); break;
    default: {
      u64 current = atomicAdd(cell, 0ull);
      while (true) {
        u64 desired = current;
        u64 unused = 0;
        merge(at, desired, unused, lo2, 0);
        if (desired == current) { break; }
        u64 const found = atomicCAS(cell, current, desired);
        if (found == current) { break; }
        current = found;
      }
    }
  }
}

// Atomic operations on global memory whose previous value is not needed. The functions contain `red` instructions,
// because the compiler does not reliably emit them for atomicAdd, atomicMin and atomicMax.

GDF_DEVICE void reduce_add(unsigned long long* cell, u64 value) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(cell)), "l"(value)
               : "memory");
}

GDF_DEVICE void reduce_add(unsigned long long* cell, double value) {
  asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" ::"l"(__cvta_generic_to_global(cell)), "d"(value)
               : "memory");
}

GDF_DEVICE void reduce_min(unsigned long long* cell, u64 value) {
  asm volatile("red.relaxed.gpu.global.min.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(cell)), "l"(value)
               : "memory");
}

GDF_DEVICE void reduce_max(unsigned long long* cell, u64 value) {
  asm volatile("red.relaxed.gpu.global.max.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(cell)), "l"(value)
               : "memory");
}

/// [thread] Merges the `active` values into the accumulators of their groups in global memory.
template <int items>
GDF_DEVICE void merge_all(const context& at, const accumulators& acc, const bool (&active)[items],
                          const uint32_t (&group)[items], const u64 (&lo)[items], const u64 (&hi)[items]) {
  auto* const first = acc.words + at.step.word * acc.stride;
  switch (at.step.op) {
    case add:
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (active[i] && lo[i] != 0) { reduce_add(first + group[i], lo[i]); }
      }
      break;
    case add_f64:
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (active[i]) { reduce_add(first + group[i], double_of_bits(lo[i])); }
      }
      break;
    case minimum:
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (active[i]) { reduce_min(first + group[i], lo[i]); }
      }
      break;
    case maximum:
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (active[i]) { reduce_max(first + group[i], lo[i]); }
      }
      break;
    default:
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (active[i]) { merge_atomic(at, first + group[i], acc.stride, lo[i], hi[i]); }
      }
  }
}

/// [thread] Loads the values that a step accumulates, for `items` rows. Rows whose value is null become inactive.
template <int items>
GDF_DEVICE void load_values(const gdf::row_table<value_columns>& values, const partitioned_values* partitioned,
                            const step& step, const int64_t (&row)[items], u64 (&lo)[items],
                            u64 (&hi)[items], bool (&active)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) {
    lo[i] = 1;
    hi[i] = 0;
  }
  if (step.column < 0) { return; }
  gdf::column_in const& column = values.column[step.column];
  if (partitioned != nullptr) {
    if (partitioned->valid != nullptr) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        active[i] = active[i] && (partitioned->valid[row[i]] >> step.column & 1);
      }
    }
  } else if (column.validity != nullptr) {
#pragma unroll
    for (int i = 0; i < items; i++) { active[i] = active[i] && gdf::is_valid(column, row[i]); }
  }
  int32_t const type = column.type;
  if (step.input == one) { return; }
  if (step.input == row_number) {
#pragma unroll
    for (int i = 0; i < items; i++) { lo[i] = static_cast<u64>(row[i]); }
    return;
  }
  auto const square_wide = [&](int i) {
    gdf::u128 const v = static_cast<gdf::u128>(hi[i]) << 64 | lo[i];
    gdf::u128 const square = v * v;
    lo[i] = static_cast<u64>(square);
    hi[i] = static_cast<u64>(square >> 64);
  };
  if (type == static_cast<int32_t>(gdf::type::i128)) { // only these two inputs read such a column
    auto const* const first = static_cast<const u64*>(column.data) + column.offset * 2;
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (active[i]) {
        lo[i] = __ldcs(first + row[i] * 2);
        hi[i] = __ldcs(first + row[i] * 2 + 1);
        if (step.input == wide_square) { square_wide(i); }
      }
    }
    return;
  }
  if (partitioned != nullptr) {
    gdf::column_in there = column;
    there.data = partitioned->data[step.column];
    there.offset = 0;
    gdf::load_bits(there, row, active, lo);
  } else {
    gdf::load_bits(column, row, active, lo);
  }
  switch (step.input) {
    case integer:
      if (gdf::width_of(type) == 8) { break; }
#pragma unroll
      for (int i = 0; i < items; i++) { lo[i] = static_cast<u64>(as_integer(type, lo[i])); }
      break;
    case integer_square:
#pragma unroll
      for (int i = 0; i < items; i++) {
        u64 const v = static_cast<u64>(as_integer(type, lo[i]));
        lo[i] = v * v;
      }
      break;
    case wide:
    case wide_square: {
      bool const is_unsigned = type == static_cast<int32_t>(gdf::type::u64); // narrower ones are never negative
#pragma unroll
      for (int i = 0; i < items; i++) {
        int64_t const v = as_integer(type, lo[i]);
        lo[i] = static_cast<u64>(v);
        hi[i] = is_unsigned ? 0 : static_cast<u64>(v >> 63);
        if (step.input == wide_square) { square_wide(i); }
      }
      break;
    }
    case order:
#pragma unroll
      for (int i = 0; i < items; i++) { lo[i] = gdf::order_of_bits(type, lo[i]); }
      break;
    case number:
    case number_square: {
      bool const square = step.input == number_square;
      if (type == static_cast<int32_t>(gdf::type::f64) && step.input == number) { break; }
#pragma unroll
      for (int i = 0; i < items; i++) {
        double const v = as_double(type, lo[i]);
        lo[i] = bits_of_double(square ? __dmul_rn(v, v) : v);
      }
      break;
    }
    default: gdf::unreachable_code();
  }
}

GDF_DEVICE void prefetch(const gdf::column_in& column, int64_t row) {
  int const width = gdf::width_of(column.type);
  if (width == 0) { return; } // the column has bits or strings
  auto const* const data = static_cast<const char*>(column.data);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(data + (column.offset + row) * width));
}

/// The operation that merges each word of the accumulators. The initial value of a word is the identity of this
/// operation. A word without an operation has `add`.
struct beginnings {
  uint8_t of_word[256]; // combine_op
};

/// [thread] Initializes this thread's share of the accumulators and, if `with_table` is true, of the table.
GDF_DEVICE void begin(const gdf::group_table& table, const accumulators& acc,
                      const beginnings& beginnings, int words, bool with_table, int64_t thread,
                      int64_t all) {
  if (with_table) {
    auto* const slots = reinterpret_cast<uint4*>(table.slots);
    int64_t const count = static_cast<int64_t>(table.mask) + 3;
    for (int64_t i = thread; i < count; i += all) { slots[i] = uint4{~0u, ~0u, ~0u, ~0u}; }
    if (thread == 0) { *table.state = gdf::group_state{0, 0, 0, 0}; }
  }
  for (int w = 0; w < words; w++) {
    u64 const value = identity(beginnings.of_word[w]);
    auto* const first = acc.words + w * acc.stride;
    for (int64_t i = thread; i < acc.stride; i += all) { first[i] = value; }
  }
}

/// [thread] Posts the number of groups, the overflow flag and the number of rows seen.
GDF_DEVICE void post_state(const gdf::group_table& table, unsigned long long* mailbox) {
  auto const* const state = static_cast<const volatile gdf::group_state*>(table.state);
  u64 const groups = state->groups;
  u64 const overflow = state->overflow;
  u64 const rows = state->seen;
  auto* const words = static_cast<volatile unsigned long long*>(mailbox);
  words[1] = overflow;
  words[2] = rows;
  gdf::post(mailbox, groups);
}

/// [block] Finishes an accumulation. Each block calls this function after its last row. The last block posts the state
/// of the table, unless `mailbox` is null.
GDF_DEVICE void end(const gdf::group_table& table, gdf::scratch* scratch, unsigned long long* mailbox) {
  if (mailbox == nullptr || !gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  if (threadIdx.x == 0) { post_state(table, mailbox); }
}

} // namespace groupby
