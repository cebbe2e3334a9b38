// The arrays that `rigel array list` names. Figures are round ones for a class of product, taken
// from data sheets of their time; measure or fit your own.
#include <array>

#include "model/array/array_config.hpp"

namespace rigel {
namespace {

constexpr std::array kPresets{
    ArrayPreset{"disks32-96g", R"([array]
name = disks32-96g
description = 32 disks of 8 ms behind 96 GB of cache; a hit takes 0.3 ms
[link]
latency = 100us
bandwidth = 440M
[controller]
cores = 4
time = 20us
[cache]
size = 96G
page = 8k
hit_time = 180us
[disks]
count = 32
service = exponential
time = 8ms
)"},
    ArrayPreset{"sas10k-32", R"([array]
name = sas10k-32
description = 32 disks of 10,000 rpm that reorder their queues, 16 GB of cache
[link]
latency = 100us
bandwidth = 800M
[controller]
cores = 4
time = 20us
[cache]
size = 16G
page = 16k
hit_time = 150us
[disks]
count = 32
service = mechanical
size = 300G
rpm = 10000
transfer = 100M
seek_single = 500us
seek_average = 4500us
seek_full = 9500us
overhead = 300us
[raid]
level = 10
stripe = 64k
[queue]
policy = sptf
depth = 16
)"},
    ArrayPreset{"sata7k-12-raid6", R"([array]
name = sata7k-12-raid6
description = 12 disks of 7,200 rpm in RAID 6, 2 GB of cache
[link]
latency = 120us
bandwidth = 1100M
[controller]
cores = 2
time = 30us
[cache]
size = 2G
page = 16k
hit_time = 150us
[disks]
count = 12
service = mechanical
size = 4T
rpm = 7200
transfer = 150M
seek_single = 800us
seek_average = 8500us
seek_full = 18ms
overhead = 300us
[raid]
level = 6
stripe = 128k
[queue]
policy = elevator
depth = 31
)"},
    ArrayPreset{"nvme8", R"([array]
name = nvme8
description = 8 NVMe drives in RAID 10 behind two controllers of 16 cores, no read cache
[link]
latency = 50us
bandwidth = 12G
[controller]
cores = 32
time = 25us
[cache]
size = 0
[disks]
count = 8
service = exponential
time = 85us
units = 64
size = 4T
transfer = 3G
[raid]
level = 10
stripe = 128k
)"},
    ArrayPreset{"one-disk", R"([array]
name = one-disk
description = a bare disk of 7,200 rpm
[disks]
count = 1
service = mechanical
size = 1T
rpm = 7200
transfer = 120M
seek_single = 1ms
seek_average = 8500us
seek_full = 18ms
overhead = 200us
[queue]
policy = sptf
depth = 31
)"},
};

}  // namespace

std::span<const ArrayPreset> array_presets() {
  return kPresets;
}

}  // namespace rigel
