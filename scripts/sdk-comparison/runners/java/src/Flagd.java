import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.openfeature.contrib.providers.flagd.Config;
import dev.openfeature.contrib.providers.flagd.FlagdOptions;
import dev.openfeature.contrib.providers.flagd.FlagdProvider;
import dev.openfeature.sdk.FlagEvaluationDetails;
import dev.openfeature.sdk.ImmutableContext;
import dev.openfeature.sdk.MutableStructure;
import dev.openfeature.sdk.OpenFeatureAPI;
import dev.openfeature.sdk.Value;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.Function;

/** flagd's provider: `Flagd DIRECTORY rpc|in-process`. */
public final class Flagd {
  private static final ObjectMapper json = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    var place = new Comparison(args[0]);
    var isLocal = args[1].equals("in-process");
    var api = OpenFeatureAPI.getInstance();
    api.setProviderAndWait(new FlagdProvider(optionsOf(place.settings, isLocal)));
    var client = api.getClient();
    // The provider repeats calls whose evaluation fails, for several seconds.
    var most = isLocal ? place.contexts.size() : place.settings.get("fewer").asInt() / 20;
    Function<JsonNode, Comparison.Evaluator> evaluatorOf = context -> {
      var attributes = new HashMap<String, Value>();
      context.fields().forEachRemaining(field -> attributes.put(field.getKey(), valueOf(field.getValue())));
      attributes.remove("targetingKey");
      var own = new ImmutableContext(context.get("targetingKey").asText(), attributes);
      return flag -> {
        var key = flag.get("key").asText();
        return switch (flag.get("kind").asText()) {
          case "boolean" -> served(client.getBooleanDetails(key, false, own));
          case "string" -> served(client.getStringDetails(key, "", own));
          case "number" -> served(client.getDoubleDetails(key, 0.0, own));
          default -> served(client.getObjectDetails(key, new Value(new MutableStructure()), own));
        };
      };
    };
    place.compare(evaluatorOf, isLocal, most);
    place.watch(evaluatorOf.apply(place.contexts.get(0)));
  }

  private static FlagdOptions optionsOf(JsonNode settings, boolean isLocal) {
    var key = settings.get("serverKey").asText();
    var headers = new Metadata();
    headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
    List<ClientInterceptor> interceptors = List.of(MetadataUtils.newAttachHeadersInterceptor(headers));
    return FlagdOptions.builder()
        .host("127.0.0.1")
        .port(settings.get(isLocal ? "flagdSyncPort" : "flagdPort").asInt())
        .resolverType(isLocal ? Config.Resolver.IN_PROCESS : Config.Resolver.RPC)
        .clientInterceptors(interceptors)
        .cacheType("disabled")
        .deadline(20_000)
        .build();
  }

  private static Comparison.Served served(FlagEvaluationDetails<?> details) {
    if (details.getErrorCode() != null || details.getVariant() == null || details.getVariant().isEmpty())
      return new Comparison.Served(null, details.getErrorMessage());
    var value = details.getValue();
    return new Comparison.Served(json.valueToTree(value instanceof Value whole ? plain(whole) : value), null);
  }

  private static Object plain(Value value) {
    if (value.isList()) return value.asList().stream().map(Flagd::plain).toList();
    if (!value.isStructure()) return value.asObject();
    var fields = new HashMap<String, Object>();
    value.asStructure().asMap().forEach((name, one) -> fields.put(name, plain(one)));
    return fields;
  }

  private static Value valueOf(JsonNode node) {
    if (node.isBoolean()) return new Value(node.asBoolean());
    if (node.isInt()) return new Value(node.asInt());
    if (node.isNumber()) return new Value(node.asDouble());
    if (node.isTextual()) return new Value(node.asText());
    if (node.isArray()) {
      var items = new ArrayList<Value>();
      node.forEach(item -> items.add(valueOf(item)));
      return new Value(items);
    }
    if (!node.isObject()) return new Value();
    var fields = new HashMap<String, Value>();
    node.fields().forEachRemaining(field -> fields.put(field.getKey(), valueOf(field.getValue())));
    return new Value(new MutableStructure(fields));
  }
}
