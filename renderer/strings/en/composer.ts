/** Texts of the form in which posts are written. */
export const composer = {
  label: 'Post text',
  placeholder: 'What’s on your mind?',
  replyPlaceholder: 'Write your reply',
  post: 'Post',
  reply: 'Reply',
  dialog: { post: 'New post', reply: 'Reply', quote: 'Quote post' },
  posted: 'Posted',
}
