// A folder for a test's files that goes with the test, whatever its outcome. One thread.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace rigel {

class ScratchFolder {
 public:
  ScratchFolder() : path_{testing::TempDir() + "rigel-test-XXXXXX"} {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error{path_ + ": not made"};
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace rigel
