#include "traces/clock_shift.hpp"

#include <fmt/format.h>

#include "traces/error.hpp"
#include "traces/record_mapper.hpp"

namespace rigel {
namespace {

class ClockShift final : public RecordMapper {
 public:
  ClockShift(std::unique_ptr<TraceSource> source, std::int64_t shift_ns)
      : RecordMapper{std::move(source)}, shift_ns_{shift_ns} {}

 private:
  void update_tables(const TraceTables& theirs, TraceTables& mine) override {
    mine.meta = theirs.meta;
    follower_.follow(theirs, mine,
                     Overloaded{[this](Loss& loss) {
                                  loss.from_ns = shifted_time(loss.from_ns, shift_ns_);
                                  loss.to_ns = shifted_time(loss.to_ns, shift_ns_);
                                  return true;
                                },
                                [](const auto&) { return true; }});
  }

  void map(const IoRecord& record, RecordBatch& output) override {
    output.append(shifted_record(record, shift_ns_));
  }

  std::int64_t shift_ns_;
  TableFollower follower_;
};

}  // namespace

std::int64_t shifted_time(std::int64_t time_ns, std::int64_t shift_ns) {
  if (time_ns == kNoTime) return kNoTime;
  std::int64_t result = 0;
  if (__builtin_add_overflow(time_ns, shift_ns, &result) || result == kNoTime) {
    throw Error{fmt::format("cannot shift the time {} ns by {} ns", time_ns, shift_ns)};
  }
  return result;
}

IoRecord shifted_record(const IoRecord& record, std::int64_t shift_ns) {
  IoRecord moved = record;
  moved.queue_ns = shifted_time(record.queue_ns, shift_ns);
  moved.issue_ns = shifted_time(record.issue_ns, shift_ns);
  moved.complete_ns = shifted_time(record.complete_ns, shift_ns);
  return moved;
}

std::unique_ptr<TraceSource> shift_clock(std::unique_ptr<TraceSource> source,
                                         std::int64_t shift_ns) {
  if (shift_ns == 0) return source;
  return std::make_unique<ClockShift>(std::move(source), shift_ns);
}

}  // namespace rigel
