// Command lines by Boost.Program_options, with rigel's types and rigel's errors.
//
//   CommandOptions options{"model", "[OPTIONS] TRACE...", "Predicts …"};
//   options.add()("cache", po::value<std::vector<SizeArg>>(), "cache sizes, e.g. 96G,256G");
//   options.positional("trace", -1);
//   const po::variables_map values = options.parse(arguments);
//
// parse() throws UsageError for anything wrong and HelpRequested for --help.
#pragma once

#include <boost/any.hpp>
#include <boost/program_options.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rigel {

namespace po = boost::program_options;

struct HelpRequested {
  std::string text;
};

// Option value types: whole numbers ("128"), numbers ("0.5", finite), sizes ("96G"), times
// ("1.5s"), and comma-separated lists of different sizes. None takes a sign, junk, or what does not
// fit.
struct CountArg {
  std::uint64_t value = 0;
};
struct NumberArg {
  double value = 0;
};
struct SizeArg {
  std::uint64_t bytes = 0;
};
struct DurationArg {
  std::int64_t ns = 0;
};
struct SizeListArg {
  std::vector<std::uint64_t> bytes;
};
void validate(boost::any& value, const std::vector<std::string>& texts, CountArg*, int);
void validate(boost::any& value, const std::vector<std::string>& texts, NumberArg*, int);
void validate(boost::any& value, const std::vector<std::string>& texts, SizeArg*, int);
void validate(boost::any& value, const std::vector<std::string>& texts, DurationArg*, int);
void validate(boost::any& value, const std::vector<std::string>& texts, SizeListArg*, int);

// What a CountArg option says, or `absent` when it was not given. Throws UsageError when that is
// not within [low, high].
[[nodiscard]] std::uint64_t count_of(const po::variables_map& values, const std::string& option,
                                     std::uint64_t low, std::uint64_t high, std::uint64_t absent);
// "a,b,c" in its parts, empty ones included.
[[nodiscard]] std::vector<std::string> comma_parts(const std::string& list);
// The texts of a repeatable option; throws UsageError when one of them is there twice.
[[nodiscard]] std::vector<std::string> different_texts(const po::variables_map& values,
                                                       const std::string& option);

class CommandOptions {
 public:
  CommandOptions(std::string_view command, std::string_view synopsis, std::string_view text);

  // Options shown in the help, by name and description.
  [[nodiscard]] po::options_description_easy_init add() { return visible_.add_options(); }
  // The next `count` arguments that are no options (-1: all that remain).
  void positional(const char* name, int count);
  // Shown under the options in --help.
  void epilog(std::string_view text) { epilog_ = text; }

  // Whether "-name" may stand for "--name", as ORION has it.
  enum class Dashes { kTwo, kOneOrTwo };
  [[nodiscard]] po::variables_map parse(const std::vector<std::string>& arguments,
                                        Dashes dashes = Dashes::kTwo);

 private:
  [[nodiscard]] std::string help() const;

  std::string command_;
  std::string synopsis_;
  std::string text_;
  std::string epilog_;
  po::options_description visible_{"Options"};
  po::options_description hidden_;
  po::positional_options_description positional_;
};

}  // namespace rigel
