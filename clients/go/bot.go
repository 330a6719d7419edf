// Plays Yodd, Xodd, Odd, Yoin and Product, legally and at random. Standard library only.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strconv"
	"strings"
)

const commands = "boardsize clear_board game genmove list_commands name play " +
	"protocol_version quit set_param version"

var boards = map[string]string{
	"yodd": "hex8", "xodd": "square12", "odd": "hex5", "yoin": "hex8", "product": "hex5",
}
var junk = regexp.MustCompile("[[:cntrl:]]|#.*")
var request = regexp.MustCompile(`^ *(\d+\b)? *(\S*) *(.*)$`)
var colours = map[string]string{"b": "1", "black": "1", "w": "2", "white": "2"}

// want refuses a request unless a condition holds: answer recovers the text.
func want(holds bool, text string) {
	if !holds {
		panic(text)
	}
}

// bot is one game; a stone is a colour, 1 or 2, and its cell, such as 1c3.
type bot struct {
	game, shape string
	own         bool
	names       []string
	beside      map[string][]string
	stones      map[string]string // the colour of each stone by its cell
	turns       int
	random      *rand.Rand
}

func (b *bot) setUp(shape string, size int) {
	steps, low, largest := [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, 0, 25
	if shape == "hex" {
		steps, low, largest = append(steps, [][2]int{{1, -1}, {-1, 1}}...), 1-size, 13
	}
	want(size >= 2 && size <= largest, "unacceptable size")
	cells := map[[2]int]string{}
	b.shape, b.names, b.beside = shape, nil, map[string][]string{}
	for y := low; y < size; y++ {
		number := 0
		for x := low; x < size; x++ {
			if shape == "square" || (-size < x+y && x+y < size) {
				number++
				cells[[2]int{x, y}] = fmt.Sprintf("%c%d", 'a'+y-low, number)
				b.names = append(b.names, cells[[2]int{x, y}])
			}
		}
	}
	for at, cell := range cells {
		for _, by := range steps {
			if there := cells[[2]int{at[0] + by[0], at[1] + by[1]}]; there != "" {
				b.beside[cell] = append(b.beside[cell], there)
			}
		}
	}
	b.stones, b.turns = map[string]string{}, 0
}

func (b *bot) start(game string, options []string) {
	want(boards[game] != "", "syntax error: no such game")
	board := options[0]
	if board == "" || strings.Contains(board, "=") {
		board = boards[game]
	}
	shape := strings.TrimRight(board, "-0123456789")
	want(shape == "hex" || shape == "square", "syntax error: no such board")
	b.setUp(shape, number(strings.TrimLeft(board[len(shape):], "-")))
	b.game, b.own = game, game == "yoin" || strings.Contains(strings.Join(options, " "), "own_colour=on")
}

func (b *bot) play(colour, turn string) {
	added := map[string]string{}
	want(colour != "", "syntax error: expected b or w")
	for _, stone := range strings.Split(turn, ",") {
		if turn == "pass" || turn == "swap" || turn == "resign" {
			break
		}
		if stone == "" || (stone[0] != '1' && stone[0] != '2') {
			stone = colour + stone
		}
		cell := stone[1:]
		want(b.beside[cell] != nil && b.stones[cell]+added[cell] == "", "syntax error: "+stone)
		added[cell] = stone[:1]
	}
	for cell, one := range added {
		b.stones[cell] = one
	}
	b.turns++
}

// isOddWith returns whether the number of groups is odd with some stones added.
func (b *bot) isOddWith(added ...string) bool {
	for _, stone := range added {
		b.stones[stone[1:]] = stone[:1]
		defer delete(b.stones, stone[1:])
	}
	seen, odd := map[string]bool{}, false
	for start := range b.stones { // a group more, unless it was seen
		odd, seen[start] = odd != !seen[start], true
		for frontier := []string{start}; len(frontier) > 0; frontier = frontier[1:] {
			for _, there := range b.beside[frontier[0]] {
				if !seen[there] && b.stones[there] == b.stones[start] {
					seen[there], frontier = true, append(frontier, there)
				}
			}
		}
	}
	return odd
}

// choose returns a legal turn of a colour.
func (b *bot) choose(colour string) string {
	var drops, seconds []string
	for _, cell := range b.names {
		for _, one := range []string{"1", "2"} {
			if b.stones[cell] == "" && (!b.own || one == colour) {
				drops = append(drops, one+cell)
			}
		}
	}
	b.random.Shuffle(len(drops), func(i, j int) { drops[i], drops[j] = drops[j], drops[i] })
	if b.turns > 0 && b.game != "odd" && b.game != "yoin" {
		seconds = drops
	}
	parity := b.game == "yodd" || b.game == "xodd"
	mayPass := parity && b.isOddWith()
	for _, first := range drops {
		if mayPass && !b.own && b.random.Intn(10) == 0 {
			break
		}
		if (parity && b.isOddWith(first)) || (!parity && seconds == nil) {
			return strings.TrimPrefix(first, map[string]string{"yoin": colour}[b.game])
		}
		for _, second := range seconds {
			if second[1:] != first[1:] && (!parity || b.isOddWith(first, second)) {
				return first + "," + second
			}
		}
	}
	return map[bool]string{true: "pass", false: "resign"}[mayPass]
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	want(err == nil, "syntax error: expected a number")
	return value
}

// answer returns the sign and the text of a reply; arguments that are missing are empty.
func (b *bot) answer(command string, args []string) (sign, text string) {
	defer func() {
		if problem := recover(); problem != nil {
			sign, text = "?", fmt.Sprint(problem)
		}
	}()
	handler := map[string]func(){
		"protocol_version": func() { text = "2" },
		"name":             func() { text = "Go bot" },
		"version":          func() { text = "1.0" },
		"list_commands":    func() { text = strings.ReplaceAll(commands, " ", "\n") },
		"quit":             func() {},
		"clear_board":      func() { b.stones, b.turns = map[string]string{}, 0 },
		"game":             func() { b.start(args[0], args[1:]) },
		"boardsize":        func() { b.setUp(b.shape, number(args[0])) },
		"set_param":        func() { want(args[0] == "seed", "syntax error"); b.random.Seed(int64(number(args[1]))) },
		"play":             func() { b.play(colours[args[0]], args[1]) },
		"genmove":          func() { text = b.choose(colours[args[0]]); b.play(colours[args[0]], text) },
	}[command]
	want(handler != nil, "unknown command")
	handler()
	return "=", text
}

func main() {
	b := &bot{random: rand.New(rand.NewSource(int64(os.Getpid())))}
	b.start("yodd", []string{""})
	for words, input := make([]string, 4), bufio.NewReader(os.Stdin); words[2] != "quit"; {
		line, err := input.ReadString('\n')
		if err != nil {
			return // an unfinished line is no request
		}
		line = junk.ReplaceAllString(strings.ReplaceAll(line, "\t", " "), "")
		words = request.FindStringSubmatch(strings.ToLower(line))
		if words[1]+words[2] != "" {
			sign, text := b.answer(words[2], append(strings.Fields(words[3]), "", ""))
			fmt.Printf("%s%s %s\n\n", sign, words[1], text)
		}
	}
}
