// decode: the levels of nested columns. Repetition and definition levels are compared with a constant for each depth, which
// says at which levels slots begin, of lists, of structs or of values. The first launch counts the slots of each page, and
// writes which slots of values have a value. The next one adds the counts of the pages of a column. The last one writes
// where each list begins, which is the number of slots of elements before it, and which lists and structs are null.
//
// Every level is checked before it is followed. A bad page is reported, and has no slots.

#include <gdf/block_sum.cuh>

#include "masks.cuh"
#include "runs.cuh"
#include "values.cuh"

GDF_POLICY(decode_levels, 256, 8, 4);
GDF_POLICY(decode_slots, 256, 1, 4);
GDF_POLICY(decode_nodes, 256, 8, 4);

namespace decode {

using levels_tuning = decode_levels_tuning;

constexpr int level_threads = levels_tuning::threads;
constexpr int level_items = levels_tuning::items;
constexpr int level_tile = levels_tuning::tile;
constexpr int level_words = level_tile / 32;

/// The levels at which slots of a depth begin, in a tile.
struct slot_bits {
  uint32_t begins[level_words];
  uint32_t before[level_words]; // the number of slots before each word
  uint32_t count;
};

struct level_memory {
  run_table repetitions;
  run_table definitions;
  uint8_t repetition[level_tile];
  uint8_t definition[level_tile];
  slot_bits slots[2];
  uint32_t bits[level_words + 1];
};

/// Reads the levels of a page, a tile after the other. All members are the same in all threads.
struct level_reader {
  const leveled_page& of;
  const nested_column& column;
  const uint8_t* page;
  level_memory& memory;
  int repetition_width = 0;
  int definition_width = 0;
  bool is_cut = false;

  /// [block] Finds the levels.
  GDF_DEVICE void begin() {
    repetition_width = 32 - __clz(column.max_repetition);
    definition_width = 32 - __clz(column.max_definition);
    uint32_t const repetitions_end = begin(memory.repetitions, 0, of.repetition_size, 0);
    begin(memory.definitions, 1, of.definition_size, repetitions_end);
    __syncthreads();
  }

  /// [block] Returns where levels end. One warp makes an empty table of their runs.
  GDF_DEVICE uint32_t begin(run_table& runs, int warp, int32_t size, uint32_t at) {
    auto const length = static_cast<uint32_t>(of.bytes);
    auto bytes = static_cast<uint32_t>(size);
    if (size == prefixed_levels) {
      is_cut = is_cut || length - at < 4;
      bytes = is_cut ? 0 : load<uint32_t>(page + at);
      at += is_cut ? 0 : 4;
    }
    is_cut = is_cut || bytes > length - at;
    uint32_t const end = is_cut ? at : at + bytes;
    if (gdf::warp() == warp) { runs.begin(at, end); }
    return end;
  }

  /// [block] Brings the levels from `first` on to shared memory. Returns their number, or zero if they are bad.
  GDF_DEVICE int load_tile(int32_t first) {
    __syncthreads(); // other threads may still read the tables and the tile
    if (gdf::warp() == 0) { advance(memory.repetitions, repetition_width, first, column.max_repetition); }
    if (gdf::warp() == 1) { advance(memory.definitions, definition_width, first, column.max_definition); }
    __syncthreads();
    int count = of.levels - first < level_tile ? of.levels - first : level_tile;
    if (repetition_width > 0) { count = min(count, memory.repetitions.covered - first); }
    if (definition_width > 0) { count = min(count, memory.definitions.covered - first); }
    if (is_cut || count <= 0) { return 0; }
    bool const fits = unpack(memory.repetitions, repetition_width, first, count, column.max_repetition,
                             memory.repetition) &
                      unpack(memory.definitions, definition_width, first, count, column.max_definition,
                             memory.definition);
    return __syncthreads_and(fits) ? count : 0;
  }

  /// [warp] Brings the run of a level into the table.
  GDF_DEVICE void advance(run_table& runs, int width, int32_t first, int32_t most) const {
    if (width > 0 && runs.covered <= first) { runs.walk(page, width, of.levels, static_cast<uint32_t>(most)); }
  }

  /// [thread] Unpacks the levels of this thread. Returns whether none exceeds `most`.
  GDF_DEVICE bool unpack(const run_table& runs, int width, int32_t first, int count, int32_t most, uint8_t* into) const {
    int const begin = static_cast<int>(threadIdx.x) * level_items;
    int const end = begin + level_items < count ? begin + level_items : count;
    bool fits = true;
    if (begin >= end) { return true; }
    if (width == 0) {
      for (int i = begin; i < end; i++) { into[i] = 0; }
      return true;
    }
    run_reader read(runs, page, width, first + begin);
    for (int i = begin; i < end; i++) {
      uint32_t const level = read(first + i);
      fits = fits && level <= static_cast<uint32_t>(most);
      into[i] = static_cast<uint8_t>(level);
    }
    return fits;
  }

  /// [block] Finds the levels of the tile at which slots of a depth begin.
  GDF_DEVICE void find_slots(int depth, int count, slot_bits& slots) const {
    int32_t const lowest = column.lowest[depth];
    for_words([&](int i, int word) {
      bool const begins = i < count && memory.repetition[i] <= depth && memory.definition[i] >= lowest;
      uint32_t const bits = __ballot_sync(~0u, begins);
      if (gdf::lane() == 0) { slots.begins[word] = bits; }
    });
    __syncthreads();
    if (gdf::warp() == 0) {
      static_assert(level_words == 64);
      int const word = gdf::lane() * 2;
      uint32_t const low = __popc(slots.begins[word]);
      uint32_t const high = __popc(slots.begins[word + 1]);
      uint32_t const up_to = gdf::warp_inclusive_sum(low + high);
      slots.before[word] = up_to - low - high;
      slots.before[word + 1] = up_to - high;
      if (gdf::lane() == 31) { slots.count = up_to; }
    }
    __syncthreads();
  }

  /// [block] Writes for each slot of the tile whether its definition level is `valid` or more, from bit `first` of the mask
  /// on. Returns the number of those that are.
  GDF_DEVICE uint32_t store_valid(const slot_bits& slots, int count, int32_t valid, uint32_t* mask, int64_t first) const {
    auto const thread = static_cast<int>(threadIdx.x);
    if (thread <= level_words) { memory.bits[thread] = 0; }
    __syncthreads();
    uint32_t found = 0;
    for_words([&](int i, int word) {
      uint32_t const bits = __ballot_sync(~0u, i < count && memory.definition[i] >= valid) & slots.begins[word];
      if (gdf::lane() == 0 && bits != 0) {
        uint32_t const packed = gdf::compress_bits(bits, slots.begins[word]);
        uint32_t const at = slots.before[word];
        atomicOr(&memory.bits[at >> 5], packed << (at & 31));
        if ((at & 31) != 0) { atomicOr(&memory.bits[(at >> 5) + 1], packed >> (32 - (at & 31))); }
        found += __popc(bits);
      }
    });
    __syncthreads();
    store_mask(mask, memory.bits, first, static_cast<int>(slots.count));
    uint32_t const total = gdf::block_sum<level_threads>(found);
    __syncthreads(); // the bits are overwritten
    return total;
  }

  /// [block] Calls a function with the number of a level of the tile and of its word, all levels of a word in one warp.
  template <class Body>
  static GDF_DEVICE void for_words(Body&& body) {
    for (int k = 0; k < level_items; k++) {
      int const i = k * level_threads + static_cast<int>(threadIdx.x);
      body(i, i >> 5);
    }
  }

  /// [thread] Returns the number of slots of the tile that begin before a level.
  static GDF_DEVICE uint32_t rank_of(const slot_bits& slots, int i) {
    return slots.before[i >> 5] + __popc(slots.begins[i >> 5] & gdf::low_bits(i & 31));
  }
};

/// What the levels of a page say.
struct page_slots {
  bool is_good = true;
  int32_t value_slots = 0;
  int64_t values = 0;
  int32_t first_repetition = 0;
  int32_t last_definition = 0;
};

/// [block] Counts the slots of a page. Only the number of values is in warp 0 alone.
GDF_DEVICE page_slots count_slots(level_reader& reader) {
  const leveled_page& of = reader.of;
  level_memory& memory = reader.memory;
  int32_t const* const lowest = reader.column.lowest;
  page_slots found;
  for (int32_t first = 0; first < of.levels;) {
    int const count = reader.load_tile(first);
    found.is_good = count > 0;
    if (!found.is_good) { break; }
    bool is_possible = true;
    level_reader::for_words([&](int i, int) {
      if (i >= count) { return; }
      // An element follows another one of its list. The levels of different pages are compared later.
      int32_t const needed = lowest[memory.repetition[i]];
      bool const is_first = first == 0 && i == 0;
      int32_t const before = i > 0 ? memory.definition[i - 1] : found.last_definition;
      is_possible = is_possible && (memory.repetition[i] == 0 ||
                                    (memory.definition[i] >= needed && (is_first || before >= needed)));
    });
    found.is_good = __syncthreads_and(is_possible) != 0;
    if (!found.is_good) { break; }
    if (first == 0) { found.first_repetition = memory.repetition[0]; }
    found.last_definition = memory.definition[count - 1];
    int const values = reader.column.max_repetition;
    for (int depth = 0; depth <= values; depth++) {
      slot_bits& slots = memory.slots[0];
      reader.find_slots(depth, count, slots);
      if (threadIdx.x == 0) { of.slots[depth] += slots.count; }
      if (depth == values) {
        found.values += reader.store_valid(slots, count, reader.column.max_definition, of.valid, found.value_slots);
        found.value_slots += static_cast<int32_t>(slots.count);
      }
      __syncthreads(); // the slots are overwritten
    }
    first += count;
  }
  return found;
}

/// [block] Writes the offsets and the bits of the lists and structs of a page.
GDF_DEVICE void store_nodes(level_reader& reader, const nested_node* nodes) {
  const leveled_page& of = reader.of;
  level_memory& memory = reader.memory;
  for (int n = 0; n < reader.column.nodes; n++) {
    nested_node const node = nodes[reader.column.first_node + n];
    int64_t first_slot = of.slots[node.depth];
    int64_t first_element = node.offsets == nullptr ? 0 : of.slots[node.depth + 1];
    uint32_t nulls = 0;
    if (n > 0) { reader.begin(); }
    for (int32_t first = 0; first < of.levels;) {
      int const count = reader.load_tile(first);
      if (count == 0) { return; }
      slot_bits& slots = memory.slots[0];
      reader.find_slots(node.depth, count, slots);
      if (node.offsets != nullptr) {
        slot_bits& elements = memory.slots[1];
        reader.find_slots(node.depth + 1, count, elements);
        level_reader::for_words([&](int i, int word) {
          if ((slots.begins[word] >> (i & 31) & 1) == 0) { return; }
          int64_t const slot = first_slot + level_reader::rank_of(slots, i);
          int64_t const offset = first_element + level_reader::rank_of(elements, i);
          if (node.is_wide != 0) {
            static_cast<int64_t*>(node.offsets)[slot] = offset;
          } else {
            static_cast<int32_t*>(node.offsets)[slot] = static_cast<int32_t>(offset);
          }
        });
        first_element += elements.count;
      }
      if (node.valid != never_null) {
        nulls += slots.count - reader.store_valid(slots, count, node.valid, node.validity, first_slot);
      }
      first_slot += slots.count;
      first += count;
    }
    if (threadIdx.x == 0 && nulls > 0) { atomicAdd(node.nulls, static_cast<gdf::u64>(nulls)); }
    __syncthreads(); // the tables are overwritten
  }
}

} // namespace decode

/// Counts the slots of leveled page blockIdx.x. `bytes` are the pages, and 16 bytes follow the last page.
extern "C" __global__ void GDF_BOUNDS(decode_levels)
decode_levels_kernel(decode::leveled_page* pages, const decode::nested_column* columns, const uint8_t* bytes,
                     decode::status* statuses) {
  __shared__ decode::level_memory memory;
  decode::leveled_page const page = pages[blockIdx.x];
  decode::nested_column const column = columns[page.nested];
  decode::level_reader reader{page, column, bytes + page.at, memory};
  reader.begin();
  if (threadIdx.x == 0) {
    for (int depth = 0; depth <= column.max_repetition; depth++) { page.slots[depth] = 0; }
  }
  decode::page_slots const found = decode::count_slots(reader);
  if (threadIdx.x != 0) { return; }
  bool const has_nulls = page.null_count == decode::no_null_count || page.null_count == page.levels - found.values;
  bool const is_good = found.is_good && !reader.is_cut;
  if (!is_good || !has_nulls) {
    decode::report(statuses, page.column, page.number, is_good ? decode::flaw::null_count : decode::flaw::levels);
    for (int depth = 0; depth <= column.max_repetition; depth++) { page.slots[depth] = 0; }
    return;
  }
  decode::leveled_page& out = pages[blockIdx.x];
  out.value_slots = found.value_slots;
  out.first_repetition = found.first_repetition;
  out.last_definition = found.last_definition;
}

/// Adds the slots of the pages of nested column blockIdx.x, and writes the last offset of each of its lists.
extern "C" __global__ void GDF_BOUNDS(decode_slots)
decode_slots_kernel(decode::leveled_page* pages, const decode::nested_column* columns,
                    const decode::nested_node* nodes, decode::status* statuses) {
  constexpr int threads = decode_slots_tuning::threads;
  decode::nested_column const column = columns[blockIdx.x];
  decode::leveled_page* const first = pages + column.first_page;
  for (int depth = 0; depth <= column.max_repetition; depth++) {
    int64_t total = 0;
    for (int begin = 0; begin < column.pages; begin += threads) {
      int const at = begin + static_cast<int>(threadIdx.x);
      bool const is_page = at < column.pages;
      int64_t const slots = is_page ? first[at].slots[depth] : 0;
      int64_t of_block = 0;
      int64_t const before = total + gdf::block_exclusive_sum<threads>(slots, of_block);
      total += of_block;
      if (!is_page) { continue; }
      decode::leveled_page& page = first[at];
      page.slots[depth] = before;
      if (depth == column.max_repetition) { page.first_slot = before; }
      if (depth > 0) { continue; }
      if (page.rows_end != decode::no_rows_end && page.rows_end != before + slots) {
        decode::report(statuses, page.column, page.number, decode::flaw::rows);
      }
      if (page.first_repetition > 0) {
        int previous = at;
        while (first[previous].is_first == 0 && (previous == at || first[previous].levels == 0)) { previous--; }
        bool const follows = previous < at && first[previous].levels > 0 &&
                             first[previous].last_definition >= column.lowest[page.first_repetition];
        if (!follows) { decode::report(statuses, page.column, page.number, decode::flaw::levels); }
      }
    }
    if (threadIdx.x == 0) { column.totals[depth] = static_cast<unsigned long long>(total); }
  }
  __syncthreads();
  for (int n = static_cast<int>(threadIdx.x); n < column.nodes; n += threads) {
    decode::nested_node const node = nodes[column.first_node + n];
    if (node.offsets == nullptr) { continue; }
    auto const slots = column.totals[node.depth];
    auto const elements = column.totals[node.depth + 1];
    if (node.is_wide != 0) {
      static_cast<int64_t*>(node.offsets)[slots] = static_cast<int64_t>(elements);
    } else {
      static_cast<int32_t*>(node.offsets)[slots] = static_cast<int32_t>(elements);
    }
  }
}

/// Writes the offsets and the bits of the lists and structs of leveled page blockIdx.x, whose slots were added. `bytes` are
/// the pages, and 16 bytes follow the last page.
extern "C" __global__ void GDF_BOUNDS(decode_nodes)
decode_nodes_kernel(const decode::leveled_page* pages, const decode::nested_column* columns,
                    const decode::nested_node* nodes, const uint8_t* bytes, const decode::status* statuses) {
  static_assert(decode_nodes_tuning::threads == decode::level_threads);
  __shared__ decode::level_memory memory;
  decode::leveled_page const page = pages[blockIdx.x];
  if (statuses[page.column].error != ~0ull) { return; } // its slots were not counted
  decode::nested_column const column = columns[page.nested];
  decode::level_reader reader{page, column, bytes + page.at, memory};
  reader.begin();
  decode::store_nodes(reader, nodes);
}
