"""Calls that a defect would let wait for ever, and the two ways in which a client makes them."""

import asyncio
import threading


def in_time(call, seconds=15):
    """The result of a call, or its exception. TimeoutError for a call that does not end; its thread is left behind."""
    ended = {}

    def work():
        try:
            ended["result"] = call()
        except BaseException as error:
            ended["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError(f"no end after {seconds} s")
    if "error" in ended:
        raise ended["error"]
    return ended["result"]


def by_threads(client, name, **options):
    """Opens a session and updates it once."""
    return in_time(lambda: client.session(name, **options).update(1.0))


def by_asyncio(client, name, **options):
    """The same on a loop of its own."""

    async def main():
        try:
            return await client.aio.session(name, **options).update(1.0)
        finally:
            await client.aio.close()

    return in_time(lambda: asyncio.run(main()))
