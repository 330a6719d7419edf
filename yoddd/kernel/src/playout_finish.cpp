// The last stones of a playout, where no draw may be rejected without end: sees every drop, draws
// exactly among what is legal. docs/lab/playouts.md has the procedure.
#include <algorithm>

#include "playout_lane.hpp"

namespace yoddd {
namespace {

class Finish {
public:
    explicit Finish(Lane& lane)
        : g_(*lane.geometry), own_(lane.own), lane_(lane), draws_(lane.draws) {}

    void run() {
        int banned = -1;
        if (lane_.even)
            banned = restore();
        else if (lane_.empty > endgame_cells)
            banned = drop_last_but_two();
        while (lane_.empty) {
            if (drop_turn(banned)) {
                lane_.passes = 0;
            } else if (!own_ || ++lane_.passes == 2) {
                break;
            }
            lane_.player ^= 1;
            banned = -1;
        }
        lane_.draws = draws_;
    }

    // A game of other turns.
    void run_by_turns() {
        // Who has stones of one colour and nothing to drop will have nothing later: other stones only
        // take cells.
        bool stuck[2] = {};
        while (lane_.empty) {
            bool& is_stuck = stuck[lane_.player];
            is_stuck = is_stuck || !play_turn();
            if (!is_stuck)
                lane_.passes = 0;
            else if (!own_ || ++lane_.passes == 2)
                break;
            lane_.player ^= 1;
        }
        lane_.draws = draws_;
    }

    // One drop that keeps the count odd, as the first turn from an odd set-up has to be.
    void keep() {
        evaluate();
        drop_one_that(false);
        lane_.draws = draws_;
    }

private:
    struct Option {
        Touch touched;
        u16 slot;
        u16 colour;
    };

    Stone stone_of(const Option& option) const {
        return {index_of(lane_.list[option.slot]), option.colour};
    }

    // Every drop, in the order of the list: both colours of a cell, or the player's own.
    void evaluate() {
        count_ = 0;
        for (int slot = 0; slot < lane_.empty; ++slot)
            for (const int colour : {black, white}) {
                if (own_ && colour != lane_.player) continue;
                Option& option = options_[count_++];
                option.slot = static_cast<u16>(slot);
                option.colour = static_cast<u16>(colour);
                option.touched = touch(g_, lane_.planes, stone_of(option));
            }
    }

    Stone drop(const Option& option) {
        const Stone stone = stone_of(option);
        place(g_, lane_.planes, stone, option.touched);
        lane_.groups[stone.colour] += 1 - option.touched.joins;
        lane_.list[option.slot] = lane_.list[--lane_.empty];
        lane_.list[lane_.empty] = cell_of(stone.at);
        return stone;
    }

    // Drop one of the evaluated options that flip the parity, or that do not; false if none does.
    bool drop_one_that(bool flips) {
        const auto matches = [flips](const Option& o) { return o.touched.flips() == flips; };
        const auto found = std::count_if(options_, options_ + count_, matches);
        if (!found) return false;
        auto nth = draws_.below(static_cast<u64>(found));
        const Option* option = options_;
        while (!matches(*option) || nth--) ++option;
        drop(*option);
        return true;
    }

    void end_turn() {
        lane_.player ^= 1;
        lane_.passes = 0;
    }

    // Any drop, each as likely as any other; not yet looked at.
    Option draw() {
        const u64 drawn = draws_.below(static_cast<u64>(lane_.empty * (own_ ? 1 : 2)));
        Option option;
        option.slot = static_cast<u16>(own_ ? drawn : drawn >> 1);
        option.colour = static_cast<u16>(own_ ? lane_.player : static_cast<int>(drawn & 1));
        return option;
    }

    Stone drop_drawn(Option& option) {
        option.touched = touch(g_, lane_.planes, stone_of(option));
        return drop(option);
    }

    // touch(...).flips(), which needs labels only between several arcs.
    bool flips(const Option& option) const {
        const Stone stone = stone_of(option);
        const Arcs& arcs = g_.arcs[lane_.planes.mask(stone.colour, stone.at)];
        return arcs.count > 1 ? touch(g_, lane_.planes, stone).flips() : !arcs.count;
    }

    // Drop a stone that flips the parity or not, if one is found soon.
    bool draw_one_that(bool flips) {
        for (int i = 0; i < patience; ++i) {
            Option option = draw();
            if (this->flips(option) != flips) continue;
            drop_drawn(option);
            return true;
        }
        return false;
    }

    // Play a turn whose number of stones is given; false if there is none.
    bool play_turn() {
        const bool is_early = lane_.empty > endgame_cells;
        if (lane_.most == 1) return (is_early && draw_one_that(false)) || drop_single();
        if (is_early) {
            Option first = draw();
            const Stone stone = drop_drawn(first);
            if (draw_one_that(first.touched.flips())) return true;
            remove(g_, lane_.planes, stone, &first.touched);
            banned_after(first, stone);
        }
        return drop_turn(-1);
    }

    // Drop one of all stones that do not flip the parity.
    bool drop_single() {
        count_ = 0;
        for (int slot = 0; slot < lane_.empty; ++slot)
            for (const int colour : {black, white}) {
                if (own_ && colour != lane_.player) continue;
                Option& option = options_[count_];
                option.slot = static_cast<u16>(slot);
                option.colour = static_cast<u16>(colour);
                count_ += !flips(option);
            }
        if (!count_) return false;
        drop_drawn(options_[draws_.below(static_cast<u64>(count_))]);
        return true;
    }

    // The stone that leaves the board with two empty cells, and if the count is even then the one
    // that restores it: what the loop would draw, but from a list of all that can restore it.
    // Returns as `restore` does.
    int drop_last_but_two() {
        Option first = draw();
        const Stone stone = stone_of(first);
        first.touched = touch(g_, lane_.planes, stone);
        if (!first.touched.flips()) {
            drop(first);
            end_turn();
            return -1;
        }
        drop(first);
        evaluate();
        if (std::none_of(options_, options_ + count_,
                         [](const Option& o) { return o.touched.flips(); })) {
            draws_.skip(patience);
            remove(g_, lane_.planes, stone, &first.touched);
            return banned_after(first, stone);
        }
        for (int i = 0; i < patience; ++i) {
            const Option& option = options_[draws_.below(static_cast<u64>(count_))];
            if (!option.touched.flips()) continue;
            drop(option);
            end_turn();
            return -1;
        }
        return restore();
    }

    // The stone dropped last was taken off the planes: so it is off the rest. Returns its option.
    int banned_after(const Option& option, Stone stone) {
        lane_.groups[stone.colour] -= 1 - option.touched.joins;
        ++lane_.empty;
        return own_ ? lane_.empty - 1 : 2 * (lane_.empty - 1) + stone.colour;
    }

    // The count is even: drop a stone that restores it, or take the pending one back. Returns the
    // option that `drop_turn` is to leave out: the stone taken back; or -1.
    int restore() {
        evaluate();
        if (drop_one_that(true)) {
            end_turn();
            return -1;
        }
        if (lane_.empty == lane_.empty_at_start) return -1;
        const u16 at = index_of(lane_.list[lane_.empty]);
        const Stone stone{at, static_cast<u16>(lane_.planes.has(g_, white, at) ? white : black)};
        remove(g_, lane_.planes, stone, nullptr);
        Option option{};
        option.touched = touch(g_, lane_.planes, stone);
        return banned_after(option, stone);
    }

    // Play one turn from an odd count; false if no stone can be dropped.
    bool drop_turn(int banned) {
        evaluate();
        int left = count_;
        for (int i = 0; i < left; ++i) firsts_[i] = static_cast<u16>(i);
        if (banned >= 0) firsts_[banned] = firsts_[--left];
        while (left) {
            const u64 drawn = draws_.below(static_cast<u64>(left));
            const Option& first = options_[firsts_[drawn]];
            if (lane_.least == 1 && !first.touched.flips()) {
                drop(first);
                return true;
            }
            if (const Option* second = lane_.most == 1 ? nullptr : draw_second(first)) {
                drop_pair(first, *second);
                return true;
            }
            firsts_[drawn] = firsts_[--left];
        }
        return false;
    }

    // One of the options that make the count what it was before `first`, or null.
    const Option* draw_second(const Option& first) {
        const Stone stone = stone_of(first);
        int found = 0;
        for (int i = 0; i < count_; ++i) {
            const Option& option = options_[i];
            if (option.slot == first.slot) continue;
            bool flips = option.touched.flips() == first.touched.flips();
            if (option.colour == first.colour)
                flips ^= entangled(g_, stone, first.touched, stone_of(option), option.touched);
            if (flips) seconds_[found++] = static_cast<u16>(i);
        }
        return found ? &options_[seconds_[draws_.below(static_cast<u64>(found))]] : nullptr;
    }

    void drop_pair(const Option& first, Option second) {
        const Stone stone = stone_of(second);
        drop(first);
        second.touched = touch(g_, lane_.planes, stone);
        if (second.slot == lane_.empty) second.slot = first.slot;  // moved into the gap
        drop(second);
    }

    const Geometry& g_;
    const bool own_;
    Lane& lane_;
    Draws draws_;
    int count_ = 0;
    Option options_[2 * max_cells];
    u16 firsts_[2 * max_cells];  // options not yet tried
    u16 seconds_[2 * max_cells];
};

}  // namespace

void finish_playout(Lane& lane) {
    if (lane.empty || lane.even) Finish(lane).run();
}

void play_by_turns(Lane& lane) { Finish(lane).run_by_turns(); }

void drop_and_keep_odd(Lane& lane) { Finish(lane).keep(); }

}  // namespace yoddd
