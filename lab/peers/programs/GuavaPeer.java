import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;

/** Guava's BloomFilter. Parameters: capacity, fpr, and mitz32 or mitz64. */
final class GuavaPeer extends Peer {
  public static void main(String[] args) throws Exception {
    run(new GuavaPeer(), args);
  }

  @SuppressWarnings("unchecked")
  private static Funnel<Object> funnel(String type) {
    Funnel<?> funnel =
        switch (type) {
          case "utf8", "utf16-as-utf8" -> Funnels.stringFunnel(StandardCharsets.UTF_8);
          case "utf16" -> Funnels.unencodedCharsFunnel();
          case "bytes" -> Funnels.byteArrayFunnel();
          case "int32" -> Funnels.integerFunnel();
          case "int64" -> Funnels.longFunnel();
          default -> throw new IllegalArgumentException("no funnel for " + type);
        };
    return (Funnel<Object>) funnel;
  }

  /**
   * A filter with a given strategy. Only a private method of Guava accepts the strategy of its
   * first years.
   */
  @SuppressWarnings("unchecked")
  private static BloomFilter<Object> create(
      Funnel<Object> funnel, long capacity, double fpr, String strategy) throws Exception {
    Class<?> type = Class.forName("com.google.common.hash.BloomFilter$Strategy");
    Field constant =
        Class.forName("com.google.common.hash.BloomFilterStrategies")
            .getDeclaredField(strategy.equals("mitz32") ? "MURMUR128_MITZ_32" : "MURMUR128_MITZ_64");
    constant.setAccessible(true);
    Method create =
        BloomFilter.class.getDeclaredMethod("create", Funnel.class, long.class, double.class, type);
    create.setAccessible(true);
    return (BloomFilter<Object>) create.invoke(null, funnel, capacity, fpr, constant.get(null));
  }

  @Override
  byte[] build(String type, List<Object> keys, List<String> parameters) throws Exception {
    long capacity = Long.parseLong(parameters.get(0));
    double fpr = Double.parseDouble(parameters.get(1));
    BloomFilter<Object> filter = create(funnel(type), capacity, fpr, parameters.get(2));
    keys.forEach(filter::put);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @Override
  Predicate<Object> open(String type, byte[] dump) throws Exception {
    return BloomFilter.readFrom(new ByteArrayInputStream(dump), funnel(type))::mightContain;
  }
}
