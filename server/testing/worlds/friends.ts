/** A small world: three accounts, of which one blocks another, and ten posts of two days. */
import type { World } from './schema.ts'

const birthDate = (year: number) => ({
  $type: 'app.bsky.actor.defs#personalDetailsPref',
  birthDate: `${year}-06-15T00:00:00.000Z`,
})

export const friends: World = {
  start: '-3d',
  accounts: [
    {
      name: 'alice',
      profile: {
        displayName: 'Alice Okafor',
        description: 'Bread, and an oven by the canal.',
        avatar: '#0f766e',
      },
      preferences: [birthDate(1979), { $type: 'app.bsky.actor.defs#adultContentPref', enabled: false }],
      notificationPreferences: { like: { include: 'follows', list: true, push: false } },
    },
    {
      name: 'bob',
      profile: { displayName: 'Bob Lindqvist', description: 'I repair bicycles.', avatar: '#b45309' },
      preferences: [birthDate(1986)],
    },
    {
      name: 'carol',
      profile: { displayName: 'Carol Mendes', description: 'Counting birds.', avatar: '#4338ca' },
      preferences: [birthDate(1968)],
    },
  ],
  follows: [
    { by: 'alice', of: ['bob', 'carol'] },
    { by: ['bob', 'carol'], of: 'alice' },
  ],
  lists: [{ id: 'town', by: 'alice', name: 'People in town', members: ['bob', 'carol'] }],
  posts: [
    { id: 'hello', by: 'alice', at: '-2d', text: 'Hello! This is the first post of this server.' },
    { id: 'name', by: 'bob', at: '-47h', reply: 'hello', text: 'Does the server get a name?' },
    { id: 'umbrella', by: 'alice', at: '-46h', reply: 'name', text: 'Umbrella. It stands next to them.' },
    {
      id: 'bread',
      by: 'alice',
      at: '-30h',
      text: 'The first loaf. @bob and @carol, you are invited. #bread',
      pictures: [{ alt: 'A loaf of bread on a board', colour: '#d97706' }],
      langs: ['en'],
      tags: ['baking'],
    },
    { id: 'on-my-way', by: 'carol', at: '-29h', reply: 'bread', text: 'On my way.' },
    {
      id: 'wheels',
      by: 'bob',
      at: '-1d',
      text: 'How to true a wheel, with pictures: https://wheels.example/true',
      allowReplies: ['followers', { list: 'town' }],
      allowQuotes: false,
    },
    { id: 'curlews', by: 'carol', at: '-20h', text: 'First count of the season: 214 curlews.' },
    { id: 'counted', by: 'alice', at: '-19h', quote: 'curlews', text: 'She has counted them twice.' },
    {
      id: 'hands',
      by: 'alice',
      at: '-3h',
      text: 'Hands after an afternoon of chopping wood.',
      labels: ['graphic-media'],
    },
    { id: 'tea', by: 'bob', at: '-1h', text: 'Tea before ten, coffee after.' },
  ],
  reposts: [{ id: 'bread-again', by: 'bob', post: 'bread', at: '-28h' }],
  likes: [
    { by: ['bob', 'carol'], post: 'hello', at: '-45h' },
    { by: 'carol', post: 'bread', via: 'bread-again', at: '-27h' },
    { by: 'alice', post: 'wheels', at: '-23h' },
  ],
  blocks: [{ by: 'carol', of: 'bob', at: '-26h' }],
  mutes: [{ by: 'bob', of: 'carol', at: '-25h' }],
  subscriptions: [{ by: 'alice', of: 'bob', at: '-2d' }],
  seen: [{ by: 'alice', at: '-26h' }],
  appPasswords: [{ by: 'alice', name: 'Phone', at: '-2d' }],
}
