// The parameters of the kernels of binary_operation, and the tables of functors.
#pragma once

#include <gdf/elementwise.cuh>
#include <gdf/invalid_code.cuh>
#include <gdf/wide.cuh>

namespace binaryop {

struct operation {
  int32_t code;    // an operator of `arithmetic`, `order` or `logic`
  int32_t bits;    // shifts: the number of bits of the shifted type, negative if the type is signed
  int32_t negated; // comparisons: whether the result is negated
  int32_t nulls;   // comparisons: 1 if a null equals a null and differs from all other values
  gdf::u64 factors[4][4];
};
static_assert(sizeof(operation) == 144);

/// The arithmetic operators of x and y of type C: OPERATOR(name, expression for integers, expression for floats). In
/// these expressions, `of` is integers<C> and `fp` is floats<C>, both of functors.cuh, and `how` is the operation.
/// `none` stands for an operator that the type does not support. The functors of the host are in gdf-compute's
/// binary_operation/host/arithmetic.rs.
#define BINARY_ARITHMETIC(OPERATOR)                                                               \
  OPERATOR(add, of::add(x, y), x + y)                                                             \
  OPERATOR(sub, of::sub(x, y), x - y)                                                             \
  OPERATOR(mul, of::mul(x, y), x * y)                                                             \
  OPERATOR(div, of::div(x, y), x / y)                                                             \
  OPERATOR(floor_div, of::floor_div(x, y), fp::floor(x / y))                                      \
  OPERATOR(mod, of::mod(x, y), fp::mod(x, y))                                                     \
  OPERATOR(p_mod, of::p_mod(x, y), fp::p_mod(x, y))                                               \
  OPERATOR(py_mod, of::py_mod(x, y), fp::mod(fp::mod(x, y) + y, y))                               \
  OPERATOR(shift_left, of::shift_left(x, y, how.bits), none)                                      \
  OPERATOR(shift_right, of::shift_right(x, y, how.bits), none)                                    \
  OPERATOR(shift_right_unsigned, of::shift_right_unsigned(x, y, how.bits), none)                  \
  OPERATOR(bit_and, x & y, none)                                                                  \
  OPERATOR(bit_or, x | y, none)                                                                   \
  OPERATOR(bit_xor, x ^ y, none)                                                                  \
  OPERATOR(maximum, x > y ? x : y, x > y ? x : y)                                                 \
  OPERATOR(minimum, x < y ? x : y, x < y ? x : y)                                                 \
  OPERATOR(int_pow, of::int_pow(x, y), none)                                                      \
  OPERATOR(pow, none, fp::pow(x, y))                                                              \
  OPERATOR(log_base, none, fp::log_base(x, y))                                                    \
  OPERATOR(atan2, none, fp::atan2(x, y))

enum arithmetic : int32_t { BINARY_ARITHMETIC(GDF_OPERATOR_CODE) };

enum order : int32_t { equal = 0, less = 1, less_equal = 2 };

/// The operators of logic on words a and b of truth values: OPERATOR(name, value, validity). In these expressions,
/// `both` and `either` are words of validity, and `differ` is a word of values. The functors of the host are in
/// gdf-compute's binary_operation/host/logic.rs.
#define BINARY_LOGIC(OPERATOR)                                                                    \
  OPERATOR(logic_and, a.value & b.value, both)                                                    \
  OPERATOR(logic_or, a.value | b.value, both)                                                     \
  OPERATOR(logic_xor, differ, both)                                                               \
  OPERATOR(kleene_and, a.value & b.value & both,                                                  \
           both | (a.valid & ~a.value) | (b.valid & ~b.value))                                    \
  OPERATOR(kleene_or, (a.valid & a.value) | (b.valid & b.value),                                  \
           both | (a.valid & a.value) | (b.valid & b.value))                                      \
  OPERATOR(logic_max, (a.value & a.valid) | (b.value & b.valid), either)                          \
  OPERATOR(logic_min, (a.value | ~a.valid) & (b.value | ~b.valid), either)                        \
  OPERATOR(logic_equal, ~differ, both)                                                            \
  OPERATOR(logic_not_equal, differ, both)                                                         \
  OPERATOR(logic_less, ~a.value & b.value, both)                                                  \
  OPERATOR(logic_less_equal, ~a.value | b.value, both)                                            \
  OPERATOR(null_equals, (~differ & both) | ~either, ~0u)                                          \
  OPERATOR(null_not_equals, (differ & both) | (a.valid ^ b.valid), ~0u)

enum logic : int32_t { BINARY_LOGIC(GDF_OPERATOR_CODE) };

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

GDF_DEVICE bool is_one(const operation& how, int i) {
  return how.factors[i][0] == 1 && (how.factors[i][1] | how.factors[i][2] | how.factors[i][3]) == 0;
}

template <class C>
constexpr bool is_integer = gdf::is_same<C, int64_t> || gdf::is_same<C, uint64_t> || gdf::is_same<C, gdf::i128>;
template <class C>
constexpr bool is_scaled = gdf::is_same<C, gdf::i128> || gdf::is_same<C, gdf::i256>;

using gdf::times;

GDF_DEVICE gdf::i128 times(gdf::i128 a, gdf::i128 b) {
  return static_cast<gdf::i128>(static_cast<gdf::u128>(a) * static_cast<gdf::u128>(b));
}

/// The validity of both operands. Lane i has word i of the rows of the warp. Lanes without such a word have zeros.
struct valid_words {
  uint32_t lhs;
  uint32_t rhs;
};

template <int items>
GDF_DEVICE valid_words load_valid(const gdf::column_in& lhs, const gdf::column_in& rhs,
                                  int64_t base, int64_t limit) {
  return {gdf::load_valid<items>(lhs, base, limit), gdf::load_valid<items>(rhs, base, limit)};
}

} // namespace binaryop
