/** What is set for a new account. */
const fromAll = { include: 'all', list: true, push: true }

/** Preferences of notifications, by the reasons that occur. */
const notifications: Readonly<Record<string, object>> = {
  ...{ like: fromAll, repost: fromAll, follow: fromAll, mention: fromAll, reply: fromAll, quote: fromAll },
  subscribedPost: { list: true, push: true },
}

export const initial = {
  mute: false,
  subscription: { post: false, reply: false },
  preferences: [],
  seen: null,
  notifications,
}
