#include "report/result_kind.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;
using Type = Json::value_t;

struct Field {
  const char* name;
  Type type;
  bool may_be_null = false;
};

struct Kind {
  std::string_view name;
  std::vector<Field> fields;
};

bool has(const Json& result, const Field& field) {
  const auto found = result.find(field.name);
  return found != result.end() &&
         (found->type() == field.type || (field.may_be_null && found->is_null()));
}

}  // namespace

std::optional<std::string_view> result_kind(const Json& result) {
  // In the order in which they are asked: an explanation has the points of a load curve too.
  static const std::array<Kind, 9> kKinds{{
      {"explanation", {{"points", Type::array}, {"hypotheses", Type::array}}},
      {"replay", {{"fidelity", Type::object}, {"issued", Type::number_unsigned}}},
      {"trace", {{"devices", Type::array}, {"streams", Type::array}, {"clock", Type::string}}},
      {"model", {{"results", Type::array}, {"page_bytes", Type::number_unsigned}}},
      {"fit", {{"disks", Type::object}, {"disk_ns", Type::object}}},
      {"comparison", {{"same", Type::boolean, true}, {"differences", Type::array}}},
      {"plan", {{"candidates", Type::array}, {"targets", Type::array}}},
      {"lun", {{"device", Type::string}, {"read_hits", Type::number_unsigned}}},
      {"curve", {{"points", Type::array}}},
  }};
  if (!result.is_object() || !result.contains("schema")) return std::nullopt;
  for (const Kind& kind : kKinds) {
    if (std::all_of(kind.fields.begin(), kind.fields.end(),
                    [&](const Field& field) { return has(result, field); })) {
      return kind.name;
    }
  }
  return std::nullopt;
}

}  // namespace rigel
