// A page's number: dense, in order of first appearance, given by PageIndex. No errors.
#pragma once

#include <cstdint>

namespace rigel {

using PageId = std::uint32_t;

}  // namespace rigel
