/** The accounts of the sample. */
export type Name =
  | 'alice'
  | 'bob'
  | 'carol'
  | 'dave'
  | 'erin'
  | 'farid'
  | 'grace'
  | 'gazette'
  | 'ivy'
  | 'mallory'
  | 'victor'

export interface Person {
  readonly displayName: string
  readonly description: string
  /** User-Agent of the client that signs up. */
  readonly client: string
  /** Days after the start. */
  readonly joins: number
  readonly born: `${number}-${string}-${string}`
  readonly follows: readonly Name[]
  /** Absent for an account without an email address. */
  readonly email?: string
}

/** The first account is the owner of the server. */
export const people: Readonly<Record<Name, Person>> = {
  alice: {
    displayName: 'Alice Okafor',
    description: 'Allotment by the canal, bread oven next to it. This server runs on a shelf in my hallway.',
    joins: 0,
    born: '1979-05-14',
    client: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
    follows: ['bob', 'carol', 'dave', 'erin', 'farid', 'gazette'],
    email: 'alice@wrenport.example',
  },
  bob: {
    displayName: 'Bob Lindqvist',
    description: 'I repair bicycles. Tea before ten, coffee after.',
    joins: 0.05,
    born: '1986-11-02',
    client: 'Skylark/2.3 (Android 16)',
    follows: ['alice', 'carol', 'dave', 'gazette', 'victor'],
    email: 'bob@wrenport.example',
  },
  carol: {
    displayName: 'Carol Mendes',
    description: 'Counting birds for the county. Usually on the mudflats, usually with wet feet.',
    joins: 0.12,
    born: '1968-02-20',
    client: 'Skylark/2.3 (iOS 26.1)',
    follows: ['alice', 'bob', 'erin', 'gazette', 'grace'],
    email: 'carol@wrenport.example',
  },
  dave: {
    displayName: 'Dave Park',
    description: 'Synthesizers, solder and a shed with bad insulation.',
    joins: 0.2,
    born: '1990-07-07',
    client:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
    follows: ['alice', 'bob', 'grace', 'farid'],
    email: 'dave@wrenport.example',
  },
  erin: {
    displayName: 'Erin Walsh',
    description: 'Librarian at the harbour branch. Opinions are overdue.',
    joins: 0.3,
    born: '1994-09-30',
    client: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0',
    follows: ['alice', 'carol', 'farid', 'grace', 'gazette'],
    email: 'erin@wrenport.example',
  },
  farid: {
    displayName: 'Farid Haddad',
    description: 'Cook at the Quay Kitchen. Will talk about lentils.',
    joins: 0.35,
    born: '1983-12-11',
    client: 'Skylark/2.3 (Android 16)',
    follows: ['alice', 'dave', 'erin'],
    email: 'farid@wrenport.example',
  },
  grace: {
    displayName: 'Grace Kim',
    description: 'Teaches physics by day, looks at the sky by night.',
    joins: 0.5,
    born: '2001-03-25',
    client:
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36',
    follows: ['alice', 'bob', 'carol', 'erin', 'farid'],
    email: 'grace@wrenport.example',
  },
  gazette: {
    displayName: 'Wrenport Gazette',
    description: 'News from the harbour since 1891. We confirm who is who in town.',
    joins: 0.6,
    born: '1988-01-01',
    client: 'Newsdesk/4.1',
    follows: ['alice', 'carol'],
  },
  ivy: {
    displayName: 'Ivy Novak',
    description: 'New in town. Looking for a desk, a choir and a second-hand bicycle.',
    joins: 8.4,
    born: '1997-08-18',
    client: 'Skylark/2.3 (iOS 26.1)',
    follows: ['alice', 'bob', 'carol', 'gazette'],
    email: 'ivy@wrenport.example',
  },
  mallory: {
    displayName: 'Best Deals Daily',
    description: 'The deals they do not want you to see!!!',
    joins: 9,
    born: '1985-10-05',
    client: 'python-requests/2.33',
    follows: ['alice', 'bob', 'carol', 'dave', 'erin', 'farid', 'grace'],
    email: 'deals@best.example',
  },
  victor: {
    displayName: 'Victor Stone',
    description: 'Moving to the mountains.',
    joins: 0.7,
    born: '1974-04-09',
    client:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36 Edg/148.0.0.0',
    follows: ['bob'],
    email: 'victor@wrenport.example',
  },
}

/** Days after the start, for accounts that do not stay. */
export const leaves = { mallory: 9.6, victor: 10 } as const

export const names = Object.keys(people) as Name[]

/** @throws if no account has this name */
export function nameOf(text: string | undefined): Name {
  if (text === undefined || !Object.hasOwn(people, text)) throw new Error(`no account is named "${text}"`)
  return text as Name
}
