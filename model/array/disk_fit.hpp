// A mechanical disk out of measured response times: seek curve, rotation, transfer, overheads and
// buffer, from a recording of requests that were issued to one disk one at a time.
//
// The first half of the recording is fitted, the other half is judged by: each of its requests is
// given to the fitted disk in the simulator, as long after the answer to the one before as it was
// recorded, and the distribution of response times is set against the measured one. The figure is
// the demerit of C. Ruemmler, J. Wilkes, "An introduction to disk drive modeling", IEEE Computer
// 27(3), 1994: the root mean square of the horizontal distance between both distribution curves.
//
// Which requests the buffer answers is played through for each candidate buffer; what is left for
// the arm is a linear regression, in the square root of the distance, the distance and the
// length, with Tukey's weights against the ones that waited for something else (J. W. Tukey's
// biweight; P. J. Huber, "Robust Statistics", 1981).
// Pure functions, deterministic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/array/array_config.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

struct DiskRequest {
  std::uint64_t offset_bytes = 0;
  std::uint32_t length_bytes = 0;
  bool write = false;
  std::int64_t idle_ns = 0;  // from the answer to the one before until it came
  std::int64_t response_ns = 0;
};

// Reads and writes of a recording, in order. Throws Error when it has no response times, is of
// more than one device, or when more than one request in fifty overlaps the one before: then
// queues are in the times, too.
[[nodiscard]] std::vector<DiskRequest> disk_requests(TraceSource& trace);

// Response times of `array`, which has no cache and one disk, for these requests, issued one at a
// time; `runs` times over with the platters at different angles.
[[nodiscard]] std::vector<std::int64_t> simulated_responses(const ArrayConfig& array,
                                                            std::span<const DiskRequest> requests,
                                                            unsigned runs);

// The demerit figure, in ns. Neither may be empty.
[[nodiscard]] double demerit_ns(std::vector<std::int64_t> measured,
                                std::vector<std::int64_t> modelled);

struct DiskFit {
  ArrayConfig array;         // that one disk, nothing before it
  std::uint64_t fitted = 0;  // requests
  std::uint64_t judged = 0;
  double mean_ns = 0;  // measured, of the judged ones
  double modelled_mean_ns = 0;
  double demerit_ns = 0;       // of the judged ones
  double halves_apart_ns = 0;  // demerit of the two measured halves against each other
};

// Throws Error for fewer than 1000 requests, or where reads at random places are too few.
[[nodiscard]] DiskFit fit_disk(std::span<const DiskRequest> requests);

}  // namespace rigel
