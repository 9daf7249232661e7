import java.util.List;
import java.util.function.Predicate;
import org.apache.datasketches.filters.bloomfilter.BloomFilter;
import org.apache.datasketches.filters.bloomfilter.BloomFilterBuilder;
import org.apache.datasketches.memory.Memory;

/** The BloomFilter of Apache DataSketches. Parameters: capacity, fpr and a seed. */
final class DataSketchesPeer extends Peer {
  public static void main(String[] args) throws Exception {
    run(new DataSketchesPeer(), args);
  }

  private static void add(BloomFilter filter, Object key) {
    if (key instanceof String text) filter.update(text);
    else if (key instanceof byte[] bytes) filter.update(bytes);
    else filter.update((long) key);
  }

  private static boolean has(BloomFilter filter, Object key) {
    if (key instanceof String text) return filter.query(text);
    if (key instanceof byte[] bytes) return filter.query(bytes);
    return filter.query((long) key);
  }

  @Override
  byte[] build(String type, List<Object> keys, List<String> parameters) {
    long capacity = Long.parseLong(parameters.get(0));
    double fpr = Double.parseDouble(parameters.get(1));
    long seed = Long.parseLong(parameters.get(2));
    BloomFilter filter = BloomFilterBuilder.createByAccuracy(capacity, fpr, seed);
    keys.forEach(key -> add(filter, key));
    return filter.toByteArray();
  }

  @Override
  Predicate<Object> open(String type, byte[] dump) {
    BloomFilter filter = BloomFilter.heapify(Memory.wrap(dump));
    return key -> has(filter, key);
  }
}
