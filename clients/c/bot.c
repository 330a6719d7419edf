/* Plays Yodd, Xodd, Odd, Yoin and Product, legally and at random. C99, standard library only.
 *
 *     cc -O2 -o bot bot.c
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 16384, MAX_CELLS = 625, MAX_SIDE = 25 };
enum game { YODD, XODD, ODD, YOIN, PRODUCT, GAMES_KNOWN };

static const char *const GAMES[] = {"yodd", "xodd", "odd", "yoin", "product"};
static const char *const COMMANDS =
    "boardsize\nclear_board\ngame\ngenmove\nknown_command\nlist_commands\nname\nplay\n"
    "protocol_version\nquit\nset_param\nversion";

static enum game game = YODD;
static int is_hex = 1, size = 8, own_colour, pie, turns;
static int cells, row_of[MAX_CELLS], number_of[MAX_CELLS]; /* letter and number of each cell */
static int beside[MAX_CELLS][6], sides[MAX_CELLS];
static char stones[MAX_CELLS]; /* 0, '1' or '2' */
static uint64_t seed = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 33) % below);
}

/* ---- the board ---------------------------------------------------------------------------- */

static void set_up(void)
{
    static int at[2 * MAX_SIDE + 3][2 * MAX_SIDE + 3];
    static const int steps[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
    int low = is_hex ? 1 - size : 0, x, y, i;
    cells = 0;
    memset(at, -1, sizeof at);
    for (y = low; y < size; y++)
        for (x = low; x < size; x++) {
            if (is_hex && abs(x + y) >= size)
                continue;
            at[x + MAX_SIDE][y + MAX_SIDE] = cells;
            row_of[cells] = is_hex ? size - 1 - y : x;
            number_of[cells] = is_hex ? x + size - (y < 0 ? -y : 0) : y + 1;
            cells++;
        }
    memset(sides, 0, sizeof sides);
    for (y = low; y < size; y++)
        for (x = low; x < size; x++)
            for (i = 0; i < (is_hex ? 6 : 4); i++) {
                int here = at[x + MAX_SIDE][y + MAX_SIDE];
                int there = at[x + steps[i][0] + MAX_SIDE][y + steps[i][1] + MAX_SIDE];
                if (here >= 0 && there >= 0)
                    beside[here][sides[here]++] = there;
            }
    memset(stones, 0, sizeof stones);
    turns = 0;
}

static int groups(void)
{
    static int stack[MAX_CELLS];
    char seen[MAX_CELLS] = {0};
    int count = 0, start, depth, i;
    for (start = 0; start < cells; start++) {
        if (!stones[start] || seen[start])
            continue;
        count++;
        seen[start] = 1;
        stack[0] = start;
        for (depth = 1; depth > 0;) {
            int here = stack[--depth];
            for (i = 0; i < sides[here]; i++) {
                int there = beside[here][i];
                if (!seen[there] && stones[there] == stones[here]) {
                    seen[there] = 1;
                    stack[depth++] = there;
                }
            }
        }
    }
    return count;
}

/* ---- turns -------------------------------------------------------------------------------- */

/* Place the stones of a token; 0 if it is not a turn. */
static int play(char colour, const char *token)
{
    char after[MAX_CELLS];
    if (strcmp(token, "pass") && strcmp(token, "swap") && strcmp(token, "resign")) {
        memcpy(after, stones, sizeof after);
        for (;;) {
            char dropped = colour, row;
            int number = 0, digits = 0, cell;
            if (*token == '1' || *token == '2')
                dropped = *token++;
            row = *token ? *token++ : 0;
            while (isdigit((unsigned char)*token) && digits++ < 3)
                number = 10 * number + (*token++ - '0');
            for (cell = 0; cell < cells; cell++)
                if (row_of[cell] == row - 'a' && number_of[cell] == number)
                    break;
            if (cell == cells || after[cell])
                return 0;
            after[cell] = dropped;
            if (!*token)
                break;
            if (*token++ != ',')
                return 0;
        }
        memcpy(stones, after, sizeof after);
    }
    turns++;
    return 1;
}

static int spell(char *out, int stone) /* a stone is 2 * cell + (colour - '1') */
{
    int cell = stone / 2;
    if (game == YOIN)
        return sprintf(out, "%c%d", 'a' + row_of[cell], number_of[cell]);
    return sprintf(out, "%d%c%d", 1 + stone % 2, 'a' + row_of[cell], number_of[cell]);
}

static void drop(int stone) { stones[stone / 2] = (char)('1' + stone % 2); }
static void lift(int stone) { stones[stone / 2] = 0; }

static void choose(char colour, char *out)
{
    static int list[2 * MAX_CELLS];
    int count = 0, i, j, may_pass;
    for (i = 0; i < 2 * cells; i++)
        if (!stones[i / 2] && (!own_colour || '1' + i % 2 == colour))
            list[count++] = i;
    for (i = count - 1; i > 0; i--) {
        int other = (int)draw((uint32_t)i + 1), held = list[i];
        list[i] = list[other];
        list[other] = held;
    }
    if (game == ODD || game == YOIN) {
        if (pie && turns == 1 && draw(2))
            strcpy(out, "swap");
        else if (count)
            spell(out, list[0]);
        else
            strcpy(out, "resign");
        return;
    }
    if (game == PRODUCT) {
        strcpy(out, "resign");
        if (count)
            out += spell(out, list[0]);
        for (j = 1; turns && j < count && list[j] / 2 == list[0] / 2; j++)
            ;
        if (turns && j < count) {
            *out++ = ',';
            spell(out, list[j]);
        }
        return;
    }
    may_pass = groups() % 2 == 1;
    strcpy(out, may_pass ? "pass" : "resign");
    if (may_pass && !own_colour && draw(10) == 0)
        return;
    for (i = 0; i < count; i++) {
        drop(list[i]);
        if (groups() % 2 == 1) {
            spell(out, list[i]);
            lift(list[i]);
            return;
        }
        for (j = 0; turns && j < count; j++) {
            int odd;
            if (list[j] / 2 == list[i] / 2)
                continue;
            drop(list[j]);
            odd = groups() % 2 == 1;
            lift(list[j]);
            if (odd) {
                out += spell(out, list[i]);
                *out++ = ',';
                spell(out, list[j]);
                lift(list[i]);
                return;
            }
        }
        lift(list[i]);
    }
}

/* ---- requests ----------------------------------------------------------------------------- */

static const char *set_board(int hex, const char *digits)
{
    char *end;
    long wanted = strtol(digits, &end, 10);
    if (end == digits || *end)
        return "? syntax error";
    if (wanted < 2 || wanted > (hex ? 13 : 25))
        return "? unacceptable size";
    is_hex = hex;
    size = (int)wanted;
    set_up();
    return "=";
}

static const char *set_game(int argc, char **argv)
{
    static const char *const boards[] = {"hex8", "square12", "hex5", "hex8", "hex5"};
    int chosen, hex, i = 2;
    const char *board, *result;
    for (chosen = 0; chosen < GAMES_KNOWN; chosen++)
        if (argc > 1 && !strcmp(argv[1], GAMES[chosen]))
            break;
    if (chosen == GAMES_KNOWN)
        return "? syntax error: no such game";
    board = i < argc && !strchr(argv[i], '=') ? argv[i++] : boards[chosen];
    hex = !strncmp(board, "hex", 3);
    board += hex ? 3 : strncmp(board, "square", 6) ? 0 : 6;
    result = set_board(hex, board + (*board == '-'));
    if (*result == '=') {
        game = (enum game)chosen;
        own_colour = pie = game == YOIN;
        for (; i < argc; i++) {
            own_colour |= !strcmp(argv[i], "own_colour=on");
            pie &= !!strcmp(argv[i], "pie=off");
        }
    }
    return result;
}

static char colour_of(const char *player)
{
    if (!strcmp(player, "b") || !strcmp(player, "black"))
        return '1';
    return !strcmp(player, "w") || !strcmp(player, "white") ? '2' : 0;
}

static int knows(const char *command)
{
    char list[512], *word;
    strcpy(list, COMMANDS);
    for (word = strtok(list, "\n"); word; word = strtok(NULL, "\n"))
        if (!strcmp(word, command))
            return 1;
    return 0;
}

/* The sign and, after a space, the text of the reply; all words are in lower case. */
static const char *answer(int argc, char **argv)
{
    static char text[64];
    const char *command = argv[0];
    char colour = argc > 1 ? colour_of(argv[1]) : 0;
    if (!strcmp(command, "protocol_version"))
        return "= 2";
    if (!strcmp(command, "name"))
        return "= C bot";
    if (!strcmp(command, "version"))
        return "= 1.0";
    if (!strcmp(command, "quit"))
        return "=";
    if (!strcmp(command, "clear_board")) {
        set_up();
        return "=";
    }
    if (!knows(command))
        return "? unknown command";
    if (!strcmp(command, "known_command") && argc == 2)
        return knows(argv[1]) ? "= true" : "= false";
    if (!strcmp(command, "boardsize") && argc == 2)
        return set_board(is_hex, argv[1]);
    if (!strcmp(command, "game"))
        return set_game(argc, argv);
    if (!strcmp(command, "set_param") && argc == 3 && !strcmp(argv[1], "seed")) {
        seed = strtoull(argv[2], NULL, 10) * 2654435769u + 88172645463325252u;
        return "=";
    }
    if (!strcmp(command, "play") && argc == 3 && colour)
        return play(colour, argv[2]) ? "=" : "? syntax error: no such turn";
    if (!strcmp(command, "genmove") && argc == 2 && colour) {
        strcpy(text, "= ");
        choose(colour, text + 2);
        play(colour, text + 2);
        return text;
    }
    return "? syntax error";
}

/* One line without its LF; its length may exceed the limit, then it is clipped. -1 at the end. */
static int read_line(char *line)
{
    int length = 0, c;
    while ((c = getchar()) != '\n') {
        if (c == EOF)
            return -1;
        if (length < LINE_LIMIT)
            line[length++] = (char)(c == '\t' ? ' ' : c);
        else
            length = LINE_LIMIT;
    }
    line[length] = 0;
    return length;
}

static int split(char *line, char **words, int most)
{
    char *in, *out = line;
    int count = 0;
    for (in = line; *in && *in != '#'; in++) /* drop control characters, lower-case letters */
        if ((unsigned char)*in >= ' ' && *in != 127)
            *out++ = (char)tolower((unsigned char)*in);
    *out = 0;
    for (in = strtok(line, " "); in && count < most; in = strtok(NULL, " "))
        words[count++] = in;
    return count;
}

int main(void)
{
    static char line[LINE_LIMIT + 1];
    char *words[32];
    set_up();
    while (read_line(line) >= 0) {
        int count = split(line, words, 32), first;
        const char *reply;
        if (!count)
            continue;
        first = words[0][strspn(words[0], "0123456789")] == 0;
        if (first == count) {
            printf("?%s syntax error\n\n", words[0]);
        } else {
            reply = strcmp(words[first], "list_commands") ? answer(count - first, words + first)
                                                          : "= ";
            printf("%c%s %s%s\n\n", *reply, first ? words[0] : "", reply[1] ? reply + 2 : "",
                   strcmp(words[first], "list_commands") ? "" : COMMANDS);
        }
        fflush(stdout);
        if (!strcmp(words[count > first ? first : 0], "quit"))
            break;
    }
    return 0;
}
