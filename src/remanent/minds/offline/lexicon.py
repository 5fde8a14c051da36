"""Word lists of the offline mind, all in lower case: grammar, roles of people, and fields of life."""

from __future__ import annotations

from remanent.anchors.rules import roles


def words(text: str) -> frozenset[str]:
    """The words of a list written as one text."""
    return frozenset(text.split())


FIRST_PERSON = words("i me my mine myself")
POSSESSOR = r"[\w-]+['’]s(?!\s+(?:a|an|the|my|our|not|now|also|still)\b)"
"""Pattern of whoever possesses what follows: "Tom's boss", but not "Tom's a nurse"."""
CLOSE = roles.PARTNERS | roles.RELATIVES | words("bestie roommate flatmate housemate")
TITLES = words("mr mrs ms miss dr prof professor sir madam mr. mrs. ms. dr. prof.")

STOP = words(
    "a about above after again against ain all almost also although always am an and any anyone anything"
    " are aren as ask asked at away back be because been before being below between both but by came can"
    " cannot come could couldn d did didn do does doesn doing don done down during each either else even"
    " ever every everyone everything few first for from further gave get gets getting give go goes going"
    " gone gonna good got great had hadn has hasn have haven having he her here hers herself hey hi him"
    " himself his how however i if in into is isn it its itself just keep kind know known last later least"
    " less let like likely ll lot lots m made make makes making many maybe me mean might mine more most"
    " much must my myself near need never new next nice no nobody none nor not nothing now of off often oh"
    " ok okay on once one only onto or other others our ours ourselves out over own perhaps please put"
    " quite rather re really s said same say says see seem seems seen shall she should shouldn since so"
    " some somebody someone something soon still such sure t take taken tell than thank thanks that the"
    " their theirs them themselves then there these they thing things think this those though through to"
    " today tomorrow tonight too took under until up upon us use used ve very want wanted was wasn way we"
    " well went were weren what whatever when where whether which while who whole whom whose why will with"
    " within without won would wouldn wow yeah yes yesterday yet you your yours yourself"
)
"""Words that carry no topic."""
GENERIC = words(
    "time day week month year way lot kind sort bit people person guy guys man woman morning evening"
    " afternoon night weekend moment minute hour second place part point case fact idea reason example"
    " question answer word number name end start side couple rest luck sense chance matter problem issue"
    " life world deal mind feeling look touch talk fun piece step set type level change news pic picture"
    " photo image stuff amount ton bunch pair something anything love hope big old little long best better"
    " happy glad amazing awesome cool right wrong true real different"
)

HEALTH = words(
    "allergy allergic asthma diabetes diabetic epilepsy epileptic medication medicine insulin"
    " anaphylaxis epipen pacemaker disability disease cancer surgery pregnant diagnosis diagnosed"
    " coeliac celiac intolerant intolerance vegetarian vegan emergency penicillin blood password"
)
IDENTITY = words(
    "live lives moved home address born birthday married engaged divorced single wife husband"
    " partner girlfriend boyfriend son daughter sister brother mother father mom dad child work works"
    " job employer company boss promotion retired name surname nationality citizen"
    " career study studies degree university graduated joined hired phone age religion"
)
TECHNICAL = words(
    "database db api backend frontend server microservice framework library python java"
    " javascript typescript rust go golang postgres postgresql mysql sqlite redis kafka docker"
    " kubernetes aws azure gcp react vue django flask fastapi terraform git github repo repository"
    " codebase schema queue cache cluster endpoint deploy deployment pipeline ci"
    " branch migration authentication oauth jwt graphql rest grpc monorepo mongodb neo4j nginx linux"
    " config architecture stack orm bucket s3 lambda ledger"
)

_FIELDS = {
    "work": "work job office boss manager colleague coworker meeting client customer project deadline"
    " career salary promotion company interview team employee employer business contract report"
    " presentation hire resign startup launch stakeholder invoice",
    "family": "family mother father mom mum dad parent sister brother sibling son daughter kid child"
    " baby wife husband grandma grandpa grandmother grandfather aunt uncle cousin niece nephew twin"
    " marriage wedding",
    "friends": "friend friendship buddy roommate neighbour neighbor party hangout reunion",
    "love": "girlfriend boyfriend partner date fiancé fiancée relationship romance divorce engagement"
    " anniversary spouse",
    "health": "health doctor hospital medicine medication allergy allergic sick illness pain therapy"
    " therapist surgery diet sleep disease diagnosis injury symptom dentist nurse headache anxiety"
    " stress asthma diabetes pregnant clinic vaccine knee",
    "sport": "sport gym run running marathon swim swimming yoga football soccer tennis basketball"
    " cycling hike hiking workout training climb climbing race exercise league championship surf"
    " surfing ski skiing dance",
    "travel": "travel trip flight vacation holiday hotel airport train visit tour passport luggage"
    " abroad journey beach cruise camping camp roadtrip itinerary",
    "money": "money budget rent price cost pay payment bank loan mortgage tax invest investment saving"
    " salary debt insurance fee expense refund funding",
    "home": "home house apartment flat kitchen garden furniture move landlord lease room roof"
    " renovation cleaning neighborhood bathroom bedroom repair plumber",
    "food": "food cook cooking recipe dinner lunch breakfast restaurant coffee tea bake baking cake"
    " vegetarian vegan meal chocolate wine cheese bread soup salad dessert pasta ice-cream",
    "learning": "learn study school university college course class exam teacher student degree lesson"
    " education book research language tutor homework thesis workshop certification",
    "technology": "software code computer app server database website phone laptop program programming"
    " deploy release bug algorithm network cloud api backend frontend data",
    "arts": "art paint painting draw drawing museum gallery music song concert guitar piano violin band"
    " film movie theatre theater photography photo poem poetry novel write writing pottery sculpture",
    "games": "game gaming videogame console tournament chess puzzle player",
    "pets": "pet dog cat puppy kitten vet parrot hamster rabbit horse turtle",
    "nature": "nature mountain forest lake river ocean sea tree flower animal bird hike sunset plant"
    " garden wildlife park weather",
    "planning": "plan schedule goal deadline agenda calendar appointment prepare organise organize"
    " reminder tomorrow roadmap milestone decide decision",
    "feelings": "feel feeling happy sad anxious worry worried excited nervous proud grateful stress"
    " lonely angry fear emotion confidence hope",
    "community": "community volunteer charity church donation donate support group activism shelter"
    " campaign event pride rights neighborhood mentor",
    "belief": "faith church prayer religion god spiritual meditation value",
    "shopping": "buy shop store order purchase shopping sale delivery gift present",
}

DOMAINS: dict[str, tuple[str, ...]] = {}
for _tag, _lemmas in _FIELDS.items():
    for _lemma in _lemmas.split():
        DOMAINS[_lemma] = (*DOMAINS.get(_lemma, ()), _tag)


def fields_of(word: str) -> tuple[str, ...]:
    """The fields of life that a word belongs to, whatever its ending."""
    low = word.casefold().removesuffix("'s").removesuffix("’s")
    tries = [low]
    for ending in ("s", "es", "ed", "d", "ing"):
        if low.endswith(ending) and len(low) - len(ending) > 2:
            stem = low.removesuffix(ending)
            tries += [stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem]
    if low.endswith("ies"):
        tries.append(f"{low[:-3]}y")
    return next((DOMAINS[one] for one in tries if one in DOMAINS), ())
