/* The kernel of yoddd for other languages: rules, playouts and its engine.
 *
 * Cells are numbered as in docs/reference/notation.md, from the bottom row up and from left to
 * right. A colour is 0 for black and 1 for white, -1 stands for none. A move is half a turn:
 * colour * cells + cell for a stone, then one number each for the end of a turn (2 * cells), a pass
 * and a swap. A turn is written as its stones, one or two moves, or as a pass or a swap alone.
 *
 * What makes something returns NULL where it cannot, what returns int returns -1; yoddd_error then
 * tells why. Nothing here may be used by two threads at once. In WebAssembly nothing starts threads
 * and memory that runs out ends the program by a call of WASI's proc_exit.
 */
#ifndef YODDD_H
#define YODDD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The reason of the last failure: one sentence, valid until the next call. */
const char* yoddd_error(void);

/* Memory for arguments, for hosts that have no other way to it. */
void* yoddd_allocate(size_t bytes);
void yoddd_release(void* memory);

/* -- boards ----------------------------------------------------------------------------------- */

typedef struct yoddd_board yoddd_board;

enum yoddd_shape { YODDD_HEX, YODDD_SQUARE };

/* An empty board, Black to play turn 1. `facts` are those of the game as numbers: pie, the stones of turn
 * 1 and whether they are of the player's own colour, the fewest and the most stones of a later turn and
 * whether they are, then the facts from turn.groups on in the order of yoddd/rules/facts.py, each
 * the place of its word among the words there, or its number. Of score.ties the n-th word's place plus 1
 * counts 8 to the power of n. */
yoddd_board* yoddd_board_new(int shape, int size, const int32_t* facts, int count);
void yoddd_board_free(yoddd_board* board);

/* Any content, a colour or -1 for each cell; whether a game can reach it is not checked. */
int yoddd_set_up(yoddd_board* board, const int8_t* cells, int player, int passes, uint32_t number);

/* Who has won if the game ends here, and by how much. Returns the colour, or -1 for a tie. */
int yoddd_score(const yoddd_board* board, int32_t* score);

/* Play a legal half turn. Only the cell's being empty is checked. */
int yoddd_play(yoddd_board* board, int move);

/* Write the legal half turns, at most `room`; returns how many there are. */
int yoddd_moves(const yoddd_board* board, int32_t* moves, int room);
/* Whether a turn of `count` moves is legal, between turns: 1 or 0. */
int yoddd_is_legal(const yoddd_board* board, const int32_t* moves, int count);
/* Legal turns, those that are no drops included. */
uint64_t yoddd_count_turns(const yoddd_board* board);
/* Sequences of `depth` legal turns. */
uint64_t yoddd_perft(const yoddd_board* board, int depth);

/* The legal drops, one after the other in canonical order: between turns. */
typedef struct yoddd_drops yoddd_drops;
yoddd_drops* yoddd_drops_new(const yoddd_board* board);
/* Write up to `turns` turns, two moves each, the second -1 in a turn of one stone; returns how many,
 * 0 at the end. */
int yoddd_drops_next(yoddd_drops* drops, int32_t* moves, int turns);
void yoddd_drops_free(yoddd_drops* drops);

/* -- what is learned and drawn ---------------------------------------------------------------- */

/* Write for each legal half turn the logarithm of its probability over that of the likeliest one.
 * `weights` are those of the board's learned value: (cells + 1) * 11 numbers, or twice as many with a
 * policy of its own. Returns how many half turns there are; room for 2 * cells + 3 is enough. */
int yoddd_policy(const yoddd_board* board, const float* weights, size_t count, int32_t* moves,
                 float* logs);

typedef struct {
    uint64_t playouts;
    uint64_t black_wins;
    uint64_t stones; /* dropped in all of them */
} yoddd_playouts_result;

/* Random games from here to the end; the same numbers give the same games anywhere. */
int yoddd_playouts(const yoddd_board* board, uint64_t count, uint64_t seed, uint64_t first,
                   yoddd_playouts_result* result);

/* -- play ------------------------------------------------------------------------------------- */

/* The engine: what it keeps from one turn to the next is a tree, and the values of the endgame. */
typedef struct yoddd_engine yoddd_engine;
yoddd_engine* yoddd_engine_new(void);
void yoddd_engine_free(yoddd_engine* engine);
/* Forget what is kept. */
void yoddd_engine_drop(yoddd_engine* engine);

/* Begin a turn in a game that is not over. `turns` are all turns up to the position, two moves each as
 * of `yoddd_drops_next`; `weights` may be NULL for none, `memory` is that of the tree in bytes and
 * `swept` that of the endgame's values. 0 playouts of this search, visits of the position or seconds
 * are no limit; `resume` says that others will go on with this search. The same seed makes the same
 * tree unless time ends it. */
int yoddd_engine_begin(yoddd_engine* engine, const yoddd_board* board, const int32_t* turns,
                       int count, const float* weights, size_t weight_count, uint64_t memory,
                       uint64_t seed, uint64_t playouts, uint64_t visits, double seconds,
                       uint64_t swept, int resume);
/* Go on for a hundredth of a second or so: 1, or 0 at the end. */
int yoddd_engine_step(yoddd_engine* engine);
/* End with the best turn so far. */
void yoddd_engine_finish(yoddd_engine* engine);
/* Lists as JSON, valid until the next call, as player.hpp describes them: what a search that has ended
 * has found, and what one that goes on sees. */
const char* yoddd_engine_result(const yoddd_engine* engine);
const char* yoddd_engine_report(const yoddd_engine* engine);
/* Draw a turn of a level: by the policy of `weights`, or if they are NULL by what the search that has
 * ended made of the half turns. Returns how many moves it has, 0 where that is nothing, -1 in a
 * finished game. */
int yoddd_engine_draw(const yoddd_engine* engine, const yoddd_board* board, const float* weights,
                      size_t weight_count, double spread, uint64_t seed, int32_t* moves);

/* -- perfect play ----------------------------------------------------------------------------- */

/* The bytes that a sweep takes at most, 0 if too many cells are empty; and the seconds that it is
 * expected to take. */
uint64_t yoddd_sweep_memory(const yoddd_board* board, int distances);
double yoddd_sweep_seconds(const yoddd_board* board, int distances);
/* Find out who wins every position that can follow, and with `distances` in how many turns. Takes
 * so many seconds at most (0: no limit); NULL if that was too short. Returns JSON, valid until the next
 * call: the values of the legal turns, best first, and if `line` those of best play by colours after the
 * first. A value is a list of the turn's moves, 1 if the player who takes it wins by best play of both
 * or else 0, and the turns to the end, 0 if they are not known. */
const char* yoddd_sweep(const yoddd_board* board, int distances, int line, double seconds);

/* The values of Xodd's and Odd's positions of few stones on square5, from the table's file, unpacked;
 * the values of the turns of a position all of whose turns lead to what is held. */
typedef struct yoddd_square5 yoddd_square5;
yoddd_square5* yoddd_square5_new(const uint8_t* data, size_t bytes);
const char* yoddd_square5_turns(const yoddd_square5* table, const yoddd_board* board);

/* Search a proof of who wins, between turns, with limits of nodes (0: none), seconds (0: none) and
 * bytes. Returns the colour, or -1 if the limits were reached before; `moves` are two moves: the first
 * turn of best play, the second -1 if it has one. */
int yoddd_solve(const yoddd_board* board, uint64_t nodes, double seconds, uint64_t memory,
                int threads, int32_t* moves);

/* -- reviews ---------------------------------------------------------------------------------- */

/* The review of a game, every turn judged against the best one. The lists of JSON, valid until the next
 * call, are as review.hpp describes them. */
typedef struct yoddd_review yoddd_review;

/* Review legal turns, two moves each as of `yoddd_drops_next`, and solve their end: by sweeps of so many
 * bytes and expected seconds, then by proofs of so many bytes and nodes. */
yoddd_review* yoddd_review_new(const yoddd_board* start, const int32_t* turns, int count,
                               uint64_t memory, uint64_t proof_memory, double seconds,
                               uint64_t nodes);
void yoddd_review_free(yoddd_review* review);
/* The searches of the stage, 0 to 4, that are wanted; none at the end. */
const char* yoddd_review_wanted(yoddd_review* review, uint64_t visits, uint64_t seed);
int yoddd_review_stage(const yoddd_review* review);
/* Take what the first of them has found, from the engine that has ended it. */
void yoddd_review_take(yoddd_review* review, const yoddd_engine* engine);
const char* yoddd_review_report(const yoddd_review* review);

#ifdef __cplusplus
}
#endif

#endif
