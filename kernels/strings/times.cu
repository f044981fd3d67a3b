// strings::to_timestamps, to_durations, is_timestamp, is_duration, from_timestamps and from_durations: conversions
// between text and times by a format. A format is a list of fields and of the literal bytes between them.

#include <gdf/civil.cuh>
#include <gdf/parse_strings.cuh>

GDF_POLICY(to_times, 256, 4, 2);
GDF_POLICY(from_times, 128, 4, 4);

namespace strings {

using u64 = gdf::u64;

/// A field of a format. The lowest byte of a word is the number of the field, and the next byte is the argument of the
/// field.
enum class time_field : int32_t {
  byte, // the literal byte is the argument
  year,
  year_of_century,
  month,
  month_name,
  short_month_name,
  day,
  day_of_year,
  sunday_week, // week of the year; week 1 begins at the first Sunday
  monday_week,
  iso_week,
  iso_year,
  iso_weekday, // from 1 (Monday) to 7 (Sunday)
  weekday,     // from 0 (Sunday) to 6 (Saturday)
  weekday_name,
  short_weekday_name,
  days, // the days of a duration
  hour,
  hour_of_half, // the hour within half a day, 1 to 12
  hour_from_zero, // the hour within half a day, 0 to 11
  half, // AM or PM
  minute,
  second,
  fraction,        // the argument is the number of digits; parsing accepts fewer digits
  second_fraction, // a point and a fraction; nothing is written if the fraction is 0
  offset,
  zone_name,
  sign, // the sign of a duration
};

/// The fields from which the date is computed.
enum class date_source : int32_t { month, day_of_year, sunday_week, monday_week };

/// The maximum number of fields of a format.
constexpr int max_time_fields = 128;

struct time_format {
  int64_t ticks_per_day;
  int64_t nanoseconds; // the length of a tick
  int32_t count;
  int32_t source;
  int32_t is_duration;
  int32_t unused;
  uint16_t fields[max_time_fields];
};

struct times_text {
  gdf::text_in input;
  time_format format;
};

constexpr int64_t nanoseconds_per_second = 1000000000;
constexpr int64_t seconds_per_day = 86400;

/// The first eight bytes of the English names. Two of the names have nine bytes.
__device__ const char month_names[12][8] = {
  {'J', 'a', 'n', 'u', 'a', 'r', 'y'}, {'F', 'e', 'b', 'r', 'u', 'a', 'r', 'y'}, {'M', 'a', 'r', 'c', 'h'},
  {'A', 'p', 'r', 'i', 'l'},           {'M', 'a', 'y'},                          {'J', 'u', 'n', 'e'},
  {'J', 'u', 'l', 'y'},                {'A', 'u', 'g', 'u', 's', 't'},           {'S', 'e', 'p', 't', 'e', 'm', 'b', 'e'},
  {'O', 'c', 't', 'o', 'b', 'e', 'r'}, {'N', 'o', 'v', 'e', 'm', 'b', 'e', 'r'}, {'D', 'e', 'c', 'e', 'm', 'b', 'e', 'r'},
};
__device__ const char weekday_names[7][8] = {
  {'M', 'o', 'n', 'd', 'a', 'y'}, {'T', 'u', 'e', 's', 'd', 'a', 'y'}, {'W', 'e', 'd', 'n', 'e', 's', 'd', 'a'},
  {'T', 'h', 'u', 'r', 's', 'd', 'a', 'y'}, {'F', 'r', 'i', 'd', 'a', 'y'}, {'S', 'a', 't', 'u', 'r', 'd', 'a', 'y'},
  {'S', 'u', 'n', 'd', 'a', 'y'},
};
constexpr int september = 8;
constexpr int wednesday = 2;

/// [thread] Returns byte `i` of a name, or 0 beyond its end.
GDF_DEVICE uint32_t letter_of_name(const char (&name)[8], uint32_t ninth, int i) {
  return i < 8 ? static_cast<uint8_t>(name[i]) : i == 8 ? ninth : 0;
}

/// [thread] Reads a name, in full or only its first three letters. Returns the number of the name, counted from 1, or 0
/// if the text does not continue with a name.
template <int names, class Reader>
GDF_DEVICE int take_name(Reader& reader, const char (&table)[names][8], int nine, uint32_t ninth) {
  for (int name = 0; name < names; name++) {
    Reader part = reader;
    for (int i = 0;; i++) {
      uint32_t const letter = letter_of_name(table[name], name == nine ? ninth : 0, i);
      if (i == 3) { reader = part; }
      if (letter == 0) {
        reader = part;
        return name + 1;
      }
      if (part.is_done() || (part.peek() | 0x20) != (letter | 0x20)) {
        if (i >= 3) { return name + 1; }
        break;
      }
      part.skip();
    }
  }
  return 0;
}

/// [thread] Reads a number of at least one and at most `digits` digits. Returns false if there is no digit.
template <class Reader>
GDF_DEVICE bool take_number(Reader& reader, int digits, int64_t& value) {
  value = 0;
  int i = 0;
  for (; i < digits && reader.digit() < 10; i++) {
    value = value * 10 + reader.digit();
    reader.skip();
  }
  return i > 0;
}

/// [thread] Reads the digits of a fraction of a second, at least one and at most `digits`. Returns false if there is no
/// digit.
template <class Reader>
GDF_DEVICE bool take_fraction(Reader& reader, int digits, int64_t& value) {
  int64_t const first = reader.at;
  if (!take_number(reader, digits, value)) { return false; }
  value *= static_cast<int64_t>(gdf::power_of_ten(9 - static_cast<int>(reader.at - first)));
  return true;
}

struct time_parts {
  int64_t year;
  int64_t month;
  int64_t day;
  int64_t day_of_year;
  int64_t week;
  int64_t weekday; // from 1 (Monday) to 7 (Sunday); 0 if unknown
  int64_t days;
  int64_t hour;
  int64_t minute;
  int64_t second;
  int64_t nanosecond;
  int64_t offset; // in seconds
  int32_t half;   // 1 for the hours after noon
  bool minus;
};

/// [thread] Reads an offset from UTC: ±HHMM, ±HH:MM or Z. Returns false for other texts.
template <class Reader>
GDF_DEVICE bool take_offset(Reader& reader, int64_t& offset) {
  offset = 0;
  if (reader.take('Z')) { return true; }
  bool const minus = reader.take('-');
  if (!minus && !reader.take('+')) { return false; }
  int64_t digits[4];
  for (int i = 0; i < 4; i++) {
    if (i == 2) { reader.take(':'); }
    if (!take_number(reader, 1, digits[i])) { return false; }
  }
  int64_t const hours = digits[0] * 10 + digits[1];
  int64_t const minutes = digits[2] * 10 + digits[3];
  offset = (hours * 60 + minutes) * (minus ? -60 : 60);
  return hours < 24 && minutes < 60;
}

template <class Reader>
GDF_DEVICE bool take_field(Reader& reader, time_field field, int argument, time_parts& parts) {
  int64_t number = 0;
  switch (field) {
    case time_field::byte: return reader.take(static_cast<uint32_t>(argument));
    case time_field::year: return take_number(reader, 4, parts.year);
    case time_field::year_of_century:
      if (!take_number(reader, 2, number)) { return false; }
      parts.year = number + (number < 69 ? 2000 : 1900);
      return true;
    case time_field::month: return take_number(reader, 2, parts.month);
    case time_field::month_name:
    case time_field::short_month_name:
      parts.month = take_name(reader, month_names, september, 'r');
      return parts.month != 0;
    case time_field::day: return take_number(reader, 2, parts.day);
    case time_field::day_of_year: return take_number(reader, 3, parts.day_of_year);
    case time_field::sunday_week:
    case time_field::monday_week: return take_number(reader, 2, parts.week);
    case time_field::iso_weekday: return take_number(reader, 1, parts.weekday) && parts.weekday >= 1 && parts.weekday <= 7;
    case time_field::weekday:
      if (!take_number(reader, 1, number)) { return false; }
      parts.weekday = number == 0 ? 7 : number;
      return number < 7;
    case time_field::weekday_name:
    case time_field::short_weekday_name:
      parts.weekday = take_name(reader, weekday_names, wednesday, 'y');
      return parts.weekday != 0;
    case time_field::days: return take_number(reader, 18, parts.days);
    case time_field::hour: return take_number(reader, 2, parts.hour) && parts.hour < 24;
    case time_field::hour_of_half:
      if (!take_number(reader, 2, number)) { return false; }
      parts.hour = number % 12;
      return number >= 1 && number <= 12;
    case time_field::hour_from_zero:
      if (!take_number(reader, 2, number)) { return false; }
      parts.hour = number % 12;
      return number <= 12;
    case time_field::half: {
      uint32_t const letter = reader.peek() | 0x20;
      if (reader.is_done() || (letter != 'a' && letter != 'p')) { return false; }
      reader.skip();
      parts.half = letter == 'p' ? 1 : 0;
      return reader.take('M') || reader.take('m');
    }
    case time_field::minute: return take_number(reader, 2, parts.minute) && parts.minute < 60;
    case time_field::second: return take_number(reader, 2, parts.second) && parts.second < 60;
    case time_field::fraction: return take_fraction(reader, argument, parts.nanosecond);
    case time_field::second_fraction: return !reader.take('.') || take_fraction(reader, 9, parts.nanosecond);
    case time_field::offset: return take_offset(reader, parts.offset);
    case time_field::sign:
      parts.minus = reader.take('-');
      if (!parts.minus) { reader.take('+'); }
      return true;
    default: return false;
  }
}

/// [thread] Computes the day of a date from the fields that have been read, in days since 1970-01-01. Returns false if
/// there is no such day.
GDF_DEVICE bool day_of(const time_parts& parts, date_source source, int64_t& days) {
  int64_t const first = gdf::first_of_month(parts.year, 1);
  int64_t const length = gdf::is_leap(parts.year) ? 366 : 365;
  if (source == date_source::month) {
    if (parts.month < 1 || parts.month > 12 || parts.day < 1) { return false; }
    auto const month = static_cast<int32_t>(parts.month);
    days = gdf::first_of_month(parts.year, month) + parts.day - 1;
    if (parts.day > gdf::days_in_month(parts.year, month)) { return false; }
  } else if (source == date_source::day_of_year) {
    days = first + parts.day_of_year - 1;
  } else {
    int64_t const from = source == date_source::sunday_week ? 7 : 1; // the weekday on which weeks begin
    int64_t const week_begin = first + (from + 7 - gdf::iso_weekday(first)) % 7;
    days = week_begin + (parts.week - 1) * 7 + (parts.weekday + 7 - from) % 7;
  }
  return days >= first && days < first + length && (parts.weekday == 0 || gdf::iso_weekday(days) == parts.weekday);
}

/// [thread] Parses a text into a number of ticks. Returns false if the text does not have the format, or if the number
/// does not fit.
template <class Reader>
GDF_DEVICE bool parse_time(Reader reader, const time_format& p, u64& value) {
  time_parts parts{};
  parts.year = 1970;
  parts.month = 1;
  parts.day = 1;
  for (int i = 0; i < p.count; i++) {
    int const field = p.fields[i];
    if (!take_field(reader, static_cast<time_field>(field & 0xff), field >> 8, parts)) { return false; }
  }
  if (!reader.is_done()) { return false; }
  int64_t days = parts.days;
  if (p.is_duration == 0 && !day_of(parts, static_cast<date_source>(p.source), days)) { return false; }
  int64_t const hour = parts.hour + (parts.half > 0 ? 12 : 0);
  int64_t second = (hour * 60 + parts.minute) * 60 + parts.second - parts.offset;
  int64_t const carry = gdf::floor_div(second, seconds_per_day);
  days += carry;
  second -= carry * seconds_per_day;
  gdf::i128 ticks = static_cast<gdf::i128>(days) * p.ticks_per_day +
                    (second * nanoseconds_per_second + parts.nanosecond) / p.nanoseconds;
  if (parts.minus) { ticks = -ticks; }
  value = static_cast<u64>(ticks);
  return ticks == static_cast<int64_t>(value);
}

struct from_times {
  static constexpr bool by_warp = false;

  /// [thread] Writes the lowest `digits` digits of a number.
  template <class Sink>
  GDF_DEVICE static void put_digits(Sink& sink, int64_t number, int digits) {
    auto rest = static_cast<uint32_t>(number);
    u64 word = 0;
    uint32_t ninth = 0;
    for (int i = digits - 1; i >= 0; i--) {
      uint32_t const digit = '0' + rest % 10;
      rest /= 10;
      if (i == 8) {
        ninth = digit;
      } else {
        word |= static_cast<u64>(digit) << (8 * i);
      }
    }
    sink.put(word, digits < 8 ? digits : 8);
    if (digits == 9) { sink.put(ninth, 1); }
  }

  template <class Sink>
  GDF_DEVICE static void put_number(Sink& sink, int64_t number, int digits) {
    if (number < 0) { sink.put('-', 1); }
    u64 const size = number < 0 ? 0 - static_cast<u64>(number) : static_cast<u64>(number);
    int count = 1;
    for (u64 rest = size; rest >= 10; rest /= 10) { count++; }
    for (int left = count > digits ? count : digits; left > 0;) {
      int const part = left > 9 ? left - 9 : 0;
      put_digits(sink, static_cast<int64_t>(part > 0 ? size / gdf::power_of_ten(part) % 1000000000u : size % 1000000000u), left - part);
      left = part;
    }
  }

  template <class Sink>
  GDF_DEVICE static void put_name(Sink& sink, const char (&name)[8], uint32_t ninth, bool is_short) {
    u64 word = 0;
    int size = 0;
    for (; size < (is_short ? 3 : 8) && name[size] != 0; size++) { word |= static_cast<u64>(name[size]) << (8 * size); }
    sink.put(word, size);
    if (!is_short && ninth != 0) { sink.put(ninth, 1); }
  }

  template <class Sink>
  GDF_DEVICE static void put_fraction(Sink& sink, int64_t nanoseconds, int digits) {
    put_digits(sink, nanoseconds / static_cast<int64_t>(gdf::power_of_ten(9 - digits)), digits);
  }

  template <class Sink>
  GDF_DEVICE static void put_field(Sink& sink, time_field field, int argument, const time_parts& parts) {
    switch (field) {
      case time_field::byte: sink.put(static_cast<u64>(argument), 1); break;
      case time_field::year: put_number(sink, parts.year, 4); break;
      case time_field::year_of_century: put_digits(sink, gdf::floor_mod(parts.year, 100), 2); break;
      case time_field::month: put_digits(sink, parts.month, 2); break;
      case time_field::month_name:
      case time_field::short_month_name:
        put_name(sink, month_names[parts.month - 1], parts.month - 1 == september ? 'r' : 0,
                 field == time_field::short_month_name);
        break;
      case time_field::day: put_digits(sink, parts.day, 2); break;
      case time_field::day_of_year: put_digits(sink, parts.day_of_year, 3); break;
      case time_field::sunday_week: put_digits(sink, (parts.day_of_year + 6 - parts.weekday % 7) / 7, 2); break;
      case time_field::monday_week: put_digits(sink, (parts.day_of_year + 7 - parts.weekday) / 7, 2); break;
      case time_field::iso_week: {
        int64_t const thursday = gdf::iso_thursday(parts.days);
        put_digits(sink, (thursday - gdf::first_of_month(gdf::civil(thursday).year, 1)) / 7 + 1, 2);
        break;
      }
      case time_field::iso_year: put_number(sink, gdf::civil(gdf::iso_thursday(parts.days)).year, 4); break;
      case time_field::iso_weekday: put_digits(sink, parts.weekday, 1); break;
      case time_field::weekday: put_digits(sink, parts.weekday % 7, 1); break;
      case time_field::weekday_name:
      case time_field::short_weekday_name:
        put_name(sink, weekday_names[parts.weekday - 1], parts.weekday - 1 == wednesday ? 'y' : 0,
                 field == time_field::short_weekday_name);
        break;
      case time_field::days: put_number(sink, parts.days, 1); break;
      case time_field::hour: put_digits(sink, parts.hour, 2); break;
      case time_field::hour_of_half: put_digits(sink, (parts.hour + 11) % 12 + 1, 2); break;
      case time_field::hour_from_zero: put_digits(sink, parts.hour % 12, 2); break;
      case time_field::half: sink.put(parts.hour < 12 ? 0x4d41 : 0x4d50, 2); break; // AM, PM
      case time_field::minute: put_digits(sink, parts.minute, 2); break;
      case time_field::second: put_digits(sink, parts.second, 2); break;
      case time_field::fraction: put_fraction(sink, parts.nanosecond, argument); break;
      case time_field::second_fraction:
        if (parts.nanosecond != 0) {
          sink.put('.', 1);
          put_fraction(sink, parts.nanosecond, argument);
        }
        break;
      case time_field::offset: sink.put(0x303030302bull, 5); break; // +0000
      case time_field::zone_name: sink.put(0x435455, 3); break; // UTC
      case time_field::sign:
        if (parts.minus) { sink.put('-', 1); }
        break;
    }
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const times_text& p) {
    const gdf::column_in& in = p.input.column;
    if (!gdf::is_valid(in, row)) { return false; }
    int64_t const ticks =
      gdf::width_of(in.type) == 4 ? int64_t{gdf::element<int32_t>(in, row)} : gdf::element<int64_t>(in, row);
    time_parts parts{};
    u64 rest;
    if (p.format.is_duration != 0) {
      parts.minus = ticks < 0;
      u64 const size = ticks < 0 ? 0 - static_cast<u64>(ticks) : static_cast<u64>(ticks);
      parts.days = static_cast<int64_t>(size / static_cast<u64>(p.format.ticks_per_day));
      rest = size % static_cast<u64>(p.format.ticks_per_day);
    } else {
      parts.days = gdf::floor_div(ticks, p.format.ticks_per_day);
      rest = static_cast<u64>(gdf::floor_mod(ticks, p.format.ticks_per_day));
      gdf::civil_date const date = gdf::civil(parts.days);
      parts.year = date.year;
      parts.month = date.month;
      parts.day = date.day;
      parts.day_of_year = parts.days - gdf::first_of_month(date.year, 1) + 1;
      parts.weekday = gdf::iso_weekday(parts.days);
    }
    rest *= static_cast<u64>(p.format.nanoseconds);
    parts.nanosecond = static_cast<int64_t>(rest % nanoseconds_per_second);
    auto const second = static_cast<uint32_t>(rest / nanoseconds_per_second);
    parts.hour = second / 3600;
    parts.minute = second / 60 % 60;
    parts.second = second % 60;
    for (int i = 0; i < p.format.count; i++) {
      int const field = p.format.fields[i];
      put_field(sink, static_cast<time_field>(field & 0xff), field >> 8, parts);
    }
    return true;
  }
};

} // namespace strings

/// Parses texts as timestamps or durations, which have the width of the rows of `out`. If `out` is boolean, the kernel
/// writes whether each text can be parsed.
extern "C" __global__ void GDF_BOUNDS(to_times) GDF_VARIANT(to_times, words)
to_times_words_kernel(const __grid_constant__ gdf::column_in in, gdf::byte_count bytes, const __grid_constant__ gdf::column_out out,
                      const __grid_constant__ strings::time_format p, gdf::scratch* scratch) {
  gdf::parse_strings<to_times_tuning, gdf::u64>(
    in, bytes, out, scratch,
    [&](const auto& text, gdf::u64& value) { return strings::parse_time(gdf::text_reader(text), p, value); });
}

GDF_STRINGS(from_times, from_times, all_write, strings::times_text, gdf::write_strings<strings::from_times>);
