// The files of a recording that makes more than one: "db.rgt" becomes db-000001.rgt, db-000002.rgt,
// and so on, going on after those that are there; of which the newest `keep` are kept.
// remove_old() and the constructor throw Error when the folder cannot be read or a file not
// removed. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rigel {

class NumberedFiles {
 public:
  // `keep` 0: all of them.
  NumberedFiles(const std::string& path, std::size_t keep);

  // The next one's name; makes no file.
  [[nodiscard]] std::string next();
  // Removes the oldest until `keep` are left. Call it when a new one is there.
  void remove_old() const;

 private:
  [[nodiscard]] std::vector<std::uint64_t> numbers() const;  // of those that are there, ascending
  [[nodiscard]] std::string path_of(std::uint64_t number) const;

  std::string folder_;
  std::string stem_;       // with the dash
  std::string extension_;  // with the dot
  std::size_t keep_;
  std::uint64_t last_ = 0;
};

}  // namespace rigel
