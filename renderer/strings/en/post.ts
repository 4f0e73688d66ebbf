/** Texts of the screen that shows a post. */
import { count } from '../format.ts'

export const post = {
  title: 'Post',
  missing: 'This post is not available.',
  elsewhere: 'This post is on another server and is not here.',
  missingText: 'It was deleted, or this server does not have it.',
  blocked: 'A post by an account that you blocked, or that blocked you.',
  repliesTo: (name: string) => `Replies to ${name}`,
  replies: (replies: number) => count(replies, { one: 'reply', other: 'replies' }),
  reposts: (reposts: number) => count(reposts, { one: 'repost', other: 'reposts' }),
  quotes: (quotes: number) => count(quotes, { one: 'quote', other: 'quotes' }),
  likes: (likes: number) => count(likes, { one: 'like', other: 'likes' }),
  picture: 'Picture',
  pictureOf: (place: number) => `Picture ${place}, without description`,
  video: 'This post has a video. Watch it in a client.',
  unknownEmbed: 'This post has an attachment that cannot be shown here.',
  noQuote: 'The quoted post is not available.',
  open: 'Open',
}
