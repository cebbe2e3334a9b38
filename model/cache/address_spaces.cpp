#include "model/cache/address_spaces.hpp"

namespace rigel {

namespace {

// "sda1@host" lies on "sda@host": a merge of traces marks all names of a host alike.
std::string disk_of(const DeviceInfo& device) {
  if (device.parent.empty()) return device.name;
  const std::size_t mark = device.name.find_first_of("@#");
  return device.parent + (mark == std::string::npos ? "" : device.name.substr(mark));
}

}  // namespace

void AddressSpaces::follow(const std::vector<DeviceInfo>& devices) {
  while (places_.size() < devices.size()) {
    const auto index = static_cast<std::uint32_t>(places_.size());
    const DeviceInfo& device = devices[index];
    const bool named = !device.wwid.empty() || !device.name.empty();
    const std::string key =
        device.wwid.empty() ? "name\n" + disk_of(device) : "wwid\n" + device.wwid;
    const std::uint32_t first = named ? first_device_.emplace(key, index).first->second : index;
    places_.push_back({first, device.start_bytes});
    all_apart_ = all_apart_ && first == index && device.start_bytes == 0;
  }
}

}  // namespace rigel
