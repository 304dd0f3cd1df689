import java.math.BigDecimal;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import openapi.ApiClient;
import openapi.ApiException;
import openapi.ApiResponse;
import openapi.api.AccountApi;
import openapi.api.OrdersApi;
import openapi.api.RatesApi;
import openapi.model.*;

/** Registers a partner, and lets it order, list and cancel. */
public final class Flow {
  private static final String EMAIL = "java@example.com";
  private static final String PASSWORD = "brume-et-vent-1907";

  public static void main(String[] arguments) throws Exception {
    var account = new AccountApi(client(arguments[0]));
    print("register", account.registerPartnerWithHttpInfo(new RegisterRequest().name("Java").email(EMAIL).password(PASSWORD)));
    var made = account.createAPIKeyWithHttpInfo(new CreateAPIKeyRequest().name("generated").email(EMAIL).password(PASSWORD));
    var key = print("key", made);

    var client = client(arguments[0]).setRequestInterceptor(signer(key));
    var orders = new OrdersApi(client);
    var quote = print("quote", new RatesApi(client).createQuoteWithHttpInfo(new QuoteRequest()
        .serviceLevel(ServiceLevel.STANDARD).pickup(place("Montréal", Province.QC, "H2X 1Y4")).dropoff(place("Toronto", Province.ON, "M5V 2T6"))
        .addParcelsItem(new QuoteParcel().lengthCm(cm(25)).widthCm(cm(20)).heightCm(cm(15)).weightKg(new BigDecimal("1.1")))));
    var order = print("create", orders.createOrderWithHttpInfo(newKey(), order("J-1").addParcelsItem(beans()).quoteId(quote.getQuoteId())));
    var page = print("list", orders.listOrdersWithHttpInfo(null, null, null, null, null, 10, null, null));
    check(page.getOrders().get(0).getOrderId().equals(order.getOrderId()), page);
    var cancelled = print("cancel", orders.cancelOrderWithHttpInfo(newKey(), order.getOrderId(), new CancelRequest().reason("changed my mind")));
    check(cancelled.getCancellationReason().equals("changed my mind"), cancelled);

    try {
      orders.createOrder(newKey(), order("J-2"));
    } catch (ApiException refused) {
      var body = client.getObjectMapper().readValue(refused.getResponseBody(), OrderRefusedBody.class);
      var error = (ValidationError) body.getError().getActualInstance();
      System.out.println("refused " + refused.getCode() + " " + error.getDetails().getErrors().get(0).getField());
    }
  }

  private static ApiClient client(String url) {
    var client = new ApiClient();
    client.updateBaseUri(url);
    return client;
  }

  /** Returns an interceptor that signs requests with a key. */
  private static Consumer<HttpRequest.Builder> signer(CreatedAPIKey key) {
    return builder -> {
      var request = builder.build();
      var timestamp = Long.toString(Instant.now().getEpochSecond());
      var head = String.join("\n", timestamp, request.method(), request.uri().getRawPath(), "");
      try {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key.getSecretKey().getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update(head.getBytes(StandardCharsets.UTF_8));
        builder.header("X-Signature", "v1=" + HexFormat.of().formatHex(mac.doFinal(bodyOf(request))));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
      builder.header("X-Api-Key", key.getPublicKey()).header("X-Timestamp", timestamp);
    };
  }

  /** Returns the body of a request, which the library has as a publisher only. */
  private static byte[] bodyOf(HttpRequest request) {
    BodySubscriber<byte[]> bytes = BodySubscribers.ofByteArray();
    request.bodyPublisher().ifPresent(body -> body.subscribe(new Subscriber<ByteBuffer>() {
      public void onSubscribe(Subscription subscription) { bytes.onSubscribe(subscription); }
      public void onNext(ByteBuffer part) { bytes.onNext(List.of(part)); }
      public void onError(Throwable failure) { bytes.onError(failure); }
      public void onComplete() { bytes.onComplete(); }
    }));
    return request.bodyPublisher().isEmpty() ? new byte[0] : bytes.getBody().toCompletableFuture().join();
  }

  private static OrderRequest order(String reference) {
    return new OrderRequest().partnerOrderId(reference).serviceLevel(ServiceLevel.STANDARD)
        .pickup(contact("Montréal", Province.QC, "H2X 1Y4")).dropoff(contact("Toronto", Province.ON, "M5V 2T6"));
  }

  private static Contact contact(String city, Province province, String postalCode) {
    var noon = OffsetDateTime.parse("2036-03-03T12:00:00Z");
    return new Contact().name("Shop").phone("+15145550100").email("shop@example.com")
        .address(new Address().line1("1 Main Street").city(city).province(province).postalCode(postalCode).country(Country.CA))
        .timeWindow(new TimeWindow().start(noon).end(noon.plusHours(3)));
  }

  private static QuoteContact place(String city, Province province, String postalCode) {
    return new QuoteContact().address(new QuoteAddress().city(city).province(province).postalCode(postalCode).country(Country.CA));
  }

  private static Parcel beans() {
    return new Parcel().parcelId("P1").description("Beans").lengthCm(cm(25)).widthCm(cm(20)).heightCm(cm(15))
        .weightKg(new BigDecimal("1.1")).valueCents(3600);
  }

  private static BigDecimal cm(long length) {
    return BigDecimal.valueOf(length);
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static <T> T print(String what, ApiResponse<T> answer) {
    System.out.println(what + " " + answer.getStatusCode());
    return answer.getData();
  }

  private static void check(boolean good, Object answer) {
    if (!good) {
      throw new IllegalStateException(answer.toString());
    }
  }
}
