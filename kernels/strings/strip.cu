// strings::strip: removes characters of a set from the beginning and the end of text.

#include <gdf/build_strings.cuh>
#include <gdf/characters.cuh>

GDF_POLICY(strip, 128, 4, 8);

namespace strip {

struct parameters {
  gdf::text_in text;
  gdf::text_in set; // if empty, white space
  int32_t left;
  int32_t right;
};

struct stripped {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;

  struct character_set {
    gdf::string_piece text;
    gdf::u64 bytes; // the first eight bytes of the text
    bool is_null;

    GDF_DEVICE static character_set at(int64_t row, const parameters& p) {
      gdf::string_piece const text = gdf::text_or_none(p.set, row);
      return {text, gdf::bytes_at(text, 0), !gdf::is_valid(p.set.column, row)};
    }

    /// [thread] Returns whether the set has one to eight bytes and all bytes are below 128.
    GDF_DEVICE bool is_ascii() const { return text.size > 0 && text.size <= 8 && (bytes & 0x8080808080808080ull) == 0; }

    /// [thread] Returns whether a byte below 128 is in the set. The set must have at most eight bytes. An empty set
    /// stands for white space.
    GDF_DEVICE bool has(uint32_t byte) const {
      gdf::u64 const places = gdf::search_detail::zero_bytes(bytes ^ gdf::search_detail::repeated_byte<0>(byte));
      return text.size == 0 ? gdf::is_space(byte) : (places & gdf::low_bytes(static_cast<int>(text.size))) != 0;
    }

    GDF_DEVICE bool has(const gdf::character& one) const {
      if (text.size == 0) { return gdf::is_space(gdf::code_of(one)); }
      for (int64_t at = 0; at < text.size;) {
        gdf::character const of = gdf::character_at(text, at);
        if (of.word == one.word && of.bytes == one.bytes) { return true; }
        at += of.bytes;
      }
      return false;
    }
  };

  /// A set in shared memory.
  struct byte_set {
    character_set all;
    uint32_t words[8];

    GDF_DEVICE bool has(uint32_t byte) const { return (words[byte >> 5] >> (byte & 31) & 1) != 0; }
  };

  struct prepared {
    const gdf::text_in& text;
    const parameters& all;
    const byte_set& first;
    bool is_one; // whether there is one set for all rows

    GDF_DEVICE explicit prepared(const parameters& p)
      : text(p.text), all(p), first(shared(p)), is_one((p.set.column.flags & gdf::broadcast) != 0) {}

    GDF_DEVICE static const byte_set& shared(const parameters& p) {
      __shared__ byte_set bytes;
      character_set const set = character_set::at(0, p);
      if (threadIdx.x == 0) { bytes.all = set; }
      for (uint32_t byte = threadIdx.x; byte < 256; byte += blockDim.x) {
        uint32_t const bits = __ballot_sync(~0u, byte < 0x80 && set.has(gdf::character{byte, 1}));
        if (gdf::lane() == 0) { bytes.words[byte >> 5] = bits; }
      }
      __syncthreads();
      return bytes;
    }
  };

  GDF_DEVICE static bool one_part(const prepared&) { return true; }

  GDF_DEVICE static int64_t work(int64_t, const prepared&) { return 0; }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& p) {
    using index = typename Text::index;
    character_set const set = p.is_one ? p.first.all : character_set::at(row, p.all);
    if (set.is_null) { return false; }
    bool const is_short = set.text.size <= 8;
    bool const is_ascii = set.is_ascii();
    index begin = 0;
    index end = text.size;
    if (p.is_one) {
      while (p.all.left != 0 && begin < end && p.first.has(gdf::byte_at(text, begin))) { begin++; }
      while (p.all.right != 0 && begin < end && p.first.has(gdf::byte_at(text, end - 1))) { end--; }
    }
    bool const is_done = p.is_one && is_ascii;
    while (!is_done && p.all.left != 0 && begin < end) {
      uint32_t const byte = gdf::byte_at(text, begin);
      if (is_short && byte < 0x80) {
        if (!set.has(byte)) { break; }
        begin++;
        continue;
      }
      if (is_ascii) { break; }
      gdf::character const one = gdf::character_at(text, begin);
      if (!set.has(one)) { break; }
      begin += one.bytes;
    }
    while (!is_done && p.all.right != 0 && begin < end) {
      uint32_t const byte = gdf::byte_at(text, end - 1);
      if (is_short && byte < 0x80) {
        if (!set.has(byte)) { break; }
        end--;
        continue;
      }
      if (is_ascii) { break; }
      index const at = gdf::character_before(text, end);
      if (at < begin || !set.has(gdf::character_at(gdf::part_of(text, 0, end), at))) { break; }
      end = at;
    }
    sink.put(gdf::part_of(text, begin, end));
    return true;
  }
};

} // namespace strip

GDF_STRINGS(strip, strip, text_write, strip::parameters, gdf::write_strings<strip::stripped>);
