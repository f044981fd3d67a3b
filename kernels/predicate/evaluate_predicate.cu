// predicate::evaluate_predicate: evaluates conditions on several columns, joined by `and` and `or`, in one pass. The
// conditions are a program in postfix order, which is the same for all rows. Once the result of a row is decided, the
// following steps do not load values of this row.

#include <gdf/index.cuh>
#include <gdf/item_bits.cuh>
#include <gdf/invalid_code.cuh>
#include <gdf/ordered.cuh>
#include <gdf/table.cuh>

namespace predicate {

constexpr int max_columns = 16;
constexpr int max_steps = 48;
constexpr int max_waiting = 4;

/// The test that a step applies to each row of its column.
enum class test : int32_t {
  boolean = 0,
  valid = 1,
  /// Whether the value is between `low` and `high`, which are stored in the column's type. The test is false for NaN.
  range = 2,
  equal = 3,
  less = 4,
  less_equal = 5,
  /// Whether the value is the text of `size` bytes in `low`, `high`, `third` and `fourth`.
  text = 6,
  /// Whether the value starts with the text of `size` bytes in `low`, `high`, `third` and `fourth`.
  starts_with = 7,
  never = 8,
  /// Combines the last two results, without testing a column.
  joined = 9,
  /// Whether the value is in a set of values. The other column has the set as `high` bits, and bit `value - low`
  /// belongs to the value.
  key = 10,
  /// Does the same as text, for a column whose texts all have `size` bytes.
  even_text = 11,
};

/// The way the result of a step is combined with earlier results. The last two values begin conditions whose result is
/// later joined with the last result by `both` or `either`: rows that the last result decides are not tested.
enum class combine : int32_t {
  push = 0,
  both = 1,
  either = 2,
  push_for_both = 3,
  push_for_either = 4,
};

/// A step of the program: a condition, or an operation on results.
struct step {
  int32_t test;
  int32_t combine;
  int32_t column;
  int32_t other;   // the other column of equal, less and less_equal, the bits of key; otherwise -1
  int32_t negated; // not 0: the values are inverted, and nulls stay null
  int32_t size;    // size of the text, for text, starts_with and even_text
  gdf::u64 low;
  gdf::u64 high;
  gdf::u64 third;
  gdf::u64 fourth;
};

/// The steps in the order of execution. The last result is the result of the rows.
struct program {
  step steps[max_steps];
  int32_t count;
  int32_t unused;
};

/// The values and the validity of a thread's rows, a bit for each row.
struct truth {
  uint32_t value;
  uint32_t valid;
};

GDF_DEVICE truth join(int32_t how, truth a, truth b) {
  uint32_t const both = a.valid & b.valid;
  uint32_t const either = (a.valid & a.value) | (b.valid & b.value);
  switch (static_cast<combine>(how)) {
    case combine::both: return {a.value & b.value, both | (a.valid & ~a.value) | (b.valid & ~b.value)};
    case combine::either: return {either, both | either};
    default: return gdf::invalid_code<truth>();
  }
}

/// [thread] Returns the mask of the rows whose result is decided by the first operand. For such a row, the result is
/// the same for any value of the other operand.
GDF_DEVICE uint32_t decided(int32_t how, truth a) {
  switch (static_cast<combine>(how)) {
    case combine::both:
    case combine::push_for_both: return a.valid & ~a.value;
    case combine::either:
    case combine::push_for_either: return a.valid & a.value;
    case combine::push: return 0;
    default: return gdf::invalid_code<uint32_t>();
  }
}

/// [thread] Returns a bit for each of the `wanted` rows.
template <int items, class Is>
GDF_DEVICE uint32_t test_rows(uint32_t wanted, Is&& is) {
  uint32_t result = 0;
#pragma unroll
  for (int i = 0; i < items; i++) {
    if ((wanted >> i & 1) != 0 && is(i)) { result |= 1u << i; }
  }
  return result;
}

template <int items, class T>
GDF_DEVICE void load_values(const gdf::column_in& column, uint32_t wanted, int64_t row, T (&value)[items]) {
  gdf::values<T> const rows(column);
#pragma unroll
  for (int i = 0; i < items; i++) { value[i] = (wanted >> i & 1) != 0 ? rows[row + 32 * i] : T{}; }
}

template <class T>
GDF_DEVICE T stored(gdf::u64 bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}

template <int items, class T>
GDF_DEVICE uint32_t compare(const gdf::table_in<max_columns>& table, const step& s, uint32_t wanted, int64_t row) {
  T value[items];
  load_values(table.column[s.column], wanted, row, value);
  if (static_cast<test>(s.test) == test::range) {
    T const low = stored<T>(s.low);
    T const high = stored<T>(s.high);
    return test_rows<items>(~0u, [&](int i) { return low <= value[i] && value[i] <= high; });
  }
  T other[items];
  load_values(table.column[s.other], wanted, row, other);
  switch (static_cast<test>(s.test)) {
    case test::equal: return test_rows<items>(~0u, [&](int i) { return value[i] == other[i]; });
    case test::less: return test_rows<items>(~0u, [&](int i) { return value[i] < other[i]; });
    case test::less_equal: return test_rows<items>(~0u, [&](int i) { return value[i] <= other[i]; });
    default: return gdf::invalid_code<uint32_t>();
  }
}

template <int items>
GDF_DEVICE uint32_t compare_even_text(const gdf::column_in& column, const step& s, uint32_t wanted, int64_t row) {
  auto const first = gdf::load_offset(column.offsets, column.flags & gdf::wide_offsets, column.offset);
  auto const* const texts = static_cast<const uint8_t*>(column.data) + first;
  uint32_t result = wanted;
#pragma unroll 1
  for (int b = 0; b < s.size; b++) {
    auto const byte = static_cast<uint8_t>(s.low >> 8 * b);
    result &= test_rows<items>(wanted, [&](int i) { return __ldg(texts + (row + 32 * i) * s.size + b) == byte; });
  }
  return result;
}

template <int items, class T>
GDF_DEVICE uint32_t test_keys(const gdf::table_in<max_columns>& table, const step& s, uint32_t wanted, int64_t row) {
  T value[items];
  load_values(table.column[s.column], wanted, row, value);
  auto const& bits = table.column[s.other];
  auto const* const words = static_cast<const uint32_t*>(bits.data);
  T const first = stored<T>(s.low);
  return test_rows<items>(wanted, [&](int i) {
    gdf::u64 const at = static_cast<T>(value[i] - first);
    if (at >= s.high) { return false; }
    gdf::u64 const bit = bits.offset + at;
    return (__ldg(words + (bit >> 5)) >> (bit & 31) & 1) != 0;
  });
}

/// [thread] Returns the `left` bytes at `at`, of at most 4, in the low bits. The function reads these bytes alone.
static __device__ __noinline__ uint32_t load_last_bytes(const uint8_t* at, int left) {
  uint32_t word = 0;
  for (int i = 0; i < left && i < 4; i++) { word |= static_cast<uint32_t>(__ldg(at + i)) << 8 * i; }
  return word;
}

/// Compares texts with the text of a step, 4 bytes at a time. The bytes of all rows are loaded at the same time.
/// Aligned words are read where two of them lie inside the texts of the column, and bytes elsewhere.
template <int items, class Offset, class UnsignedOffset>
GDF_DEVICE uint32_t compare_texts(const gdf::column_in& column, const step& s, uint32_t wanted, int64_t row,
                                  int64_t rows) {
  auto const* const offsets = static_cast<const Offset*>(column.offsets) + column.offset;
  auto const* const data = static_cast<const uint8_t*>(column.data);
  bool const prefix = static_cast<test>(s.test) == test::starts_with;
  Offset const bytes = offsets[rows];
  UnsignedOffset const first_beyond = bytes >= 8 ? static_cast<UnsignedOffset>(bytes - 7) : 0;
  Offset begin[items];
  Offset end[items];
#pragma unroll
  for (int i = 0; i < items; i++) {
    bool const is_wanted = (wanted >> i & 1) != 0;
    begin[i] = is_wanted ? offsets[row + 32 * i] : 0;
    end[i] = is_wanted ? offsets[row + 32 * i + 1] : 0;
  }
  uint32_t matches = wanted & test_rows<items>(~0u, [&](int i) {
    Offset const size = end[i] - begin[i];
    return prefix ? size >= s.size : size == s.size;
  });
  gdf::u64 const pairs[4] = {s.low, s.high, s.third, s.fourth};
#pragma unroll 1
  for (int done = 0; done < s.size && __any_sync(~0u, matches != 0); done += 4) {
    int const left = s.size - done;
    auto const expected = static_cast<uint32_t>(pairs[done >> 3] >> (done & 4 ? 32 : 0));
    uint32_t const mask = left < 4 ? (1u << 8 * left) - 1 : ~0u;
    uint2 words[items];
    uint32_t by_bytes = 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      auto const* const at = data + begin[i] + done;
      auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(at) & 3);
      bool const inside = static_cast<UnsignedOffset>(begin[i] + done - misalignment) < first_beyond;
      bool const is_needed = (matches >> i & 1) != 0;
      auto const* const word = reinterpret_cast<const uint32_t*>(at - misalignment);
      words[i] = is_needed && inside ? uint2{__ldg(word), __ldg(word + 1)} : uint2{0, 0};
      if (is_needed && !inside) { by_bytes |= 1u << i; }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      auto const* const at = data + begin[i] + done;
      uint32_t found = __funnelshift_r(words[i].x, words[i].y, 8 * (reinterpret_cast<uintptr_t>(at) & 3));
      if ((by_bytes >> i & 1) != 0) { found = load_last_bytes(at, left); }
      if (((found ^ expected) & mask) != 0) { matches &= ~(1u << i); }
    }
  }
  return matches;
}

template <int items>
GDF_DEVICE uint32_t compare_text(const gdf::column_in& column, const step& s, uint32_t wanted, int64_t row,
                                 int64_t rows) {
  if (column.flags & gdf::wide_offsets) { return compare_texts<items, int64_t, gdf::u64>(column, s, wanted, row, rows); }
  return compare_texts<items, int32_t, uint32_t>(column, s, wanted, row, rows);
}

/// `texts` states whether steps may compare texts: without the code for texts, a thread needs fewer registers.
template <int items, bool texts>
GDF_DEVICE truth evaluate(const gdf::table_in<max_columns>& table, const step& s, uint32_t wanted, int64_t base,
                          int64_t rows) {
  auto const& column = table.column[s.column];
  auto const valid_of = [&](const gdf::column_in& of) { return gdf::valid_items<items>(of, base, rows); };
  truth result = {0, ~0u};
  switch (static_cast<test>(s.test)) {
    case test::never: return {s.negated ? ~0u : 0, ~0u};
    case test::valid: result.value = valid_of(column); break;
    case test::boolean: result.value = gdf::boolean_items<items>(column, base, rows); break;
    case test::text:
    case test::starts_with:
      if constexpr (texts) {
        result.value = compare_text<items>(column, s, wanted, base + gdf::lane(), rows);
      } else {
        gdf::invalid_code();
      }
      break;
    case test::even_text: result.value = compare_even_text<items>(column, s, wanted, base + gdf::lane()); break;
    case test::range:
    case test::equal:
    case test::less:
    case test::less_equal:
      gdf::by_number(column.type, [&]<class T>() {
        if constexpr (sizeof(T) <= 8 && !gdf::is_same<T, gdf::f16>) {
          result.value = compare<items, T>(table, s, wanted, base + gdf::lane());
        }
      });
      break;
    case test::key:
      switch (gdf::width_of(column.type)) {
        case 1: result.value = test_keys<items, uint8_t>(table, s, wanted, base + gdf::lane()); break;
        case 2: result.value = test_keys<items, uint16_t>(table, s, wanted, base + gdf::lane()); break;
        case 4: result.value = test_keys<items, uint32_t>(table, s, wanted, base + gdf::lane()); break;
        default: result.value = test_keys<items, gdf::u64>(table, s, wanted, base + gdf::lane()); break;
      }
      break;
    default: gdf::invalid_code();
  }
  if (static_cast<test>(s.test) != test::valid && column.validity != nullptr) { result.valid = valid_of(column); }
  if (s.other >= 0 && table.column[s.other].validity != nullptr) { result.valid &= valid_of(table.column[s.other]); }
  if (s.negated) { result.value = ~result.value; }
  return result;
}

/// Evaluates the steps for each row. Threads have `threads` and `items` as the kernel's policy states.
template <int threads, int items, bool texts>
GDF_DEVICE void evaluate_steps(const gdf::table_in<max_columns>& table, const program& p, const gdf::column_out& out,
                               gdf::scratch* scratch) {
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    int64_t const left = out.length - base - gdf::lane();
    uint32_t const mine = test_rows<items>(~0u, [&](int i) { return 32 * i < left; });
    truth last = {0, 0};
    uint32_t needed = mine; // the rows that the conditions after a push are tested for
    truth waiting[max_waiting];
    uint32_t needed_before[max_waiting];
    int depth = 0;
    for (int i = 0; i < p.count; i++) {
      step const& s = p.steps[i];
      if (static_cast<test>(s.test) == test::joined) {
        last = join(s.combine, waiting[--depth], last);
        needed = needed_before[depth];
        continue;
      }
      bool const combines = static_cast<combine>(s.combine) == combine::both ||
                            static_cast<combine>(s.combine) == combine::either;
      uint32_t const wanted = needed & ~decided(s.combine, last);
      bool const is_wanted = __any_sync(~0u, wanted != 0);
      if (combines && !is_wanted) { continue; }
      truth const next = is_wanted ? evaluate<items, texts>(table, s, wanted, base, out.length) : truth{0, 0};
      if (!combines && i > 0) {
        waiting[depth] = last;
        needed_before[depth++] = needed;
        needed = wanted;
      }
      last = combines ? join(s.combine, last, next) : next;
    }
    uint32_t const value = last.value & last.valid & mine;
    gdf::store_bits<items>(out, base, gdf::collect<items>([&](int i) { return (value >> i & 1) != 0; }));
    uint32_t const is_valid = last.valid & mine;
    valid += gdf::store_mask<items>(out, base, gdf::collect<items>([&](int i) { return (is_valid >> i & 1) != 0; }));
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

} // namespace predicate

GDF_POLICY(evaluate_predicate, 256, 8, 4);

/// Evaluates the steps of `p` for each row. No step compares texts, other than texts of one size. Each column has
/// out.length rows and is not broadcast, except the bits of a test of keys, which have no nulls. `out` is boolean.
extern "C" __global__ void GDF_BOUNDS(evaluate_predicate)
evaluate_predicate_kernel(const __grid_constant__ gdf::table_in<predicate::max_columns> table,
                          const __grid_constant__ predicate::program p,
                          const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  using tuning = evaluate_predicate_tuning;
  predicate::evaluate_steps<tuning::threads, tuning::items, false>(table, p, out, scratch);
}

GDF_POLICY(evaluate_text_predicate, 256, 4, 4);

/// Does the same as evaluate_predicate, for steps that may compare texts.
extern "C" __global__ void GDF_BOUNDS(evaluate_text_predicate)
evaluate_text_predicate_kernel(const __grid_constant__ gdf::table_in<predicate::max_columns> table,
                               const __grid_constant__ predicate::program p,
                               const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  using tuning = evaluate_text_predicate_tuning;
  predicate::evaluate_steps<tuning::threads, tuning::items, true>(table, p, out, scratch);
}
