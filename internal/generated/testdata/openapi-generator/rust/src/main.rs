//! Sends one signed request.

use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use openapi::apis::{configuration::Configuration, rates_api::create_quote};
use openapi::models::{Country, QuoteAddress, QuoteContact, QuoteParcel, QuoteRequest, ServiceLevel};
use ops as _; // that it compiles
use reqwest::header::HeaderValue;
use reqwest_middleware::{ClientBuilder, Middleware, Next};

/// Signs requests with a key.
struct Signer {
    key: String,
    secret: String,
}

#[async_trait::async_trait]
impl Middleware for Signer {
    async fn handle(
        &self,
        mut request: reqwest::Request,
        extensions: &mut http::Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let timestamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().to_string();
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(self.secret.as_bytes()).unwrap();
        mac.update(format!("{timestamp}\n{}\n{}\n", request.method(), request.url().path()).as_bytes());
        mac.update(request.body().and_then(|body| body.as_bytes()).unwrap_or_default());
        let signature = format!("v1={}", hex::encode(mac.finalize().into_bytes()));
        for (name, value) in [("X-Api-Key", &self.key), ("X-Timestamp", &timestamp), ("X-Signature", &signature)] {
            request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
        }
        next.run(request, extensions).await
    }
}

fn place(postal_code: &str) -> QuoteContact {
    QuoteContact::new(QuoteAddress::new(postal_code.to_string(), Country::Ca))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let [url, key, secret] = std::env::args().skip(1).collect::<Vec<_>>().try_into().unwrap();
    let client = ClientBuilder::new(reqwest::Client::new()).with(Signer { key, secret }).build();
    let configuration = Configuration { base_path: url, client, ..Configuration::default() };
    let wanted = QuoteRequest::new(
        ServiceLevel::Standard,
        place("H2X 1Y4"),
        place("M5V 2T6"),
        vec![QuoteParcel::new(1.1)],
    );
    let quote = create_quote(&configuration, wanted).await.unwrap();
    println!("quote {} {}", quote.service_level, quote.currency);
}
