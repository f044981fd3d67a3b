// groupby::aggregate: hash aggregation of many rows, for tables with few groups, or with a few groups that have most of
// the rows.
//
// Each block has a table of groups in shared memory. At its end, the block merges its accumulators into the global
// accumulators. If there are few groups, a block has several copies of the accumulators, so that fewer lanes of a warp
// update the same word. A row whose group does not fit in the table of the block is merged into the global table, which
// is mostly in the L2 cache.

#include <gdf/text_prefix.cuh>

#include "accumulate.cuh"

namespace groupby {

/// Special values of `key_text::length`, for texts that are longer than the prefix, and for nulls.
constexpr uint32_t long_text = 33;
constexpr uint32_t null_text = ~0u;

/// The number of 64-bit words of a text's prefix that a block's table stores.
constexpr int text_words = 4;

/// The prefix and the length of a text. The prefix is the whole text unless the length is `long_text`.
struct key_text {
  gdf::text_prefix<8> prefix;
  uint32_t length;
};

GDF_DEVICE key_text text_of(const gdf::row_keys& keys, int64_t row) {
  gdf::column_in const& column = keys.rows.column[0];
  if (!gdf::is_valid(column, row)) { return {{}, null_text}; }
  gdf::extent const e[1] = {gdf::extent_within(column, row, keys.rows.bytes[0])};
  gdf::text_prefix<8> prefix[1];
  gdf::load_prefixes<8>(static_cast<const uint8_t*>(column.data), keys.rows.bytes[0], e, prefix);
  return {prefix[0], e[0].size() < long_text ? static_cast<uint32_t>(e[0].size()) : long_text};
}

/// [thread] Does the same as text_of, but is not inlined, because few rows need it.
static __device__ __noinline__ key_text text_again(const gdf::row_keys& keys, int64_t row) { return text_of(keys, row); }

/// [thread] Returns the probe of a row with this text, which equals the probe that gdf::make_probes computes.
GDF_DEVICE gdf::key_probe text_probe(const gdf::row_keys& keys, int64_t row, const key_text& text) {
  bool has_null = false;
  u64 const hash = text.length < long_text
                     ? gdf::combine_hash(0, gdf::hash_prefix(text.prefix, static_cast<int>(text.length)))
                     : gdf::hash_keys(keys, row, has_null);
  return {hash & ~0xffffffffull | static_cast<uint32_t>(row), hash, 0, !(has_null && keys.exclude & gdf::exclude_nulls)};
}

/// The maximum number of slots that a search examines. Without this limit, a search in a full table would examine all
/// slots.
constexpr int max_probes = 16;

/// The hash table of a block in shared memory, with the accumulators of its groups.
struct local_table {
  u64* word; // one word per slot, and two words for the special slots
  u64* row;  // per group, a row that has its key
  u64* text; // per group, the words of the prefix of its text; only if the key is a text
  unsigned long long* acc;
  uint32_t* id;     // per slot and for the two special slots, the group
  uint32_t* global; // per group, its number in the global table
  uint32_t* length; // per group, the length of its text
  int32_t slots;
  int32_t groups;
  int32_t copies;

  /// Divides `shared` into the arrays of the table. On the host, `local_bytes` computes the number of bytes of these
  /// arrays.
  GDF_DEVICE local_table(unsigned char* shared, const local_plan& plan, int words, bool texts)
    : slots(plan.slots), groups(plan.groups), copies(plan.copies) {
    acc = reinterpret_cast<unsigned long long*>(shared);
    word = acc + int64_t{words} * groups * copies;
    row = word + slots + 2;
    text = row + groups;
    id = reinterpret_cast<uint32_t*>(text + (texts ? text_words * groups : 0));
    global = id + slots + 2;
    length = global + groups;
  }

  GDF_DEVICE int cell(int word, int group) const { return (word * groups + group) * copies; }

  GDF_DEVICE void clear(const steps& steps, uint32_t* count) {
    for (int s = 0; s < steps.count; s++) {
      step const& step = steps.step[s];
      u64 const value = identity(step.op);
      int const first = cell(step.local, 0);
      int const cells = groups * copies * (step.op == add_i128 ? 2 : 1);
      for (int i = static_cast<int>(threadIdx.x); i < cells; i += threads) { acc[first + i] = value; }
    }
    for (int i = static_cast<int>(threadIdx.x); i < slots + 2; i += threads) {
      word[i] = gdf::empty_word;
      id[i] = gdf::no_id;
    }
    if (threadIdx.x == 0) { *count = 0; }
    __syncthreads();
  }

  /// [thread] Returns the group of a key, or no_id if the key has no group. No thread of the block may insert a group
  /// at the same time.
  template <class Same>
  GDF_DEVICE uint32_t find(const gdf::key_probe& probe, Same&& same) const {
    if (probe.special != 0) { return id[slots + probe.special - 1]; }
    int at = static_cast<int>(probe.hash >> 40) & (slots - 1);
    for (int probes = 0; probes < max_probes; probes++) {
      u64 const found = word[at];
      if (found == gdf::empty_word) { return gdf::no_id; }
      if (same(found)) { return id[at]; }
      at = (at + 1) & (slots - 1);
    }
    return gdf::no_id;
  }

  /// [thread] Does the same as find, for a text. `same` compares long texts.
  template <class Same>
  GDF_DEVICE uint32_t find(const gdf::key_probe& probe, const key_text& mine, Same&& same) const {
    int at = static_cast<int>(probe.hash >> 40) & (slots - 1);
    for (int probes = 0; probes < max_probes; probes++) {
      u64 const found = word[at];
      if (found == gdf::empty_word) { return gdf::no_id; }
      if ((found ^ probe.word) >> 32 == 0) {
        uint32_t const group = id[at];
        if (group == gdf::no_id) { return gdf::no_id; }
        u64 difference = length[group] ^ mine.length;
#pragma unroll
        for (int k = 0; k < text_words; k++) { difference |= text[k * groups + group] ^ mine.prefix.pair(k); }
        if (difference == 0 && (mine.length != long_text || same(found))) { return group; }
      }
      at = (at + 1) & (slots - 1);
    }
    return gdf::no_id;
  }

  /// [thread] Inserts a group for a key and returns the number of the group. The function returns no_id if the table
  /// already has the key, or has no space. Other threads find the group after the next barrier.
  template <class Same>
  GDF_DEVICE uint32_t insert(const gdf::key_probe& probe, int64_t r, uint32_t* count, Same&& same) {
    int at;
    if (probe.special != 0) {
      at = slots + probe.special - 1;
      if (atomicCAS(id + at, gdf::no_id, gdf::claimed_id) != gdf::no_id) { return gdf::no_id; }
    } else {
      at = static_cast<int>(probe.hash >> 40) & (slots - 1);
      int probes = 0;
      while (true) {
        u64 const found = atomicCAS(word + at, gdf::empty_word, probe.word);
        if (found == gdf::empty_word) { break; }
        if (same(found)) { return gdf::no_id; }
        at = (at + 1) & (slots - 1);
        if (++probes == max_probes) { return gdf::no_id; }
      }
    }
    uint32_t const group = atomicAdd(count, 1u);
    bool const fits = group < static_cast<uint32_t>(groups);
    atomicExch(id + at, fits ? group : gdf::no_id);
    if (!fits) { return gdf::no_id; }
    row[group] = static_cast<u64>(r);
    return group;
  }

  GDF_DEVICE void set_text(uint32_t group, const key_text& mine) {
#pragma unroll
    for (int k = 0; k < text_words; k++) { text[k * groups + group] = mine.prefix.pair(k); }
    length[group] = mine.length;
  }
};

/// [block] Merges the block's accumulators into the global accumulators.
template <bool packed>
GDF_DEVICE void flush(const gdf::row_keys& keys, const gdf::row_table<value_columns>& values,
                      const steps& steps, const gdf::group_table& table, const accumulators& acc,
                      const local_table& local, const uint32_t* count) {
  __syncthreads();
  int const groups = *count < static_cast<uint32_t>(local.groups) ? static_cast<int>(*count)
                                                                   : local.groups;
  for (int g = static_cast<int>(threadIdx.x); g < groups; g += threads) {
    int64_t const row[1] = {static_cast<int64_t>(local.row[g])};
    bool const active[1] = {true};
    gdf::key_probe probe[1];
    gdf::make_probes<packed>(keys, row, active, probe);
    local.global[g] =
      gdf::find_or_insert(table, probe[0], row[0], gdf::same_word<packed>{keys, probe[0], row[0]});
  }
  __syncthreads();
  int const copy = gdf::lane() & (local.copies - 1);
  int const each = 32 / local.copies; // groups that a warp handles at a time
  for (int s = 0; s < steps.count; s++) {
    step const& step = steps.step[s];
    context const at{values, step};
    bool const two = step.op == add_i128;
    for (int first = gdf::warp() * each; first < groups; first += threads / 32 * each) {
      int const g = first + gdf::lane() / local.copies;
      bool const has = g < groups;
      u64 lo = identity(step.op);
      u64 hi = 0;
      if (has) {
        lo = local.acc[local.cell(step.local, g) + copy];
        hi = two ? local.acc[local.cell(step.local + 1, g) + copy] : 0;
      }
      for (int distance = local.copies >> 1; distance > 0; distance >>= 1) {
        u64 const lo2 = __shfl_xor_sync(~0u, lo, distance);
        u64 const hi2 = __shfl_xor_sync(~0u, hi, distance);
        merge(at, lo, hi, lo2, hi2);
      }
      uint32_t const id = has ? local.global[g] : gdf::lost_id;
      if (copy == 0 && id < gdf::lost_id) {
        merge_atomic(at, acc.words + step.word * acc.stride + id, acc.stride, lo, hi);
      }
    }
  }
  __syncthreads();
}

/// [thread] Merges values into the copy of the accumulators that belongs to this lane. Rows without a group in the
/// table of the block are skipped.
GDF_DEVICE void merge_local(const context& at, const local_table& local, const bool (&active)[items],
                            const uint32_t (&position)[items], const u64 (&lo)[items], const u64 (&hi)[items]) {
  int const copy = gdf::lane() & (local.copies - 1);
  auto* const first = local.acc + local.cell(at.step.local, 0) + copy;
  auto const each = [&](auto&& combine) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (active[i] && position[i] != gdf::no_id) {
        combine(first + static_cast<int>(position[i]) * local.copies, i);
      }
    }
  };
  switch (at.step.op) {
    case add: each([&](unsigned long long* cell, int i) { atomicAdd(cell, lo[i]); }); break;
    case add_f64:
      each([&](unsigned long long* cell, int i) {
        atomicAdd(reinterpret_cast<double*>(cell), double_of_bits(lo[i]));
      });
      break;
    case minimum: each([&](unsigned long long* cell, int i) { atomicMin(cell, lo[i]); }); break;
    case maximum: each([&](unsigned long long* cell, int i) { atomicMax(cell, lo[i]); }); break;
    default:
      each([&](unsigned long long* cell, int i) {
        merge_atomic(at, cell, int64_t{local.groups} * local.copies, lo[i], hi[i]);
      });
  }
}

/// [block] Aggregates all rows, or stops early if the table in global memory is full.
template <bool packed, bool texts>
GDF_DEVICE void aggregate_rows(const accumulation& in, const local_plan& plan) {
  auto const& [keys, values, steps, rows, groups, acc] = in;
  gdf::group_table const table = groups; // a copy causes fewer register spills than a reference
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ uint32_t count; // the number of groups in the table of the block
  local_table local(shared, plan, steps.local_words, texts);
  local.clear(steps, &count);
  bool is_local = true;
  bool full = false;
  bool const can_overflow = table.capacity < static_cast<u64>(rows);

  int64_t seen = 0;
  uint32_t turn = 0;
  int64_t const stride = int64_t{tuning::tile} * gridDim.x;
  for (int64_t first = int64_t{tuning::tile} * blockIdx.x; first < rows; first += stride, turn++) {
    // The block synchronizes and inserts new keys in its first four tiles, and later only in every 16th tile. In other
    // tiles, rows with new keys are merged into the global table.
    bool const meets = turn < 4 || turn % 16 == 0;
    if (can_overflow) {
      if (meets) {
        bool const lost = *static_cast<volatile u64*>(&table.state->overflow) != 0;
        if (__syncthreads_or(lost)) { break; }
      }
      seen += tuning::tile;
    }
    int64_t row[items];
    bool active[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      row[i] = gdf::row_of<threads>(first, i);
      active[i] = row[i] < rows;
    }
    gdf::key_probe probe[items];
    uint32_t position[items]; // per row, the number of its group in the table of the block
    bool missed = false;
    if constexpr (texts) { // look up at once, while the text is in registers
#pragma unroll
      for (int i = 0; i < items; i++) {
        position[i] = gdf::no_id;
        probe[i] = {0, 0, 0, false};
        if (!active[i]) { continue; }
        key_text const text = text_of(keys, row[i]);
        probe[i] = text_probe(keys, row[i], text);
        if (is_local && probe[i].used) {
          position[i] = local.find(probe[i], text, gdf::same_word<packed>{keys, probe[i], row[i]});
        }
        missed = missed || (probe[i].used && position[i] == gdf::no_id);
      }
    } else {
      key_probes<packed>(keys, row, active, probe);
#pragma unroll
      for (int i = 0; i < items; i++) {
        position[i] = gdf::no_id;
        missed = missed || probe[i].used;
      }
    }
    auto const find = [&] {
      missed = false;
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (probe[i].used && position[i] == gdf::no_id) {
          gdf::same_word<packed> const same{keys, probe[i], row[i]};
          if constexpr (texts) {
            position[i] = local.find(probe[i], text_again(keys, row[i]), same);
          } else {
            position[i] = local.find(probe[i], same);
          }
          missed = missed || position[i] == gdf::no_id;
        }
      }
    };
    if (is_local) {
      if constexpr (!texts) { find(); }
      if (!full && meets && __syncthreads_or(missed)) {
#pragma unroll
        for (int i = 0; i < items; i++) {
          if (probe[i].used && position[i] == gdf::no_id) {
            uint32_t const group =
              local.insert(probe[i], row[i], &count, gdf::same_word<packed>{keys, probe[i], row[i]});
            if constexpr (texts) {
              if (group != gdf::no_id) { local.set_text(group, text_again(keys, row[i])); }
            }
          }
        }
        __syncthreads();
        find();
        full = count > static_cast<uint32_t>(local.groups);
      }
    }
    uint32_t id[items];
    bool const elsewhere = __any_sync(~0u, missed);
    if (elsewhere) {
      bool away[items];
#pragma unroll
      for (int i = 0; i < items; i++) { away[i] = probe[i].used && position[i] == gdf::no_id; }
      gdf::find_or_insert_all(table, probe, row, away, id, [&](int i, u64 word) {
        return gdf::same_word<packed>{keys, probe[i], row[i]}(word);
      }, gdf::warp_numbers{});
    }

    for (int s = 0; s < steps.count; s++) {
      step const& step = steps.step[s];
      context const at{values, step};
      u64 lo[items];
      u64 hi[items];
#pragma unroll
      for (int i = 0; i < items; i++) { active[i] = probe[i].used; }
      load_values(values, nullptr, step, row, lo, hi, active);
      merge_local(at, local, active, position, lo, hi);
      if (elsewhere) {
#pragma unroll
        for (int i = 0; i < items; i++) { active[i] = active[i] && id[i] < gdf::lost_id; }
        merge_all(at, acc, active, id, lo, hi);
      }
    }

    if (is_local && full && meets && plan.keep == 0 && __syncthreads_count(missed) > threads / 8) {
      flush<packed>(keys, values, steps, table, acc, local, &count);
      is_local = false;
    }
  }
  if (is_local) { flush<packed>(keys, values, steps, table, acc, local, &count); }
  if (can_overflow && threadIdx.x == 0) { atomicAdd(&table.state->seen, static_cast<u64>(seen)); }
}

} // namespace groupby

/// Initializes `words` words of the accumulators of each group. If `with_table` is not 0, the kernel also initializes
/// the table.
extern "C" __global__ void GDF_BOUNDS(aggregate_init)
aggregate_init_kernel(gdf::group_table table, groupby::accumulators acc,
                      const __grid_constant__ groupby::beginnings beginnings, int words,
                      int with_table) {
  int64_t const thread = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  groupby::begin(table, acc, beginnings, words, with_table != 0, thread,
                 int64_t{gridDim.x} * blockDim.x);
}

/// Accumulates `rows` rows by keys that pack into 64 bits. If `mailbox` is not null, the kernel posts the number of
/// groups, the overflow flag and the number of rows seen. The kernel uses ticket 32.
extern "C" __global__ void GDF_BOUNDS(aggregate) GDF_VARIANT(groupby_aggregate, packed)
aggregate_packed_kernel(const __grid_constant__ groupby::accumulation in, groupby::local_plan plan,
                        gdf::scratch* scratch, unsigned long long* mailbox) {
  groupby::aggregate_rows<true, false>(in, plan);
  groupby::end(in.table, scratch, mailbox);
}

/// Does the same as aggregate_packed_kernel, for keys of any types. There are at most 2^32 - 2 rows.
extern "C" __global__ void GDF_BOUNDS(aggregate) GDF_VARIANT(groupby_aggregate, rows)
aggregate_rows_kernel(const __grid_constant__ groupby::accumulation in, groupby::local_plan plan,
                        gdf::scratch* scratch, unsigned long long* mailbox) {
  groupby::aggregate_rows<false, false>(in, plan);
  groupby::end(in.table, scratch, mailbox);
}

/// Does the same as aggregate_rows_kernel, for keys that are one column of texts.
extern "C" __global__ void GDF_BOUNDS(aggregate) GDF_VARIANT(groupby_aggregate, texts)
aggregate_texts_kernel(const __grid_constant__ groupby::accumulation in, groupby::local_plan plan,
                        gdf::scratch* scratch, unsigned long long* mailbox) {
  groupby::aggregate_rows<false, true>(in, plan);
  groupby::end(in.table, scratch, mailbox);
}
