#include "model/array/lun_guardian.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/loop.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "model/array/precise_wait.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

// One packet from the guardian. Plain memory: both sides are one program.
struct Message {
  bool good = false;
  std::array<char, 400> text{};  // the device, or what went wrong
  std::array<ProbeRead, LunGuardian::kProbeReads> reads{};
};

// What runs in the guardian's process. Its steps throw; run() makes messages of that.
class Guard {
 public:
  Guard(LunPlace place, int socket) : place_{std::move(place)}, socket_{socket} {}

  void run() {
    try {
      make_file();
      send({});
      char go = 0;
      if (recv(socket_, &go, 1, 0) == 1) {
        attach();
        std::vector<ProbeRead> reads = probe();
        if (!place_.loop) close_device();  // nobody needs it held
        send(reads);
        ssize_t more = 0;
        do {
          more = recv(socket_, &go, 1, 0);  // nothing comes but the end
        } while (more > 0 || (more < 0 && errno == EINTR));
      }
    } catch (const Error& error) {
      send_failure(error.what());
    }
    clean_up();
  }

 private:
  void make_file() {
    struct stat status = {};
    int found = stat(place_.path.c_str(), &status);
    // What is left where the guardian was killed too.
    if (found != 0 && errno == ENOTCONN) {
      unmount();
      found = stat(place_.path.c_str(), &status);
    }
    if (found == 0) {
      if (!S_ISREG(status.st_mode)) throw Error{place_.path + ": is not a regular file"};
      if (status.st_size != 0) {
        throw Error{place_.path + ": exists and is not empty; the LUN would hide it"};
      }
      return;
    }
    const int fd = open(place_.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) throw system_error(place_.path, "cannot create", errno);
    close(fd);
    made_ = true;
  }

  void attach() {
    const int file = open(place_.path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC);
    if (file < 0) throw system_error(place_.path, "cannot open", errno);
    name_ = place_.path;
    device_ = file;
    if (!place_.loop) return;
    try {
      device_ = attach_loop(file);
    } catch (...) {
      close(file);
      throw;
    }
    close(file);
  }

  // Direct I/O, or the host's page cache would be the array; gone with its last user.
  int attach_loop(int file) {
    const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    if (control < 0) throw system_error("/dev/loop-control", "cannot open", errno);
    loop_config config = {};
    config.fd = static_cast<unsigned>(file);
    config.block_size = place_.block_bytes;
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO;
    std::strncpy(reinterpret_cast<char*>(config.info.lo_file_name), place_.path.c_str(),
                 LO_NAME_SIZE - 1);
    int error = EBUSY;
    // Others look for a free one too.
    for (int attempt = 0; attempt < 64 && error == EBUSY; ++attempt) {
      const int number = ioctl(control, LOOP_CTL_GET_FREE);
      if (number < 0) {
        error = errno;
        break;
      }
      name_ = fmt::format("/dev/loop{}", number);
      const int device = open(name_.c_str(), O_RDWR | O_CLOEXEC);
      error = device < 0 || ioctl(device, LOOP_CONFIGURE, &config) != 0 ? errno : 0;
      if (error == 0) {
        close(control);
        return with_direct_io(device);
      }
      if (device >= 0) close(device);
    }
    close(control);
    throw system_error(name_, "cannot become a loop device", error);
  }

  // The driver goes on without direct I/O where it cannot have it.
  int with_direct_io(int device) {
    loop_info64 info = {};
    if (ioctl(device, LOOP_GET_STATUS64, &info) == 0 && (info.lo_flags & LO_FLAGS_DIRECT_IO) != 0) {
      return device;
    }
    close(device);
    throw Error{name_ + ": the loop driver refuses direct I/O"};
  }

  std::vector<ProbeRead> probe() {
    constexpr std::size_t kAlignment = 4096;
    alignas(kAlignment) static std::array<char, LunGuardian::kProbeBytes> buffer;
    std::vector<ProbeRead> reads(LunGuardian::kProbeReads);
    const int direct = place_.loop ? open(name_.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC) : device_;
    if (direct < 0) throw system_error(name_, "cannot open", errno);
    int error = 0;
    for (ProbeRead& read : reads) {
      read.sent_ns = PreciseWait::now_ns();
      if (pread(direct, buffer.data(), buffer.size(), 0) < 0) error = errno;
      read.answered_ns = PreciseWait::now_ns();
    }
    if (direct != device_) close(direct);
    if (error != 0) throw system_error(name_, "cannot read", error);
    return reads;
  }

  void close_device() {
    if (device_ >= 0) close(device_);
    device_ = -1;
  }

  void clean_up() {
    close_device();
    unmount();
    if (made_) unlink(place_.path.c_str());
  }

  void unmount() {
    // As root itself, otherwise by the helper that mounted it. Not mounted: nothing happens.
    if (umount2(place_.path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0 && errno == EPERM) {
      std::array<const char*, 6> words{"fusermount3",       "-u",   "-z", "-q",
                                       place_.path.c_str(), nullptr};
      pid_t helper = 0;
      if (posix_spawnp(&helper, words[0], nullptr, nullptr, const_cast<char**>(words.data()),
                       environ) == 0) {
        waitpid(helper, nullptr, 0);
      }
    }
  }

  void send(const std::vector<ProbeRead>& reads) {
    Message message;
    message.good = true;
    name_.copy(message.text.data(), message.text.size() - 1);
    std::copy(reads.begin(), reads.end(), message.reads.begin());
    ::send(socket_, &message, sizeof(message), MSG_NOSIGNAL);
  }

  void send_failure(const std::string& what) {
    Message message;
    what.copy(message.text.data(), message.text.size() - 1);
    ::send(socket_, &message, sizeof(message), MSG_NOSIGNAL);
  }

  LunPlace place_;
  int socket_;
  bool made_ = false;
  std::string name_;
  int device_ = -1;
};

// Out of reach of what is meant for the server: its terminal, its signals, its name.
[[noreturn]] void guard(const LunPlace& place, int socket) {
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE}) {
    std::signal(signal, SIG_IGN);
  }
  prctl(PR_SET_NAME, "lun-guardian");
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  Guard{place, socket}.run();
  _exit(0);
}

Message receive(int socket, const std::string& path) {
  Message message;
  ssize_t size = 0;
  do {
    size = recv(socket, &message, sizeof(message), 0);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof(message)) throw Error{path + ": the LUN's guardian process has ended"};
  if (!message.good) throw Error{message.text.data()};
  return message;
}

}  // namespace

LunGuardian::LunGuardian(const LunPlace& place) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw system_error(place.path, "cannot start the LUN's guardian", errno);
  }
  pid_ = fork();
  if (pid_ < 0) throw system_error(place.path, "cannot start the LUN's guardian", errno);
  if (pid_ == 0) {
    close(ends[0]);
    guard(place, ends[1]);
  }
  close(ends[1]);
  socket_ = ends[0];
  try {
    static_cast<void>(receive(socket_, place.path));
  } catch (...) {
    end();
    throw;
  }
}

LunGuardian::~LunGuardian() {
  end();
}

void LunGuardian::end() {
  close(socket_);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void LunGuardian::begin() {
  const char go = 1;
  ::send(socket_, &go, 1, MSG_NOSIGNAL);
}

LunGuardian::Ready LunGuardian::ready() {
  const Message message = receive(socket_, "the virtual LUN");
  return {message.text.data(), {message.reads.begin(), message.reads.end()}};
}

void LunGuardian::release() {
  shutdown(socket_, SHUT_WR);
}

}  // namespace rigel
