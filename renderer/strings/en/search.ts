/** Texts of the search for posts and people. */
export const search = {
  lead: 'Posts and people that this server has.',
  words: 'Search for',
  placeholder: 'Words, #tag, from:handle',
  kind: 'Kind',
  kinds: { posts: 'Posts', people: 'People' },
  recent: 'Recent searches',
  clearRecent: 'Clear recent searches',
  noRecent: 'Search by words, by a tag such as #bread, or by the author, such as from:alice.test.',
  lookUp: (handle: string) => `Look up ${handle}`,
  noneYet: 'Nothing in the newest posts yet. The search goes on with older ones.',
  none: { posts: 'No posts found', people: 'No people found' },
  noneText: {
    posts: 'Try fewer or other words. Only posts that this server has are searched.',
    people: 'Try the beginning of a handle or name. Only people that this server knows are searched.',
  },
}
