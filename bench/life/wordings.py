"""How people put things: wordings of every kind of fact, and the small talk around them.

Marks: {S} who it is about, {she} the same again, {My}/{my} and {her} whose; [a|b] is the form for "I"
and for anybody else; {X} the value, {Y} the value before it, {T} a time, {P} a project. They are what
people say, not what a memory reads best; where it fails on them, it fails.

Words that tell of a change must entail that the value before is over: by the word itself (moved, new
number, new favourite), because there is one at a time (a home, an employer, a partner, whoever leads a
project), or by naming {Y}. Of `world.SEVERAL` one may have more than one; there a value is over only
where the words name {Y}, and no wording claims to name the only one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wordings:
    """`state` says how it is, `change` that it has just changed, `late` when it changed, `fix` that
    something else was said before; `ask` is the question."""

    ask: str
    state: tuple[str, ...]
    change: tuple[str, ...]
    late: tuple[str, ...] = ()
    fix: tuple[str, ...] = ()


FACTS: Mapping[str, Wordings] = {
    "home": Wordings(
        "Where [do|does] {S} live?",
        (
            "{S} [live|lives] in {X}.",
            "{S} [am|is] based in {X} these days.",
            "{S} still [live|lives] in {X}, in the same flat.",
            "{My} place in {X} is small but it has a balcony.",
            "{S} [have|has] been living in {X} for a while now.",
            "Life in {X} suits [me|her], {S} [say|says].",
            "{S} [come|comes] home to {X} every evening on the late train.",
        ),
        (
            "{S} just moved to {X}.",
            "{S} [have|has] moved to {X}, boxes everywhere.",
            "{S} finally relocated to {X} this week.",
            "Big news: {S} [live|lives] in {X} now, no longer in {Y}.",
            "{S} left {Y} and settled in {X}.",
            "We carried the last sofa up today, so {S} [am|is] officially living in {X}.",
        ),
        (
            "{S} moved to {X} {T}.",
            "By the way, {S} [have|has] been living in {X} since {T2}.",
            "{S} left {Y} for {X} {T}, did I never mention that?",
            "It was {T} that {S} moved to {X}.",
        ),
        (
            "I got that wrong: {S} [live|lives] in {X}, not in {Y}.",
            "Correction, {S} never lived in {Y}; it was {X} all along.",
        ),
    ),
    "employer": Wordings(
        "Where [do|does] {S} work?",
        (
            "{S} [work|works] at {X}.",
            "{S} [am|is] still at {X}, same team.",
            "{S} [work|works] for {X} and mostly [like|likes] it.",
            "{My} employer is {X}.",
            "At {X}, where {S} [work|works], they have a new canteen.",
            "{S} [have|has] a job at {X}.",
            "{My} days at {X} are long at the moment.",
        ),
        (
            "{S} just started at {X}.",
            "{S} [have|has] joined {X}.",
            "{S} left {Y} and now [work|works] at {X}.",
            "First day at {X} for [me|her] today: {S} quit {Y} last week.",
            "{S} took a job at {X} and [start|starts] right away.",
            "{S} [am|is] no longer at {Y}; {she} [work|works] for {X} now.",
        ),
        (
            "{S} joined {X} {T}.",
            "{S} [have|has] been working at {X} since {T2}.",
            "{S} switched from {Y} to {X} {T}.",
            "{S} started at {X} {T}, I keep forgetting to tell people.",
        ),
        (
            "Sorry, I mixed that up: {S} [work|works] at {X}, not at {Y}.",
            "{S} never worked at {Y}, it was {X} from the start.",
        ),
    ),
    "role": Wordings(
        "What is {my} job?",
        (
            "{S} [work|works] as a {X}.",
            "{S} [am|is] a {X}.",
            "{My} job title is {X}.",
            "As a {X}, {S} [spend|spends] half the day in meetings.",
            "{S} [do|does] what a {X} does, more or less.",
            "People keep asking what a {X} is; that is what {S} [do|does].",
        ),
        (
            "{S} [have|has] become a {X}.",
            "{S} got promoted and [am|is] now a {X}.",
            "{S} [am|is] a {X} now, not a {Y} any more.",
            "{S} changed jobs inside the firm: from {Y} to {X}.",
            "It is official, {S} [work|works] as a {X} from today.",
            "New business cards for [me|her]: {X}.",
        ),
        (
            "{S} became a {X} {T}.",
            "{S} [have|has] been a {X} since {T2}.",
            "{T3}, {S} went from {Y} to {X}.",
        ),
        ("I said {Y}, but {S} [am|is] a {X}.",),
    ),
    "phone": Wordings(
        "What is {my} phone number?",
        (
            "{My} number is {X}.",
            "You can reach [me|her] on {X}.",
            "{My} phone number: {X}.",
            "Call {S2} on {X} if anything comes up.",
            "Reminder to self, {my} mobile is {X}.",
            "For the form: {my} phone is {X}.",
        ),
        (
            "{My} new number is {X}.",
            "{S} [have|has] a new phone number, {X}.",
            "New SIM card, so {my} number is {X} now.",
            "Please delete {Y}; {my} number is now {X}.",
        ),
        ("{My} number has been {X} since {T2}.", "{S} got a new number {T}: {X}."),
        ("There was a typo, {my} number is {X}, not {Y}.",),
    ),
    "car": Wordings(
        "What car [do|does] {S} drive?",
        (
            "{S} [drive|drives] a {X}.",
            "{My} car is a {X}.",
            "{S} [have|has] a {X} that needs new tyres.",
            "{My} {X} is still running, {S} [say|says].",
            "{My} {X} passed its inspection.",
            "{S} [own|owns] a {X}.",
        ),
        (
            "{S} traded {her} {Y} in for a {X}.",
            "{S} sold the {Y} and [drive|drives] a {X} now.",
            "{My} new car is a {X}; the {Y} went to the scrapyard.",
            "The {Y} is gone, {S} got a {X} instead.",
            "{S} handed the {Y} in at the dealer's and picked up {her} new {X} today.",
        ),
        (
            "{S} swapped the {Y} for a {X} {T}.",
            "{S} [have|has] been driving a {X} since {T2}, when the {Y} broke down for good.",
        ),
        ("No, {S} [drive|drives] a {X}, not a {Y}.",),
    ),
    "pet": Wordings(
        "What pet [do|does] {S} have?",
        (
            "{S} [have|has] a dog called {X}.",
            "{My} dog {X} chewed a shoe again.",
            "{X} is {my} dog.",
            "{S} [have|has] a dog by the name of {X}.",
            "{S} [take|takes] {her} dog {X} out every morning before work.",
            "A walk with {her} dog {X} is how {S} [start|starts] the day.",
        ),
        (
            "{S} adopted a dog called {X}.",
            "{S} [have|has] a new puppy, {X}.",
            "{S} brought {X} home from the shelter today.",
            "There is a dog in the house: {S} named it {X}.",
        ),
        ("{S} adopted a dog called {X} {T}.", "{S} [have|has] had {X}, the dog, since {T2}."),
    ),
    "partner": Wordings(
        "Who is {my} partner?",
        (
            "{My} partner is called {X}.",
            "{S} [am|is] with {X}.",
            "{S} and {X} are a couple.",
            "{My} partner {X} cooks better than anybody.",
            "{X} and {S} have been together for a while.",
            "{S} [am|is] dating {X}.",
        ),
        (
            "{S} [am|is] seeing somebody new, {X}.",
            "{S} broke up with {Y} and [am|is] dating {X} now.",
            "{S} and {X} are together now.",
            "{S} introduced {X} as {her} new partner.",
            "{S} and {X} got together.",
        ),
        ("{S} and {X} got together {T}.", "{S} [have|has] been dating {X} since {T2}."),
    ),
    "dish": Wordings(
        "What is {my} favourite food?",
        (
            "{My} favourite dish is {X}.",
            "{S} could eat {X} every day, no dish comes close.",
            "Nothing beats {X}, {S} [say|says].",
            "{S} [love|loves] {X} more than any other food.",
            "If {S} may choose, it is always {X}.",
            "{X} is {my} favourite food.",
        ),
        (
            "{My} new favourite dish is {X}.",
            "{S} [am|is] over {Y}; it is {X} now.",
            "{S} used to love {Y}, but {my} favourite is {X} now.",
            "These days {my} favourite food is {X}.",
        ),
    ),
    "hobby": Wordings(
        "What [do|does] {S} do in {her} free time?",
        (
            "{S} [do|does] {X} every week.",
            "{S} [spend|spends] many a weekend on {X}.",
            "One thing {S} [do|does] for fun is {X}.",
            "{X} helps {S2} to relax.",
            "{S} [am|is] really into {X}.",
            "{S} went to {X} again on Tuesday.",
        ),
        (
            "{S} took up {X}.",
            "{S} dropped {Y} and [do|does] {X} now.",
            "{S} started with {X} this month.",
            "{S} signed up for {X}.",
        ),
        ("{S} took up {X} {T}.", "{S} [have|has] been doing {X} since {T2}."),
    ),
    "drink": Wordings(
        "What [do|does] {S} drink in the morning?",
        (
            "{S} [drink|drinks] {X} in the morning.",
            "{My} morning drink is {X}.",
            "Before {X} nobody should talk to [me|her] in the morning.",
            "{S} [prefer|prefers] {X} at breakfast.",
            "{S} always [start|starts] the day with {X}.",
            "A cup of {X} is all {S} [need|needs] in the morning.",
        ),
        (
            "{S} switched from {Y} to {X} in the morning.",
            "No more {Y} for [me|her]: {S} [drink|drinks] {X} in the morning now.",
            "{S} [have|has] given up {Y} and [drink|drinks] {X} at breakfast.",
        ),
    ),
    "birthday": Wordings(
        "When is {my} birthday?",
        (
            "{My} birthday is on {X}.",
            "{S} was born on {X}.",
            "{S} [have|has] {her} birthday on {X}.",
            "{S} [turn|turns] a year older on {X}.",
            "Note: {my} birthday, {X}.",
            "We always celebrate {S2} on {X}, {her} birthday.",
        ),
        (),
        (),
        ("I had the wrong date, {my} birthday is {X} and not {Y}.",),
    ),
    "allergy": Wordings(
        "What [am|is] {S} allergic to?",
        (
            "{S} [am|is] allergic to {X}.",
            "{S} cannot eat {X}.",
            "{S} [get|gets] a rash from {X}.",
            "Careful with {X}: {S} [have|has] an allergy.",
            "{My} allergy to {X} is getting worse.",
            "No {X} for [me|her], please, {S} [react|reacts] to it.",
        ),
        (),
    ),
    "dentist": Wordings(
        "Who is {my} dentist?",
        (
            "{My} dentist is {X}.",
            "{S} [go|goes] to {X} for {her} teeth.",
            "Appointment with {X}, {my} dentist, went fine.",
            "{X} looked at {my} teeth again.",
            "{S} [have|has] been seeing {X}, the dentist, for years.",
            "{X} is the dentist {S} [trust|trusts].",
        ),
        (
            "{My} new dentist is {X}.",
            "{S} changed dentists and [go|goes] to {X} now.",
            "{Y} retired, so {X} is {my} dentist now.",
        ),
        ("{X} has been {my} dentist since {T2}.",),
    ),
    "bank": Wordings(
        "Which bank [do|does] {S} use?",
        (
            "{S} [bank|banks] with {X}.",
            "{My} account is at {X}.",
            "{S} [have|has] {her} savings at {X}.",
            "{X} is {my} bank.",
            "{S} [use|uses] {X} for everything to do with money.",
            "The card from {X} is the one {S} [use|uses].",
        ),
        (
            "{S} moved all {her} money to {X}.",
            "{S} switched banks, from {Y} to {X}.",
            "{S} closed the account at {Y} and [use|uses] {X} now.",
        ),
        ("{S} switched to {X}, the bank, {T}.",),
    ),
    "gym": Wordings(
        "Which gym [do|does] {S} go to?",
        (
            "{S} [train|trains] at {X}.",
            "{My} gym is {X}.",
            "{S} [go|goes] to {X} twice a week.",
            "{S} [have|has] a membership at {X}.",
            "{S} went to the gym, {X}, and hardly got a bench.",
            "{S} [swim|swims] and [lift|lifts] at {X}.",
        ),
        (
            "{S} cancelled {Y} and joined {X}.",
            "{My} new gym is {X}.",
            "{S} [train|trains] at {X} now instead of {Y}.",
        ),
        ("{S} changed gyms {T}, to {X}.",),
    ),
    "course": Wordings(
        "What language [am|is] {S} learning?",
        (
            "{S} [am|is] learning {X}.",
            "{S} [take|takes] a {X} class on Thursdays.",
            "{My} {X} is slowly getting better.",
            "{S} [study|studies] {X} with an app on the train.",
            "Homework for the {X} course took [me|her] all evening.",
            "{S} [want|wants] to speak {X} by summer.",
        ),
        (
            "{S} gave up {Y} and [am|is] learning {X} now.",
            "{S} started learning {X}.",
            "{S} signed up for a {X} course.",
        ),
        ("{S} [have|has] been learning {X} since {T2}.", "{S} started a {X} course {T}."),
    ),
    "lead": Wordings(
        "Who leads {P}?",
        (
            "{X} leads {P}.",
            "{X} is in charge of {P}.",
            "{P} is run by {X}.",
            "{X} is the project lead for {P}.",
            "Ask {X} about {P}, it is their project.",
            "{X} manages {P}.",
        ),
        (
            "{X} takes over {P} from {Y}.",
            "{X} is leading {P} now.",
            "{Y} handed {P} over to {X}.",
            "From today {X} leads {P} instead of {Y}.",
        ),
        ("{X} has been leading {P} since {T2}.", "{X} took over {P} {T}."),
        ("I wrote {Y}, but it is {X} who leads {P}.",),
    ),
    "status": Wordings(
        "What is the status of {P}?",
        (
            "{P} is {X}.",
            "The status of {P} is {X}.",
            "As of this week {P} is {X}.",
            "On {P}: {X}.",
            "{P}, in two words: {X}.",
            "If anybody asks, {P} is {X}.",
        ),
        (
            "{P} is now {X}, not {Y} any more.",
            "{P} went from {Y} to {X}.",
            "The status of {P} has changed from {Y} to {X}.",
            "{P} is no longer {Y}, it is {X}.",
        ),
    ),
    "deadline": Wordings(
        "When is the deadline of {P}?",
        (
            "The deadline for {P} is {X}.",
            "{P} is due on {X}.",
            "We have until {X} to finish {P}.",
            "{P} has to be done by {X}.",
            "{P} ships on {X}.",
            "Everything for {P} must be in by {X}.",
        ),
        (
            "The deadline for {P} moved from {Y} to {X}.",
            "{P} is now due on {X}.",
            "The new deadline for {P} is {X}.",
            "{P} got pushed to {X}.",
        ),
        (),
        ("I noted {Y}, but the deadline for {P} is {X}.",),
    ),
    "tool": Wordings(
        "Which database does {P} use?",
        (
            "{P} uses {X} as its database.",
            "The database behind {P} is {X}.",
            "We run {P} on {X}.",
            "{P} stores its data in {X}.",
            "For {P} we decided on {X}.",
            "{X} is the database of {P}.",
        ),
        (
            "{P} moved from {Y} to {X}.",
            "We migrated {P} to {X}.",
            "{P} uses {X} now instead of {Y}.",
        ),
        ("{P} has been on {X} since {T2}.",),
    ),
    "client": Wordings(
        "Who is {P} for?",
        (
            "The client for {P} is {X}.",
            "{P} is for {X}.",
            "We do {P} for {X}.",
            "{X} pays for {P}.",
            "{X} ordered {P}.",
            "{P} is what {X} is waiting for.",
        ),
        (),
    ),
}  # fmt: skip

ABOUT_PEOPLE = (
    "{S} [say|says] hi.",
    "{S} told a long story about a lost suitcase.",
    "{S} looked tired but happy.",
    "We had lunch together and {S} paid.",
    "{S} wants to come by next week.",
    "I owe {S2} a call.",
    "{S} sent pictures from the weekend.",
    "{S} lent me a book about lighthouses.",
    "{S} is in good spirits.",
    "{S} cannot stand the noise upstairs.",
    "{S} asked about the summer.",
    "{S} forgot the umbrella at our place.",
    "{S} laughed so hard that the whole table turned around.",
    "{S} helped me with the shelves.",
    "{S} brought cinnamon buns.",
    "{S} has a cold again.",
)
ABOUT_PROJECTS = (
    "We reviewed {P} for an hour.",
    "{P} needs another round of testing.",
    "The open question on {P} is who writes the documentation.",
    "Two tickets for {P} are still blocked.",
    "{P} looked good in the demo.",
    "Somebody broke the build of {P} last night.",
    "I wrote the first draft of the plan for {P}.",
    "The budget for {P} is tight.",
    "We agreed on the next steps for {P}.",
    "There were good comments on {P} from the reviewers.",
    "{P} has too many meetings.",
    "The numbers for {P} came in better than expected.",
    "I sketched the new screens for {P}.",
    "The risk list of {P} got longer.",
)
WEDDINGS = (
    "{old} got married on Saturday.|{first} took her husband's name: she is {new} now.|It was a lovely party.",
    "{old} is called {new} now.|{first} changed her name after the wedding.|{first} was beaming all day.",
    "{old} married last week and her name is {new} now.|{first} moved in with him.|{first} loved the cake.",
)
OPENINGS = (
    "Morning!", "Hi there.", "Hey, got a minute?", "Hello again.", "How are things?",
    "Sorry for the late reply.", "Quick one before lunch.", "Hope the week treats you well.",
    "Back from a walk.", "So.", "What a day.", "Just a few lines.", "Long time no see!",
)  # fmt: skip
ANSWERS = (
    "Oh, good to know.", "Really? Tell me more.", "Noted.", "Ha, of course.", "I did not expect that.",
    "Thanks for telling me.", "Makes sense.", "Same here, more or less.", "Alright.", "Lovely.",
    "Let's talk about it on Friday.", "I'll keep that in mind.", "Sounds good to me.", "Hm, interesting.",
)  # fmt: skip
CLOSINGS = (
    "Anyway, talk soon.", "Got to run.", "See you tomorrow.", "More another time.", "Take care!",
    "That is all for now.", "Have to catch the bus.", "Enough for today.", "Bye for now.",
)  # fmt: skip
CHATTER = (
    "The {thing} in the {room} is {state} again.",
    "It rained the whole {time} and I forgot my {thing}.",
    "Lunch was {food}, {taste}.",
    "The train was {number} minutes late this {time}.",
    "I slept {well} and woke up at {number} past five.",
    "Watched a film about {topic}; {taste}.",
    "Somebody left a {thing} on the {place}.",
    "Bought {food} and {number} eggs on the way home.",
    "There was a queue at the {place}, as always.",
    "The neighbours are {doing} and it is {state2}.",
    "Could not find my {thing}, it was in the {room} the whole time.",
    "Saw a {animal} near the {place} this {time}.",
    "The {place} was closed for the {time}.",
    "Made {food} for dinner, {taste}.",
    "Read {number} pages about {topic} before falling asleep.",
    "My {body} hurts from sitting too long.",
    "The {thing} arrived {well} packed.",
    "What is the difference between {food} and {food2}?",
    "Can you give me a recipe for {food}?",
    "How do I clean a {thing}?",
    "Write me a short poem about {topic}.",
    "The wifi in the {room} is {state}.",
    "Funny: a {animal} was {doing} outside the window.",
    "Went for a run, {number} kilometres, {taste}.",
)  # fmt: skip
FILLS: Mapping[str, tuple[str, ...]] = {
    "thing": ("kettle", "umbrella", "printer", "lamp", "radio", "scarf", "toaster", "ladder", "blender",
              "parcel", "suitcase", "charger", "bicycle pump", "headset", "doorbell", "drill"),
    "room": ("kitchen", "hallway", "bathroom", "attic", "office", "basement", "living room"),
    "state": ("broken", "leaking", "humming", "stuck", "dusty", "flickering", "fine"),
    "state2": ("loud", "rather nice", "odd", "quiet", "annoying"),
    "time": ("morning", "afternoon", "evening", "weekend", "night"),
    "food": ("soup", "leftover curry", "pancakes", "a cheese sandwich", "noodles", "salad", "lentils",
             "fish cakes", "porridge", "tomatoes", "rye bread", "apple cake", "dumplings", "beans"),
    "food2": ("stew", "risotto", "ramen", "goulash", "crumble", "quiche"),
    "taste": ("not bad at all", "a bit bland", "surprisingly good", "too salty", "so so", "quite fun"),
    "number": ("seven", "twelve", "four", "nine", "twenty", "three", "fifteen"),
    "well": ("badly", "well", "hardly", "poorly", "like a stone"),
    "topic": ("octopuses", "old maps", "the moon", "beekeeping", "tunnels", "glaciers", "typewriters",
              "cathedrals", "volcanoes", "knots", "storms", "silent films"),
    "place": ("bakery", "bus stop", "library", "post office", "harbour", "pharmacy", "car park", "pier"),
    "doing": ("repainting the fence", "moving furniture", "learning the trumpet", "having a party",
              "arguing", "building something", "singing"),
    "animal": ("heron", "fox", "hedgehog", "seagull", "squirrel", "cat"),
    "body": ("back", "neck", "knee", "shoulder"),
}  # fmt: skip
