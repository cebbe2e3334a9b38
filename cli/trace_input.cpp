#include "cli/trace_input.hpp"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "cli/stop_signal.hpp"
#include "traces/clock_shift.hpp"
#include "traces/error.hpp"
#include "traces/importer.hpp"
#include "traces/page_sampler.hpp"
#include "traces/quantity.hpp"
#include "traces/trace_merger.hpp"

namespace rigel {
namespace {

using Strings = std::vector<std::string>;

IoOp parse_op(const std::string& text) {
  std::string known;
  for (std::uint8_t i = 0; i < kIoOpCount; ++i) {
    const auto op = static_cast<IoOp>(i);
    if (op_name(op) == text) return op;
    known += fmt::format("{}{}", i == 0 ? "" : ", ", op_name(op));
  }
  throw UsageError{fmt::format("'{}' is no operation: {}", text, known)};
}

std::int64_t parse_shift(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::int64_t shift = parse_duration_ns(text);
  return negative ? -shift : shift;
}

// "A-B" or "A-": a dash in front is a sign to most people, and a size has none.
std::pair<std::uint64_t, std::uint64_t> parse_range(const std::string& text, std::uint64_t to) {
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos || dash == 0) {
    throw UsageError{fmt::format("'{}' is no range (write it like 1G-2G, 0-2G or 1G-)", text)};
  }
  const std::uint64_t from = parse_bytes(text.substr(0, dash));
  if (dash + 1 != text.size()) to = parse_bytes(text.substr(dash + 1));
  if (from > to) throw UsageError{fmt::format("'{}' is no range: it ends before it begins", text)};
  return {from, to};
}

// What `parse` returns; its errors begin with the option's name.
template <typename Parse>
auto named(const char* option, Parse parse) {
  try {
    return parse();
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("--{}: {}", option, error.what())};
  }
}

// "A", "A-B" or "A-".
std::pair<std::uint32_t, std::uint32_t> parse_lengths(const std::string& text) {
  constexpr std::uint64_t kLongest = std::numeric_limits<std::uint32_t>::max();
  const bool single = text.find('-') == std::string::npos;
  const auto [min, max] =
      single ? std::pair{parse_bytes(text), parse_bytes(text)} : parse_range(text, kLongest);
  if (max > kLongest) throw UsageError{fmt::format("'{}': no I/O is 4 GiB long", text)};
  return {static_cast<std::uint32_t>(min), static_cast<std::uint32_t>(max)};
}

std::pair<std::uint64_t, std::uint64_t> parse_offsets(const std::string& text) {
  const auto range = parse_range(text, std::numeric_limits<std::uint64_t>::max());
  if (range.first == range.second) throw UsageError{fmt::format("'{}' holds no byte", text)};
  return range;
}

// Ends at SIGINT or SIGTERM, so that what was read until then is reported.
class UntilStopped final : public TraceSource {
 public:
  explicit UntilStopped(std::unique_ptr<TraceSource> source) : source_{std::move(source)} {}
  bool next(RecordBatch& batch) override { return !stop_ && source_->next(batch); }
  [[nodiscard]] const TraceTables& tables() const override { return source_->tables(); }

 private:
  std::unique_ptr<TraceSource> source_;
  const std::atomic<bool>& stop_ = stop_flag();
};

// The name without the number of the CPU, where it has one.
std::string recording_of(const std::string& path) {
  static constexpr std::string_view kMark = ".blktrace.";
  const std::size_t mark = path.rfind(kMark);
  if (mark == std::string::npos) return {};
  const std::string_view number = std::string_view{path}.substr(mark + kMark.size());
  unsigned cpu = 0;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), cpu);
  const bool is_number = status == std::errc{} && end == number.data() + number.size();
  return is_number ? path.substr(0, mark) : std::string{};
}

}  // namespace

std::vector<Strings> recordings_among(const Strings& paths) {
  std::vector<Strings> traces;
  std::map<std::string, std::size_t> recordings;
  for (const std::string& path : paths) {
    const std::string recording = recording_of(path);
    const auto known = recordings.find(recording);
    if (!recording.empty() && known != recordings.end()) {
      traces[known->second].push_back(path);
      continue;
    }
    if (!recording.empty()) recordings.emplace(recording, traces.size());
    traces.push_back({path});
  }
  return traces;
}

void TraceInput::add_options(CommandOptions& options) {
  options.add()("format", po::value<std::string>(), "the inputs' format (default: by content)")(
      "record-page", po::value<SizeArg>(), "formats of bare page numbers: size of a page (4k)")(
      "time-unit", po::value<std::string>(), "ns, us, ms or s: the times' unit, if not the usual")(
      "from", po::value<DurationArg>(), "I/Os that begin at or after this time of the trace")(
      "until", po::value<DurationArg>(), "I/Os that begin before this time of the trace")(
      "device", po::value<Strings>(), "I/Os of this device: name, pattern, MAJ:MIN or wwid (*)")(
      "op", po::value<Strings>(), "read, write, flush, discard, write-zeroes or other (*)")(
      "role", po::value<Strings>(), "I/Os of processes in this role, e.g. lgwr (*)")(
      "stream", po::value<Strings>(), "I/Os of this process: name, pattern or pid (*)")(
      "offset-range", po::value<std::string>(), "FROM-TO: I/Os that touch these bytes")(
      "length", po::value<std::string>(), "LENGTH or MIN-MAX: I/Os of this length")(
      "every", po::value<CountArg>(), "N: every Nth I/O of those chosen by the above")(
      "sample", po::value<NumberArg>(), "RATE: all I/O to this share of the pages (0..1)")(
      "sample-page", po::value<SizeArg>(), "size of a page for --sample (4k)")(
      "shift", po::value<Strings>(), "[-]TIME added to all times; once, or once for each trace");
  options.epilog("Options marked (*) can be given several times: any of them will do.");
}

void TraceInput::set(const po::variables_map& values) {
  if (values.count("format") != 0) open_options_.format = values["format"].as<std::string>();
  if (values.count("record-page") != 0) {
    const std::uint64_t page = values["record-page"].as<SizeArg>().bytes;
    if (page == 0 || page > (std::uint64_t{1} << 30)) {
      throw UsageError{"--record-page is not between 1 byte and 1 GiB"};
    }
    open_options_.record_page_bytes = static_cast<std::uint32_t>(page);
  }
  if (values.count("time-unit") != 0) {
    open_options_.time_unit = values["time-unit"].as<std::string>();
  }
  if (values.count("from") != 0) criteria_.from_ns = values["from"].as<DurationArg>().ns;
  if (values.count("until") != 0) criteria_.to_ns = values["until"].as<DurationArg>().ns;
  if (criteria_.from_ns && criteria_.to_ns && *criteria_.from_ns >= *criteria_.to_ns) {
    throw UsageError{fmt::format("--from {} --until {}: holds no time",
                                 format_duration(*criteria_.from_ns),
                                 format_duration(*criteria_.to_ns))};
  }
  criteria_.devices = different_texts(values, "device");
  for (const std::string& text : different_texts(values, "op")) {
    criteria_.ops.push_back(parse_op(text));
  }
  criteria_.roles = different_texts(values, "role");
  criteria_.streams = different_texts(values, "stream");
  if (values.count("offset-range") != 0) {
    std::tie(criteria_.first_offset_bytes, criteria_.end_offset_bytes) = named(
        "offset-range", [&] { return parse_offsets(values["offset-range"].as<std::string>()); });
  }
  if (values.count("length") != 0) {
    std::tie(criteria_.min_length_bytes, criteria_.max_length_bytes) =
        named("length", [&] { return parse_lengths(values["length"].as<std::string>()); });
  }
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  criteria_.every = count_of(values, "every", 1, kAny, criteria_.every);
  if (values.count("sample") != 0) sample_rate_ = values["sample"].as<NumberArg>().value;
  if (!(sample_rate_ > 0 && sample_rate_ <= 1)) {
    throw UsageError{"--sample takes a rate above 0 and at most 1"};
  }
  if (values.count("sample-page") != 0) {
    sample_page_bytes_ = values["sample-page"].as<SizeArg>().bytes;
  }
  if (sample_page_bytes_ == 0) throw UsageError{"--sample-page 0 makes no sense"};
  if (values.count("shift") == 0) return;
  for (const std::string& text : values["shift"].as<Strings>()) {
    shifts_ns_.push_back(named("shift", [&] { return parse_shift(text); }));
  }
}

std::unique_ptr<TraceSource> TraceInput::open(const std::vector<std::string>& paths,
                                              ColumnSet columns) const {
  const std::vector<Strings> traces = recordings_among(paths);
  if (shifts_ns_.size() > 1 && shifts_ns_.size() != traces.size()) {
    throw UsageError{
        fmt::format("--shift is given {} times for {} traces", shifts_ns_.size(), traces.size())};
  }
  // Filters, shifting and merging look at columns of their own.
  OpenOptions options = open_options_;
  const bool plain = traces.size() == 1 && shifts_ns_.empty() && criteria_ == FilterCriteria{} &&
                     sample_rate_ == 1;
  if (plain) options.columns = columns;
  if (traces.size() == 1 && shifts_ns_.empty()) options = with_times(options);
  std::vector<std::unique_ptr<TraceSource>> sources;
  Strings names;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::int64_t shift = shifts_ns_.empty() ? 0 : shifts_ns_[shifts_ns_.size() == 1 ? 0 : i];
    names.push_back(traces[i].front());
    sources.push_back(shift_clock(open_trace(traces[i], options), shift));
  }
  return chosen_of(std::move(sources), names);
}

std::unique_ptr<TraceSource> TraceInput::open(std::unique_ptr<ByteSource> file) const {
  if (shifts_ns_.size() > 1) throw UsageError{"--shift is given several times for one trace"};
  const std::string name = file->name();
  std::vector<std::unique_ptr<ByteSource>> files;
  files.push_back(std::move(file));
  const OpenOptions options = shifts_ns_.empty() ? with_times(open_options_) : open_options_;
  std::vector<std::unique_ptr<TraceSource>> sources;
  sources.push_back(shift_clock(open_inputs(std::move(files), options),
                                shifts_ns_.empty() ? 0 : shifts_ns_.front()));
  return chosen_of(std::move(sources), {name});
}

OpenOptions TraceInput::with_times(OpenOptions options) const {
  options.from_ns = criteria_.from_ns;
  options.to_ns = criteria_.to_ns;
  return options;
}

std::unique_ptr<TraceSource> TraceInput::chosen_of(std::vector<std::unique_ptr<TraceSource>> traces,
                                                   const Strings& names) const {
  auto whole = std::make_unique<UntilStopped>(merge_traces(std::move(traces), names));
  return sample_pages(filter_records(std::move(whole), criteria_), sample_rate_,
                      sample_page_bytes_);
}

}  // namespace rigel
