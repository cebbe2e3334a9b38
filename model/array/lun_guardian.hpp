// A process beside the one that serves a virtual LUN. It makes what the LUN leaves in the system
// (the file it is mounted on, the loop device) and takes it away again when the server lets go or
// is gone, however it ended: the server's end of a socket closes with it. It is also the LUN's
// first user: the server cannot itself wait for answers of its own file.
//
// The server never holds the loop device open: a dying process that closes it would wait for
// itself. Make the guardian before anything that its process must not inherit.
// Throws Error when something cannot be made, with the guardian's words.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rigel {

struct LunPlace {
  std::string path;   // where the file appears; made when it is not there, empty when it is
  bool loop = false;  // a block device over it
  std::uint32_t block_bytes = 512;  // of the block device
};

// A read that the guardian made, by the monotonic clock.
struct ProbeRead {
  std::int64_t sent_ns = 0;
  std::int64_t answered_ns = 0;
};

class LunGuardian {
 public:
  static constexpr unsigned kProbeReads = 300;
  static constexpr unsigned kProbeBytes = 8192;

  // Starts it; `place.path` is there and empty afterwards.
  explicit LunGuardian(const LunPlace& place);
  // Ends it, waits for that, and so must not be called while it needs an answer from the LUN.
  ~LunGuardian();
  LunGuardian(const LunGuardian&) = delete;
  LunGuardian& operator=(const LunGuardian&) = delete;

  // Readable when there is an answer or the guardian has ended.
  [[nodiscard]] int fd() const { return socket_; }
  // The file is mounted: opens it, attaches the loop device, reads kProbeReads times.
  void begin();
  struct Ready {
    std::string device;  // what to use: the loop device, otherwise the file
    std::vector<ProbeRead> reads;
  };
  // What begin() came to; call when fd() is readable.
  [[nodiscard]] Ready ready();
  // Lets go: the guardian gives up the loop device, unmounts, and ends.
  void release();

 private:
  void end();

  int socket_ = -1;
  pid_t pid_ = -1;
};

}  // namespace rigel
