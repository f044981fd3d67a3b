// Scans in a single launch by decoupled look-back (Merrill and Garland, 2016), in two forms.
//
// The plain form is for operations whose values fit in a word and whose results do not depend on the order of
// operations. A tile publishes the aggregate of its rows. The tile then moves a look-back window of 32 tiles backwards
// until the window contains a tile that has published its inclusive prefix.
//
// The form with a fixed order is for floats and for larger values. Every 32 tiles are a group, and every 32 groups are
// a span. The exclusive prefix of a tile is combined from three parts: the prefix of the last span, the aggregates of
// the groups since then, and the aggregates of the earlier tiles of its group.
//
// In this form, the order of operations does not depend on the speed of blocks, and a scan of floats has the same
// result in each run.
#pragma once

#include "grid.cuh"
#include "last_block.cuh"
#include "monoid.cuh"

namespace gdf {

constexpr int scan_last_slot = 32;
constexpr int scan_tile_slot = 33; // index of the ticket that counts the tiles already taken
constexpr int scan_group = 32;     // the number of tiles of a group, and of groups of a span

template <class Op>
constexpr bool fits_entry = sizeof(typename Op::value) <= 8;

/// Whether an operation uses the plain form, which combines values in any order.
template <class Op>
constexpr bool is_plain = Op::exact && fits_entry<Op>;

/// The published state of a slot.
///
/// The two low bits of `status` state what is published: 0 if nothing is published yet, 1 if `value` is an aggregate,
/// and 2 if it is an inclusive prefix.
struct alignas(16) scan_entry {
  u64 value;
  u64 status;
};

constexpr u64 tile_aggregate = 1;
constexpr u64 inclusive_prefix = 2;

/// The slots in which tiles, groups and spans publish their aggregates and prefixes.
struct scan_state {
  uint32_t* status; // the statuses, or the entries
  u64* values;
  int tiles; // an int suffices, as no memory holds the rows of 2^31 tiles
  int status_words; // words of a slot in `status`
  bool in_scratch;

  /// [thread] If `own_status` is null, the state lies in the scratch memory of the stream (`zeroed` and `partials`).
  ///
  /// The host has checked that the scratch memory suffices.
  GDF_DEVICE scan_state(bool fits_entry, uint32_t* own_status, unsigned long long* own_values, int tiles,
                        gdf::scratch* scratch)
    : status(own_status), values(own_values), tiles(tiles),
      status_words(fits_entry ? static_cast<int>(sizeof(scan_entry) / sizeof(uint32_t)) : 1),
      in_scratch(own_status == nullptr) {
    static_assert(__builtin_offsetof(gdf::scratch, zeroed) % sizeof(scan_entry) == 0);
    if (in_scratch) {
      status = reinterpret_cast<uint32_t*>(scratch->zeroed);
      values = reinterpret_cast<u64*>(scratch->partials);
    }
  }

  GDF_DEVICE int slots() const { return slot_of_span(tiles / scan_group / scan_group); }
  GDF_DEVICE int slot_of_group(int group) const { return tiles + group; }
  GDF_DEVICE int slot_of_span(int span) const { return tiles + tiles / scan_group + span; }
  GDF_DEVICE scan_entry* entry_of(int slot) const { return reinterpret_cast<scan_entry*>(status) + slot; }
};

template <class Value>
struct carry {
  Value value;
  uint32_t flags;
};

namespace look_back_detail {

GDF_DEVICE uint32_t load_status(const uint32_t* status) {
  uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(status) : "memory");
  return value;
}

GDF_DEVICE void store_status(uint32_t* status, uint32_t value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(status), "r"(value) : "memory");
}

/// load_entry and store_entry each access 16 aligned bytes with a single instruction.
GDF_DEVICE scan_entry load_entry(const scan_entry* from) {
  scan_entry what;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(what.value), "=l"(what.status)
               : "l"(from)
               : "memory");
  return what;
}

GDF_DEVICE void store_entry(scan_entry* to, u64 value, u64 status) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};"
               :
               : "l"(to), "l"(value), "l"(status)
               : "memory");
}

} // namespace look_back_detail

/// [thread] Publishes an aggregate, or an inclusive prefix, at a slot.
template <class Op>
GDF_DEVICE void publish(const scan_state& all, int at, u64 status, const carry<typename Op::value>& what) {
  constexpr int words = packed<typename Op::value>::words;
  packed<typename Op::value> const bits(what.value);
  u64 const flagged = status | u64{what.flags} << 2;
  if constexpr (fits_entry<Op>) {
    look_back_detail::store_entry(all.entry_of(at), bits.word[0], flagged);
  } else {
#pragma unroll
    for (int i = 0; i < words; i++) { all.values[int64_t{at} * words + i] = bits.word[i]; }
    __threadfence();
    look_back_detail::store_status(all.status + at, static_cast<uint32_t>(flagged));
  }
}

template <class Op>
GDF_DEVICE scan_entry peek(const scan_state& all, int at) {
  if constexpr (fits_entry<Op>) {
    return look_back_detail::load_entry(all.entry_of(at));
  } else {
    return {0, look_back_detail::load_status(all.status + at)};
  }
}

/// [thread] Returns the value and the flags of a slot.
template <class Op>
GDF_DEVICE carry<typename Op::value> published(const scan_state& all, int at, const scan_entry& seen) {
  constexpr int words = packed<typename Op::value>::words;
  packed<typename Op::value> bits;
  bits.word[0] = seen.value;
  if constexpr (!fits_entry<Op>) {
    __threadfence(); // the value is read after its status
#pragma unroll
    for (int i = 0; i < words; i++) { bits.word[i] = __ldcv(all.values + int64_t{at} * words + i); }
  }
  return {bits.value, static_cast<uint32_t>(seen.status >> 2)};
}

/// [thread] Publishes the aggregate of a tile.
///
/// One thread of the block calls this function, before look_back.
template <class Op>
GDF_DEVICE void publish_aggregate(const scan_state& all, int tile, const carry<typename Op::value>& own) {
  publish<Op>(all, tile, tile == 0 ? inclusive_prefix : tile_aggregate, own);
}

/// [warp] Returns the exclusive prefix of a tile in the plain form, in lane 0.
///
/// The tile must have published its aggregate.
template <class Op>
GDF_DEVICE carry<typename Op::value> look_back_plain(const scan_state& all, const Op& op, int tile,
                                                       const carry<typename Op::value>& own) {
  using value = typename Op::value;
  namespace detail = look_back_detail;
  value gathered = op.identity();
  bool flagged = false;
  bool done = tile == 0;
  for (int nearest = tile - 1; !done; nearest -= 32) {
    int const at = nearest - lane();
    packed<value> seen;
    bool mine;
    u64 status;
    bool waiting;
    do {
      // Tile 0 publishes its inclusive prefix as soon as it has its aggregate. A lane before tile 0 is thus never
      // needed.
      scan_entry const published = at >= 0 ? detail::load_entry(all.entry_of(at)) : scan_entry{0, inclusive_prefix};
      seen.word[0] = published.value;
      status = published.status;
      uint32_t const prefixed = __ballot_sync(~0u, (status & inclusive_prefix) != 0);
      uint32_t const missing = __ballot_sync(~0u, status == 0);
      // The needed lanes end with the lane of the nearest tile that has published an inclusive prefix.
      uint32_t const needed = prefixed == 0 ? ~0u : prefixed ^ (prefixed - 1);
      mine = needed >> lane() & 1;
      waiting = (missing & needed) != 0;
      done = prefixed != 0;
    } while (waiting);
    if (mine) {
      gathered = op(seen.value, gathered);
      flagged = flagged || status >> 2 != 0;
    }
  }
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) {
    gathered = op(from_above(gathered, step), gathered);
  }
  carry<value> const before{gathered, __any_sync(~0u, flagged) ? 1u : 0u};
  if (lane() == 0 && tile > 0) {
    detail::store_entry(all.entry_of(tile), packed<value>(op(before.value, own.value)).word[0],
                        inclusive_prefix | u64{before.flags | own.flags} << 2);
  }
  return before;
}

/// [warp] Combines the values of the lanes in the order of the lanes. Lane 0 has the result, and other lanes have
/// unspecified values.
template <class Op>
GDF_DEVICE carry<typename Op::value> fold_lanes(const Op& op, carry<typename Op::value> all) {
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    typename Op::value const other = from_above(all.value, step);
    all.value = op(all.value, other);
    all.flags |= __shfl_down_sync(~0u, all.flags, step);
  }
  return all;
}

/// [warp] Returns the exclusive prefix of a tile, in lane 0.
///
/// The function waits for earlier tiles, which must have been started: see `scan_turns`.
template <class Op>
GDF_DEVICE carry<typename Op::value> look_back(const scan_state& all, const Op& op, int tile,
                                                 const carry<typename Op::value>& own) {
  using value = typename Op::value;
  if constexpr (is_plain<Op>) { return look_back_plain(all, op, tile, own); }
  auto const brought_together = [&](const carry<value>& a, const carry<value>& b) {
    return carry<value>{op(a.value, b.value), a.flags | b.flags};
  };
  int const group = tile / scan_group;
  int const span = group / scan_group;
  int const lane_tile = group * scan_group + lane();
  int const lane_group = span * scan_group + lane();
  int const at[3] = {lane_tile, all.slot_of_group(lane_group), all.slot_of_span(span - 1)};
  bool const asks[3] = {lane_tile < tile, lane_group < group, span > 0};
  scan_entry seen[3];
#pragma unroll
  for (int k = 0; k < 3; k++) { seen[k] = asks[k] ? peek<Op>(all, at[k]) : scan_entry{0, tile_aggregate}; }
  auto const awaited = [&](int k) {
    while (__any_sync(~0u, seen[k].status == 0)) {
      if (seen[k].status == 0) { seen[k] = peek<Op>(all, at[k]); }
    }
    return asks[k] ? published<Op>(all, at[k], seen[k]) : carry<value>{op.identity(), 0};
  };
  carry<value> const of_group = fold_lanes(op, awaited(0));
  if (lane() == 0 && tile % scan_group == scan_group - 1) {
    publish<Op>(all, all.slot_of_group(group), tile_aggregate, brought_together(of_group, own));
  }
  carry<value> const groups = fold_lanes(op, awaited(1));
  carry<value> before = brought_together(groups, of_group);
  before = brought_together(awaited(2), before);
  if (lane() == 0 && tile % (scan_group * scan_group) == scan_group * scan_group - 1) {
    publish<Op>(all, all.slot_of_span(span), inclusive_prefix, brought_together(before, own));
  }
  return before;
}

/// The exclusive prefixes of the successive tiles of a block, in the form with a fixed order.
template <class Op>
struct running_prefix {
  using value = typename Op::value;
  carry<value> groups; // the aggregate of all groups before `group`, in lane 0
  int group = 0;

  GDF_DEVICE explicit running_prefix(const Op& op) : groups{op.identity(), 0} {}

  /// [warp] Returns the exclusive prefix of a tile, in lane 0.
  ///
  /// The tile must lie after the tiles of previous calls.
  GDF_DEVICE carry<value> up_to(const scan_state& all, const Op& op, int tile) {
    constexpr int at_once = 6; // groups read at once: enough for 132 blocks and one tile
    int const own = tile / scan_group;
    for (;;) {
      scan_entry seen[at_once];
      carry<value> of_group[at_once];
#pragma unroll
      for (int k = 0; k < at_once; k++) {
        int const at = (group + k) * scan_group + lane();
        seen[k] = at < tile ? peek<Op>(all, at) : scan_entry{packed<value>(op.identity()).word[0], tile_aggregate};
      }
#pragma unroll
      for (int k = 0; k < at_once; k++) {
        int const at = (group + k) * scan_group + lane();
        while (seen[k].status == 0) { seen[k] = peek<Op>(all, at); }
        of_group[k] = published<Op>(all, at, seen[k]);
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < at_once; k++) { of_group[k] = fold_lanes(op, of_group[k]); }
#pragma unroll
      for (int k = 0; k < at_once; k++) {
        carry<value> const with{op(groups.value, of_group[k].value), groups.flags | of_group[k].flags};
        if (group + k == own) {
          group = own;
          return with;
        }
        groups = with;
      }
      group += at_once;
    }
  }
};

/// Assigns tiles to blocks in ascending order.
///
/// When a block gets a tile, all earlier tiles have been assigned to running blocks.
struct scan_turns {
  gdf::scratch* scratch;
  uint32_t* slots; // two, in shared memory
  int tiles;
  uint32_t taken = 0;

  GDF_DEVICE scan_turns(gdf::scratch* scratch, uint32_t* slots, int tiles)
    : scratch(scratch), slots(slots), tiles(tiles) {}

  /// Returns whether there are more tiles than blocks.
  GDF_DEVICE bool has_more() const { return tiles > static_cast<int>(gridDim.x); }

  GDF_DEVICE int first() const {
    if (tiles == 1) { return 0; }
    if (threadIdx.x == 0) { slots[0] = atomicAdd(&scratch->tickets[scan_tile_slot], 1u); }
    __syncthreads();
    return static_cast<int>(slots[0]);
  }

  GDF_DEVICE void take() {
    if (has_more() && threadIdx.x == 32) { taken = atomicAdd(&scratch->tickets[scan_tile_slot], 1u); }
  }

  /// [block] Does the same as `take`. If `is_slow`, the function first waits for all warps of the block.
  ///
  /// All later tiles wait for a tile that has been taken. Without the wait, a warp that still copies a very long row
  /// would delay them.
  GDF_DEVICE void take_behind(bool is_slow) {
    if (is_slow) { __syncthreads(); }
    take();
  }

  /// [block] Stores the number of the next tile in shared memory.
  ///
  /// A barrier must follow. There must also be a barrier between the previous call of `next` and this call, because a
  /// slower thread may still have to read the number that this call overwrites.
  GDF_DEVICE void pass_on() const {
    if (has_more() && threadIdx.x == 32) { slots[1] = taken; }
  }

  /// [block] Returns the next tile, after the barrier that follows `pass_on`.
  GDF_DEVICE int next() const { return has_more() ? static_cast<int>(slots[1]) : tiles; }
};

/// [block] Resets the used scratch memory to zero. Every block calls this function after its last tile.
template <int threads>
GDF_DEVICE void finish_tiles(const scan_state& all, scratch* scratch) {
  if (all.tiles == 1) { return; }
  if (!all.in_scratch) { // the block has read no data of other blocks, so no fence is needed
    unsigned int* const tickets = scratch->tickets;
    if (threadIdx.x == 0 && atomicAdd(tickets + scan_last_slot, 1u) == gridDim.x - 1) {
      tickets[scan_last_slot] = 0;
      tickets[scan_tile_slot] = 0;
    }
    return;
  }
  if (!is_last_block(scratch, scan_last_slot, gridDim.x)) { return; }
  if (threadIdx.x == 0) { scratch->tickets[scan_tile_slot] = 0; }
  int const words = all.slots() * all.status_words;
  for (int i = threadIdx.x; i < words; i += threads) { all.status[i] = 0; }
}

} // namespace gdf
