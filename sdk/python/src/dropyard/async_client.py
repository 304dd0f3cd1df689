"""The client of the partner interface."""

from __future__ import annotations

import math
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, cast

import httpx

from . import events as e
from . import stock as s
from . import types as t
from ._async_feed import AsyncFeed
from ._async_http import AsyncConnection
from ._requests import RETRY_DELAYS, USER_AGENT, checked_key, from_environment, insert
from ._signing import SignatureVersion, SignedAuth
from .errors import NoAnswerError

LabelFormat = t.LabelFormat

# The names of the cookie that holds a session: over HTTPS it has a prefix.
_SESSION_COOKIES = ("__Host-dropyard_session", "dropyard_session")


class AsyncService(AsyncConnection):
    """Calls what needs no credentials: registration, login and public tracking."""

    async def get_health(self) -> t.Health:
        """Check that the service is alive."""
        return cast("t.Health", await self._json("GET", "/v1/health"))

    async def get_ready(self) -> t.Ready:
        """Check that the service should get requests. If not, APIError has code unavailable."""
        return cast("t.Ready", await self._json("GET", "/v1/ready", repeatable=False))

    async def get_openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document of the partner interface."""
        return cast("dict[str, Any]", await self._json("GET", "/openapi.json"))

    async def register(
        self, name: str, email: str, password: str, person_name: str | None = None
    ) -> t.Partner:
        """Create a partner account.

        person_name is the name of the owner; without it, the owner has the name of the account.
        If no answer arrives, the account may exist: a further call then has code email_taken.
        """
        body = {"name": name, "email": email, "password": password}
        if person_name is not None:
            body["person_name"] = person_name
        return cast("t.Partner", await self._json("POST", "/v1/auth/register", body=body))

    async def login(self, email: str, password: str, code: str | None = None) -> AsyncSession:
        """Start a session, which lasts for 12 hours without use.

        An account with a second factor needs a code: without it, the details of the
        APIError have the reason totp_required.
        """
        body = {"email": email, "password": password, "code": code}
        response = await self.request("POST", "/v1/auth/login", body=body, repeatable=True)
        for name in _SESSION_COOKIES:
            self._http.cookies.delete(name)  # the connection may be shared; the session sends it
        return AsyncSession(self, response)

    async def track_order(self, order_id: str) -> t.Tracking:
        """Return the public state of an order."""
        return cast("t.Tracking", await self._json("GET", insert("/track/{}", order_id)))

    async def track_order_page(self, order_id: str, language: Literal["en", "fr"] | None = None) -> str:
        """Return the page that the recipient sees, in HTML."""
        path = insert("/track/{}/html", order_id)
        response = await self.request("GET", path, query={"lang": language}, accept="text/html")
        return response.text

    async def get_proof(self, signature_url: str) -> bytes:
        """Return the proof of delivery at the signature_url of an event, as JPEG or PNG."""
        path = insert("/proofs/{}", signature_url.rpartition("/")[2])
        response = await self.request("GET", path, accept="image/*")
        return response.content


class AsyncSession(AsyncConnection):
    """An account's session, which creates and revokes API keys. See AsyncService.login."""

    def __init__(self, service: AsyncService, login: httpx.Response) -> None:
        """Begin the session that a login was answered with."""
        super().__init__(
            service.base_url,
            http=service._http,
            retry_delays=service.retry_delays,
            user_agent=service.user_agent,
        )
        self.partner = cast("t.Partner", login.json())
        name = next((name for name in _SESSION_COOKIES if name in login.cookies), None)
        if name is None:
            raise NoAnswerError("POST /v1/auth/login: the answer has no session cookie")
        self._auth = _Cookie(f"{name}={login.cookies[name]}")

    async def get_me(self) -> t.Partner:
        """Return the partner of the session."""
        return cast("t.Partner", await self._json("GET", "/v1/auth/me"))

    async def list_api_keys(self) -> t.APIKeyList:
        """Return the active API keys, without their secrets."""
        return cast("t.APIKeyList", await self._json("GET", "/v1/auth/api-keys"))

    async def create_api_key(
        self, name: str = "", scopes: Sequence[t.Scope] = (), mode: t.KeyMode = "live", *,
        require_v2: bool = False,
    ) -> t.CreatedAPIKey:  # fmt: skip
        """Create an API key. Store its secret_key: no later answer has it.

        Without scopes the key may do everything that a key can do. Orders of a key in test mode
        are simulated, apart from live ones. A key that requires version 2 refuses signatures of
        version 1.
        """
        body: dict[str, Any] = {"name": name, "mode": mode, "require_v2": require_v2}
        if scopes:
            body["scopes"] = list(scopes)
        return cast("t.CreatedAPIKey", await self._json("POST", "/v1/auth/api-keys", body=body))

    async def revoke_api_key(self, key_id: str) -> t.RevokedAPIKey:
        """Revoke an API key, which stops working within 5 seconds."""
        return cast("t.RevokedAPIKey", await self._json("DELETE", insert("/v1/auth/api-keys/{}", key_id)))

    async def logout(self) -> t.LoggedOut:
        """End the session."""
        return cast("t.LoggedOut", await self._json("POST", "/v1/auth/logout", repeatable=True))


class _Cookie(httpx.Auth):
    """Sends the cookie of a session, and nothing else that a shared cookie jar may hold."""

    def __init__(self, cookie: str) -> None:
        self._header = cookie

    def auth_flow(self, request: httpx.Request) -> Any:
        request.headers["Cookie"] = self._header
        yield request


class AsyncClient(AsyncService):
    """Calls the partner interface with an API key. It can do all that AsyncService can.

    Methods that begin with list return one page; those with a plural, such as orders,
    iterate over all pages.
    """

    def __init__(
        self,
        base_url: str,
        public_key: str,
        secret_key: str,
        *,
        http: httpx.AsyncClient | None = None,
        retry_delays: Sequence[float] = RETRY_DELAYS,
        signatures: SignatureVersion = "v1",
        user_agent: str = USER_AGENT,
    ) -> None:
        """Prepare a client; see AsyncConnection and SignedAuth for the options."""
        super().__init__(base_url, http=http, retry_delays=retry_delays, user_agent=user_agent)
        self._secret_key = secret_key
        self._auth = SignedAuth(*checked_key(public_key, secret_key), signatures)

    @classmethod
    def from_environment(cls, **options: Any) -> AsyncClient:
        """Return a client for the service at DROPYARD_URL, with DROPYARD_KEY and DROPYARD_SECRET.

        The options are those of AsyncClient. Raises ValueError that names what is not set.
        """
        return cls(*from_environment(), **options)

    # Quotes and orders.

    async def create_quote(self, quote: t.QuoteRequest | t.OrderRequest) -> t.Quote:
        """Return a price and an estimate; create nothing. An order itself can be given, too."""
        return cast("t.Quote", await self._json("POST", "/v1/rates/quote", body=quote, repeatable=True))

    async def create_quotes(self, quote: t.QuotesRequest | t.QuoteRequest | t.OrderRequest) -> t.QuoteList:
        """Return a price and an estimate for each service level; create nothing.

        A service level in the request is ignored.
        """
        return cast("t.QuoteList", await self._json("POST", "/v1/rates/quotes", body=quote, repeatable=True))

    async def validate_order(self, order: t.OrderRequest) -> t.Validation:
        """Return what create_order would do; create nothing."""
        return cast(
            "t.Validation", await self._json("POST", "/v1/orders/validate", body=order, repeatable=True)
        )

    async def create_order(self, order: t.OrderRequest, *, idempotency_key: str | None = None) -> t.Order:
        """Create an order and take its items out of stock, or do neither.

        Store an idempotency_key (a UUID) before the call, and the call can be repeated after
        a crash: it returns the same order again. Without it each call has a new one.
        """
        return cast("t.Order", await self._keyed("/v1/orders", order, idempotency_key))

    async def create_orders(
        self, orders: Sequence[t.OrderRequest], *, idempotency_key: str | None = None
    ) -> t.BatchResults:
        """Create up to 500 orders, each independently of the others."""
        batch = {"orders": list(orders)}
        return cast("t.BatchResults", await self._keyed("/v1/orders/batch", batch, idempotency_key))

    async def get_order(self, order_id: str) -> t.Order:
        """Return an order."""
        return cast("t.Order", await self._json("GET", insert("/v1/orders/{}", order_id)))

    async def edit_order(
        self,
        order_id: str,
        edit: Mapping[str, Any],
        *,
        version: int | None = None,
        preview: bool = False,
        idempotency_key: str | None = None,
    ) -> t.EditedOrder:
        """Change the content of an order by a merge patch (RFC 7396), if it still has the version.

        With preview, return the order as the edit would leave it, and change nothing.
        """
        path = insert("/v1/orders/{}", order_id)
        key = idempotency_key or str(uuid.uuid4())
        query = {"preview": "true"} if preview else None
        sent = await self._json(
            "PATCH", path, query=query, body=dict(edit), version=version, idempotency_key=key
        )
        return cast("t.EditedOrder", sent)

    async def cancel_order(
        self, order_id: str, reason: str = "", *, idempotency_key: str | None = None
    ) -> t.Order:
        """Cancel an order that is pending or accepted, and return its items to stock."""
        path = insert("/v1/orders/{}/cancel", order_id)
        return cast("t.Order", await self._keyed(path, {"reason": reason}, idempotency_key))

    async def create_return(
        self, order_id: str, wanted: t.ReturnRequest, *, idempotency_key: str | None = None
    ) -> t.Order:
        """Create an order that brings goods of a delivered order back: at most what it has delivered."""
        return cast(
            "t.Order", await self._keyed(insert("/v1/orders/{}/returns", order_id), wanted, idempotency_key)
        )

    async def request_cancellation(
        self, order_id: str, reason: str, *, idempotency_key: str | None = None
    ) -> t.Order:
        """Request that the service cancels an order, once, from courier_assigned to failed."""
        path = insert("/v1/orders/{}/cancellation-request", order_id)
        return cast("t.Order", await self._keyed(path, {"reason": reason}, idempotency_key))

    async def get_label(
        self,
        order_id: str,
        media_type: t.LabelFormat = "application/pdf",
        *,
        dpi: Literal[203, 300, 600] | None = None,
    ) -> bytes:
        """Return the labels of an order's parcels, as PDF or ZPL, for printers of 203 dpi or another one."""
        path = insert("/v1/orders/{}/label", order_id)
        response = await self.request("GET", path, query={"dpi": dpi}, accept=media_type)
        return response.content

    async def create_label_link(self, order_id: str, link: t.LabelLinkRequest | None = None) -> t.LabelLink:
        """Return an address of an order's labels that needs no signature, for 15 minutes."""
        path = insert("/v1/orders/{}/label-link", order_id)
        return cast("t.LabelLink", await self._json("POST", path, body=link or {}, repeatable=True))

    async def get_labels(
        self,
        order_ids: list[str],
        media_type: t.LabelFormat = "application/pdf",
        *,
        dpi: Literal[203, 300, 600] | None = None,
    ) -> bytes:
        """Return the labels of 1 to 100 orders in one file, in their order: of all of them, or of none."""
        query = {"order_id": order_ids, "dpi": dpi}
        response = await self.request("GET", "/v1/labels", query=query, accept=media_type)
        return response.content

    async def list_orders(
        self,
        *,
        status: t.OrderStatus | None = None,
        partner_order_id: str | None = None,
        search: str | None = None,
        created_from: t.Time | None = None,
        created_to: t.Time | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> t.OrderList:
        """Return a page of orders, newest first; created_to is not included.

        search is words that an order has all of: of its number, or of its recipient's name, address or phone.
        """
        query = {
            "status": status,
            "partner_order_id": partner_order_id,
            "search": search,
            "created_from": created_from,
            "created_to": created_to,
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
        }
        return cast("t.OrderList", await self._json("GET", "/v1/orders", query=query))

    async def orders(
        self,
        *,
        status: t.OrderStatus | None = None,
        partner_order_id: str | None = None,
        search: str | None = None,
        created_from: t.Time | None = None,
        created_to: t.Time | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[t.ListedOrder]:
        """Iterate over orders, newest first. limit is the size of a page, 1 to 500."""
        pages = _by_cursor(
            lambda cursor: self.list_orders(
                status=status,
                partner_order_id=partner_order_id,
                search=search,
                created_from=created_from,
                created_to=created_to,
                limit=limit,
                cursor=cursor,
            )
        )
        async for page in pages:
            for element in page["orders"]:
                yield element

    # Stock.

    async def list_products(
        self,
        *,
        search: str | None = None,
        sku: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> s.ProductList:
        """Return a page of products with their stock, by their ids."""
        query = {"search": search, "sku": sku, "limit": limit, "offset": offset}
        return cast("s.ProductList", await self._json("GET", "/v1/inventory/products", query=query))

    async def products(
        self, *, search: str | None = None, sku: str | None = None, limit: int | None = None
    ) -> AsyncIterator[s.Product]:
        """Iterate over products, by their ids. limit is the size of a page, 1 to 100."""
        offset, total = 0, 1
        while offset < total:
            page = await self.list_products(search=search, sku=sku, limit=limit, offset=offset)
            for element in page["products"]:
                yield element
            offset, total = offset + page["count"], page["total"] if page["count"] else 0

    async def list_movements(
        self, *, product_id: int | None = None, limit: int | None = None, offset: int | None = None
    ) -> s.MovementList:
        """Return a page of stock movements, newest first."""
        query = {"product_id": product_id, "limit": limit, "offset": offset}
        return cast("s.MovementList", await self._json("GET", "/v1/inventory/movements", query=query))

    async def movements(
        self, *, product_id: int | None = None, limit: int | None = None
    ) -> AsyncIterator[s.Movement]:
        """Iterate over stock movements, newest first.

        Movements that are made meanwhile do not make it repeat others.
        """
        offset, more = 0, True
        last: float = math.inf
        while more:
            page = await self.list_movements(product_id=product_id, limit=limit, offset=offset)
            for element in page["movements"]:
                if element["movement_id"] < last:
                    last = element["movement_id"]
                    yield element
            offset, more = offset + page["count"], page["count"] == page["limit"]

    # Webhooks.

    async def get_webhook_endpoint(self) -> e.WebhookEndpoint:
        """Return the first endpoint; the code is not_found if there is none."""
        return await self._endpoint("GET")

    async def set_webhook_endpoint(
        self,
        url: str,
        *,
        enabled: bool = True,
        events: list[e.EventType] | None = None,
        format: e.EndpointFormat | None = None,
    ) -> e.WebhookEndpoint:
        """Create the first endpoint, and then return its secret, or change it and keep the secret.

        events are the types that it takes; None for all but those that are only sent to endpoints
        that name them. If the answer to the creation is lost, the retry has no secret: rotate it.
        """
        body = {"url": url, "enabled": enabled, "events": events, "format": format}
        return await self._endpoint("PUT", body=body)

    async def delete_webhook_endpoint(self) -> e.DeletedWebhookEndpoint:
        """Remove the endpoint and its secret. Events that wait are skipped."""
        return cast("e.DeletedWebhookEndpoint", await self._json("DELETE", "/v1/webhooks/endpoint"))

    async def rotate_webhook_secret(self) -> e.WebhookEndpoint:
        """Return the endpoint with a new secret.

        Webhooks have a signature with each secret until activate_webhook_secret, or for 24 hours.
        """
        return await self._endpoint("POST", "/rotate-secret", repeatable=True)

    async def activate_webhook_secret(self) -> e.WebhookEndpoint:
        """End a rotation: only the new secret signs from now on."""
        return await self._endpoint("POST", "/activate-secret", repeatable=True)

    async def list_webhook_endpoints(self) -> e.WebhookEndpointList:
        """Return all endpoints: the first one, and then the others as they were added."""
        return cast("e.WebhookEndpointList", await self._json("GET", "/v1/webhooks/endpoints"))

    async def add_webhook_endpoint(
        self,
        url: str,
        *,
        enabled: bool = True,
        events: list[e.EventType] | None = None,
        format: e.EndpointFormat | None = None,
    ) -> e.WebhookEndpoint:
        """Add an endpoint and return its secret; the code is conflict if there are ten."""
        body = {"url": url, "enabled": enabled, "events": events, "format": format}
        return cast("e.WebhookEndpoint", await self._json("POST", "/v1/webhooks/endpoints", body=body))

    async def get_endpoint(self, endpoint_id: str) -> e.WebhookEndpoint:
        """Return an endpoint by its id."""
        return await self._one_endpoint("GET", endpoint_id)

    async def edit_endpoint(self, endpoint_id: str, edit: e.WebhookEndpointPatch) -> e.WebhookEndpoint:
        """Change what edit has, and leave the rest of an endpoint as it is."""
        return await self._one_endpoint("PATCH", endpoint_id, body=edit)

    async def delete_endpoint(self, endpoint_id: str) -> e.DeletedWebhookEndpoint:
        """Remove an endpoint and its secret. Events that wait there are skipped."""
        path = insert("/v1/webhooks/endpoints/{}", endpoint_id)
        return cast("e.DeletedWebhookEndpoint", await self._json("DELETE", path))

    async def rotate_endpoint_secret(self, endpoint_id: str) -> e.WebhookEndpoint:
        """Return an endpoint with a new secret; see rotate_webhook_secret."""
        return await self._one_endpoint("POST", endpoint_id, "/rotate-secret", repeatable=True)

    async def activate_endpoint_secret(self, endpoint_id: str) -> e.WebhookEndpoint:
        """End the rotation of an endpoint: only its new secret signs from now on."""
        return await self._one_endpoint("POST", endpoint_id, "/activate-secret", repeatable=True)

    async def test_webhook(self, *, endpoint_id: str | None = None) -> e.WebhookTest:
        """Send webhook.test to an endpoint, by default the first, and return its answer within 15 seconds."""
        query = {"endpoint_id": endpoint_id}
        return cast(
            "e.WebhookTest", await self._json("POST", "/v1/webhooks/test", query=query, repeatable=True)
        )

    async def list_events(
        self,
        *,
        type: e.EventType | None = None,
        order_id: str | None = None,
        state: e.EventState | None = None,
        endpoint_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> e.EventList:
        """Return a page of events, newest first; with endpoint_id those of an endpoint."""
        query = {
            "type": type,
            "order_id": order_id,
            "state": state,
            "endpoint_id": endpoint_id,
            "limit": limit,
            "cursor": cursor,
        }
        return cast("e.EventList", await self._json("GET", "/v1/webhooks/events", query=query))

    async def events(
        self,
        *,
        type: e.EventType | None = None,
        order_id: str | None = None,
        state: e.EventState | None = None,
        endpoint_id: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[e.EventRecord]:
        """Iterate over events, newest first. limit is the size of a page, 1 to 500."""
        pages = _by_cursor(
            lambda cursor: self.list_events(
                type=type,
                order_id=order_id,
                state=state,
                endpoint_id=endpoint_id,
                limit=limit,
                cursor=cursor,
            )
        )
        async for page in pages:
            for element in page["events"]:
                yield element

    async def get_event(self, event_id: str) -> e.EventDetail:
        """Return an event, its body and the attempts to deliver it."""
        return cast("e.EventDetail", await self._json("GET", insert("/v1/webhooks/events/{}", event_id)))

    async def redeliver_event(self, event_id: str, *, endpoint_id: str | None = None) -> e.EventRecord:
        """Send an event in any state again, by default to the first endpoint, with the same id and bytes."""
        path = insert("/v1/webhooks/events/{}/redeliver", event_id)
        query = {"endpoint_id": endpoint_id}
        return cast("e.EventRecord", await self._json("POST", path, query=query, repeatable=True))

    async def redeliver_events(
        self,
        *,
        since: t.Time | None = None,
        cursor: str | None = None,
        type: e.EventType | None = None,
        state: e.EventState | None = None,
        endpoint_id: str | None = None,
    ) -> e.Redelivered:
        """Send up to 10,000 events since a time, or after a cursor, again, oldest first."""
        body = {
            "since": since,
            "cursor": cursor,
            "type": type,
            "state": state,
            "endpoint_id": endpoint_id,
        }
        return cast(
            "e.Redelivered", await self._json("POST", "/v1/webhooks/redeliver", body=body, repeatable=True)
        )

    async def read_feed(
        self, *, after: str | None = None, limit: int | None = None, wait: int = 0
    ) -> e.EventFeed:
        """Return new events without an endpoint; after is the cursor of the previous answer.

        wait is how many seconds to wait for an event if there is none, up to 20. An event may
        be returned again, and its signature is not verified: see verify_drop_signature.
        """
        query = {"after": after, "limit": limit, "wait": wait}
        return cast("e.EventFeed", await self._json("GET", "/v1/webhooks/feed", query=query))

    async def feed(
        self,
        *,
        since: datetime | None = None,
        on_disconnect: Callable[[Exception], object] | None = None,
        on_reconnect: Callable[[], object] | None = None,
    ) -> AsyncFeed:
        """Follow events on a machine that webhooks cannot reach: those since a time, or from now on.

        It asks the service once before it returns. on_disconnect is called once when the
        service can no longer be reached, and on_reconnect when it can be reached again.
        """
        return await AsyncFeed.start(self, since, on_disconnect, on_reconnect)

    async def list_logs(
        self,
        *,
        status: int | None = None,
        method: t.Method | None = None,
        order_id: str | None = None,
        from_: t.Time | None = None,
        to: t.Time | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.LogList:
        """Return a page of the signed requests of the last seven days, newest first."""
        query = {
            "status": status, "method": method, "order_id": order_id, "from": from_, "to": to,
            "limit": limit, "cursor": cursor,
        }  # fmt: skip
        return cast("t.LogList", await self._json("GET", "/v1/logs", query=query))

    async def logs(
        self,
        *,
        status: int | None = None,
        method: t.Method | None = None,
        order_id: str | None = None,
        from_: t.Time | None = None,
        to: t.Time | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[t.LoggedRequest]:
        """Iterate over the signed requests of the last seven days, newest first."""
        pages = _by_cursor(
            lambda cursor: self.list_logs(
                status=status,
                method=method,
                order_id=order_id,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
        )
        async for page in pages:
            for element in page["logs"]:
                yield element

    async def list_statements(
        self, *, period: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> t.StatementPage:
        """Return a page of the partner's statements, the latest month first."""
        query = {"period": period, "limit": limit, "cursor": cursor}
        return cast("t.StatementPage", await self._json("GET", "/v1/statements", query=query))

    async def statements(
        self, *, period: str | None = None, limit: int | None = None
    ) -> AsyncIterator[t.StatementSummary]:
        """Iterate over the partner's statements, the latest month first."""
        pages = _by_cursor(lambda cursor: self.list_statements(period=period, limit=limit, cursor=cursor))
        async for page in pages:
            for element in page["statements"]:
                yield element

    async def get_statement(self, statement_id: str) -> t.Statement:
        """Return a statement."""
        return cast("t.Statement", await self._json("GET", insert("/v1/statements/{}", statement_id)))

    async def get_statement_file(
        self, statement_id: str, media_type: Literal["application/pdf", "text/csv"] = "application/pdf"
    ) -> bytes:
        """Return a statement as a PDF or CSV file."""
        path = insert("/v1/statements/{}", statement_id)
        return (await self.request("GET", path, accept=media_type)).content

    async def get_figures(
        self, *, from_: str | None = None, to: str | None = None, by: Literal["courier"] | None = None
    ) -> t.Figures:
        """Return what was counted between two days such as 2026-03-02; the last 30 days by default."""
        return cast(
            "t.Figures", await self._json("GET", "/v1/figures", query={"from": from_, "to": to, "by": by})
        )

    async def _keyed(self, path: str, body: object, key: str | None) -> Any:
        return await self._json("POST", path, body=body, idempotency_key=key or str(uuid.uuid4()))

    async def _endpoint(self, method: str, action: str = "", **options: Any) -> e.WebhookEndpoint:
        return cast(
            "e.WebhookEndpoint", await self._json(method, "/v1/webhooks/endpoint" + action, **options)
        )

    async def _one_endpoint(
        self, method: str, endpoint_id: str, action: str = "", **options: Any
    ) -> e.WebhookEndpoint:
        path = insert("/v1/webhooks/endpoints/{}", endpoint_id) + action
        return cast("e.WebhookEndpoint", await self._json(method, path, **options))


async def _by_cursor(read: Callable[[str | None], Awaitable[Any]]) -> AsyncIterator[Any]:
    """Iterate over pages, each of which has the cursor of the next."""
    cursor = None
    while True:
        page = await read(cursor)
        yield page
        cursor = page.get("next_cursor")
        if not cursor:
            return
