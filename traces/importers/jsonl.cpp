// rigel's JSON Lines: {"rigel":"jsonl","version":1} first, then lines {"devices":{…}} for what is
// new in the tables before its first use, and one object a record with the columns it has.
#include <nlohmann/json.hpp>

#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"
#include "traces/io_flag_names.hpp"
#include "traces/table_text.hpp"

namespace rigel {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFirstLine = R"({"rigel":"jsonl","version":1})";

class JsonlParser final : public LineParser {
 public:
  [[nodiscard]] ColumnSet columns() const override { return columns_; }
  [[nodiscard]] bool ordered_by_time() const override { return false; }

  void parse(std::string_view line, LineOutput& out) override {
    if (line == kFirstLine) return;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || json.empty()) return out.refuse("no JSON object");
    if (const auto first = json.begin(); first->is_object()) {
      if (!apply_table_line(first.key(), first->dump(), out.tables)) out.refuse("no table of ours");
      return;
    }
    IoRecord record;
    std::string reason;
    for (const auto& [name, value] : json.items()) {
      if (!take(name, value, record, out.tables)) {
        return out.refuse(name + ": not a value that it can have");
      }
    }
    out.add(record);
  }

 private:
  bool take(const std::string& name, const Json& value, IoRecord& record,
            const TraceTables& tables) {
    const auto number = [&](Column column, auto& to, auto least, auto most) {
      if (!value.is_number_integer()) return false;
      const auto signed_value = value.get<std::int64_t>();
      const bool too_large = value.is_number_unsigned() &&
                             value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
      if (too_large || (!value.is_number_unsigned() && signed_value < least)) return false;
      columns_.add(column);
      to = value.get<std::remove_reference_t<decltype(to)>>();
      return true;
    };
    constexpr auto kMost64 = std::numeric_limits<std::int64_t>::max();
    constexpr auto kLeast64 = std::numeric_limits<std::int64_t>::min();
    const auto last_index = [](std::size_t size) {
      return static_cast<std::int64_t>(std::max<std::size_t>(size, 1)) - 1;
    };
    if (name == "queue_ns") return number(Column::kQueue, record.queue_ns, kLeast64, kMost64);
    if (name == "issue_ns") return number(Column::kIssue, record.issue_ns, kLeast64, kMost64);
    if (name == "complete_ns") {
      return number(Column::kComplete, record.complete_ns, kLeast64, kMost64);
    }
    if (name == "offset_bytes") {
      return number(Column::kOffset, record.offset_bytes, std::int64_t{0}, kMost64);
    }
    if (name == "length_bytes") {
      return number(Column::kLength, record.length_bytes, std::int64_t{0},
                    std::int64_t{0xffffffff});
    }
    if (name == "device") {
      return number(Column::kDevice, record.device, std::int64_t{0},
                    last_index(tables.devices.size()));
    }
    if (name == "stream") {
      return number(Column::kStream, record.stream, std::int64_t{0},
                    last_index(tables.streams.size()));
    }
    if (name == "cpu") {
      return number(Column::kCpu, record.cpu, std::int64_t{0}, std::int64_t{kNoCpu});
    }
    if (name == "status") {
      return number(Column::kStatus, record.status, std::int64_t{INT32_MIN},
                    std::int64_t{INT32_MAX});
    }
    if (name == "op") {
      columns_.add(Column::kOp);
      return value.is_string() && parse_op(value.get_ref<const std::string&>(), record.op);
    }
    if (name == "flags") {
      columns_.add(Column::kFlags);
      return value.is_string() && parse_flags(value.get_ref<const std::string&>(), record.flags);
    }
    return false;
  }

  ColumnSet columns_;
};

}  // namespace

const Importer import::kJsonl{
    "jsonl", "rigel's JSON Lines",
    [](const SniffInput& input) { return text_head(input).starts_with(kFirstLine); },
    [](std::vector<std::unique_ptr<ByteSource>> inputs,
       const OpenOptions& options) -> std::unique_ptr<TraceSource> {
      return std::make_unique<TextTrace>(only_input(std::move(inputs), "JSON Lines"),
                                         std::make_unique<JsonlParser>(), "JSON Lines",
                                         options.columns);
    },
    true};

}  // namespace rigel
