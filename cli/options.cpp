#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

namespace pv = boost::program_options::validators;

namespace {

// Sets `value` from the one text given; an error of `parse` gets the option's name from Boost.
template <typename Parse>
void set_once(boost::any& value, const std::vector<std::string>& texts, Parse parse) {
  pv::check_first_occurrence(value);
  const std::string& text = pv::get_single_string(texts);
  try {
    value = parse(text);
  } catch (const UsageError& error) {
    throw po::error_with_option_name{std::string{"%canonical_option%: "} + error.what()};
  }
}

double parse_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  const bool good = status == std::errc{} && rest == end && std::isfinite(number);
  if (!good) throw UsageError{fmt::format("'{}' is not a number", text)};
  if (text.starts_with('-')) throw UsageError{fmt::format("'{}' is negative", text)};
  return number;
}

void add_sizes(const std::string& text, std::vector<std::uint64_t>& sizes) {
  for (const std::string& part : comma_parts(text)) {
    const std::uint64_t size = parse_bytes(part);
    if (std::find(sizes.begin(), sizes.end(), size) != sizes.end()) {
      throw UsageError{fmt::format("'{}' names {} twice", text, format_bytes(size))};
    }
    sizes.push_back(size);
  }
}

// No option or argument means anything when it is empty; a shell's unset variable leaves it so.
void refuse_empty(const po::parsed_options& parsed) {
  for (const po::option& option : parsed.options) {
    if (std::count(option.value.begin(), option.value.end(), "") == 0) continue;
    const bool is_argument = option.position_key != -1;
    throw po::error{is_argument ? "an argument is empty" : "--" + option.string_key + " is empty"};
  }
}

}  // namespace

void validate(boost::any& value, const std::vector<std::string>& texts, CountArg*, int) {
  set_once(value, texts, [](const std::string& text) { return CountArg{parse_count(text)}; });
}

void validate(boost::any& value, const std::vector<std::string>& texts, NumberArg*, int) {
  set_once(value, texts, [](const std::string& text) { return NumberArg{parse_number(text)}; });
}

void validate(boost::any& value, const std::vector<std::string>& texts, SizeArg*, int) {
  set_once(value, texts, [](const std::string& text) { return SizeArg{parse_bytes(text)}; });
}

void validate(boost::any& value, const std::vector<std::string>& texts, DurationArg*, int) {
  set_once(value, texts,
           [](const std::string& text) { return DurationArg{parse_duration_ns(text)}; });
}

void validate(boost::any& value, const std::vector<std::string>& texts, SizeListArg*, int) {
  SizeListArg list;
  if (!value.empty()) list = boost::any_cast<SizeListArg>(value);
  boost::any one;
  set_once(one, texts, [&](const std::string& text) {
    add_sizes(text, list.bytes);
    return list;
  });
  value = one;
}

std::uint64_t count_of(const po::variables_map& values, const std::string& option,
                       std::uint64_t low, std::uint64_t high, std::uint64_t absent) {
  if (values.count(option) == 0) return absent;
  const std::uint64_t value = values[option].as<CountArg>().value;
  if (value >= low && value <= high) return value;
  const std::string wanted = high == std::numeric_limits<std::uint64_t>::max()
                                 ? fmt::format("at least {}", low)
                                 : fmt::format("a whole number from {} to {}", low, high);
  throw UsageError{fmt::format("--{} {}: {} is wanted", option, value, wanted)};
}

std::vector<std::string> comma_parts(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

std::vector<std::string> different_texts(const po::variables_map& values,
                                         const std::string& option) {
  if (values.count(option) == 0) return {};
  const auto& texts = values[option].as<std::vector<std::string>>();
  for (auto at = texts.begin(); at != texts.end(); ++at) {
    if (std::find(texts.begin(), at, *at) != at) {
      throw UsageError{fmt::format("--{} {} is given twice", option, *at)};
    }
  }
  return texts;
}

CommandOptions::CommandOptions(std::string_view command, std::string_view synopsis,
                               std::string_view text)
    : command_{command}, synopsis_{synopsis}, text_{text} {
  add()("help,h", "show this help");
}

void CommandOptions::positional(const char* name, int count) {
  hidden_.add_options()(name, po::value<std::vector<std::string>>());
  positional_.add(name, count);
}

std::string CommandOptions::help() const {
  std::ostringstream options;
  options << visible_;
  return fmt::format("Usage: rigel {} {}\n\n{}\n\n{}{}", command_, synopsis_, text_, options.str(),
                     epilog_.empty() ? "" : "\n" + epilog_ + "\n");
}

po::variables_map CommandOptions::parse(const std::vector<std::string>& arguments, Dashes dashes) {
  po::options_description all;
  all.add(visible_).add(hidden_);
  po::variables_map values;
  try {
    // No guessing: an abbreviated option would change its meaning when a longer one is added.
    int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    if (dashes == Dashes::kOneOrTwo) style |= po::command_line_style::allow_long_disguise;
    const po::parsed_options parsed =
        po::command_line_parser(arguments).options(all).positional(positional_).style(style).run();
    refuse_empty(parsed);
    po::store(parsed, values);
    if (values.count("help") != 0) throw HelpRequested{help()};
    po::notify(values);
  } catch (const po::error& error) {
    throw UsageError{fmt::format("{} (see 'rigel {} --help')", error.what(), command_)};
  }
  return values;
}

}  // namespace rigel
