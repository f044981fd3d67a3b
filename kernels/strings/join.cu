// strings::concatenate, join_list_elements and format_list_column: the texts of a row of several columns, or the
// elements of a list, are joined to one text.

#include <gdf/build_strings.cuh>

GDF_POLICY(join, 128, 4, 8);

namespace join {

constexpr int most_columns = 32;

struct parameters {
  gdf::text_in column[most_columns]; // for lists, the first column has the elements
  gdf::column_in lists;
  gdf::text_in separator;
  gdf::text_in separator_null; // stands for a null separator
  gdf::text_in element_null; // stands for a null element
  gdf::text_in open; // before the first element
  gdf::text_in close; // written after the last element
  int32_t columns; // 0 if the elements of lists are joined
  int32_t stride; // elements of each row, if the lists have no offsets
  int32_t separate_nulls; // whether separators are written next to nulls
  int32_t empty_is_null;
  int32_t null_is_text; // whether a null list is written as `element_null`
  int32_t unused;
};

struct joined {
  static constexpr bool by_warp = true;
  static constexpr int most_staged = 3;

  struct literals {
    gdf::literal separator; // the separator of the first row
    gdf::literal separator_null;
    gdf::literal null;
    gdf::literal open;
    gdf::literal close;
  };

  struct prepared {
    const parameters& all;
    gdf::argument separator;
    const literals& one;
    bool has_separator_null;
    bool has_null_text;
    bool has_nulls; // whether there can be null elements
    bool is_plain; // columns without nulls, and one separator
    bool has_brackets;

    GDF_DEVICE explicit prepared(const parameters& p)
      : all(p), separator(p.separator), one(shared(p)), has_separator_null(gdf::is_valid(p.separator_null.column, 0)), has_null_text(gdf::is_valid(p.element_null.column, 0)),
        has_nulls(false), has_brackets(gdf::is_valid(p.open.column, 0)) {
      for (int i = 0; i < (p.columns != 0 ? p.columns : 1); i++) { has_nulls = has_nulls || p.column[i].column.validity != nullptr; }
      is_plain = p.columns != 0 && !has_nulls && separator.is_one && !separator.is_null;
    }

    GDF_DEVICE static const literals& shared(const parameters& p) {
      __shared__ literals one;
      if (threadIdx.x < 5) { // a thread loads each literal, so that the loads overlap
        const gdf::text_in* const in[] = {&p.separator, &p.separator_null, &p.element_null, &p.open, &p.close};
        gdf::literal* const to[] = {&one.separator, &one.separator_null, &one.null, &one.open, &one.close};
        *to[threadIdx.x] = gdf::literal::of(gdf::text_or_none(*in[threadIdx.x], 0));
      }
      __syncthreads();
      return one;
    }
  };

  GDF_DEVICE static int staged(const prepared& p) { return p.is_plain && p.all.columns <= most_staged ? p.all.columns : 0; }

  GDF_DEVICE static const gdf::text_in& column(int i, const prepared& p) { return p.all.column[i]; }

  template <class Sink, class Texts>
  GDF_DEVICE static void put_staged(Sink& sink, Texts&& texts, const prepared& p) {
    if (p.has_brackets) { p.one.open.put(sink); }
#pragma unroll 1
    for (int32_t i = 0; i < p.all.columns; i++) {
      if (i > 0) { p.one.separator.put(sink); }
      sink.put(texts(i));
    }
    if (p.has_brackets) { p.one.close.put(sink); }
  }

  GDF_DEVICE static void prefetch(int64_t first, int64_t end, const prepared& p) {
    for (int32_t i = 0; i < p.all.columns; i++) { gdf::prefetch_text(p.all.column[i], first, end); }
  }

  GDF_DEVICE static gdf::extent elements(int64_t row, const parameters& p) {
    if (p.columns != 0) { return {0, p.columns}; }
    if (p.lists.offsets == nullptr) { return {row * p.stride, (row + 1) * p.stride}; }
    return gdf::extent_within(p.lists, row, p.column[0].column.length);
  }

  GDF_DEVICE static int64_t work(int64_t row, const prepared& near) {
    parameters const& p = near.all;
    return p.columns != 0 || !gdf::is_valid(p.lists, row) ? 0 : 4 * elements(row, p).size();
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const prepared& near) {
    parameters const& p = near.all;
    if (near.is_plain) {
      if (near.has_brackets) { near.one.open.put(sink); }
      for (int32_t i = 0; i < p.columns; i++) {
        if (i > 0) { near.one.separator.put(sink); }
        sink.put(gdf::text_at(p.column[i], row));
      }
      if (near.has_brackets) { near.one.close.put(sink); }
      return true;
    }
    if (p.columns == 0 && !gdf::is_valid(p.lists, row)) {
      if (p.null_is_text != 0) { near.one.null.put(sink); }
      return p.null_is_text != 0;
    }
    bool const has_separator = near.separator.is_valid(row);
    if (!has_separator && !near.has_separator_null) { return false; }
    gdf::string_piece const separator = !has_separator          ? near.one.separator_null.text
                                        : near.separator.is_one ? near.one.separator.text
                                                                : gdf::text_at(p.separator, row);
    gdf::extent const range = elements(row, p);
    if (p.empty_is_null != 0 && range.size() <= 0) { return false; }
    auto const column = [&](int64_t i) -> const gdf::text_in& { return p.column[p.columns != 0 ? i : 0]; };
    auto const at = [&](int64_t i) { return p.columns != 0 ? row : i; };
    if (near.has_nulls && !near.has_null_text) {
      for (int64_t i = range.begin; i < range.end; i++) {
        if (!gdf::is_valid(column(i).column, at(i))) { return false; }
      }
    }
    near.one.open.put(sink);
    bool separate = false;
    for (int64_t i = range.begin; i < range.end; i++) {
      bool const is_null = near.has_nulls && !gdf::is_valid(column(i).column, at(i));
      if (separate && (p.separate_nulls != 0 || !is_null)) {
        sink.put(separator);
        separate = false;
      }
      sink.put(is_null ? near.one.null.text : gdf::text_at(column(i), at(i)));
      separate = separate || p.separate_nulls != 0 || !is_null;
    }
    near.one.close.put(sink);
    return true;
  }
};

} // namespace join

GDF_STRINGS(join, join, text_write, join::parameters, gdf::write_strings<join::joined>);

GDF_POLICY(end_rows, 128, 4, 8);

namespace end_rows {

struct parameters {
  gdf::text_in text;
  gdf::text_in end;
  gdf::text_in null; // stands for a null
  gdf::row_count rows; // the last row gets no end
};

struct ended {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;
  static constexpr bool size_by_size = true;

  struct literals {
    gdf::literal end;
    gdf::literal null;
  };

  struct prepared {
    const gdf::text_in& text;
    const literals& one;
    int64_t rows;

    GDF_DEVICE explicit prepared(const parameters& p) : text(p.text), one(shared(p)), rows(p.rows) {}

    GDF_DEVICE static const literals& shared(const parameters& p) {
      __shared__ literals one;
      if (threadIdx.x < 2) { // a thread loads each literal, so that the loads overlap
        (threadIdx.x == 0 ? one.end : one.null) = gdf::literal::of(gdf::text_or_none(threadIdx.x == 0 ? p.end : p.null, 0));
      }
      __syncthreads();
      return one;
    }
  };

  GDF_DEVICE static int64_t work(int64_t, const prepared&) { return 0; }

  template <class Sink>
  GDF_DEVICE static bool put_end(Sink& sink, int64_t row, const prepared& p) {
    if (row + 1 < p.rows) { p.one.end.put(sink); }
    return true;
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& p) {
    sink.put(text);
    return put_end(sink, row, p);
  }

  template <class Sink>
  GDF_DEVICE static bool null_row(Sink& sink, int64_t row, const prepared& p) {
    p.one.null.put(sink);
    return put_end(sink, row, p);
  }
};

} // namespace end_rows

GDF_STRINGS(end_rows, end_rows, text_write, end_rows::parameters, gdf::write_strings<end_rows::ended>);
