// Threads that the host lends, as a page's workers do to WebAssembly. A helper is a worker that has
// instantiated the module over the same memory, with a stack of its own, and calls `help`.
#pragma once

#include <memory>

namespace yoddd {

constexpr int most_helpers = 31;

// Work for a helper.
struct Task {
    virtual ~Task() = default;
    virtual void run() = 0;
};

// Give a helper that is idle the work and return its number; without one do the work at once and
// return -1.
int hand_over(std::unique_ptr<Task> task);
// Sleep until a helper has done its work. Ends the program by a trap if a helper was lost.
void await(int helper);

// Do what is handed over to this helper; never returns.
[[noreturn]] void help(int helper);
// How many pieces of work helpers have done.
unsigned helped();
// A helper has ended by a trap: what it has written and the locks it held are as they were.
void lose(int helper);

// Let others have the processor for a moment.
void give_way();

}  // namespace yoddd
