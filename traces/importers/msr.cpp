// Microsoft Research Cambridge block traces (SNIA IOTTA 388), CSV without a header:
//   time,host,disk,Read|Write,offset,bytes,latency
// Time and latency are in units of 100 ns, time as a Windows file time (since 1601-01-01 UTC);
// a latency of 0 means that it is not known.
#include <fmt/format.h>

#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/name_table.hpp"
#include "traces/importers/sniff_text.hpp"
#include "traces/importers/text_fields.hpp"
#include "traces/importers/text_trace.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kTickNs = 100;
constexpr std::int64_t kTicksFrom1601To1970 = 116'444'736'000'000'000;

bool parse_op(std::string_view text, IoOp& op) {
  op = text == "Write" ? IoOp::kWrite : IoOp::kRead;
  return text == "Write" || text == "Read";
}

class MsrParser final : public LineParser {
 public:
  [[nodiscard]] ColumnSet columns() const override {
    return {Column::kQueue,  Column::kComplete, Column::kDevice,
            Column::kOffset, Column::kLength,   Column::kOp};
  }

  void parse(std::string_view line, LineOutput& out) override {
    TextFields fields{line, ','};
    IoRecord record;
    const std::uint64_t ticks = fields.number("time");
    const std::string_view host = fields.text("host");
    const std::string_view disk = fields.text("disk");
    const std::string_view op = fields.text("type");
    record.offset_bytes = fields.bytes("offset", 1);
    record.length_bytes = fields.length("size", 1);
    const std::int64_t latency_ns = fields.time("latency", kTickNs);
    if (!fields.ok()) return out.refuse(fields.why());
    if (!parse_op(op, record.op)) {
      return out.refuse(fmt::format("type: '{}' is neither Read nor Write", op));
    }
    if (!set_time(ticks, record, out)) return out.refuse("time: out of range");
    if (latency_ns != 0) record.complete_ns = record.queue_ns + latency_ns;
    record.device = device(host, disk, out.tables);
    out.add(record);
  }

 private:
  bool set_time(std::uint64_t ticks, IoRecord& record, LineOutput& out) {
    if (ticks >= (std::uint64_t{1} << 62)) return false;
    const auto now = static_cast<std::int64_t>(ticks);
    if (first_ticks_ < 0) {
      first_ticks_ = now;
      const std::int64_t since_1970 = now - kTicksFrom1601To1970;
      // Some copies of these traces count from 0; they have no wall clock.
      if (since_1970 > 0 && since_1970 < kNoTick / kTickNs) {
        out.tables.meta.start_wall_ns = since_1970 * kTickNs;
      }
    }
    const std::int64_t ticks_since = now - first_ticks_;
    if (ticks_since >= kNoTick / kTickNs || -ticks_since >= kNoTick / kTickNs) return false;
    record.queue_ns = ticks_since * kTickNs;
    return true;
  }
  // Looked up as it stands in the line, "host,disk"; its name is "host_disk".
  std::uint32_t device(std::string_view host, std::string_view disk, TraceTables& tables) {
    const std::string_view both{host.data(),
                                static_cast<std::size_t>(disk.data() + disk.size() - host.data())};
    const auto [index, is_new] = devices_.find_or_add(both);
    if (is_new) tables.devices.emplace_back().name = fmt::format("{}_{}", host, disk);
    return index;
  }

  static constexpr std::int64_t kNoTick = std::numeric_limits<std::int64_t>::max();
  std::int64_t first_ticks_ = -1;
  NameTable devices_;
};

bool is_line(std::string_view line) {
  TextFields fields{line, ','};
  IoOp op{};
  fields.number("time");
  fields.text("host");
  fields.number("disk");
  const bool has_op = parse_op(fields.text("type"), op);
  fields.number("offset");
  fields.number("size");
  fields.number("latency");
  return has_op && fields.ok() && fields.at_end();
}

}  // namespace

const Importer import::kMsr{"msr", "Microsoft Research Cambridge CSV",
                            [](const SniffInput& input) { return sniff_lines(input, is_line); },
                            [](std::vector<std::unique_ptr<ByteSource>> inputs,
                               const OpenOptions& options) -> std::unique_ptr<TraceSource> {
                              return std::make_unique<TextTrace>(
                                  only_input(std::move(inputs), "MSR"),
                                  std::make_unique<MsrParser>(), "MSR Cambridge CSV",
                                  options.columns);
                            },
                            true};

}  // namespace rigel
