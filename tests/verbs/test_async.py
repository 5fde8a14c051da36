"""The async twin does what the sync one does."""

import asyncio
from pathlib import Path

from remanent import AsyncMemory
from remanent.testing import HashEmbedder, ScriptedMind


def test_the_whole_path_in_coroutines(tmp_path: Path) -> None:
    async def live() -> list[str]:
        async with await AsyncMemory.open(
            tmp_path / "m.db", mind=ScriptedMind(), embedder=HashEmbedder()
        ) as memory:
            ada = await memory.user("ada", name="Ada")
            await asyncio.gather(*(ada.add(f"Kettle number {n} is on.") for n in range(5)))
            await ada.work()
            await ada.remember("Tom likes green tea.")
            assert (await ada.recall("tea"))[0].statement == "Tom likes green tea."
            assert [user.user_id for user in await memory.users()] == ["ada"]
            return [hit.text for hit in await ada.search("kettle", kinds=["passage"])]

    assert len(asyncio.run(live())) == 5
