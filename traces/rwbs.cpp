#include "traces/rwbs.hpp"

namespace rigel {
namespace {

bool is_operation(char c) {
  return c == 'R' || c == 'W' || c == 'D' || c == 'F' || c == 'N' || c == 'Z';
}

}  // namespace

bool parse_rwbs(std::string_view text, IoOp& op, std::uint32_t& flags) {
  if (text.size() >= 2 && text[0] == 'F' && is_operation(text[1])) {
    flags |= io_flag::kPreflush;
    text.remove_prefix(1);
  }
  if (text.empty() || !is_operation(text[0])) return false;
  switch (text[0]) {
    case 'R':
      op = IoOp::kRead;
      break;
    case 'W':
      op = IoOp::kWrite;
      break;
    case 'D':
      op = IoOp::kDiscard;
      break;
    case 'F':
      op = IoOp::kFlush;
      break;
    default:
      op = IoOp::kOther;
      break;
  }
  // A second letter: DE is a secure erase, ZA, ZR and the like are zone operations.
  std::size_t at = 1;
  if (op == IoOp::kDiscard && text.size() > 1 && text[1] == 'E') ++at;
  if (text[0] == 'Z' && text.size() > 1) ++at;
  for (; at < text.size(); ++at) {
    switch (text[at]) {
      case 'F':
        flags |= io_flag::kFua;
        break;
      case 'A':
        flags |= io_flag::kReadahead;
        break;
      case 'S':
        flags |= io_flag::kSync;
        break;
      case 'M':
        flags |= io_flag::kMeta;
        break;
      case 'U':
        break;  // an atomic write
      default:
        return false;
    }
  }
  return true;
}

std::string format_rwbs(IoOp op, std::uint32_t flags) {
  std::string text;
  if ((flags & io_flag::kPreflush) != 0) text += 'F';
  switch (op) {
    case IoOp::kRead:
      text += 'R';
      break;
    case IoOp::kWrite:
    case IoOp::kWriteZeroes:
      text += 'W';
      break;
    case IoOp::kDiscard:
      text += 'D';
      break;
    case IoOp::kFlush:
      text += 'F';
      break;
    case IoOp::kOther:
      text += 'N';
      break;
  }
  if ((flags & io_flag::kFua) != 0) text += 'F';
  if ((flags & io_flag::kReadahead) != 0) text += 'A';
  if ((flags & io_flag::kSync) != 0) text += 'S';
  if ((flags & io_flag::kMeta) != 0) text += 'M';
  return text;
}

}  // namespace rigel
