#include "cli/options.hpp"

#include <fmt/format.h>

#include <sstream>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

namespace pv = boost::program_options::validators;

void validate(boost::any& value, const std::vector<std::string>& texts, SizeArg*, int) {
  pv::check_first_occurrence(value);
  value = SizeArg{parse_bytes(pv::get_single_string(texts))};
}

void validate(boost::any& value, const std::vector<std::string>& texts, DurationArg*, int) {
  pv::check_first_occurrence(value);
  value = DurationArg{parse_duration_ns(pv::get_single_string(texts))};
}

void validate(boost::any& value, const std::vector<std::string>& texts, SizeListArg*, int) {
  SizeListArg list;
  if (!value.empty()) list = boost::any_cast<SizeListArg>(value);
  for (const std::string& text : texts) {
    std::istringstream parts{text};
    for (std::string part; std::getline(parts, part, ',');) list.bytes.push_back(parse_bytes(part));
  }
  value = list;
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
    po::store(
        po::command_line_parser(arguments).options(all).positional(positional_).style(style).run(),
        values);
    if (values.count("help") != 0) throw HelpRequested{help()};
    po::notify(values);
  } catch (const po::error& error) {
    throw UsageError{fmt::format("{} (see 'rigel {} --help')", error.what(), command_)};
  }
  return values;
}

}  // namespace rigel
