// Values in cells of 64 bits, as the steps of an expression store them.
#pragma once

#include <gdf/half.cuh>
#include <gdf/invalid_code.cuh>
#include <gdf/number.cuh>

#include "program.cuh"

namespace expression {

struct row_bits {
  uint32_t valid;
  uint32_t truth;
};

template <class C>
GDF_DEVICE C of_cell(gdf::u64 cell) {
  if constexpr (gdf::is_same<C, double>) {
    return __longlong_as_double(static_cast<long long>(cell));
  } else if constexpr (gdf::is_same<C, float>) {
    return __uint_as_float(static_cast<uint32_t>(cell));
  } else {
    return static_cast<C>(cell);
  }
}

template <class C>
GDF_DEVICE gdf::u64 to_cell(C value) {
  if constexpr (gdf::is_same<C, double>) {
    return static_cast<gdf::u64>(__double_as_longlong(value));
  } else if constexpr (gdf::is_same<C, float>) {
    return __float_as_uint(value);
  } else {
    return static_cast<gdf::u64>(value);
  }
}

GDF_DEVICE gdf::i128 wide_of(gdf::u64 low, gdf::u64 high) {
  return static_cast<gdf::i128>(static_cast<gdf::u128>(high) << 64 | low);
}

/// [thread] Calls `body.template operator()<C>()` with the type in which a lane of 64 bits computes.
template <class Body>
GDF_DEVICE void by_lane(int32_t form, Body&& body) {
  switch (static_cast<lane>(form)) {
    case lane::i64: body.template operator()<int64_t>(); return;
    case lane::u64: body.template operator()<uint64_t>(); return;
    case lane::f32: body.template operator()<float>(); return;
    case lane::f64: body.template operator()<double>(); return;
    case lane::boolean:
    case lane::i128: break;
  }
  gdf::invalid_code();
}

/// The slots of a thread in shared memory. Only the thread itself accesses its slots, so no barrier is needed. A slot
/// below `cells` has a cell for each row. Every slot has a word of row bits.
template <int threads, int items>
struct slots {
  gdf::u64* mine; // cells [slot][item][thread], followed by row bits [slot][thread]
  int cells;

  static constexpr int bytes(int cells, int all) { return (cells * items + all) * threads * 8; }

  GDF_DEVICE gdf::u64* cell(int slot) const { return mine + slot * items * threads; }
  GDF_DEVICE gdf::u64& bits_word(int slot) const { return mine[(cells * items + slot) * threads]; }
  GDF_DEVICE row_bits bits(int slot) const {
    gdf::u64 const word = bits_word(slot);
    return {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
  }
  GDF_DEVICE void keep(int slot, row_bits bits) const {
    bits_word(slot) = static_cast<gdf::u64>(bits.truth) << 32 | bits.valid;
  }
};

/// [block] Copies a program. The caller must synchronize the threads afterwards.
template <int threads>
GDF_DEVICE void copy_program(const program& from, program& to) {
  static_assert(sizeof(program) % 8 == 0);
  auto const* const source = reinterpret_cast<const gdf::u64*>(&from);
  auto* const target = reinterpret_cast<gdf::u64*>(&to);
  for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(sizeof(program) / 8); i += threads) {
    target[i] = source[i];
  }
}

GDF_DEVICE row_bits bits_of(constant const& value) { return {~0u, value.low != 0 ? ~0u : 0u}; }

} // namespace expression
