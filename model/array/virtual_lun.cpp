#define FUSE_USE_VERSION 312

#include "model/array/virtual_lun.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fuse_lowlevel.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <deque>
#include <optional>
#include <vector>

#include "model/array/precise_wait.hpp"
#include "model/array/simulation.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kTickEvery = 100 * kMillisecond;
constexpr std::int64_t kProbeDelay = 200'000;
constexpr std::int64_t kPatience = 2'000 * kMillisecond;  // with users that do not let go
constexpr std::size_t kMostIo = 1 << 20;
constexpr int kRequestsAtOnce = 16;  // before answers that are due are looked at again
constexpr double kOnlyOwner = 3600;  // seconds that the kernel may believe the file's attributes

// libfuse says why it failed on its log only.
std::string& last_complaint() {
  static std::string text;
  return text;
}

__attribute__((format(printf, 2, 0))) void note_complaint(fuse_log_level, const char* format,
                                                          va_list arguments) {
  std::array<char, 300> line{};
  if (vsnprintf(line.data(), line.size(), format, arguments) < 0) return;
  std::string text = line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) last_complaint() = text;
}

// What it takes when nothing else is in the way, as it may be while this is measured.
std::int64_t lower_quartile(std::vector<std::int64_t>& values) {
  const auto quartile = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), quartile, values.end());
  return *quartile;
}

}  // namespace

class VirtualLun::Server {
 public:
  Server(const LunOptions& options, std::unique_ptr<LunStore> store)
      : options_{options},
        store_{std::move(store)},
        array_{options.array, options.seed},
        guardian_{options.place},
        buffer_(kMostIo) {
    if (options.warm) fill_cache();
    mount();
  }

  ~Server() { destroy_session(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void serve(const std::atomic<bool>& stop, const Tick& tick);
  [[nodiscard]] LunReport report() const;

 private:
  // An I/O that has come and is not answered.
  struct Pending {
    fuse_req_t request = nullptr;
    ArrayIo io;
    int error = 0;  // of a write, which is stored when it comes
  };
  struct Probe {
    std::int64_t heard_ns;
    std::int64_t due_ns;
    std::uint32_t tag;
  };

  void fill_cache();
  void mount();
  void destroy_session();
  static Server& of(fuse_req_t request) {
    return *static_cast<Server*>(fuse_req_userdata(request));
  }
  static fuse_lowlevel_ops operations();
  void add(fuse_req_t request, std::uint64_t offset_bytes, std::size_t size, const char* data);
  void answer(std::uint32_t tag);
  void answer_what_is_due();
  [[nodiscard]] bool receive();
  void wait(std::int64_t until_ns, bool precisely);
  void calibrate();
  [[nodiscard]] struct stat attributes() const;

  LunOptions options_;
  std::unique_ptr<LunStore> store_;
  ArraySimulator array_;
  LunGuardian guardian_;
  std::vector<char> buffer_;
  fuse_session* session_ = nullptr;
  fuse_buf message_ = {};  // grown and kept by libfuse
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> free_;
  unsigned outstanding_ = 0;
  std::deque<Probe> probes_;  // not answered
  std::vector<Probe> answered_probes_;
  bool calibrated_ = false;
  bool guardian_ended_ = false;
  PreciseWait wait_;
  std::string device_;
  std::int64_t now_ = 0;
  std::optional<LoadMeter> meter_;
  LunReport report_;
};

void VirtualLun::Server::fill_cache() {
  PatternOptions pattern;
  pattern.span_bytes = options_.size_bytes;
  pattern.io_bytes = options_.array.cache.page_bytes;
  pattern.seed = options_.seed ^ 0x9e3779b97f4a7c15U;  // not the sequence that a user draws
  AccessPattern reads{pattern};
  warm_up(array_, reads, 8 * std::min<std::uint64_t>(array_.cache().capacity(), reads.blocks()));
}

struct stat VirtualLun::Server::attributes() const {
  struct stat status = {};
  status.st_ino = FUSE_ROOT_ID;
  status.st_mode = S_IFREG | 0600;
  status.st_nlink = 1;
  status.st_uid = geteuid();
  status.st_gid = getegid();
  status.st_size = static_cast<off_t>(options_.size_bytes);
  status.st_blksize = 4096;
  status.st_blocks = status.st_size / 512;
  return status;
}

fuse_lowlevel_ops VirtualLun::Server::operations() {
  fuse_lowlevel_ops operations = {};
  operations.init = [](void*, fuse_conn_info* connection) {
    // Many at once, each in one piece, and copied: a splice costs more than it saves at 8 KiB.
    connection->max_background = 0xffff;
    connection->congestion_threshold = 0xffff;
    connection->max_read = kMostIo;
    connection->max_write = kMostIo;
    connection->want |= connection->capable & (FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO);
    connection->want &= ~static_cast<unsigned>(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE);
  };
  operations.getattr = [](fuse_req_t request, fuse_ino_t, fuse_file_info*) {
    const struct stat status = of(request).attributes();
    fuse_reply_attr(request, &status, kOnlyOwner);
  };
  operations.open = [](fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
    file->direct_io = 1;
    fuse_reply_open(request, file);
  };
  operations.read = [](fuse_req_t request, fuse_ino_t, std::size_t size, off_t offset,
                       fuse_file_info*) {
    of(request).add(request, static_cast<std::uint64_t>(offset), size, nullptr);
  };
  operations.write = [](fuse_req_t request, fuse_ino_t, const char* data, std::size_t size,
                        off_t offset, fuse_file_info*) {
    of(request).add(request, static_cast<std::uint64_t>(offset), size, data);
  };
  // What is in the array's cache is safe.
  operations.fsync = [](fuse_req_t request, fuse_ino_t, int, fuse_file_info*) {
    fuse_reply_err(request, 0);
  };
  operations.fallocate = [](fuse_req_t request, fuse_ino_t, int mode, off_t offset, off_t length,
                            fuse_file_info*) {
    fuse_reply_err(request, of(request).store_->allocate(mode, static_cast<std::uint64_t>(offset),
                                                         static_cast<std::uint64_t>(length)));
  };
  return operations;
}

void VirtualLun::Server::mount() {
  fuse_set_log_func(note_complaint);
  std::array<std::string, 3> words{"rigel-lun", "-o",
                                   fmt::format("fsname=rigel-lun,subtype=rigel,default_permissions,"
                                               "max_read={}",
                                               kMostIo)};
  std::array<char*, 3> arguments{words[0].data(), words[1].data(), words[2].data()};
  fuse_args list = FUSE_ARGS_INIT(static_cast<int>(arguments.size()), arguments.data());
  static const fuse_lowlevel_ops kOperations = operations();
  session_ = fuse_session_new(&list, &kOperations, sizeof(kOperations), this);
  if (session_ == nullptr) throw Error{"FUSE cannot be used: " + last_complaint()};
  if (fuse_session_mount(session_, options_.place.path.c_str()) != 0) {
    destroy_session();
    throw Error{fmt::format("{}: cannot mount the LUN: {}", options_.place.path, last_complaint())};
  }
  const int fd = fuse_session_fd(session_);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void VirtualLun::Server::destroy_session() {
  // Whatever is not answered by now fails with the connection.
  for (const Pending& pending : pending_) {
    if (pending.request != nullptr) fuse_reply_err(pending.request, EIO);
  }
  pending_.clear();
  if (session_ != nullptr) fuse_session_destroy(session_);
  session_ = nullptr;
  std::free(message_.mem);
  message_.mem = nullptr;
}

void VirtualLun::Server::add(fuse_req_t request, std::uint64_t offset_bytes, std::size_t size,
                             const char* data) {
  const std::uint64_t end = options_.size_bytes;
  if (data != nullptr && (offset_bytes >= end || size > end - offset_bytes)) {
    fuse_reply_err(request, ENOSPC);
    return;
  }
  if (offset_bytes >= end || size == 0) {
    fuse_reply_buf(request, nullptr, 0);
    return;
  }
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, end - offset_bytes));
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(pending_.size()));
    pending_.emplace_back();
  }
  const std::uint32_t tag = free_.back();
  free_.pop_back();
  Pending& pending = pending_[tag];
  pending = {request, {offset_bytes, static_cast<std::uint32_t>(size), data != nullptr}, 0};
  if (data != nullptr) pending.error = store_->write(offset_bytes, data, size);
  report_.most_outstanding = std::max(report_.most_outstanding, ++outstanding_);
  if (calibrated_) {
    array_.submit(now_ - report_.overhead_in_ns, pending.io, tag);
  } else {
    probes_.push_back({now_, now_ + kProbeDelay, tag});
  }
}

void VirtualLun::Server::answer(std::uint32_t tag) {
  Pending& pending = pending_[tag];
  const ArrayIo& io = pending.io;
  int error = pending.error;
  if (!io.write && error == 0)
    error = store_->read(io.offset_bytes, buffer_.data(), io.length_bytes);
  // The kernel may have given up the connection; nobody is left to be told.
  if (error != 0) {
    ++report_.errors[error];
    fuse_reply_err(pending.request, error);
  } else if (io.write) {
    fuse_reply_write(pending.request, io.length_bytes);
  } else {
    fuse_reply_buf(pending.request, buffer_.data(), io.length_bytes);
  }
  pending.request = nullptr;
  free_.push_back(tag);
  --outstanding_;
}

void VirtualLun::Server::answer_what_is_due() {
  now_ = PreciseWait::now_ns();
  while (!probes_.empty() && probes_.front().due_ns <= now_) {
    answered_probes_.push_back(probes_.front());
    answer(probes_.front().tag);
    probes_.pop_front();
  }
  if (!calibrated_) return;
  ArrayCompletion done;
  while (array_.next_completion(now_ + report_.overhead_out_ns, done)) {
    now_ = PreciseWait::now_ns();
    report_.lateness.add(now_ - (done.finish_ns - report_.overhead_out_ns));
    answer(done.tag);
    meter_->add(done);
  }
}

// Takes what has come, some at a time; false when the kernel has ended the connection.
bool VirtualLun::Server::receive() {
  for (int i = 0; i < kRequestsAtOnce; ++i) {
    const int size = fuse_session_receive_buf(session_, &message_);
    if (size == -EINTR) continue;
    if (size == -EAGAIN) return true;
    if (size <= 0) return false;
    now_ = PreciseWait::now_ns();
    fuse_session_process_buf(session_, &message_);
  }
  return true;
}

void VirtualLun::Server::wait(std::int64_t until_ns, bool precisely) {
  std::array<pollfd, 2> from{pollfd{fuse_session_fd(session_), POLLIN, 0},
                             pollfd{guardian_ended_ ? -1 : guardian_.fd(), POLLIN, 0}};
  if (!wait_.until(until_ns, precisely, from) || from[1].revents == 0) return;
  if (calibrated_) {
    guardian_ended_ = true;
  } else {
    calibrate();
  }
}

void VirtualLun::Server::calibrate() {
  const LunGuardian::Ready ready = guardian_.ready();
  device_ = ready.device;
  // Each of its reads has one of ours inside; what others read meanwhile is passed over.
  std::vector<std::int64_t> in;
  std::vector<std::int64_t> out;
  auto probe = answered_probes_.begin();
  for (const ProbeRead& read : ready.reads) {
    while (probe != answered_probes_.end() && probe->heard_ns < read.sent_ns) ++probe;
    if (probe == answered_probes_.end()) break;
    if (probe->due_ns >= read.answered_ns) continue;
    in.push_back(probe->heard_ns - read.sent_ns);
    out.push_back(read.answered_ns - probe->due_ns);
  }
  if (in.empty()) throw Error{device_ + ": its own overhead cannot be measured"};
  const std::map<int, std::uint64_t> errors = std::move(report_.errors);
  report_ = {};
  report_.errors = errors;
  report_.overhead_in_ns = lower_quartile(in);
  report_.overhead_out_ns = lower_quartile(out);
  calibrated_ = true;
  meter_.emplace(array_, PreciseWait::now_ns());
}

void VirtualLun::Server::serve(const std::atomic<bool>& stop, const Tick& tick) {
  guardian_.begin();
  std::int64_t next_tick = PreciseWait::now_ns();
  std::int64_t give_up = ArraySimulator::kNever;
  for (;;) {
    if (!receive()) break;
    answer_what_is_due();
    if (now_ >= next_tick) {
      tick(device_);
      next_tick = now_ + kTickEvery;
    }
    if (stop && give_up == ArraySimulator::kNever) {
      guardian_.release();
      give_up = now_ + kPatience;
    }
    if (now_ >= give_up) break;
    std::int64_t until = next_tick;
    bool precisely = false;
    const auto look = [&](std::int64_t due_ns, bool is_answer) {
      if (due_ns >= until) return;
      until = due_ns;
      precisely = is_answer;
    };
    if (!probes_.empty()) look(probes_.front().due_ns, true);
    const std::int64_t event = array_.next_ns();
    if (event != ArraySimulator::kNever) {
      look(event - report_.overhead_out_ns, array_.next_completes());
    }
    wait(until, precisely);
  }
}

LunReport VirtualLun::Server::report() const {
  LunReport report = report_;
  report.counters = array_.counters();
  if (meter_) report.load = meter_->result(PreciseWait::now_ns());
  return report;
}

VirtualLun::VirtualLun(const LunOptions& options, std::unique_ptr<LunStore> store)
    : server_{std::make_unique<Server>(options, std::move(store))} {}

VirtualLun::~VirtualLun() = default;

void VirtualLun::serve(const std::atomic<bool>& stop, const Tick& tick) {
  server_->serve(stop, tick);
}

LunReport VirtualLun::report() const {
  return server_->report();
}

}  // namespace rigel
