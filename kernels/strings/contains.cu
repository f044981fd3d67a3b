// strings::contains: whether a text occurs in each row.
//
// Eight places are compared at a time with up to eight bytes of the target, from words that are
// loaded once; only where these are equal the rest is looked at.

#include <gdf/map_strings.cuh>

GDF_POLICY(contains, 256, 4, 4);

namespace contains {

/// What is looked for.
struct target {
  const uint8_t* data; // read beyond the first eight bytes alone
  int64_t size; // may be 0
  uint64_t first; // up to eight bytes of it, the first the lowest
  uint64_t mask; // ones for these bytes
};

struct found {
  static constexpr bool by_warp = true;

  /// [thread] Whether the target lies at one of the places [at, at + 8), at < text.size.
  GDF_DEVICE static bool at(const gdf::string_piece& text, int64_t at, const target& p) {
    auto const load = [&](int64_t from) {
      int64_t const left = text.size - from;
      return left <= 0 ? 0
                       : gdf::string_detail::load_before(text.data + from, text.limit,
                                                         left < 8 ? static_cast<int>(left) : 8);
    };
    gdf::u64 const low = load(at);
    gdf::u64 const high = load(at + 8);
    uint32_t places = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
      gdf::u64 const word = i == 0 ? low : low >> (8 * i) | high << (64 - 8 * i);
      places |= ((word ^ p.first) & p.mask) == 0 && at + i + p.size <= text.size ? 1u << i : 0;
    }
    for (; places != 0; places &= places - 1) {
      int64_t const place = at + __ffs(static_cast<int>(places)) - 1;
      int64_t i = 8;
      while (i < p.size && __ldg(text.data + place + i) == __ldg(p.data + i)) { i++; }
      if (i >= p.size) { return true; }
    }
    return false;
  }

  GDF_DEVICE static bool row(const gdf::string_piece& text, const target& p) {
    for (int64_t place = 0; place + p.size <= text.size; place += 8) {
      if (at(text, place, p)) { return true; }
    }
    return false;
  }

  GDF_DEVICE static bool warp(const gdf::string_piece& text, const target& p) {
    for (int64_t first = 0; first + p.size <= text.size; first += 32 * 8) {
      int64_t const place = first + gdf::lane() * 8;
      if (__any_sync(~0u, place < text.size && at(text, place, p))) { return true; }
    }
    return false;
  }
};

} // namespace contains

/// Whether the target occurs in each row, as booleans.
GDF_STRINGS_VALUE(contains, contains, literal, bool, contains::target, contains::found);
