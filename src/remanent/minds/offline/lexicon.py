"""Word lists of the offline mind, all in lower case."""

from __future__ import annotations

from remanent.anchors.rules.nicknames import GIVEN_NAMES


def words(text: str) -> frozenset[str]:
    """The words of a list written as one text."""
    return frozenset(text.split())


FIRST_PERSON = words("i me my mine myself")
FEMALE = words("she her hers herself")
MALE = words("he him his himself")
PLURAL = words("we us our ours ourselves they them their theirs themselves")

PARTNERS = words(
    "wife husband partner girlfriend boyfriend fiancé fiancée fiance fiancee spouse ex"
)
PARENTS = words(
    "mother father mom mum dad mama papa mommy daddy stepmother stepfather stepmom stepdad"
)
CHILDREN = words("son daughter child kid baby toddler stepson stepdaughter twin")
RELATIVES = (
    PARENTS
    | CHILDREN
    | words(
        "sister brother sibling aunt uncle cousin niece nephew grandmother grandfather grandma"
        " grandpa granny granddaughter grandson mother-in-law father-in-law sister-in-law"
        " brother-in-law godmother godfather goddaughter godson"
    )
)
FRIENDS = words(
    "friend buddy pal bestie neighbour neighbor roommate flatmate housemate classmate mate"
)
COLLEAGUES = words(
    "colleague coworker co-worker teammate boss manager supervisor mentor assistant intern client"
    " customer lead report cofounder co-founder director"
)
CARERS = words(
    "doctor therapist dentist teacher coach trainer instructor tutor counselor counsellor lawyer"
    " accountant landlord landlady nanny vet babysitter plumber"
)
PETS = words("dog cat puppy kitten parrot hamster rabbit bunny horse pony turtle goldfish pet")
ROLES = PARTNERS | RELATIVES | FRIENDS | COLLEAGUES | CARERS
"""Nouns that tie a person to whoever possesses them."""

CLOSE = PARTNERS | RELATIVES | words("bestie roommate flatmate housemate")

TITLES = words(
    "mr mrs ms miss dr prof professor sir madam aunt uncle grandma grandpa captain coach"
)
TITLES |= frozenset(f"{title}." for title in ("mr", "mrs", "ms", "dr", "prof"))

NEVER_NAMES = words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december today tomorrow yesterday tonight morning"
    " evening afternoon noon weekend spring summer autumn fall winter christmas easter halloween"
    " thanksgiving new-year hey hi hello wow thanks thank yeah yep yes no nope ok okay oh ah aw aww"
    " haha hahaha lol omg congrats congratulations bye goodbye cheers sorry please sure absolutely"
    " totally definitely exactly cool great awesome amazing nice good glad agreed dear god gosh"
    " jesus damn gonna wanna gotta kinda btw fyi asap pm am et est pst cet utc i you he she we they"
    " it mom mum dad mommy daddy grandma grandpa well so gee yay phew whoa hmm mm uh um re fwd"
    " best regards sincerely love hugs till til lets let got having taking looking sounds looks"
    " keep that this what who when where why how lunch dinner breakfast brunch meeting call drinks dude"
    " ugh geez lmao omfg rip imo yup yay tons mon tue tues wed thu thur thurs fri sat sun last next president governor government minister king queen"
)

GREETINGS = words(
    "hey hi hello wow thanks thank yeah yep yes nope ok okay oh aw aww haha lol congrats"
    " congratulations bye goodbye cheers sorry welcome absolutely totally definitely exactly agreed"
    " sure cool great awesome amazing nice glad gosh yay phew whoa"
)

GENERIC = words(
    "thing stuff time day week month year way lot kind sort one bit something anything everything"
    " nothing someone anyone everyone people person guy man woman today tomorrow yesterday tonight"
    " morning evening afternoon night weekend moment minute hour second place part point case fact"
    " idea reason example question answer word number name end start side couple few rest thank"
    " thanks hey wow yeah ok okay hi hello luck sense chance matter problem issue life world while"
    " it you he she they we i that this these those what who which all some any none other another"
    " deal mind feeling hope look touch talk fun piece step set type level change news pic picture"
    " photo image pleasure joy share memory experience favorite favourite kid child family friend"
    " mom mum dad guys plan goal love support inspiration spot difference impact heart state work key"
    " resource effort attention feel success power role challenge result choice list hand eye face"
    " head opportunity vibe passion journey dream progress process strength advice help interest game"
    " space style area member fan item stuff view comfort positivity beauty energy happiness peace"
    " smile conversation message post stuff future past present past connection difference amount"
    " ton bunch pair group event"
)

LANGUAGES = words(
    "english spanish french german italian portuguese norwegian swedish danish finnish dutch polish"
    " russian ukrainian greek turkish arabic hebrew hindi urdu bengali chinese mandarin cantonese"
    " japanese korean vietnamese thai latin welsh irish swahili"
)

MODALS = words("would could should might may must can will shall 'd 'll")
HYPOTHETICAL = words("if unless whether suppose imagine wish maybe perhaps probably wonder guess")
TRANSIENT = words(
    "tired hungry thirsty sleepy bored busy late ready back here sure sorry glad happy excited afraid"
    " ok okay fine good great well done sick cold hot free thrilled stoked pumped swamped curious"
    " proud grateful thankful impressed surprised confused lost stuck kidding joking serious off"
)
TRANSIENT_TIME = words(
    "today tonight tomorrow yesterday now soon later currently morning afternoon evening minute moment"
)

LIKE_VERBS = words("like love enjoy adore prefer fancy dig")
HATE_VERBS = words("hate dislike loathe detest despise")
WANT_VERBS = words("want plan hope intend aim dream wish")
OPINION_VERBS = words(
    "think guess hope believe wonder suppose mean know see agree bet feel remember hear understand"
)
HUMAN_VERBS = words(
    "say tell think know want feel ask move live work love like hate go come call write start"
    " decide meet visit help try believe hope plan get have make agree mention suggest marry teach"
    " study learn prefer enjoy quit join run lead manage cook paint sing play"
)

POSITIVE = words(
    "love great good wonderful amazing happy glad enjoy like kind sweet helpful best awesome fantastic"
    " proud support supportive caring thankful grateful fun beautiful excited excellent nice trust"
    " admire appreciate adore brilliant generous warm delight pleasure thrilled inspiring close"
)
NEGATIVE = words(
    "hate awful bad terrible angry annoyed annoying upset sad worried worry fight argue argument toxic"
    " dislike mean rude unfair horrible worst difficult stress stressful lie cheat conflict problem"
    " disappointed disappoint frustrating frustrated jealous afraid fear dreadful tired"
)

HEALTH = words(
    "allergy allergic asthma diabetes diabetic epilepsy epileptic medication medicine insulin"
    " anaphylaxis epipen pacemaker disability disease cancer surgery pregnant diagnosis diagnose"
    " coeliac celiac intolerant intolerance vegetarian vegan emergency penicillin blood password"
)
JOBS = words(
    "nurse teacher doctor lawyer engineer developer programmer designer accountant chef cook waiter"
    " waitress student pilot driver farmer plumber electrician carpenter architect scientist"
    " researcher professor manager consultant analyst writer journalist editor artist musician actor"
    " actress photographer pharmacist dentist surgeon vet veterinarian therapist psychologist"
    " counselor counsellor barista bartender baker butcher mechanic firefighter soldier librarian"
    " secretary receptionist cashier salesman salesperson realtor banker economist translator tutor"
    " coach trainer paramedic physiotherapist biologist chemist physicist mathematician postdoc intern"
    " policeman policewoman detective judge politician tailor hairdresser gardener painter"
)
IDENTITY = words(
    "live move home address born birthday marry married engaged divorce divorced single wife husband"
    " partner girlfriend boyfriend son daughter sister brother mother father mom dad child kid work"
    " job employer company employ boss promotion retire retired name surname nationality citizen"
    " career study degree university graduate reside join hire phone number age religion"
)
PLANS = WANT_VERBS | words("deadline meeting appointment trip schedule flight interview conference")

FIRST_NAMES = words(
    "james john robert michael william david richard joseph thomas charles christopher daniel matthew"
    " anthony mark donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy"
    " jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin"
    " samuel gregory frank alexander raymond patrick jack dennis jerry tyler aaron jose adam henry"
    " nathan douglas zachary peter kyle walter ethan jeremy harold keith christian roger noah gerald"
    " carl terry sean austin arthur lawrence jesse dylan bryan joe jordan billy bruce albert willie"
    " gabriel logan alan juan wayne roy ralph randy eugene vincent russell elijah louis bobby philip"
    " johnny mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty"
    " margaret sandra ashley kimberly emily donna michelle carol amanda dorothy melissa deborah"
    " stephanie rebecca sharon laura cynthia kathleen amy angela shirley anna brenda pamela emma nicole"
    " helen samantha katherine christine debra rachel carolyn janet catherine maria heather diane ruth"
    " julie olivia joyce virginia victoria kelly lauren christina joan evelyn judith megan andrea"
    " cheryl hannah jacqueline martha gloria teresa ann sara madison frances kathryn janice jean abigail"
    " alice julia judy sophia grace denise amber doris marilyn danielle beverly isabella theresa diana"
    " natalie brittany charlotte marie kayla alexis lori tom tim tony sam ben dan dave mike matt nick"
    " chris steve greg jim bob bill ed fred ken ron ted will max leo luke alex charlie harry oscar"
    " oliver liam lucas mason owen caleb isaac simon felix hugo ivan igor sergei dmitri marco luca"
    " mario paolo giovanni pedro carlos luis miguel pablo javier diego hans klaus jürgen lars sven erik"
    " bjørn olaf ola kari ingrid astrid solveig nils magnus anders henrik mikkel freya sofia elena"
    " natasha olga tatiana irina svetlana katya anya priya anjali deepa ravi raj arjun amit vikram sanjay"
    " rahul aisha fatima omar ali hassan ahmed mohammed yusuf ibrahim leila zara noor wei ming li chen"
    " yuki kenji haruto sakura hiroshi akira mei jing min-jun soo-jin kate katie jane jen jenny jess"
    " becky beth liz lizzie meg mel melanie molly nina nora pam peggy penny rosa rose sally sandy sophie"
    " stella sue susie tara tess tina vera wendy zoe zoey ada claire clara chloe ella eva eve fiona gina"
    " hazel holly iris ivy jade joanna kim lily lucy lydia mia caroline audrey bella naomi paula ricky"
    " gina deborah jolene joanne nate jo joanna calvin evan andrew tobias emil matthias stefan ines"
    " camille chloé amélie pierre jacques antoine françois thierry bruno rafael thiago joão ana beatriz"
    " lucia carmen isabel marta silvia giulia francesca chiara casey dana"
)
ALSO_PLACES = words(
    "virginia jordan austin madison charlotte georgia carolina florence sydney paris savannah lincoln"
    " houston dallas denver chelsea victoria israel chad kent lorraine adelaide santiago brittany"
)
"""Given names that are places as often."""

COMMON_WORDS = words(
    "will mark rose grace may june april hope faith joy bill art rob pat sue jack max ray gene dawn amber"
    " holly iris ivy jade lily hazel penny sandy sky rich frank grant miles drew chase dick john li min"
    " wei ming mason tyler ali ed jean ron ken dan can jo"
)
"""Given names that are not taken for one without their capital."""

ORGANIZATION_WORDS = words(
    "inc ltd llc corp corporation company co gmbh plc group holdings partners associates consulting"
    " ventures capital bank insurance institute university college school academy hospital clinic"
    " foundation association society committee council agency ministry department commission union"
    " party church club league team orchestra choir band records recordings studio studios productions"
    " pictures entertainment media press times post news television radio network networks broadcasting"
    " airlines airways motors systems software technologies technology labs laboratories solutions"
    " industries services energy pharmaceuticals hotel museum library theatre theater restaurant cafe"
    " café bakery bar pub store shop stores market brothers sons railway railroad federation alliance"
    " organisation organization enterprises logistics electronics foods boats properties fc trust"
)
PLACE_WORDS = words(
    "street avenue road boulevard lane drive square park bridge lake river mountain mountains island"
    " islands beach county city valley airport station bay hills springs reserve terrace turnpike"
    " highway forest desert ocean sea peninsula plaza harbor harbour canyon falls creek peak cathedral"
    " castle palace stadium arena tower building district village province"
)
"""What a longer name ends with that is no person's."""

FIRST_NAMES |= {name for name in GIVEN_NAMES - COMMON_WORDS if len(name) > 2}


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
