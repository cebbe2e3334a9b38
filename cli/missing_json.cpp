#include "cli/missing_json.hpp"

#include <nlohmann/json.hpp>

namespace rigel {

using Json = nlohmann::ordered_json;

void add_missing_counts(const TraceTables& tables, Json& json) {
  add_missing_counts(missing_records(tables), json);
}

void add_missing_counts(const MissingRecords& missing, Json& json) {
  json["lost"] = missing.total();
  json["lost_in_recording"] = missing.in_recording;
  json["lost_in_damage"] = missing.in_damage;
  json["lost_at_least"] = missing.at_least;
}

void add_missing_places(const TraceTables& tables, Json& json) {
  json["losses"] = Json::array();
  for (const Loss& loss : tables.losses) {
    json["losses"].push_back({{"from_ns", loss.from_ns},
                              {"to_ns", loss.to_ns},
                              {"count", loss.count},
                              {"cause", loss.cause}});
  }
  json["damage"] = Json::array();
  for (const Damage& damage : tables.damage) {
    json["damage"].push_back({{"offset_bytes", damage.offset_bytes},
                              {"length_bytes", damage.length_bytes},
                              {"records_lost", damage.records_lost},
                              {"reason", damage.reason}});
  }
  json["warnings"] = tables.warnings;
}

}  // namespace rigel
