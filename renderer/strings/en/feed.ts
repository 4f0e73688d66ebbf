/** Texts of feeds. */
import { count, formatNumber } from '../format.ts'

export const feed = {
  title: 'Feed',
  ownProfile: 'Your posts',
  justPosted: 'Just posted',
  newPosts: (posts: number, isCapped: boolean) =>
    isCapped ? `${formatNumber(posts)}+ new posts` : count(posts, { one: 'new post', other: 'new posts' }),
  followsNone: 'You follow no one yet. Posts of the people that you follow appear here.',
  nothingYet: 'The people that you follow have not posted yet.',
  repostedBy: 'Reposted by',
  replyTo: (name: string) => `Reply to ${name}`,
  replyToMissing: 'Reply to a post that is not available',
  toFollow: 'People to follow',
  noOneHere: 'There is no one else to follow on this server.',
  connectFriends: 'Connect with friends nearby',
  searchPeople: 'Search for people',
}
