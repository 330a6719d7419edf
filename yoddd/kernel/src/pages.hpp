// Large pages for large blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace yoddd {

// Ask for large pages where a block has many: memory that is touched for the first time costs the
// system a page fault, for which threads wait in line. A system that has none leaves all as it is.
inline void ask_for_huge_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t first = (begin + huge_page - 1) & ~(huge_page - 1);
    const std::uintptr_t last = (begin + bytes) & ~(huge_page - 1);
    if (first + 8 * huge_page <= last)
        madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

template <class T>
void reserve_large(std::vector<T>& list, std::size_t size) {
    list.reserve(size);
    ask_for_huge_pages(list.data(), size * sizeof(T));
}

}  // namespace yoddd
