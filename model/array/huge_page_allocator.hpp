// Memory for large tables that are read at random: asks the kernel for huge pages, so that a
// look-up costs one miss of the processor's cache and not two more of its page tables. Without huge
// pages, or for small tables, it is ordinary memory.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace rigel {

template <typename T>
struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t kHugePageBytes = 2U << 20;

  HugePageAllocator() = default;
  template <typename U>
  HugePageAllocator(const HugePageAllocator<U>&) noexcept {}  // NOLINT: as allocators convert

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
    // Only a wish: what the kernel refuses is ordinary memory.
    if (bytes >= kHugePageBytes) ::madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }
  template <typename U>
  bool operator==(const HugePageAllocator<U>&) const noexcept {
    return true;
  }

 private:
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= kHugePageBytes ? kHugePageBytes : alignof(std::max_align_t)};
  }
};

}  // namespace rigel
