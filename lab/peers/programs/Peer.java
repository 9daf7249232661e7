import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The command line of a peer in Java:
 *
 * <pre>
 *   build DUMP KEYS TYPE [parameter...]    builds a filter of the keys of a file, and writes it to DUMP
 *   ask DUMP KEYS TYPE                     reads DUMP, and prints 1 or 0 for each key of the file
 * </pre>
 *
 * A file of keys has one per line: decimal for numbers, the bytes in hexadecimal for all other types.
 */
abstract class Peer {
  /** A filter of `keys` in the bytes that this peer's library writes. */
  abstract byte[] build(String type, List<Object> keys, List<String> parameters) throws Exception;

  /** The answers of the peer's own filter in `dump`. */
  abstract Predicate<Object> open(String type, byte[] dump) throws Exception;

  /** A string of UTF-16LE, in which a decoder would replace a lone surrogate. */
  private static String fromCodeUnits(byte[] bytes) {
    char[] units = new char[bytes.length / 2];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asCharBuffer().get(units);
    return new String(units);
  }

  private static Function<String, Object> parser(String type) {
    HexFormat hex = HexFormat.of();
    return switch (type) {
      case "utf8" -> line -> new String(hex.parseHex(line), StandardCharsets.UTF_8);
      case "utf16", "utf16-as-utf8" -> line -> fromCodeUnits(hex.parseHex(line));
      case "bytes" -> hex::parseHex;
      case "int32" -> Integer::valueOf;
      case "int64" -> Long::valueOf;
      case "uint32" -> Integer::parseUnsignedInt;
      case "float" -> Float::valueOf;
      case "double" -> Double::valueOf;
      default -> throw new IllegalArgumentException("unknown type of keys: " + type);
    };
  }

  private static Stream<Object> read(String type, String file) throws IOException {
    return Files.readAllLines(Path.of(file)).stream().map(parser(type));
  }

  static void run(Peer peer, String[] args) throws Exception {
    Path dump = Path.of(args[1]);
    String type = args[3];
    Stream<Object> keys = read(type, args[2]);
    switch (args[0]) {
      case "build" -> {
        List<String> parameters = List.of(args).subList(4, args.length);
        Files.write(dump, peer.build(type, keys.toList(), parameters));
      }
      case "ask" -> {
        Predicate<Object> has = peer.open(type, Files.readAllBytes(dump));
        StringBuilder answers = new StringBuilder();
        keys.forEach(key -> answers.append(has.test(key) ? '1' : '0'));
        System.out.print(answers);
      }
      default -> throw new IllegalArgumentException("expected build or ask, got " + args[0]);
    }
  }
}
