import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

/** What the programs of the SDKs for Java share; `common.mjs` in Java. */
final class Comparison {
  private static final int NOTHING = 255;
  private static final ObjectMapper json = new ObjectMapper();

  /** What an SDK returns for a flag: null is the caller's default, perhaps with an error. */
  record Served(JsonNode value, String error) {}

  /** Evaluates a flag for a context. */
  interface Evaluator extends Function<JsonNode, Served> {}

  final JsonNode settings;
  final JsonNode flags;
  final JsonNode contexts;
  private final byte[] answers;

  Comparison(String directory) throws IOException {
    var place = json.readTree(Files.readString(Path.of(directory, "place.json")));
    settings = place.get("settings");
    flags = place.get("flags");
    contexts = place.get("contexts");
    answers = Files.readAllBytes(Path.of(directory, "answers.bin"));
  }

  /**
   * @param isLocal the SDK evaluates itself, and divides units otherwise than the product: flags with reasons and flags with
   *     percentages must be absent
   */
  void compare(Function<JsonNode, Evaluator> evaluatorOf, boolean isLocal, int most) {
    var used = Math.min(most, contexts.size());
    int evaluations = 0, listed = 0, differences = 0;
    ArrayNode examples = json.createArrayNode();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < used; i++) {
      var evaluate = evaluatorOf.apply(contexts.get(i));
      for (int j = 0; j < flags.size(); j++) {
        var flag = flags.get(j);
        var isListed = isLocal && (!flag.get("reasons").isEmpty() || flag.get("isDivided").asBoolean());
        if (isListed && i >= settings.get("listedContexts").asInt()) continue;
        int answer = isListed ? NOTHING : answers[i * flags.size() + j] & 0xff;
        var wanted = answer == NOTHING ? null : flag.get("values").get(answer);
        var served = evaluate.apply(flag);
        var given = served.value();
        evaluations++;
        if (isListed) listed++;
        if (isSame(given, wanted)) continue;
        differences++;
        var key = flag.get("key").asText();
        if (seen.size() >= 20 || !seen.add(key)) continue;
        ObjectNode example = examples.addObject().put("flag", key).put("isListed", isListed).put("error", served.error());
        example.set("wanted", wanted);
        example.set("given", given);
        example.set("context", contexts.get(i));
      }
    }
    ObjectNode result = json.createObjectNode().put("contexts", used).put("evaluations", evaluations);
    print(result.put("listed", listed).put("differences", differences).set("examples", examples));
  }

  /** Reports each new value of the flag that changes, until the last. */
  void watch(Evaluator evaluate) throws InterruptedException {
    var changing = json.createObjectNode().put("key", settings.get("changing").asText()).put("kind", "string");
    var last = "";
    print(json.createObjectNode().put("watching", true));
    while (!last.equals(settings.get("last").asText())) {
      var value = evaluate.apply(changing).value();
      if (value != null && !value.asText().equals(last)) {
        last = value.asText();
        print(json.createObjectNode().put("seen", last).put("at", System.currentTimeMillis()));
      }
      Thread.sleep(2);
    }
    System.exit(0);
  }

  /** Java's SDKs have several kinds of numbers. */
  private static boolean isSame(JsonNode given, JsonNode wanted) {
    if (given == null || wanted == null) return given == wanted;
    return given.equals(
        (a, b) -> a.isNumber() && b.isNumber() ? Double.compare(a.asDouble(), b.asDouble()) : a.equals(b) ? 0 : 1,
        wanted);
  }

  private static void print(JsonNode line) {
    System.out.println(line);
    System.out.flush();
  }
}
