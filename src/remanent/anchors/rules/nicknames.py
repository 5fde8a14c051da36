"""Which short forms a given name has: Bob is short for Robert.

The common English given names of `names.csv` of https://github.com/carltonnorthern/nicknames (Old
Dominion University, Web Science and Digital Libraries Research Group; Apache-2.0), and common forms that
it lacks. Left out is what is mostly a name of its own today: Erin for Aaron, Emily for Amelia,
Ian for John. One short form may stand for several names: Alex for Alexander and Alexandra.
"""

from __future__ import annotations

_TABLE = """
aaron: ron ronnie
abigail: abbe abbey abbi abbie abby gail
abraham: abe
addison: addie addy
alan: al
albert: al bert bertie albie
alejandro: ale alex
alex: al lex
alexander: al alec alex sandy xander lex sasha
alexandra: alex alexa lexi lexie sandy ali sasha
alexis: alex lexi lexie
alfred: al alf alfie fred freddy freddie
alice: allie ali
alicia: allie ali
alison: ali allie ally
alistair: al ali
allan: al
allen: al
allison: ali allie ally
alyssa: aly ally lissa
amanda: mandy manda
amelia: amy mel millie
anastasia: ana stacy nastya
andrea: andi andy drea
andrew: andy drew
angela: angie ange
angelica: angie
angelina: angie lina
anna: annie ann
annabel: anna belle bella
anne: annie nan
anthony: ant tony
antonia: toni tony
antonio: tony toni
arabella: bella belle
archibald: archie arch
arnold: arnie
arthur: art artie
ashley: ash
audrey: audie
augustus: gus
barbara: babs barb barbie bobbie barby
beatrice: bea trixie
ben: benny
benedict: ben benny bennie
benjamin: ben benjy bennie benny benji
bennett: ben
bernard: bernie
bethany: beth
beverly: bev
bill: billy
bob: bobby
bradley: brad
brianna: bri
bridget: biddy
brittany: britt
caitlin: cait caity kate katie
caleb: cal
calvin: cal
cameron: cam
carla: carly
carol: carrie
caroline: carol carrie caro
carolyn: carol carrie
cassandra: cass cassie sandra sandy
cassidy: cass cassie
catherine: cat cathy cath kate katie kathy katy kit kitty cate kay trina
cecilia: celia cece cissy
charles: charlie chas chuck charley chip
charlotte: char charlie lottie lotte
chelsea: chels
cheryl: cher
chris: chrissy
christian: chris
christina: chris chrissy christy tina kris kristy crissy
christine: chris chrissy christy tina kris kristy crissy
christopher: chris kit topher
clifford: cliff
constance: connie
courtney: court
curtis: curt
cynthia: cindy
dan: danny
daniel: dan danny dani
daniela: dani ella
danielle: dani ellie
darren: daz
david: dave davey davy
deborah: deb debbie debby
debra: deb debbie debby
dennis: denny den
diana: di
diane: di
dominic: dom nic nick
donald: don donnie donny
dorothy: dot dottie dolly dora dotty
douglas: doug dougie
ed: eddie eddy
edgar: ed eddie eddy
edith: edie
edmund: ed eddie eddy ned ted
edward: ed eddie eddy ned ted teddy
edwin: ed eddie eddy win
eleanor: ellie elly nell nelly nora ella lena
elijah: eli
elisabeth: bess beth betsy betty eliza libby lisa liz liza lizzie lizzy elsie lisbeth
elizabeth: bess bessie beth betsy betty eliza libby lisa liz liza lizzie lizzy elsie lilibet
ellen: nell nellie ellie
emily: em emmy millie emmie
emma: em emmy emmie
eric: rick ricky
ernest: ernie
esther: essie
eugene: gene
evangeline: eva eve evie
evelyn: ev eve evie
felicity: fliss flick
fiona: fi
florence: flo flossie florrie
frances: fran franny frannie frankie fanny
francesca: fran franny frankie
francis: frank frankie fran
franklin: frank frankie
frederick: fred freddie freddy fritz rick ricky
gabriel: gabe gabby
gabriella: gabby ella gaby
gabrielle: gabby gaby
geoffrey: geoff jeff
george: georgie
georgia: georgie
georgina: georgie gina
gerald: gerry jerry
giovanni: gio
gregory: greg gregg
harold: hal harry
harriet: hattie harri
harrison: harry
helen: nell ellie
helena: lena nell
henrietta: etta hattie hettie
henry: hal hank harry
herbert: herb bert
howard: howie
isaac: ike zac
isabel: bella belle issy izzy
isabella: bella belle issy izzy ella
isabelle: bella belle issy izzy
jackson: jack
jacob: jake jay
jacqueline: jackie jacqui
james: jamie jim jimmie jimmy jem
jane: janie
janet: jan
janice: jan
jasmine: jas jaz jazz
jason: jay jase
javier: javi
jean: jeannie
jeffery: jeff
jeffrey: jeff
jennifer: jen jenn jenni jennie jenny
jeremy: jem jerry jez
jessica: jess jessie
jessie: jess
jim: jimmy
joan: jo joanie
joanna: jo joan
joanne: jo
joe: joey
johanna: jo hanna
john: jack johnny jon johnnie jock jonny jonnie
johnathan: john johnny jon nathan jonny
jon: jonny
jonathan: jon jonny jono nathan johnny jonnie
joseph: joe joey jo
josephine: jo josie jojo posy
joshua: josh
judith: judy jude judi judie
julia: jules julie
julian: jules
julie: jules
kate: katie
katelyn: kate katie
katherine: kat kate kath kathy katie katy kay kit kitty cathy trina
kathleen: kat kathy kath katie cathy katy kay
kathryn: kat kate kath kathy katie katy
katrina: kat trina
kayla: kay
kelly: kel
ken: kenny
kenneth: ken kenny
kevin: kev
kimberley: kim kimmy
kimberly: kim kimmy
kristen: kris kristy chris
kristin: kris kristy chris
kristina: kris kristy tina
kristine: kris kristy tina chris christy
kristoffer: kris stoffer chris
kristopher: kris chris
lauren: laurie ren lori
laurence: larry laurie lon
lawrence: larry laurie lawrie lon lonny
leonard: len lenny leo
leslie: les
lester: les
lillian: lil lilly lily
linda: lindy
liz: lizzie
louis: lou louie
louisa: lou lulu
louise: lou lulu
lucas: luke luc
madeleine: maddie maddy
madeline: maddie maddy
madelyn: maddie maddy
madison: maddie maddy
malcolm: mal mac malc
marcus: marc mark
margaret: daisy greta madge maggie marge margie meg peg peggy rita maggy margo mags
margarita: rita margo
martha: marty mattie patty
martin: marty
marvin: marv
mary: molly polly mae mamie
matilda: mattie tilly tilda matty
matt: matty
matthew: matt matty
matthias: matt
maximilian: max maxi
maxwell: max
megan: meg megs
melanie: mel
melinda: mel mindy
melissa: mel missy lissa
michael: mick mickey mike mikey micky
michaela: mika
michelle: chelle shelly mich shelley
mike: mikey
miranda: mandy randi
mitchell: mitch
mohamed: mo
mohammed: mo
muhammad: mo
nancy: nan
natalia: nat tali
natalie: nat
natasha: nat tasha tash
nathan: nat nate
nathaniel: nat nate nathan
nicholas: nic nick nicky nico nickie
nick: nicky
nicola: nic nicky nikki
nicolas: nic nick nico nicky
nicole: nic nicky nikki nicki
norman: norm
oliver: ollie oli
olivia: liv livvy livia ollie
pamela: pam
pat: patty
patricia: pat patsy patti patty tricia trish trisha
patrick: paddy pat
penelope: penny pen
peter: pete
philip: phil pip
philippa: pip pippa
phillip: phil pip
rachel: rach
rafael: rafa raf
randall: randy
raphael: raf rafe
raymond: ray
rebecca: becca beck becky becks
rebekah: becca beck becky becks
reginald: reg reggie
ricardo: rick ricky
richard: dick rich richie rick ricky dickie dicky
rick: ricky
rob: robbie
robert: bert bob bobby rob robbie robby bobbie
roberta: bobbie robbie
roberto: rob beto
rodney: rod
ron: ronnie
ronald: ron ronnie ronny
rose: rosie
rosemary: rose rosie romy rosey
russell: russ rusty
ryan: ry
salvatore: sal
sam: sammy
samantha: sam sammy
samuel: sam sammy
sandra: sandy
sarah: sally sadie
scott: scotty
sebastian: seb bas bastian sebby
sidney: sid syd
simon: si
sophia: sophie soph
stanley: stan
stephanie: steph stephie stevie steffi steffie
stephen: steph steve stevie
steve: stevie
steven: steve stevie steph
stewart: stew stu
stuart: stu
sue: susie
susan: sue susie suzie suze
susanna: sue susie susan
susannah: sue susie suzie susan
suzanne: sue susie suzie suze
sydney: syd sid
tabitha: tabby
tamara: tammy tam
ted: teddy
terence: terry tel
teresa: terry tess tessa
theodore: ted teddy theo
theresa: terry tess tessa tracy
thomas: tom tommy thom
tiffany: tiff
tim: timmy
timothy: tim timmy
tobias: toby tobi
tom: tommy
valerie: val
vanessa: nessa ness
veronica: ronnie roni nica
victor: vic
victoria: tori tory vic vicki vickie vicky torrie
vincent: vin vince vinnie vinny vic
virginia: ginny ginger
vivian: viv vi
vivienne: viv
wallace: wally
walter: wally walt
wesley: wes
wilfred: wilf fred will
will: willie
william: bill billy will willie willy wills
winifred: winnie freddie
zachary: zac zach zack zak
zachery: zac zach zack zak
"""


def _short_forms() -> dict[str, frozenset[str]]:
    rows = (line.split(": ") for line in _TABLE.strip().splitlines())
    return {full: frozenset(forms.split()) for full, forms in rows}


def _long_forms() -> dict[str, frozenset[str]]:
    forms = {short for shorts in _SHORT_FORMS.values() for short in shorts}
    return {
        form: frozenset(full for full, shorts in _SHORT_FORMS.items() if form in shorts)
        for form in forms
    }


_SHORT_FORMS = _short_forms()
_LONG_FORMS = _long_forms()

GIVEN_NAMES = frozenset(_SHORT_FORMS) | frozenset(_LONG_FORMS)
"""Every given name of the table, long or short."""


def is_short_for(short: str, full: str) -> bool:
    """Whether `short` is a known short form of the given name `full`; no name is one of itself."""
    return short.casefold() in _SHORT_FORMS.get(full.casefold(), ())


def short_forms(full: str) -> frozenset[str]:
    """What a given name is shortened to."""
    return _SHORT_FORMS.get(full.casefold(), frozenset())


def long_forms(short: str) -> frozenset[str]:
    """The given names that are shortened so."""
    return _LONG_FORMS.get(short.casefold(), frozenset())
