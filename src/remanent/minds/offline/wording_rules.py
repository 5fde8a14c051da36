"""The rules of `wordings`, tried in this order, each on what the one before has left."""

from __future__ import annotations

APPOSED = r"""
# what a name behind or before a comma is
X (?:have |has )?(?:joined|switched to|moved to|went to) Y, (?:the|a|my|our|his|her) gym(?:,? .*)? = X. gym is Y
X (?:have |has )?(?:joined|switched to|moved to|went to) Y, (?:the|a|my|our|his|her) bank(?:,? .*)? = X. account is at Y
X (?:have |has )?changed gyms(?: (?:in|on|last|this) [\w ]+?)?,? to Y = X. gym is Y
X (?:have|has) been driving an? Y(?: since [^,;]+)?(?:, .+)? = X. car is a Y
X (?:have |has )?(?:switched|changed) banks,? (?:from Y )?to Z = X. account is at Z
X (?:am|is|are|have been|has been) seeing Y, (?:the|a|my|his|her|their) PRO(?:,? .*)? = X. PRO is Y
X (?:am|is|are) (?:seeing|dating) (?:somebody|someone)(?: new| else)?, (?=(?-i:[A-Z]))Y = X [be] dating Y
Life in X (?:suits|agrees with) me(?:, I say)? = I live in X
Life in X (?:suits|agrees with) (?:him|her|them), Y says = Y [live] in X
At X, where Y works?, .+ = Y [work] at X
X BE at Y, (?:in |on |at )?(?:the )?same (?:team|job|role|desk|department|office) = X [work] at Y
As an? JOB, X .+ = X [work] as a JOB
X DO (?:do|does) what an? JOB does(?:,? .+)? = X [work] as a JOB
"""
"""Tried first, before what stands behind a comma is put aside."""
RULES = r"""
# what something named has one of
The (?:deadline|due date) (?:of|for) (?:the )?X (?:has |was |got |has been |is )?(?:moved|changed|pushed|shifted|slipped|postponed)(?: from Y)? to Z = the X deadline is Z
(?=(?-i:[A-Z]\w+ [A-Z]))X (?:has been|was|is|got) (?:moved|pushed|pushed back|postponed|rescheduled|delayed) (?:to|until) Y = the X deadline is Y
The status of X (?:is|has changed to|changed to) (?:cancelled|canceled|called off|scrapped) = X is cancelled
The status of X (?:is|has changed to|changed to) Y = X. status is Y
X DO uses? Y as (?:its|their|our|the) W = X. W [be] Y
The (engine|database|company|person|team|idea|firm) behind (?=(?-i:[A-Z]))Y BE X = Y. % [be] X
X BE the (?:project |team |tech )?(?:lead|leader|manager|head) (?:of|for) Y = X [lead] Y
(?=(?-i:[A-Z]))X (?:is|are) leading Y = X [lead] Y
(?=(?-i:[A-Z]))X BE (?:led|headed|run|managed|directed|overseen) by (?=(?-i:[A-Z]))Y = Y [lead] X
(?=(?-i:[A-Z]))X DO (?:heads|manages|oversees|directs) (?=(?-i:[A-Z]))Y = X [lead] Y
Y handed X over to Z = Z [lead] X
P (?:mobile|cell|mobile number|cell number|number|phone) BE (\+?\d[\d ]+?)(?: since .+)? = P phone number [be] %
P partner BE (?:called )?(?=(?-i:[A-Z]))X = P. [be] dating X
X DO banks? (?:with|at) Y = X. account [be] at Y
X BE P bank = P account [be] at X
P bank BE X = P account [be] at X
X (?:have|has) (?:my|his|her|their|our) (?:money|account|accounts|current account) (?:at|with|in) Y = X. account is at Y
# whom one goes to see, and where one trains
X BE the PRO (?:that |who |whom )?Y (?:trusts?|sees?|goes to|go to|uses?) = Y. PRO [be] X
X (?:has|have) been P PRO since .+ = P PRO is X
(?=Dr\.? )X looked at P teeth(?: .+)? = P dentist is X
X DO (?:goes|go) to Y for (?:my|his|her|their) teeth = X. dentist [be] Y
X (?:has |have )?changed PROs? and (?:goes|go) to Y = X. PRO is Y
X DO (?:trains?|works? out) at (?=(?-i:[A-Z]))Y = X. gym [be] Y
X DO (?:goes|go) to ((?-i:[A-Z])[\w' ]*?(?-i:Gym|Fitness)(?: (?-i:[A-Z])\w+)?)(?: (?:N|one|on|every|each) ?.*)? = X. gym [be] %1
# what a project is due on and runs on
We (?:have|have got) until Y to (?:finish|complete|deliver|submit|hand in|wrap up) (?:the )?X = the X deadline is Y
(?:The )?X (?:has to|have to|needs to|need to|must) be (?:done|finished|ready|delivered|submitted|complete|completed) by Y = the X deadline is Y
Everything for (?:the )?X (?:has to|needs to|must) be (?:in|done|finished|ready) by Y = the X deadline is Y
We (?:run|host|keep) X on DB = X. database is DB
X (?:runs|is running|was built|is built) on DB = X. database is DB
X (?:stores|keeps) (?:all )?(?:its|their|our) data in DB = X. database is DB
For X we (?:decided on|chose|picked|went with|settled on) DB = X. database is DB
We (?:have )?(?:migrated|moved|ported) X (?:from .+ )?to DB = X. database is DB
X (?:has |have )?(?:migrated|moved|switched) (?:from .+ )?to DB = X. database is DB
# a job by its title
P (?:job title|profession|occupation) BE (?:an? )?([\w -]+) lead = P. [work] as a %1 leader
P (?:job title|profession|occupation) BE (?:an? )?X = P. [work] as a X
# couples
X and (?:I|me) (?:have )?(?:got|gotten) together(?: (?:in|since|on \d) ?.+)? = I am dating X
X and (?:I|me) have been together(?: .+)? = I am dating X
X and Y (?:have |has )?(?:got|gotten) together(?: (?:in|since|on \d) ?.+)? = X [be] dating Y
X and Y have been together(?: .+)? = X [be] dating Y
X introduced Y as (?:my|his|her|their) (?:new )?(?:partner|boyfriend|girlfriend) = X [be] dating Y
X moved P account to Y = P account [be] at Y
X (?:have |has )?(?:moved|transferred) all (?:of )?(?:P )?(?:money|savings|accounts) (?:over )?to Y = X. account is at Y
# a change told with what it changed from
X used to be Y(?:,)? but (?:it is|that is) Z = X [be] Z
X (?:has|have) moved from Y to Z = X moved to Z
X moved from Y to Z = X moved to Z
X W Y instead of Z = X W Y
X (?:has |have )?switched (?:from .+ )?to Y = X joined Y
# there is
There (?:is|are) no X (\w+ing)(.*) = the X is not % %2
There (?:is|are) (?:an? |some )?X (?!morning|evening|building|meeting|wedding|thing|king|ring|spring)(\w+ing) Y = a X is % Y
(?:Nobody|No one|No-one) (is|are|was|has|does) X = somebody % not X
No X (is|are) (\w+ing)(.*) = the X is not %2 %3
# of mine
X BE an? Y of mine = X [be] my Y
X BE an? Y of Z's = X [be] Z. Y
X and (?:I|me) are (?:good |close )?(friend|colleague|neighbour|neighbor|roommate|flatmate|cousin)s = X is my %
X and (?:I|me) are not (?:good |close )?(friend|colleague|neighbour|neighbor|roommate|flatmate|cousin)s = X is not my %
I BE (?:good |close )?friends with X = X [be] my friend
X and (?:I|me) work together = X is my colleague
I DO work with (?=(?-i:[A-Z]))X = X [be] my colleague
X lives next door(?: to (?:me|us))? = X is my neighbour
# homes
X is where Y (?:come|comes|am|is|are) from = Y [be] from X
You (?:will|can) find X (in|on|at|under|near) Y = X [be] % Y
X is where Y (?:live|lives|reside|resides) = Y [live] in X
X (?:is|am|are) living (in|at|with|on|near) Y = X [live] % Y
X have been living in Y(?: for .+)? = X [live] in Y
X has been living in Y(?: for .+)? = X [live] in Y
X DO (?:have|has) (?:my|his|her|their) home in Y = X [live] in Y
X BE a resident of Y = X [live] in Y
P (?:place|flat|apartment|house|home|residence) BE in (?=(?-i:[A-Z]))X = P. [live] in X
P (?:place|flat|apartment|house|home) BE on the X floor = P. [live] on the X floor
P address BE X = P. [live] at X
P new address BE X = P. [live] at X
X spent (?:my|his|her|their) childhood in Y = X grew up in Y
X was raised in Y = X grew up in Y
P (?:birthplace|place of birth) BE X = P. was born in X
X BE P (?:birthplace|place of birth) = P. was born in X
X BE P home ?town = P hometown is X
P home town BE X = P hometown is X
X and (?:I|me) live together = I live with X
X and Y live together = X lives with Y
X DO shares? (?:a|an|the|my|his|her|our) (?:flat|apartment|house|room|place) with Y = X [live] with Y
X DO shares? an? (?:flat|apartment|house|room|place) in Y = X [live] in Y
X BE P (?:flatmate|roommate|housemate) = P. [live] with X
P (?:flatmate|roommate|housemate) BE X = P. [live] with X
X DO lives? (?:by (?:my|him|her|them|our)sel(?:f|ves)|on (?:my|his|her|their|our) own) = X [live] alone
X DO lives? (?:close to|next to|not far from|nearby) Y = X [live] near Y
X BE (?:located|situated) (in|at|on|near) Y = X [be] % Y
X (?:has|have) (?:its|their|our) (?:headquarters|head office|main office) in Y = X is headquartered in Y
X'?s (?:headquarters|head office) (?:is|are) in Y = X is headquartered in Y
X (?:is|are|am) renting Y in Z = X [rent] Y in Z
X (?:has |have )?moved (?:away from|out of) Y = X [live!] in Y
X (?:has |have )?left Y for Z = X moved to Z
The (house|flat|apartment) X lives? in is Y = X. % is Y
# work
X BE P employer = P. [work] at X
P employer BE X = P. [work] at X
X BE (?:employed|working) (?:at|by|for|with) Y = X [work] at Y
X (?:has|have|got|took|found|landed) (?:a|a new) (?:job|position) (?:at|with) Y = X [work] at Y
X BE an employee (?:of|at) Y = X [work] at Y
X BE an? W employee = X [work] at W
P job BE (?:being|to be|that of) an? X = P. [work] as a X
X BE (?:training|studying|learning) to (?:be|become) an? Y = X [train] as a Y
X (?:earns?|makes?) (?:my|his|her|their|a) living as an? Y = X [work] as a Y
X DO reports? to Y = X. boss [be] Y
P (?:manager|supervisor|line manager) BE X = P boss [be] X
X BE P (?:manager|supervisor|line manager|boss) = P boss [be] X
X (?:was|were|got|has been|have been) (?:fired|laid off|let go|sacked|dismissed) (?:from|by|at) Y = X [work!] at Y
X (?:has |have )?(?:quit|left|lost|resigned from) (?:my|his|her|their|the) (?:job|position|post) (?:at|with) Y = X [work!] at Y
X (?:has |have )?(?:resigned from|left|quit) (?=(?-i:[A-Z]))Y = X [work!] at Y
X (?:has |have )?lost (?:my|his|her|their|our) job = X [have!] a job
X (?:has |have )?graduated from (?=(?-i:[A-Z]))([\w ]+?)(?: (?:in|last|this) .*)? = X [study!] at %
X (?:has |have )?dropped out of Y = X [study!] at Y
X BE a student (?:at|of) Y = X [study] at Y
X BE enrolled at Y = X [study] at Y
X BE (?:unemployed|out of work|jobless|between jobs) = X [have!] a job
X (?:has|have) retired = X [be] retired
X DO works? (?:remotely|from home) = X [work] at home
X DO works? (?:in|from) the office = X [work] at the office
X (?:joined|started (?:working )?at|started work at) Y (?:in|on) N = X started at Y in N
X (?:has|have) (?:been|worked) (?:at|for|with) Y since N = X started at Y in N
P (?:working day|workday|work day|work) (?:starts|begins) at X = P. start work at X
X BE (?:in charge of|responsible for|(?:the )?(?:head|leader|lead|manager|director) of) Y = X [lead] Y
The (?:head|leader|lead|manager|director) of Y BE X = X [lead] Y
The person (?:in charge of|responsible for) Y BE X = X [lead] Y
Y BE P responsibility = P. [lead] Y
X (?:has |have )?(?:taken|took|takes) over Y(?: from .+)? = X [lead] Y
X DO (?:heads?|runs?|manages?|oversees?|directs?|leads?) (?:up )?the Y = X [lead] the Y
The X BE (?:led|headed|run|managed|directed|overseen) by Y = Y [lead] the X
X BE the owner of Y = X [own] Y
The owner of Y BE X = X [own] Y
X DO belongs? to Y = Y [own] X
X BE owned by Y = Y [own] X
We (?:wrote|write|built|have written) X in Y = X is written in Y
X BE the (?!best|rest|end|start|one|same|only|first|last|most)([\w-]+(?: [\w-]+)?) of (?=(?-i:[A-Z])|the |our |my )Y = Y. % [be] X
The (?!best|rest|end|start|only|first|last|most|price|cost|number|name)([\w-]+(?: [\w-]+)?) of (?=(?-i:[A-Z])|the |our |my )Y BE X = Y. % [be] X
X was (founded|written|built|designed|painted|started|created) by Y = Y % X
X (?:leads|manages|runs|heads) a team of N people = X [lead] a team of N
X (?:lead|manage|run|head) a team of N people = X [lead] a team of N
X manages? a team of N = X [lead] a team of N
P monthly (?:salary|pay|income) BE N = P. [earn] N a month
P (?:yearly|annual) (?:salary|pay|income) BE N = P. [earn] N a year
P (?:salary|pay) BE N a (month|year|week) = P. [earn] N a %
X DO makes? N a (month|year|week) = X [earn] N a %
P major was X = P. majored in X
X BE an? (\w+) teacher = X [teach] %
X BE an? (\w+) player = X [play] %
# likings
I (?:think|believe|feel|guess|reckon) (?:that )?(?!in |of |about |so|like)(.+) = %
X BE the (best|worst|greatest) Y = the % Y [be] X
X (?:is|was) (?:something|what|one thing) (?:that )?Y (love|loves|like|likes|enjoy|enjoys|hate|hates) = Y % X
X BE (?:very |so |totally |absolutely )?(?:into|crazy about|mad about|keen on|fond of|passionate about|a (?:big |huge |great )?(?:fan|lover) of) Y = X [like] Y
X (?:do|does) not care (?:much )?for Y = X [like!] Y
X can not (?:stand|bear) Y = X [hate] Y
X BE (?:a hobby of mine|my hobby|a hobby) = I [like] X
X DO (?:likes?|loves?|enjoys?) (?:to go|going) (\w+ing) = X [like] %
X DO interests? me = I [like] X
X BE interested in Y = X [like] Y
X (?:finds?|found) Y (?:boring|awful|terrible|dull|horrible) = X [like!] Y
X (?:finds?|found) Y (?:exciting|great|wonderful|fascinating|fun) = X [like] Y
X DO (?:scares?|frightens?|terrifies) me = I [be] afraid of X
X BE (?:scared|frightened|terrified) of Y = X [be] afraid of Y
X (?:has |have )?lost interest in Y = X [like!] Y
X (?:has |have )?lost touch with Y = X [be!] in touch with Y
The X (?:that |which )?Y likes? (?:best|most|the most) BE Z = Y. favourite X [be] Z
X BE the Z (?:that |which )?Y likes? (?:best|most|the most) = Y. favourite Z [be] X
X likes? Y (?:best|most) of all(?: the)? (\w+?)s? = X. favourite % is Y
X (?:likes?|loves?|enjoys?) Y (?:more|better) than any other (?:dish|meal|food) = X. favourite food is Y
X (?:likes?|loves?|enjoys?) Y (?:more|better) than any other Z = X. favourite Z is Y
P (?:preferred|top|number one) X BE Y = P favourite X [be] Y
X BE P (favourite|best) Y = P % Y [be] X
X would rather (?:have|drink|eat|take) Y than Z = X [prefer] Y to Z
X would (?:rather choose|choose) Y over Z = X [prefer] Y to Z
X likes? Y (?:better|more) than Z = X [prefer] Y to Z
X would rather Y = X [prefer] to Y
X would like to Y = X [want] to Y
X BE (?:a )?vegetarian = X [eat!] meat
X BE an? (?:night owl|night person|late riser) = X [be] an evening person
X BE an? (?:early bird|early riser|lark) = X [be] a morning person
X daily = X every day
X weekly = X every week
In the (morning|evening|afternoon)(?:,)? X = X in the %
(On (?:weekends|weekdays|\w+days)|Every \w+|At (?:breakfast|lunch|dinner|night)|For (?:breakfast|lunch|dinner)|In \d{4})(?:,)? X = X %
X DO (?:takes?|drinks?|has|have) P (coffee|tea) Y = X [drink] P % Y
# figures
P age BE N = P. [be] N years old
X BE N years of age = X [be] N years old
P weight BE N = P. [weigh] N
X BE (\d[\d.,]* ?(?:cm|m|metres|meters|feet|centimetres|centimeters)) tall = X. height [be] %
X DO pays? N (?:in|for) (?:the )?rent = X. rent [be] N
X (?:has |have )?(?:went up|gone up|rose|risen|increased|dropped|went down|gone down|fell|fallen|changed|was raised|was lowered|grown|shrunk) to N = X [be] N
The (?:price|cost) of X BE N = X [be] N
X DO costs? N = X [be] N
It takes me N to get to (?:work|the office|school) = my commute is N
It takes us N to get to (?:work|the office|school) = our commute is N
P commute takes N = P commute is N
You can (?:reach|call|phone|ring) me (?:at|on|under) N = my phone number is N
You can (?:reach|call|phone|ring) me (?:at|on|under) (\S*\d{3}\S*) = my phone number is %
There (?:is|are) N of us in (?:the|our) family = our family has N people
We are N in (?:the|our) Y = our Y [have] N
We are a family of N = our family has N people
There BE N in (the|our|my) Y = % Y [have] N
It is an? X with N = the X has N
X DO gets? N of sleep(.*) = X [sleep] N %
X (?:has|have) an? (budget|salary|rent|weight|height|income|deadline) of N = X. % is N
X (?:has|have) an? (\d+)-(minute|hour|day|week|month|year) (commute|contract|lease|shift|drive|break) = X. %3 is % %2s
# illness
X DO (?:suffers?|suffering) from Y = X [have] Y
X DO gets? (migraines|headaches|hay fever|panic attacks|nosebleeds|colds)(.*) = X [have] % %2
X BE diabetic = X [have] diabetes
X BE asthmatic = X [have] asthma
X BE epileptic = X [have] epilepsy
X BE (?:expecting|expecting a baby|going to have a baby) = X [be] pregnant
# moments
X (?:takes|is taking|will take) place (on|in|at) Y = X is % Y
X (?:is|will be|was|has been) (?:held|scheduled|planned|set|due to take place) (on|in|at|for) Y = X is on Y
X (?:has been|was|is|got) (?:moved|pushed|pushed back|postponed|rescheduled|shifted|delayed|brought forward|changed) (?:to|until|for) (\d{1,2}(?::\d\d)?) = X is at %
X (?:has been|was|is|got) (?:moved|pushed|pushed back|postponed|rescheduled|shifted|delayed|brought forward|changed) (?:to|until|for) Y = X is on Y
X (?:has been|was|is|got) (?:cancelled|canceled|called off|scrapped|dropped) = X does not take place
X BE born on Y = X. birthday [be] Y
X was born on Y = X. birthday is Y
P (?:year of birth|birth year) BE X = P. was born in X
P wedding was in X = P. got married in X
P graduation was in X = P. graduated in X
X (?:finished|completed) (?:university|college|my degree|her degree|his degree) in Y = X graduated in Y
(?:The )?X BE due (?:on |by |in )?Y = the X deadline [be] Y
(?:The|Our) deadline (?:of|for) (?:the )?X BE (?:on )?Y = the X deadline [be] Y
The (\w+) date BE Y = the % is on Y
We (launch|release|ship|go live) on Y = the launch is on Y
We are (?:launching|releasing|shipping|going live) on Y = the launch is on Y
X DO (?:closes?|shuts?) at Y = X [be] open until Y
X DO opens? at Y = X [be] open from Y
X DO runs? until Y = X [end] in Y
X DO departs? Y = X [leave] Y
X DO (?:begins?) (at|on|in) Y = X [start] % Y
X DO gets? up at Y = X [wake] up at Y
X BE P (birthday|anniversary|deadline) = P % [be] X
# people
X BE in a (?:romantic )?relationship with Y = X [be] dating Y
X BE (?:seeing|going out with|dating|together with) Y = X [be] dating Y
X and (?:I|me) are (?:dating|together|a couple|in a relationship|seeing each other) = I am dating X
X and Y are (?:dating|together|a couple|in a relationship|seeing each other) = X is dating Y
X and (?:I|me) (?:have |has )?(?:broke|broken|split) up = I am not dating X
X and Y (?:have |has )?(?:broke|broken|split) up = X is not dating Y
X (?:has |have )?(?:broke|broken|split) up with Y = X [be!] dating Y
X BE in a relationship = X [be!] single
X and (?:I|me) are (married|engaged) = I am % to X
X and Y are (married|engaged) = X is % to Y
X and Y (?:got|are) (married|engaged) = X is % to Y
X (?:has |have )?(?:broke|broken|called) off (?:the|his|her|their|my|our) engagement = X [be!] engaged
X and Y (?:got|are|have) divorced = X is not married to Y
X BE the (wife|husband|mother|father|son|daughter|sister|brother|aunt|uncle|cousin|boss|friend|girlfriend|boyfriend) of Y = X [be] Y. %
X (?:has|have) an? (\w+) (?:named|called) Y = X. % is called Y (several)
X BE divorced from Y = X [be!] married to Y
# things
There (?:is|are) no X = the X does not take place
((?:the|my|our|his|her|their|this) .+) (?:do|does) not work(?: properly)? = % is broken
X BE (?:out of order|defective|not working|kaput) = X is broken
((?:the|my|our|his|her|their|this) .+) works(?: again| fine| well)? = % is functional
X (?:has|have) (?:closed|shut) down = X is closed
X (?:has|have) (?:closed|shut)(?: for good)? = X is closed
X (?:has |have )?(?:sold|gave away|given away|got rid of|scrapped) (?:my|our|his|her|their) Y = X [have!] a Y
X BE fluent in Y = X [speak] Y
X DO speaks? fluent Y = X [speak] Y
X DO speaks? Y fluently = X [speak] Y
X use (\w+) on (?:my|our) Y = my Y runs %
X (?:uses) (\w+) on (?:his|her|their) Y = X. Y runs %
X (?:is|are|am) (?:taking|having) (\w+) (?:lessons|classes) = X [learn] %
X (?:is|are|am) (?:learning|studying) (\w+) = X [learn] %
X cycles? to Y = X [go] to Y by bike
X walks? to (work|school) = X [go] to % by foot
X drives? to (work|school) = X [go] to % by car
X DO takes? the (bus|train|tram|car|bike|metro|subway|ferry) to Y = X [go] to Y by %
X (?:has |have )?(?:gave|given) up (?:my|our|his|her|their) Y = X [have!] a Y
X gave up (\w+) = X stopped %
X (?:has|have) given up (\w+) = X stopped %
X (?:has |have )?(?:gave|given) up (\w+ing) Y = X stopped % Y
X DO drives? an? Y = X. car [be] a Y
The X for (?:the )?Y BE Z = the Y X [be] Z
P X for (?:the )?Y BE Z = P Y X [be] Z
"""
