#include "model/array/array_simulator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "traces/error.hpp"

namespace rigel {
namespace {

const ArrayConfig& validated(const ArrayConfig& config) {
  validate(config);
  return config;
}

// Earliest first, for the heap of cores.
constexpr std::greater<> kEarliest{};

}  // namespace

ArraySimulator::ArraySimulator(const ArrayConfig& config, std::uint64_t seed)
    : config_{validated(config)},
      layout_{config},
      disks_{config, seed},
      cache_{config.cache.bytes / config.cache.page_bytes,
             config.cache.policy == CachePolicyName::kLru},
      core_free_ns_(config.controller.cores, 0),
      random_{seed ^ 0x5851f42d4c957f2dU} {}

void ArraySimulator::at(std::int64_t time_ns, Step step, std::uint32_t index) {
  events_.add(time_ns, index << kStepBits | static_cast<std::uint32_t>(step));
}

std::uint32_t ArraySimulator::new_request() {
  if (free_.empty()) {
    requests_.emplace_back();
    return static_cast<std::uint32_t>(requests_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void ArraySimulator::submit(std::int64_t now_ns, const ArrayIo& io, std::uint32_t tag) {
  if (io.length_bytes == 0) throw UsageError{"an I/O of no length"};
  const std::uint32_t slot = new_request();
  Request& request = requests_[slot];
  request.io = io;
  request.start_ns = now_ns;
  request.tag = tag;
  request.background = false;
  request.hit = false;
  if (cache_.capacity() > 0) cache_.prefetch(io.offset_bytes / config_.cache.page_bytes);

  // The link and the cores serve in order of arrival and arrivals are in order of time, so the end
  // of both is known now.
  std::int64_t time = now_ns + config_.link.latency_ns / 2;
  double service = config_.link.iops > 0 ? 1e9 / config_.link.iops : 0;
  if (io.write && config_.link.bytes_per_second > 0) {
    service = std::max(service, io.length_bytes * 1e9 / config_.link.bytes_per_second);
  }
  if (service > 0) {
    counters_.link_in_busy_ns += service;
    link_in_free_ns_ = std::max(link_in_free_ns_, time) + std::llround(service);
    time = link_in_free_ns_;
  }
  at(through_controller(time), Step::kLookup, slot);
}

std::int64_t ArraySimulator::through_controller(std::int64_t arrival_ns) {
  double service = static_cast<double>(config_.controller.time_ns);
  if (service == 0) return arrival_ns;
  if (config_.controller.law == ServiceLaw::kExponential) {
    service *= -std::log(unit_interval(random_));
  }
  counters_.controller_busy_ns += service;
  std::pop_heap(core_free_ns_.begin(), core_free_ns_.end(), kEarliest);
  std::int64_t& core = core_free_ns_.back();
  core = std::max(core, arrival_ns) + std::llround(service);
  const std::int64_t done = core;
  std::push_heap(core_free_ns_.begin(), core_free_ns_.end(), kEarliest);
  return done;
}

bool ArraySimulator::next_completes() const {
  return !events_.empty() && (events_.first().payload & ((1U << kStepBits) - 1)) ==
                                 static_cast<std::uint32_t>(Step::kComplete);
}

bool ArraySimulator::next_completion(std::int64_t until_ns, ArrayCompletion& completion) {
  while (!events_.empty() && events_.first().time_ns <= until_ns) {
    const EventHeap::Event event = events_.first();
    events_.remove_first();
    const std::uint32_t index = event.payload >> kStepBits;
    switch (static_cast<Step>(event.payload & ((1U << kStepBits) - 1))) {
      case Step::kLookup:
        look_up(event.time_ns, index);
        break;
      case Step::kDiskDone:
        disk_done(event.time_ns, index);
        break;
      case Step::kArmDone: {
        const DiskBank::Done done = disks_.done(event.time_ns, index);
        if (done.next_ns) at(*done.next_ns, Step::kArmDone, index);
        disk_done(event.time_ns, done.owner);
        break;
      }
      case Step::kDataReady:
        data_ready(event.time_ns, index);
        break;
      case Step::kComplete: {
        const Request& request = requests_[index];
        completion = {request.start_ns, event.time_ns,    request.io.length_bytes,
                      request.tag,      request.io.write, request.hit};
        free_.push_back(index);
        return true;
      }
    }
  }
  return false;
}

void ArraySimulator::look_up(std::int64_t now_ns, std::uint32_t slot) {
  if (requests_[slot].io.write) {
    look_up_write(now_ns, slot);
  } else {
    look_up_read(now_ns, slot);
  }
}

// Adds a page; a dirty one that must leave is written first, in `evictions`.
void ArraySimulator::add_page(std::uint64_t page, bool dirty, DiskWrite& evictions) {
  const ResidentSet::Evicted evicted = cache_.add(page, dirty);
  if (dirty) dirty_queue_.push_back(page);
  if (!evicted.dirty) return;
  ++counters_.destaged_pages;
  layout_.write(evicted.page * config_.cache.page_bytes, config_.cache.page_bytes, evictions);
}

void ArraySimulator::look_up_read(std::int64_t now_ns, std::uint32_t slot) {
  const ArrayIo io = requests_[slot].io;
  const std::uint64_t page_bytes = config_.cache.page_bytes;
  const std::uint64_t first = io.offset_bytes / page_bytes;
  const std::uint64_t last = (io.offset_bytes + io.length_bytes - 1) / page_bytes;
  ++counters_.reads;
  reads_.clear();
  DiskWrite evictions;
  if (cache_.capacity() == 0) {
    layout_.read(io.offset_bytes, io.length_bytes, turn_++, reads_);
  } else {
    // Missing pages that follow each other are one read.
    std::uint64_t missing_from = 0;
    std::uint64_t missing = 0;
    for (std::uint64_t page = first; page <= last; ++page) {
      if (cache_.use(page, false)) {
        if (missing > 0)
          layout_.read(missing_from * page_bytes, missing * page_bytes, turn_++, reads_);
        missing = 0;
        continue;
      }
      if (missing++ == 0) missing_from = page;
      add_page(page, false, evictions);
    }
    if (missing > 0) layout_.read(missing_from * page_bytes, missing * page_bytes, turn_++, reads_);
  }
  if (reads_.empty()) {
    ++counters_.read_hits;
    hit(now_ns, slot);
    return;
  }
  if (!evictions.first.empty()) {
    reads_.insert(reads_.end(), evictions.first.begin(), evictions.first.end());
    requests_[slot].second = std::move(evictions.second);
  }
  issue(now_ns, reads_, slot);
}

void ArraySimulator::look_up_write(std::int64_t now_ns, std::uint32_t slot) {
  const ArrayIo io = requests_[slot].io;
  const std::uint64_t page_bytes = config_.cache.page_bytes;
  const std::uint64_t first = io.offset_bytes / page_bytes;
  const std::uint64_t last = (io.offset_bytes + io.length_bytes - 1) / page_bytes;
  ++counters_.writes;
  DiskWrite writes;
  const bool behind = cache_.capacity() > 0 && config_.cache.write_back;
  for (std::uint64_t page = first; cache_.capacity() > 0 && page <= last; ++page) {
    const bool was_dirty = behind && cache_.is_dirty(page);
    if (!cache_.use(page, behind)) {
      add_page(page, behind, writes);
    } else if (behind && !was_dirty) {
      dirty_queue_.push_back(page);
    }
  }
  if (!behind) layout_.write(io.offset_bytes, io.length_bytes, writes);
  if (writes.first.empty()) {
    ++counters_.write_hits;
    hit(now_ns, slot);
  } else {
    requests_[slot].second = std::move(writes.second);
    issue(now_ns, writes.first, slot);
  }
  if (behind) destage(now_ns);
}

void ArraySimulator::hit(std::int64_t now_ns, std::uint32_t slot) {
  requests_[slot].hit = true;
  const std::int64_t ready_ns = now_ns + config_.cache.hit_time_ns;
  // A link that serves in turn must see arrivals in order of time; one without limits need not.
  if (config_.link.bytes_per_second > 0) {
    at(ready_ns, Step::kDataReady, slot);
  } else {
    data_ready(ready_ns, slot);
  }
}

void ArraySimulator::issue(std::int64_t now_ns, const std::vector<DiskIo>& ios,
                           std::uint32_t slot) {
  requests_[slot].pending = static_cast<std::uint32_t>(ios.size());
  counters_.disk_ios += ios.size();
  for (const DiskIo& io : ios) {
    if (!disks_.mechanical()) {
      at(disks_.finish_ns(now_ns, io), Step::kDiskDone, slot);
    } else if (const auto end = disks_.arrive(now_ns, io, slot)) {
      at(*end, Step::kArmDone, io.disk);
    }
  }
}

void ArraySimulator::disk_done(std::int64_t now_ns, std::uint32_t slot) {
  if (--requests_[slot].pending > 0) return;
  if (!requests_[slot].second.empty()) {
    const std::vector<DiskIo> ios = std::move(requests_[slot].second);
    requests_[slot].second.clear();
    issue(now_ns, ios, slot);
  } else if (requests_[slot].background) {
    free_.push_back(slot);
    --destages_;
    destage(now_ns);
  } else {
    data_ready(now_ns, slot);
  }
}

void ArraySimulator::data_ready(std::int64_t now_ns, std::uint32_t slot) {
  const ArrayIo& io = requests_[slot].io;
  if (!io.write && config_.link.bytes_per_second > 0) {
    const double service = io.length_bytes * 1e9 / config_.link.bytes_per_second;
    counters_.link_out_busy_ns += service;
    link_out_free_ns_ = std::max(link_out_free_ns_, now_ns) + std::llround(service);
    now_ns = link_out_free_ns_;
  }
  at(now_ns + config_.link.latency_ns - config_.link.latency_ns / 2, Step::kComplete, slot);
}

// Starts writers for the pages that have been dirty longest, each with its neighbours of the row.
void ArraySimulator::destage(std::int64_t now_ns) {
  const std::uint64_t page_bytes = config_.cache.page_bytes;
  while (destages_ < config_.disks.count && !dirty_queue_.empty()) {
    const std::uint64_t page = dirty_queue_.front();
    dirty_queue_.pop_front();
    if (!cache_.is_dirty(page)) continue;  // written meanwhile
    const std::uint64_t row = page * page_bytes / layout_.row_bytes();
    std::uint64_t from = page;
    std::uint64_t to = page;
    while (from > 0 && (from - 1) * page_bytes / layout_.row_bytes() == row &&
           cache_.is_dirty(from - 1)) {
      --from;
    }
    while ((to + 1) * page_bytes / layout_.row_bytes() == row && cache_.is_dirty(to + 1)) ++to;
    for (std::uint64_t each = from; each <= to; ++each) cache_.mark_clean(each);
    counters_.destaged_pages += to - from + 1;
    const std::uint32_t slot = new_request();
    requests_[slot].background = true;
    ++destages_;
    DiskWrite writes;
    layout_.write(from * page_bytes, (to - from + 1) * page_bytes, writes);
    requests_[slot].second = std::move(writes.second);
    issue(now_ns, writes.first, slot);
  }
}

bool ArraySimulator::warm(const ArrayIo& io) {
  if (cache_.capacity() == 0) return false;
  const std::uint64_t page_bytes = config_.cache.page_bytes;
  const std::uint64_t last = (io.offset_bytes + io.length_bytes - 1) / page_bytes;
  bool hit = true;
  for (std::uint64_t page = io.offset_bytes / page_bytes; page <= last; ++page) {
    if (cache_.use(page, false)) continue;
    cache_.add(page, false);
    hit = false;
  }
  return hit;
}

}  // namespace rigel
