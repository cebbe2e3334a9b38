// Counters since the recording began, in Prometheus's text exposition format, for node_exporter's
// textfile collector: the file is replaced as a whole, so that no half of it is ever read.
// tick() and finish() throw Error when it cannot be written.
#pragma once

#include <cstdint>
#include <string>

#include "capture/io_counts.hpp"
#include "capture/recording_sink.hpp"

namespace rigel {

class PrometheusFile final : public RecordingSink {
 public:
  PrometheusFile(std::string path, std::int64_t interval_ns);

  void write(const RecordBatch& batch, const TraceTables& tables) override;
  void tick(std::int64_t now_ns, const TraceTables& tables) override;
  void finish(const TraceTables& tables) override;

 private:
  void replace(const TraceTables& tables) const;

  std::string path_;
  std::int64_t interval_ns_;
  std::int64_t written_ns_ = 0;
  IoCounts counts_;
};

// https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
[[nodiscard]] std::string prometheus_text(const IoCounts& counts, const TraceTables& tables);

}  // namespace rigel
