import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests and verifies webhooks with the standard library of Java 17. It reads vectors,
 * one JSON object on a line, and prints for each the signature of the request, or whether the
 * webhook is valid.
 */
public class Sign {
  /**
   * Returns the header X-Signature. The timestamp is Unix time in seconds, as in X-Timestamp. The
   * path is as sent, with /v1 and without the query, and so is the body; without a body it is empty.
   */
  static String sign(String secretKey, String timestamp, String method, String path, String body) throws GeneralSecurityException {
    var text = String.join("\n", timestamp, method, path, body);
    return "v1=" + HexFormat.of().formatHex(hmac(secretKey.getBytes(UTF_8), text));
  }

  /**
   * Reports whether a webhook was signed with the secret, and at most 5 minutes from now, in Unix
   * seconds. The body is as received. While the secret is rotated, the header has two signatures,
   * of which one must match.
   */
  static boolean verify(String secret, String id, String timestamp, String signatures, String body, long now) throws GeneralSecurityException {
    if (!timestamp.matches("\\d{1,12}") || Math.abs(now - Long.parseLong(timestamp)) > 300) {
      return false;
    }
    var key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    var want = "v1," + Base64.getEncoder().encodeToString(hmac(key, id + "." + timestamp + "." + body));
    for (var signature : signatures.split(" ")) {
      if (MessageDigest.isEqual(want.getBytes(UTF_8), signature.getBytes(UTF_8))) { // in constant time
        return true;
      }
    }
    return false;
  }

  static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text.getBytes(UTF_8));
  }

  public static void main(String[] arguments) throws GeneralSecurityException, IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    var out = new PrintStream(System.out, true, UTF_8);
    for (String v; (v = in.readLine()) != null; ) {
      if (!text(v, "method").isEmpty()) {
        out.println(sign(text(v, "secret_key"), text(v, "timestamp"), text(v, "method"), text(v, "path"), text(v, "body")));
        continue;
      }
      var now = Long.parseLong(v.replaceFirst(".*\"now\":(\\d+).*", "$1"));
      var valid = verify(text(v, "secret"), text(v, "webhook-id"), text(v, "webhook-timestamp"), text(v, "webhook-signature"), text(v, "body"), now);
      out.println(valid ? "valid" : "invalid");
    }
  }

  /** Returns a text of a vector, which is enough JSON for this program. Use a library for yours. */
  static String text(String vector, String name) {
    var member = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(vector);
    return member.find() ? member.group(1).translateEscapes() : "";
  }
}
