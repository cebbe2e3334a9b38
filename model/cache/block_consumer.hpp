// What takes part in one pass over a trace: curves, simulated caches, working sets. Each is fed the
// same blocks in order, each by one thread at a time; different ones may run in different threads.
#pragma once

#include "model/cache/page_stream.hpp"

namespace rigel {

class BlockConsumer {
 public:
  virtual ~BlockConsumer() = default;
  // A block whose pages are numbered. May throw Error.
  virtual void add(const PageBlock& block) = 0;
  // After the last block, once.
  virtual void finish() {}
};

}  // namespace rigel
