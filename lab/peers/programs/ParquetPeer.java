import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.function.Predicate;
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter;
import org.apache.parquet.io.api.Binary;

/** The blocks of a Bloom filter as parquet-java writes them. Parameters: capacity and fpr. */
final class ParquetPeer extends Peer {
  public static void main(String[] args) throws Exception {
    run(new ParquetPeer(), args);
  }

  private static long hash(BlockSplitBloomFilter filter, Object key) {
    if (key instanceof String text) return filter.hash(Binary.fromString(text));
    if (key instanceof byte[] bytes) return filter.hash(Binary.fromConstantByteArray(bytes));
    return filter.hash(key);
  }

  @Override
  byte[] build(String type, List<Object> keys, List<String> parameters) throws Exception {
    long capacity = Long.parseLong(parameters.get(0));
    double fpr = Double.parseDouble(parameters.get(1));
    int bits = BlockSplitBloomFilter.optimalNumOfBits(capacity, fpr);
    BlockSplitBloomFilter filter = new BlockSplitBloomFilter(bits / 8);
    keys.forEach(key -> filter.insertHash(hash(filter, key)));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @Override
  Predicate<Object> open(String type, byte[] dump) {
    BlockSplitBloomFilter filter = new BlockSplitBloomFilter(dump);
    return key -> filter.findHash(hash(filter, key));
  }
}
