"""Pairs of statements (verdict, new, believed) by which the offline mind's judgement is measured."""

from __future__ import annotations

_PAIRS = """
# homes
contradicts | I moved to Bergen. | I live in Oslo.
contradicts | I live in Bergen now. | I live in Oslo.
contradicts | I live in Bergen. | My home is in Oslo.
contradicts | Maria moved to Madrid last month. | Maria lives in Lisbon.
contradicts | My sister lives in Berlin. | My sister lives in Munich.
contradicts | My brother Tom has moved to Chicago. | Tom lives in Boston.
contradicts | I no longer live in Oslo. | I live in Oslo.
contradicts | I used to live in Oslo. | I live in Oslo.
contradicts | I am based in Hamburg. | I live in Cologne.
contradicts | We live in Denver. | We live in Seattle.
contradicts | Sarah relocated to Dublin. | Sarah Chen lives in London.
contradicts | I'm from Poland. | I'm from Ukraine.
contradicts | I was born in Rome. | I was born in Milan.
same | I reside in Oslo. | I live in Oslo.
same | My home is in Oslo. | I live in Oslo.
same | I live in Oslo these days. | I live in Oslo.
same | I have moved to Oslo. | I live in Oslo.
same | Maria lives in Oslo, Norway. | Maria lives in Oslo.
same | I am based in Paris. | I live in Paris.
different | Tom lives in Bergen. | Maria lives in Oslo.
different | I live in Norway. | I live in Oslo.
different | I want to move to Bergen. | I live in Oslo.
different | I might move to Berlin next year. | I live in Oslo.
different | I lived in Paris as a child. | I live in Oslo.
different | My brother lives in Rome. | I live in Oslo.
different | I live in a small apartment. | I live in Oslo.
different | I used to live in Rome. | I live in Oslo.
different | I visited Rome. | I visited Paris.
different | I have been to Japan. | I have been to China.
different | I would like to live in Spain. | I live in Oslo.
# jobs
contradicts | Maria works for Meta now. | Maria works at Google.
contradicts | I work at Spotify. | I work for Ericsson.
contradicts | I joined Stripe. | I work at Amazon.
contradicts | I left Google. | I work at Google.
contradicts | Tom no longer works at Acme. | Tom works at Acme.
contradicts | I stopped working at Acme. | I work at Acme.
contradicts | I am a teacher. | I am a nurse.
contradicts | Anna works as a lawyer. | Anna is an accountant.
contradicts | My job title is product manager. | My job title is software engineer.
contradicts | My boss is Karen. | My boss is Steve.
contradicts | Karen is my boss. | My boss is Steve.
contradicts | The CEO of Acme is Linda Park. | The CEO of Acme is John Doe.
contradicts | My salary is 60000 euros. | My salary is 55000 euros.
same | I work for Google. | I work at Google.
same | Maria is employed by Google. | Maria works at Google.
same | I have a job at Google. | I work at Google.
same | I work as a nurse. | I am a nurse.
same | Karen is my manager. | My manager is Karen.
different | My brother works at Google. | I work at Google.
different | I work from home on Fridays. | I work at Google.
different | I worked at IBM for ten years. | I work at Google.
different | I am a mother. | I am a nurse.
different | I would like to work at Spotify. | I work at Google.
different | I work with Tom. | I work at Google.
different | Tom is my colleague. | Anna is my colleague.
different | I like my job. | I work at Google.
different | I had an interview at Meta. | I work at Google.
# preferences
contradicts | My favourite colour is green. | My favourite colour is blue.
contradicts | My favorite color is green. | My favourite colour is blue.
contradicts | I don't like coffee. | I like coffee.
contradicts | I hate coffee. | I love coffee.
contradicts | I don't like coffee anymore. | I like coffee.
contradicts | Maria dislikes jazz. | Maria loves jazz.
contradicts | I love running. | I hate running.
contradicts | My favourite food is sushi. | My favourite food is pizza.
contradicts | I prefer tea to coffee. | I prefer coffee to tea.
contradicts | Tom's favourite band is Radiohead. | Tom's favourite band is Coldplay.
contradicts | I can't stand jazz. | I like jazz.
contradicts | I stopped drinking coffee. | I drink coffee.
contradicts | I don't eat meat. | I eat meat.
same | I love coffee. | I like coffee.
same | I enjoy coffee. | I like coffee.
same | I really like coffee. | I like coffee.
same | I dislike olives. | I don't like olives.
same | I hate olives. | I don't like olives.
same | I love to read. | I love reading.
same | My favorite color is blue. | My favourite colour is blue.
different | I like tea. | I like coffee.
different | I love hiking. | I love swimming.
different | I hate mushrooms. | I like pizza.
different | I don't like tea. | I like coffee.
different | Maria likes coffee. | I like coffee.
different | Maria hates coffee. | I love coffee.
different | My favourite food is sushi. | My favourite colour is blue.
different | I enjoy painting. | I enjoy pottery.
different | I prefer window seats. | I prefer tea.
# numbers
contradicts | I have three cats. | I have two cats.
contradicts | Maria has four children. | Maria has three children.
contradicts | I am 35 years old. | I am 34 years old.
contradicts | I turned 35. | I am 34 years old.
contradicts | Tom is 12. | Tom is 11.
contradicts | My phone number is 555-9876. | My phone number is 555-1234.
contradicts | My rent is 1200 euros. | My rent is 1000 euros.
contradicts | I run 10 kilometres every morning. | I run 5 kilometres every morning.
contradicts | The wifi password is sunflower. | The wifi password is bluebird.
contradicts | The budget is 20000 dollars. | The budget is 15000 dollars.
contradicts | I weigh 80 kilos. | I weigh 75 kilos.
contradicts | The office has 40 employees. | The office has 30 employees.
contradicts | I don't have any cats. | I have two cats.
contradicts | I have no children. | I have two children.
same | I have 2 cats. | I have two cats.
same | I'm 34. | I am 34 years old.
same | I own two cats. | I have two cats.
different | I have a cat. | I have a dog.
different | I have two dogs. | I have three cats.
different | I have two sisters. | I have two brothers.
different | Maria is 30 years old. | I am 34 years old.
different | My desk number is 12. | My phone number is 555-1234.
different | I ran 10 kilometres. | I have two cats.
# dates and times
contradicts | The meeting is at 4pm. | The meeting is at 3pm.
contradicts | The meeting has been moved to 4pm. | The meeting is at 3pm.
contradicts | The deadline is Monday. | The deadline is Friday.
contradicts | My birthday is on June 9th. | My birthday is on May 3rd.
contradicts | The wedding is on Sunday. | The wedding is on Saturday.
contradicts | I was born in 1986. | I was born in 1985.
contradicts | The launch is scheduled for March. | The launch is scheduled for February.
contradicts | The shop opens at 9am. | The shop opens at 8am.
contradicts | I wake up at 7. | I wake up at 6.
contradicts | My flight is at 10:30. | My flight is at 9:15.
same | The meeting starts at 3pm. | The meeting is at 3pm.
same | The deadline is on Friday. | The deadline is Friday.
different | The meeting is at 4pm. | The party is at 3pm.
different | The meeting is on Tuesday. | The meeting is at 3pm.
different | My appointment is on Monday. | The deadline is Friday.
different | My birthday is on May 3rd. | Maria's birthday is on June 9th.
# people and relations
contradicts | Tom is single. | Tom is married.
contradicts | Anna got divorced. | Anna is married.
contradicts | I am engaged. | I am single.
contradicts | My wife's name is Anna. | My wife's name is Julia.
contradicts | My dog is called Max. | My dog is called Rex.
contradicts | My girlfriend is Lena. | My girlfriend is Mia.
contradicts | I am not married. | I am married.
contradicts | My best friend is Paul. | My best friend is Peter.
contradicts | Maria is dating Ben. | Maria is dating Alex.
contradicts | I broke up with Alex. | I am dating Alex.
same | My dog's name is Rex. | My dog is called Rex.
same | My wife is called Anna. | My wife's name is Anna.
same | Tom got married. | Tom is married.
same | I'm married. | I am married.
different | My cat is called Rex. | My dog is called Max.
different | Anna is my friend. | Tom is my friend.
different | My sister is a doctor. | My brother is a doctor.
different | Tom is married. | Anna is single.
different | I speak French. | I speak German.
different | My sister is called Maria. | My mother is called Ruth.
# negations and states
contradicts | I don't smoke. | I smoke.
contradicts | I quit smoking. | I smoke.
contradicts | Maria doesn't speak French. | Maria speaks French.
contradicts | I am not allergic to peanuts. | I am allergic to peanuts.
contradicts | I am not vegetarian. | I am vegetarian.
contradicts | The kitchen window is open. | The kitchen window is closed.
contradicts | My car is red. | My car is blue.
contradicts | I don't own a car. | I own a car.
contradicts | I drive a Tesla. | I drive a Toyota.
contradicts | Tom doesn't drink alcohol. | Tom drinks alcohol.
contradicts | I never eat breakfast. | I eat breakfast.
same | I am allergic to peanuts. | I'm allergic to peanuts!
same | I bought a car. | I purchased a car.
different | I am allergic to shellfish. | I am allergic to peanuts.
different | Maria doesn't smoke. | I smoke.
different | My car is fast. | My car is blue.
different | I don't smoke. | I drink wine.
different | I have a peanut allergy and I carry an EpiPen. | I have a cat.
# work knowledge
contradicts | The database runs on port 5433. | The database runs on port 5432.
contradicts | The project is called Falcon. | The project is called Eagle.
contradicts | The capital of Australia is Canberra. | The capital of Australia is Sydney.
different | We use Redis. | We use Postgres.
different | We use Postgres for the ledger. | We deploy on Fridays.
different | Run the tests before every commit. | We use Postgres.
different | The backend is written in Go. | The frontend is written in TypeScript.
different | Sarah leads the Apollo project. | Tom leads the Gemini project.
different | The API returns JSON. | The office is in Oslo.
# unrelated
different | I bought a new bike. | I live in Oslo.
different | Maria plays the violin. | I work at Google.
different | My mother is a teacher. | I have two cats.
different | I am learning Spanish. | I am allergic to peanuts.
different | The weather in Bergen is rainy. | I live in Oslo.
different | Tom moved the sofa to the living room. | Tom lives in Boston.
different | I moved my money to another bank. | I live in Oslo.
different | I went to Paris with Maria. | Maria lives in Oslo.
different | My favourite book is Dune. | I like reading.
different | I got a new phone. | My phone number is 555-1234.
different | We adopted a puppy. | We live in Denver.
different | I painted a sunset last year. | My favourite colour is blue.
different | I start work at 9. | The meeting is at 3pm.
different | My brother broke his arm. | My brother lives in Rome.
different | I am tired of the rain. | I am a nurse.
different | Sarah told me about her trip to Japan. | Sarah lives in London.
different | I take my coffee black. | I love coffee.
different | Maria is allergic to cats. | Maria has a dog.
different | I have a meeting with Tom. | Tom is my friend.
different | I play chess on Sundays. | The wedding is on Saturday.
# all sorts
contradicts | Lisa now lives in Manchester. | Lisa lives in Leeds.
contradicts | My parents moved to Florida. | My parents live in Ohio.
contradicts | I'm living in Tokyo now. | I live in Kyoto.
contradicts | We have relocated to Austin. | We live in Dallas.
contradicts | Bob is working at Netflix. | Bob works at Hulu.
contradicts | I got a new job at Shopify. | I work at Etsy.
contradicts | I quit my job at Etsy. | I work at Etsy.
contradicts | Emma is a pilot. | Emma is a dentist.
contradicts | My manager is Priya. | My manager is Dave.
contradicts | My favorite movie is Alien. | My favorite movie is Jaws.
contradicts | I no longer like sushi. | I like sushi.
contradicts | Jack hates dogs. | Jack loves dogs.
contradicts | I don't drink tea. | I drink tea.
contradicts | I'm vegan. | I'm not vegan.
contradicts | My daughter is 8 years old. | My daughter is 7 years old.
contradicts | The team has 12 members. | The team has 10 members.
contradicts | My address is 12 Elm Street. | My address is 5 Oak Avenue.
contradicts | The standup is at 10am. | The standup is at 9:30am.
contradicts | My dentist appointment is on Thursday. | My dentist appointment is on Wednesday.
contradicts | The conference is in June. | The conference is in May.
contradicts | I am divorced. | I am married.
contradicts | Sam and I broke up. | I am dating Sam.
contradicts | My cat's name is Luna. | My cat's name is Milo.
contradicts | I've stopped eating meat. | I eat meat.
contradicts | I can't swim. | I can swim.
contradicts | I can't speak Spanish. | I speak Spanish.
contradicts | The server runs Ubuntu 24.04. | The server runs Ubuntu 22.04.
contradicts | I have one brother. | I have three brothers.
contradicts | I take 20 mg of the medication. | I take 10 mg of the medication.
contradicts | I sold my car. | I own a car.
contradicts | My email is ada@new.org. | My email is ada@old.org.
contradicts | I go to bed at 11pm. | I go to bed at 10pm.
contradicts | I study at Harvard. | I study at Yale.
contradicts | My phone is a Pixel. | My phone is an iPhone.
contradicts | I drive a Honda. | I drive a Ford.
contradicts | We use MySQL for the orders database. | We use Postgres for the orders database.
same | My residence is in Leeds. | I live in Leeds.
same | Lisa's home is in Leeds. | Lisa lives in Leeds.
same | Bob is employed at Hulu. | Bob works at Hulu.
same | I adore dogs. | I love dogs.
same | I am fond of dogs. | I like dogs.
same | I've got two cats. | I have two cats.
same | My name is Ada. | I am called Ada.
same | Emma works as a dentist. | Emma is a dentist.
same | My kid is called Leo. | My child is called Leo.
same | I do not like coffee. | I don't like coffee.
same | My birthday is May 3. | My birthday is on May 3.
same | I have a nut allergy. | I am allergic to nuts.
same | Dave is my boss. | My boss is Dave.
same | I'm not a fan of olives. | I don't like olives.
same | I suffer from asthma. | I have asthma.
different | Lisa lives with her cat. | Lisa lives in Leeds.
different | My parents live in Ohio. | I live in Texas.
different | I live near the station. | I live in Kyoto.
different | I'm flying to Kyoto tomorrow. | I live in Tokyo.
different | Bob used to work at Hulu. | Bob works at Netflix.
different | I freelance on weekends. | I work at Etsy.
different | Emma is a vegetarian. | Emma is a dentist.
different | My favorite actor is Tom Hanks. | My favorite movie is Jaws.
different | Jack hates cats. | Jack loves dogs.
different | I drink coffee. | I drink tea.
different | My son is 5 years old. | My daughter is 7 years old.
different | The kitchen has two windows. | The house has three floors.
different | I read 20 books last year. | I have 20 books.
different | The retro is at 2pm. | The standup is at 10am.
different | The dentist is on Main Street. | My dentist appointment is on Wednesday.
different | Sam is dating Lou. | I am dating Alex.
different | I bought a used bike. | I own a car.
different | I can swim. | I can ski.
different | I finished the report. | The report is due on Friday.
different | We use Kafka for events. | We use Postgres for the orders database.
different | My sister has a dog. | My sister has a cat.
different | I ran a marathon in 2019. | I ran a marathon in 2021.
different | I paid 50 euros for the shoes. | I paid 30 euros for the hat.
different | Tom gave me a book. | Tom gave me a pen.
different | I was in Rome in May. | I was in Paris in June.
different | I met Anna in Berlin. | I met Ben in Berlin.
different | The blue team won. | The red team lost.
different | I want a dog. | I have a cat.
different | I work on Mondays. | I work on Tuesdays.
different | Anna is tall. | Anna is kind.
different | I ate two apples today. | I ate three bananas yesterday.
different | I sent the invoice on Monday. | I sent the contract on Tuesday.
# more of all sorts
contradicts | Nora has moved to Glasgow. | Nora lives in Edinburgh.
contradicts | I reside in Naples now. | My home is in Turin.
contradicts | My brother lives in Porto. | My brother lives in Faro.
contradicts | Elena works for Siemens. | Elena is employed by Bosch.
contradicts | I started a new job at Adobe. | I work for Oracle.
contradicts | I am a carpenter now. | I am an electrician.
contradicts | My doctor is Dr. Patel. | My doctor is Dr. Jones.
contradicts | My favourite season is autumn. | My favourite season is spring.
contradicts | I don't enjoy running. | I enjoy running.
contradicts | Peter loves cheese. | Peter can't stand cheese.
contradicts | I am 51 years old. | I am 50 years old.
contradicts | We have five employees. | We have four employees.
contradicts | The rent is 950 euros. | The rent is 900 euros.
contradicts | The exam is on Tuesday. | The exam is on Monday.
contradicts | The train leaves at 8:15. | The train leaves at 8:05.
contradicts | My son's name is Oscar. | My son is called Felix.
contradicts | Laura is engaged. | Laura is single.
contradicts | I do not have a car. | I have a car.
contradicts | Ben does not play the piano. | Ben plays the piano.
contradicts | The shop is closed on Sundays. | The shop is open on Sundays.
contradicts | I'm no longer allergic to milk. | I am allergic to milk.
contradicts | Nina studies at Oxford. | Nina studies at Cambridge.
contradicts | The manager of the hotel is Olga. | The manager of the hotel is Ivan.
contradicts | My weight is 70 kilos. | My weight is 72 kilos.
contradicts | I have given up smoking. | I smoke.
same | Nora resides in Edinburgh. | Nora lives in Edinburgh.
same | Elena has a job at Bosch. | Elena works at Bosch.
same | I'm an electrician by trade. | I am an electrician.
same | I really love cheese. | I love cheese.
same | We've got four employees. | We have four employees.
same | The exam takes place on Monday. | The exam is on Monday.
same | Felix is my son's name. | My son's name is Felix.
same | I don't have any pets. | I have no pets.
same | I live in Turin at the moment. | I live in Turin.
same | Ivan is the manager of the hotel. | The manager of the hotel is Ivan.
same | My favorite season is spring. | My favourite season is spring.
different | Nora's office is in Glasgow. | Nora lives in Edinburgh.
different | I spent the summer in Turin. | I live in Naples.
different | Elena met the CEO of Bosch. | Elena works at Siemens.
different | I fixed the kitchen table. | I am a carpenter.
different | My favourite fruit is mango. | My favourite season is spring.
different | I enjoy running. | I enjoy cycling.
different | Peter eats cheese. | Peter drinks milk.
different | My wife is 50 years old. | I am 51 years old.
different | We hired two people. | We have four employees.
different | The exam is hard. | The exam is on Monday.
different | The bus leaves at 8:15. | The train leaves at 8:05.
different | My daughter is called Ella. | My son is called Felix.
different | Laura is a lawyer. | Laura is single.
different | Ben plays the guitar. | Ben plays the piano.
different | I am allergic to milk. | I am allergic to dust.
different | I was a waiter in college. | I am a lawyer.
different | I took the train to Oxford. | I study at Cambridge.
different | I have two bikes. | I have one car.
different | My laptop has 16 GB of memory. | My phone has 8 GB of memory.
different | I met Olga on Monday. | I met Ivan on Monday.
different | I lost 3 kilos. | My weight is 72 kilos.
different | We flew to Naples on Friday. | We flew to Turin on Sunday.
different | Tom thinks Laura is single. | Laura is engaged.
different | I hope to work at Adobe one day. | I work at Oracle.
different | Ivan's brother lives in Kiev. | Ivan lives in Minsk.
different | I called my doctor. | My doctor is Dr. Jones.
"""


def _read() -> dict[str, list[tuple[str, str, str]]]:
    sections: dict[str, list[tuple[str, str, str]]] = {}
    title = ""
    for line in _PAIRS.strip().splitlines():
        if line.startswith("# "):
            title = line[2:]
            sections[title] = []
        else:
            verdict, new, believed = line.split(" | ")
            sections[title].append((verdict, new, believed))
    return sections


SECTIONS = _read()
PAIRS = [pair for section in SECTIONS.values() for pair in section]
