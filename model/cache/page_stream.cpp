#include "model/cache/page_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

namespace {
bool needs_times(const PageStreamOptions& options) {
  return options.warm_up_ns != 0 || options.window_ns != 0 || options.with_times;
}
}  // namespace

ColumnSet PageStream::columns(const PageStreamOptions& options) {
  ColumnSet columns{Column::kOffset, Column::kLength, Column::kOp, Column::kDevice};
  if (options.group_by == GroupBy::kStream) columns.add(Column::kStream);
  if (needs_times(options)) {
    columns = columns | ColumnSet{Column::kQueue, Column::kIssue, Column::kComplete};
  }
  return columns;
}

PageStream::PageStream(TraceSource& source, PageStreamOptions options)
    : source_{source}, options_{std::move(options)}, timed_{needs_times(options_)} {
  const std::uint32_t page_bytes = options_.page_bytes;
  if (page_bytes < kMinPageBytes || page_bytes > kMaxPageBytes || page_bytes % kMinPageBytes != 0) {
    throw UsageError{fmt::format("a cache page of {} bytes: must be a multiple of 512, up to {}",
                                 page_bytes, format_bytes(kMaxPageBytes))};
  }
  if (std::has_single_bit(page_bytes)) shift_ = static_cast<unsigned>(std::countr_zero(page_bytes));
}

void PageStream::refuse(const std::string& what) const {
  throw Error{fmt::format("{}: record {}: {}", options_.trace_name, record_, what)};
}

bool PageStream::next_record() {
  while (row_ == batch_.size()) {
    const bool more = source_.next(batch_);
    row_ = more ? 0 : batch_.size();
    if (!more) return false;
    spaces_.follow(source_.tables().devices);
    const ColumnSet needed{Column::kOffset, Column::kLength};
    if (!batch_.empty() && !((batch_.present & needed) == needed)) {
      throw Error{options_.trace_name + ": has no offsets and lengths, so no pages"};
    }
  }
  return true;
}

// Advances the clock that warm-up and windows follow. It never goes back: a record that is out of
// order counts where it stands in the trace.
void PageStream::note_time(const RecordBatch& batch) {
  const std::int64_t now = batch.record(row_).start_ns();
  if (now == kNoTime) refuse("has no time, which warm-up, windows and destaging by age need");
  if (first_ns_ == kNoTime) first_ns_ = last_ns_ = now;
  last_ns_ = std::max(last_ns_, now);
}

void PageStream::locate_request(AddressSpaces::Place place) {
  const std::uint64_t on_device = batch_.offset_bytes[row_];
  const std::uint32_t length = batch_.length_bytes[row_];
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - (length - 1);
  if (place.start_bytes > room || on_device > room - place.start_bytes) {
    refuse(fmt::format("offset {} and length {} pass the end of 64 bits", on_device, length));
  }
  const std::uint64_t offset = place.start_bytes + on_device;
  begin_bytes_ = offset;
  end_bytes_ = offset + (length - 1);
  page_ = page_of(offset);
  last_page_ = page_of(end_bytes_);
  if ((last_page_ >> kPageNumberBits) != 0) {
    refuse(fmt::format("offset {} is beyond 2^{} pages of {} bytes", offset, kPageNumberBits,
                       options_.page_bytes));
  }
  if (place.device >= kMaxDevices) refuse(fmt::format("more than {} devices", kMaxDevices));
  device_bits_ = static_cast<std::uint64_t>(place.device) << kPageNumberBits;
}

// Takes up the record at row_. False when it belongs to another block than the one under way:
// the record is then left for the next call.
bool PageStream::begin_request(PageBlock& block) {
  const IoOp op = batch_.present.has(Column::kOp) ? batch_.op[row_] : IoOp::kRead;
  if ((op != IoOp::kRead && op != IoOp::kWrite) || batch_.length_bytes[row_] == 0) {
    ++row_;
    ++record_;
    return true;
  }
  bool counted = requests_ >= options_.warm_up_requests;
  std::uint64_t window = 0;
  if (timed_) {
    note_time(batch_);
    const std::int64_t elapsed = last_ns_ - first_ns_;
    time_ns_ = elapsed;
    counted = counted && elapsed >= options_.warm_up_ns;
    if (options_.window_ns != 0) window = static_cast<std::uint64_t>(elapsed / options_.window_ns);
  }
  if (block.size() == 0) {
    block.counted = counted;
    block.window = window;
  } else if (block.counted != counted || block.window != window) {
    return false;
  }
  const std::uint32_t device = batch_.present.has(Column::kDevice) ? batch_.device[row_] : 0;
  locate_request(spaces_.of(device));
  write_ = op == IoOp::kWrite;
  if (options_.group_by == GroupBy::kDevice) group_ = device;
  if (options_.group_by == GroupBy::kStream) {
    group_ = batch_.present.has(Column::kStream) ? batch_.stream[row_] : 0;
  }
  counted_ = counted;
  window_ = window;
  pending_ = true;
  ++requests_;
  warm_up_requests_ += counted ? 0 : 1;
  ++row_;
  ++record_;
  return true;
}

// Whether the rows ahead may go the short way: nothing to be known of them but their place.
bool PageStream::simple_requests_possible(const PageBlock& block) const {
  return shift_ != 0 && !timed_ && spaces_.all_apart() && options_.group_by == GroupBy::kNothing &&
         requests_ >= options_.warm_up_requests && (block.size() == 0 || block.counted) &&
         batch_.present.has(Column::kOp) && batch_.present.has(Column::kDevice);
}

// Takes requests of one page, up to the first that is more than that: most traces are mostly these,
// and a sampled curve spends more time on getting at the pages than on the sample.
void PageStream::take_simple_requests(PageBlock& block) {
  constexpr std::size_t kRun = 64;  // bounds what is cleared in vain when a run is short
  const std::size_t begin = block.size();
  const std::size_t count = std::min({kRun, options_.block_accesses - begin, batch_.size() - row_});
  if (begin == 0) block.counted = true;
  block.pages.resize(begin + count);
  block.accesses.resize(begin + count);
  const unsigned shift = shift_;
  const std::uint64_t* const offsets = batch_.offset_bytes.data() + row_;
  const std::uint32_t* const lengths = batch_.length_bytes.data() + row_;
  const std::uint32_t* const devices = batch_.device.data() + row_;
  const IoOp* const ops = batch_.op.data() + row_;
  std::uint64_t* const pages = block.pages.data() + begin;
  PageAccess* const accesses = block.accesses.data() + begin;
  std::size_t taken = 0;
  for (; taken < count; ++taken) {
    const std::uint64_t page = offsets[taken] >> shift;
    const std::uint32_t length = lengths[taken];
    const bool simple = ops[taken] <= IoOp::kWrite && length != 0 &&
                        (offsets[taken] + (length - 1)) >> shift == page &&
                        page >> kPageNumberBits == 0 && devices[taken] < kMaxDevices;
    if (!simple) break;
    pages[taken] = static_cast<std::uint64_t>(devices[taken]) << kPageNumberBits | page;
    accesses[taken] = {length, ops[taken] == IoOp::kWrite, true};
  }
  block.pages.resize(begin + taken);
  block.accesses.resize(begin + taken);
  row_ += taken;
  record_ += taken;
  requests_ += taken;
}

void PageStream::emit_pages(PageBlock& block) {
  const std::uint64_t room = options_.block_accesses - block.size();
  const std::uint64_t count = std::min(room, last_page_ - page_ + 1);
  for (std::uint64_t i = 0; i < count; ++i, ++page_) {
    const std::uint64_t page_begin = page_ * options_.page_bytes;
    const std::uint64_t begin = std::max(begin_bytes_, page_begin);
    const std::uint64_t end = std::min(end_bytes_, page_begin + (options_.page_bytes - 1));
    block.pages.push_back(device_bits_ | page_);
    block.accesses.emplace_back(static_cast<std::uint32_t>(end - begin + 1), write_,
                                page_ == last_page_);
  }
  if (options_.group_by != GroupBy::kNothing) block.groups.resize(block.size(), group_);
  if (options_.with_times) block.times_ns.resize(block.size(), time_ns_);
  pending_ = page_ <= last_page_;
}

bool PageStream::next(PageBlock& block) {
  block.pages.clear();
  block.accesses.clear();
  block.groups.clear();
  block.times_ns.clear();
  block.pages.reserve(options_.block_accesses);
  block.accesses.reserve(options_.block_accesses);
  block.counted = counted_;
  block.window = window_;
  while (block.size() < options_.block_accesses) {
    if (pending_) {
      emit_pages(block);
      continue;
    }
    if (!next_record()) break;
    if (simple_requests_possible(block)) {
      take_simple_requests(block);
      if (row_ == batch_.size() || block.size() == options_.block_accesses) continue;
    }
    if (!begin_request(block)) break;
  }
  return block.size() != 0;
}

}  // namespace rigel
