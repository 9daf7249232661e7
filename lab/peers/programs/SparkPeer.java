import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Predicate;
import org.apache.spark.util.sketch.BloomFilter;
import org.apache.spark.util.sketch.BloomFilter.Version;

/**
 * The BloomFilter of spark-sketch. Parameters: capacity, fpr, the version of the format (1 or 2),
 * and a seed.
 */
final class SparkPeer extends Peer {
  public static void main(String[] args) throws Exception {
    run(new SparkPeer(), args);
  }

  /**
   * A filter in a version of the format. Spark before 4.1 supports one version, and its method has
   * no such parameter.
   */
  private static BloomFilter create(long capacity, double fpr, String version, int seed)
      throws ReflectiveOperationException {
    if (Version.values().length == 1) return BloomFilter.create(capacity, fpr);
    Method create =
        BloomFilter.class.getMethod("create", Version.class, long.class, long.class, int.class);
    Method bits = BloomFilter.class.getMethod("optimalNumOfBits", long.class, double.class);
    Version named = Version.valueOf("V" + version);
    return (BloomFilter) create.invoke(null, named, capacity, bits.invoke(null, capacity, fpr), seed);
  }

  @Override
  byte[] build(String type, List<Object> keys, List<String> parameters) throws Exception {
    long capacity = Long.parseLong(parameters.get(0));
    double fpr = Double.parseDouble(parameters.get(1));
    int seed = Integer.parseInt(parameters.get(3));
    BloomFilter filter = create(capacity, fpr, parameters.get(2), seed);
    keys.forEach(filter::put);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @Override
  Predicate<Object> open(String type, byte[] dump) throws Exception {
    return BloomFilter.readFrom(new ByteArrayInputStream(dump))::mightContain;
  }
}
