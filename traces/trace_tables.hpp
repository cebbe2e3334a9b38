// What a trace says besides its records: where and how it was taken, which devices and processes
// the records name, what was lost, what was damaged. Plain data; nothing here throws.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rigel {

struct TraceMeta {
  std::string source;              // what made it: "rigel capture 0.1.0", "fio iolog v3", …
  std::string host;                // empty when unknown, as below
  std::string kernel;              // uname -r
  std::string clock;               // "CLOCK_MONOTONIC", …
  std::int64_t start_wall_ns = 0;  // Unix time of t = 0; 0 when unknown
  std::map<std::string, std::string> extra;  // filters in force, format particulars, notes
};

struct DeviceInfo {
  std::string name;         // "nvme0n1", "dm-3", or what the source calls it
  std::uint32_t major = 0;  // 0:0 when unknown
  std::uint32_t minor = 0;
  std::uint64_t size_bytes = 0;  // 0 when unknown
  std::uint32_t logical_block_bytes = 0;
  std::string wwid;  // names the LUN whatever the path
  std::string model;
  std::string parent;             // partition: the disk's name
  std::uint64_t start_bytes = 0;  // partition: where it begins on the disk
};

// Who submits: one entry for each task seen.
struct StreamInfo {
  std::string comm;
  std::uint32_t pid = 0;  // process (tgid)
  std::uint32_t tid = 0;
  std::string role;      // "lgwr", "dbwr", "foreground", …; empty when none is known
  std::string instance;  // Oracle SID, PostgreSQL cluster, …
  std::string cgroup;
};

// I/Os that happened but are not in the records.
struct Loss {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::uint64_t count = 0;
  std::string cause;  // "ring full", "no slot", "lost 128 events on CPU #1", …
};

// A part of the file that could not be read. Reading went on after it.
struct Damage {
  std::uint64_t offset_bytes = 0;  // where it begins in the file
  std::uint64_t length_bytes = 0;  // bytes skipped
  std::uint64_t records_lost = 0;  // 0 when that cannot be known
  std::string reason;
};

struct TraceTables {
  TraceMeta meta;
  std::vector<DeviceInfo> devices;
  std::vector<StreamInfo> streams;
  std::vector<Loss> losses;
  std::vector<Damage> damage;
  std::vector<std::string> warnings;  // doubts about an import, each once, with the line it began
};

}  // namespace rigel
