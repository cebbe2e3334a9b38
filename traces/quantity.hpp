// Sizes and times as people write them. Sizes: "512", "8k", "96G", "3TiB" are powers of 1024.
// Times carry a unit: "300us", "1.5s", "2m", "1h". Parsing refuses trailing junk, negative values
// and overflow with a UsageError that repeats the text. Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rigel {

// A whole number in digits, without sign, unit or anything else.
[[nodiscard]] std::uint64_t parse_count(std::string_view text);
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text);
[[nodiscard]] std::int64_t parse_duration_ns(std::string_view text);

// Exact when a unit divides the value ("96 GiB", "8 KiB"), otherwise two decimals ("1.46 MiB").
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
// Three significant digits and a unit: "312 us", "8.21 ms", "10.0 s".
[[nodiscard]] std::string format_duration(std::int64_t duration_ns);
// Thousands separated: "1,141,869".
[[nodiscard]] std::string format_count(std::uint64_t count);
// A share of 0.436 as "43.6 %".
[[nodiscard]] std::string format_percent(double share);

}  // namespace rigel
