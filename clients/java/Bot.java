// Plays Yodd, Xodd, Odd, Yoin and Product, legally and at random. `java Bot.java` runs it.

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;

public class Bot {
    static final Map<String, String> BOARDS = Map.of(
            "yodd", "hex8", "xodd", "square12", "odd", "hex5", "yoin", "hex8", "product", "hex5");
    static final List<String> COMMANDS = List.of("boardsize", "clear_board", "game", "genmove",
            "known_command", "list_commands", "name", "play", "protocol_version", "quit",
            "set_param", "version");
    static final List<String> WORDS = List.of("pass", "swap", "resign");

    /** A request that is answered with `?`. */
    static class Refused extends Exception {
        Refused(String reason) {
            super(reason);
        }
    }

    Random random = new Random();
    String game = "yodd";
    String board = "hex8";
    boolean own;
    boolean pie;
    Map<String, List<String>> beside;
    /** The colour on each cell: 1 is black, 2 is white. */
    Map<String, Character> stones = new HashMap<>();
    int turns;

    Bot() throws Refused {
        beside = cellsOf(board);
    }

    /** The adjacent cells of every cell of a board. */
    static Map<String, List<String>> cellsOf(String board) throws Refused {
        boolean hex = board.matches("hex-?[0-9]{1,2}");
        int size = hex || board.matches("square-?[0-9]{1,2}")
                ? Integer.parseInt(board.replaceAll("[^0-9]", "")) : 0;
        if (size < 2 || size > (hex ? 13 : 25)) {
            throw new Refused("unacceptable size");
        }
        int rows = hex ? 2 * size - 1 : size;
        Map<String, List<String>> found = new LinkedHashMap<>();
        for (int row = 0; row < rows; row++) {
            int length = lengthOf(row, size, hex);
            for (int place = 0; place < length; place++) {
                List<String> near = new ArrayList<>();
                for (int step : new int[] {-1, 1}) {
                    addCell(near, row, place + step, size, hex);
                    int other = row + step;
                    int shift = lengthOf(other, size, hex) - length;
                    addCell(near, other, place, size, hex);
                    if (shift != 0) {
                        addCell(near, other, place + shift, size, hex);
                    }
                }
                found.put(nameOf(row, place, hex), near);
            }
        }
        return found;
    }

    static int lengthOf(int row, int size, boolean hex) {
        if (row < 0 || row >= (hex ? 2 * size - 1 : size)) {
            return 0;
        }
        return !hex ? size : row < size ? size + row : 3 * size - 2 - row;
    }

    static String nameOf(int row, int place, boolean hex) {
        return hex ? (char) ('a' + row) + "" + (place + 1) : (char) ('a' + place) + "" + (row + 1);
    }

    static void addCell(List<String> near, int row, int place, int size, boolean hex) {
        if (place >= 0 && place < lengthOf(row, size, hex)) {
            near.add(nameOf(row, place, hex));
        }
    }

    /** The reply to a command, or a refusal. */
    String reply(String command, List<String> words) throws Refused {
        switch (command) {
            case "protocol_version": return "2";
            case "name": return "Java bot";
            case "version": return "1.0";
            case "list_commands": return String.join("\n", COMMANDS);
            case "known_command": return String.valueOf(COMMANDS.contains(words.get(0)));
            case "quit": return "";
            case "set_param":
                if (!words.get(0).equals("seed")) {
                    throw new Refused("syntax error: no such parameter");
                }
                random = new Random(Long.parseLong(words.get(1)));
                return "";
            case "game": return begin(words);
            case "boardsize":
                String resized = board.replaceAll("[0-9]", "") + Integer.parseInt(words.get(0));
                beside = cellsOf(resized);
                board = resized;
                return clear();
            case "clear_board": return clear();
            case "play":
                play(colourOf(words.get(0)), words.get(1));
                return "";
            case "genmove":
                char colour = colourOf(words.get(0));
                String turn = choose(colour);
                play(colour, turn);
                return turn;
            default: throw new Refused("unknown command");
        }
    }

    String begin(List<String> words) throws Refused {
        String name = words.get(0);
        if (!BOARDS.containsKey(name)) {
            throw new Refused("syntax error: no such game");
        }
        boolean given = words.size() > 1 && !words.get(1).contains("=");
        String where = given ? words.get(1) : BOARDS.get(name);
        beside = cellsOf(where);
        game = name;
        board = where;
        own = name.equals("yoin") || words.contains("own_colour=on");
        pie = name.equals("yoin") ? !words.contains("pie=off") : words.contains("pie=on");
        return clear();
    }

    String clear() {
        stones.clear();
        turns = 0;
        return "";
    }

    static char colourOf(String player) throws Refused {
        switch (player) {
            case "b": case "black": return '1';
            case "w": case "white": return '2';
            default: throw new Refused("syntax error: expected b or w");
        }
    }

    void play(char colour, String turn) throws Refused {
        Map<String, Character> placed = new HashMap<>();
        for (String stone : WORDS.contains(turn) ? new String[0] : turn.split(",", -1)) {
            boolean bare = stone.isEmpty() || "12".indexOf(stone.charAt(0)) < 0;
            String cell = bare ? stone : stone.substring(1);
            if (!beside.containsKey(cell) || stones.containsKey(cell)) {
                throw new Refused("syntax error: " + stone);
            }
            placed.put(cell, bare ? colour : stone.charAt(0));
        }
        stones.putAll(placed);
        turns++;
    }

    /** Whether the number of groups of both colours is odd with stones added. */
    boolean isOddWith(String... added) {
        Map<String, Character> all = new HashMap<>(stones);
        for (String stone : added) {
            all.put(stone.substring(1), stone.charAt(0));
        }
        Set<String> seen = new HashSet<>();
        int groups = 0;
        for (String start : all.keySet()) {
            if (seen.add(start)) {
                groups++;
                List<String> frontier = new ArrayList<>(List.of(start));
                while (!frontier.isEmpty()) {
                    for (String cell : beside.get(frontier.remove(frontier.size() - 1))) {
                        if (all.get(start).equals(all.get(cell)) && seen.add(cell)) {
                            frontier.add(cell);
                        }
                    }
                }
            }
        }
        return groups % 2 == 1;
    }

    /** A legal turn of a colour. */
    String choose(char colour) {
        List<String> drops = new ArrayList<>();
        for (String cell : beside.keySet()) {
            for (char one : own ? new char[] {colour} : new char[] {'1', '2'}) {
                if (!stones.containsKey(cell)) {
                    drops.add(one + cell);
                }
            }
        }
        Collections.shuffle(drops, random);
        if (pie && turns == 1 && colour == '2' && random.nextBoolean()) {
            return "swap";
        }
        boolean parity = game.equals("yodd") || game.equals("xodd");
        boolean mayPass = parity && isOddWith();
        if (mayPass && !own && random.nextInt(10) == 0) {
            return "pass";
        }
        boolean pairs = turns > 0 && (parity || game.equals("product"));
        boolean single = !pairs || (parity && random.nextBoolean());
        for (String first : drops) {
            if (single && (!parity || isOddWith(first))) {
                return game.equals("yoin") ? first.substring(1) : first;
            }
            for (String second : pairs ? drops : List.<String>of()) {
                boolean apart = !first.substring(1).equals(second.substring(1));
                if (apart && (!parity || isOddWith(first, second))) {
                    return first + "," + second;
                }
            }
        }
        for (String first : parity ? drops : List.<String>of()) {
            if (isOddWith(first)) {
                return first;
            }
        }
        return mayPass ? "pass" : "resign";
    }

    /** One line without its LF; null at the end of input, where the rest is no request. */
    static String readLine(InputStream input) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                return null;
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    public static void main(String[] arguments) throws Exception {
        Bot bot = new Bot();
        // Lines end with LF on every system, and bytes are UTF-8.
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        InputStream input = new java.io.BufferedInputStream(System.in);
        for (String line = readLine(input); line != null; line = readLine(input)) {
            String text = line.replaceAll("#.*", "").replace('\t', ' ').replaceAll("\\p{Cntrl}", "");
            // By the root locale: a Turkish one has another small letter for I.
            String plain = text.trim().toLowerCase(Locale.ROOT);
            if (plain.isEmpty()) {
                continue;
            }
            List<String> words = new ArrayList<>(Arrays.asList(plain.split(" +")));
            String number = words.get(0).matches("[0-9]{1,10}") ? words.remove(0) : "";
            String command = words.isEmpty() ? "" : words.remove(0);
            String said;
            try {
                said = "=" + number + " " + bot.reply(command, words);
            } catch (Refused refusal) {
                said = "?" + number + " " + refusal.getMessage();
            } catch (IndexOutOfBoundsException | NumberFormatException error) {
                said = "?" + number + " syntax error";
            }
            output.print(said + "\n\n");
            output.flush();
            if (command.equals("quit")) {
                break;
            }
        }
    }
}
