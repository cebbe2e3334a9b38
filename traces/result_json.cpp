#include "traces/result_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "traces/error.hpp"

namespace rigel {

nlohmann::ordered_json parse_rigel_json(std::string_view text, const std::string& name) {
  nlohmann::ordered_json result;
  try {
    result = nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw Error{fmt::format("{}: no JSON: {}", name, error.what())};
  }
  const auto schema = result.find("schema");
  if (schema == result.end()) {
    throw Error{fmt::format("{}: no \"schema\" in it: no result of a rigel command", name)};
  }
  if (!schema->is_number() || *schema != kResultSchema) {
    throw Error{fmt::format("{}: schema {} where this rigel knows {}", name, schema->dump(),
                            kResultSchema)};
  }
  return result;
}

}  // namespace rigel
