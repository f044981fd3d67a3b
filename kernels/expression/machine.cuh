// The machine that evaluates an expression for the rows of a warp. The machine executes the steps in order, and each
// step for all rows. The steps are the same for all threads, so branches on the opcode do not diverge.
//
// A thread has `items` rows, 32 rows apart. The result of a step is cells of 64 or 128 bits in the thread's
// accumulator. Results for later steps are stored in slots of shared memory. Only the thread itself reads its slots, so
// the threads need no barrier. Truth values and validity are a bit per row.
#pragma once

#include <gdf/civil.cuh>
#include <gdf/elementwise.cuh>
#include <gdf/half.cuh>
#include <gdf/text_prefix.cuh>

#include "program.cuh"

#include "../binaryop/functors.cuh"
#include "../datetime/component.cuh"
#include "../unary/rounding.cuh"

namespace expression {

/// The functors of floats whose results have the same bits on all devices.
template <class C>
struct exact_floats : binaryop::floats<C> {
  static GDF_DEVICE C pow(C, C) { return gdf::invalid_code<C>(); }
  static GDF_DEVICE C log_base(C, C) { return gdf::invalid_code<C>(); }
  static GDF_DEVICE C atan2(C, C) { return gdf::invalid_code<C>(); }
};

/// Cells of a thread's rows, and a bit per row: whether the row is valid, and the value of a boolean.
template <int items>
struct cells {
  gdf::u64 low[items];
  gdf::u64 high[items];
  uint32_t valid;
  uint32_t truth;
};

/// [thread] Converts a cell to C.
template <class C>
GDF_DEVICE C of_cell(gdf::u64 low, gdf::u64 high) {
  if constexpr (gdf::is_same<C, double>) {
    return __longlong_as_double(static_cast<long long>(low));
  } else if constexpr (gdf::is_same<C, float>) {
    return __uint_as_float(static_cast<uint32_t>(low));
  } else if constexpr (gdf::is_same<C, gdf::i128>) {
    return static_cast<gdf::i128>(static_cast<gdf::u128>(high) << 64 | low);
  } else {
    return static_cast<C>(low);
  }
}

template <class C, int items>
GDF_DEVICE void to_cell(const C& value, cells<items>& to, int i) {
  if constexpr (gdf::is_same<C, double>) {
    to.low[i] = static_cast<gdf::u64>(__double_as_longlong(value));
  } else if constexpr (gdf::is_same<C, float>) {
    to.low[i] = __float_as_uint(value);
  } else if constexpr (gdf::is_same<C, gdf::i128>) {
    to.low[i] = static_cast<gdf::u64>(value);
    to.high[i] = static_cast<gdf::u64>(static_cast<gdf::u128>(value) >> 64);
  } else {
    to.low[i] = static_cast<gdf::u64>(value);
  }
}

/// [thread] Calls `body.template operator()<C>()` with the type in which a numeric lane computes.
template <class Body>
GDF_DEVICE void by_lane(int32_t form, Body&& body) {
  switch (static_cast<lane>(form)) {
    case lane::i64: body.template operator()<int64_t>(); return;
    case lane::u64: body.template operator()<uint64_t>(); return;
    case lane::f32: body.template operator()<float>(); return;
    case lane::f64: body.template operator()<double>(); return;
    case lane::i128: body.template operator()<gdf::i128>(); return;
    default: gdf::invalid_code();
  }
}

/// [thread] Stores the rows base + 32 i + lane of a result as the type of the output. The type keeps all bits.
template <class C, int items>
GDF_DEVICE void store_lane(const gdf::column_out& out, int64_t base, const C (&rows)[items]) {
  if constexpr (gdf::is_same<C, int64_t>) {
    if (out.type == static_cast<int32_t>(gdf::type::i128)) {
      gdf::store_as<gdf::i128>(out, base, rows);
      return;
    }
  }
  gdf::store_rows(out, base, rows);
}

/// A text of at most 16 bytes, with zeros behind its end.
struct text_test {
  gdf::u64 low;
  gdf::u64 high;
  int64_t size;
  bool prefix; // the test is whether a row begins with the text
};

/// [thread] Returns a bit for each of the thread's `wanted` rows whose text passes the test. The offsets of row i begin
/// at `first + 32 i`, and the offset at `end` is the last one. The function is not inlined, because its code would cost
/// the other steps registers.
template <int items>
static __device__ __noinline__ uint32_t test_texts(const void* data, const void* offsets, bool wide, int64_t first,
                                                   int64_t end, uint32_t wanted, text_test test) {
  int64_t const bytes = gdf::load_offset(offsets, wide, end);
  uint32_t truth = 0;
#pragma unroll
  for (int i = 0; i < items; i++) {
    if ((wanted >> i & 1) == 0) { continue; }
    int64_t const row = first + 32 * i;
    gdf::extent e = {gdf::load_offset(offsets, wide, row), gdf::load_offset(offsets, wide, row + 1)};
    if (test.prefix ? e.size() < test.size : e.size() != test.size) { continue; }
    e.end = e.begin + test.size;
    gdf::extent const one[1] = {e};
    gdf::text_prefix<4> begin[1];
    gdf::load_prefixes<4, 1>(static_cast<const uint8_t*>(data), bytes, one, begin);
    truth |= (begin[0].pair(0) == test.low && begin[0].pair(1) == test.high ? 1u : 0u) << i;
  }
  return truth;
}

/// The state of a thread while it evaluates a tile.
template <int threads, int items>
struct machine {
  const gdf::column_in* columns;
  const program& p;
  gdf::u64* shared; // the slots: cells [item][thread], followed by the validity of each [slot][thread]
  int64_t base;     // the first row of the warp; row i of the thread is base + 32 i + lane
  int64_t rows;
  uint32_t wanted;  // the rows whose results are used
  cells<items> acc;

  GDF_DEVICE gdf::u64& cell(int slot, int i) {
    return shared[(slot * items + i) * threads + static_cast<int>(threadIdx.x)];
  }
  GDF_DEVICE uint32_t& validity(int slot) {
    auto* const words = reinterpret_cast<uint32_t*>(shared + p.slots * items * threads);
    return words[slot * threads + static_cast<int>(threadIdx.x)];
  }

  /// [thread] Loads the cells of an operand as C into `to`, and returns their validity.
  template <class C>
  GDF_DEVICE uint32_t fetch(int32_t operand, C (&to)[items]) {
    constexpr bool wide = sizeof(C) == 16;
    if (operand <= first_constant) {
      constant const& value = p.constants[first_constant - operand];
      C const one = of_cell<C>(value.low, value.high);
#pragma unroll
      for (int i = 0; i < items; i++) { to[i] = one; }
      return ~0u;
    }
    if (operand == accumulator) {
#pragma unroll
      for (int i = 0; i < items; i++) { to[i] = of_cell<C>(acc.low[i], acc.high[i]); }
      return acc.valid;
    }
#pragma unroll
    for (int i = 0; i < items; i++) { to[i] = of_cell<C>(cell(operand, i), wide ? cell(operand + 1, i) : 0); }
    return validity(operand);
  }

  /// [thread] Returns the values of a boolean operand. `valid` becomes their validity.
  GDF_DEVICE uint32_t fetch_truth(int32_t operand, uint32_t& valid) {
    if (operand <= first_constant) {
      valid = ~0u;
      return p.constants[first_constant - operand].low != 0 ? ~0u : 0u;
    }
    if (operand == accumulator) {
      valid = acc.valid;
      return acc.truth;
    }
    valid = validity(operand);
    return static_cast<uint32_t>(cell(operand, 0));
  }

  GDF_DEVICE uint32_t fetch_valid(int32_t operand) {
    return operand <= first_constant ? ~0u : operand == accumulator ? acc.valid : validity(operand);
  }

  /// [thread] Copies the accumulator to a slot.
  GDF_DEVICE void store(int32_t form, int32_t slot) {
    validity(slot) = acc.valid;
    if (static_cast<lane>(form) == lane::boolean) {
      cell(slot, 0) = acc.truth;
      return;
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      cell(slot, i) = acc.low[i];
      if (static_cast<lane>(form) == lane::i128) { cell(slot + 1, i) = acc.high[i]; }
    }
  }

  /// [warp] Returns the bits of each thread's rows, from words of 32 rows. Lane i of the warp has word i.
  GDF_DEVICE uint32_t of_words(uint32_t word) const {
    uint32_t result = 0;
#pragma unroll
    for (int i = 0; i < items; i++) { result |= (__shfl_sync(~0u, word, i) >> gdf::lane() & 1) << i; }
    return result;
  }

  /// [warp] Returns the validity of the thread's rows of a column.
  GDF_DEVICE uint32_t valid_of(const gdf::column_in& column) const {
    if (column.validity == nullptr) { return ~0u; }
    int64_t const mine = base + gdf::lane() * 32;
    bool const has_word = gdf::lane() < items && mine < rows;
    return of_words(has_word ? gdf::valid_word(column, mine, rows) : 0);
  }

  template <class C, class S>
  GDF_DEVICE void load_as(const gdf::column_in& column) {
    gdf::values<S> const stored(column);
    S value[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      value[i] = (wanted >> i & 1) != 0 ? stored[base + 32 * i + gdf::lane()] : S{};
    }
#pragma unroll
    for (int i = 0; i < items; i++) { to_cell(gdf::widen<C>(value[i]), acc, i); }
  }

  /// [warp]
  GDF_DEVICE void load(const step& s) {
    auto const& column = columns[s.code];
    acc.valid = valid_of(column);
    switch (static_cast<gdf::type>(column.type)) {
      case gdf::type::boolean: {
        int64_t const mine = base + gdf::lane() * 32;
        bool const has_word = gdf::lane() < items && mine < rows;
        acc.truth = of_words(has_word ? gdf::boolean_word(column, mine, rows) : 0);
        return;
      }
      case gdf::type::i8: load_as<int64_t, int8_t>(column); return;
      case gdf::type::i16: load_as<int64_t, int16_t>(column); return;
      case gdf::type::i32: load_as<int64_t, int32_t>(column); return;
      case gdf::type::u8: load_as<int64_t, uint8_t>(column); return;
      case gdf::type::u16: load_as<int64_t, uint16_t>(column); return;
      case gdf::type::u32: load_as<int64_t, uint32_t>(column); return;
      case gdf::type::i64:
      case gdf::type::u64: load_as<int64_t, int64_t>(column); return;
      case gdf::type::f16: load_as<float, gdf::f16>(column); return;
      case gdf::type::f32: load_as<float, float>(column); return;
      case gdf::type::f64: load_as<double, double>(column); return;
      case gdf::type::i128:
        // The host loads numbers that are known to fit as integers of 64 bits.
        if (static_cast<lane>(s.form) == lane::i128) {
          load_as<gdf::i128, gdf::i128>(column);
        } else {
          load_as<int64_t, gdf::i128>(column);
        }
        return;
      default: gdf::invalid_code();
    }
  }

  template <class C>
  GDF_DEVICE void arithmetic(const step& s) {
    C x_rows[items];
    C y_rows[items];
    uint32_t const left = fetch(s.a, x_rows);
    uint32_t const right = fetch(s.b, y_rows);
    struct {
      int32_t bits;
    } const how = {s.extra};
    constexpr binaryop::no_functor<C> none;
    auto const each = [&](auto&& f) {
#pragma unroll
      for (int i = 0; i < items; i++) { to_cell(static_cast<C>(f(x_rows[i], y_rows[i])), acc, i); }
    };
#define EXPRESSION_INTEGER_CASE(name, integer, floating) \
  case binaryop::name: each([&](C x, C y) { return static_cast<C>(integer); }); break;
#define EXPRESSION_FLOAT_CASE(name, integer, floating) \
  case binaryop::name: each([&](C x, C y) { return static_cast<C>(floating); }); break;
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
    acc.valid = left & right;
  }

  /// [thread] Converts an operand from the lane `s.code` to C. A number of 128 bits fills both words of its cell.
  template <class C>
  GDF_DEVICE void convert(const step& s) {
    auto const from = [&]<class S>() {
      if constexpr (gdf::is_same<C, gdf::i128> && gdf::is_float<S>) {
        gdf::invalid_code(); // no operation converts floats to integers of 128 bits
      } else {
        S value[items];
        acc.valid = fetch(s.a, value);
#pragma unroll
        for (int i = 0; i < items; i++) { to_cell(gdf::narrow<C>(value[i]), acc, i); }
      }
    };
    if (static_cast<lane>(s.code) == lane::boolean) {
      uint32_t const truth = fetch_truth(s.a, acc.valid);
#pragma unroll
      for (int i = 0; i < items; i++) { to_cell(static_cast<C>(truth >> i & 1), acc, i); }
    } else {
      by_lane(s.code, from);
    }
  }

  template <class S>
  GDF_DEVICE void wrap_to(const step& s) {
    if constexpr (gdf::is_same<S, gdf::f16>) {
      float value[items];
      acc.valid = fetch(s.a, value);
#pragma unroll
      for (int i = 0; i < items; i++) { to_cell(__half2float(__float2half_rn(value[i])), acc, i); }
    } else {
      int64_t value[items];
      acc.valid = fetch(s.a, value);
#pragma unroll
      for (int i = 0; i < items; i++) { to_cell(static_cast<int64_t>(static_cast<S>(value[i])), acc, i); }
    }
  }

  GDF_DEVICE void wrap(const step& s) {
    switch (static_cast<gdf::type>(s.code)) {
      case gdf::type::i8: wrap_to<int8_t>(s); return;
      case gdf::type::i16: wrap_to<int16_t>(s); return;
      case gdf::type::i32: wrap_to<int32_t>(s); return;
      case gdf::type::u8: wrap_to<uint8_t>(s); return;
      case gdf::type::u16: wrap_to<uint16_t>(s); return;
      case gdf::type::u32: wrap_to<uint32_t>(s); return;
      case gdf::type::f16: wrap_to<gdf::f16>(s); return;
      default: gdf::invalid_code();
    }
  }

  template <class C>
  GDF_DEVICE void compare(const step& s) {
    C a[items];
    C b[items];
    uint32_t const left = fetch(s.a, a);
    uint32_t const right = fetch(s.b, b);
    auto const bits = [&](auto&& holds) {
      uint32_t truth = 0;
#pragma unroll
      for (int i = 0; i < items; i++) { truth |= (holds(a[i], b[i]) ? 1u : 0u) << i; }
      return truth;
    };
    uint32_t truth = 0;
    switch (s.code) {
      case binaryop::equal: truth = bits([](C x, C y) { return x == y; }); break;
      case binaryop::less: truth = bits([](C x, C y) { return x < y; }); break;
      case binaryop::less_equal: truth = bits([](C x, C y) { return x <= y; }); break;
      default: gdf::invalid_code();
    }
    acc.truth = s.extra != 0 ? ~truth : truth;
    acc.valid = left & right;
  }

  GDF_DEVICE void logic(const step& s) {
    struct {
      uint32_t value;
      uint32_t valid;
    } a, b;
    a.value = fetch_truth(s.a, a.valid);
    b.value = fetch_truth(s.b, b.valid);
    uint32_t const both = a.valid & b.valid;
    uint32_t const either = a.valid | b.valid;
    uint32_t const differ = a.value ^ b.value;
#define EXPRESSION_LOGIC_CASE(name, value, validity) \
  case binaryop::name:                               \
    acc.truth = value;                               \
    acc.valid = validity;                            \
    return;
    switch (s.code) {
      BINARY_LOGIC(EXPRESSION_LOGIC_CASE)
      default: gdf::invalid_code();
    }
  }

  /// [thread] Returns the cells of an operand as raw bits, and the validity of the rows.
  GDF_DEVICE cells<items> fetch_cells(int32_t form, int32_t operand) {
    cells<items> result;
    if (static_cast<lane>(form) == lane::boolean) {
      result.truth = fetch_truth(operand, result.valid);
      return result;
    }
    if (static_cast<lane>(form) == lane::i128) {
      gdf::i128 value[items];
      result.valid = fetch(operand, value);
#pragma unroll
      for (int i = 0; i < items; i++) { to_cell(value[i], result, i); }
    } else {
      result.valid = fetch(operand, result.low);
    }
    return result;
  }

  /// [thread] Takes a row from `a` if its bit in `first` is set, and from `b` otherwise.
  GDF_DEVICE void choose(uint32_t first, const cells<items>& a, const cells<items>& b) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      bool const is_first = (first >> i & 1) != 0;
      acc.low[i] = is_first ? a.low[i] : b.low[i];
      acc.high[i] = is_first ? a.high[i] : b.high[i];
    }
    acc.truth = (a.truth & first) | (b.truth & ~first);
    acc.valid = (a.valid & first) | (b.valid & ~first);
  }

  template <class C>
  GDF_DEVICE void rounding(const step& s) {
    C value[items];
    acc.valid = fetch(s.a, value);
#pragma unroll
    for (int i = 0; i < items; i++) { to_cell(unary_operation::apply_rounding(s.code, value[i]), acc, i); }
  }

  /// [thread] Extracts a component from ticks in the lane i64. The result is in the lane i64, or is a boolean.
  GDF_DEVICE void component(const step& s) {
    constant const* const c = &p.constants[s.extra];
    datetime::extraction const how = {{static_cast<int64_t>(c[0].low), c[0].high, static_cast<int64_t>(c[1].low)},
                                      {static_cast<int64_t>(c[2].low), c[2].high, static_cast<int64_t>(c[3].low)},
                                      static_cast<int64_t>(c[1].high),
                                      s.code};
    int64_t ticks[items];
    acc.valid = fetch(s.a, ticks);
    if (static_cast<datetime::component>(s.code) == datetime::component::is_leap_year) {
      acc.truth = 0;
      datetime::extract<bool>(how, [&](auto&& f) {
#pragma unroll
        for (int i = 0; i < items; i++) { acc.truth |= (f(ticks[i]) ? 1u : 0u) << i; }
      });
      return;
    }
    auto const each = [&](auto&& f) {
#pragma unroll
      for (int i = 0; i < items; i++) { to_cell(static_cast<int64_t>(f(ticks[i])), acc, i); }
    };
    switch (static_cast<datetime::component>(s.code)) {
      case datetime::component::year:
      case datetime::component::iso_year:
      case datetime::component::last_day_of_month: datetime::extract<int32_t>(how, each); return;
      default: datetime::extract<int16_t>(how, each); return;
    }
  }

  /// [warp] The tests text and prefix, for the wanted rows that are not null.
  GDF_DEVICE void text(const step& s, bool prefix) {
    auto const& column = columns[s.code];
    text_test const test = {p.constants[s.extra].low, p.constants[s.extra].high,
                            static_cast<int64_t>(p.constants[s.extra + 1].low), prefix};
    acc.valid = valid_of(column);
    acc.truth = test_texts<items>(column.data, column.offsets, (column.flags & gdf::wide_offsets) != 0,
                                  column.offset + base + gdf::lane(), column.offset + rows, wanted & acc.valid, test);
  }

  /// [warp] Runs all steps for the rows of the warp, of which `mine` exist. `emit(output, lane)` takes the accumulator.
  template <class Emit>
  GDF_DEVICE void run(int64_t first_row, uint32_t mine, Emit&& emit) {
    base = first_row;
    wanted = mine;
#pragma unroll 1
    for (int at = 0; at < p.count; at++) {
      step const& s = p.steps[at];
      switch (static_cast<opcode>(s.operation)) {
        case opcode::load: load(s); break;
        case opcode::valid:
          acc.truth = valid_of(columns[s.code]);
          acc.valid = ~0u;
          break;
        case opcode::null:
#pragma unroll
          for (int i = 0; i < items; i++) { acc.low[i] = acc.high[i] = 0; }
          acc.truth = acc.valid = 0;
          break;
        case opcode::arithmetic: by_lane(s.form, [&]<class C>() { arithmetic<C>(s); }); break;
        case opcode::convert: by_lane(s.form, [&]<class C>() { convert<C>(s); }); break;
        case opcode::wrap: wrap(s); break;
        case opcode::compare: by_lane(s.form, [&]<class C>() { compare<C>(s); }); break;
        case opcode::not_zero:
          by_lane(s.form, [&]<class C>() {
            C value[items];
            acc.valid = fetch(s.a, value);
            acc.truth = 0;
#pragma unroll
            for (int i = 0; i < items; i++) { acc.truth |= (value[i] != C{0} ? 1u : 0u) << i; }
          });
          break;
        case opcode::logic: logic(s); break;
        case opcode::invert: acc.truth = ~fetch_truth(s.a, acc.valid); break;
        case opcode::is_valid:
          acc.truth = fetch_valid(s.a);
          acc.valid = ~0u;
          break;
        case opcode::valid_if: {
          cells<items> const value = fetch_cells(s.form, s.a);
          uint32_t valid;
          uint32_t const truth = fetch_truth(s.b, valid);
          acc = value;
          acc.valid &= truth & valid;
          break;
        }
        case opcode::select: {
          uint32_t valid;
          uint32_t const truth = fetch_truth(s.a, valid);
          cells<items> const yes = fetch_cells(s.form, s.b);
          choose(truth & valid, yes, fetch_cells(s.form, s.c));
          break;
        }
        case opcode::coalesce: {
          cells<items> const first = fetch_cells(s.form, s.a);
          choose(first.valid, first, fetch_cells(s.form, s.b));
          break;
        }
        case opcode::rounding:
          if (static_cast<lane>(s.form) == lane::f32) {
            rounding<float>(s);
          } else {
            rounding<double>(s);
          }
          break;
        case opcode::sign: {
          cells<items> const value = fetch_cells(s.form, s.a);
          gdf::u64 const sign = static_cast<lane>(s.form) == lane::f32 ? 1ull << 31 : 1ull << 63;
#pragma unroll
          for (int i = 0; i < items; i++) { acc.low[i] = s.code != 0 ? value.low[i] & ~sign : value.low[i] ^ sign; }
          acc.valid = value.valid;
          break;
        }
        case opcode::bit_count: {
          uint64_t value[items];
          acc.valid = fetch(s.a, value);
#pragma unroll
          for (int i = 0; i < items; i++) { to_cell(static_cast<int64_t>(__popcll(value[i])), acc, i); }
          break;
        }
        case opcode::component: component(s); break;
        case opcode::text: text(s, false); break;
        case opcode::prefix: text(s, true); break;
        case opcode::keep: {
          uint32_t valid;
          uint32_t const truth = fetch_truth(s.a, valid);
          wanted &= truth & valid;
          if (!__any_sync(~0u, wanted != 0)) { return; }
          break;
        }
        case opcode::emit:
          if (s.a != accumulator) { acc = fetch_cells(s.form, s.a); }
          emit(s.code, s.form);
          break;
        default: gdf::invalid_code();
      }
      if (s.store >= 0) { store(result_form(s), s.store); }
    }
  }

  /// [thread] Returns the lane of a step's result.
  static GDF_DEVICE int32_t result_form(const step& s) {
    switch (static_cast<opcode>(s.operation)) {
      case opcode::valid:
      case opcode::compare:
      case opcode::not_zero:
      case opcode::logic:
      case opcode::invert:
      case opcode::is_valid:
      case opcode::text:
      case opcode::prefix: return static_cast<int32_t>(lane::boolean);
      case opcode::component:
        return static_cast<int32_t>(
          static_cast<datetime::component>(s.code) == datetime::component::is_leap_year ? lane::boolean : lane::i64);
      default: return s.form;
    }
  }
};

} // namespace expression
