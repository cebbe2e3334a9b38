#include "capture/numbered_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "traces/error.hpp"

namespace rigel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 6;  // so that names sort as they were made

std::optional<std::uint64_t> number_in(std::string_view name, std::string_view stem,
                                       std::string_view extension) {
  if (name.size() < stem.size() + kDigits + extension.size() || !name.starts_with(stem) ||
      !name.ends_with(extension)) {
    return std::nullopt;
  }
  name.remove_prefix(stem.size());
  name.remove_suffix(extension.size());
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (status != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace

NumberedFiles::NumberedFiles(const std::string& path, std::size_t keep) : keep_{keep} {
  const fs::path whole{path};
  folder_ = whole.parent_path().string();
  stem_ = whole.stem().string() + "-";
  extension_ = whole.extension().string();
  const std::vector<std::uint64_t> there = numbers();
  if (!there.empty()) last_ = there.back();
}

std::vector<std::uint64_t> NumberedFiles::numbers() const {
  std::vector<std::uint64_t> found;
  std::error_code error;
  const std::string folder = folder_.empty() ? "." : folder_;
  fs::directory_iterator entry{folder, error};
  for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
    const auto number = number_in(entry->path().filename().string(), stem_, extension_);
    if (number) found.push_back(*number);
  }
  if (error) throw system_error(folder, "cannot list", error.value());
  std::sort(found.begin(), found.end());
  return found;
}

std::string NumberedFiles::path_of(std::uint64_t number) const {
  return (fs::path{folder_} / fmt::format("{}{:0{}}{}", stem_, number, kDigits, extension_))
      .string();
}

std::string NumberedFiles::next() {
  return path_of(++last_);
}

void NumberedFiles::remove_old() const {
  if (keep_ == 0) return;
  const std::vector<std::uint64_t> there = numbers();
  for (std::size_t i = 0; i + keep_ < there.size(); ++i) {
    std::error_code error;
    fs::remove(path_of(there[i]), error);
    if (error) throw system_error(path_of(there[i]), "cannot remove", error.value());
  }
}

}  // namespace rigel
