// Reads words and numbers off a line; white space between them is optional and of any length.
// A view of the line, which must outlive it. One thread. Only number_after() throws: Error that
// names the word after which there is no number.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace rigel {

class LineScanner {
 public:
  explicit LineScanner(std::string_view text);

  // Takes the word when it comes next.
  bool word(std::string_view wanted);
  // Takes a decimal number from 0 to 1e15 when one comes next.
  std::optional<double> number();
  // A number that must be there, after the word that announces it.
  double number_after(std::string_view wanted);
  // Half a unit of the last digit that number() read.
  [[nodiscard]] double rounding() const;
  // What is left, from its first character that is not white space.
  std::string_view rest();

 private:
  void skip_space();

  std::string_view rest_;
  std::string_view last_;
};

}  // namespace rigel
