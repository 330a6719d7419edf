// The memory of a sweep's layers: chunks of equal size that one layer hands on to the next.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <vector>

#include "pages.hpp"
#include "threads.hpp"
#include "types.hpp"

namespace yoddd {

class LayerStore {
public:
    // The records of one layer.
    struct Layer {
        int shift = 0;  // records of a chunk, as a power of two
        u64 words = 0;  // of a record
        u64 records = 0;
        std::vector<u64*> chunks;

        u64* record(u64 rank) const {
            return chunks[rank >> shift] + (rank & ((u64{1} << shift) - 1)) * words;
        }
    };

    // `most` words of a record, and so many that layers take at a time.
    void open(u64 most, u64 expected) {
        chunk_ = std::max(least_chunk, std::bit_ceil(most));
        // One less than a power of two: WebAssembly's malloc gives out powers of two, its header
        // included.
        slab_ = std::max<u64>(2, std::min(expected, most_slab) / chunk_) - 1;
    }
    void close() {
        free_.clear();
        slabs_.clear();
    }
    Layer layer(u64 records, u64 words) const {
        const int shift = std::bit_width(chunk_ / words) - 1;
        const u64 chunks = (records + (u64{1} << shift) - 1) >> shift;
        return {shift, words, records, std::vector<u64*>(chunks)};
    }

    // Any thread may take chunks and give them back. Throws std::bad_alloc where memory lacks.
    u64* take() {
        const std::lock_guard held(lock_);
        if (free_.empty()) {
            const u64 bytes = chunk_ * slab_ * sizeof(u64);
            slabs_.emplace_back(static_cast<u64*>(::operator new(bytes, line)));
            ask_for_huge_pages(slabs_.back().get(), bytes);
            for (u64 i = slab_; i-- > 0;) free_.push_back(slabs_.back().get() + i * chunk_);
        }
        u64* const chunk = free_.back();
        free_.pop_back();
        return chunk;
    }
    void give(u64* chunk) {
        const std::lock_guard held(lock_);
        free_.push_back(chunk);
    }

private:
    static constexpr u64 least_chunk = u64{1} << 13;  // words: 64 KiB
    static constexpr u64 most_slab = u64{1} << 22;    // words: 32 MiB
    static constexpr std::align_val_t line{64};       // bytes of a cache line
    struct Release {
        void operator()(u64* block) const { ::operator delete(block, line); }
    };

    u64 chunk_ = 0;  // words
    u64 slab_ = 0;   // chunks that are asked for at a time
    Mutex lock_;
    std::vector<u64*> free_;
    std::vector<std::unique_ptr<u64[], Release>> slabs_;
};

}  // namespace yoddd
