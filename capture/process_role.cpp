#include "capture/process_role.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "capture/builtin_roles.hpp"
#include "traces/error.hpp"

namespace rigel {

ProcessRoles::ProcessRoles() {
  read(kBuiltinRoles, "built-in roles");
}

ProcessRoles::ProcessRoles(const std::string& path) {
  std::ifstream file{path};
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw Error{path + ": cannot read the table of roles"};
  read(text.str(), path);
  read(kBuiltinRoles, "built-in roles");
}

void ProcessRoles::read(std::string_view text, const std::string& source) {
  std::istringstream lines{std::string{text}};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words{line};
    std::string role;
    std::string pattern;
    if (!(words >> role) || role.front() == '#') continue;
    words >> std::ws;
    std::getline(words, pattern);
    while (!pattern.empty() && (pattern.back() == ' ' || pattern.back() == '\r'))
      pattern.pop_back();
    try {
      if (pattern.empty()) throw Error{"no pattern after the role"};
      rules_.push_back({role, std::regex{pattern, std::regex::optimize}});
    } catch (const std::exception& error) {
      throw Error{fmt::format("{}: line {}: {}", source, number, error.what())};
    }
  }
}

const ProcessRoles::Rule* ProcessRoles::match(const std::string& name,
                                              std::string& instance) const {
  std::smatch found;
  for (const Rule& rule : rules_) {
    if (!std::regex_match(name, found, rule.pattern)) continue;
    instance = found.size() > 1 ? found[1].str() : "";
    return &rule;
  }
  return nullptr;
}

ProcessRole ProcessRoles::role_of(const ProcessNames& names) const {
  // A process says what it is in its title; a thread has only its own name to do so.
  std::string by_title;
  std::string by_comm;
  const Rule* title = names.title.empty() ? nullptr : match(names.title, by_title);
  const Rule* comm = match(names.comm, by_comm);
  const Rule* first = names.is_main_thread ? title : comm;
  const Rule* second = names.is_main_thread ? comm : title;
  const Rule* rule = first != nullptr ? first : second;
  if (rule == nullptr) return {};
  // The kernel cuts names, so that the longer instance is the whole one.
  return {rule->role, by_title.size() >= by_comm.size() ? by_title : by_comm};
}

}  // namespace rigel
