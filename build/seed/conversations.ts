/** The posts of the demo data in chronological order. `@name` mentions an account. */
import type { Name } from './people.ts'

export interface Post {
  readonly by: Name
  readonly text: string
  readonly replies?: readonly Post[]
  /** Beginning of the text of an earlier post, which this one quotes. */
  readonly quotes?: string
  /** Self-label. */
  readonly label?: string
  /** A repost, and the accounts that like or repost via it. */
  readonly repost?: { readonly by: Name; readonly likes: readonly Name[]; readonly reposts: readonly Name[] }
}

export const conversations: readonly Post[] = [
  {
    by: 'alice',
    text: 'Hello from the hallway. The server fits between the umbrella stand and the router, and it hums less than the fridge.',
    replies: [
      { by: 'bob', text: 'Does it get a name?', replies: [{ by: 'alice', text: 'Umbrella. Obviously.' }] },
      { by: 'dave', text: 'A machine that hums less than a fridge is a machine that could hum more.' },
    ],
  },
  {
    by: 'bob',
    text: 'Opened the shop to find a tandem leaning on the door, no note. If you own half of it, please come and get it.',
    replies: [
      {
        by: 'carol',
        text: 'Which half?',
        replies: [{ by: 'bob', text: 'The one with the flat tyre, I am afraid.' }],
      },
      { by: 'victor', text: 'I saw two people walk away from it, not talking to each other.' },
    ],
  },
  {
    by: 'carol',
    text: 'First count of the season: 214 curlews, 31 oystercatchers, one very confused flamingo. I have checked the flamingo twice.',
    repost: { by: 'alice', likes: ['bob', 'dave', 'farid'], reposts: ['dave'] },
    replies: [
      { by: 'grace', text: 'Please tell me there is a photograph of the flamingo.' },
      { by: 'erin', text: 'We have one book on flamingos. It is on hold for you at the desk.' },
      { by: 'alice', text: 'That makes 246 birds and one visitor.' },
    ],
  },
  {
    by: 'gazette',
    text: 'The winter ferry timetable starts on Monday. The last boat back leaves at 21:40, not 22:10 as printed on the posters.',
    replies: [{ by: 'farid', text: 'Thank you. We will call last orders half an hour earlier then.' }],
  },
  {
    by: 'farid',
    text: 'Lentil soup today: brown butter, sumac, too much garlic. There is no such thing as too much garlic.',
    replies: [
      { by: 'erin', text: 'My colleagues at the desk disagree, but they were not asked.' },
      { by: 'alice', text: 'I have a crate of leeks looking for a purpose. Shall I bring them round?' },
    ],
  },
  {
    by: 'dave',
    text: 'The filter on the new board oscillates when the heater is on. It is a thermometer now. https://shed.example/boards/17',
    replies: [{ by: 'grace', text: 'Every instrument is a thermometer if you are not careful.' }],
  },
  {
    by: 'alice',
    text: 'Bread oven at 280 degrees for the first time since spring. The first loaf went to the neighbour who complained about the smoke.',
    replies: [
      {
        by: 'farid',
        text: 'That is how it is done. What flour?',
        replies: [
          { by: 'alice', text: 'Half rye from the mill up the canal, half whatever was in the tin.' },
        ],
      },
      { by: 'bob', text: 'I also complain about the smoke.' },
    ],
  },
  {
    by: 'erin',
    text: 'Returned today, 34 years late: a guide to punctuality. The borrower left before I could say anything.',
    repost: { by: 'carol', likes: ['alice', 'bob'], reposts: ['bob'] },
    replies: [
      { by: 'carol', text: 'You are making this up.' },
      { by: 'dave', text: 'What would the fine have been?' },
    ],
  },
  {
    by: 'grace',
    text: 'Clear sky over the breakwater. Saturn is up in the south-east, and through a cheap telescope you can see the rings. Come by, bring a scarf.',
    replies: [
      { by: 'alice', text: 'On my way with a flask. @bob did you say you had a second scarf?' },
      { by: 'farid', text: 'Still in the kitchen. Save me a planet.' },
    ],
  },
  {
    by: 'bob',
    text: 'Spokes for the whole week. If your wheel is not round, now is the time to admit it. #bicycles',
  },
  {
    by: 'carol',
    text: 'The flamingo has a ring: it is from a zoo 90 km south. They did not know that it was missing. They counted 26 and wrote down 27.',
    replies: [
      { by: 'alice', text: 'So the mudflats keep better books than the zoo.' },
      { by: 'gazette', text: 'May we call you about this? It is a front page if we ever saw one.' },
    ],
  },
  {
    by: 'victor',
    text: 'Selling: one sofa, one desk, eleven boxes of magazines about trains. Collection only, there are stairs.',
    replies: [{ by: 'erin', text: 'We might take the trains for the reading room.' }],
  },
  {
    by: 'gazette',
    text: 'Stray flamingo was never missing, says zoo: how a Wrenport bird count found an error of one. https://gazette.example/flamingo',
    quotes: 'The flamingo has a ring',
    replies: [{ by: 'carol', text: 'They printed my wet socks.' }],
  },
  {
    by: 'alice',
    text: 'Does anybody have a spare door hinge, left hand, brass, older than me? It is for the oven, the oven is not picky.',
    replies: [
      { by: 'dave', text: 'I have a tin of hinges that I inherited. Left hand is a matter of opinion.' },
      { by: 'victor', text: 'There are two on the wardrobe that nobody is buying. Take them.' },
      { by: 'bob', text: 'Bring the old one by the shop, I will find its sister.' },
    ],
  },
  {
    by: 'farid',
    text: 'Leeks have arrived, forty of them, thank you @alice. Menu for the rest of the week: leeks.',
  },
  {
    by: 'dave',
    text: 'Recorded the ferry horn, slowed it down eight times, and it is the best bass I own. #fieldrecording',
    repost: { by: 'alice', likes: ['erin', 'carol', 'bob'], reposts: ['carol', 'farid'] },
    replies: [
      {
        by: 'grace',
        text: 'What note was it before?',
        replies: [{ by: 'dave', text: 'An F, a little flat. Like all ferries.' }],
      },
    ],
  },
  {
    by: 'erin',
    text: 'Story hour moves to Thursdays because the Wednesday room has a puddle in it. The puddle has not been claimed by any department.',
  },
  {
    by: 'grace',
    text: 'My class measured the speed of sound with a clap and the harbour wall: 339 metres a second. One pupil clapped so hard that we had to use the second-best data.',
    replies: [
      { by: 'alice', text: 'What does the second-best clapper get?' },
      { by: 'dave', text: 'I have a microphone that they could break next time.' },
    ],
  },
  {
    by: 'alice',
    text: 'Wrote down how to move in with a server of your own, for people who own a shelf. It is shorter than I expected. https://alice.example/shelf',
    replies: [
      { by: 'bob', text: 'I read it twice and understood it once. That is a good rate.' },
      {
        by: 'erin',
        text: 'May I print it for the notice board?',
        replies: [{ by: 'alice', text: 'Please do, and draw the shelf on it.' }],
      },
      { by: 'grace', text: 'Sending this to my parents, who own several shelves.' },
    ],
  },
  {
    by: 'erin',
    text: 'On the notice board since this morning, between the lost glove and the choir.',
    quotes: 'Wrote down how to move in',
  },
  {
    by: 'bob',
    text: 'The tandem has been collected. They are talking to each other again.',
    replies: [
      { by: 'carol', text: 'Put that in the Gazette.' },
      { by: 'gazette', text: 'Noted.' },
    ],
  },
  {
    by: 'carol',
    text: 'Storm from the west, count cancelled. The geese went anyway.',
  },
  {
    by: 'gazette',
    text: 'Harbour road closed between the fish market and the lighthouse until the morning tide. Nobody is hurt. The bench is gone again.',
    repost: { by: 'alice', likes: ['farid', 'bob'], reposts: ['bob'] },
    replies: [
      { by: 'farid', text: 'Kitchen is open, there is soup, come in if you are stuck on this side.' },
      { by: 'alice', text: 'Third bench in two winters. I begin to think that it wants to leave.' },
    ],
  },
  {
    by: 'dave',
    text: 'Power went out in the middle of a take. Everything I had not saved is now folklore.',
    replies: [
      {
        by: 'alice',
        text: 'The server wrote all of its homework down before the light went out. I checked.',
      },
    ],
  },
  {
    by: 'victor',
    text: 'Last boxes are in the van. It was good to be here. I will close this account soon, write to me by post.',
    replies: [
      { by: 'bob', text: 'Send us a mountain.' },
      { by: 'alice', text: 'Safe travels, and thank you for the hinges.' },
    ],
  },
  {
    by: 'grace',
    text: 'After the storm the air is so clear that you can see the island. My class thinks that it was put there overnight.',
  },
  {
    by: 'alice',
    text: 'The oven door closes. It closes so well that I have to knock. Thanks to @dave, @bob and a wardrobe.',
    replies: [
      { by: 'dave', text: 'So it was left hand after all.' },
      { by: 'farid', text: 'Now you can do flatbread. I will show you, bring flour.' },
    ],
  },
  {
    by: 'farid',
    text: 'Taught @alice flatbread. She burnt one, ate it anyway, and said it was the best one. She will be fine.',
    replies: [{ by: 'alice', text: 'It was the best one.' }],
  },
  {
    by: 'ivy',
    text: 'Hello! I arrived on Saturday with two suitcases and a cello. @alice sent me the list of people to know, so now I know all of you.',
    replies: [
      { by: 'alice', text: 'Welcome! The oven is lit on Fridays, everybody comes.' },
      {
        by: 'erin',
        text: 'Library cards take four minutes. The choir is the notice to the left of the lost glove.',
      },
      { by: 'bob', text: 'And the bicycle is taken care of. What size are you?' },
      { by: 'dave', text: 'A CELLO. I mean: welcome.' },
    ],
  },
  {
    by: 'mallory',
    text: 'AMAZING PRICES on server racks and oven doors!!! Only today, only for you https://best.example/deals',
    replies: [
      { by: 'mallory', text: '@alice @bob @carol @dave you have been CHOSEN https://best.example/chosen' },
      { by: 'bob', text: 'I would like to be unchosen, please.' },
    ],
  },
  {
    by: 'carol',
    text: 'After the storm: 388 curlews. They know something about this mud that I do not.',
    replies: [
      { by: 'ivy', text: 'Could I come along one morning? I can count to at least 400.' },
      { by: 'carol', text: 'Tuesday, six, rubber boots. Bring the second thermos.' },
    ],
  },
  {
    by: 'alice',
    text: 'Question for the gardeners: the kale has holes, the cabbage next to it has none. Who is eating so politely?',
    replies: [
      { by: 'farid', text: 'Pigeons. They have standards.' },
      { by: 'carol', text: 'Wood pigeons, and they prefer kale. I have data.' },
      { by: 'grace', text: 'Plant kale around the data and see.' },
    ],
  },
  {
    by: 'erin',
    text: 'The puddle in the Wednesday room has been claimed. It belongs to Roofs. Roofs is on holiday.',
  },
  {
    by: 'dave',
    text: 'Ivy played one long note into the broken filter and it stopped oscillating. I have questions and so does the filter.',
    replies: [
      { by: 'ivy', text: 'It was a C. It is always a C.' },
      { by: 'alice', text: 'Put it on the record before it changes its mind.' },
    ],
  },
  {
    by: 'gazette',
    text: 'A new bench for the harbour road: the town asks what it should be made of. Write to us, or come to the hall on Thursday at seven.',
    replies: [
      { by: 'bob', text: 'Something that floats.' },
      { by: 'grace', text: 'Something that does not.' },
      { by: 'alice', text: 'An anchor with a cushion.' },
    ],
  },
  {
    by: 'grace',
    text: '"An anchor with a cushion" is the best engineering I have read all week.',
    quotes: 'A new bench for the harbour road',
  },
  {
    by: 'bob',
    text: 'One bicycle, 54 centimetres, green, new chain, for one cellist. The bell is from the tandem. #bicycles',
    replies: [{ by: 'ivy', text: 'I rang it all the way home. Sorry, everybody on Mill Lane.' }],
  },
  {
    by: 'alice',
    text: 'Hands after an afternoon of chopping wood. Fine, but not pretty.',
    label: 'graphic-media',
    replies: [{ by: 'erin', text: 'There is a book about gloves.', label: 'graphic-media' }],
  },
  {
    by: 'carol',
    text: 'Tuesday count with @ivy: 402 curlews. She insists on the last two.',
    repost: { by: 'alice', likes: ['grace', 'farid'], reposts: ['grace'] },
    replies: [{ by: 'ivy', text: 'They were there. They were shy.' }],
  },
  {
    by: 'farid',
    text: 'New on the card: leek flatbread from the canal oven. It has its own following already.',
    quotes: 'The oven door closes',
    replies: [{ by: 'alice', text: 'I would like to thank the hinge.' }],
  },
  {
    by: 'dave',
    text: 'Ferry horn, one cello, a filter that behaves: three minutes and twelve seconds. https://shed.example/ferry',
    replies: [
      { by: 'erin', text: 'Played it in the reading room. Somebody shushed, then asked for it again.' },
      { by: 'alice', text: 'The oven turned itself up.' },
    ],
  },
  {
    by: 'alice',
    text: 'Eleven days, no restart, no lost post. Umbrella is a good server. If you want a place on the shelf, ask me for an invite code.',
    replies: [
      { by: 'ivy', text: 'Best shelf in town.' },
      { by: 'bob', text: 'It survived the storm better than the bench.' },
      { by: 'grace', text: 'My parents would like two places, they say, and is there tea.' },
    ],
  },
  {
    by: 'gazette',
    text: 'Portrait of the week: the shelf of @alice, where half the town now keeps its letters. https://gazette.example/shelf',
    quotes: 'Eleven days, no restart',
    replies: [{ by: 'dave', text: 'They got the good side of the umbrella stand.' }],
  },
  {
    by: 'carol',
    text: 'The flamingo is back.',
    repost: { by: 'alice', likes: ['bob', 'erin', 'dave'], reposts: ['erin', 'dave'] },
    replies: [
      { by: 'grace', text: 'Of course it is.' },
      { by: 'erin', text: 'The book is still on hold for you.' },
      { by: 'ivy', text: 'I am putting my boots on.' },
    ],
  },
  {
    by: 'ivy',
    text: 'Choir tonight, bread tomorrow, birds on Tuesday. I think that I live here now. Thank you @alice, thank you all.',
    replies: [{ by: 'bob', text: 'You live here since you rang that bell.' }],
  },
]
