// The fields of one line of a text trace, taken from left to right. The first thing wrong is
// kept, with the field's name, and everything after it reads as 0: an importer takes all its
// fields, then asks ok() once.
//
//   TextFields fields{line, ','};
//   record.queue_ns = fields.time("timestamp", kNsPerUs);
//   record.offset_bytes = fields.bytes("offset", 1);
//   if (!fields.ok()) return out.refuse(fields.why());
//
// Blanks around a field are passed over; a separator of ' ' stands for any run of blanks and tabs.
// Plain value, no allocation until why().
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace rigel {

// Nanoseconds in a unit of time.
inline constexpr std::int64_t kNsPerUs = 1'000;
inline constexpr std::int64_t kNsPerMs = 1'000'000;
inline constexpr std::int64_t kNsPerSecond = 1'000'000'000;

inline constexpr std::uint64_t kSectorBytes = 512;

class TextFields {
 public:
  TextFields(std::string_view line, char separator)
      : line_{line.data()},
        at_{line.data()},
        end_{line.data() + line.size()},
        separator_{separator} {}

  // A whole number without a sign.
  std::uint64_t number(const char* name) {
    begin(name);
    std::uint64_t value = 0;
    if (!take_digits(value)) {
      const auto [rest, status] = std::from_chars(at_, end_, value);
      if (status != std::errc{}) return fail(status, rest);
      at_ = rest;
    }
    finish_field();
    return ok() ? value : 0;
  }
  // A whole number below `limit`.
  std::uint32_t small_number(const char* name, std::uint64_t limit = std::uint64_t{1} << 32) {
    const std::uint64_t value = number(name);
    if (value >= limit) fail(Fault::kTooLarge);
    return ok() ? static_cast<std::uint32_t>(value) : 0;
  }
  // A whole number of units of `unit_bytes`, as bytes: at most 2^63 - 1, as the kernel's loff_t.
  std::uint64_t bytes(const char* name, std::uint64_t unit_bytes) {
    const std::uint64_t value = number(name);
    if (value > kLargestOffset / unit_bytes) fail(Fault::kBeyondDevice);
    return ok() ? value * unit_bytes : 0;
  }
  // The same for the length of one I/O, which is below 4 GiB.
  std::uint32_t length(const char* name, std::uint64_t unit_bytes) {
    const std::uint64_t value = number(name);
    if (value > std::numeric_limits<std::uint32_t>::max() / unit_bytes) fail(Fault::kTooLong);
    return ok() ? static_cast<std::uint32_t>(value * unit_bytes) : 0;
  }
  // An errno, whatever its sign, as a positive number.
  std::int32_t errno_value(const char* name) {
    begin(name);
    if (ok() && at_ != end_ && *at_ == '-') ++at_;
    std::int32_t value = 0;
    const auto [rest, status] = std::from_chars(at_, end_, value);
    if (status != std::errc{}) return static_cast<std::int32_t>(fail(status, rest));
    at_ = rest;
    finish_field();
    return ok() ? value : 0;
  }
  // A time, with or without a fraction or an exponent, in units of `unit_ns`; to the nearest ns.
  std::int64_t time(const char* name, std::int64_t unit_ns);
  // The field as it stands.
  std::string_view text(const char* name) {
    begin(name);
    const char* from = at_;
    while (at_ != end_ && !is_separator(*at_)) ++at_;
    const char* to = at_;
    while (to != from && is_blank(to[-1])) --to;
    finish_field();
    return {from, static_cast<std::size_t>(to - from)};
  }
  // Passes over the field if there is nothing in it.
  [[nodiscard]] bool take_empty() {
    skip_blanks();
    if (!ok() || separator_ == ' ') return false;
    if (at_ == end_) {
      const bool empty = after_separator_;
      after_separator_ = false;
      return empty;
    }
    if (*at_ != separator_) return false;
    finish_field();
    return true;
  }
  // Whether anything is left, and what.
  [[nodiscard]] bool at_end() {
    skip_blanks();
    return at_ == end_;
  }
  [[nodiscard]] std::string_view rest() const {
    return {at_, static_cast<std::size_t>(end_ - at_)};
  }

  [[nodiscard]] bool ok() const { return fault_ == Fault::kNone; }
  // "LBA: '-1' is negative"
  [[nodiscard]] std::string why() const;

 private:
  enum class Fault : std::uint8_t {
    kNone,
    kMissing,
    kNoNumber,
    kNegative,
    kTrailing,
    kTooLarge,
    kBeyondDevice,
    kTooLong,
  };
  static constexpr std::uint64_t kLargestOffset = std::numeric_limits<std::int64_t>::max();

  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  [[nodiscard]] bool is_separator(char c) const {
    return separator_ == ' ' ? is_blank(c) : c == separator_;
  }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  void begin(const char* name) {
    if (!ok()) {
      at_ = end_;
      return;
    }
    skip_blanks();
    name_ = name;
    field_ = at_;
    if (at_ == end_ && !after_separator_) fail(Fault::kMissing);
    after_separator_ = false;
  }
  // Past what follows a field: blanks, and the separator or the end of the line.
  void finish_field() {
    if (at_ != end_ && *at_ == separator_ && separator_ != ' ') {
      ++at_;
      after_separator_ = true;
      return;
    }
    if (at_ == end_) return;
    if (!is_blank(*at_)) {
      fail(Fault::kTrailing);
      return;
    }
    skip_blanks();
    if (separator_ == ' ' || at_ == end_) return;
    if (*at_ != separator_) {
      fail(Fault::kTrailing);
      return;
    }
    ++at_;
    after_separator_ = true;
  }
  // Takes up to 19 digits, eight at a time; false, with nothing taken, when there are none or more:
  // std::from_chars is for those. Most of the time of reading text goes here, and from_chars takes
  // twice as long.
  bool take_digits(std::uint64_t& value) {
    const char* at = at_;
    std::uint64_t total = 0;
    for (int round = 0;; ++round) {
      const std::ptrdiff_t left = end_ - at;
      std::uint64_t digits = 0;
      if (left >= 8) {
        std::memcpy(&digits, at, sizeof digits);
      } else if (left != 0 && end_ - line_ >= 8) {
        std::memcpy(&digits, end_ - 8, sizeof digits);
        digits >>= 8 * (8 - left);
      } else if (left != 0 || round == 0) {
        return false;
      }
      digits ^= 0x3030303030303030U;  // each digit's byte is now its value, others are above 9
      const std::uint64_t others = ((digits + 0x7676767676767676U) | digits) & 0x8080808080808080U;
      const int count = others == 0 ? 8 : std::countr_zero(others) / 8;
      if ((round == 0 && count == 0) || (round == 2 && count > 3)) return false;
      if (count != 0) {
        // Zeros in front in place of what follows; then by pairs, fours and all eight.
        digits <<= 64 - 8 * count;
        digits = digits * 10 + (digits >> 8);
        digits = (((digits & 0x000000ff000000ffU) * 0x000f424000000064U) +
                  (((digits >> 16) & 0x000000ff000000ffU) * 0x0000271000000001U)) >>
                 32;
        total = total * kPowerOfTen[count] + digits;
        at += count;
      }
      if (count < 8) break;
    }
    value = total;
    at_ = at;
    return true;
  }
  static_assert(std::endian::native == std::endian::little);
  static constexpr std::uint32_t kPowerOfTen[] = {
      1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

  std::uint64_t fail(Fault fault) {
    if (fault_ == Fault::kNone) fault_ = fault;
    return 0;
  }
  std::uint64_t fail(std::errc status, const char* rest) {
    if (status == std::errc::result_out_of_range) return fail(Fault::kTooLarge);
    const bool negative = rest != end_ && *rest == '-' && end_ - rest > 1 && is_digit(rest[1]);
    return fail(negative ? Fault::kNegative : Fault::kNoNumber);
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  const char* line_;
  const char* at_;
  const char* end_;
  const char* field_ = nullptr;  // where the field under way begins
  const char* name_ = "";
  char separator_;
  bool after_separator_ = false;  // an empty field is there, not missing
  Fault fault_ = Fault::kNone;
};

// The unit of an OpenOptions::time_unit; throws UsageError for another name.
[[nodiscard]] std::int64_t time_unit_ns(std::string_view name);

}  // namespace rigel
