// What part a process plays in a database, from its names: "lgwr" of instance ORCL1. The rules are
// data (roles.conf, compiled in; more by --roles FILE), one "ROLE REGEX" a line, the first match
// wins, the regex's group is the instance.
// Immutable once made. The constructor throws Error naming file and line for a bad rule.
#pragma once

#include <cstdint>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace rigel {

struct ProcessNames {
  std::string comm;   // the thread's, cut to 15 characters by the kernel
  std::string title;  // argv[0], as the process set it; empty when it is gone
  bool is_main_thread = true;
};

struct ProcessRole {
  std::string role;  // empty: none known
  std::string instance;
};

class ProcessRoles {
 public:
  ProcessRoles();  // the built-in table
  // Rules of the file come before the built-in ones.
  explicit ProcessRoles(const std::string& path);

  [[nodiscard]] ProcessRole role_of(const ProcessNames& names) const;

 private:
  struct Rule {
    std::string role;
    std::regex pattern;
  };
  void read(std::string_view text, const std::string& source);
  // nullptr when no rule matches.
  const Rule* match(const std::string& name, std::string& instance) const;

  std::vector<Rule> rules_;
};

}  // namespace rigel
