// What takes part in one pass over a trace: curves, simulated caches, working sets. Each is fed the
// same blocks in order, each by one thread at a time; different ones may run in different threads.
#pragma once

#include <functional>

#include "model/cache/page_stream.hpp"

namespace rigel {

// Asked now and then by long work: false when it is to end with what is known. May throw Error.
using GoOn = std::function<bool()>;

class BlockConsumer {
 public:
  virtual ~BlockConsumer() = default;
  // A block whose pages are numbered. May throw Error.
  virtual void add(const PageBlock& block) = 0;
  // After the last block, once. Ends early, without a result, when it is told to.
  virtual void finish(const GoOn& /*go_on*/) {}
};

}  // namespace rigel
