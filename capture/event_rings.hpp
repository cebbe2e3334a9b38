// The kernel side's memory as the recorder sees it: BPF arrays mapped, and the rings of finished
// I/Os in two of them. For block_tracer.cpp. The maps outlive their file descriptors; the
// constructor throws Error when they cannot be mapped. One thread.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "capture/block_trace.h"
#include "traces/error.hpp"

namespace rigel {

// A BPF array's memory.
template <typename Element>
class MappedArray {
 public:
  MappedArray(int map_fd, std::size_t count, int protection) : bytes_{count * sizeof(Element)} {
    void* place = mmap(nullptr, bytes_, protection, MAP_SHARED, map_fd, 0);
    if (place == MAP_FAILED) throw system_error("the recorder's buffers", "cannot map", errno);
    elements_ = static_cast<Element*>(place);
  }
  ~MappedArray() { munmap(elements_, bytes_); }
  MappedArray(const MappedArray&) = delete;
  MappedArray& operator=(const MappedArray&) = delete;
  Element& operator[](std::size_t index) const { return elements_[index]; }

 private:
  std::size_t bytes_;
  Element* elements_ = nullptr;
};

// The rings of finished I/Os, one for each CPU.
class EventRings {
 public:
  EventRings(int entries_fd, int rings_fd, std::size_t cpus, std::size_t size)
      : cpus_{cpus},
        size_{size},
        entries_{entries_fd, cpus * size, PROT_READ},
        rings_{rings_fd, cpus, PROT_READ | PROT_WRITE} {}

  // Appends at most `limit` events; true when the limit was what ended it.
  bool drain(std::vector<block_event>& events, std::size_t limit) {
    for (std::size_t turn = 0; turn < cpus_; ++turn) {
      limit -= drain_cpu(next_, events, limit);
      if (limit == 0) return true;
      next_ = (next_ + 1) % cpus_;
    }
    return false;
  }

 private:
  std::size_t drain_cpu(std::size_t cpu, std::vector<block_event>& events, std::size_t limit) {
    block_ring& ring = rings_[cpu];
    __u64 tail = ring.tail;
    // No further than it was filled on arrival: a busy CPU must not keep the others waiting.
    const __u64 end = std::min(__atomic_load_n(&ring.head, __ATOMIC_ACQUIRE), tail + limit);
    const __u64 begin = tail;
    for (; tail != end; ++tail) {
      block_entry& entry = entries_[cpu * size_ + (tail & (size_ - 1))];
      if (__atomic_load_n(&entry.sequence, __ATOMIC_ACQUIRE) != tail + 1) break;
      events.push_back(entry.event);
    }
    __atomic_store_n(&ring.tail, tail, __ATOMIC_RELEASE);
    return static_cast<std::size_t>(tail - begin);
  }

  std::size_t cpus_;
  std::size_t size_;
  std::size_t next_ = 0;
  MappedArray<block_entry> entries_;
  MappedArray<block_ring> rings_;
};

}  // namespace rigel
