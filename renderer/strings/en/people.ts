/** Texts about people, here and on other servers. */
import { count } from '../format.ts'

export const people = {
  title: 'Person',
  otherServer: 'another server',
  on: (server: string) => `On ${server}`,
  handleOn: (handle: string, server: string) => `${handle} on ${server}`,
  statuses: {
    deactivated: 'Deactivated',
    suspended: 'Suspended',
    takendown: 'Taken down',
    deleted: 'Deleted',
  } as Readonly<Record<string, string>>,
  missing: 'This person is not known here.',
  missingText: 'Check the address, or find the person by handle on the Subscriptions screen.',
  unfollow: 'Unfollow',
  followed: (name: string) => `You follow ${name}`,
  unfollowed: (name: string) => `You no longer follow ${name}`,
  subscribed: 'Subscribed',
  followsYou: 'Follows you',
  followers: (followers: number) =>
    count(followers, { one: 'follower known here', other: 'followers known here' }),
  posts: 'Posts',
  noPosts: 'No posts of this person are here.',
  notCarried: (server: string) =>
    `This server does not follow ${server}. Posts arrive only if a relay passes them on.`,
  unknownServer: 'The server of this person is unknown. Follow it on the Network screen to receive posts.',
  notCarriedAction: 'Open Network',
}
