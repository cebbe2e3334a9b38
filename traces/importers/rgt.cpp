// rigel's own format; FORMAT.md.
#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/trace_reader.hpp"

namespace rigel {

const Importer import::kRgt{
    "rgt", "rigel's own format", [](const SniffInput& input) { return is_rgt(input.head); },
    [](std::vector<std::unique_ptr<ByteSource>> inputs,
       const OpenOptions& options) -> std::unique_ptr<TraceSource> {
      return std::make_unique<TraceReader>(only_input(std::move(inputs), "rgt"),
                                           TraceReaderOptions{.columns = options.columns});
    }};

}  // namespace rigel
