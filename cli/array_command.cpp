// rigel array: the arrays rigel knows by name, and what a configuration says.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "model/array/array_config.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

class ArrayCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{
        "array", "list | show NAME|FILE.ini",
        "Lists the arrays that --array takes by name, or shows one of them, or a file, with every\n"
        "key written out: a start for a file of your own. A file is checked on the way."};
    options.add()("json", "one JSON object");
    options.positional("words", -1);
    const po::variables_map values = options.parse(arguments);
    json_ = values.count("json") != 0;
    const auto words = values.count("words") != 0 ? values["words"].as<std::vector<std::string>>()
                                                  : std::vector<std::string>{};
    const bool list = words.size() == 1 && words[0] == "list";
    const bool show = words.size() == 2 && words[0] == "show";
    if (!list && !show) throw UsageError{"array takes 'list' or 'show NAME' (see --help)"};
    if (show) shown_ = words[1];
  }

  int run() override {
    if (!shown_.empty()) {
      show();
    } else {
      list();
    }
    return kExitDone;
  }

 private:
  void show() const {
    const ArrayConfig config = load_array_config(shown_);
    const std::string text = to_ini(config);
    if (json_) {
      const nlohmann::ordered_json object{{"schema", 1}, {"name", config.name}, {"ini", text}};
      fmt::print("{}\n", object.dump(2));
    } else {
      fmt::print("{}", text);
    }
  }

  void list() const {
    nlohmann::ordered_json object{{"schema", 1}, {"arrays", nlohmann::ordered_json::array()}};
    for (const ArrayPreset& preset : array_presets()) {
      const ArrayConfig config = load_array_config(std::string{preset.name});
      if (!json_) fmt::print("{:<16} {}\n", config.name, config.description);
      object["arrays"].push_back({{"name", config.name}, {"description", config.description}});
    }
    if (json_) fmt::print("{}\n", object.dump(2));
  }

  std::string shown_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_array_command() {
  return std::make_unique<ArrayCommand>();
}

}  // namespace rigel
