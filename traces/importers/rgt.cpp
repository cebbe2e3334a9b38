// rigel's own format; FORMAT.md.
#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/trace_reader.hpp"

namespace rigel {

const Importer import::kRgt{
    "rgt", "rigel's own format", [](const SniffInput& input) { return is_rgt(input.head); },
    [](std::vector<std::unique_ptr<ByteSource>> inputs,
       const OpenOptions& options) -> std::unique_ptr<TraceSource> {
      TraceReaderOptions wanted{.columns = options.columns};
      if (options.from_ns) wanted.from_ns = *options.from_ns;
      if (options.to_ns) wanted.to_ns = *options.to_ns;
      return std::make_unique<TraceReader>(only_input(std::move(inputs), "rgt"), wanted);
    },
    true};

}  // namespace rigel
