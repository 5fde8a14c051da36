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


def test_a_narrowed_handle_in_coroutines() -> None:
    async def live() -> list[str | None]:
        async with await AsyncMemory.open(
            ":memory:", mind=ScriptedMind(), embedder=HashEmbedder()
        ) as memory:
            ada = await memory.user("ada")
            for team in ("crew", "gang"):
                await ada.create_team(team.title(), team)
                await ada.add(f"The {team} meets.", team=team)
            crew = await ada.within("crew")
            assert type(crew) is type(ada)
            made = await memory.create_key("ada", name="bot", team="crew")
            assert (await memory.authenticate(made.secret)).team == "crew"
            return [one.team_id for one in await crew.sources()]

    assert asyncio.run(live()) == ["crew"]
