"""Does a message need memory? By wording and names, else by a probe, else as the mind says; abbreviations."""

import pytest

from remanent import Memory, UserMemory
from remanent.core.model.search import Abbreviation, Need
from remanent.errors import InvalidInput, MindError
from remanent.testing import ScriptedMind
from remanent_conformance.builders import a_person


def test_wording_decides_as_the_mind_reads_it(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.chances = {"the boat": 0.99, "Norway": 0.01}

    assert ada.needs_memory("What did I say about the boat?").needs_search
    assert not ada.needs_memory("What's the capital of Norway?").needs_search
    assert "need" not in mind.asked


def test_where_wording_leaves_it_open_the_memory_is_probed(ada: UserMemory) -> None:
    asked = "what is the wifi password of the cabin?"
    nothing = ada.needs_memory(asked)
    assert (nothing.needs_search, nothing.is_sure) == (False, False)

    ada.remember("The wifi password of the cabin is moss-and-tern.")

    found = ada.needs_memory(asked)
    assert found.needs_search
    assert found.reasons == ("the memory holds “The wifi password of the cabin is moss-and-tern.”",)
    assert "moss-and-tern" in ada.context(asked).text
    assert not ada.needs_memory("what is the speed of light?").needs_search


def test_what_was_forgotten_or_is_another_users_does_not_stand_out(
    memory: Memory, ada: UserMemory
) -> None:
    asked = "what is the wifi password of the cabin?"
    kept = ada.remember("The wifi password of the cabin is moss-and-tern.")
    assert not memory.user("tom").needs_memory(asked).needs_search

    ada.forget(kept.belief.key)
    assert not ada.needs_memory(asked).needs_search


def test_a_known_person_is_a_reason(ada: UserMemory) -> None:
    assert not ada.needs_memory("Where is Zoltan?").needs_search
    ada.env.graph.put(ada.scope, a_person("Zoltan Kis", user="ada"))

    found = ada.needs_memory("Where is Zoltan?")

    assert found.needs_search
    assert found.reasons == ("names Zoltan Kis",)


def test_so_is_a_name_that_beliefs_or_passages_call(ada: UserMemory) -> None:
    ada.remember("Zoltan moved to Bergen.")

    assert ada.needs_memory("Where is Zoltan?").needs_search


def test_another_users_people_are_no_reason(memory: Memory, ada: UserMemory) -> None:
    ada.remember("Zoltan moved to Bergen.")
    ada.env.graph.put(ada.scope, a_person("Zoltan Kis", user="ada"))

    assert not memory.user("tom").needs_memory("Where is Zoltan?").needs_search


def test_a_follow_up_names_what_it_follows(ada: UserMemory) -> None:
    ada.env.graph.put(ada.scope, a_person("Zoltan Kis", user="ada"))
    before = [
        {"speaker": "Ada", "text": "What did Zoltan say?"},
        {"speaker": "assistant", "text": "That it is too old."},
    ]

    assert ada.needs_memory("and when was that?", before=before).needs_search


def test_thanks_after_a_question_need_nothing() -> None:
    with Memory.open(":memory:") as memory:
        ada = memory.user("ada", name="Ada Lind")
        before = ["What is the wifi password of our cabin?", "It is moss-and-tern."]
        for thanks in ("thanks!", "ok great", "perfect", "Sounds good", "good night"):
            assert not ada.needs_memory(thanks, before).needs_search, thanks
        for more in ("and the code of the gate?", "what about my sister", "tell me more"):
            assert ada.needs_memory(more, before).needs_search, more


def test_the_mind_is_asked_only_where_wording_and_memory_leave_it_open(
    ada: UserMemory, mind: ScriptedMind
) -> None:
    opinion = Need(needs_search=True, reasons=("the mind says so",))
    mind.needs = {"Zoltan": opinion}
    mind.chances = {"did I say": 0.95}

    assert ada.needs_memory("Where is Zoltan?") == opinion
    assert ada.needs_memory("What did I say about Zoltan?") != opinion
    assert mind.asked.count("need") == 1


def test_a_mind_that_fails_leaves_the_rules(ada: UserMemory, mind: ScriptedMind) -> None:
    class Failing(dict[str, Need]):
        def items(self) -> object:  # type: ignore[override]
            raise MindError("out of money")

    mind.needs = Failing()

    assert not ada.needs_memory("Where is Zoltan?").needs_search


@pytest.mark.parametrize("message", ["", "  ", 7, None, "x" * 20_000_001, "a\x00b"])
def test_a_message_is_text_of_some_length(ada: UserMemory, message: object) -> None:
    with pytest.raises(InvalidInput, match="message"):
        ada.needs_memory(message)  # type: ignore[arg-type]


def test_asking_writes_nothing(ada: UserMemory) -> None:
    ada.remember("Zoltan moved to Bergen.")
    before = list(ada.env.graph.export(ada.scope))
    ada.needs_memory("Where is Zoltan?")

    assert list(ada.env.graph.export(ada.scope)) == before


# --- abbreviations -----------------------------------------------------------------------------


def test_abbreviations_are_set_changed_and_taken_back(ada: UserMemory) -> None:
    ada.define("YC", "Y Combinator")
    assert ada.define("YC", "Yacht Club") == Abbreviation(short="YC", long="Yacht Club")
    assert ada.abbreviations() == [Abbreviation(short="YC", long="Yacht Club")]

    assert ada.undefine("yc")
    assert ada.abbreviations() == []
    assert not ada.undefine("YC")


def test_the_same_definition_twice_is_one_event(ada: UserMemory) -> None:
    ada.define("YC", "Y Combinator")
    events = ada.status().events
    ada.define("YC", "Y Combinator")

    assert ada.status().events == events


def test_definitions_outlive_the_process_and_are_ones_own(
    memory: Memory, ada: UserMemory, tmp_path: object
) -> None:
    ada.define("YC", "Yacht Club")
    ada.define("KSV", "Kestrel Sailing Venture")
    ada.env.caches.abbreviations.clear()  # as in a process that has just begun

    assert ada.phrasings("YC deadline").best == "YC (Yacht Club) deadline"
    assert ada.phrasings("KSV deadline").best == "KSV (Kestrel Sailing Venture) deadline"
    assert memory.user("tom").phrasings("KSV deadline").best == "KSV deadline"
    assert memory.user("tom").phrasings("YC deadline").best == "YC (Y Combinator) deadline"


def test_common_abbreviations_are_known_at_first_and_can_be_silenced(ada: UserMemory) -> None:
    assert ada.phrasings("what's the ML course?").best == "what's the ML (machine learning) course?"
    assert ada.phrasings("sven bday").best == "sven bday (birthday)"
    assert ada.phrasings("eta cinnamon").best == "eta cinnamon"
    assert ada.abbreviations() == []

    assert ada.undefine("ML")
    assert ada.phrasings("what's the ML course?").best == "what's the ML course?"


def test_an_event_of_the_callers_own_under_such_an_id_is_passed_over(ada: UserMemory) -> None:
    ada.remember("Tea is warm.", event_id="abbreviation:1")
    ada.define("YC", "Y Combinator")

    assert ada.abbreviations() == [Abbreviation(short="YC", long="Y Combinator")]


def test_sources_teach_abbreviations_until_they_are_silenced(ada: UserMemory) -> None:
    ada.add("The Customer Relationship Management (CRM) rollout is late.")
    ada.work()
    learned = Abbreviation(short="CRM", long="Customer Relationship Management", is_learned=True)

    assert ada.abbreviations() == [learned]
    assert "Customer Relationship Management" in ada.phrasings("When is the CRM rollout?").best
    assert ada.undefine("CRM")
    assert ada.abbreviations() == []
    assert ada.phrasings("When is the CRM rollout?").best == "When is the CRM rollout?"


def test_a_source_of_another_user_teaches_nothing(memory: Memory, ada: UserMemory) -> None:
    ada.add("The Customer Relationship Management (CRM) rollout is late.")
    ada.work()
    tom = memory.user("tom")

    assert tom.abbreviations() == []
    assert tom.phrasings("the CRM rollout").best == "the CRM rollout"


@pytest.mark.parametrize(("short", "long"), [("", "x"), ("YC", ""), ("YC", "yc"), ("a\nb", "x")])
def test_what_cannot_be_set_is_refused_and_nothing_written(
    ada: UserMemory, short: str, long: str
) -> None:
    events = ada.status().events
    with pytest.raises(InvalidInput):
        ada.define(short, long)

    assert ada.status().events == events
