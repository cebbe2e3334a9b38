// Array parameters out of a measured load curve: the closed network of hits, disks and a link whose
// throughput fits the curve best, with intervals, and what the curve cannot tell.
//
// A curve of averages shows a read's time in three parts and no more: the part that never queues
// (hit ratio x hit time), the part at disks ((1 - hit ratio) x their service time, over so many
// disks), and a part everyone passes one by one (the link). Hit ratio and service time come only as
// a product; one of them must be known to give the other.
//
// Least squares of ln X by Levenberg-Marquardt (D. W. Marquardt, SIAM J. 11, 1963); intervals by
// profile likelihood: all values of a parameter for which some choice of the others fits no worse
// than Student's t allows (D. M. Bates, D. G. Watts, "Nonlinear Regression Analysis and Its
// Applications", 1988, section 6.1).
// Pure functions; Error for a curve with too few points.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "traces/load_curve.hpp"

namespace rigel {

struct FittedValue {
  double value = 0;
  // Absent where the curve sets no bound on that side.
  std::optional<double> low;
  std::optional<double> high;
};

struct ArrayFit {
  FittedValue unqueued_ns;  // hit ratio x hit time, and latencies that all share
  FittedValue disk_ns;      // (1 - hit ratio) x service time of a disk
  FittedValue disks;        // how many serve at once
  FittedValue link_iops;    // what passes one by one
  double confidence = 0.95;
  double rms_error = 0;  // of ln X, about the relative error of IOPS
  std::size_t points = 0;
  std::vector<std::string> cannot_tell;  // in words
};

// Small I/Os only. At least 6 points with different loads.
[[nodiscard]] ArrayFit fit_array(const LoadCurve& curve, double confidence = 0.95);

}  // namespace rigel
