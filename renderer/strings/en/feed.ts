/** Texts of feeds. */
export const feed = {
  repostedBy: 'Reposted by',
  replyTo: (name: string) => `Reply to ${name}`,
  replyToMissing: 'Reply to a post that is not available',
}
