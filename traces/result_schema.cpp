#include "traces/result_schema.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "traces/error.hpp"

namespace rigel {

void require_result_schema(const nlohmann::json& result, const std::string& name) {
  const auto schema = result.find("schema");
  if (schema == result.end()) {
    throw Error{name + ": no \"schema\" in it: no result of rigel's --json"};
  }
  if (*schema != kResultSchema) {
    throw Error{fmt::format("{}: schema {} where this rigel knows {}", name, schema->dump(),
                            kResultSchema)};
  }
}

}  // namespace rigel
