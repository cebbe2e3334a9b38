#include "cli/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cli/command.hpp"

namespace rigel {
namespace {

// Levenshtein's distance, for "did you mean".
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string overview() {
  std::string text =
      "Usage: rigel COMMAND [OPTIONS] ...\n\n"
      "Records the block I/O of a host, predicts what an array's cache will do with it,\n"
      "replays it on other storage, and says how faithful that was.\n\nCommands:\n";
  for (const CommandEntry& entry : commands()) {
    text += fmt::format("  {:<10} {}\n", entry.name, entry.summary);
  }
  return text +
         "\n'rigel help COMMAND' explains one, 'rigel help formats' lists the trace formats.\n"
         "'rigel --version' prints the version.\n";
}

UsageError unknown_command(std::string_view name) {
  const auto entries = commands();
  const auto nearest = std::min_element(
      entries.begin(), entries.end(), [&](const CommandEntry& a, const CommandEntry& b) {
        return edit_distance(name, a.name) < edit_distance(name, b.name);
      });
  const bool near = edit_distance(name, nearest->name) <= 2;
  return UsageError{fmt::format("there is no command '{}'{} (see 'rigel help')", name,
                                near ? fmt::format("; did you mean '{}'?", nearest->name) : "")};
}

}  // namespace rigel
