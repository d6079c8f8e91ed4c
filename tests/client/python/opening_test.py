"""A session that is refused or given up while it opens leaves nothing behind: its id may be opened again."""

import asyncio

import pytest

import aaren
from aaren import errors


def test_session_that_is_open_already_may_be_tried_again_and_closed(server):
    async def main():
        async with aaren.Client(server.target) as client:
            first, second = await client.aio.session("twice").open(), client.aio.session("twice")
            for call in (second.open, lambda: second.update(1.0)):
                with pytest.raises(errors.AlreadyExists):
                    await asyncio.wait_for(call(), 15)
            await asyncio.wait_for(second.close(), 15)
            await first.close()
            return (await asyncio.wait_for(second.update(1.0), 15)).seq

    assert asyncio.run(main()) == 0


def test_session_of_a_closed_client_ends_at_once(server):
    async def main():
        client = aaren.Client(server.target)
        session = client.aio.session("late")
        await client.aio.close()
        with pytest.raises(errors.Cancelled):
            await asyncio.wait_for(session.update(1.0), 15)
        await asyncio.wait_for(session.close(), 15)
        client.close()

    asyncio.run(main())
