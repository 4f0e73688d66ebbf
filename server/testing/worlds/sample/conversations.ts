/** The posts of the sample, in the order of time. A reply is indented; a line in brackets is about the post above it. */
import { type Name, nameOf } from './people.ts'

export interface Conversation {
  readonly by: Name
  /** `@name` mentions an account. */
  readonly text: string
  readonly replies: Conversation[]
  /** Beginning of the text of an earlier post, which this one quotes. */
  quotes?: string
  /** Self-label. */
  label?: string
  /** A repost, and the accounts that like or repost via it. */
  repost?: { readonly by: Name; readonly likes: readonly Name[]; readonly reposts: readonly Name[] }
}

/** A reply is indented by two more spaces than its parent, as is a line in brackets about the post above it. */
export function readConversations(): Conversation[] {
  const top: Conversation[] = []
  /** The last post of each depth. */
  const path: Conversation[] = []
  for (const line of text.trim().split('\n')) {
    const [, indent = '', first = '', rest = ''] = /^( *)(\[\w+\]|\w+:) (.+)$/.exec(line) ?? []
    const depth = indent.length / 2
    const parent = path[depth - 1]
    if (first === '[quotes]' && parent) parent.quotes = rest
    else if (first === '[label]' && parent) parent.label = rest
    else if (first === '[reposted]' && parent) {
      const [by = [], likes = [], reposts = []] = rest.split(', ').map(namesIn)
      parent.repost = { by: nameOf(by[0]), likes, reposts }
    } else {
      const post: Conversation = { by: nameOf(first.slice(0, -1)), text: rest, replies: [] }
      path[depth] = post
      const siblings = depth === 0 ? top : parent?.replies
      siblings?.push(post)
    }
  }
  return top
}

const namesIn = (names: string) =>
  names
    .replace(/^(liked|reposted) by /, '')
    .split(' ')
    .map(nameOf)

const text = `
alice: Hello from the hallway. The server fits between the umbrella stand and the router, and it hums less than the fridge.
  bob: Does it get a name?
    alice: Umbrella. Obviously.
  dave: A machine that hums less than a fridge is a machine that could hum more.
bob: Opened the shop to find a tandem leaning on the door, no note. If you own half of it, please come and get it.
  carol: Which half?
    bob: The one with the flat tyre, I am afraid.
  victor: I saw two people walk away from it, not talking to each other.
carol: First count of the season: 214 curlews, 31 oystercatchers, one very confused flamingo. I have checked the flamingo twice.
  [reposted] alice, liked by bob dave farid, reposted by dave
  grace: Please say that there is a photograph of the flamingo.
  erin: We have one book on flamingos. It is on hold for you at the desk.
  alice: That makes 246 birds and one visitor.
gazette: The winter ferry timetable starts on Monday. The last boat back leaves at 21:40, not 22:10 as printed on the posters.
  farid: Thank you. We will call last orders half an hour earlier then.
farid: Lentil soup today: brown butter, sumac, too much garlic. There is no such thing as too much garlic.
  erin: My colleagues at the desk disagree, but they were not asked.
  alice: I have a crate of leeks looking for a purpose. Shall I bring them round?
dave: The filter on the new board oscillates when the heater is on. It is a thermometer now. https://shed.example/boards/17
  grace: Every instrument is a thermometer if you are not careful.
alice: Bread oven at 280 degrees for the first time since spring. The first loaf went to the neighbour who complained about the smoke.
  farid: That is how it is done. What flour?
    alice: Half rye from the mill up the canal, half whatever was in the tin.
  bob: I also complain about the smoke.
erin: Returned today, 34 years late: a guide to punctuality. The borrower left before I could say anything.
  [reposted] carol, liked by alice bob, reposted by bob
  carol: You are making this up.
  dave: What would the fine have been?
grace: Clear sky over the breakwater. Saturn is up in the south-east, and through a cheap telescope you can see the rings. Come by, bring a scarf.
  alice: On my way with a flask. @bob did you say you had a second scarf?
  farid: Still in the kitchen. Save me a planet.
bob: Spokes for the whole week. If your wheel is not round, now is the time to admit it. #bicycles
carol: The flamingo has a ring: it is from a zoo 90 km south. They did not know that it was missing. They counted 26 and wrote down 27.
  alice: So the mudflats keep better books than the zoo.
  gazette: May we call you about this? It is a front page if we ever saw one.
victor: Selling: one sofa, one desk, eleven boxes of magazines about trains. Collection only, there are stairs.
  erin: We might take the trains for the reading room.
gazette: Stray flamingo was never missing, says zoo: how a Wrenport bird count found an error of one. https://gazette.example/flamingo
  [quotes] The flamingo has a ring
  carol: They printed my wet socks.
alice: Does anybody have a spare door hinge, left hand, brass, older than me? It is for the oven, the oven is not picky.
  dave: I have a tin of hinges that I inherited. Left hand is a matter of opinion.
  victor: There are two on the wardrobe that no one is buying. Take them.
  bob: Bring the old one by the shop, I will find its sister.
farid: Leeks have arrived, forty of them, thank you @alice. Menu for the rest of the week: leeks.
dave: Recorded the ferry horn, slowed it down eight times, and it is the best bass I own. #fieldrecording
  [reposted] alice, liked by erin carol bob, reposted by carol farid
  grace: What note was it before?
    dave: An F, a little flat. Like all ferries.
erin: Story hour moves to Thursdays because the Wednesday room has a puddle in it. The puddle has not been claimed by any department.
grace: My class measured the speed of sound with a clap and the harbour wall: 339 metres a second. One pupil clapped so hard that we had to use the second-best data.
  alice: What does the second-best clapper get?
  dave: I have a microphone that they could break next time.
alice: Wrote down how to move in with a server of your own, for people who own a shelf. It is shorter than I expected. https://alice.example/shelf
  bob: I read it twice and understood it once. That is a good rate.
  erin: May I print it for the notice board?
    alice: Please do, and draw the shelf on it.
  grace: Sending this to my parents, who own several shelves.
erin: On the notice board since this morning, between the lost glove and the choir.
  [quotes] Wrote down how to move in
bob: The tandem has been collected. They are talking to each other again.
  carol: Put that in the Gazette.
  gazette: Noted.
carol: Storm from the west, count cancelled. The geese went anyway.
gazette: Harbour road closed between the fish market and the lighthouse until the morning tide. No one is hurt. The bench is missing again.
  [reposted] alice, liked by farid bob, reposted by bob
  farid: Kitchen is open, there is soup, come in if you are stuck on this side.
  alice: Third bench in two winters. I begin to think that it wants to leave.
dave: Power went out in the middle of a take. Everything I had not saved is now folklore.
  alice: The server wrote all of its homework down before the light went out. I checked.
victor: Last boxes are in the van. It was good to be here. I will close this account soon, write to me by post.
  bob: Send us a mountain.
  alice: Safe travels, and thank you for the hinges.
grace: After the storm the air is so clear that you can see the island. My class thinks that it was put there overnight.
alice: The oven door closes. It closes so well that I have to knock. Thanks to @dave, @bob and a wardrobe.
  dave: So it was left hand after all.
  farid: Now you can do flatbread. I will show you, bring flour.
farid: Taught @alice flatbread. She burnt one, ate it anyway, and said it was the best one. She will be fine.
  alice: It was the best one.
ivy: Hello! I arrived on Saturday with two suitcases and a cello. @alice sent me the list of people to know, so now I know all of you.
  alice: Welcome! The oven is lit on Fridays, everybody comes.
  erin: Library cards take four minutes. The choir is the notice to the left of the lost glove.
  bob: And the bicycle is taken care of. What size are you?
  dave: A CELLO. I mean: welcome.
mallory: AMAZING PRICES on server racks and oven doors!!! Only today, only for you https://best.example/deals
  mallory: @alice @bob @carol @dave you have been CHOSEN https://best.example/chosen
  bob: I would like to be unchosen, please.
carol: After the storm: 388 curlews. They know something about this mud that I do not.
  ivy: Could I come along one morning? I can count to at least 400.
  carol: Tuesday, six, rubber boots. Bring the second thermos.
alice: Question for the gardeners: the kale has holes, the cabbage next to it has none. Who is eating so politely?
  farid: Pigeons. They have standards.
  carol: Wood pigeons, and they prefer kale. I have data.
  grace: Plant kale around the data and see.
erin: The puddle in the Wednesday room has been claimed. It belongs to Roofs. Roofs is on holiday.
dave: Ivy played one long note into the broken filter and it stopped oscillating. I have questions and so does the filter.
  ivy: It was a C. It is always a C.
  alice: Put it on the record before it changes its mind.
gazette: A new bench for the harbour road: the town asks what it should be made of. Write to us, or come to the hall on Thursday at seven.
  bob: Something that floats.
  grace: Something that does not.
  alice: An anchor with a cushion.
grace: "An anchor with a cushion" is the best engineering I have read all week.
  [quotes] A new bench for the harbour road
bob: One bicycle, 54 centimetres, green, new chain, for one cellist. The bell is from the tandem. #bicycles
  ivy: I rang it all the way home. Sorry, everybody on Mill Lane.
alice: Hands after an afternoon of chopping wood. Fine, but not pretty.
  [label] graphic-media
  erin: There is a book about gloves.
    [label] graphic-media
carol: Tuesday count with @ivy: 402 curlews. She insists on the last two.
  [reposted] alice, liked by grace farid, reposted by grace
  ivy: They were there. They were shy.
farid: New on the card: leek flatbread from the canal oven. It has its own following already.
  [quotes] The oven door closes
  alice: I would like to thank the hinge.
dave: Ferry horn, one cello, a filter that behaves: three minutes and twelve seconds. https://shed.example/ferry
  erin: Played it in the reading room. Someone shushed, then asked for it again.
  alice: The oven turned itself up.
alice: Eleven days, no restart, no lost post. Umbrella is a good server. If you want a place on the shelf, ask me for an invite code.
  ivy: Best shelf in town.
  bob: It survived the storm better than the bench.
  grace: My parents would like two places, they say, and is there tea.
gazette: Portrait of the week: the shelf of @alice, where half the town now keeps its letters. https://gazette.example/shelf
  [quotes] Eleven days, no restart
  dave: They got the good side of the umbrella stand.
carol: The flamingo is back.
  [reposted] alice, liked by bob erin dave, reposted by erin dave
  grace: Of course it is.
  erin: The book is still on hold for you.
  ivy: I am putting my boots on.
ivy: Choir tonight, bread tomorrow, birds on Tuesday. I think that I live here now. Thank you @alice, thank you all.
  bob: You live here since you rang that bell.
`
