// The inner loops, compiled for several instruction sets, all with the same results.
#pragma once

#include <vector>

#include "choose.hpp"
#include "filling_lane.hpp"
#include "layers_record.hpp"
#include "playout_lane.hpp"

namespace yoddd {

struct Loops {
    const char* name;
    PlayoutLoop (*playout)(const Geometry& geometry, bool own, bool single);
    FillLoops fill;
    LayerLoops layers;
    Chooser chooser;
};

extern const Loops baseline_loops;
#if defined(YODDD_HAVE_V3)
extern const Loops v3_loops;
#endif

// Those in use: the best that this machine has, unless `use_instruction_set` chose others.
const Loops& loops();
// The names of those that it has, best first.
std::vector<const char*> instruction_sets();
bool use_instruction_set(const char* name);

}  // namespace yoddd
