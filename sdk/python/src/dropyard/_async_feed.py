"""Following the feed of events."""

from __future__ import annotations

import copy
import time
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import TYPE_CHECKING

from ._feed_state import INTERVAL, WAIT, FeedState, back_off, is_final
from .errors import APIError, NoAnswerError
from .events import Event

if TYPE_CHECKING:
    from .async_client import AsyncClient


class AsyncFeed:
    """The events of a partner: each once, those of one order in their sequence.

    async for event in await client.feed():
        print(event["type"])

    When the service cannot be reached, the loop tries again, at longer and longer intervals,
    and continues where it was. An event whose signature is not that of its body ends it with
    WebhookError, a refusal with APIError.
    """

    def __init__(
        self,
        client: AsyncClient,
        since: datetime | None,
        on_disconnect: Callable[[Exception], object] | None,
        on_reconnect: Callable[[], object] | None,
    ) -> None:
        """Prepare a feed; see AsyncClient.feed, which also starts it."""
        self._client = copy.copy(client)
        self._client.retry_delays = ()  # the loop tries again itself
        self._state = FeedState(client._secret_key, since)
        self._on_disconnect, self._on_reconnect = on_disconnect, on_reconnect
        self._polled = 0.0  # when the service was asked last, by the monotonic clock

    @classmethod
    async def start(
        cls,
        client: AsyncClient,
        since: datetime | None,
        on_disconnect: Callable[[Exception], object] | None,
        on_reconnect: Callable[[], object] | None,
    ) -> AsyncFeed:
        """Ask the service once, and return the feed."""
        feed = cls(client, since, on_disconnect, on_reconnect)
        await feed._ask(0)
        feed._state.begin()
        return feed

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            while self._state.pending:
                yield self._state.pending.pop(0)
            await self._poll()

    async def _poll(self) -> None:
        """Ask the service until there is an answer, or an error that asking again would not change."""
        await self._client._sleep(max(0.0, self._polled + INTERVAL - time.monotonic()))
        failures = 0
        while True:
            try:
                await self._ask(WAIT)
                break
            except (APIError, NoAnswerError) as error:
                if is_final(error):
                    raise
                if failures == 0 and self._on_disconnect is not None:
                    self._on_disconnect(error)
                pause = back_off(failures, error)
            failures += 1
            await self._client._sleep(pause)
        if failures and self._on_reconnect is not None:
            self._on_reconnect()

    async def _ask(self, wait: int) -> None:
        """Ask the service once."""
        self._polled = time.monotonic()
        self._state.add(await self._client.read_feed(after=self._state.cursor, wait=wait))
