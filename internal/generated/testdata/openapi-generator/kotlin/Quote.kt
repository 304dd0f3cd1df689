import java.util.HexFormat
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Response
import okio.Buffer
import openapi.apis.RatesApi
import openapi.models.Country
import openapi.models.QuoteAddress
import openapi.models.QuoteContact
import openapi.models.QuoteParcel
import openapi.models.QuoteRequest
import openapi.models.ServiceLevel

/** Sends one signed request. */
fun main(arguments: Array<String>) {
    val (url, key, secret) = arguments
    val client = OkHttpClient.Builder().addInterceptor(Signer(key, secret)).build()
    val quote = RatesApi(url, client).createQuote(
        QuoteRequest(
            serviceLevel = ServiceLevel.standard,
            pickup = place("H2X 1Y4"),
            dropoff = place("M5V 2T6"),
            parcels = listOf(QuoteParcel(weightKg = "1.1".toBigDecimal())),
        ),
    )
    println("quote ${quote.serviceLevel} ${quote.currency}")
}

fun place(postalCode: String) = QuoteContact(address = QuoteAddress(postalCode = postalCode, country = Country.CA))

/** Signs requests with a key. */
class Signer(private val key: String, private val secret: String) : Interceptor {
    override fun intercept(chain: Interceptor.Chain): Response {
        val request = chain.request()
        val timestamp = (System.currentTimeMillis() / 1000).toString()
        val text = Buffer().writeUtf8("$timestamp\n${request.method}\n${request.url.encodedPath}\n")
        request.body?.writeTo(text)
        val mac = Mac.getInstance("HmacSHA256").apply { init(SecretKeySpec(secret.toByteArray(), "HmacSHA256")) }
        val signature = HexFormat.of().formatHex(mac.doFinal(text.readByteArray()))
        val signed = request.newBuilder().header("X-Api-Key", key).header("X-Timestamp", timestamp)
        return chain.proceed(signed.header("X-Signature", "v1=$signature").build())
    }
}
