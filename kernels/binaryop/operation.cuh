// What the kernels of binary_operation are told besides their columns, and how a warp takes rows:
// `items` mask words in a row, word i being rows base + 32 i + lane. Lane i then writes word i of
// whatever is bit-packed, so that those stores coalesce.
#pragma once

#include <gdf/count.cuh>
#include <gdf/grid.cuh>
#include <gdf/number.cuh>
#include <gdf/policy.cuh>

namespace binaryop {

/// Mirrored by gdf-detail's binaryop.
struct operation {
  int32_t code;    // `arithmetic`, `order` or `logic`
  int32_t bits;    // shifts: bits of the type that is shifted, negative if it is signed
  int32_t negated; // comparisons: the opposite
  int32_t nulls;   // comparisons: 1 if a null equals a null and nothing else
  gdf::u64 factors[4][4];
};
static_assert(sizeof(operation) == 144);

enum arithmetic : int32_t {
  add = 0,
  sub = 1,
  mul = 2,
  div = 3,
  floor_div = 4,
  mod = 5,
  p_mod = 6,
  py_mod = 7,
  shift_left = 8,
  shift_right = 9,
  shift_right_unsigned = 10,
  bit_and = 11,
  bit_or = 12,
  bit_xor = 13,
  maximum = 14,
  minimum = 15,
};

enum order : int32_t { equal = 0, less = 1, less_equal = 2 };

enum logic : int32_t {
  logic_and = 0,
  logic_or = 1,
  logic_xor = 2,
  kleene_and = 3,
  kleene_or = 4,
  logic_max = 5,
  logic_min = 6,
  logic_equal = 7,
  logic_not_equal = 8,
  logic_less = 9,
  logic_less_equal = 10,
  null_equals = 11,
  null_not_equals = 12,
};

/// [thread] Factor `i` as T (i128 or i256).
template <class T>
GDF_DEVICE T factor(const operation& how, int i);

template <>
GDF_DEVICE gdf::i128 factor<gdf::i128>(const operation& how, int i) {
  return static_cast<gdf::i128>(static_cast<gdf::u128>(how.factors[i][1]) << 64 |
                                how.factors[i][0]);
}

template <>
GDF_DEVICE gdf::i256 factor<gdf::i256>(const operation& how, int i) {
  return {{how.factors[i][0], how.factors[i][1], how.factors[i][2], how.factors[i][3]}};
}

/// [thread] Is factor `i` 1?
GDF_DEVICE bool is_one(const operation& how, int i) {
  return how.factors[i][0] == 1 && (how.factors[i][1] | how.factors[i][2] | how.factors[i][3]) == 0;
}

template <class C>
constexpr bool is_integer = gdf::is_same<C, int64_t> || gdf::is_same<C, uint64_t> || gdf::is_same<C, gdf::i128>;
/// Types whose operands and results are multiplied by factors.
template <class C>
constexpr bool is_scaled = gdf::is_same<C, gdf::i128> || gdf::is_same<C, gdf::i256>;

/// [thread] a * b, wrapping.
GDF_DEVICE gdf::i256 times(const gdf::i256& a, const gdf::i256& b) {
  gdf::i256 product{{0, 0, 0, 0}};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    gdf::u64 carry = 0;
#pragma unroll
    for (int j = 0; j < 4 - i; j++) {
      gdf::u128 const sum =
        static_cast<gdf::u128>(a.word[i]) * b.word[j] + product.word[i + j] + carry;
      product.word[i + j] = static_cast<gdf::u64>(sum);
      carry = static_cast<gdf::u64>(sum >> 64);
    }
  }
  return product;
}

GDF_DEVICE gdf::i128 times(gdf::i128 a, gdf::i128 b) {
  return static_cast<gdf::i128>(static_cast<gdf::u128>(a) * static_cast<gdf::u128>(b));
}

/// [thread] First row of this warp's words of the tile at `first`.
template <int items>
GDF_DEVICE int64_t warp_rows(int64_t first) {
  return first + int64_t{gdf::warp()} * (32 * items);
}

/// Validity of both operands: lane i has those of the warp's word i, other lanes zeros.
struct valid_words {
  uint32_t lhs;
  uint32_t rhs;
};

/// [thread]
template <int items>
GDF_DEVICE valid_words load_valid(const gdf::column_in& lhs, const gdf::column_in& rhs,
                                  int64_t base, int64_t limit) {
  if (gdf::lane() >= items) { return {0, 0}; }
  int64_t const row = base + gdf::lane() * 32;
  return {gdf::valid_word(lhs, row, limit), gdf::valid_word(rhs, row, limit)};
}

/// [thread] Writes the mask word of lane i < items; returns the number of its valid rows.
template <int items>
GDF_DEVICE uint32_t store_mask(const gdf::column_out& out, int64_t base, uint32_t bits) {
  int64_t const row = base + gdf::lane() * 32;
  if (out.validity == nullptr || gdf::lane() >= items || row >= out.length) { return 0; }
  out.validity[row >> 5] = bits;
  return __popc(bits);
}

} // namespace binaryop
