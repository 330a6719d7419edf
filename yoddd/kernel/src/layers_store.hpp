// The memory of a sweep's layers: chunks of equal size that one layer hands on to the next.
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

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
    void open(u64 most, u64 expected);
    void close() {
        free_.clear();
        slabs_.clear();
    }
    Layer layer(u64 records, u64 words) const;

    // Any thread may take chunks and give them back. Throws std::bad_alloc where memory lacks.
    u64* take();
    void give(u64* chunk);

private:
    struct Release {
        void operator()(u64* block) const { std::free(block); }
    };

    u64 chunk_ = 0;  // words
    u64 slab_ = 0;   // chunks that are asked for at a time
    Mutex lock_;
    std::vector<u64*> free_;
    std::vector<std::unique_ptr<u64[], Release>> slabs_;
};

}  // namespace yoddd
