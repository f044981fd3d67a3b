// The virtual machine that evaluates an expression for the rows of a warp. All threads execute the same steps, so that
// branches on the opcode do not diverge.
//
// The accumulator is a register for each row. A step takes its first operand from the accumulator and leaves its result
// there. Operands that are not in the accumulator are in slots of shared memory.
#pragma once

#include "cells.cuh"
#include "long_steps.cuh"
#include "rows.cuh"

#include "../binaryop/functors.cuh"
#include "../unary/rounding.cuh"

namespace expression {

static __device__ __noinline__ double remainder_of(double a, double b) { return fmod(a, b); }
static __device__ __noinline__ float remainder_of(float a, float b) { return fmodf(a, b); }

/// The functors of floats whose results have the same bits on all devices.
template <class C>
struct exact_floats : binaryop::floats<C> {
  static GDF_DEVICE C mod(C a, C b) { return remainder_of(a, b); }
  static GDF_DEVICE C p_mod(C a, C b) {
    C const rest = mod(a, b);
    return rest < C{0} ? mod(rest + b, b) : rest;
  }
  static GDF_DEVICE C pow(C, C) { return gdf::invalid_code<C>(); }
  static GDF_DEVICE C log_base(C, C) { return gdf::invalid_code<C>(); }
  static GDF_DEVICE C atan2(C, C) { return gdf::invalid_code<C>(); }
};

/// The state of a thread while it evaluates a tile.
template <int threads, class Rows>
struct machine {
  static constexpr int items = Rows::items;
  using slots_t = slots<threads, items>;

  Rows rows;
  const program& p;
  slots_t all;
  uint32_t wanted; // the rows whose results are used
  gdf::u64 acc[items];
  row_bits bits; // the row bits of the accumulator

  /// [thread] Loads the cells and row bits of an operand. The accumulator does not change.
  GDF_DEVICE void fetch(int32_t operand, gdf::u64 (&to)[items], row_bits& to_bits) {
    if (operand >= 0) {
      to_bits = all.bits(operand);
      if (operand < all.cells) {
        const gdf::u64* const cell = all.cell(operand);
#pragma unroll
        for (int i = 0; i < items; i++) { to[i] = cell[i * threads]; }
      }
    } else if (operand <= first_constant) {
      constant const& value = p.constants[first_constant - operand];
      gdf::u64 const low = value.low;
      to_bits = bits_of(value);
#pragma unroll
      for (int i = 0; i < items; i++) { to[i] = low; }
    } else if (operand == accumulator) {
      to_bits = bits;
#pragma unroll
      for (int i = 0; i < items; i++) { to[i] = acc[i]; }
    }
  }

  GDF_DEVICE row_bits bits_at(int32_t operand) {
    return operand >= 0                ? all.bits(operand)
           : operand <= first_constant ? bits_of(p.constants[first_constant - operand])
                                       : bits;
  }

  /// [thread] Returns the value of an operand of 128 bits in item i.
  GDF_DEVICE gdf::i128 wide_at(int32_t operand, int i) const {
    if (operand <= first_constant) {
      constant const& value = p.constants[first_constant - operand];
      return wide_of(value.low, value.high);
    }
    return wide_of(all.cell(operand)[i * threads], all.cell(operand + 1)[i * threads]);
  }

  GDF_DEVICE void keep(int32_t slot) {
    all.keep(slot, bits);
    if (slot < all.cells) {
      gdf::u64* const cell = all.cell(slot);
#pragma unroll
      for (int i = 0; i < items; i++) { cell[i * threads] = acc[i]; }
    }
  }

  template <class C, class S>
  GDF_DEVICE void load_as(const step& s) {
    S value[items];
    rows.load(s, wanted, value);
#pragma unroll
    for (int i = 0; i < items; i++) { acc[i] = to_cell(gdf::widen<C>(value[i])); }
  }

  GDF_DEVICE void load(const step& s) {
    bits.valid = rows.valid(s);
    switch (static_cast<gdf::type>(rows.column(s).type)) {
      case gdf::type::boolean: bits.truth = rows.truth(s); return;
      case gdf::type::i8: load_as<int64_t, int8_t>(s); return;
      case gdf::type::i16: load_as<int64_t, int16_t>(s); return;
      case gdf::type::i32: load_as<int64_t, int32_t>(s); return;
      case gdf::type::u8: load_as<int64_t, uint8_t>(s); return;
      case gdf::type::u16: load_as<int64_t, uint16_t>(s); return;
      case gdf::type::f32: // the bits of a float
      case gdf::type::u32: load_as<int64_t, uint32_t>(s); return;
      case gdf::type::i64:
      case gdf::type::u64:
      case gdf::type::f64: load_as<int64_t, int64_t>(s); return;
      case gdf::type::f16: load_as<float, gdf::f16>(s); return;
      // The host plans 64-bit integers for 128-bit numbers that are known to fit in 64 bits.
      case gdf::type::i128: load_as<int64_t, gdf::i128>(s); return;
      default: gdf::invalid_code();
    }
  }

  GDF_DEVICE void load_wide(const step& s) {
    gdf::i128 value[items];
    rows.load(s, wanted, value);
    gdf::u64* const low = all.cell(s.store);
    gdf::u64* const high = all.cell(s.store + 1);
#pragma unroll
    for (int i = 0; i < items; i++) {
      low[i * threads] = static_cast<gdf::u64>(value[i]);
      high[i * threads] = static_cast<gdf::u64>(static_cast<gdf::u128>(value[i]) >> 64);
    }
    all.keep(s.store, {rows.valid(s), 0});
  }

  template <class C, class F>
  GDF_DEVICE void apply(const gdf::u64 (&other)[items], F&& f) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      acc[i] = to_cell(static_cast<C>(f(of_cell<C>(acc[i]), of_cell<C>(other[i]))));
    }
  }

  template <class C>
  GDF_DEVICE void arithmetic(const step& s, const gdf::u64 (&other)[items]) {
    struct {
      int32_t bits;
    } const how = {s.extra};
    constexpr binaryop::no_functor<C> none;
#define EXPRESSION_INTEGER_CASE(name, integer, floating) \
  case binaryop::name: apply<C>(other, [&](C x, C y) { return static_cast<C>(integer); }); return;
#define EXPRESSION_FLOAT_CASE(name, integer, floating) \
  case binaryop::name: apply<C>(other, [&](C x, C y) { return static_cast<C>(floating); }); return;
    if constexpr (binaryop::is_integer<C>) {
      using of = binaryop::integers<C>;
      switch (s.code) {
        BINARY_ARITHMETIC(EXPRESSION_INTEGER_CASE)
        default: gdf::invalid_code();
      }
    } else {
      using fp = exact_floats<C>;
      switch (s.code) {
        BINARY_ARITHMETIC(EXPRESSION_FLOAT_CASE)
        default: gdf::invalid_code();
      }
    }
  }

  template <class C>
  GDF_DEVICE void convert(const step& s) {
    if (static_cast<lane>(s.code) == lane::boolean) {
#pragma unroll
      for (int i = 0; i < items; i++) { acc[i] = to_cell(static_cast<C>(bits.truth >> i & 1)); }
      return;
    }
    by_lane(s.code, [&]<class S>() {
#pragma unroll
      for (int i = 0; i < items; i++) { acc[i] = to_cell(gdf::narrow<C>(of_cell<S>(acc[i]))); }
    });
  }

  template <class T>
  GDF_DEVICE void wrap_to() {
#pragma unroll
    for (int i = 0; i < items; i++) {
      if constexpr (gdf::is_same<T, gdf::f16>) {
        acc[i] = to_cell(__half2float(__float2half_rn(of_cell<float>(acc[i]))));
      } else {
        acc[i] = to_cell(static_cast<int64_t>(static_cast<T>(acc[i])));
      }
    }
  }

  GDF_DEVICE void wrap(const step& s) {
    switch (static_cast<gdf::type>(s.code)) {
      case gdf::type::i8: wrap_to<int8_t>(); return;
      case gdf::type::i16: wrap_to<int16_t>(); return;
      case gdf::type::i32: wrap_to<int32_t>(); return;
      case gdf::type::u8: wrap_to<uint8_t>(); return;
      case gdf::type::u16: wrap_to<uint16_t>(); return;
      case gdf::type::u32: wrap_to<uint32_t>(); return;
      case gdf::type::f16: wrap_to<gdf::f16>(); return;
      default: gdf::invalid_code();
    }
  }

  template <class C, class Holds>
  GDF_DEVICE uint32_t test(const gdf::u64 (&other)[items], Holds&& holds) {
    uint32_t truth = 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      truth |= (holds(of_cell<C>(acc[i]), of_cell<C>(other[i])) ? 1u : 0u) << i;
    }
    return truth;
  }

  template <class C>
  GDF_DEVICE uint32_t compare(const step& s, const gdf::u64 (&other)[items]) {
    switch (static_cast<binaryop::order>(s.code)) {
      case binaryop::equal: return test<C>(other, [](C x, C y) { return x == y; });
      case binaryop::less: return test<C>(other, [](C x, C y) { return x < y; });
      case binaryop::less_equal: return test<C>(other, [](C x, C y) { return x <= y; });
    }
    return gdf::invalid_code<uint32_t>();
  }

  static GDF_DEVICE row_bits logic(int32_t code, row_bits left, row_bits right) {
    struct {
      uint32_t value;
      uint32_t valid;
    } const a = {left.truth, left.valid}, b = {right.truth, right.valid};
    uint32_t const both = a.valid & b.valid;
    uint32_t const either = a.valid | b.valid;
    uint32_t const differ = a.value ^ b.value;
#define EXPRESSION_LOGIC_CASE(name, value, validity) \
  case binaryop::name: return {static_cast<uint32_t>(validity), static_cast<uint32_t>(value)};
    switch (code) {
      BINARY_LOGIC(EXPRESSION_LOGIC_CASE)
      default: gdf::invalid_code(); return {0, 0};
    }
  }

  GDF_DEVICE void choose(uint32_t first, const gdf::u64 (&other)[items], row_bits other_bits) {
#pragma unroll
    for (int i = 0; i < items; i++) { acc[i] = (first >> i & 1) != 0 ? acc[i] : other[i]; }
    bits.truth = (bits.truth & first) | (other_bits.truth & ~first);
    bits.valid = (bits.valid & first) | (other_bits.valid & ~first);
  }

  template <class C>
  GDF_DEVICE void round(const step& s) {
#pragma unroll
    for (int i = 0; i < items; i++) { acc[i] = to_cell(unary_operation::apply_rounding(s.code, of_cell<C>(acc[i]))); }
  }

  /// [warp] Excludes the rows that a step decides. Returns whether no row of the warp remains.
  GDF_DEVICE bool decide(const step& s) {
    bool is_true = false;
    switch (static_cast<decided>(s.code)) {
      case decided::if_false: wanted &= bits.truth | ~bits.valid; break;
      case decided::if_true:
        wanted &= ~(bits.truth & bits.valid);
        is_true = true;
        break;
      default: gdf::invalid_code();
    }
    if (__any_sync(~0u, wanted != 0)) { return false; }
    bits = {~0u, is_true ? ~0u : 0u};
    return true;
  }

  /// [warp] Executes all steps for the rows `mine` of the thread. `emit(step)` stores the accumulator or, in the lane
  /// i128, the slot `a` of the step.
  template <class Emit>
  GDF_DEVICE void run(uint32_t mine, Emit&& emit) {
    wanted = mine;
    int at = 0;
#pragma unroll 1
    while (at < p.count) {
      step const& s = p.steps[at];
      at++;
      if (static_cast<lane>(s.form) == lane::i128) {
        switch (static_cast<opcode>(s.operation)) {
          case opcode::load: load_wide(s); break;
          case opcode::emit: emit(s); break;
          default: wide_step<threads, items>(all, p, s);
        }
        continue;
      }
      if (static_cast<opcode>(s.operation) == opcode::component) {
        component_step<threads, items>(all, p, s);
        continue;
      }
      row_bits const third = bits_at(s.c);
      gdf::u64 other[items];
      row_bits other_bits;
      fetch(s.b, other, other_bits);
      if (s.a != accumulator) { fetch(s.a, acc, bits); }
      switch (static_cast<opcode>(s.operation)) {
        case opcode::load: load(s); break;
        case opcode::valid: bits = {~0u, rows.valid(s)}; break;
        case opcode::null:
#pragma unroll
          for (int i = 0; i < items; i++) { acc[i] = 0; }
          bits = {0, 0};
          break;
        case opcode::arithmetic:
          by_lane(s.form, [&]<class C>() { arithmetic<C>(s, other); });
          bits.valid &= other_bits.valid;
          break;
        case opcode::convert: by_lane(s.form, [&]<class C>() { convert<C>(s); }); break;
        case opcode::wrap: wrap(s); break;
        case opcode::compare: {
          uint32_t truth = 0;
          by_lane(s.form, [&]<class C>() { truth = compare<C>(s, other); });
          bits = {bits.valid & other_bits.valid, s.extra != 0 ? ~truth : truth};
          break;
        }
        case opcode::not_zero:
          by_lane(s.form, [&]<class C>() {
            bits.truth = test<C>(acc, [](C x, C) { return x != C{0}; });
          });
          break;
        case opcode::logic: bits = logic(s.code, bits, other_bits); break;
        case opcode::invert: bits.truth = ~bits.truth; break;
        case opcode::is_valid: bits = {~0u, bits.valid}; break;
        case opcode::valid_if: bits.valid &= third.truth & third.valid; break;
        case opcode::select: choose(third.truth & third.valid, other, other_bits); break;
        case opcode::coalesce: choose(bits.valid, other, other_bits); break;
        case opcode::rounding:
          if (static_cast<lane>(s.form) == lane::f32) {
            round<float>(s);
          } else {
            round<double>(s);
          }
          break;
        case opcode::sign: {
          gdf::u64 const sign = static_cast<lane>(s.form) == lane::f32 ? 1ull << 31 : 1ull << 63;
#pragma unroll
          for (int i = 0; i < items; i++) { acc[i] = s.code != 0 ? acc[i] & ~sign : acc[i] ^ sign; }
          break;
        }
        case opcode::bit_count:
#pragma unroll
          for (int i = 0; i < items; i++) { acc[i] = static_cast<gdf::u64>(__popcll(acc[i])); }
          break;
        case opcode::text:
        case opcode::prefix: {
          text_test const test = {p.constants[s.extra].low, p.constants[s.extra].high,
                                  static_cast<int64_t>(p.constants[s.extra + 1].low),
                                  static_cast<opcode>(s.operation) == opcode::prefix};
          bits.valid = rows.valid(s);
          bits.truth = test_texts<items>(rows.column(s), rows.limit(s), rows.row(s), wanted & bits.valid, test);
          break;
        }
        case opcode::decide:
          if (decide(s)) { at = s.extra; }
          break;
        case opcode::emit: emit(s); break;
        case opcode::narrow:
        case opcode::component: gdf::invalid_code();
      }
      if (s.store >= 0) { keep(s.store); }
    }
  }
};

} // namespace expression
