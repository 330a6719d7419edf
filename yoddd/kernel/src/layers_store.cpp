#include "layers_store.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

#include "pages.hpp"

namespace yoddd {
namespace {

constexpr u64 least_chunk = u64{1} << 13;  // words: 64 KiB
constexpr u64 line = 64;                   // bytes of a cache line
constexpr u64 most_slab = u64{1} << 22;    // words: 32 MiB

}  // namespace

void LayerStore::open(u64 most, u64 expected) {
    chunk_ = std::max(least_chunk, std::bit_ceil(most));
    // One less than a power of two: WebAssembly's malloc gives out powers of two, its header included.
    slab_ = std::max<u64>(2, std::min(expected, most_slab) / chunk_) - 1;
}

LayerStore::Layer LayerStore::layer(u64 records, u64 words) const {
    Layer made;
    made.shift = std::bit_width(chunk_ / words) - 1;
    made.words = words;
    made.records = records;
    made.chunks.resize((records + (u64{1} << made.shift) - 1) >> made.shift);
    return made;
}

u64* LayerStore::take() {
    const std::lock_guard held(lock_);
    if (free_.empty()) {
        const u64 bytes = chunk_ * slab_ * sizeof(u64) + line;
        std::unique_ptr<u64[], Release> slab(static_cast<u64*>(std::malloc(bytes)));
        if (!slab) throw std::bad_alloc();
        ask_for_huge_pages(slab.get(), bytes);
        const auto begin = (reinterpret_cast<std::uintptr_t>(slab.get()) + line - 1) & ~(line - 1);
        for (u64 i = slab_; i-- > 0;) free_.push_back(reinterpret_cast<u64*>(begin) + i * chunk_);
        slabs_.push_back(std::move(slab));
    }
    u64* const chunk = free_.back();
    free_.pop_back();
    return chunk;
}

void LayerStore::give(u64* chunk) {
    const std::lock_guard held(lock_);
    free_.push_back(chunk);
}

}  // namespace yoddd
