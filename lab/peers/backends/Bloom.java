import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

// Writes a Bloom filter as a .tamis file. Keys are lines of UTF-8 on standard input.
// Run it with: java -cp hash4j-0.20.0.jar Bloom.java keys.tamis 0.01 < keys.txt
class Bloom {
  static int crc32c(ByteBuffer bytes) {
    var crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  // The rate of n keys in m bits with k hashes: FORMAT.md, section 5.1, the sizes.
  static double rate(double m, int k, int n) {
    var positions = (double) k * n;
    if (positions <= 512) { // the expectation, by the odds that d bits are open
      var odds = new double[k + 2];
      odds[0] = 1;
      for (var i = 0; i < k; i++) {
        for (var d = k; d > 0; d--) odds[d] = odds[d] * (d / m) + odds[d - 1] * ((m - d + 1) / m);
        odds[0] = 0;
      }
      for (var i = 0; i < positions; i++)
        for (var d = 0; d <= k; d++)
          odds[d] = odds[d] * ((m - d) / m) + odds[d + 1] * ((d + 1) / m);
      return odds[0];
    }
    var q = -Math.expm1(positions * Math.log1p(-1 / m));
    var decay = -Math.expm1(positions * Math.log1p(-1 / ((m - 1) * (m - 1))));
    var variance = (1 - q) * (q - (1 - q) * (m - 1) * decay); // divided by m
    return Math.pow(q, k) * (1 + k * (k - 1) / 2 * variance / (m * q * q));
  }

  public static void main(String[] args) throws IOException {
    var fpr = Double.parseDouble(args[1]);
    var seed = Long.parseUnsignedLong(args.length > 2 ? args[2] : "0");
    var xxh3 = Hashing.xxh3_64();
    var keys = new BufferedReader(new InputStreamReader(System.in, UTF_8.newDecoder())).lines();
    var hashes = keys.mapToLong(key -> xxh3.hashBytesToLong(key.getBytes(UTF_8))).toArray();

    var capacity = Math.max(hashes.length, 1);
    var m = (1L << 32) + 1; // the fewest bits over all numbers of hashes
    var k = 0;
    for (var tried = 1; tried <= 64; tried++) {
      var low = (long) capacity * tried / 64 + 2;
      var high = m - 1;
      if (low > high || rate(high, tried, capacity) > fpr) continue;
      while (low < high) {
        var middle = (low + high) / 2;
        if (rate(middle, tried, capacity) <= fpr) high = middle;
        else low = middle + 1;
      }
      m = high;
      k = tried;
    }
    if (k == 0 || !(fpr >= 0x1p-48 && fpr < 1))
      throw new IllegalArgumentException(capacity + " keys at a rate of " + fpr);
    var bits = new byte[(int) ((m + 63) / 64 * 8)];
    var count = 0L;
    for (var hash : hashes) {
      var x = hash + seed;
      x = (x ^ x >>> 33) * 0xFF51AFD7ED558CCDL; // FORMAT.md, section 4.1: fmix64
      x = (x ^ x >>> 33) * 0xC4CEB9FE1A85EC53L;
      x ^= x >>> 33;
      var isNew = 0;
      for (var probe = 0; probe < k; probe++) { // section 5.1: the scheme mcg
        var i = (x >>> 32) * m >>> 32; // hi(x) takes the upper half of x alone
        var bit = 1 << (i & 7);
        isNew |= ~bits[(int) (i >>> 3)] & bit;
        bits[(int) (i >>> 3)] |= bit;
        x *= 0xF1357AEA2E62A9C5L;
      }
      if (isNew != 0) count++;
    }
    var file = ByteBuffer.allocate(80 + bits.length).order(ByteOrder.LITTLE_ENDIAN);
    file.put("\211TMS\r\n\32\n".getBytes(ISO_8859_1)).putInt(0x01010001).putInt(0); // section 2
    file.putLong(seed).putLong(0).putLong(capacity).putLong(count).putLong(16 + bits.length);
    file.putLong(64, m).putInt(72, k).position(80).put(bits);
    file.putInt(56, crc32c(file.slice(64, 16 + bits.length))).putInt(60, crc32c(file.slice(0, 60)));
    Files.write(Path.of(args[0]), file.array());
  }
}
