// Whether a replay did what was recorded, and if not, who was to blame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "replay/replay_result.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// What any replay must have done, timed or not.
void judge_completeness(const ReplayResult& result, Fidelity& fidelity) {
  const auto fail = [&](std::string reason) { fidelity.reasons.push_back(std::move(reason)); };
  for (const auto& [reason, count] : result.tally.impossible) {
    fail(fmt::format("{} records not issued: {}", format_count(count), reason));
  }
  for (const std::string& reason : result.tally.missing.reasons) {
    fail("the trace is not all that happened: " + reason);
  }
  if (result.interrupted) fail("interrupted");
  if (result.failed_fast) fail("ended by the first I/O that failed (--fail-fast)");
  const bool cut = result.interrupted || result.time_limited || result.failed_fast;
  if (result.issue.not_issued > 0 && !cut) {
    fail(fmt::format("{} records not issued: still queued at the end",
                     format_count(result.issue.not_issued)));
  }
  if (!result.source_error.empty()) fail("the trace could not be read to its end");
  if (result.issue.engine_error != 0) fail("io_uring stopped taking I/O");
  if (result.issue.abandoned > 0) {
    fail(fmt::format("{} I/Os did not complete", format_count(result.issue.abandoned)));
  }
  std::uint64_t errors = 0;
  for (const auto& [error, count] : result.issue.errors) errors += count;
  if (errors > 0) fail(fmt::format("{} I/Os failed", format_count(errors)));
  if (result.issue.short_transfers > 0) {
    fail(fmt::format("{} I/Os moved fewer bytes than asked for",
                     format_count(result.issue.short_transfers)));
  }
  if (result.verify) {
    for (std::size_t i = 0; i < kVerifyFaultCount; ++i) {
      if (result.verify->faults[i] == 0) continue;
      fail(fmt::format("the target does not give back what was written: {} blocks {}",
                       format_count(result.verify->faults[i]),
                       fault_name(static_cast<VerifyFault>(i))));
    }
    if (result.verify->unreadable > 0) {
      fail(fmt::format("{} blocks that were written could not be read back",
                       format_count(result.verify->unreadable)));
    }
    if (!result.verify->complete) fail("what was written was not read back to its end");
  }
  if (result.issue.issued == 0) {
    fail("nothing was issued");
  } else if (result.warm_up_ns > 0 && result.issue.measured == 0) {
    fail(fmt::format("nothing was measured: the warm-up of {} did not end before the replay",
                     format_duration(result.warm_up_ns)));
  }
}

void judge_times(const ReplayResult& result, Fidelity& fidelity) {
  const auto fail = [&](std::string reason) { fidelity.reasons.push_back(std::move(reason)); };
  const IssuerResult& issue = result.issue;
  const std::int64_t intended = issue.last_due_ns - issue.first_due_ns;
  const std::int64_t actual = issue.last_issue_ns - issue.first_issue_ns;
  if (intended > 0) {
    const double error = static_cast<double>(actual - intended) / static_cast<double>(intended);
    fidelity.duration_error = error;
    if (std::abs(error) > kMaxDurationError && std::abs(actual - intended) > kMaxDurationErrorNs) {
      fail(fmt::format("took {:.3g} % {} than intended", std::abs(error) * 100,
                       actual > intended ? "longer" : "less"));
    }
  }
  if (issue.recorded_gaps.count() > 0) {
    const double distance = ks_distance(issue.recorded_gaps, issue.issued_gaps);
    fidelity.interarrival_ks = distance;
    if (distance > kMaxInterarrivalKs) {
      fail(fmt::format("gaps between I/Os differ from the intended ones (KS distance {:.3f})",
                       distance));
    }
  }
  const std::int64_t drain = issue.last_complete_ns - issue.last_issue_ns;
  const auto allowed = static_cast<std::int64_t>(kMaxDrainShare * static_cast<double>(intended));
  if (drain > std::max(kMaxDrainNs, allowed)) {
    fail(
        fmt::format("the target fell behind: it needed {} more for what was outstanding at the end",
                    format_duration(drain)));
  }
}

// What holds wherever I/Os have a time at which they are due, recorded or not.
void judge_delays(const ReplayResult& result, Fidelity& fidelity) {
  const auto fail = [&](std::string reason) { fidelity.reasons.push_back(std::move(reason)); };
  const IssuerResult& issue = result.issue;
  const std::int64_t slip = issue.slip.quantile_ns(0.99);
  if (slip > kMaxSlipP99Ns) {
    fail(fmt::format("1 % of the I/Os were issued {} late or more", format_duration(slip)));
  }
  if (share(issue.delays.depth_limit, issue.issued) > kMaxDelayedShare) {
    fail(fmt::format("host-limited: {} I/Os waited because {} were outstanding (--depth)",
                     format_count(issue.delays.depth_limit), format_count(result.depth)));
  }
  if (share(issue.delays.buffers, issue.issued) > kMaxDelayedShare) {
    fail(fmt::format("host-limited: {} I/Os waited for buffer memory",
                     format_count(issue.delays.buffers)));
  }
}

void advise(const ReplayResult& result, Fidelity& fidelity) {
  const IssuerResult& issue = result.issue;
  const auto say = [&](std::string text) { fidelity.advice.push_back(std::move(text)); };
  if (issue.delays.depth_limit > 0) {
    say(fmt::format(
        "the depth limit was reached: {}. A higher --depth lets the queue grow as it "
        "would in production, a lower --speed lets the target keep up",
        fidelity.recorded_outstanding
            ? fmt::format("{:.1f} I/Os were outstanding on average, {:.1f} when recorded",
                          fidelity.outstanding, *fidelity.recorded_outstanding)
            : fmt::format("{:.1f} I/Os were outstanding on average", fidelity.outstanding)));
  }
  if (issue.delays.host > 0) {
    say(fmt::format(
        "{} I/Os were late because the issuing thread did not get the CPU or the kernel "
        "held it in a submission (up to {}): free a core, or use --threads",
        format_count(issue.delays.host), format_duration(issue.submit_max_ns)));
  }
  if (issue.delays.read_ahead > 0) {
    say(
        fmt::format("{} I/Os were late because the trace was not read fast enough: convert it to "
                    ".rgt on a faster disk",
                    format_count(issue.delays.read_ahead)));
  }
  for (const TargetTotals& target : result.targets) {
    if (target.longest_silence_ns < kLongSilenceNs) continue;
    say(fmt::format("{} answered nothing for {} while I/O was outstanding", target.path,
                    format_duration(target.longest_silence_ns)));
  }
  if (result.punted && result.punted->bytes > 0 && result.issue.completed_bytes > 0) {
    const double part = share(result.punted->bytes, result.issue.completed_bytes);
    if (part > 0.01) {
      say(fmt::format(
          "{:.0f} % of the bytes went through kernel worker threads: the target's queue "
          "was full or its driver cannot start I/O without blocking",
          part * 100));
    }
  }
}

}  // namespace

Fidelity judge(const ReplayResult& result) {
  Fidelity fidelity;
  for (const TargetTotals& target : result.targets) {
    fidelity.outstanding += target.mean_outstanding;
    if (target.recorded_outstanding) {
      fidelity.recorded_outstanding =
          fidelity.recorded_outstanding.value_or(0) + *target.recorded_outstanding;
    }
  }
  judge_completeness(result, fidelity);
  if (result.timing == ReplayTiming::kOriginal) judge_times(result, fidelity);
  if (result.timing != ReplayTiming::kFlatOut) judge_delays(result, fidelity);
  fidelity.faithful = fidelity.reasons.empty();
  advise(result, fidelity);
  return fidelity;
}

}  // namespace rigel
