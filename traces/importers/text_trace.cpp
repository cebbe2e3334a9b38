#include "traces/importers/text_trace.hpp"

#include <fmt/format.h>

#include "traces/error.hpp"
#include "traces/importers/import_batch.hpp"
#include "traces/quantity.hpp"

namespace rigel {

void LineOutput::warn(std::string_view what) {
  if (tables.warnings.size() < TextTrace::kListedWarnings) {
    tables.warnings.push_back(fmt::format("line {}: {}", line_number_, what));
  }
}

TextTrace::TextTrace(std::unique_ptr<ByteSource> input, std::unique_ptr<LineParser> parser,
                     std::string source_name, ColumnSet columns)
    : lines_{std::move(input)}, parser_{std::move(parser)}, wanted_{columns} {
  tables_.meta.source = std::move(source_name);
  out_.records_.reserve(kImportBatch);
}

bool TextTrace::next(RecordBatch& batch) {
  out_.records_.clear();
  const bool ordered = parser_->ordered_by_time();
  std::string_view line;
  while (out_.records_.size() < kImportBatch && !finished_) {
    if (!lines_.next(line)) {
      finish();
      break;
    }
    if (line.empty()) continue;
    out_.line_number_ = lines_.line_number();
    const std::size_t before = out_.records_.size();
    if (lines_.overlong()) {
      out_.refuse(fmt::format("longer than {}", format_bytes(LineReader::kLongestLine)));
    } else {
      parser_->parse(line, out_);
    }
    if (out_.refused_) refuse_line();
    if (ordered) watch_time(before);
  }
  records_ += out_.records_.size();
  fill_batch(batch, out_.records_, parser_->columns() & wanted_);
  return !batch.empty();
}

void TextTrace::refuse_line() {
  out_.refused_ = false;
  ++refused_lines_;
  const std::uint64_t length = lines_.next_offset() - lines_.line_offset();
  std::string reason = fmt::format("line {}: {}", lines_.line_number(), out_.reason_);
  if (refused_lines_ == 1) first_reason_ = reason;
  const std::uint64_t read = lines_.line_number();
  if (refused_lines_ > kRefusedAlways && refused_lines_ > read / 10) {
    throw Error{fmt::format("{}: {} of the first {} lines cannot be read, the first one: {}",
                            lines_.name(), refused_lines_, read, first_reason_)};
  }
  if (tables_.damage.size() < kListedDamage) {
    tables_.damage.push_back({lines_.line_offset(), length, 1, std::move(reason)});
    return;
  }
  if (unlisted_.records_lost == 0) {
    unlisted_.offset_bytes = lines_.line_offset();
    unlisted_.reason = std::move(reason);
  }
  unlisted_.length_bytes += length;
  ++unlisted_.records_lost;
}

void TextTrace::watch_time(std::size_t from) {
  for (std::size_t i = from; i < out_.records_.size(); ++i) {
    const std::int64_t start = out_.records_[i].start_ns();
    if (start >= latest_ns_) {
      latest_ns_ = start;
    } else if (start != kNoTime) {
      ++late_;
      if (late_ <= kListedWarnings / 2) {
        out_.warn(fmt::format("time goes back by {} ({} ns)", format_duration(latest_ns_ - start),
                              latest_ns_ - start));
      }
    }
  }
}

void TextTrace::finish() {
  finished_ = true;
  parser_->finish(out_);
  if (out_.refused_) refuse_line();
  if (late_ > kListedWarnings / 2) {
    tables_.warnings.push_back(
        fmt::format("time goes back for {} records in all", format_count(late_)));
  }
  if (unlisted_.records_lost != 0) {
    unlisted_.reason = fmt::format("{} more lines, the first of them {}", unlisted_.records_lost,
                                   unlisted_.reason);
    tables_.damage.push_back(unlisted_);
  }
  if (records_ == 0 && out_.records_.empty() && refused_lines_ != 0) {
    throw Error{fmt::format("{}: {}", lines_.name(), first_reason_)};
  }
}

}  // namespace rigel
