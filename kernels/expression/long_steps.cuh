// Steps that read and write slots: steps on integers of 128 bits, and components of dates. The functions loop over the
// rows and are not inlined, so that they take no registers from the other steps.
#pragma once

#include <gdf/civil.cuh>

#include "cells.cuh"

#include "../binaryop/functors.cuh"
#include "../datetime/component.cuh"

namespace expression {

template <int threads, int items>
struct source {
  const gdf::u64* low;
  const gdf::u64* high;
  int stride; // 0 for a constant
  row_bits bits;

  GDF_DEVICE source(const slots<threads, items>& all, const program& p, int32_t operand) {
    if (operand <= first_constant) {
      constant const& value = p.constants[first_constant - operand];
      low = &value.low;
      high = &value.high;
      stride = 0;
      bits = bits_of(value);
    } else if (operand >= 0) {
      low = all.cell(operand);
      high = all.cell(operand + 1);
      stride = threads;
      bits = all.bits(operand);
    } else {
      low = high = nullptr;
      stride = 0;
      bits = {0, 0};
    }
  }
  GDF_DEVICE gdf::i128 wide(int i) const { return wide_of(low[i * stride], high[i * stride]); }
};

template <int threads, int items>
static __device__ __noinline__ void wide_step(const slots<threads, items> all, const program& p, const step& s) {
  source<threads, items> const a(all, p, s.a);
  source<threads, items> const b(all, p, s.b);
  row_bits const c = s.c >= 0 ? all.bits(s.c) : s.c <= first_constant ? bits_of(p.constants[first_constant - s.c]) : row_bits{};
  gdf::u64* const low = all.cell(s.store);
  gdf::u64* const high = all.cell(s.store + 1);
  auto const rows = [&](auto&& f) {
#pragma unroll 1
    for (int i = 0; i < items; i++) {
      gdf::i128 const value = f(i);
      low[i * threads] = static_cast<gdf::u64>(value);
      high[i * threads] = static_cast<gdf::u64>(static_cast<gdf::u128>(value) >> 64);
    }
  };
  auto const words = [&](auto&& f) {
#pragma unroll 1
    for (int i = 0; i < items; i++) { low[i * threads] = f(i); }
  };
  auto const test = [&](auto&& holds) {
    uint32_t truth = 0;
#pragma unroll 1
    for (int i = 0; i < items; i++) { truth |= (holds(a.wide(i), b.wide(i)) ? 1u : 0u) << i; }
    return truth;
  };
  auto const choose = [&](uint32_t first) {
    rows([&](int i) { return (first >> i & 1) != 0 ? a.wide(i) : b.wide(i); });
    all.keep(s.store, {(a.bits.valid & first) | (b.bits.valid & ~first), 0});
  };
  switch (static_cast<opcode>(s.operation)) {
    case opcode::null:
      rows([](int) { return gdf::i128{0}; });
      all.keep(s.store, {0, 0});
      return;
    case opcode::arithmetic: {
      struct {
        int32_t bits;
      } const how = {s.extra};
      using C = gdf::i128;
      using of = binaryop::integers<C>;
#define EXPRESSION_WIDE_CASE(name, integer, floating)   \
  case binaryop::name:                                  \
    rows([&](int i) {                                   \
      C const x = a.wide(i);                            \
      C const y = b.wide(i);                            \
      return static_cast<C>(integer);                   \
    });                                                 \
    break;
      constexpr binaryop::no_functor<C> none;
      switch (s.code) {
        BINARY_ARITHMETIC(EXPRESSION_WIDE_CASE)
        default: gdf::invalid_code();
      }
      all.keep(s.store, {a.bits.valid & b.bits.valid, 0});
      return;
    }
    case opcode::convert:
      switch (static_cast<lane>(s.code)) {
        case lane::boolean: rows([&](int i) { return static_cast<gdf::i128>(a.bits.truth >> i & 1); }); break;
        case lane::i64:
          rows([&](int i) { return static_cast<gdf::i128>(static_cast<int64_t>(a.low[i * a.stride])); });
          break;
        case lane::u64: rows([&](int i) { return static_cast<gdf::i128>(a.low[i * a.stride]); }); break;
        case lane::f32:
        case lane::f64:
        case lane::i128: gdf::invalid_code(); // no operation converts floats to integers of 128 bits
      }
      all.keep(s.store, {a.bits.valid, 0});
      return;
    case opcode::narrow:
      switch (static_cast<lane>(s.code)) {
        case lane::i64:
        case lane::u64: words([&](int i) { return static_cast<gdf::u64>(a.low[i * a.stride]); }); break;
        case lane::f32: words([&](int i) { return to_cell(gdf::narrow<float>(a.wide(i))); }); break;
        case lane::f64: words([&](int i) { return to_cell(gdf::narrow<double>(a.wide(i))); }); break;
        case lane::boolean:
        case lane::i128: gdf::invalid_code();
      }
      all.keep(s.store, {a.bits.valid, 0});
      return;
    case opcode::compare: {
      uint32_t truth = 0;
      switch (static_cast<binaryop::order>(s.code)) {
        case binaryop::equal: truth = test([](gdf::i128 x, gdf::i128 y) { return x == y; }); break;
        case binaryop::less: truth = test([](gdf::i128 x, gdf::i128 y) { return x < y; }); break;
        case binaryop::less_equal: truth = test([](gdf::i128 x, gdf::i128 y) { return x <= y; }); break;
      }
      all.keep(s.store, {a.bits.valid & b.bits.valid, s.extra != 0 ? ~truth : truth});
      return;
    }
    case opcode::not_zero: {
      uint32_t truth = 0;
#pragma unroll 1
      for (int i = 0; i < items; i++) { truth |= (a.wide(i) != 0 ? 1u : 0u) << i; }
      all.keep(s.store, {a.bits.valid, truth});
      return;
    }
    case opcode::is_valid: all.keep(s.store, {~0u, a.bits.valid}); return;
    case opcode::valid_if:
      rows([&](int i) { return a.wide(i); });
      all.keep(s.store, {a.bits.valid & c.valid & c.truth, 0});
      return;
    case opcode::select: choose(c.valid & c.truth); return;
    case opcode::coalesce: choose(a.bits.valid); return;
    case opcode::load:
    case opcode::valid:
    case opcode::wrap:
    case opcode::logic:
    case opcode::invert:
    case opcode::rounding:
    case opcode::sign:
    case opcode::bit_count:
    case opcode::component:
    case opcode::text:
    case opcode::prefix:
    case opcode::decide:
    case opcode::emit: break;
  }
  gdf::invalid_code();
}

/// [thread] Extracts a component from ticks in the lane i64.
template <int threads, int items>
static __device__ __noinline__ void component_step(const slots<threads, items> all, const program& p, const step& s) {
  source<threads, items> const ticks(all, p, s.a);
  constant const* const c = &p.constants[s.extra];
  datetime::extraction const how = {{static_cast<int64_t>(c[0].low), c[0].high, static_cast<int64_t>(c[1].low)},
                                    {static_cast<int64_t>(c[2].low), c[2].high, static_cast<int64_t>(c[3].low)},
                                    static_cast<int64_t>(c[1].high),
                                    s.code};
  uint32_t truth = 0;
  auto const each = [&](auto&& f) {
#pragma unroll 1
    for (int i = 0; i < items; i++) {
      all.cell(s.store)[i * threads] = to_cell(static_cast<int64_t>(f(static_cast<int64_t>(ticks.low[i * ticks.stride]))));
    }
  };
  switch (static_cast<datetime::component>(s.code)) {
    case datetime::component::is_leap_year:
      datetime::extract<bool>(how, [&](auto&& f) {
#pragma unroll 1
        for (int i = 0; i < items; i++) { truth |= (f(static_cast<int64_t>(ticks.low[i * ticks.stride])) ? 1u : 0u) << i; }
      });
      break;
    case datetime::component::year:
    case datetime::component::iso_year:
    case datetime::component::last_day_of_month: datetime::extract<int32_t>(how, each); break;
    case datetime::component::month:
    case datetime::component::day:
    case datetime::component::weekday:
    case datetime::component::hour:
    case datetime::component::minute:
    case datetime::component::second:
    case datetime::component::millisecond:
    case datetime::component::microsecond:
    case datetime::component::nanosecond:
    case datetime::component::day_of_year:
    case datetime::component::quarter:
    case datetime::component::days_in_month:
    case datetime::component::iso_week: datetime::extract<int16_t>(how, each); break;
  }
  all.keep(s.store, {ticks.bits.valid, truth});
}

} // namespace expression
