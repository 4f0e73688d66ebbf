/** Texts of the form in which posts are written. */
import { count, formatList } from '../format.ts'

const letters = (number: number) => count(number, { one: 'character', other: 'characters' })

export const composer = {
  label: 'Post text',
  placeholder: 'Write something…',
  replyPlaceholder: 'Write your reply…',
  post: 'Post',
  reply: 'Reply',
  dialog: { post: 'New post', reply: 'Reply', quote: 'Quote' },
  replyingTo: 'Replying to',
  quoting: 'Quoted post',
  posted: (unknownHandles: readonly string[]) =>
    unknownHandles.length === 0
      ? 'Posted'
      : `Posted. No account was found for ${formatList(unknownHandles.slice(0, 3).map((handle) => `@${handle}`))}. They stay text.`,
  undone: 'Post deleted. Its text is a draft again.',
  kept: 'Your post is kept here.',
  arrived: 'Your post was published before the connection was lost.',
  left: (left: number) => (left < 0 ? `${letters(-left)} too many` : `${letters(left)} left`),
  over: 'The text is too long.',
  empty: 'Write something or add a picture.',
  tooLong: (over: number) => `The text is ${letters(over)} too long. Shorten it.`,
  tooManyBytes: 'The text is too long: some emoji take up the space of many letters. Shorten it.',
  cut: (max: string) => `The pasted text is too long for a post. Its first ${max} characters were pasted.`,
  inactive: {
    deactivated: 'This account is deactivated. Reactivate it to post.',
    suspended: 'This account is suspended, so it cannot post. Contact the owner of this server.',
    takendown: 'This account was taken down, so it cannot post.',
  } as Readonly<Record<string, string>>,
  otherwiseInactive: 'This account is not active, so it cannot post.',
  people: 'People',
  suggestions: (people: number) =>
    `${count(people, { one: 'person', other: 'people' })}. Choose with the arrow keys and Enter.`,
  addPictures: (max: number) => `Add pictures (up to ${max})`,
  pictures: 'Pictures of this post',
  picturesHint:
    'Place and camera data are removed, animations stand still. When the page is closed, the text is kept, pictures are not.',
  alt: (place: number) => `Description of picture ${place}`,
  altPlaceholder: 'What it shows, for people who cannot see it',
  removePicture: (place: number) => `Remove picture ${place}`,
  reading: 'A picture is being prepared.',
  tooManyPictures: (max: number) => `A post can have up to ${max} pictures. Others were left out.`,
  surplusPictures: (max: number) => `A post can have up to ${max} pictures. Remove some.`,
  notAPicture: (name: string) =>
    `“${name}” is not a picture that the browser can read. Choose a PNG, JPEG, WebP or GIF file.`,
  uploading: (place: number, pictures: number) => `Uploading picture ${place} of ${pictures}…`,
  language: 'Language of the post',
  otherLanguage: 'Other…',
}
