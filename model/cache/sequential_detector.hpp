// Finds sequential streams among reads and says what to read ahead, as array controllers do: a
// request that starts where another one ended goes on with its stream, and from the third request
// of a stream on, the pages behind it are fetched before they are asked for.
//
// Up to 64 streams are followed, over all devices; the one that was idle longest makes room. A
// request may overlap its predecessor by a page, since small requests share pages; one that brings
// nothing new does not count. One thread; no errors.
#pragma once

#include <cstdint>
#include <list>

namespace rigel {

class SequentialDetector {
 public:
  static constexpr std::size_t kMostStreams = 64;
  static constexpr unsigned kSequentialFrom = 3;  // requests in a row

  // Pages as PageBlock names them.
  struct Pages {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // not among them
  };

  // Reads ahead up to this many pages beyond a request.
  explicit SequentialDetector(std::uint32_t ahead_pages) : ahead_pages_{ahead_pages} {}

  // A read of pages first .. last; what to fetch now, perhaps nothing. A page is named only once
  // while its stream is followed.
  [[nodiscard]] Pages note_read(std::uint64_t first, std::uint64_t last);

 private:
  struct Stream {
    std::uint64_t next = 0;     // the page after the last one read
    std::uint64_t fetched = 0;  // pages below this one were named
    unsigned requests = 0;
  };

  [[nodiscard]] Stream& stream_of(std::uint64_t first);

  std::uint32_t ahead_pages_;
  std::list<Stream> streams_;  // the most recent first
};

}  // namespace rigel
