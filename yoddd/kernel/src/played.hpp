// A board as Python sees it: moves are integers, and the past is kept.
//
// A move is colour * cells + cell for a stone; then one number each for the end of a turn, a pass
// and a swap.
#pragma once

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "board.hpp"
#include "legality.hpp"

namespace yoddd {

// A board with its past.
class Played {
public:
    Played(int shape, int size, const Rules& rules)
        : board_(geometry(static_cast<Shape>(shape), size), rules) {}

    const Board& board() const { return board_; }
    int cells() const { return board_.geometry().cells; }

    Stone stone(int move) const {
        if (move < 0 || move >= 2 * cells()) throw std::invalid_argument("no such stone");
        return {board_.geometry().index[move % cells()], static_cast<u16>(move / cells())};
    }

    int number(Stone stone) const {
        return stone.colour * cells() + board_.geometry().cell[stone.at];
    }

    int number(Move move) const {
        return move.step == Step::stone ? number(move.stone)
                                        : 2 * cells() + static_cast<int>(move.step) - 1;
    }

    Move move(int number) const {
        if (number < 2 * cells()) return {Step::stone, stone(number)};
        if (number > 2 * cells() + 2) throw std::invalid_argument("no such move");
        return {static_cast<Step>(number - 2 * cells() + 1), {}};
    }

    Turn turn(const std::vector<int>& moves) const {
        Turn turn;
        if (moves.empty() || moves.size() > 2) throw std::invalid_argument("no such turn");
        for (const int number : moves) {
            const Move next = move(number);
            if (next.step == Step::stone)
                turn.stone[turn.stones++] = next.stone;
            else
                turn.kind = next.step;
        }
        return turn;
    }

    // In canonical order.
    std::vector<int> numbers(const Turn& turn) const {
        std::vector<int> moves;
        for (const Move& move : moves_of(turn)) moves.push_back(number(move));
        std::sort(moves.begin(), moves.end());
        return moves;
    }

    void set_up(const std::vector<int>& cells, int player, int passes, u32 number) {
        for (const int colour : cells)
            if (colour < none || colour > white) throw std::invalid_argument("no such colour");
        board_.set_up(cells, player, passes, number);
        past_.clear();
    }

    std::vector<int> contents() const {
        std::vector<int> cells;
        for (int cell = 0; cell < this->cells(); ++cell)
            cells.push_back(board_.colour_at(board_.geometry().index[cell]));
        return cells;
    }

    void play(int number) {
        const Move next = move(number);
        if (next.step == Step::stone && !board_.is_empty(next.stone.at))
            throw std::invalid_argument("the cell is occupied");
        past_.push_back(board_.play(next));
    }

    void play_turn(const std::vector<int>& moves) {
        for (const int number : moves) play(number);
        if (board_.is_pending()) past_.push_back(board_.play({Step::end, {}}));
    }

    void undo() {
        if (past_.empty()) throw std::invalid_argument("nothing to take back");
        board_.undo(past_.back());
        past_.pop_back();
    }

    void undo_turn() {
        do undo();
        while (board_.is_pending());
    }

    std::vector<int> legal_moves() const {
        std::vector<int> moves;
        for (const Move& move : yoddd::legal_moves(board_)) moves.push_back(number(move));
        return moves;
    }

private:
    Board board_;
    std::vector<Board::Undo> past_;
};

}  // namespace yoddd
