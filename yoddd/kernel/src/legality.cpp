#include "legality.hpp"

#include <algorithm>

namespace yoddd {
namespace {

u64 pairs_of(u64 n) { return n * (n - 1) / 2; }

// The first turn is never a pass.
bool passes(const Board& board) {
    return board.rules().has_pass() && board.state().number > 1 && board.fits() && !board.is_over();
}

}  // namespace

bool flips(const Board& board, Stone stone) {
    const Geometry& g = board.geometry();
    const Arcs& arcs = g.arcs[board.planes().mask(stone.colour, stone.at)];
    const auto label = [&](int i) {
        return board.planes().label(g, stone.colour, stone.at + arcs.offset[i]);
    };
    const unsigned a = label(0), b = label(1), c = label(2);
    unsigned joins = arcs.any + (b != a) + ((c != a) & (c != b));
    if (g.shape == Shape::square) {
        const unsigned d = label(3);
        joins += (d != a) & (d != b) & (d != c);
    }
    return joins % 2 == 0;
}

Drops::Drops(const Board& board) : board_(board), passes_(passes(board)), fits_(board.fits()) {
    if (board.is_over()) return;
    u16 list[max_cells];
    const int count = board.list_empty(list);
    const bool own = board.only_own();
    candidates_.reserve(static_cast<std::size_t>(own ? count : 2 * count));
    for (const int colour : {black, white}) {
        if (own && colour != board.player()) continue;
        for (int i = 0; i < count; ++i) {
            const Stone stone{list[i], static_cast<u16>(colour)};
            const Touch touched = touch(board.geometry(), board.planes(), stone);
            candidates_.push_back({stone, touched, touched.flips()});
        }
    }
}

int Drops::find(Stone stone) const {
    const auto before = [](const Candidate& c, Stone s) {
        return c.stone.colour != s.colour ? c.stone.colour < s.colour : c.stone.at < s.at;
    };
    const auto found = std::lower_bound(candidates_.begin(), candidates_.end(), stone, before);
    if (found == candidates_.end() || found->stone != stone) return -1;
    return static_cast<int>(found - candidates_.begin());
}

bool Drops::pair_legal(int x, int y) const {
    const Candidate& a = candidates_[x];
    const Candidate& b = candidates_[y];
    if (!may_drop_two() || a.stone.at == b.stone.at) return false;
    if (!has_parity()) return true;
    bool changed = a.flips != b.flips;
    if (a.stone.colour == b.stone.colour)
        changed ^= entangled(board_.geometry(), a.stone, a.touched, b.stone, b.touched);
    return fits_ != changed;
}

bool Drops::completable(int x) const {
    if (single_legal(x)) return true;
    if (!may_drop_two()) return false;
    for (int y = 0; y < static_cast<int>(candidates_.size()); ++y)
        if (pair_legal(x, y)) return true;
    return false;
}

bool Drops::any() const {
    for (int x = 0; x < static_cast<int>(candidates_.size()); ++x)
        if (completable(x)) return true;
    return false;
}

u64 Drops::count_drops() const {
    u64 of_kind[2] = {0, 0};
    for (const Candidate& candidate : candidates_) ++of_kind[candidate.flips];
    const bool own = board_.only_own(), single = !board_.must_drop_two();
    if (!has_parity()) {
        const u64 n = candidates_.size();
        const u64 pairs = pairs_of(n) - (own ? 0 : n / 2);  // a pair stands on two cells
        return (single ? n : 0) + (may_drop_two() ? pairs : 0);
    }
    const u64 singles = single ? of_kind[fits_ ? 0 : 1] : 0;
    if (!may_drop_two()) return singles;
    // Pairs by parity alone, less those on one cell, then corrected for the entangled ones.
    u64 alike = pairs_of(of_kind[0]) + pairs_of(of_kind[1]);
    u64 unlike = of_kind[0] * of_kind[1];
    if (!own) {
        const std::size_t half = candidates_.size() / 2;
        for (std::size_t i = 0; i < half; ++i)
            --(candidates_[i].flips == candidates_[i + half].flips ? alike : unlike);
    }
    const u64 lost = count_entangled(fits_);
    const u64 won = count_entangled(!fits_);
    return singles + (fits_ ? alike : unlike) - lost + won;
}

// The entangled pairs whose stones flip alike, or unlike.
u64 Drops::count_entangled(bool alike) const {
    const Geometry& g = board_.geometry();
    u64 count = 0;
    std::vector<int> joining;  // candidates of one colour that join two groups or more
    const auto size = static_cast<int>(candidates_.size());
    i16 where[plane_bytes];
    for (int begin = 0; begin < size;) {
        const int colour = candidates_[begin].stone.colour;
        int end = begin;
        joining.clear();
        std::fill(std::begin(where), std::end(where), static_cast<i16>(-1));
        for (; end < size && candidates_[end].stone.colour == colour; ++end) {
            where[candidates_[end].stone.at] = static_cast<i16>(end);
            if (candidates_[end].touched.joins >= 2) joining.push_back(end);
        }
        for (int x = begin; x < end; ++x)
            for (int d = 0; d < g.directions / 2; ++d) {  // each adjacent pair from one side only
                const int near = candidates_[x].stone.at + g.offset[d];
                const int y = near < g.span ? where[near] : -1;
                if (y < 0 || (candidates_[x].flips == candidates_[y].flips) != alike) continue;
                count += shared(candidates_[x].touched, candidates_[y].touched) == 0;
            }
        for (std::size_t i = 0; i < joining.size(); ++i)
            for (std::size_t j = i + 1; j < joining.size(); ++j) {
                const Candidate& a = candidates_[joining[i]];
                const Candidate& b = candidates_[joining[j]];
                if ((a.flips == b.flips) != alike) continue;
                const int common = shared(a.touched, b.touched);
                count += common >= 2 && common % 2 == 0;
            }
        begin = end;
    }
    return count;
}

std::vector<Move> moves_of(const Turn& turn) {
    if (turn.kind != Step::stone) return {{turn.kind, {}}};
    std::vector<Move> moves;
    for (int i = 0; i < turn.stones; ++i) moves.push_back({Step::stone, turn.stone[i]});
    return moves;
}

void play_turn(Board& board, const Turn& turn) {
    for (const Move& move : moves_of(turn)) board.play(move);
    if (board.is_pending()) board.play({Step::end, {}});
}

bool may_pass(const Board& board) {
    return passes(board) && (board.rules().pass == Pass::free || !Drops(board).any());
}

bool is_legal(const Board& board, const Turn& turn) {
    if (board.is_over()) return false;
    if (turn.kind == Step::pass) return may_pass(board);
    if (turn.kind == Step::swap) return board.may_swap();
    const int most = board.may_drop_two() ? 2 : 1;
    if (turn.stones < (board.must_drop_two() ? most : 1) || turn.stones > most) return false;
    Touch touched[2] = {};
    bool fits = board.fits();
    for (int i = 0; i < turn.stones; ++i) {
        const Stone stone = turn.stone[i];
        if (!board.is_empty(stone.at)) return false;
        if (board.only_own() && stone.colour != board.player()) return false;
        touched[i] = touch(board.geometry(), board.planes(), stone);
        fits ^= touched[i].flips();
    }
    if (turn.stones == 2) {
        const auto [a, b] = turn.stone;
        if (a.at == b.at) return false;
        if (a.colour == b.colour) fits ^= entangled(board.geometry(), a, touched[0], b, touched[1]);
    }
    return fits || board.rules().parity == none;
}

bool DropCursor::next(Turn& turn) {
    const auto& candidates = drops_.candidates();
    const auto size = static_cast<int>(candidates.size());
    for (; x_ < size; ++x_, y_ = -1) {
        if (y_ < 0) {
            y_ = x_ + 1;
            if (drops_.single_legal(x_)) {
                turn = {Step::stone, 1, {candidates[x_].stone, {}}};
                return true;
            }
        }
        for (; drops_.may_drop_two() && y_ < size; ++y_)
            if (drops_.pair_legal(x_, y_)) {
                turn = {Step::stone, 2, {candidates[x_].stone, candidates[y_].stone}};
                ++y_;
                return true;
            }
    }
    return false;
}

std::vector<Move> legal_moves(const Board& board) {
    std::vector<Move> moves;
    const Drops drops(board);
    const auto size = static_cast<int>(drops.candidates().size());
    if (board.is_pending()) {
        for (int y = 0; drops.may_drop_two() && y < size; ++y)
            if (drops.second_legal(y)) moves.push_back({Step::stone, drops.candidates()[y].stone});
        if (board.may_end()) moves.push_back({Step::end, {}});
        return moves;
    }
    for (int x = 0; x < size; ++x)
        if (drops.completable(x)) moves.push_back({Step::stone, drops.candidates()[x].stone});
    if (drops.pass_legal()) moves.push_back({Step::pass, {}});
    if (drops.may_swap()) moves.push_back({Step::swap, {}});
    return moves;
}

u64 perft(Board& board, int depth) {
    if (depth == 0) return 1;
    const Drops drops(board);
    if (depth == 1) return drops.count_turns();
    u64 total = 0;
    const auto descend = [&](Move move) {
        const Board::Undo undo = board.play(move);
        total += perft(board, depth - 1);
        board.undo(undo);
    };
    DropCursor cursor(board);
    Turn turn;
    while (cursor.next(turn)) {
        const Board::Undo first = board.play({Step::stone, turn.stone[0]});
        if (turn.stones == 2)
            descend({Step::stone, turn.stone[1]});
        else if (board.is_pending())
            descend({Step::end, {}});
        else
            total += perft(board, depth - 1);
        board.undo(first);
    }
    if (drops.pass_legal()) descend({Step::pass, {}});
    if (drops.may_swap()) descend({Step::swap, {}});
    return total;
}

}  // namespace yoddd
